"""The partition key of a table of the ClickHouse dialect: rows have it, files do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.sql import ir

WHOLE = "all"
"""The id of the one partition of a table without PARTITION BY."""


def partition_key(table: Table) -> tuple[str, ...]:
    """The expressions that rows of a partition have in common; none if all rows are in one."""
    from sluice.sql.clickhouse.reading import parse_expression

    if not table.partition_by:
        return ()
    tree = parse_expression(table.partition_by)
    if isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.Tuple) or (isinstance(tree, exp.Anonymous) and tree.name == "tuple"):
        return tuple(each.sql("clickhouse") for each in tree.expressions)
    return (table.partition_by,)


def partition_id(key: tuple[str, ...]) -> str:
    """The id of a row's partition, in ClickHouse's SQL."""
    return f"partitionId({', '.join(key)})" if key else f"'{WHOLE}'"


def condition(table: Table, partition: ir.Partition, place: Place | None) -> str:
    """Whether a row is in a partition, in ClickHouse's SQL.

    Raises:
        SluiceError: INVALID_PARTITION_VALUE.
    """
    from sluice.types import quote_string

    key = partition_key(table)
    if partition.all:
        return "1"
    if partition.id is not None:
        return f"{partition_id(key)} = {quote_string(partition.id)}"
    wanted = wanted_id(table, partition, place)
    return f"{partition_id(key)} = {wanted}" if key else "1"


def wanted_id(table: Table, partition: ir.Partition, place: Place | None) -> str:
    """The id of the partition whose values are given, in ClickHouse's SQL over the table's columns.

    Raises:
        SluiceError: INVALID_PARTITION_VALUE.
    """
    from sluice.types import quote_string

    key = partition_key(table)
    if partition.id is not None:
        return quote_string(partition.id)
    if len(partition.values) != len(key):
        hint = f"Its PARTITION BY is {table.partition_by or 'tuple()'}."
        raise errors.INVALID_PARTITION_VALUE(
            given=len(partition.values), expected=len(key), hint=hint, place=place
        )
    pairs = zip(partition.values, key, strict=True)
    return partition_id(tuple(f"CAST(({value}), toTypeName({each}))" for value, each in pairs))
