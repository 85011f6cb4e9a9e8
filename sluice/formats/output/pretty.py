"""Tables for people: Pretty, PrettyCompact, PrettySpace and Vertical."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.formats.output import value_text
from sluice.formats.output.separated import aligns_right

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.formats.result import Result

BLOCK_ROWS = 1000
"""Widths are measured per block of so many rows, so that a long answer still streams."""


def width_of(text: str) -> int:
    """How many cells of a terminal the text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cc", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _pad(text: str, width: int, right: bool, fill: str = " ") -> str:
    gap = fill * (width - width_of(text))
    return gap + text if right else text + gap


@dataclass(frozen=True, slots=True)
class _Block:
    """Up to BLOCK_ROWS rows as lines of cells, measured."""

    names: list[str]
    right: list[bool]
    rows: list[list[list[str]]]  # row → column → lines of the cell
    first: int
    widths: list[int]
    margin: int

    def head(self, fill: str = " ") -> Iterator[str]:
        """The names, padded."""
        columns = zip(self.names, self.widths, self.right, strict=True)
        return (_pad(name, width, right, fill) for name, width, right in columns)

    def lines(self, index: int, bar: str, edge: str) -> Iterator[str]:
        """A row's lines; a cell's line break is drawn as ↴ and ↳."""
        row, margin = self.rows[index], f"{self.first + index + 1}. ".rjust(self.margin)
        for at in range(max(len(cell) for cell in row)):
            cells = bar.join(self._cell(i, cell, at) for i, cell in enumerate(row))
            yield margin + edge + cells + edge + "\n"
            margin = " " * self.margin

    def _cell(self, column: int, lines: list[str], at: int) -> str:
        text = lines[at] if at < len(lines) else ""
        before = "↳" if 0 < at < len(lines) else " "
        after = "↴" if at + 1 < len(lines) else " "
        right = self.right[column] and len(lines) == 1
        return before + _pad(text, self.widths[column], right) + after


def _blocks(table: Result) -> Iterator[_Block]:
    names = _names(table)
    right = [aligns_right(c.type) for c in table.columns]
    writers = [value_text.writer(c.type, value_text.SHOWN) for c in table.columns]
    for first in range(0, len(table.rows), BLOCK_ROWS):
        rows = [
            [_visible(w(v)).split("\n") for w, v in zip(writers, row, strict=True)]
            for row in table.rows[first : first + BLOCK_ROWS]
        ]
        widths = [
            max(width_of(names[i]), max(width_of(line) for row in rows for line in row[i]))
            for i in range(len(names))
        ]
        yield _Block(names, right, rows, first, widths, len(str(first + len(rows))) + 2)


def _names(table: Result) -> list[str]:
    return [_visible(c.name).replace("\n", "↴") for c in table.columns]


def _visible(text: str) -> str:
    """Without the control characters that would drive the reader's terminal."""
    if text.isprintable():
        return text
    return "".join(char if char in "\t\n" or char.isprintable() else "�" for char in text)


def _rule(left: str, fill: str, cross: str, right: str, block: _Block) -> str:
    """A horizontal line."""
    parts = (fill * (width + 2) for width in block.widths)
    return " " * block.margin + left + cross.join(parts) + right + "\n"


def _bottom(block: _Block) -> str:
    return _rule("└", "─", "┴", "┘", block)


def pretty(table: Result) -> Iterator[str]:
    """A line between any two rows."""
    for block in _blocks(table):
        yield _rule("┏", "━", "┳", "┓", block)
        yield " " * block.margin + "┃ " + " ┃ ".join(block.head()) + " ┃\n"
        yield _rule("┡", "━", "╇", "┩", block)
        for index in range(len(block.rows)):
            if index:
                yield _rule("├", "─", "┼", "┤", block)
            yield from block.lines(index, "│", "│")
        yield _bottom(block)


def pretty_compact(table: Result) -> Iterator[str]:
    """The names stand in the upper border."""
    for block in _blocks(table):
        yield " " * block.margin + "┌─" + "─┬─".join(block.head("─")) + "─┐\n"
        for index in range(len(block.rows)):
            yield from block.lines(index, "│", "│")
        yield _bottom(block)


def pretty_space(table: Result) -> Iterator[str]:
    """Spaces instead of lines."""
    for block in _blocks(table):
        yield " " * (block.margin + 1) + "   ".join(block.head()) + "\n\n"
        for index in range(len(block.rows)):
            yield from block.lines(index, " ", "")


def vertical(table: Result) -> Iterator[str]:
    """One line per value, for wide rows."""
    names = _names(table)
    width = max(map(width_of, names)) + 2
    fields = [
        (_pad(f"{name}:", width, right=False), value_text.writer(c.type, value_text.SHOWN))
        for name, c in zip(names, table.columns, strict=True)
    ]
    before = ""
    for number, row in enumerate(table.rows, 1):
        title = f"Row {number}:"
        yield f"{before}{title}\n{'─' * len(title)}\n"
        before = "\n"
        yield "".join(
            [f"{name}{_visible(w(v))}\n" for (name, w), v in zip(fields, row, strict=True)]
        )
