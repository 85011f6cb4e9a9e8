"""From Kafka to messages: reading the topics, endlessly or between two positions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.engine import offsets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Offsets
    from sluice.engine.offsets import Ranges
    from sluice.planner.spec import KafkaSource

FORMAT = "sluice.kafka.KafkaSource"
"""Spark's Kafka source, with batch admission and the range of timestamps that Sluice reads."""

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


@dataclass(frozen=True, slots=True)
class Released:
    """A source transaction that is read though it is not complete: where its events are."""

    text: str
    ranges: Ranges

    @classmethod
    def of(cls, told: str, topic: str) -> Released:
        """What the admission tells; `topic` is that of the ENDs."""
        given = json.loads(told)
        ranges: Ranges = {}
        for place, (first, last) in given["ranges"].items():
            name, _, partition = place.rpartition(" ")
            ranges.setdefault(name, {})[int(partition)] = (first, last + 1)
        count = f"{given['events']} of {given['expected']} events were read"
        if given["expected"] < 0:
            count = f"{given['events']} events were read, and no END with them in topic {topic}"
        return cls(f"Source transaction {given['id']} is incomplete: {count}", ranges)


class Admission:
    """Says when the batches of a stream begin; see `sluice.kafka.BatchAdmission`."""

    def __init__(
        self,
        spark: SparkSession,
        name: str,
        source: KafkaSource,
        block: int,
        flush_ms: int,
        cycles: int,
        *,
        fresh: bool = False,
    ) -> None:
        """Before the stream is made; `cycles` is how many batches may begin, -1 for all.

        A `fresh` stream begins at any offset, not at the end of a batch nor at the first message.
        """
        jvm: Any = spark._jvm
        self._admissions = jvm.sluice.kafka.BatchAdmission
        self._name = name
        self._admission = self._admissions.open(name, block, flush_ms, source.waits, cycles)
        self._transactions = source.transactions
        if self._transactions:
            properties = jvm.java.util.HashMap()
            for option, value in read_options(source).items():
                if option.startswith("kafka."):
                    properties.put(option.removeprefix("kafka."), value)
            codec = source.value.codec
            self._admission.wholeTransactions(
                properties,
                source.transactions,
                codec.settings() if codec.format.registry else None,
                source.transactions_timeout_ms,
                fresh,
            )

    def finish(self) -> None:
        """Let the batch that runs be the last; if none does, one with what is there now is."""
        self._admission.finish()

    def hurry(self) -> None:
        """Let what is there now not wait any longer."""
        self._admission.hurry()

    def idle(self) -> bool:
        """Whether no batch runs and none may begin."""
        return bool(self._admission.idle())

    def bound(self, until: Offsets) -> None:
        """Let nothing be read from these offsets on, nor anything of other partitions."""
        self._admission.bound({f"{t} {p}": o for t, p, o in offsets.each(until)})

    def drained(self) -> bool:
        """Whether everything before its bounds was read, and no batch runs."""
        return bool(self._admission.drained())

    def released(self) -> list[Released]:
        """The source transactions that were admitted incomplete since the last call."""
        if not self._transactions:
            return []
        told = self._admission.releasedTransactions()
        return [Released.of(str(each), self._transactions) for each in told]

    def close(self) -> None:
        """Forget it."""
        self._admissions.close(self._name)


def read_options(source: KafkaSource) -> dict[str, str]:
    """What Spark's Kafka reader is told, for streams and for bounded reads."""
    polled = {"kafka.max.poll.records": str(source.poll_records)}
    return _DEFAULTS | polled | source.connection.spark() | {"failOnDataLoss": "true"}


def committed_only(source: KafkaSource) -> bool:
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
    source: KafkaSource,
    admission: str,
    starts: str,
    what: dict[str, str],
    *,
    headers: bool,
) -> DataFrame:
    """The endless stream of messages, in batches that its admission begins.

    A full batch is cut into enough tasks to keep every core busy to its end; a small one is not
    cut, because each task writes a file, unless the table asks for several consumers. Headers are
    read only if somebody wants them: they cost every message something.
    """
    tasks = max(source.min_tasks, _WAVES * spark.sparkContext.defaultParallelism)
    reader = spark.readStream.format(FORMAT).options(**read_options(source), **what)
    if source.min_tasks > 1:
        reader = reader.option("minPartitions", str(source.min_tasks))
    return reader.options(
        admission=admission,
        startingOffsets=starts,
        includeHeaders=str(headers).lower(),
        maxRecordsPerPartition=str(int(_SLACK * source.max_block / tasks) + 1),
    ).load()


def bounded(
    spark: SparkSession,
    source: KafkaSource,
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
