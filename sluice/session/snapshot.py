"""SELECT in Flink's dialect: what the tables hold at this moment."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from sluice.kafka.cluster import Cluster
from sluice.pipelines import offsets, source
from sluice.pipelines.jobs import reading, starting
from sluice.pipelines.jobs.sessions import new_session
from sluice.pipelines.queries import planned
from sluice.session import running
from sluice.session.frames import collect, guarded
from sluice.session.planning import Planning
from sluice.session.queries import system_rows
from sluice.session.spark_errors import unnamed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from sqlglot import exp

    from sluice.plan.job import Input
    from sluice.plan.spec import TopicSource
    from sluice.session.engine import Engine
    from sluice.session.result import Result
    from sluice.sql import ir


def select(engine: Engine, statement: ir.Select, database: str) -> Result:
    """SELECT: a topic is read from where the table begins to what is there now."""
    from sluice.sql.flink import lower_query

    planning = Planning(engine, database)
    lowered = lower_query(statement.query, planning.ended)
    few = _ends_early(statement.query.tree)
    spark = new_session(engine.spark(), engine.functions)

    def prepare() -> DataFrame:
        with running.planning(engine):
            for given in planning.inputs.values():
                _rows(engine, spark, given, split=not few).createOrReplaceTempView(given.view)
            for name, made in planning.system.items():
                system_rows(engine, spark, made).createOrReplaceTempView(name)
            return planned(spark, lowered.sql, lowered.steps)

    return collect(engine, guarded(prepare, unnamed), statement.format, told=unnamed)


def _ends_early(tree: exp.Expression) -> bool:
    """Whether a query has all its rows as soon as it has read a few."""
    args = tree.args
    return bool(args.get("limit")) and not (args.get("order") or args.get("group"))


def _rows(engine: Engine, spark: SparkSession, given: Input, *, split: bool) -> DataFrame:
    if given.source is None:
        return reading.rows(given, engine.store.read(spark, given.table))
    return reading.rows(given, _messages(spark, given.source, split=split))


def _messages(spark: SparkSession, topic: TopicSource, *, split: bool) -> DataFrame:
    """What is there now; a transaction that is open counts as not there."""
    with closing(Cluster(topic.connection.librdkafka())) as cluster:
        topics = starting.topics_of(topic, cluster)
        starts = starting.starts(topic, topics, cluster)
        there = cluster.latest(topics, committed=source.committed_only(topic))
        wanted = starting.ends(topic, topics, cluster) or there

    def end(name: str, partition: int, start: int) -> int:
        found = [each.get(name, {}).get(partition, start) for each in (there, wanted)]
        return max(start, min(found))

    ends = {
        name: {p: end(name, p, start) for p, start in parts.items()}
        for name, parts in starts.items()
    }
    return source.bounded(
        spark,
        topic,
        offsets.to_json(starts),
        offsets.to_json(ends),
        headers=topic.headers,
        split=split,
    )
