"""A running streaming query: a Kafka table with its views, or a query of a Flink job."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Event
from sluice.engine import faults, offsets
from sluice.engine.runtime import monitor, ranged, resume
from sluice.engine.runtime.batch import BatchRunner
from sluice.engine.runtime.status import now
from sluice.engine.runtime.transforms import Inserts, Transform, Views
from sluice.engine.runtime.worker import LOOK_EVERY, STOP_PATIENCE, Superseded, Worker
from sluice.engine.sinks.fan_out import check_plans
from sluice.engine.sources import kafka_reader, startup
from sluice.engine.sources.stream import Stream
from sluice.engine.spark.gateway import disconnect
from sluice.engine.spark.job_session import new_session
from sluice.errors import SluiceError, Terminal
from sluice.kafka.watch import Watch, watch
from sluice.options.job_settings import CHECKPOINTS, PARALLELISM
from sluice.parameters.kinds import Duration
from sluice.planner.spec import EXACTLY_ONCE
from sluice.sql.core import user_functions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.engine.offsets import Ranges
    from sluice.engine.runtime.generations import Positions
    from sluice.engine.runtime.resources import Resources
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.query import QuerySpec
    from sluice.planner.spec import KafkaSource

UNLIMITED = -1
"""Batches that a query may run which is not halted."""

CHECKPOINT_MS = 1000
"""The default of `execution.checkpointing.interval` for a job that commits Kafka transactions."""

IDLE_AFTER = 30.0
"""Seconds without a message after which a table's query ends, until there is one."""

log = logging.getLogger(__name__)


