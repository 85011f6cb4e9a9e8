"""The steps of a query over changelogs where there is no state yet, in Spark SQL alone.

So plans are checked and shown, and so the message is searched that a batch fails on.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sluice.engine import row_kinds
from sluice.engine.changelog.step_sql import NO_PLACE, names, weight
from sluice.engine.spark.typed import quoted
from sluice.sql.relation import (
    OF,
    WEIGHT,
    Accumulate,
    AccumulateValues,
    Arrange,
    InnerJoin,
    Normalize,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

    from sluice.sql.relation import Step

_KIND = f"'{row_kinds.INSERT}' AS {row_kinds.COLUMN}"
_PLACE = f"{NO_PLACE} AS {row_kinds.AT}"
_HIDDEN = f"{_KIND}, {_PLACE}"


def run(spark: SparkSession, step: Step) -> DataFrame:
    """The rows of a step; its sources are views of this session."""
    match step.state:
        case AccumulateValues(source, key, _, shown, values):
            schema = spark.table(source).schema
            by_key = _by_key(step.state, schema)
            summed = [_sum(name, schema[name].dataType) for name in shown]
            listed = ", ".join([*map(quoted, key), *summed, *(quoted(name) for name, *_ in values)])
            return spark.sql(f"SELECT {listed}, {_HIDDEN} FROM ({by_key}) WHERE __n > 0")
        case Accumulate(source, key, sums):
            given = spark.table(source)
            summed = [_sum(name, given.schema[name].dataType) for name, _ in sums]
            listed = ", ".join([*map(quoted, key), *summed])
            return spark.sql(f"SELECT {listed}, {_HIDDEN} FROM {quoted(source)} WHERE __n > 0")
        case Normalize(source, key):
            return spark.sql(_last(source, spark.table(source).columns, key))
        case Arrange(sources, ordered=ordered):
            found = {view: spark.table(view) for view, _ in sources}
            more = ", CAST(NULL AS BINARY) AS __seq" if ordered else ""
            rows = {
                view: spark.sql(_copies(f"({_net(view, each.columns)})", each.columns, more))
                for view, each in found.items()
            }
            with replaced(found, rows):
                made = spark.sql(step.sql)
            return made.selectExpr(*map(quoted, made.columns), _KIND, _PLACE)
        case InnerJoin(sources):
            found = {view: spark.table(view) for view, _ in sources}
            rows = {view: spark.sql(_net(view, each.columns)) for view, each in found.items()}
            with replaced(found, rows):
                made = spark.sql(step.sql)
            made.createOrReplaceTempView(f"{step.view}_pairs")
            columns = [name for name in made.columns if name != WEIGHT]
            return spark.sql(_copies(quoted(f"{step.view}_pairs"), columns, f", {_HIDDEN}"))
        case _:
            raise TypeError(step.view)


@contextmanager
def replaced(views: Mapping[str, DataFrame], rows: Mapping[str, DataFrame]) -> Iterator[None]:
    """Let the names of views mean other rows for a while."""
    try:
        for view, frame in rows.items():
            frame.createOrReplaceTempView(view)
        yield
    finally:
        for view, frame in views.items():
            frame.createOrReplaceTempView(view)


def _sum(name: str, type_: DataType) -> str:
    """A sum as state keeps it: 0 over NULLs alone."""
    interval = type_.typeName() == "daytimeinterval"
    zero = "make_dt_interval()" if interval else "0"
    cast = f"CAST({zero} AS {type_.simpleString()})"
    return f"coalesce({quoted(name)}, {cast}) AS {quoted(name)}"


def _by_key(state: AccumulateValues, schema: StructType) -> str:
    """One row for each key: its sums, and what is wanted of its values."""
    first = f"if({OF} = 0, {{}}, NULL)"
    made = []
    for name, _ in state.sums:
        type_ = schema[name].dataType.simpleString()
        add = "sluice_sum" if type_ == "bigint" else "sum"
        made.append(f"CAST({add}({first.format(quoted(name))}) AS {type_}) AS {quoted(name)}")
    for name, column, count, how in state.values:
        of = state.columns.index(column)
        made.append(f"{how}(if({OF} = {of} AND {quoted(count)} > 0, {quoted(column)}, NULL)) "
                    f"AS {quoted(name)}")  # fmt: skip
    by = f" GROUP BY {names(state.key)}" if state.key else ""
    listed = ", ".join([*map(quoted, state.key), *made])
    return f"SELECT {listed} FROM {quoted(state.source)}{by}"


def _last(source: str, columns: list[str], key: tuple[str, ...]) -> str:
    newest = f"row_number() OVER (PARTITION BY {names(key)} ORDER BY {row_kinds.AT} DESC)"
    return (
        f"SELECT {names(row_kinds.visible(columns))}, {_HIDDEN} FROM "
        f"(SELECT *, {newest} AS __last FROM {quoted(source)}) "
        f"WHERE __last = 1 AND {weight(columns)} > 0"
    )


def _net(source: str, columns: list[str]) -> str:
    listed = names(row_kinds.visible(columns))
    return (
        f"SELECT {listed}, sum({weight(columns)}) AS {WEIGHT} FROM {quoted(source)} "
        f"GROUP BY {listed} HAVING sum({weight(columns)}) > 0"
    )


def _copies(weighted: str, columns: list[str], more: str) -> str:
    """Each row as many times as its weight says."""
    copies = f"LATERAL VIEW explode(sequence(1, {WEIGHT})) __copies AS __copy"
    return f"SELECT {names(row_kinds.visible(columns))}{more} FROM {weighted} {copies}"
