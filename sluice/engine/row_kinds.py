"""Row kinds: what each row of a changelog does to its table.

The rows of a batch may have hidden columns besides those of their query. `COLUMN` is the kind of
each row: `+I` inserts it, `-U` and `+U` are a row before and after an update, `-D` deletes it. `AT`
is the change's place in its topic, by which changes of a key are ordered; it is NULL for rows that
a stateful step made, whose order does not matter except that deletes come before inserts.
`UNCHANGED` are the names of columns whose value the change does not carry and whose stored value
stays: those columns are NULL. Only changes of formats that leave out values have it.

A batch without `COLUMN` has inserts alone. A sink decides in `prepare` which kinds it takes; those
that only append take inserts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.sql import relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import Column, DataFrame

COLUMN, AT, UNCHANGED = relation.KIND, relation.AT, relation.UNCHANGED
"""The reserved names of the hidden columns."""

HIDDEN = (COLUMN, AT, UNCHANGED)
"""All of them, in the order in which rows have those that are there."""

TYPES = {
    COLUMN: "STRING",
    AT: relation.PLACE,
    UNCHANGED: "ARRAY<STRING>",
}
"""Their types in Spark; `row` is the number of a change within its message."""

INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = "+I", "-U", "+U", "-D"


def visible(columns: Iterable[str]) -> list[str]:
    """The columns of rows that are not hidden."""
    return [name for name in columns if name not in HIDDEN]


def named(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    """Rows whose columns have other names, except for the hidden ones."""
    given = dict(zip(visible(rows.columns), names, strict=True))
    return rows.toDF(*(given.get(name, name) for name in rows.columns))


def is_put(kind: Column | None = None) -> Column:
    """Whether a change leaves its row in the table: it is an insert, or a row after an update."""
    return (F.col(COLUMN) if kind is None else kind).isin(INSERT, UPDATE_AFTER)


def only_inserts(rows: DataFrame, table: str) -> DataFrame:
    """Rows for a sink that takes inserts alone, without the hidden columns.

    A row of another kind stops the batch when it comes.
    """
    if COLUMN not in rows.columns:
        return rows
    kind = F.col(COLUMN)
    text = F.concat(
        F.lit(f"Table {table} takes rows of kind {INSERT} alone, and not "),
        F.coalesce(kind, F.lit("NULL")),
    )
    inserted = F.when(kind == INSERT, F.lit(True)).otherwise(F.raise_error(text).cast("boolean"))
    return rows.where(inserted).drop(*HIDDEN)
