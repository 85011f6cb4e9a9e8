"""A block of rows goes to every view of its table, and what a view writes to the views behind it.

A batch of messages and the rows of an INSERT go the same way; only a batch has an entry in the
ledger.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import failpoints, faults, ledger, slots
from sluice.pipelines.held import Held, own
from sluice.pipelines.kafka_sink import KafkaSink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.errors import SluiceError
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.ledger import Entry
    from sluice.pipelines.select import Select
    from sluice.plan import ViewPlan

    Naming = Callable[[BaseException], SluiceError]


class FanOut:
    """Feeds blocks to views; one is used for every batch of a query.

    `held` are the newest batches that the views' targets had when the query was started. A target
    that has the batch is not written again, and the views behind it get the rows that it was given
    then.
    A topic cannot tell what it has: it gets a batch that is run again a second time.
    A table that views both read and write is read as it was before the batch.
    """

    def __init__(self, store: DeltaStore, named: Naming, held: Held | None = None) -> None:
        self._store = store
        self._named = named
        self._held = held or Held({})
        self._fitting: dict[str, Select] = {}
        self._sinks: dict[str, KafkaSink] = {}

    def feed(self, block: DataFrame, plans: Sequence[ViewPlan], entry: Entry | None = None) -> None:
        """Give a block to views and all that is behind them.

        Raises:
            SluiceError: the first that goes wrong; what was written to other targets stays.
        """
        self._tables(block.sparkSession, plans, entry)
        failpoints.hit("batch.before_write")
        self._feed(block, plans, entry)

    def rehearse(self, block: DataFrame, plans: Sequence[ViewPlan]) -> None:
        """Let views make their rows of a block, and write none of them.

        Raises:
            SluiceError: the first that goes wrong.
        """
        self._tables(block.sparkSession, plans, None)
        for plan in plans:
            block.createOrReplaceTempView(plan.block)
            with self._naming(plan):
                fitted = self._fitted(plan, block.sparkSession)
                fitted.write.format("noop").mode("overwrite").save()

    def _tables(self, spark: SparkSession, plans: Iterable[ViewPlan], entry: Entry | None) -> None:
        """Let Spark know the tables that the views read besides the block."""
        nodes = [node for plan in plans for node in plan.nodes()]
        written = {node.target.uuid for node in nodes if node.target is not None}
        for name, table in {name: table for node in nodes for name, table in node.reads}.items():
            at = self._before(table, entry) if table.uuid in written else None
            self._store.read(spark, table, version=at).createOrReplaceTempView(name)

    def _before(self, table: Table, entry: Entry | None) -> int:
        """The version that a table had before the block."""
        if entry is not None and self._held.newest >= entry.batch:
            first = self._store.first_version(table, entry)
            if first is not None:
                return first - 1
        return self._store.version(table)

    def _feed(self, block: DataFrame, plans: Sequence[ViewPlan], entry: Entry | None) -> None:
        if not plans:
            return
        block.createOrReplaceTempView(plans[0].block)
        side_by_side([partial(self._write, plan, block.sparkSession, entry) for plan in plans])

    def _write(self, plan: ViewPlan, spark: SparkSession, entry: Entry | None) -> None:
        """Write what a view makes of the block to its target, then feed the views behind it."""
        if plan.target is None:
            raise target_missing(plan)
        mine = replace(entry, view=plan.view.uuid, via=plan.via) if entry is not None else None
        if mine is not None and self._held.has(mine, plan.target.full_name):
            if plan.feeds:
                self._feed(self._store.block(spark, plan.target, mine), plan.feeds, entry)
            return
        with self._naming(plan):
            fitted = self._fitted(plan, spark)
        with kept(fitted, uses=len(plan.feeds) + (not plan.target.passes)):
            with self._naming(plan):
                if plan.sink is not None:
                    self._sinks[plan.id].write(fitted)
                else:
                    _put(self._store, fitted, plan.target, mine)
            if plan.feeds:
                self._feed(self._store.marked(fitted, plan.target), plan.feeds, entry)

    def _fitted(self, plan: ViewPlan, spark: SparkSession) -> DataFrame:
        assert plan.target is not None  # noqa: S101 - it was looked at before
        result = spark.sql(plan.sql)
        if plan.id not in self._fitting and plan.sink is not None:
            self._sinks[plan.id] = KafkaSink(plan.sink)
            self._fitting[plan.id] = self._sinks[plan.id].fitting(result)
        elif plan.id not in self._fitting:
            self._fitting[plan.id] = self._store.fitting(result, plan.target)
        return self._fitting[plan.id](result)

    @contextmanager
    def _naming(self, plan: ViewPlan) -> Iterator[None]:
        """What goes wrong is said with the view's name, unless it is no fault of the view's."""
        try:
            yield
        except Exception as fault:
            named = self._named(fault)
            if named.condition.name != "BATCH_FAILED":
                raise named from fault
            reason = named.params["reason"]
            raise errors.VIEW_FAILED(view=plan.view.full_name, reason=reason) from fault


def write_block(
    store: DeltaStore, rows: DataFrame, table: Table, plans: Sequence[ViewPlan]
) -> None:
    """Write rows to a table and feed the views that read it.

    Raises:
        SluiceError: TARGET_MISSING or VIEW_FAILED before anything is written; VIEW_FAILED behind
            that for what a view could not do, while the table has its rows.
    """
    check_plans(plans)
    fitted = store.fitting(rows, table)(rows)
    with kept(fitted, uses=len(plans) + (not table.passes)):
        _put(store, fitted, table)
        if plans:
            views = FanOut(store, lambda fault: faults.classify(fault, table.full_name, ""))
            views.feed(store.marked(fitted, table), plans)


def _put(store: DeltaStore, fitted: DataFrame, table: Table, entry: Entry | None = None) -> None:
    if table.keeps_rows:
        store.append_fitted(fitted, table, entry)
        failpoints.hit("delta.after_commit")


def side_by_side(writes: Sequence[Callable[[], None]]) -> None:
    """Let all write at once; the first that went wrong is raised when every one has ended."""
    if not writes:
        return
    with ThreadPoolExecutor(len(writes)) as pool:
        done = [pool.submit(slots.carried(write)) for write in writes]
    for fault in [write.exception() for write in done]:
        if fault is not None:
            raise fault


@contextmanager
def kept(rows: DataFrame, uses: int) -> Iterator[None]:
    """Keep rows while they are used, if more than once, so that they are made once."""
    if uses < 2:
        yield
        return
    rows.persist()
    try:
        yield
    finally:
        rows.unpersist()


def held_batches(
    store: DeltaStore, plans: Iterable[ViewPlan], pipeline: str, generation: int
) -> Held:
    """The newest batches of a generation that the views' targets have.

    Raises:
        SluiceError: DATA_FOLDER_COPIED.
    """
    found = []
    for plan in plans:
        if plan.target is not None and plan.target.keeps_rows:
            last = store.last_batch(plan.target, ledger.writer(pipeline, generation, plan.id))
            if last is not None:
                found.append(own(last, store.instance, plan.target.full_name))
    return Held({record.entry.writer: record for record in found})


def target_missing(plan: ViewPlan) -> SluiceError:
    """The error for a view whose target is not there."""
    target = ".".join(plan.view.target or ())
    return errors.TARGET_MISSING(view=plan.view.full_name, target=target)


def check_plans(plans: Iterable[ViewPlan]) -> None:
    """Nothing is read or written while a target, or something else that a view needs, is missing.

    Raises:
        SluiceError: TARGET_MISSING or VIEW_FAILED.
    """
    for plan in plans:
        if plan.fault is not None:
            reason = plan.fault.text()
            raise errors.VIEW_FAILED(view=plan.view.full_name, reason=reason) from plan.fault
        if plan.target is None:
            raise target_missing(plan)
        check_plans(plan.feeds)
