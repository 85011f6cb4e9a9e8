"""A running pipeline: one thread that starts its query, watches it, and starts it again."""

from __future__ import annotations

import logging
import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Generation
from sluice.errors import SluiceError, Terminal
from sluice.kafka.ages import Ages
from sluice.kafka.cluster import Cluster
from sluice.pipelines import batch, faults, ledger, offsets, source
from sluice.pipelines.dead_letters import WRITER, DeadLetters
from sluice.pipelines.fan_out import check_plans
from sluice.pipelines.status import Status, now
from sluice.plan.spec import DEAD_LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.catalog import Catalog, Offsets
    from sluice.kafka.cluster import Topic
    from sluice.pipelines.delta import DeltaStore
    from sluice.plan import PipelineSpec

_FIRST_RETRY, _LONGEST_RETRY = 1.0, 15.0
_LOOK_FOR_MESSAGES = "200 milliseconds"
_LOOK_EVERY = 2.0
_STOP_PATIENCE, _SHORT_PATIENCE = 60.0, 3.0

log = logging.getLogger(__name__)


class Pipeline:
    """Keeps one Kafka table's query alive. Every wait shows in `status`."""

    def __init__(
        self,
        spec: PipelineSpec,
        *,
        spark: Callable[[], SparkSession],
        catalog: Catalog,
        store: DeltaStore,
        checkpoints: Path,
    ) -> None:
        self.spec = spec
        self.status = Status()
        self._spark = spark
        self._catalog = catalog
        self._store = store
        self._checkpoints = checkpoints / spec.id
        self._cluster = Cluster(spec.source.connection.librdkafka())
        self._ages = Ages(spec.source.connection.librdkafka())
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._live, name=f"pipeline-{spec.id}", daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End behind the batch that runs; nothing is cut in two."""
        self._stop.set()
        self._thread.join(_STOP_PATIENCE + _SHORT_PATIENCE)
        self.close()
        self.status.stopped()

    def _finish(self, runner: batch.BatchRunner) -> None:
        """Let the batch that runs end, and Spark write down that it is done.

        Otherwise Spark would run that batch again, and a view that is new by then would get it
        although its target has the rows.
        """
        away = self.status.state == f"WAITING({errors.BROKER_UNREACHABLE.name})"
        if not runner.stop(_SHORT_PATIENCE if away else _STOP_PATIENCE):
            log.warning("the batch of %s did not end in time", self.spec.source.table.full_name)
            return
        until = time.monotonic() + _SHORT_PATIENCE
        while (
            offsets.last_logged(runner.checkpoint, "commits") < runner.last_done
            and time.monotonic() < until
        ):
            time.sleep(0.02)

    def close(self) -> None:
        """Let go of the connection to the brokers."""
        self._cluster.close()
        self._ages.close()

    def _live(self) -> None:
        """Run, and after a fault that can heal, run again, for ever."""
        delay = _FIRST_RETRY
        while not self._stop.is_set():
            commits = self.status.commits
            try:
                self._run()
            except Terminal as fault:
                self.status.failed(fault)
                self._stop.wait()
            except Exception as fault:  # noqa: BLE001 - the pipeline's boundary: anything is shown and retried
                delay = _FIRST_RETRY if self.status.commits > commits else delay
                self.status.waiting(self._named(fault), now() + timedelta(seconds=delay))
                self._stop.wait(delay)
                delay = min(delay * 2, _LONGEST_RETRY)

    def _named(self, fault: BaseException) -> SluiceError:
        kafka = self.spec.source
        named = faults.classify(fault, kafka.table.full_name, kafka.connection.brokers)
        if named is not fault:
            log.error("%s: %s", kafka.table.full_name, named.text(), exc_info=fault)
        return named

    def _run(self) -> None:
        check_plans(self.spec.views)
        generation = self._generation()
        checkpoint = self._checkpoint(generation)
        held = self._held(generation)
        starts = self._check(generation, checkpoint, held)
        spark = self._spark()
        runner = batch.BatchRunner(
            self.spec, generation, checkpoint, self._store, self._cluster, held, self._batch_done
        )
        if self._stop.is_set():
            return
        query = self._start_query(spark, starts, checkpoint, runner)
        self.status.running()
        try:
            self._watch(query, generation, runner)
        finally:
            self._end_query(query)

    def _start_query(
        self, spark: SparkSession, starts: Offsets, checkpoint: Path, run: batch.BatchRunner
    ) -> StreamingQuery:
        kafka = self.spec.source
        headers = kafka.error_mode == DEAD_LETTERS or any(
            "_headers." in plan.sql for plan in self.spec.views
        )
        messages = source.stream(spark, kafka, offsets.to_json(starts), headers=headers)
        writer = messages.writeStream.foreachBatch(run).queryName(f"sluice-{self.spec.id}")
        writer = writer.trigger(processingTime=_LOOK_FOR_MESSAGES)
        return writer.option("checkpointLocation", str(checkpoint)).start()

    def _watch(
        self, query: StreamingQuery, generation: Generation, runner: batch.BatchRunner
    ) -> None:
        """Look after the query: is the broker there, how far behind is it, has it ended."""
        next_look = 0.0
        while query.isActive and not self._stop.wait(0.1):
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + _LOOK_EVERY
                self._look(generation, runner)
        if self._stop.is_set():
            self._finish(runner)
            return
        if runner.failure is not None:
            raise runner.failure
        ended: Any = query.exception()
        raise ended if ended is not None else errors.BATCH_FAILED(reason="the query ended")

    def _look(self, generation: Generation, runner: batch.BatchRunner) -> None:
        """Ask the broker. A silence is shown; Spark itself goes on trying for minutes."""
        try:
            batch.check_topics(self.spec, generation, self._cluster)
            self.status.looked(self._cluster.latest(self.spec.source.topics))
            self.status.oldest_ms = self._ages.oldest(self.status.position, self.status.ends)
        except Terminal:
            raise
        except SluiceError as fault:
            self.status.waiting(fault, None)
            return
        if runner.warning is not None:
            self.status.waiting(runner.warning, None)
        else:
            self.status.running()

    def _end_query(self, query: StreamingQuery) -> None:
        try:
            query.stop()
        except Exception as fault:  # noqa: BLE001 - Spark may be gone already, and the query with it
            log.warning("stopping %s: %s", self.spec.id, faults.reason(fault))

    def _batch_done(self, ranges: offsets.Ranges) -> None:
        self.status.batch_done(offsets.count(ranges), offsets.ends(ranges))

    def _topics(self) -> dict[str, Topic]:
        kafka = self.spec.source
        there = self._cluster.topics(kafka.topics)
        missing = [name for name in kafka.topics if name not in there]
        if missing:
            brokers = kafka.connection.brokers
            raise errors.KAFKA_TOPIC_MISSING(topic=", ".join(missing), brokers=brokers)
        return there

    def _generation(self) -> Generation:
        """Where to begin: decided once, and written down before the first batch."""
        known = self._catalog.generation(self.spec.id)
        if known is not None:
            return known
        return self._new_generation(1, offsets.GROUP)

    def _new_generation(self, number: int, mode: str) -> Generation:
        topics = self._topics()
        starts = offsets.resolve(self.spec.source, topics, self._cluster, self._catalog, mode)
        new = Generation(number, starts, {name: topic.id for name, topic in topics.items()})
        self._checkpoint(new).mkdir(parents=True, exist_ok=True)
        self._catalog.add_generation(self.spec.id, new)
        self._catalog.forget_handovers(self.spec.source.group, new.topic_ids.values())
        return new

    def reset(self, mode: str) -> None:
        """Begin elsewhere, in a new generation with a new checkpoint; the pipeline is stopped."""
        known = self._catalog.generation(self.spec.id)
        new = self._new_generation(known.number + 1 if known else 1, mode)
        if self.spec.source.group:
            self._cluster.commit(self.spec.source.group, new.starts)

    def _checkpoint(self, generation: Generation) -> Path:
        return self._checkpoints / str(generation.number)

    def _held(self, generation: Generation) -> dict[str, int]:
        """The newest batch of this generation that each view's target has, if it has one."""
        held = {}
        for plan in self.spec.plans():
            if plan.target is not None and plan.target.keeps_rows:
                writer = ledger.writer(self.spec.id, generation.number, plan.id)
                found = self._store.last_batch(plan.target, writer)
                if found is not None:
                    held[plan.id] = found
        if self.spec.source.error_mode == DEAD_LETTERS:
            found = DeadLetters(self._store).last_batch(self.spec.id, generation.number)
            if found is not None:
                held[WRITER] = found
        return held

    def _check(self, generation: Generation, checkpoint: Path, held: Mapping[str, int]) -> Offsets:
        """Everything that would make going on a silent loss; gives where each partition starts.

        A target that holds a batch which the checkpoint does not know tells that the checkpoint was
        lost: Spark would count from 0 again, and what it takes for old batches would be skipped.
        """
        table, topics = self.spec.source.table.full_name, self.spec.source.topics
        begun = offsets.last_logged(checkpoint)
        if not checkpoint.exists() or max(held.values(), default=-1) > begun:
            raise errors.CHECKPOINT_MISSING(table=table, path=checkpoint)
        batch.check_topics(self.spec, generation, self._cluster)
        earliest = self._cluster.earliest(topics)
        at = offsets.position(checkpoint, generation)
        self.status.ends = self._cluster.latest(topics)
        self.status.generation = generation.number
        offsets.check_kept(table, at, earliest, self.status.ends)
        self.status.assigned(at)
        return {
            topic: parts | generation.starts.get(topic, {}) for topic, parts in earliest.items()
        }

    def hand_over(self) -> None:
        """Leave the position to the group's next reader: at the broker, or here if it is away."""
        generation = self._catalog.generation(self.spec.id)
        group = self.spec.source.group
        if generation is None or not group:
            return
        held = self._held(generation)
        tell = [plan for plan in self.spec.plans() if plan.target is None or not plan.target.passes]
        done = min((held.get(plan.id, -1) for plan in tell), default=-1)
        at = offsets.position(self._checkpoint(generation), generation, done)
        try:
            known = self._cluster.committed(group, self.spec.source.topics)
            self._cluster.commit(group, offsets.furthest(at, known))
        except SluiceError as away:
            log.warning("%s: its position is kept here: %s", group, away.text())
            ids = generation.topic_ids
            self._catalog.hand_over(
                group,
                [(ids[t], p, o) for t, parts in at.items() if t in ids for p, o in parts.items()],
            )