class RunningQuery(Worker):
    """Keeps one query running, until it is stopped or has read all there is."""

    def __init__(
        self,
        spec: QuerySpec,
        *,
        resources: Resources,
        positions: Positions,
        settings: Mapping[str, str] | None = None,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        title = f"job {spec.id}" if spec.of_job else spec.source.table.full_name
        super().__init__(spec.id, title, resources.statistics)
        self.spec = spec
        self.resources = resources
        self.positions = positions
        self.settings = settings or {}
        self.last_batch: int | None = None
        self._functions = user_functions.known()
        self._ended = ended
        self.streams = [self._open(n) for n in range(len(spec.streams))]
        self.transform: Transform = (Inserts if spec.of_job else Views)(self)
        self._admissions: list[kafka_reader.Admission] = []
        self._most = min((stream.source.max_block for stream in self.streams), default=0)
        self._cycles = 0
        self._hurried = False
        self._active_at: float | None = None
        self._watched: Watch | None = None
        if resources.lineage is not None:
            resources.lineage.follow(self)

    def _open(self, n: int) -> Stream:
        spec, given = self.spec, self.spec.streams[n]
        key = f"{spec.id}/{n}" if spec.of_job else spec.id
        remedy = startup.AGAIN if spec.of_job else offsets.restart(given.table.full_name)
        return Stream(given, key, self.resources.catalog, remedy)

    @property
    def folder(self) -> AnyPath:
        """Where the checkpoints of its generations are."""
        return self.resources.checkpoints / self.spec.id

    @property
    def stopping(self) -> bool:
        """Whether it is to stop."""
        return self._stop.is_set()

    def close(self) -> None:
        """Close the connections to the brokers."""
        for stream in self.streams:
            stream.close()

    def session(self) -> SparkSession:
        """A Spark session: of its own, with the operator's functions, for a job."""
        if not self.spec.of_job:
            return self.resources.spark()
        spark = new_session(self.resources.spark(), self._functions)
        if PARALLELISM in self.settings:
            spark.conf.set("spark.sql.shuffle.partitions", self.settings[PARALLELISM])
        return spark

    # from outside, while it runs

    def finish(self) -> None:
        """Let the batch that runs, or what waits for one to fill, be the last."""
        admissions = self._admissions
        for admission in admissions:
            admission.finish()
        until = time.monotonic() + STOP_PATIENCE
        while (
            self._admissions is admissions
            and not all(admission.idle() for admission in admissions)
            and time.monotonic() < until
        ):
            time.sleep(0.05)

    def refresh(self) -> None:
        """Read what is there now: one batch if it is halted, without waiting for more if not."""
        if self.spec.halted:
            self._cycles += 1
            self._wake.set()
        else:
            self._hurried = True  # for a query that is just starting
            for admission in self._admissions:
                admission.hurry()
                self._hurried = False

    def run_now(self) -> None:
        """Run a query that reads no topic, in this thread.

        Raises:
            SluiceError: what went wrong.
        """
        try:
            self._step()
        except Exception as fault:
            named = self._logged(fault)
            self.status.failed(named)
            raise named from fault
        finally:
            self.close()

    # one start after the other

    def _step(self) -> bool:
        if self.spec.halted and not self._cycles:
            self._rest()
            return True
        check_plans(self.spec.outputs)
        cycles = self._cycles if self.spec.halted else UNLIMITED
        parked = False
        try:
            if self._watched is not None:  # it was parked
                parked = self._await_messages()
            elif self.positions.enter(self):
                parked = self._run(cycles)
            else:
                self._stand_by()
        finally:
            if not parked:
                self.positions.leave(self)
        if parked:
            return False
        self._cycles -= max(cycles, 0)
        if self._stop.is_set() or not self.spec.bounded:
            return True
        self.status.finished()
        self._ended()
        return False

    def _rest(self) -> None:
        """Read nothing until it is stopped or refreshed; the lag is still measured."""
        self.status.halted(self.spec.halted)
        while not self._stop.is_set() and not self._cycles:
            for stream in self.streams:
                known = self.resources.catalog.positions.generation(stream.key)
                if known is None:
                    continue
                stream.generation = known
                self.status.generation = known.number
                at = self.positions.position(self, self.folder / str(known.number), stream)
                self.status.position = {t: dict(parts) for t, parts in at.items()}
                try:
                    monitor.measure(self)
                except SluiceError as unreachable:
                    log.info("%s: %s", self.title, unreachable.text())
            self._wake.wait(LOOK_EVERY)
            self._wake.clear()

    def _stand_by(self) -> None:
        """Other tables of the consumer group have all partitions."""
        self.status.running()
        self.status.position, self.status.ends = {}, {}
        number = self.streams[0].generation.number
        if not number or self.spec.halted:
            return
        self.status.generation = number
        while not self._stop.wait(LOOK_EVERY):
            for stream in self.streams:
                stream.check_topics()
            if self.positions.superseded(self):
                raise Superseded

    def _run(self, cycles: int) -> bool:
        """Read, until that ends or there is nothing to read; whether it is parked then."""
        number = max((stream.generation.number for stream in self.streams), default=1)
        checkpoint = self.folder / str(number)
        self.status.generation = number
        idle = False
        with ExitStack() as stack:
            self.transform.start(stack, number)
            committed = self.transform.committed()
            if self.last_batch is None and min(committed) >= 0:
                self.last_batch = min(committed)
            if self.spec.whole:
                self._run_bounded()
            elif self._has_topics():
                resume.check(self, checkpoint, committed)
                idle = cycles == UNLIMITED and self._nothing_to_do(checkpoint)
                if not idle and not self._stop.is_set():
                    self._read(stack, checkpoint, cycles)
        return idle and self._await_messages()

    def _has_topics(self) -> bool:
        """Whether there is something to read; a bounded query over no topic has ended.

        Raises:
            SluiceError: KAFKA_TOPIC_MISSING if only some of the streams have topics.
        """
        without = [stream.source for stream in self.streams if not stream.generation.starts]
        if len(without) == len(self.streams):
            return False
        if without:
            raise startup.nothing(without[0])
        return True

    def _run_bounded(self) -> None:
        """Read everything up to the end offsets, in one batch."""
        ranges = ranged.bounds(self)
        if self._stop.is_set():
            return
        self.status.running()
        begun = time.monotonic()
        ranged.register(self, self.transform.spark, ranges)
        every = offsets.together(ranges.values())
        self.transform.outputs.write(self.transform.spark, 0, every)
        for stream in self.streams:
            stream.commit(ranges[stream.input.view], self.resources.store.instance)
        self.batch_done(0, every, time.monotonic() - begun)
        self.transform.count_rows(0)

    def wait(self, reason: SluiceError | None, longest: float = LOOK_EVERY) -> bool:
        """Show why this waits, if that is an error, and wait for a while; False to stop."""
        if reason is None:
            self.status.running()
        else:
            self.status.waiting(reason, None)
        return not self._stop.wait(min(LOOK_EVERY, longest))

    def _read(self, stack: ExitStack, checkpoint: AnyPath, cycles: int) -> None:
        """Run the streaming query, batch by batch."""
        spark = self.transform.spark
        new = offsets.last_logged(checkpoint) < 0
        admissions = [
            self._admit(stack, spark, each, cycles, new and each.starts_within())
            for each in self.streams
        ]
        messages = {
            stream.input.view: stream.messages(spark, headers=self.transform.headers(stream))
            for stream in self.streams
        }
        rows = self.transform.rows(spark, messages)
        self._order(rows, checkpoint)
        runner = BatchRunner(self, checkpoint, self.transform)
        if self._stop.is_set():
            return
        query = self._start_query(rows, checkpoint, runner)
        self._active_at = time.monotonic()
        self._admissions = admissions
        if self._hurried:
            self.refresh()
        self.status.running()
        try:
            self._watch(
                query,
                runner,
                look=lambda: self._look_at(query, runner, cycles),
                every=min([LOOK_EVERY, *monitor.intervals(self)]),
                ended=lambda: self._has_ended(admissions, cycles),
            )
        finally:
            self._admissions = []
            self._end_query(query)

    def _admit(
        self, stack: ExitStack, spark: SparkSession, stream: Stream, cycles: int, fresh: bool
    ) -> kafka_reader.Admission:
        stream.check_source_transactions(whole=self.spec.of_job or not stream.generation.shared)
        admission = kafka_reader.Admission(
            spark,
            stream.key,
            stream.source,
            self._most,
            self._flush_ms(stream.source),
            cycles,
            fresh=fresh,
        )
        stack.callback(admission.close)
        if stream.generation.ends is not None:
            admission.bound(stream.generation.ends)
        return admission

    def _flush_ms(self, source: KafkaSource) -> int:
        """The least time between the starts of two batches that are not full."""
        if CHECKPOINTS in self.settings:
            return int(Duration().read(self.settings[CHECKPOINTS]))
        sinks = [output.sink for output in self.spec.outputs if output.sink is not None]
        transactional = self.spec.of_job and any(s.guarantee == EXACTLY_ONCE for s in sinks)
        return CHECKPOINT_MS if transactional else source.flush_ms

    def _has_ended(self, admissions: Sequence[kafka_reader.Admission], cycles: int) -> bool:
        if self.spec.bounded:
            return all(admission.drained() for admission in admissions)
        return cycles != UNLIMITED and all(admission.idle() for admission in admissions)

    def _start_query(
        self, rows: DataFrame, checkpoint: AnyPath, runner: BatchRunner
    ) -> StreamingQuery:
        updating = any(output.updating for output in self.spec.outputs)
        writer = rows.writeStream.foreachBatch(runner).queryName(f"sluice-{self.spec.id}")
        look = min(stream.source.look_ms for stream in self.streams)
        writer = writer.trigger(processingTime=f"{look} milliseconds")
        writer = writer.outputMode("update" if updating else "append")
        return writer.option("checkpointLocation", str(checkpoint)).start()

    def _order(self, rows: DataFrame, checkpoint: AnyPath) -> None:
        """Learn in which order Spark has the sources, because they are so in its offset log."""
        if len(self.streams) == 1:
            return
        frame: Any = rows
        leaves = frame._jdf.queryExecution().analyzed().collectLeaves()
        found: list[str] = []
        for n in range(leaves.length()):
            leaf = leaves.apply(n)
            if leaf.getClass().getSimpleName() == "StreamingRelationV2":
                admission = leaf.extraOptions().get("admission")
                if admission not in found:
                    found.append(admission)
        for stream in self.streams:
            stream.place = found.index(stream.key)
        by_place = sorted(self.streams, key=lambda stream: stream.place)
        offsets.note_order(checkpoint, [stream.input.view for stream in by_place])

    def note_released(self) -> None:
        """Keep an event for each source transaction that is read though it is incomplete."""
        for admission in self._admissions:
            for released in admission.released():
                self.note("TRANSACTION_INCOMPLETE", released.text, released.ranges)

    def batch_done(self, batch: int, ranges: Ranges, seconds: float | None = None) -> None:
        """A batch is in every output, and its offsets are committed; it took so many seconds."""
        self._active_at = time.monotonic()
        self.last_batch = batch
        self.status.batch_done(offsets.count(ranges), offsets.ends(ranges), seconds)

    # idle tables

    def _nothing_to_do(self, checkpoint: AnyPath) -> bool:
        """Whether a query would only wait: every message was read, and every batch has ended.

        A table that is new gets its query at once: its first message is expected soon. A job keeps
        its query: time may close windows, and its state is open.
        """
        if self.spec.of_job:
            return False
        begun = offsets.last_logged(checkpoint)
        new = begun < 0 and self._active_at is None
        ended = offsets.last_logged(checkpoint, "commits") == begun
        return not new and ended and monitor.drained(self)

    def _await_messages(self) -> bool:
        """Have no query, no clients and no connection to the JVM until there is a message.

        One thread asks for all idle tables of a cluster, and this one is parked, which is the
        answer. If that request fails, perhaps because of another table's topic, or if partitions
        may come in other ways, this table keeps its thread and asks for itself.
        """
        self.close()
        disconnect()
        (stream,) = self.streams
        names, alone = stream.generation.topic_ids, not self._shares(stream)
        if self._watched is None:
            properties = stream.source.connection.librdkafka()
            self._watched = watch(properties, names, self.wake, self._polled)
        seen, parked, drained = self._watched, False, True
        try:
            while drained and not parked:
                if not (alone and seen.answered):
                    self._wake.wait(LOOK_EVERY)
                self._wake.clear()
                if self._stop.is_set():
                    break
                monitor.look(self, seen if seen.answered else None)
                drained = monitor.drained(self)
                parked = drained and alone and seen.answered and self._park()
        finally:
            if not parked:
                self._watch_no_longer()
        return parked

    def _polled(self) -> None:
        self.status.polled()
        if self._wake.is_set():
            self.wake()  # there was no room for its thread, or it has just begun

    @staticmethod
    def _shares(stream: Stream) -> bool:
        """Whether it may be given other partitions than those of its topics."""
        return stream.generation.shared or bool(stream.source.patterns)

    def _watch_no_longer(self) -> None:
        if self._watched is not None:
            self._watched.close()
            self._watched = None

    def _ended_parked(self) -> None:
        if self._watched is not None:
            self._watch_no_longer()
            self.positions.leave(self)

    # looking after a query

    def _look_at(self, query: StreamingQuery, runner: BatchRunner, cycles: int) -> None:
        """Ask the brokers; the query of a table that has received no message for long ends."""
        monitor.look(self, spark_query=query, warning=runner.warning)
        active = self._active_at or 0.0
        idle = not self.spec.of_job and time.monotonic() >= active + IDLE_AFTER
        if idle and cycles == UNLIMITED and monitor.drained(self):
            raise Superseded

    # faults

    def note(self, kind: str, message: str, ranges: Ranges | None = None) -> None:
        """Keep an event for `system.pipeline_events`."""
        table = self.spec.inputs[0].table
        log.warning("%s: %s", self.title, message)
        event = Event(now(), table.database, table.name, kind, message, ranges or {})
        self.resources.catalog.events.add(event)

    def named(self, fault: BaseException) -> SluiceError:
        """The condition of an exception, with the remedy for a job if this is one."""
        brokers = ", ".join(dict.fromkeys(s.source.connection.brokers for s in self.streams))
        found = faults.classify(fault, self.title, brokers)
        if not self.spec.of_job:
            return found
        if found.condition is errors.KAFKA_DATA_LOSS:
            return resume.exact_loss(self, str(found.params["reason"]))
        if found.condition is errors.CHECKPOINT_MISSING:
            return errors.JOB_STATE_MISSING(job=self.id, path=found.params["path"])
        found.dialect = "flink"
        return found

    def _retries(self, fault: SluiceError) -> bool:
        """Lost messages may be skipped; a batch that was too large for the memory is halved."""
        if isinstance(fault, Terminal):
            skips = any(stream.source.skips_lost for stream in self.streams)
            return fault.condition is errors.KAFKA_DATA_LOSS and skips
        if fault.condition is errors.OUT_OF_MEMORY and self._most > 1:
            most = self.positions.shrink(self, self._most)
            if most < self._most:
                self._most = most
                text = f"Out of memory: at most {most} messages a batch"
                self.note("BATCH_SIZE_REDUCED", text)
        return True
