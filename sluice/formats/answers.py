"""Answers as bytes, in ClickHouse's output formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.formats.registry import find_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.formats.result import Result

CHUNK = 1 << 16
"""About how many characters go into one chunk."""


def render(table: Result, format_name: str) -> Iterator[bytes]:
    """The answer in a format, chunk by chunk; an answer without columns is empty.

    An unknown format is refused at once, not when the first chunk is asked for.
    """
    _, answer = find_answer(format_name)
    return _chunks(answer.write(table)) if table.columns else iter(())


def _chunks(pieces: Iterable[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield _bytes(held)
            held, size = [], 0
    if held:
        yield _bytes(held)


def _bytes(pieces: list[str]) -> bytes:
    text = "".join(pieces)
    try:  # bytes that were no UTF-8 come out as they came in
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
