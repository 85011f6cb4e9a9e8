"""One batch: read and decode once, feed every view, and only then move the group on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.errors import SluiceError
from sluice.pipelines import dead_letters, failpoints, faults, groups, offsets, topics, typed
from sluice.pipelines.batches import Batches
from sluice.pipelines.dead_letters import DeadLetters
from sluice.pipelines.fan_out import FanOut, kept
from sluice.pipelines.ledger import Entry
from sluice.pipelines.rows import Rows, Skipped
from sluice.pipelines.select import Select
from sluice.plan.spec import DEAD_LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from sluice.catalog import Generation
    from sluice.kafka.cluster import Cluster
    from sluice.kafka.watch import Watch
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.held import Held
    from sluice.pipelines.offsets import Ranges
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan import PipelineSpec


class BatchRunner(Batches):
    """What Spark calls for every batch of a pipeline.

    A batch is all or nothing for the group's position: it moves only when every target has the
    batch. A batch that is run again after a crash is skipped by each target that has it already:
    `held` are the newest batches that the targets had when the query was started.
    """

    def __init__(
        self,
        spec: PipelineSpec,
        generation: Generation,
        checkpoint: AnyPath,
        store: DeltaStore,
        cluster: Cluster,
        held: Held,
        done: Callable[[Ranges], None],
        skipped: Callable[[Skipped], None],
    ) -> None:
        super().__init__(checkpoint)
        self.spec = spec
        self.generation = generation
        self.store = store
        self.cluster = cluster
        self.held = held
        self.done = done
        self.skipped = skipped
        self.warning: SluiceError | None = None
        self._rows: Rows | None = None
        self._kept: Select | None = None
        self._views = FanOut(store, self._named, held)

    def _fault(self, fault: Exception, messages: DataFrame) -> SluiceError:
        return self._first(self._named(fault), messages)

    def _first(self, failure: SluiceError, messages: DataFrame) -> SluiceError:
        """Of several bad messages the first, wherever in the batch Spark came upon one."""
        from pyspark.errors import PySparkException

        tolerant = self.spec.source.tolerance > 0
        if failure.condition.name != "CANNOT_PARSE_MESSAGE" or self._rows is None or tolerant:
            return failure
        try:
            return self._rows.first_bad(messages) or failure
        except PySparkException:
            return failure

    def _run(self, messages: DataFrame, batch: int) -> None:
        failpoints.hit("offsets.after_log")
        source = self.spec.source
        ranges = offsets.ranges(source.table.full_name, self.checkpoint, batch, self.generation)
        check_topics(self.spec, self.generation, self.cluster)
        # Decoded here and not in the stream's own plan: Spark would not see, across that border,
        # which columns the views need.
        if self._rows is None:
            self._rows = Rows(source, messages, [plan.sql for plan in self.spec.views])
        rows = self._rows(messages)
        entry = Entry(self.spec.id, self.generation.number, batch, "", ranges)
        if source.error_mode == DEAD_LETTERS and not self._has_letters(entry):
            DeadLetters(self.store).keep(self._rows.bad(messages), source, entry)
        # Before anything is written: a batch with too many bad messages is not begun.
        bad = self._rows.skipped(messages, source.tolerance) if source.tolerance else None
        if len(self.spec.views) > 1:
            rows = self._needed(rows)
        with kept(rows, uses=len(self.spec.views)):
            self._views.feed(rows, self.spec.views, entry)
        self._commit(ranges)
        failpoints.hit("commit.before_log")
        self.last_done = batch
        self.done(ranges)
        if bad is not None and bad.count:
            self.skipped(bad)

    def _has_letters(self, entry: Entry) -> bool:
        return self.held.has(dead_letters.of_letters(entry), dead_letters.LETTERS.full_name)

    def _needed(self, rows: DataFrame) -> DataFrame:
        """The columns that some view names: what is kept for several has to be made in full."""
        from pyspark.sql import functions as F

        if self._kept is None:
            quoted = [typed.quoted(name) for name in rows.columns]
            named = [name for name in quoted if any(name in p.sql for p in self.spec.views)]
            self._kept = Select([F.col(name) for name in named or quoted])
        return self._kept(rows)

    def _commit(self, ranges: Ranges) -> None:
        """Tell the group. Another consumer in it is said, and does not hold up the reading."""
        if not self.spec.source.group:
            return
        failpoints.hit("group.before_commit")
        try:
            group, at = self.spec.source.group, offsets.ends(ranges)
            groups.commit(self.cluster, group, at, self.spec.id, self.store.instance)
            self.warning = None
        except SluiceError as refused:
            if refused.condition.name != "GROUP_IN_USE":
                raise
            self.warning = refused

    def _named(self, fault: BaseException) -> SluiceError:
        source_ = self.spec.source
        return faults.classify(fault, source_.table.full_name, source_.connection.brokers)


def check_topics(spec: PipelineSpec, generation: Generation, cluster: Cluster | Watch) -> None:
    """Refuse to read a topic that is not the one this generation began with.

    Raises:
        SluiceError: KAFKA_TOPIC_MISSING or KAFKA_TOPIC_REPLACED.
    """
    source = spec.source
    remedy = offsets.restart(source.table.full_name)
    topics.check_topics(generation, cluster, source.connection.brokers, remedy)
