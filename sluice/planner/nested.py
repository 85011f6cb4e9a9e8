"""Nested structures: the array columns `n.a`, `n.b`, … of a table, equally long in each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.catalog import Column, Table


def structures(table: Table) -> dict[str, list[Column]]:
    """The columns of each structure of several arrays, by its name; however they were declared."""
    found: dict[str, list[Column]] = {}
    for column in table.stored_columns:
        name, dot, _ = column.name.partition(".")
        if dot and isinstance(column.type, m.Array):
            found.setdefault(name, []).append(column)
    return {name: columns for name, columns in found.items() if len(columns) > 1}


def lengths_of_late(table: Table) -> dict[str, Column]:
    """For arrays that were added to a structure: one that is as long, and was there before.

    Rows of before have as many defaults of the item's type. A column with a DEFAULT has that.
    """
    return {
        column.name: early
        for columns in structures(table).values()
        if (early := next((each for each in columns if not each.late), None)) is not None
        for column in columns
        if column.late and column.default is None
    }
