"""From a topic's messages to the rows of a table of Flink's, in the plan of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.flink import decoded_row, decoded_rows
from sluice.pipelines import typed
from sluice.pipelines.queries import watermarked
from sluice.pipelines.rows import bad_row
from sluice.pipelines.select import Select
from sluice.plan.keys import fields_of
from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.plan.job import Input
    from sluice.plan.spec import TopicSource

SEVERAL = frozenset({"json"})
"""Formats of which one message may hold several rows."""

_AT = ("topic", "partition", "offset")
_PLACE = ("__topic", "__partition")
_SKIP = "To skip such messages set ignore-parse-errors of the format; or mend the topic."

_WRONG_TIME = (
    "The timestamp of the message is not between the years 1 and 9999, and a column of the table "
    "holds it"
)


class Reader:
    """From a table's messages, or from what is stored, to its rows; made once, for all batches.

    A message that cannot be read stops the query, unless its format passes it over.
    """

    def __init__(self, given: Input, found: DataFrame, times: PartitionTimes | None = None) -> None:
        """For frames like this one; `times` take note of the rows' times, for the watermark."""
        self._watermark = given.watermark
        self._times = times
        self._steps: list[Callable[[DataFrame], DataFrame]] = []
        there = tuple(found.columns)
        if given.source is not None:
            made = _made(given.source)
            there = tuple(made)
            if times is not None:
                made |= PartitionTimes.columns()
            self._steps += [*_decoding(given.source, found.sparkSession), Select([*made.values()])]
        if given.computed:
            kept = PartitionTimes.kept() if times is not None else []
            self._steps.append(Select([*_completed(given, there), *kept]))

    def __call__(self, found: DataFrame) -> DataFrame:
        """The rows, with the table's computed columns and its watermark."""
        for step in self._steps:
            found = step(found)
        if self._watermark is None:
            return found
        if self._times is None:
            return watermarked(found, *self._watermark)
        return watermarked(found, *self._watermark, self._times.noted).drop(*_PLACE)


def rows(given: Input, found: DataFrame, times: PartitionTimes | None = None) -> DataFrame:
    """A table's rows, for a plan that is made once."""
    return Reader(given, found, times)(found)


class PartitionTimes:
    """The newest event time of each partition of a stream, noted by its tasks, in Java."""

    def __init__(
        self, spark: SparkSession, partitions: Iterable[tuple[str, int]], idle_ms: int
    ) -> None:
        """For these partitions; one without rows for `idle_ms`, unless that is 0, is left out."""
        session: Any = spark
        self._jvm = session._jvm
        named = [f"{topic} {partition}" for topic, partition in partitions]
        self._times = self._jvm.sluice.spark.PartitionTimes.of(
            session._jsparkSession, named, idle_ms
        )

    def noted(self, moment: Column) -> Column:
        """The event time, noted for the partition that its row is of."""
        from pyspark.sql import Column
        from pyspark.sql import functions as F

        given: list[Any] = [moment, *map(F.col, _PLACE)]
        return Column(
            self._jvm.sluice.spark.Columns.noted(self._times, *(each._jc for each in given))
        )

    @staticmethod
    def columns() -> dict[str, Column]:
        """Where a message is from, under names that no table has."""
        from pyspark.sql import functions as F

        return {name: F.col(name.removeprefix("__")).alias(name) for name in _PLACE}

    @staticmethod
    def kept() -> list[Column]:
        """The same columns, once they are there."""
        from pyspark.sql import functions as F

        return [F.col(name) for name in _PLACE]


def settle_watermarks(spark: SparkSession) -> None:
    """Let the watermark after the batch that runs be that of the slowest partitions."""
    session: Any = spark
    session._jvm.sluice.spark.Watermarks.settle(session._jsparkSession)


