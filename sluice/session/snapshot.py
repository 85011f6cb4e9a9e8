"""SELECT in Flink's dialect: what the tables hold at this moment."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from sluice.engine import offsets
from sluice.engine.sources import input_rows, kafka_reader, startup
from sluice.engine.sources.current_rows import current_rows
from sluice.engine.spark.job_session import new_session
from sluice.engine.spark.plans import planned
from sluice.kafka.cluster import Cluster
from sluice.planner.planning import Planning
from sluice.session import running
from sluice.session.frames import collect, guarded
from sluice.session.queries import system_rows
from sluice.session.reads import filtered_rows
from sluice.session.spark_errors import unnamed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from sqlglot import exp

    from sluice.engine.engine import Engine
    from sluice.formats.result import Result
    from sluice.planner.query import Input
    from sluice.planner.spec import KafkaSource
    from sluice.session.context import Context
    from sluice.sql import ir


def select(context: Context, statement: ir.Select) -> Result:
    """SELECT: a topic is read from where the table begins to what is there now.

    Where messages are changes the answer has the rows that they leave.
    """
    engine, database = context.engine, context.database
    from sluice.sql.flink import lower_query

    planning = Planning(engine.environment, database)
    lowered = lower_query(statement.query, planning.ended)
    few = _ends_early(statement.query.tree)
    spark = new_session(engine.spark(), engine.functions)

    def prepare() -> DataFrame:
        with running.planning(engine):
            for given in planning.inputs.values():
                rows = _rows(engine, spark, given, split=not few)
                rows = filtered_rows(context.access, given.table, rows)
                rows.createOrReplaceTempView(given.view)
            for name, made in planning.system.items():
                rows = system_rows(engine, spark, made, context.access)
                rows.createOrReplaceTempView(name)
            return planned(spark, lowered.sql, lowered.steps)

    return collect(engine, guarded(prepare, unnamed), statement.format, told=unnamed)


def _ends_early(tree: exp.Expression) -> bool:
    """Whether a query has all its rows as soon as it has read a few."""
    args = tree.args
    return bool(args.get("limit")) and not (args.get("order") or args.get("group"))


def _rows(engine: Engine, spark: SparkSession, given: Input, *, split: bool) -> DataFrame:
    if given.source is None:
        return input_rows.rows(given, engine.store.read(spark, given.table))
    rows = input_rows.rows(given, _messages(spark, given.source, split=split))
    return current_rows(rows, given.source) if given.source.changelog else rows


def _messages(spark: SparkSession, topic: KafkaSource, *, split: bool) -> DataFrame:
    """What is there now; a transaction that is open counts as not there."""
    with closing(Cluster(topic.connection.librdkafka())) as cluster:
        topics = startup.topics_of(topic, cluster)
        starts = startup.starts(topic, topics, cluster)
        there = cluster.latest(topics, committed=kafka_reader.committed_only(topic))
        wanted = startup.ends(topic, topics, cluster) or there

    def end(name: str, partition: int, start: int) -> int:
        found = [each.get(name, {}).get(partition, start) for each in (there, wanted)]
        return max(start, min(found))

    ends = {
        name: {p: end(name, p, start) for p, start in parts.items()}
        for name, parts in starts.items()
    }
    return kafka_reader.bounded(
        spark,
        topic,
        offsets.to_json(starts),
        offsets.to_json(ends),
        headers=topic.headers,
        split=split,
    )
