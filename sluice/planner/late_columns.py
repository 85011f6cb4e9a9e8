"""Columns that were added to a table with rows: what the rows of before have in them."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from sluice.planner.relations import columns_of
from sluice.types import is_nullable

if TYPE_CHECKING:
    from sluice.catalog import Table


def late_defaults(table: Table) -> dict[str, str]:
    """The DEFAULTs of late columns as Spark SQL, each after those that it uses.

    Not of Nullable columns: in the files a NULL that was written and no value are the same.
    """
    from sluice.sql.clickhouse import lower_expression
    from sluice.sql.clickhouse.queries import Computed

    columns = columns_of(table)
    found = {
        c.name: lower_expression(Computed(c.default, c.type).tree(), columns)
        for c in table.stored_columns
        if c.late and c.default is not None and not is_nullable(c.type)
    }
    order = TopologicalSorter({name: each.uses & found.keys() for name, each in found.items()})
    return {name: found[name].sql for name in order.static_order()}


def late_expressions(table: Table) -> dict[str, str]:
    """The same DEFAULTs in ClickHouse's SQL, in the same order."""
    given = {column.name: column.default or "" for column in table.stored_columns}
    return {name: given[name] for name in late_defaults(table)}