def _made(source: TopicSource) -> dict[str, Column]:
    """The columns of a table that are in messages or their surroundings, in its order."""
    from pyspark.sql import functions as F

    known = {column.name: column.type for column in source.table.columns}
    made: dict[str, Column] = {}
    for half, row in ((source.key, "__key_row"), (source.value, "__row")):
        if half is not None:
            fields = (
                (column, F.col(f"{row}.{typed.quoted(field)}")) for field, column in half.columns
            )
            made.update(fields)
    for each in source.metadata:
        if each.key in METADATA:
            made[each.column] = METADATA[each.key]().cast(spark_type(known[each.column]))
    return {name: typed.mark(made[name], name, known[name]) for name in known if name in made}


def _decoding(
    source: TopicSource, spark: SparkSession
) -> Iterator[Callable[[DataFrame], DataFrame]]:
    """Steps that give messages `__row` and `__key_row`; those without a row go."""
    from pyspark.sql import functions as F

    value, good = source.value, F.col("__row").isNotNull() & _good("__row")
    timed = any(each.key == "timestamp" for each in source.metadata)
    if timed and not value.options.get("ignore-parse-errors"):
        good &= F.when(_in_range(), F.lit(True)).otherwise(_bad(F.lit(_WRONG_TIME)))
    if source.key is not None:
        fields = fields_of(source.table, source.key)
        yield _with("__key_row", decoded_row(spark, source.key, fields, F.col("key")))
        good &= _good("__key_row")
    fields = fields_of(source.table, value)
    if value.name in SEVERAL:
        found = F.explode_outer(decoded_rows(spark, value, fields, F.col("value")))
    else:
        found = decoded_row(spark, value, fields, F.col("value"))
    yield _with("__row", found)
    yield lambda rows: rows.where(good)


def _with(name: str, column: Column) -> Callable[[DataFrame], DataFrame]:
    return lambda rows: rows.withColumn(name, column)


def _good(row: str) -> Column:
    from pyspark.sql import functions as F

    error = F.col(f"{row}.__error")
    return F.when(error.isNull(), F.lit(True)).otherwise(_bad(error))


def _bad(error: Column) -> Column:
    from pyspark.sql import functions as F

    return bad_row({name: F.col(name) for name in _AT}, error, _SKIP)


def _in_range() -> Column:
    """Whether a column can hold the timestamp; one before or after these years was clamped."""
    from pyspark.sql import functions as F

    return F.expr(
        "timestamp > TIMESTAMP'0001-01-01 00:00:00' "
        "AND timestamp < TIMESTAMP'9999-12-31 23:59:59.999'"
    )


def _time() -> Column:
    """Where it is not checked before, a part that cannot be read is NULL."""
    from pyspark.sql import functions as F

    return F.when(_in_range(), F.col("timestamp"))


def _completed(given: Input, there: Iterable[str]) -> list[Column]:
    """The columns that are there, and the computed ones, in the table's order."""
    from pyspark.sql import functions as F

    made, kept, columns = dict(given.computed), set(there), []
    for column in given.table.columns:
        if column.name in made:
            columns.append(F.expr(made[column.name]).alias(column.name))
        elif column.name in kept:
            columns.append(F.col(typed.quoted(column.name)))
    return columns


def _headers() -> Column:
    from pyspark.sql import functions as F

    empty = F.create_map().cast("map<string, binary>")
    return F.coalesce(F.map_from_entries(F.col("headers")), empty)


def _kind() -> Column:
    from pyspark.sql import functions as F

    kinds = {0: "CreateTime", 1: "LogAppendTime"}
    found = F.lit("NoTimestampType")
    for number, name in kinds.items():
        found = F.when(F.col("timestampType") == number, F.lit(name)).otherwise(found)
    return found


def _plain(name: str) -> Callable[[], Column]:
    def column() -> Column:
        from pyspark.sql import functions as F

        return F.col(name)

    return column


def _epoch() -> Column:
    """Spark does not hand it on."""
    from pyspark.sql import functions as F

    return F.lit(None).cast("int")


METADATA: dict[str, Callable[[], Column]] = {
    "topic": _plain("topic"),
    "partition": _plain("partition"),
    "offset": _plain("offset"),
    "timestamp": _time,
    "timestamp-type": _kind,
    "leader-epoch": _epoch,
    "headers": _headers,
}
"""What a message has around it."""
