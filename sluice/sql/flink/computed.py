"""Computed columns and watermarks: their expressions are checked when the table is made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.flink.columns import check
from sluice.sql.flink.lowering import lower_expression
from sluice.sql.relation import RelationColumn
from sluice.types import is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.sql import ir


def typed(table: ir.CreateTable) -> ir.CreateTable:
    """The table with the types of its computed columns, `Inferred` where only Spark can tell.

    An expression may use the columns of the message and its metadata, but no computed ones; that of
    the watermark may use all.

    Raises:
        SluiceError: what is wrong with an expression, at the column's place; or that the watermark
            is for a column that is no moment.
    """
    given = [RelationColumn(c.name, c.type) for c in table.columns if c.alias is None]
    columns = tuple(c if c.alias is None else _typed(c, given) for c in table.columns)
    place = table.name.place
    if table.watermark is not None:
        known = [RelationColumn(c.name, c.type, c.alias) for c in columns]
        try:
            lower_expression(table.watermark.delay, known)
        except errors.SluiceError as bad:
            raise _moved(bad, place) from bad
    places = (place,) * len(table.primary_key) if place else ()
    checked = check(columns, table.primary_key, places, table.watermark, place)
    return replace(table, columns=checked)


def _typed(column: ir.ColumnDef, given: list[RelationColumn]) -> ir.ColumnDef:
    try:
        found = lower_expression(column.alias or "", given).type
    except errors.SluiceError as bad:
        raise _moved(bad, column.place) from bad
    if found is None:
        return column
    return replace(column, type=found if is_nullable(found) else m.Nullable(found))


def _moved(bad: errors.SluiceError, place: errors.Place | None) -> errors.SluiceError:
    """The error at the column's place: its own counts from the beginning of the expression."""
    return type(bad)(bad.condition, bad.params, place)
