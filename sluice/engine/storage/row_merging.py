"""Rows with the same key become one: on the way to a reader, and when files are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from sluice.engine.spark import typed
from sluice.engine.spark.raising import required
from sluice.planner.merging import ANY, SUM, WRITTEN_AT, WRITTEN_ROW
from sluice.types import bare, spark_type
from sluice.types import model as m
from sluice.types.states import base, simple_merge, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from sluice.planner.merging import Merging
    from sluice.types import Type

    Columns = Sequence[tuple[str, Type]]

ORDER: Columns = ((WRITTEN_AT, m.Int(64)), (WRITTEN_ROW, m.Int(64)))
"""Columns in the files of a table where it matters which of two rows was written later."""


def written_now() -> list[Column]:
    """What `ORDER` holds for rows that are written now: the time of the block, then their order."""
    return [
        F.unix_micros(F.current_timestamp()).alias(WRITTEN_AT),
        F.monotonically_increasing_id().alias(WRITTEN_ROW),
    ]


def merged(parts: DataFrame, columns: Columns, how: Merging, *, final: bool = False) -> DataFrame:
    """Merged rows, with the table's columns and `ORDER`, if the parts have it.

    The parts of a part may be merged: what comes of them can be merged again with the rest. With
    `final` there is no rest but rows that will be written later.
    """
    if how.newest is not None:
        return _newest(parts, how)
    if how.sign:
        return _left(_balanced(parts, how), how, final=final).drop(*_BALANCE)
    named = {name: typed.column(name) for name, _ in columns}
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
    return made.select(*(typed.column(name) for name in kept))


def shown(parts: DataFrame, columns: Columns, how: Merging) -> DataFrame:
    """Merged rows without those that a reader does not see."""
    if how.sign:
        visible = _left if how.versioned else _last_state
        return visible(_balanced(parts, how), how).drop(*_BALANCE)
    rows = merged(parts, columns, how)
    if how.deleted:
        rows = rows.where(F.coalesce(typed.column(how.deleted) != 1, F.lit(True)))
    if how.zeros:
        zero = F.lit(False)
        for name in how.zeros:
            zero = zero | F.coalesce(typed.column(name) != 0, F.lit(False))
        rows = rows.where(zero)
    return rows


def _newest(parts: DataFrame, how: Merging) -> DataFrame:
    order = [*(typed.quoted(name) for name in how.newest or ()), WRITTEN_AT, WRITTEN_ROW]
    keys = [F.expr(key) for key in how.keys] or [F.lit(True)]
    window = Window.partitionBy(*keys).orderBy(*(F.col(name).desc_nulls_last() for name in order))
    numbered = parts.withColumn("__number", F.row_number().over(window))
    return numbered.where(F.col("__number") == 1).drop("__number")


_TOTAL, _COUNT, _NUMBER, _LAST = _BALANCE = ("__total", "__count", "__number", "__last")
"""Of a row's key: the sum of signs, the rows with its sign, its place among those, newest first,
and the sign of the newest row."""


def _balanced(parts: DataFrame, how: Merging) -> DataFrame:
    keys = [F.expr(key) for key in how.keys] or [F.lit(True)]
    sign, order = typed.column(how.sign), F.struct(WRITTEN_AT, WRITTEN_ROW)
    key, own = Window.partitionBy(*keys), Window.partitionBy(*keys, sign)
    made = {
        _TOTAL: F.sum(sign).over(key),
        _LAST: F.max_by(sign, order).over(key),
        _COUNT: F.count(sign).over(own),
        _NUMBER: F.row_number().over(own.orderBy(order.desc())),
    }
    return parts.withColumns(made)


def _left(balanced: DataFrame, how: Merging, *, final: bool = False) -> DataFrame:
    """The rows that remain when pairs with opposite signs are removed, the oldest first.

    Unless versions tell which rows belong together, the newest row of each sign remains: what a
    reader sees depends on it. But if nothing older can follow, that can be decided here.
    """
    sign = typed.column(how.sign)
    total, count, number = F.col(_TOTAL), F.col(_COUNT), F.col(_NUMBER)
    pairs = F.least(count, count - sign * total)
    if how.versioned:
        return balanced.where(number <= count - pairs)
    kept = balanced.where(number <= count - F.greatest(pairs - 1, F.lit(0)))
    return kept.where((total != 0) | (F.col(_LAST) == 1)) if final else kept


def _last_state(balanced: DataFrame, how: Merging) -> DataFrame:
    """The newest row with the sign 1 of each key that has no more rows with -1, nor ends so."""
    newest = (typed.column(how.sign) == 1) & (F.col(_NUMBER) == 1)
    total = F.col(_TOTAL)
    return balanced.where(newest & ((total > 0) | ((total == 0) & (F.col(_LAST) == 1))))


def signed(sign: Column, name: str) -> Column:
    """The condition that a column of signs has one; a row without stops the writing."""
    return required(sign.isin(1, -1), "INVALID_SIGN", column=F.lit(name), sign=sign)


def _merged(name: str, type_: Type, way: str, *, ordered: bool) -> Column:
    """What a column has in the one row."""
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
    """The sum as the column's type; integers wrap around on overflow."""
    if not isinstance(type_, m.Int):
        return F.sum(column).cast(spark_type(type_))
    wide = "decimal(38,0)" if type_.bits == 64 else "bigint"
    total: Any = F.sum(column.cast("decimal(20,0)" if type_.bits == 64 else "bigint")).cast(wide)
    low, size = F.lit(str(type_.low)).cast(wide), F.lit(str(1 << type_.bits)).cast(wide)
    inside = total.between(low, F.lit(str(type_.high)).cast(wide))
    around = F.pmod(total - low, size) + low
    return F.when(inside, total).otherwise(around).cast(spark_type(type_))
