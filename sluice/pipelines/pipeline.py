"""A running pipeline: a Kafka table's query, from where it stands."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import Event, Generation
from sluice.errors import SluiceError, Terminal
from sluice.kafka.ages import Ages
from sluice.kafka.cluster import Cluster
from sluice.kafka.watch import watch
from sluice.pipelines import batch, offsets, source
from sluice.pipelines.blocked import Blocked
from sluice.pipelines.connections import disconnect
from sluice.pipelines.fan_out import check_plans
from sluice.pipelines.held import check_known
from sluice.pipelines.living import LOOK_EVERY, STOP_PATIENCE, Living, Outdated
from sluice.pipelines.status import now
from sluice.plan.spec import DEAD_LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.catalog import Offsets
    from sluice.kafka.watch import Watch
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.generations import Generations, Standing
    from sluice.pipelines.held import Held
    from sluice.pipelines.rows import Skipped
    from sluice.pipelines.sharing import Share
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan import PipelineSpec
    from sluice.plan.reset import Reset

_ALL = -1

IDLE_AFTER = 30.0
"""Seconds without a message after which a table's query ends, until there is one."""

log = logging.getLogger(__name__)


class Pipeline(Living):
    """Keeps one Kafka table's query alive. Every wait shows in `status`."""

    def __init__(
        self,
        spec: PipelineSpec,
        *,
        spark: Callable[[], SparkSession],
        store: DeltaStore,
        generations: Generations,
        share: Share,
    ) -> None:
        super().__init__(spec.id, spec.source.table.full_name)
        self.spec = spec
        self.share = share
        self._spark = spark
        self._store = store
        self._generations = generations
        self._cluster = Cluster(spec.source.connection.librdkafka())
        self._ages = Ages(spec.source.connection.librdkafka())
        self._blocked = Blocked(spec.source, self._cluster, generations.catalog)
        self._block = spec.source.max_block
        self._gate: source.Gate | None = None
        self._cycles = 0
        self._active_at: float | None = None

    def finish(self) -> None:
        """Let the batch that runs, or what waits for one to fill, be the last."""
        gate = self._gate
        if gate is None:
            return
        gate.finish()
        until = time.monotonic() + STOP_PATIENCE
        while self._gate is gate and not gate.idle() and time.monotonic() < until:
            time.sleep(0.05)

    def refresh(self) -> None:
        """Read what is there now: one cycle if it is halted, without a wait if not."""
        if self.spec.halted:
            self._cycles += 1
            self._wake.set()
        elif self._gate is not None:
            self._gate.hurry()

    def close(self) -> None:
        """Let go of the connection to the brokers."""
        self._cluster.close()
        self._ages.close()

    @property
    def brokers(self) -> str:
        """Who is asked, for errors."""
        return self.spec.source.connection.brokers

    def _step(self) -> bool:
        if self.spec.halted and not self._cycles:
            self._rest()
        else:
            self._run()
        return True

    def _goes_on(self, fault: SluiceError) -> bool:
        return fault.condition is errors.KAFKA_DATA_LOSS and self.spec.source.skips_lost

    def _rest(self) -> None:
        """Read nothing, until it is to stop or to run a cycle; how far it is behind still shows."""
        self.status.halted(self.spec.halted)
        while not self._stop.is_set() and not self._cycles:
            standing = self._generations.standing(self.spec)
            if standing.generation is not None:
                self.status.generation = standing.generation.number
                self.status.position = {t: dict(parts) for t, parts in standing.at.items()}
                try:
                    self._measure(standing.generation, self._cluster)
                except SluiceError as away:
                    log.info("%s: %s", self.spec.source.table.full_name, away.text())
            self._wake.wait(LOOK_EVERY)
            self._wake.clear()

    def _run(self) -> None:
        check_plans(self.spec.views)
        cycles = self._cycles if self.spec.halted else _ALL
        generation = self.share.enter(self.spec, self._cluster)
        try:
            if generation is None or (generation.shared and not generation.starts):
                self._stand_by(generation)
            else:
                self._read(generation, cycles)
        finally:
            self.share.leave(self.spec)
        self._cycles -= max(cycles, 0)

    def _stand_by(self, generation: Generation | None) -> None:
        """Other tables of the group have all partitions."""
        self.status.running()
        self.status.position, self.status.ends = {}, {}
        if generation is None or self.spec.halted:
            return
        self.status.generation = generation.number
        while not self._stop.wait(LOOK_EVERY):
            batch.check_topics(self.spec, generation, self._cluster)
            if self.share.outdated(self.spec, self._cluster):
                raise Outdated

    def _read(self, generation: Generation, cycles: int) -> None:
        checkpoint = self._generations.folder(self.spec.id, generation)
        held = self._generations.held(self.spec, generation)
        starts = self._check(generation, checkpoint, held)
        if cycles == _ALL and self._nothing_to_do(checkpoint):
            self._await_messages(generation)
            return
        spark = self._spark()
        runner = batch.BatchRunner(
            self.spec,
            generation,
            checkpoint,
            self._store,
            self._cluster,
            held,
            self._batch_done,
            self._skipped,
        )
        if self._stop.is_set():
            return
        gate = source.Gate(spark, self.spec.id, self.spec.source, self._block, cycles)
        try:
            query = self._start_query(spark, generation, starts, checkpoint, runner)
            self._active_at = time.monotonic()
            self._gate = gate
            self.status.running()
            try:
                self._watch(
                    query,
                    runner,
                    look=lambda: self._look_at(generation, runner, cycles),
                    ended=lambda: cycles >= 0 and gate.idle(),
                )
            finally:
                self._end_query(query)
        finally:
            self._gate = None
            gate.close()

    def _nothing_to_do(self, checkpoint: AnyPath) -> bool:
        """Whether a query would only wait: every message was read, and every batch has ended.

        A table that is new gets its query at once: its first message is not long in coming.
        """
        begun = offsets.last_logged(checkpoint)
        new = begun < 0 and self._active_at is None
        return not new and self._drained() and offsets.last_logged(checkpoint, "commits") == begun

    def _drained(self) -> bool:
        """Whether every partition was read to its end, and none ends before that."""
        at = self.status.position
        return all(
            end == at.get(topic, {}).get(partition, 0)
            for topic, parts in self.status.ends.items()
            for partition, end in parts.items()
        )

    def _await_messages(self, generation: Generation) -> None:
        """Have no query, no clients and no connection to the JVM until there is a message.

        One thread asks for all idle tables of a cluster. If its request fails, which another
        table's topic may be the reason of, this table asks for itself.
        """
        self.close()
        disconnect()
        properties = self.spec.source.connection.librdkafka()
        with watch(properties, generation.topic_ids, self._wake) as seen:
            while not self._stop.is_set():
                self._wake.wait(LOOK_EVERY)
                self._wake.clear()
                self._look(generation, seen if seen.answered else self._cluster)
                if not self._drained():
                    return

    def _start_query(
        self,
        spark: SparkSession,
        generation: Generation,
        starts: Offsets,
        checkpoint: AnyPath,
        run: batch.BatchRunner,
    ) -> StreamingQuery:
        kafka = self.spec.source
        headers = kafka.error_mode == DEAD_LETTERS or any(
            "_headers." in plan.sql for plan in self.spec.views
        )
        what = source.assigned(starts) if generation.shared else source.subscribed(starts)
        messages = source.stream(
            spark, kafka, self.spec.id, offsets.to_json(starts), what, headers=headers
        )
        writer = messages.writeStream.foreachBatch(run).queryName(f"sluice-{self.spec.id}")
        writer = writer.trigger(processingTime=f"{kafka.look_ms} milliseconds")
        return writer.option("checkpointLocation", str(checkpoint)).start()

    def _look_at(self, generation: Generation, runner: batch.BatchRunner, cycles: int) -> None:
        """Look after the query; one that nothing has come to for long ends."""
        self._look(generation, self._cluster, runner.warning)
        active = self._active_at or 0.0
        if cycles == _ALL and time.monotonic() >= active + IDLE_AFTER and self._drained():
            raise Outdated

    def _look(
        self, generation: Generation, asked: Cluster | Watch, warning: SluiceError | None = None
    ) -> None:
        """Ask the broker. A silence is shown; Spark itself goes on trying for minutes."""
        try:
            if self.share.outdated(self.spec, self._cluster):
                raise Outdated
            batch.check_topics(self.spec, generation, asked)
            self._measure(generation, asked)
            self._blocked.check(self.status.position, self.status.ends)
        except Terminal:
            raise
        except SluiceError as fault:
            self.status.waiting(fault, None)
            return
        if warning is not None:
            self.status.waiting(warning, None)
        else:
            self.status.running()

    def _measure(self, generation: Generation, asked: Cluster | Watch) -> None:
        """See how far it is behind."""
        self.status.looked(_owned(asked.latest(generation.topic_ids), generation))
        self.status.oldest_ms = self._ages.oldest(self.status.position, self.status.ends)

    def _batch_done(self, ranges: offsets.Ranges) -> None:
        self._active_at = time.monotonic()
        self.status.batch_done(offsets.count(ranges), offsets.ends(ranges))

    def _skipped(self, bad: Skipped) -> None:
        self.status.skipped += bad.count
        self._note("MESSAGES_SKIPPED", bad.text(), bad.ranges())

    def reset(self, reset: Reset) -> None:
        """Begin elsewhere, in a new generation with a new checkpoint; the pipeline is stopped."""
        new = self.share.reset(self.spec, self._cluster, reset)
        if self.spec.source.group:
            for generation in new.values():
                self._cluster.commit(self.spec.source.group, generation.starts)

    def _check(self, generation: Generation, checkpoint: AnyPath, held: Held) -> Offsets:
        """Everything that would make going on a silent loss; gives where each partition starts.

        A target that holds a batch which the checkpoint does not know tells that the checkpoint was
        lost: Spark would count from 0 again, and what it takes for old batches would be skipped.
        """
        table, topics = self.spec.source.table.full_name, generation.topic_ids
        begun = offsets.last_logged(checkpoint)
        if not checkpoint.exists() or held.newest > begun:
            raise errors.CHECKPOINT_MISSING(table=table, path=checkpoint)
        check_known(self._store, checkpoint, self._generations.targets(self.spec, generation, held))
        batch.check_topics(self.spec, generation, self._cluster)
        earliest = self._cluster.earliest(topics)
        standing = self._generations.standing(self.spec)
        at = standing.at
        self.status.ends = _owned(self._cluster.latest(topics), generation)
        self.status.generation = generation.number
        lost = offsets.lost(at, earliest, self.status.ends)
        if lost and self.spec.source.skips_lost:
            self._skip(generation, standing, lost)
        if lost:
            raise errors.KAFKA_DATA_LOSS(table=table, reason=offsets.said(lost))
        if at != self.status.position:  # else it goes on after it was idle
            self.status.assigned(at)
        if generation.shared:
            return generation.starts
        return {
            topic: parts | generation.starts.get(topic, {}) for topic, parts in earliest.items()
        }

    def _skip(self, generation: Generation, standing: Standing, lost: offsets.Ranges) -> None:
        """Go on behind what Kafka has lost, and leave a note of it.

        A batch that only some targets have cannot be repeated, so it is left behind too.
        """
        at = standing.at
        if not standing.settled:
            folder = self._generations.folder(self.spec.id, generation)
            at = offsets.logged(folder, offsets.last_logged(folder)) or at
        starts = {
            topic: {p: _behind(lost.get(topic, {}).get(p), offset) for p, offset in parts.items()}
            for topic, parts in at.items()
        }
        self._begin_again(generation, starts)
        self._note("DATA_LOSS_SKIPPED", f"Kafka lost what was not read: {offsets.said(lost)}", lost)
        raise Outdated

    def _begin_again(self, generation: Generation, starts: Offsets) -> None:
        ids, number = generation.topic_ids, generation.number + 1
        self._generations.add({self.spec.id: Generation(number, starts, ids, generation.shared)})

    def _note(self, kind: str, message: str, ranges: offsets.Ranges | None = None) -> None:
        table = self.spec.source.table
        log.warning("%s: %s", table.full_name, message)
        event = Event(now(), table.database, table.name, kind, message, ranges or {})
        self._generations.catalog.add_event(event)

    def _mend(self, fault: SluiceError) -> None:
        """Read less at a time after a batch for which the memory was too small.

        Spark would repeat that batch as it is, so what was not read begins a new generation. A
        batch that some target has already is repeated nevertheless.
        """
        if fault.condition is not errors.OUT_OF_MEMORY or self._block == 1:
            return
        standing = self._generations.standing(self.spec)
        if standing.generation is None or not standing.settled:
            return
        size = min(self._block, self._last_size(standing.generation, standing.at))
        self._block = max(1, size // 2)
        self._begin_again(standing.generation, standing.at)
        self._note("BATCH_SIZE_REDUCED", f"Out of memory: at most {self._block} messages a batch")

    def _last_size(self, generation: Generation, at: Offsets) -> int:
        """How many messages the batch had that was begun last."""
        folder = self._generations.folder(self.spec.id, generation)
        until = offsets.logged(folder, offsets.last_logged(folder)) or at
        size = sum(
            end - at.get(topic, {}).get(partition, 0)
            for topic, parts in until.items()
            for partition, end in parts.items()
        )
        return max(1, size)

    def hand_over(self, *, away: bool = False) -> None:
        """Leave the position to the group's next reader: at the broker, or here if it is away."""
        generation = self._generations.newest(self.spec.id)
        group = self.spec.source.group
        if generation is None or not group:
            return
        done = min(self._generations.each_has(self.spec, generation), default=-1)
        at = offsets.position(self._generations.folder(self.spec.id, generation), generation, done)
        if not away and self._committed(group, at):
            return
        log.warning("%s: its position is kept here", group)
        ids = generation.topic_ids
        self._generations.catalog.hand_over(
            group,
            [(ids[t], p, o) for t, parts in at.items() if t in ids for p, o in parts.items()],
        )

    def _committed(self, group: str, at: Offsets) -> bool:
        """Tell the broker where a group stands, unless it knows better; whether it could be."""
        try:
            known = offsets.only(self._cluster.committed(group, at), offsets.partitions(at))
            self._cluster.commit(group, offsets.furthest(at, known))
        except SluiceError as refused:
            log.warning("%s: %s", group, refused.text())
            return False
        return True


def _behind(lost: tuple[int, int] | None, offset: int) -> int:
    """Where a partition goes on that has lost something."""
    if lost is None:
        return offset
    start, end = lost
    return max(offset, end) if end > start else end


def _owned(ends: Offsets, generation: Generation) -> Offsets:
    """The ends of those partitions that are read."""
    if not generation.shared:
        return ends
    return offsets.only(ends, offsets.partitions(generation.starts))
