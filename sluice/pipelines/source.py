"""From Kafka to messages: reading the topics, endlessly or between two positions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Offsets
    from sluice.plan import KafkaSource, TopicSource

    Source: TypeAlias = KafkaSource | TopicSource

FORMAT = "sluice.kafka.KafkaSource"
"""Spark's Kafka source with the admission of batches and the range of timestamps that are ours."""

_LONG = 100_000
"""Messages above which a range is cut when it is read once."""

_WAVES = 3
"""How many tasks one core has in a full batch."""

_SLACK = 1.1
"""How much longer than its share a task may be, or a few messages more cost one task more."""

_DEFAULTS = {
    "kafka.isolation.level": "read_committed",
    # Reading a topic that was deleted must not create another one.
    "kafka.allow.auto.create.topics": "false",
    "kafka.max.partition.fetch.bytes": str(16 << 20),
    "kafka.fetch.max.bytes": str(64 << 20),
    # A fetch that waits for more at the broker holds up the next batch's.
    "kafka.fetch.max.wait.ms": "10",
    "kafka.receive.buffer.bytes": str(1 << 20),
}
"""Properties of the client; those of the table or of the configuration come before them."""


_MESSAGE = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, "
    "timestampType int, headers array<struct<key: string, value: binary>>"
)
"""The columns of messages where there are none."""


class Gate:
    """Says when the batches of a stream begin; see `sluice.kafka.BatchAdmission`."""

    def __init__(
        self, spark: SparkSession, name: str, source: Source, block: int, cycles: int
    ) -> None:
        """Before the stream is made; `cycles` is how many batches may begin, -1 for all."""
        jvm: Any = spark._jvm
        self._gates = jvm.sluice.kafka.BatchAdmission
        self._name = name
        self._gate = self._gates.open(name, block, source.flush_ms, source.waits, cycles)

    def finish(self) -> None:
        """Let the batch that runs be the last; if none does, one with what is there now is."""
        self._gate.finish()

    def hurry(self) -> None:
        """Let what is there now not wait any longer."""
        self._gate.hurry()

    def idle(self) -> bool:
        """Whether no batch runs and none may begin."""
        return bool(self._gate.idle())

    def bound(self, until: Offsets) -> None:
        """Let nothing be read from these offsets on, nor anything of other partitions."""
        self._gate.bound({f"{t} {p}": o for t, parts in until.items() for p, o in parts.items()})

    def drained(self) -> bool:
        """Whether everything before its bounds was read, and no batch runs."""
        return bool(self._gate.drained())

    def close(self) -> None:
        """Forget it."""
        self._gates.close(self._name)


def read_options(source: Source) -> dict[str, str]:
    """What Spark's Kafka reader is told, for streams and for bounded reads."""
    polled = {"kafka.max.poll.records": str(source.poll_records)}
    return _DEFAULTS | polled | source.connection.spark() | {"failOnDataLoss": "true"}


def committed_only(source: Source) -> bool:
    """Whether messages of transactions are read only when those are committed."""
    return read_options(source)["kafka.isolation.level"] == "read_committed"


def subscribed(starts: Offsets) -> dict[str, str]:
    """The option for all partitions of the topics, with those that come later."""
    return {"subscribe": ",".join(sorted(starts))}


def assigned(starts: Offsets) -> dict[str, str]:
    """The option for these partitions and no others."""
    return {"assign": json.dumps({topic: sorted(parts) for topic, parts in starts.items()})}


def stream(
    spark: SparkSession,
    source: Source,
    gate: str,
    starts: str,
    what: dict[str, str],
    *,
    headers: bool,
) -> DataFrame:
    """The endless stream of messages, in batches as its gate says.

    A full batch is cut into enough tasks to keep every core busy to its end; a small one is not
    cut, because each task writes a file, unless the table asks for several consumers. Headers are
    read only if somebody wants them: they cost every message something.
    """
    tasks = max(source.min_tasks, _WAVES * spark.sparkContext.defaultParallelism)
    reader = spark.readStream.format(FORMAT).options(**read_options(source), **what)
    if source.min_tasks > 1:
        reader = reader.option("minPartitions", str(source.min_tasks))
    return reader.options(
        admission=gate,
        startingOffsets=starts,
        includeHeaders=str(headers).lower(),
        maxRecordsPerPartition=str(int(_SLACK * source.max_block / tasks) + 1),
    ).load()


def bounded(
    spark: SparkSession,
    source: Source,
    starts: str,
    until: str,
    *,
    headers: bool = True,
    split: bool = True,
) -> DataFrame:
    """The messages between two positions; with `split` a long range is read by several tasks."""
    if not json.loads(starts):
        return spark.createDataFrame([], _MESSAGE)
    reader = spark.read.format(FORMAT).options(**read_options(source))
    reader = reader.options(**subscribed(json.loads(starts)))
    if split:
        reader = reader.option("maxRecordsPerPartition", _LONG)
    return reader.options(
        startingOffsets=starts, endingOffsets=until, includeHeaders=str(headers).lower()
    ).load()
