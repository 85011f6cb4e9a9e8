"""A running query of a job: its frames, its batches, and where it stands."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.errors import SluiceError, Terminal
from sluice.options.job_settings import IDLE, PARALLELISM
from sluice.options.kinds import Duration
from sluice.pipelines import faults, groups, offsets, source
from sluice.pipelines.blocked import Blocked
from sluice.pipelines.held import check_known
from sluice.pipelines.jobs import reading, starting
from sluice.pipelines.jobs.beginning import note_order
from sluice.pipelines.jobs.late import Late
from sluice.pipelines.jobs.locating import narrowed
from sluice.pipelines.jobs.runners import Runner, Shared
from sluice.pipelines.jobs.sessions import new_session
from sluice.pipelines.jobs.stream import Stream
from sluice.pipelines.jobs.writers import writer_of
from sluice.pipelines.living import LOOK_EVERY, Living, Outdated
from sluice.pipelines.queries import planned
from sluice.plan import functions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.catalog import Catalog, Offsets
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.jobs.beginning import Beginning
    from sluice.pipelines.jobs.writers import Writer
    from sluice.pipelines.offsets import Ranges
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan.job import Input, Output, QuerySpec

_EXACT = ("JOB_DATA_LOSS", "KAFKA_TOPIC_MISSING", "KAFKA_TOPIC_REPLACED")
"""What says more than that something is lost."""

_SHORTEST = 0.1
"""Seconds between two looks for new topics and partitions."""

log = logging.getLogger(__name__)


class JobQuery(Living):
    """Keeps one query of a job running, until it is stopped or has read all there is."""

    def __init__(
        self,
        spec: QuerySpec,
        *,
        spark: Callable[[], SparkSession],
        store: DeltaStore,
        catalog: Catalog,
        checkpoints: AnyPath,
        beginning: Beginning,
        settings: Mapping[str, str],
        ended: Callable[[], None],
    ) -> None:
        super().__init__(spec.id, f"job {spec.id}")
        self.spec = spec
        self._spark = spark
        self._store = store
        self._catalog = catalog
        self._folder = checkpoints / spec.id
        self._beginning = beginning
        self._settings = settings
        self._functions = functions.known()
        self._ended = ended
        self._streams = [Stream(each, spec.id, n) for n, each in enumerate(spec.streams)]
        self._blocked = [Blocked(each.source, each.cluster, catalog) for each in self._streams]
        self._writers: list[Writer] = []
        self._failure: tuple[tuple[str, Ranges], Ranges] | None = None
        self.last_batch: int | None = None
        self.late = Late()

    @property
    def brokers(self) -> str:
        """Who is asked, for errors."""
        return ", ".join(dict.fromkeys(s.source.connection.brokers for s in self._streams))

    @property
    def streams(self) -> Sequence[Stream]:
        """What it reads of topics."""
        return self._streams

    def close(self) -> None:
        """Let go of the connections to the brokers."""
        for stream in self._streams:
            stream.cluster.close()

    def _step(self) -> bool:
        number = self._begin()
        checkpoint = self._folder / str(number)
        self.status.generation = number
        spark = self.session()
        with ExitStack() as stack:
            writers = [self._writer(stack, spark, n, number) for n in range(len(self.spec.outputs))]
            self._writers = writers
            held = [-1 if (last := w.last_batch()) is None else last for w in writers]
            if self.last_batch is None and min(held) >= 0:
                self.last_batch = min(held)
            if self.spec.whole:
                self._run_whole(spark, writers)
            else:
                self._read(stack, spark, checkpoint, writers, held)
        if self._stop.is_set():
            return True
        self.status.finished()
        self._ended()
        return False

    def run_now(self) -> None:
        """Run a query that reads no topic, here and now.

        Raises:
            SluiceError: what went wrong.
        """
        try:
            self._step()
        except Exception as fault:
            named = self._named(fault)
            self.status.failed(named)
            raise named from fault
        finally:
            self.close()

    def session(self) -> SparkSession:
        """A session of Spark's with names of its own."""
        spark = new_session(self._spark(), self._functions)
        if PARALLELISM in self._settings:
            spark.conf.set("spark.sql.shuffle.partitions", self._settings[PARALLELISM])
        return spark

    def _writer(self, stack: ExitStack, spark: SparkSession, n: int, generation: int) -> Writer:
        output = self.spec.outputs[n]
        writer = writer_of(output, spark, self._store, self.spec.id, generation, n)
        stack.callback(writer.close)
        writer.start()
        return writer

    def _begin(self) -> int:
        """The number of the generation; at the first start it is decided where it begins."""
        self._beginning.ensure()
        number = 1
        for stream in self._streams:
            found = self._catalog.generation(stream.key)
            if found is None:
                raise errors.JOB_STATE_MISSING(job=self.id, path=self._folder)
            stream.generation, number = found, found.number
            self._await_topics(stream)
        return number

    def _await_topics(self, stream: Stream) -> None:
        """Look for what came while it did not run; wait for the first topic of a pattern."""
        while stream.source.discovery_ms is not None:
            self._extend(stream)
            if stream.generation.starts:
                return
            self.status.waiting(starting.nothing(stream.source), None)
            if self._stop.wait(min(LOOK_EVERY, stream.source.discovery_ms / 1000)):
                return

    def _extend(self, stream: Stream) -> bool:
        """Remember what came later, before it is read; whether there was something."""
        newer = stream.newer()
        if newer is None:
            return False
        self._catalog.extend_generation(stream.key, newer)
        stream.generation = newer
        return True

    # all at once

    def _run_whole(self, spark: SparkSession, writers: list[Writer]) -> None:
        """Read everything up to the ends, in one batch."""
        ranges = self._whole_ranges()
        if self._stop.is_set():
            return
        self.status.running()
        for given in self.spec.inputs:
            self._register(given, self._whole(spark, given, ranges))
        every = offsets.together(ranges.values())
        for n, output in enumerate(self.spec.outputs):
            if not writers[n].has(0, every):
                writers[n].write(writers[n].prepare(_planned(spark, output)), 0, every)
        self.batch_done(0, ranges)

    def repeat(self, n: int, writer: Writer, batch: int, ranges: Mapping[str, Ranges]) -> None:
        """Write what a batch of before read, by the views of its inputs, to one output."""
        spark, own = self.session(), {}
        one = len(self._streams) == 1
        for stream in self._streams:
            own[stream.key] = ranges.get(stream.input.view) or next(iter(ranges.values()))
        for given in self.spec.inputs:
            found = self._whole(spark, given, own)
            if given.source is not None and given.view not in ranges and not one:
                found = found.limit(0)
            self._register(given, found)
        prepared = writer.prepare(_planned(spark, self.spec.outputs[n]))
        writer.write(prepared, batch, offsets.together(own.values()))

    def failing(self, reason: str, ranges: Ranges) -> Ranges:
        """The messages of a failed batch that fail for the same reason on their own.

        They are found by running ever smaller parts of the batch without writing them, once for a
        batch that is retried. With several streams they are all that the batch reads.
        """
        if len(self._streams) != 1:
            return ranges
        if self._failure is None or self._failure[0] != (reason, ranges):
            spark = self.session()
            found = narrowed(ranges, lambda part: self._fails(spark, part, reason))
            self._failure = (reason, ranges), found
        return self._failure[1]

    def _fails(self, spark: SparkSession, part: Ranges, reason: str) -> bool:
        """Whether some messages fail for a reason; none do once the query is to stop."""
        if self._stop.is_set():
            return False
        for given in self.spec.inputs:
            self._register(given, self._whole(spark, given, {self._streams[0].key: part}))
        for writer, output in zip(self._writers, self.spec.outputs, strict=True):
            try:
                rows = writer.prepare(_planned(spark, output))
                rows.write.format("noop").mode("overwrite").save()
            except Exception as fault:  # noqa: BLE001 - whatever it is, its reason is compared
                if self.named(fault).params.get("reason") == reason:
                    return True
        return False

    def _whole_ranges(self) -> dict[str, Ranges]:
        """From where to where each stream is read; waits until that is there."""
        found: dict[str, Ranges] = {}
        for stream, blocked in zip(self._streams, self._blocked, strict=True):
            starts, ends = stream.generation.starts, stream.generation.ends or {}
            found[stream.key] = {
                topic: {
                    p: (start, max(start, ends.get(topic, {}).get(p, start)))
                    for p, start in parts.items()
                }
                for topic, parts in starts.items()
            }
            wanted = offsets.ends(found[stream.key])
            committed = source.committed_only(stream.source)
            while not offsets.reached(
                there := stream.cluster.latest(wanted, committed=committed), wanted
            ):
                try:
                    blocked.check(there, wanted)
                    self.status.running()
                except SluiceError as fault:
                    self.status.waiting(fault, None)
                if self._stop.wait(LOOK_EVERY):
                    break
        return found

    def _whole(self, spark: SparkSession, given: Input, ranges: dict[str, Ranges]) -> DataFrame:
        stream = next((s for s in self._streams if s.input is given), None)
        if stream is None:
            return self.table(spark, given)
        own = ranges[stream.key]
        return source.bounded(
            spark,
            stream.source,
            offsets.to_json(offsets.begins(own)),
            offsets.to_json(offsets.ends(own)),
            headers=stream.source.headers,
        )

    # batch by batch

    def _read(
        self,
        stack: ExitStack,
        spark: SparkSession,
        checkpoint: AnyPath,
        writers: list[Writer],
        held: list[int],
    ) -> None:
        if self._stop.is_set():
            return
        without = [stream.source for stream in self._streams if not stream.generation.starts]
        if len(without) == len(self._streams):
            return  # it is bounded, and there is nothing
        if without:
            raise starting.nothing(without[0])
        gates = [self._gate(stack, spark, stream) for stream in self._streams]
        frames = {stream.input.view: self._stream(spark, stream) for stream in self._streams}
        runner: Runner
        if len(self.spec.outputs) > 1:
            (stream,) = self._streams
            rows = frames[stream.input.view]
            runner = Shared(self, checkpoint, writers)
        else:
            for given in self.spec.inputs:
                found = frames.get(given.view)
                times = self._times(spark, given)
                self._register(given, self.table(spark, given) if found is None else found, times)
            rows = writers[0].prepare(_planned(spark, self.spec.outputs[0]))
            runner = Runner(self, checkpoint, writers)
        self._order(rows)
        by_place = sorted(self._streams, key=lambda stream: stream.place)
        note_order(checkpoint, [stream.input.view for stream in by_place])
        self._check(checkpoint, held)
        if self._stop.is_set():
            return
        query = self._start_query(rows, checkpoint, runner)
        try:
            self.status.running()
            self._watch(
                query,
                runner,
                look=lambda: self._look_at(query),
                every=min([LOOK_EVERY, *self._intervals()]),
                ended=lambda: self.spec.bounded and all(gate.drained() for gate in gates),
            )
        finally:
            self._end_query(query)

    def _gate(self, stack: ExitStack, spark: SparkSession, stream: Stream) -> source.Gate:
        gate = source.Gate(spark, stream.key, stream.source, stream.source.max_block, -1)
        stack.callback(gate.close)
        if stream.generation.ends is not None:
            gate.bound(stream.generation.ends)
        return gate

    def _stream(self, spark: SparkSession, stream: Stream) -> DataFrame:
        starts = stream.generation.starts
        return source.stream(
            spark,
            stream.source,
            stream.key,
            offsets.to_json(starts),
            source.assigned(starts),
            headers=stream.source.headers,
        )

    def table(self, spark: SparkSession, given: Input) -> DataFrame:
        """The rows of a stored table."""
        return self._store.read(spark, given.table)

    def _times(self, spark: SparkSession, given: Input) -> reading.PartitionTimes | None:
        """The event times of a stream's partitions, where a watermark makes a difference."""
        stream = next((each for each in self._streams if each.input is given), None)
        if stream is None or given.watermark is None or not self.settles:
            return None
        idle = stream.source.idle_ms
        if idle is None:
            idle = Duration().read(self._settings.get(IDLE, "0"))
        return reading.PartitionTimes(spark, sorted(self._owned(stream)), idle)

    @property
    def settles(self) -> bool:
        """Whether a watermark decides what it writes."""
        return self.spec.stateful and any(each.watermark for each in self.spec.streams)

    def _register(
        self, given: Input, found: DataFrame, times: reading.PartitionTimes | None = None
    ) -> None:
        reading.rows(given, found, times).createOrReplaceTempView(given.view)

    def _order(self, rows: DataFrame) -> None:
        """Learn in which order Spark has the sources: so they stand in its log."""
        frame: Any = rows
        leaves = frame._jdf.queryExecution().analyzed().collectLeaves()
        gates: list[str] = []
        for n in range(leaves.length()):
            leaf = leaves.apply(n)
            if leaf.getClass().getSimpleName() == "StreamingRelationV2":
                gate = leaf.extraOptions().get("admission")
                if gate not in gates:
                    gates.append(gate)
        for stream in self._streams:
            stream.place = gates.index(stream.key)

    def _check(self, checkpoint: AnyPath, held: Sequence[int]) -> None:
        """Everything that would make going on a silent loss."""
        begun = offsets.last_logged(checkpoint)
        if not checkpoint.exists() or max(held) > begun:
            raise errors.JOB_STATE_MISSING(job=self.id, path=checkpoint)
        outputs = zip(self.spec.outputs, held, strict=True)
        stored = [(each.table, newest) for each, newest in outputs if each.sink is None]
        check_known(self._store, checkpoint, stored)
        self.status.assigned(self._standing(checkpoint))

    def _standing(self, checkpoint: AnyPath) -> Offsets:
        """Where it goes on.

        Raises:
            SluiceError: JOB_DATA_LOSS, with what Kafka has deleted of it.
        """
        at_all: Offsets = {}
        for stream in self._streams:
            stream.check_topics()
            topics = stream.generation.topic_ids
            at = offsets.position(checkpoint, stream.generation, source=stream.place)
            earliest, latest = stream.cluster.earliest(topics), stream.cluster.latest(topics)
            lost = offsets.lost(at, earliest, latest)
            if lost:
                reason, table = offsets.said(lost), stream.source.table.full_name
                raise errors.JOB_DATA_LOSS(job=self.id, table=table, reason=reason)
            at_all = offsets.merged(at_all, at)
        return at_all

    def _start_query(self, rows: DataFrame, checkpoint: AnyPath, runner: Runner) -> StreamingQuery:
        updating = any(output.updating for output in self.spec.outputs)
        writer = rows.writeStream.foreachBatch(runner).queryName(f"sluice-{self.spec.id}")
        look = min(stream.source.look_ms for stream in self._streams)
        writer = writer.trigger(processingTime=f"{look} milliseconds")
        writer = writer.outputMode("update" if updating else "append")
        return writer.option("checkpointLocation", str(checkpoint)).start()

    def _look_at(self, query: StreamingQuery) -> None:
        if self.spec.stateful:
            self.late.look(query)
        self._look()

    def _look(self) -> None:
        """Ask the brokers; a silence is shown."""
        ends: Offsets = {}
        try:
            for stream in self._streams:
                if self._extend(stream):
                    raise Outdated
                stream.check_topics()
                found = stream.cluster.latest(stream.generation.topic_ids)
                ends = offsets.merged(ends, offsets.only(found, self._owned(stream)))
            for writer in self._writers:
                writer.look()
            self.status.looked(ends)
            for stream, blocked in zip(self._streams, self._blocked, strict=True):
                own = self._owned(stream)
                blocked.check(offsets.only(self.status.position, own), ends)
        except Terminal:
            raise
        except SluiceError as fault:
            self.status.waiting(fault, None)
            return
        self.status.running()

    def _intervals(self) -> Iterator[float]:
        for stream in self._streams:
            if stream.source.discovery_ms is not None:
                yield max(stream.source.discovery_ms / 1000, _SHORTEST)

    def _owned(self, stream: Stream) -> set[tuple[str, int]]:
        return offsets.partitions(stream.generation.starts)

    def ranges(self, checkpoint: AnyPath, batch: int) -> dict[str, Ranges]:
        """What a batch reads of each stream."""
        return {
            stream.key: offsets.ranges(
                self.title, checkpoint, batch, stream.generation, stream.place
            )
            for stream in self._streams
        }

    def check_topics(self) -> None:
        """Whether every topic is still the one it was."""
        for stream in self._streams:
            stream.check_topics()

    def batch_done(self, batch: int, ranges: dict[str, Ranges]) -> None:
        """A batch is everywhere: tell the groups."""
        for stream in self._streams:
            self._commit(stream, ranges[stream.key])
        every = offsets.together(ranges.values())
        self.last_batch = batch
        self.status.batch_done(offsets.count(every), offsets.ends(every))

    def _commit(self, stream: Stream, ranges: Ranges) -> None:
        """Another consumer in the group is said, and does not hold up the reading."""
        if not stream.source.commits:
            return
        try:
            group, at = stream.source.group, offsets.ends(ranges)
            groups.commit(stream.cluster, group, at, stream.key, self._store.instance)
        except SluiceError as refused:
            if refused.condition.name != "GROUP_IN_USE":
                raise
            log.warning("%s: %s", self.title, refused.text())

    def named(self, fault: BaseException) -> SluiceError:
        """What a fault is called."""
        return self._of_job(faults.classify(fault, self.title, self.brokers))

    def _named(self, fault: BaseException) -> SluiceError:
        return self._of_job(super()._named(fault))

    def _of_job(self, fault: SluiceError) -> SluiceError:
        """A fault with a remedy for jobs."""
        if fault.condition is errors.KAFKA_DATA_LOSS:
            return self._loss(str(fault.params["reason"]))
        if fault.condition is errors.CHECKPOINT_MISSING:
            return errors.JOB_STATE_MISSING(job=self.id, path=fault.params["path"])
        fault.dialect = "flink"
        return fault

    def _loss(self, reason: str) -> SluiceError:
        """What was lost, exactly if that can be told."""
        try:
            self._standing(self._folder / str(self.status.generation))
        except SluiceError as known:
            if known.condition.name in _EXACT:
                return known
        tables = ", ".join(stream.source.table.full_name for stream in self._streams)
        return errors.JOB_DATA_LOSS(job=self.id, table=tables, reason=reason)


def _planned(spark: SparkSession, output: Output) -> DataFrame:
    return planned(spark, output.sql, output.steps)
