"""The ledger of a table outlives Delta's log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sluice.engine.storage import delta_log, history, ledger
from sluice.engine.storage.history import History
from sluice.engine.storage.ledger import Entry

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = ("a", "b", "c")


def commit(table: Path, version: int, *, entry: bool = True) -> None:
    """A commit of batch `version // 3` by one of three writers, with its entry or without."""
    batch, view = version // 3, WRITERS[version % 3]
    made = Entry("p", 1, batch, view, {"t": {0: (batch * 10, batch * 10 + 10)}}, by="i:5:n")
    info = {
        "timestamp": 1_000 * version,
        "operationMetrics": {"numOutputRows": "10"},
        **({"userMetadata": made.metadata()} if entry else {}),
    }
    path = table / "_delta_log" / f"{version:020}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"commitInfo": info}, {"add": {"path": "x"}}]
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")


def clean_up(table: Path, before: int) -> None:
    """What Delta does with old commits."""
    for path in (table / "_delta_log").iterdir():
        if int(path.stem) < before:
            path.unlink()


def segments(table: Path) -> list[tuple[int, int]]:
    names = sorted(path.name for path in (table / history.FOLDER).iterdir())
    return [(int(name[:20]), int(name[21:41])) for name in names]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(history, "SEGMENT", 10)
    return tmp_path


def versions(found: History) -> list[int]:
    return [record.version for record in found.records()]


def test_entries_outlive_the_log(table: Path) -> None:
    """Folded little by little, by several processes, into segments; then the log is cleaned up."""
    for version in range(47):
        commit(table, version, entry=version != 5)
        if version % 4 == 3:
            History(table).fold()
    there = [version for version in range(47) if version != 5]
    kept = History(table)
    assert versions(kept) == there
    found = segments(table)
    assert [first for first, _ in found] == [0, *(last + 1 for _, last in found[:-1])]
    assert (len(found), found[-1][1]) == (5, 43)
    clean_up(table, 44)
    for ledger_ in (kept, History(table)):
        assert versions(ledger_) == there
        assert [r.version for r in ledger_.newest_first()] == there[::-1]
        last = ledger_.last("p/1/a")
        assert last is not None
        assert (last.entry.batch, last.version, last.rows, last.committed_ms) == (
            15,
            45,
            10,
            45_000,
        )
        assert last.entry.ranges == {"t": {0: (150, 160)}}
        assert last.entry.by == "i:5:n"
        assert ledger_.last("p/2/a") is None
        assert ledger_.known_since_ms() == 0
    commit(table, 47)
    assert kept.last("p/1/c") == ledger.record(delta_log.info(table, 47) or {}, 47)


def test_a_fold_is_whole_or_not_at_all(table: Path) -> None:
    """A process that dies before it removes a segment that was extended leaves both."""
    for version in range(3):
        commit(table, version)
    History(table).fold()
    (old,) = (table / history.FOLDER).iterdir()
    kept = old.read_bytes()
    commit(table, 3)
    History(table).fold()
    old.write_bytes(kept)
    (table / history.FOLDER / "x.json.new").write_text("half")
    assert versions(History(table)) == [0, 1, 2, 3]
    commit(table, 4)
    History(table).fold()
    assert versions(History(table)) == list(range(5))
    assert not old.exists()


def test_a_log_that_was_cleaned_up_before_it_was_folded(table: Path) -> None:
    """A table of an earlier version of Sluice: it is known from when on everything is known."""
    for version in range(20):
        commit(table, version)
    clean_up(table, 8)
    found = History(table)
    assert found.known_since_ms() == 8_000
    assert versions(found) == list(range(8, 20))
    found.fold()
    clean_up(table, 19)
    again = History(table)
    assert again.known_since_ms() == 8_000
    assert versions(again) == list(range(8, 20))
    clean_up(table, 20)
    for version in range(20, 26):
        commit(table, version)
    clean_up(table, 23)  # while no server ran, by somebody else
    late = History(table)
    assert late.known_since_ms() == 23_000
    assert versions(late) == [*range(8, 20), 23, 24, 25]
    late.fold()
    assert versions(History(table)) == versions(late)


def test_another_table_at_the_same_path(table: Path) -> None:
    """What is known of a table that is not there any more is forgotten."""
    for version in range(12):
        commit(table, version)
    History(table).fold()
    clean_up(table, 12)
    commit(table, 0, entry=False)
    assert versions(History(table)) == []
    assert versions(History(table / "nowhere")) == []
    History(table / "nowhere").fold()
    assert not (table / "nowhere").exists()
