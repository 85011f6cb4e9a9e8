"""From a topic's messages to the rows of a table of Flink's, in the plan of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.formats.flink import decoded_row, decoded_rows
from sluice.pipelines import typed
from sluice.pipelines.queries import watermarked
from sluice.pipelines.rows import bad_row
from sluice.plan.keys import fields_of
from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame

    from sluice.plan.job import Input
    from sluice.plan.spec import TopicSource

SEVERAL = frozenset({"json"})
"""Formats of which one message may hold several rows."""

_AT = ("topic", "partition", "offset")


def rows(given: Input, found: DataFrame) -> DataFrame:
    """A table's rows, with its computed columns, from its messages or from what is stored."""
    named = found if given.source is None else _read(given.source, found)
    return _complete(given, named)


def _read(source: TopicSource, messages: DataFrame) -> DataFrame:
    """The columns of a table that are in messages or their surroundings.

    A message that cannot be read stops the query, unless its format passes it over.
    """
    from pyspark.sql import functions as F

    table = source.table
    known = {column.name: column for column in table.columns}
    whole = _decoded(messages, source)
    made: dict[str, Column] = {}
    for half, row in ((source.key, "__key_row"), (source.value, "__row")):
        if half is not None:
            fields = (
                (column, F.col(f"{row}.{typed.quoted(field)}")) for field, column in half.columns
            )
            made.update(fields)
    for each in source.metadata:
        if each.key in METADATA:
            found = METADATA[each.key]()
            made[each.column] = found.cast(spark_type(known[each.column].type))
    return whole.select(*(typed.mark(made[n], n, known[n].type) for n in known if n in made))


def _decoded(messages: DataFrame, source: TopicSource) -> DataFrame:
    """Messages with `__row` and `__key_row`; those without a row are gone."""
    from pyspark.sql import functions as F

    spark, value = messages.sparkSession, source.value
    fields = fields_of(source.table, value)
    whole = messages
    if source.key is not None:
        found = decoded_row(spark, source.key, fields_of(source.table, source.key), F.col("key"))
        whole = whole.withColumn("__key_row", found)
    if value.name in SEVERAL:
        found = F.explode_outer(decoded_rows(spark, value, fields, F.col("value")))
    else:
        found = decoded_row(spark, value, fields, F.col("value"))
    whole = whole.withColumn("__row", found)
    good = F.col("__row").isNotNull() & _good("__row")
    return whole.where(good & _good("__key_row") if source.key is not None else good)


def _good(row: str) -> Column:
    from pyspark.sql import functions as F

    error = F.col(f"{row}.__error")
    at = {name: F.col(name) for name in _AT}
    return F.when(error.isNull(), F.lit(True)).otherwise(bad_row(at, error))


def _complete(given: Input, rows: DataFrame) -> DataFrame:
    """Rows with the table's computed columns, in the table's order, and its watermark."""
    from pyspark.sql import functions as F

    if given.computed:
        there, made = set(rows.columns), dict(given.computed)
        columns = []
        for c in given.table.columns:
            if c.name in made:
                columns.append(F.expr(made[c.name]).alias(c.name))
            elif c.name in there:
                columns.append(F.col(typed.quoted(c.name)))
        rows = rows.select(*columns)
    if given.watermark is None:
        return rows
    return watermarked(rows, *given.watermark)


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
    "timestamp": _plain("timestamp"),
    "timestamp-type": _kind,
    "leader-epoch": _epoch,
    "headers": _headers,
}
"""What a message has around it."""
