"""CLEAR COLUMN and MATERIALIZE COLUMN: changes of a column in all rows, as an UPDATE of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.planner import partitions
from sluice.planner.merging import merging_of
from sluice.planner.stored import key_of
from sluice.planner.table_engines import column_name, named_columns
from sluice.sql import ir
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from sluice.catalog import Column, Table

_CLEAR = "CLEAR COLUMN"


def as_update(table: Table, statement: ir.Mutation) -> ir.Mutation | None:
    """The UPDATE that a change of a column stands for; None if there is nothing to do.

    Raises:
        SluiceError: NOT_FOUND_COLUMN_IN_BLOCK or NO_SUCH_COLUMN_IN_TABLE for an unknown column,
            ALTER_OF_COLUMN_IS_FORBIDDEN for one of a key, COLUMN_WITHOUT_DEFAULT.
    """
    if not statement.column:
        return statement
    columns = [c for c in table.columns if _is_meant(c, statement.column)]
    clears, place = statement.verb == _CLEAR, statement.name.place
    if not columns:
        if not statement.column_exists:
            return None
        unknown = errors.NOT_FOUND_COLUMN_IN_BLOCK if clears else errors.NO_SUCH_COLUMN_IN_TABLE
        hint = errors.nearest(statement.column, [c.name for c in table.columns])
        raise unknown(column=statement.column, table=table.full_name, hint=hint, place=place)
    assigned = []
    for column in columns:
        if (expression := _value(column, clears=clears)) is None:
            raise errors.COLUMN_WITHOUT_DEFAULT(column=column.name, place=place)
        if column.name in fixed(table):
            raise errors.ALTER_OF_COLUMN_IS_FORBIDDEN(
                verb=statement.verb, column=column.name, place=place
            )
        if expression:
            assigned.append(ir.Assignment(column.name, expression))
    return replace(statement, assignments=tuple(assigned), condition="1") if assigned else None


def _is_meant(column: Column, name: str) -> bool:
    """Whether a column has a name, or is in the Nested structure that has it."""
    return column.name == name or column.name.startswith(f"{name}.")


def _value(column: Column, *, clears: bool) -> str | None:
    """What becomes of a column in each row: nothing for "", None if it cannot be computed."""
    if column.alias is not None:
        return ""
    if column.default_kind == "MATERIALIZED":
        return column.default or ""
    if clears:
        return column.default or f"defaultValueOfTypeName({quote_string(str(column.type))})"
    if column.default is None:
        return None
    # Rows from before the column have its DEFAULT when they are read, until it is stored.
    return quote_name(column.name) if column.late else ""


def fixed(table: Table) -> dict[str, str]:
    """The columns on whose values it depends which rows are one, or where a row belongs."""
    from sluice.sql.clickhouse.reading import names_in

    merging = merging_of(table)
    special = named_columns(table) if merging is not None and not merging.columns else []
    expressions = (*table.order_by, *table.primary_key, *partitions.partition_key(table))
    keys = {name for expression in expressions for name in names_in(expression)}
    keys |= set(key_of(table)) | {column_name(each) for each in table.primary_key}
    return {**dict.fromkeys(special, "special"), **dict.fromkeys(keys, "key")}
