"""The formats of answers: ClickHouse's output formats, which ClickHouse itself writes.

`answers.txt` lists them with the content type of each and whether it is text for people:
`python -m sluice.formats.answers` writes it anew after an update of chdb.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT = "TabSeparated"
"""The format of an answer if nothing else is asked for."""

_FILE = "answers.txt"


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """A format as `system.formats` of ClickHouse has it."""

    name: str
    content_type: str
    is_input: bool
    is_text: bool


def find_answer(name: str) -> AnswerFormat:
    """The format of that name, in whatever case it is written.

    Raises:
        SluiceError: UNKNOWN_FORMAT with the nearest names.
    """
    found = _folded().get(name.lower())
    if found is None:
        raise errors.UNKNOWN_FORMAT(format=name, hint=errors.nearest(name, formats()))
    return found


@cache
def formats() -> Mapping[str, AnswerFormat]:
    """Every format of answers, by name."""
    found = resources.files("sluice.formats").joinpath(_FILE).read_text("utf-8")
    rows = (line.split("\t") for line in found.splitlines())
    return {
        name: AnswerFormat(name, content_type, is_input == "1", is_text == "1")
        for name, content_type, is_input, is_text in rows
    }


@cache
def _folded() -> Mapping[str, AnswerFormat]:
    return {name.lower(): each for name, each in formats().items()}


def write() -> None:
    """Write the list anew, from what ClickHouse has."""
    import chdb

    ask: Any = chdb.query
    query = (
        "SELECT name, content_type, is_input, is_tty_friendly FROM system.formats "
        "WHERE is_output ORDER BY name"
    )
    Path(__file__).with_name(_FILE).write_text(str(ask(query, "TSV")), "utf-8")


if __name__ == "__main__":
    write()
