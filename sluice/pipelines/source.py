"""From Kafka to messages: reading the topics, endlessly or between two positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.plan import KafkaSource

_WAVES = 3
"""How many tasks one core has in a full batch."""


def read_options(source: KafkaSource) -> dict[str, str]:
    """What Spark's Kafka reader is told, for streams and for bounded reads."""
    return source.connection.spark() | {
        "subscribe": ",".join(source.topics),
        "failOnDataLoss": "true",
        "kafka.isolation.level": "read_committed",
        "kafka.max.partition.fetch.bytes": str(16 << 20),
        "kafka.fetch.max.bytes": str(64 << 20),
        "kafka.max.poll.records": "5000",
        # A fetch that waits for more at the broker holds up the next batch's.
        "kafka.fetch.max.wait.ms": "10",
        "kafka.receive.buffer.bytes": str(1 << 20),
    }


def stream(spark: SparkSession, source: KafkaSource, starts: str, *, headers: bool) -> DataFrame:
    """The endless stream of messages, in batches by size or by time.

    A full batch is cut into enough tasks to keep every core busy to its end; a small one is not
    cut, because each task writes a file. Headers are read only if somebody wants them: they cost
    every message something.
    """
    tasks = max(source.min_tasks, _WAVES * spark.sparkContext.defaultParallelism)
    reader = spark.readStream.format("kafka").options(**read_options(source))
    return reader.options(
        startingOffsets=starts,
        includeHeaders=str(headers).lower(),
        maxRecordsPerPartition=str(-(-source.max_block // tasks)),
        maxOffsetsPerTrigger=str(source.max_block),
        minOffsetsPerTrigger=str(source.max_block),
        maxTriggerDelay=f"{source.flush_ms}ms",
    ).load()


def bounded(spark: SparkSession, source: KafkaSource, starts: str, until: str) -> DataFrame:
    """The messages between two positions."""
    reader = spark.read.format("kafka").options(**read_options(source))
    return reader.options(startingOffsets=starts, endingOffsets=until, includeHeaders="true").load()
