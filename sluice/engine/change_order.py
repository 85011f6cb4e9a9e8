"""The order of the changes in a changelog, and the last one of each key.

Changes are ordered by the columns of a sequence, if there are such, then by their places in their
topic; those without a place, or with the same one, by kind, retractions first. Rows that have no
places at all are in the order in which Spark has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from sluice.engine import row_kinds
from sluice.engine.spark import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

PUT = "__put"
"""Whether a change puts its row into the table, or deletes the row with its key."""

_NUMBER, _NEWEST, _PLACE = "__order", "__newest", "__place"


def in_order(rows: DataFrame, sequence: Sequence[str] = ()) -> tuple[DataFrame, list[str]]:
    """Rows of a batch as changes with `PUT`, and the columns that order those of one key."""
    there = rows.columns
    puts = row_kinds.is_put() if row_kinds.COLUMN in there else F.lit(True)
    hidden: dict[str, Column] = {PUT: puts}
    order: list[str] = []
    if sequence:
        # A delete that has no sequence cannot be compared: it is taken for the newest change.
        hidden[_NEWEST] = ~puts & typed.column(sequence[0]).isNull()
        order += [_NEWEST, *sequence]
    if row_kinds.AT in there:
        order.append(row_kinds.AT)
    else:
        hidden[_NUMBER] = F.monotonically_increasing_id()
        order.append(_NUMBER)
    return rows.withColumns(hidden), [*order, PUT]


def ordered(rows: DataFrame, keys: Sequence[str], tasks: int) -> DataFrame:
    """All changes, those of a key in one of so many tasks, each with its changes in order.

    Where a change goes depends on its key and the number of tasks alone.
    """
    changes, order = in_order(rows)
    spread = changes.repartition(tasks, *map(typed.column, keys))
    return spread.sortWithinPartitions(*map(typed.column, order)).drop(*order)


def last_of_each(
    rows: DataFrame, keys: Sequence[str], sequence: Sequence[str] = (), tasks: int | None = None
) -> DataFrame:
    """The last change of each key, with `PUT` and without the other hidden columns.

    They are in so many tasks, as in `ordered`, if the number is given.
    """
    changes, order = in_order(rows, sequence)
    if tasks is not None:
        changes = changes.repartition(tasks, *map(typed.column, keys))
    window = Window.partitionBy(*map(typed.column, keys))
    place = F.row_number().over(window.orderBy(*(typed.column(name).desc() for name in order)))
    last = changes.withColumn(_PLACE, place).where(F.col(_PLACE) == 1)
    return last.drop(_PLACE, _NUMBER, _NEWEST, *row_kinds.HIDDEN)
