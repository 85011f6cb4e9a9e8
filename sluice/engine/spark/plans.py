"""A query of a job as Spark's plan: its steps first, each a view, then the query itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.engine.changelog import only_batch
from sluice.engine.spark.typed import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.sql.relation import Step

    Operators = Callable[[SparkSession, Step], DataFrame]

DELAY = "spark.watermarkDelayMs"
"""The entry in a column's metadata that makes Spark hold the watermark against it."""

_PLAIN = {"sluice": "plain"}
"""Takes the watermark off: without any metadata a column would get that of what it is made of."""

_TIME = "__time"


def planned(
    spark: SparkSession,
    sql: str,
    steps: Iterable[Step] = (),
    operators: Operators = only_batch.run,
) -> DataFrame:
    """The rows of a query; the tables it reads are views of this session already.

    `operators` run the steps that keep state; without any, there is no state yet.
    """
    for step in steps:
        if step.state is not None:
            operators(spark, step).createOrReplaceTempView(step.view)
            continue
        rows = _timed(spark.sql(step.sql), dict(step.times))
        if step.distinct:
            rows = rows.dropDuplicates(list(step.distinct))
        rows.createOrReplaceTempView(step.view)
    return spark.sql(sql)


def watermarked(
    rows: DataFrame, column: str, delay: int, noted: Callable[[Column], Column] = lambda time: time
) -> DataFrame:
    """Rows whose `column` carries the watermark, with a delay of `delay` milliseconds.

    Spark takes a TIMESTAMP alone; the time attribute may have no time zone: they are the same in
    UTC, so the watermark is defined on a copy, and the column is marked. The watermark follows
    every row, also one that a later filter removes. `noted` may record the time of each row.
    """
    if not rows.isStreaming:  # all its rows are there: no time has to pass
        return rows
    time = noted(F.col(quoted(column)).cast("timestamp"))
    timed = rows.withColumn(_TIME, time).withWatermark(_TIME, f"{delay} milliseconds").drop(_TIME)
    return _timed(timed.where(_unmoved()), {column: delay})


def _unmoved() -> Column:
    """A condition that always holds, and that no other one is evaluated before.

    Spark's optimizer moves filters to the rows before the watermark, which then does not advance
    while no row meets them. It moves none past a condition that is not deterministic, which the
    number of a task counts as.
    """
    return F.spark_partition_id() >= 0


def _timed(rows: DataFrame, times: Mapping[str, int | None]) -> DataFrame:
    """The rows with the watermark on some columns and off others."""
    known = rows.schema

    def column(name: str) -> Column:
        found = F.col(quoted(name))
        if name not in times:
            return found
        delay = times[name]
        kept = {key: entry for key, entry in known[name].metadata.items() if key != DELAY}
        return found.alias(
            name, metadata=(kept or _PLAIN) if delay is None else {**kept, DELAY: delay}
        )

    return rows.select(*map(column, rows.columns)) if times else rows
