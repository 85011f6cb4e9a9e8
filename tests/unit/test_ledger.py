from __future__ import annotations

from dataclasses import replace

from sluice.engine.storage import ledger
from sluice.engine.storage.ledger import Entry

ENTRY = Entry("p", 2, 7, "v", {"t": {0: (1, 5), 1: (0, 0)}, "s": {0: (3, 4)}})


def test_an_entry_is_read_back() -> None:
    for entry in (ENTRY, replace(ENTRY, via=("u", "w"), by="i:1:n", transaction="571:9")):
        assert ledger.read({"userMetadata": entry.metadata()}) == entry


def test_a_generation_and_a_view_commit_on_their_own() -> None:
    ids = {Entry("p", g, 0, v, {}).writer for g in (1, 2) for v in ("a", "b")}
    assert len(ids) == 4


def test_other_commits_are_none_of_ours() -> None:
    for metadata in (None, "", "x", "[]", "{}", '{"sluice": null}'):
        assert ledger.read({"userMetadata": metadata}) is None
    assert ledger.read({}) is None
