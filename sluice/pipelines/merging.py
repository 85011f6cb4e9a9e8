"""Rows with the same key become one: on the way to a reader, and when files are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.pipelines import typed
from sluice.plan.merging import ANY, SUM
from sluice.types import bare, spark_type
from sluice.types import model as m
from sluice.types.states import base, simple_merge, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from sluice.plan.merging import Merging
    from sluice.types import Type

    Columns = Sequence[tuple[str, Type]]

WRITTEN_AT, WRITTEN_ROW = "__sluice_at", "__sluice_row"
"""Columns in the files of a table where it matters which of two rows was written later."""

ORDER: Columns = ((WRITTEN_AT, m.Int(64)), (WRITTEN_ROW, m.Int(64)))


def written_now() -> list[Column]:
    """What `ORDER` holds for rows that are written now: the time of the block, then their order."""
    from pyspark.sql import functions as F

    return [
        F.unix_micros(F.current_timestamp()).alias(WRITTEN_AT),
        F.monotonically_increasing_id().alias(WRITTEN_ROW),
    ]


def merged(parts: DataFrame, columns: Columns, how: Merging) -> DataFrame:
    """One row for each key, with the table's columns and `ORDER`, if the parts have it.

    The parts of a part may be merged: what comes of them can be merged again with the rest.
    """
    if how.newest is not None:
        return _newest(parts, how)
    from pyspark.sql import functions as F

    named = {name: F.col(typed.quoted(name)) for name, _ in columns}
    plain = {typed.quoted(name): name for name, _ in columns}
    grouped = [plain[key] for key in how.keys if key in plain]
    keys = [
        named[plain[key]] if key in plain else F.expr(key).alias(f"__key{at}")
        for at, key in enumerate(how.keys)
    ]
    # Without a key all rows are one; but where there are none, there is none.
    by = parts.groupBy(*keys or [F.lit(True).alias("__key")])
    ways = [
        _merged(name, type_, how.columns.get(name, ANY), ordered=how.ordered).alias(name)
        for name, type_ in columns
        if name not in grouped
    ]
    ways += [F.max(name).alias(name) for name, _ in ORDER if how.ordered]
    made = by.agg(*ways) if ways else by.agg(F.lit(True).alias("__none"))
    kept = [name for name, _ in columns] + [name for name, _ in ORDER if how.ordered]
    return made.select(*(F.col(typed.quoted(name)) for name in kept))


def shown(rows: DataFrame, how: Merging) -> DataFrame:
    """Merged rows without those that a reader does not see."""
    from pyspark.sql import functions as F

    if how.deleted:
        rows = rows.where(F.coalesce(F.col(typed.quoted(how.deleted)) != 1, F.lit(True)))
    if how.zeros:
        zero = F.lit(False)
        for name in how.zeros:
            zero = zero | F.coalesce(F.col(typed.quoted(name)) != 0, F.lit(False))
        rows = rows.where(zero)
    return rows


def _newest(parts: DataFrame, how: Merging) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    order = [*(typed.quoted(name) for name in how.newest or ()), WRITTEN_AT, WRITTEN_ROW]
    keys = [F.expr(key) for key in how.keys] or [F.lit(True)]
    window = Window.partitionBy(*keys).orderBy(*(F.col(name).desc_nulls_last() for name in order))
    numbered = parts.withColumn("__number", F.row_number().over(window))
    return numbered.where(F.col("__number") == 1).drop("__number")


def _merged(name: str, type_: Type, way: str, *, ordered: bool) -> Column:
    """What a column has in the one row."""
    from pyspark.sql import functions as F

    text = typed.quoted(name)
    if way == ANY:
        return F.first(F.col(text))
    inner = bare(type_)
    if isinstance(inner, m.AggregateState):
        function = base(inner.function)
        kept = state_of(function, inner.args).merge.replace(":0", f"{text}.`{function}`")
        state = F.struct(F.expr(kept).alias(function)).cast(spark_type(type_))
        return F.when(F.count(F.col(text)) > 0, state)
    if way == "anyLast" and ordered:
        order = F.struct(WRITTEN_AT, WRITTEN_ROW)
        return F.max_by(F.col(text), F.when(F.col(text).isNotNull(), order))
    if way == SUM or way == "sumWithOverflow":
        return _sum(F.col(text), inner)
    return F.expr(simple_merge(way, type_).replace(":0", text)).cast(spark_type(type_))


def _sum(column: Column, type_: Type) -> Column:
    """The sum as the column's type; whole numbers begin again behind the largest one."""
    from pyspark.sql import functions as F

    if not isinstance(type_, m.Int):
        return F.sum(column).cast(spark_type(type_))
    wide = "decimal(38,0)" if type_.bits == 64 else "bigint"
    total: Any = F.sum(column.cast("decimal(20,0)" if type_.bits == 64 else "bigint")).cast(wide)
    low, size = F.lit(str(type_.low)).cast(wide), F.lit(str(1 << type_.bits)).cast(wide)
    inside = total.between(low, F.lit(str(type_.high)).cast(wide))
    around = F.pmod(total - low, size) + low
    return F.when(inside, total).otherwise(around).cast(spark_type(type_))
