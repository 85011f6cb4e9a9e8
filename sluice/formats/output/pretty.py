"""Tables for people: Pretty, PrettyCompact, PrettySpace and Vertical."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.formats.output import values
from sluice.formats.output.separated import aligns_right

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sluice.formats.output.table import Table

BLOCK_ROWS = 1000
"""Widths are measured per block of so many rows, so that a long answer still streams."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A horizontal line: its ends, its crossings and what fills it."""

    left: str
    fill: str
    cross: str
    right: str

    def draw(self, widths: Sequence[int]) -> str:
        parts = (self.fill * (width + 2) for width in widths)
        return self.left + self.cross.join(parts) + self.right


_HEAVY_TOP = _Rule("┏", "━", "┳", "┓")
_HEAVY_HEAD = _Rule("┡", "━", "╇", "┩")
_BETWEEN = _Rule("├", "─", "┼", "┤")
_BOTTOM = _Rule("└", "─", "┴", "┘")


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


def _blocks(table: Table) -> Iterator[_Block]:
    names = _names(table)
    right = [aligns_right(c.type) for c in table.columns]
    writers = [values.writer(c.type, values.SHOWN) for c in table.columns]
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


def _names(table: Table) -> list[str]:
    return [_visible(c.name).replace("\n", "↴") for c in table.columns]


def _visible(text: str) -> str:
    """Without the control characters that would drive the reader's terminal."""
    if text.isprintable():
        return text
    return "".join(char if char in "\t\n" or char.isprintable() else "�" for char in text)


def pretty(table: Table) -> Iterator[str]:
    """A line between any two rows."""
    for block in _blocks(table):
        margin = " " * block.margin
        head = [
            _pad(n, w, r) for n, w, r in zip(block.names, block.widths, block.right, strict=True)
        ]
        yield margin + _HEAVY_TOP.draw(block.widths) + "\n"
        yield margin + "┃ " + " ┃ ".join(head) + " ┃\n"
        yield margin + _HEAVY_HEAD.draw(block.widths) + "\n"
        for index in range(len(block.rows)):
            if index:
                yield margin + _BETWEEN.draw(block.widths) + "\n"
            yield from block.lines(index, "│", "│")
        yield margin + _BOTTOM.draw(block.widths) + "\n"


def pretty_compact(table: Table) -> Iterator[str]:
    """The names stand in the upper border."""
    for block in _blocks(table):
        margin = " " * block.margin
        head = [
            "─" + _pad(n, w, r, "─") + "─"
            for n, w, r in zip(block.names, block.widths, block.right, strict=True)
        ]
        yield margin + "┌" + "┬".join(head) + "┐\n"
        for index in range(len(block.rows)):
            yield from block.lines(index, "│", "│")
        yield margin + _BOTTOM.draw(block.widths) + "\n"


def pretty_space(table: Table) -> Iterator[str]:
    """Spaces instead of lines."""
    for block in _blocks(table):
        head = [
            _pad(n, w, r) for n, w, r in zip(block.names, block.widths, block.right, strict=True)
        ]
        yield " " * (block.margin + 1) + "   ".join(head) + "\n\n"
        for index in range(len(block.rows)):
            yield from block.lines(index, " ", "")


def vertical(table: Table) -> Iterator[str]:
    """One line per value, for wide rows."""
    names = _names(table)
    width = max(map(width_of, names)) + 2
    fields = [
        (_pad(f"{name}:", width, right=False), values.writer(c.type, values.SHOWN))
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
