"""A job that hands on each message as it comes: Spark's Real-Time Mode, at least once.

Its batches are long, and what they read and write is on its way at once. When a batch ends, Spark
writes down how far it has come; after a restart what was read since then is written again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.pipelines import offsets, source
from sluice.pipelines.batches import Batches
from sluice.pipelines.jobs.query import JobQuery
from sluice.pipelines.jobs.topic_sink import TopicWriter
from sluice.pipelines.queries import planned

if TYPE_CHECKING:
    from contextlib import ExitStack

    from pyspark.sql import DataFrame, SparkSession

    from sluice.errors import SluiceError
    from sluice.pipelines.jobs.stream import Stream
    from sluice.pipelines.jobs.writers import Writer
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan.spec import TopicSink

BATCH = "2 minutes"
"""How long a batch is. At its end messages wait for a moment, which few of them should."""

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


class RealtimeQuery(JobQuery):
    """A query without state from one table over topics to another."""

    _seen = -1

    def _read(
        self,
        stack: ExitStack,
        spark: SparkSession,
        checkpoint: AnyPath,
        writers: list[Writer],
        held: list[int],
    ) -> None:
        (stream,) = self._streams
        needed = len(offsets.partitions(stream.generation.starts))
        SLOTS.take(needed, spark.sparkContext.defaultParallelism)
        stack.callback(SLOTS.give_back, needed)
        stream.place = 0
        self._register(stream.input, self._unbroken(spark, stream))
        output = self.spec.outputs[0]
        rows = writers[0].prepare(planned(spark, output.sql, output.steps))
        self._check(checkpoint, [-1])
        if self._stop.is_set():
            return
        runner = _Free(checkpoint)
        writer, sink = writers[0], output.sink
        assert isinstance(writer, TopicWriter)  # noqa: S101 - planning let no other one through
        assert sink is not None  # noqa: S101 - so has it one
        sending = _messages(rows, sink, writer.partitions).writeStream.format("kafka")
        options = {f"kafka.{name}": value for name, value in writer.producer.items()} | _WRITING
        options |= {"topic": sink.topic, "checkpointLocation": str(checkpoint)}
        if sink.partitioner in _PARTITIONERS:
            options["kafka.partitioner.class"] = _PARTITIONERS[sink.partitioner]
        self._seen = offsets.last_logged(checkpoint, "commits")
        ready: Any = sending.options(**options).outputMode("update")  # its types lag behind
        query = ready.trigger(realTime=BATCH).start()
        try:
            self.status.running()
            self._watch(query, runner, look=lambda: self._progress(checkpoint), ended=lambda: False)
        finally:
            self._end_query(query)

    def _unbroken(self, spark: SparkSession, stream: Stream) -> DataFrame:
        starts = stream.generation.starts
        options = source.read_options(stream.source) | _READING | source.assigned(starts)
        reader = spark.readStream.format(source.FORMAT).options(**options)
        return reader.options(
            startingOffsets=offsets.to_json(starts),
            includeHeaders=str(stream.source.headers).lower(),
        ).load()

    def _progress(self, checkpoint: AnyPath) -> None:
        """See how far it is, and tell the group of batches that have ended."""
        self._look()
        done = offsets.last_logged(checkpoint, "commits")
        while self._seen < done:
            self._seen += 1
            self.batch_done(self._seen, self.ranges(checkpoint, self._seen))


def _messages(prepared: DataFrame, sink: TopicSink, partitions: int) -> DataFrame:
    """Messages as Spark's own sink takes them."""
    from pyspark.sql import functions as F

    columns = [F.col("value"), F.col("key")]
    if any(each.key == "headers" for each in sink.metadata):
        columns.append(F.map_entries("headers").alias("headers"))
    if sink.partitioner == "fixed":
        chosen = F.spark_partition_id() % F.lit(partitions)
        columns.append(chosen.cast("int").alias("partition"))
    return prepared.select(*columns)


class _Free(Batches):
    """Nothing of ours runs for a batch."""

    def _run(self, rows: DataFrame, batch: int) -> None:
        raise NotImplementedError

    def _fault(self, fault: Exception, rows: DataFrame) -> SluiceError:
        raise NotImplementedError
