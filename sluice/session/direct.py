"""SELECT from a Kafka table: what is there now, read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import offsets, source
from sluice.pipelines.rows import Rows
from sluice.session.named import source_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.session.engine import Engine


def messages(engine: Engine, spark: SparkSession, table: Table) -> DataFrame:
    """What a Kafka table holds now, from its group's position to the end. Nothing is moved."""
    from sluice.kafka.cluster import Cluster

    kafka = source_of(engine, table)
    if not kafka.group:
        reason = (
            f"{table.full_name} has an empty kafka_group_name, so it has no position to read from"
        )
        raise errors.BAD_ARGUMENTS(reason=reason)
    cluster = Cluster(kafka.connection.librdkafka())
    try:
        topics = offsets.topics_of(kafka, cluster)
        starts = offsets.resolve(kafka, topics, cluster, engine.catalog, offsets.GROUP)
        ends = offsets.furthest(cluster.latest(topics), starts)
    finally:
        cluster.close()
    read = source.bounded(spark, kafka, offsets.to_json(starts), offsets.to_json(ends))
    return Rows(kafka, read)(read)
