"""A job's queries as Spark sees them, over tables without rows: nothing is read, nothing runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from sluice import errors
from sluice.engine import faults, row_kinds
from sluice.engine.spark.job_session import new_session
from sluice.engine.spark.plans import planned, watermarked
from sluice.engine.spark.typed import quoted
from sluice.planner.schema_drift import carried
from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from sluice.planner.query import Input, JobSpec, Output, QuerySpec
    from sluice.sql.core.user_functions import UserFunction
    from sluice.sql.relation import Step


def check(root: SparkSession, functions: Mapping[str, UserFunction], spec: JobSpec) -> None:
    """Make sure that Spark can run every query of a job.

    Raises:
        SluiceError: JOB_QUERY_REFUSED, with Spark's reason.
    """
    spark = new_session(root, functions)
    for query in spec.queries:
        for output in query.outputs:
            try:
                _analyse(spark, query, output)
            except (PySparkException, Py4JError) as fault:
                raise errors.JOB_QUERY_REFUSED(
                    table=output.table.full_name, reason=faults.reason(fault)
                ) from fault


def _analyse(spark: SparkSession, query: QuerySpec, output: Output) -> None:
    shared = len(query.outputs) > 1  # each batch is given to all of them as a table
    streams = not (query.whole or shared or query.by_batch)
    rows: Any = over_nothing(spark, query.inputs, output.sql, output.steps, streams=streams)
    plan = rows._jdf.queryExecution().analyzed()
    if rows.isStreaming:
        spark_sql: Any = spark._jvm.org.apache.spark.sql  # type: ignore[union-attr]
        modes = spark_sql.streaming.OutputMode
        mode = modes.Update() if output.updating else modes.Append()
        checker = spark_sql.catalyst.analysis.UnsupportedOperationChecker
        checker.checkForStreaming(plan, mode)


def over_nothing(
    spark: SparkSession,
    inputs: Iterable[Input],
    sql: str,
    steps: Iterable[Step],
    *,
    streams: bool = False,
) -> DataFrame:
    """A query over its tables without rows, of which Spark does not know that they have none."""
    for given in inputs:
        stream = streams and given.source is not None
        _empty(spark, given, stream=stream).createOrReplaceTempView(given.view)
    return planned(spark, sql, steps)


def _empty(spark: SparkSession, given: Input, *, stream: bool) -> DataFrame:
    types = {c.name: spark_type(c.type) for c in given.table.columns}
    if given.source is not None and given.source.changelog:
        types |= row_kinds.TYPES
        types |= {c.name: spark_type(c.type) for c in carried(given.source.schema_drift)}
    computed = dict(given.computed)
    plain = {name: type_ for name, type_ in types.items() if name not in computed}
    if stream:
        nulls = (f"CAST(NULL AS {type_}) AS {quoted(name)}" for name, type_ in plain.items())
        rows = spark.readStream.format("rate").load().selectExpr(*nulls)
    else:
        session: Any = spark
        ddl = ", ".join(f"{quoted(name)} {type_}" for name, type_ in plain.items())
        rows = session.createDataFrame(session.sparkContext.emptyRDD(), ddl)
    if computed:
        shown = (
            f"{computed[name]} AS {quoted(name)}" if name in computed else quoted(name)
            for name in types
        )
        rows = rows.selectExpr(*shown)
    return watermarked(rows, *given.watermark) if given.watermark is not None else rows
