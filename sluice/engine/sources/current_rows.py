"""The rows that a changelog leaves: its changes applied, for a query that reads up to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.engine import row_kinds
from sluice.engine.spark import typed
from sluice.sql.relation import FULL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from sluice.planner.spec import KafkaSource

_COUNT, _LAST = "__count", "__last"


def current_rows(rows: DataFrame, source: KafkaSource) -> DataFrame:
    """The rows of a changelog's table after these changes, without the hidden columns.

    A full changelog is a multiset: a row is there as often as it was put more than removed. Its
    metadata is that of the last message that put it. In an upsert changelog the last change of a
    key counts; values that changes do not carry are those of the change before.
    """
    visible = row_kinds.visible(rows.columns)
    if source.changelog == FULL:
        return _counted(rows, source, visible)
    return _latest(rows, source.table.primary_key, visible)


def _counted(rows: DataFrame, source: KafkaSource, visible: Sequence[str]) -> DataFrame:
    own = {column for half in (source.value, source.key) if half for _, column in half.columns}
    keys = [name for name in visible if name in own]
    others = [name for name in visible if name not in own]
    puts = row_kinds.is_put()
    count = F.sum(F.when(puts, 1).otherwise(-1)).alias(_COUNT)
    found = rows.groupBy(*map(typed.column, keys)).agg(count, _last(others, puts).alias(_LAST))
    found = found.where(f"{_COUNT} > 0").withColumn(_COUNT, F.explode(F.sequence(F.lit(1), _COUNT)))
    return found.select(*(typed.column(n) if n in own else _field(_LAST, n) for n in visible))


def _latest(rows: DataFrame, key: Sequence[str], visible: Sequence[str]) -> DataFrame:
    others = [name for name in visible if name not in key]
    found = [_last([row_kinds.COLUMN, *others]).alias(_LAST)]
    carried = row_kinds.UNCHANGED in rows.columns
    if carried:
        for at, name in enumerate(others):
            has = ~F.coalesce(F.array_contains(row_kinds.UNCHANGED, name), F.lit(False))
            found.append(_last([name], has).alias(f"__value{at}"))
    kept = rows.groupBy(*map(typed.column, key)).agg(*found)
    kept = kept.where(row_kinds.is_put(F.col(_LAST)[row_kinds.COLUMN]))
    places = {name: f"__value{at}" if carried else _LAST for at, name in enumerate(others)}
    return kept.select(*(_field(places[n], n) if n in places else typed.column(n) for n in visible))


def _last(names: Sequence[str], where: Column | None = None) -> Column:
    """Columns of the last change of a group, as a struct; `where` chooses among the changes."""
    made = F.struct(*map(typed.column, names)) if names else F.struct(F.lit(1).alias("__none"))
    at = F.col(row_kinds.AT)
    return F.max_by(made, at if where is None else F.when(where, at))


def _field(struct: str, name: str) -> Column:
    return F.col(struct).getField(name).alias(name)
