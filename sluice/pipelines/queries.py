"""A query of a job as Spark's plan: its steps first, each a view, then the query itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.plan.streaming import Step

DELAY = "spark.watermarkDelayMs"
"""The entry in a column's metadata that makes Spark hold the watermark against it."""


def planned(spark: SparkSession, sql: str, steps: Iterable[Step] = ()) -> DataFrame:
    """The rows of a query; the tables it reads are views of this session already."""
    for step in steps:
        rows = _timed(spark.sql(step.sql), dict(step.times))
        if step.distinct:
            rows = rows.dropDuplicates(list(step.distinct))
        rows.createOrReplaceTempView(step.view)
    return spark.sql(sql)


def _timed(rows: DataFrame, times: Mapping[str, int | None]) -> DataFrame:
    """The rows with the watermark on some columns and off others."""
    from pyspark.sql import functions as f

    def column(name: str) -> Column:
        found = f.col("`" + name.replace("`", "``") + "`")
        if name not in times:
            return found
        delay = times[name]
        return found.alias(name, metadata={} if delay is None else {DELAY: delay})

    return rows.select(*map(column, rows.columns)) if times else rows
