"""The order of the changes in a changelog, and the last one of each key.

Changes are ordered by their places in their topic. Those without a place, or with the same one,
are ordered by kind, retractions first, and then as Spark has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from sluice.engine import row_kinds
from sluice.engine.row_kinds import AT, COLUMN
from sluice.engine.spark import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

_NUMBER, _ORDER, _PLACE = "__number", "__order", "__place"


def ordered(rows: DataFrame, keys: Sequence[str], tasks: int) -> DataFrame:
    """All changes, those of a key in one of so many tasks, each with its changes in order.

    Where a change goes depends on its key and the number of tasks alone.
    """
    spread = _numbered(rows).repartition(tasks, *map(typed.quoted, keys))
    return spread.sortWithinPartitions(_ORDER).drop(_ORDER)


def last_of_each(rows: DataFrame, keys: Sequence[str], tasks: int | None = None) -> DataFrame:
    """The last change of each key; in so many tasks, as in `ordered`, if the number is given."""
    numbered = _numbered(rows)
    if tasks is not None:
        numbered = numbered.repartition(tasks, *map(typed.quoted, keys))
    return newest(numbered, keys, [_ORDER]).drop(_ORDER)


def newest(changes: DataFrame, keys: Sequence[str], order: Sequence[str]) -> DataFrame:
    """Of the changes of each key the last one, by the columns that order them."""
    window = Window.partitionBy(*map(typed.column, keys))
    place = F.row_number().over(window.orderBy(*(typed.column(name).desc() for name in order)))
    return changes.withColumn(_PLACE, place).where(F.col(_PLACE) == 1).drop(_PLACE)


def _numbered(rows: DataFrame) -> DataFrame:
    """With a column that sorts the changes."""
    there = rows.columns
    parts: list[Column] = []
    if AT in there:
        parts = [F.col(AT)[name].alias(name) for name in ("partition", "offset", "row")]
    if COLUMN in there:
        parts.append(row_kinds.is_put().alias("put"))
    numbered = rows.withColumn(_NUMBER, F.monotonically_increasing_id())
    order = F.struct(*parts, F.col(_NUMBER)) if parts else F.col(_NUMBER)
    return numbered.withColumn(_ORDER, order).drop(_NUMBER)
