"""A job that writes each message as it comes: Spark's Real-Time Mode, at least once.

Its batches are long, and their rows are written while they are read. When a batch ends, Spark
records its position; after a restart what was read since then is written again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.engine import offsets
from sluice.engine.runtime import monitor
from sluice.engine.runtime.batch import BatchRunner
from sluice.engine.runtime.query import RunningQuery
from sluice.engine.sinks.kafka import KafkaSink
from sluice.engine.sources import kafka_reader

if TYPE_CHECKING:
    from contextlib import ExitStack

    from pyspark.sql import DataFrame, SparkSession

    from sluice.engine.sources.stream import Stream
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.spec import KafkaSinkSpec

BATCH = "2 minutes"
"""How long a batch is. At its end messages are delayed, which few of them should be."""

_PARTITIONERS = {"round-robin": "org.apache.kafka.clients.producer.RoundRobinPartitioner"}

_READING = {"kafka.fetch.max.wait.ms": "20", "kafka.max.poll.records": "500"}
_WRITING = {"kafka.linger.ms": "0"}


class _Slots:
    """The tasks that run all the time: each keeps a core's place from all other work."""

    def __init__(self) -> None:
        self._taken = 0
        self._lock = threading.Lock()

    def take(self, wanted: int, there: int) -> None:
        with self._lock:
            if self._taken + wanted >= there:
                raise errors.TOO_FEW_CORES(needed=self._taken + wanted + 1, there=there)
            self._taken += wanted

    def give_back(self, taken: int) -> None:
        with self._lock:
            self._taken -= taken


SLOTS = _Slots()


class _Written:
    """How many messages a query has written, counted by its tasks, in Java."""

    def __init__(self, spark: SparkSession) -> None:
        session: Any = spark
        self._java = session._jvm.sluice.spark
        self._count = self._java.RowCount.of(session._jsparkSession)
        self._seen = 0

    def counted(self, messages: DataFrame) -> DataFrame:
        """The same messages."""
        from pyspark.sql import Column

        value: Any = messages["value"]
        return messages.withColumn(
            "value", Column(self._java.Columns.counted(self._count, value._jc))
        )

    def more(self) -> int:
        """Those of the batches that have ended since the last call."""
        before, self._seen = self._seen, int(self._count.value())
        return self._seen - before


class RealtimeQuery(RunningQuery):
    """A query without state from one table over topics to another."""

    _seen = -1

    def _read(self, stack: ExitStack, checkpoint: AnyPath, cycles: int) -> None:
        (stream,) = self.streams
        transform = self.transform
        spark, (output,) = transform.spark, transform.outputs.opened
        needed = len(offsets.partitions(stream.generation.starts))
        SLOTS.take(needed, spark.sparkContext.defaultParallelism)
        stack.callback(SLOTS.give_back, needed)
        rows = transform.rows(spark, {stream.input.view: self._unbroken(spark, stream)})
        writer, sink = output.sink, output.output.sink
        assert isinstance(writer, KafkaSink)  # noqa: S101 - planning let no other one through
        assert sink is not None  # noqa: S101 - so has it one
        self._written, self._target = _Written(spark), output.output.table.full_name
        messages = self._written.counted(_messages(rows, sink, writer.partitions))
        sending = messages.writeStream.format("kafka")
        options = {f"kafka.{name}": value for name, value in writer.producer.items()} | _WRITING
        options |= {"topic": sink.topic, "checkpointLocation": str(checkpoint)}
        if sink.partitioner in _PARTITIONERS:
            options["kafka.partitioner.class"] = _PARTITIONERS[sink.partitioner]
        self._seen = offsets.last_logged(checkpoint, "commits")
        runner = BatchRunner(self, checkpoint, transform)  # Spark calls nothing for these batches
        ready: Any = sending.options(**options).outputMode("update")  # no type hint for realTime
        query = ready.trigger(realTime=BATCH).start()
        try:
            self.status.running()
            self._watch(query, runner, look=lambda: self._progress(checkpoint), ended=lambda: False)
        finally:
            self._end_query(query)

    def _unbroken(self, spark: SparkSession, stream: Stream) -> DataFrame:
        starts = stream.generation.starts
        options = kafka_reader.read_options(stream.source) | _READING
        options |= kafka_reader.assigned(starts)
        reader = spark.readStream.format(kafka_reader.FORMAT).options(**options)
        return reader.options(
            startingOffsets=offsets.to_json(starts),
            includeHeaders=str(self.transform.headers(stream)).lower(),
        ).load()

    def _progress(self, checkpoint: AnyPath) -> None:
        """See how far it is, and tell the group of batches that have ended."""
        monitor.look(self)
        done = offsets.last_logged(checkpoint, "commits")
        (stream,) = self.streams
        while self._seen < done:
            self._seen += 1
            ranges = stream.ranges(self.title, checkpoint, self._seen)
            stream.commit(ranges, self.resources.store.instance)
            self.batch_done(self._seen, ranges)
            self.status.rows[self._target] += self._written.more()


def _messages(prepared: DataFrame, sink: KafkaSinkSpec, partitions: int) -> DataFrame:
    """Messages as Spark's own sink takes them."""
    from pyspark.sql import functions as F

    columns = [F.col("value"), F.col("key")]
    if any(each.key == "headers" for each in sink.metadata):
        columns.append(F.col("headers"))
    if sink.partitioner == "fixed":
        chosen = F.spark_partition_id() % F.lit(partitions)
        columns.append(chosen.cast("int").alias("partition"))
    return prepared.select(*columns)
