"""Golden files: cases between lines of dashes, each a statement and what is expected of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RULE = "-" * 80


def statements(text: str) -> list[str]:
    """The statements of a file."""
    cases = [case for case in re.split(r"^-{20,}\n", text, flags=re.M) if case.strip()]
    return [statement(case) for case in cases]


def statement(case: str) -> str:
    """What a case has before its answers."""
    return re.split(r"^---- ", case, maxsplit=1, flags=re.M)[0]


def check(path: Path, found: str, *, accept: bool) -> None:
    """Compare a file with what it should be, or write it anew."""
    expected = path.read_text("utf-8")
    if accept:
        path.write_text(found, "utf-8")
    assert found == expected or accept
