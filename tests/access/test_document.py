"""What docs/USERS.md shows works as it stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from answers import answer
from documents import ROOT, blocks

from access.lab import Lab
from sluice import errors
from sluice.sql.split import split

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.session import Session


def shown(session: Session, text: str) -> str:
    """What a statement prints, or the error."""
    try:
        return answer(session, text, "TabSeparatedRaw").strip()
    except errors.SluiceError as bad:
        return bad.message


def test_document(tmp_path: Path) -> None:
    found = blocks((ROOT / "docs" / "USERS.md").read_text("utf-8"))
    compared = 0
    with Lab(tmp_path) as lab:
        for block, following in zip(found, [*found[1:], None], strict=True):
            if block.language != "sql":
                continue
            head = block.text.partition("\n")[0]
            session = lab.session
            if head.startswith("-- as "):
                session = session.child(user=head.removeprefix("-- as "))
            printed = [shown(session, each) for each in split(block.text)]
            if following is not None and following.language == "text":
                assert printed[-1] == following.text.strip()
                compared += 1
            else:
                assert set(printed) == {""}
    assert compared == 6
