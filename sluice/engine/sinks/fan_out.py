"""Writes a batch to the outputs of a query, and what an output writes to the views downstream.

The batches of tables and jobs, the rows of an INSERT and redriven messages are written here; only
the rows of a statement have no entry in the ledger.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import failpoints
from sluice.engine.changelog import only_batch
from sluice.engine.sinks.sink import sink_of
from sluice.engine.spark import slots
from sluice.engine.spark.plans import planned
from sluice.engine.storage.commits import Written
from sluice.engine.storage.ledger import Entry, Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.engine.offsets import Ranges
    from sluice.engine.sinks.sink import Sink
    from sluice.engine.spark.plans import Operators
    from sluice.engine.storage.tables import DeltaStore
    from sluice.errors import SluiceError
    from sluice.planner.query import Output, QuerySpec

    Naming = Callable[[BaseException], SluiceError]


@dataclass(frozen=True, slots=True)
class Opened:
    """An output with its sink, and who it is in the ledger."""

    output: Output
    sink: Sink
    writer: Writer | None


class FanOut:
    """The outputs of a query, each with its sink; one is used for every batch of a query.

    A sink that has the batch already is not written again, and the views downstream of it get the
    rows that it was given then. A topic that is written at least once gets a batch that is run
    again a second time. A table that views both read and write is read as it was before the batch.
    """

    def __init__(self, store: DeltaStore, named: Naming, outputs: Mapping[str, Output]) -> None:
        """For outputs by their names in the ledger; `named` finds the condition of an error."""
        self._store = store
        self._named = named
        self._outputs = outputs
        self._opened: dict[str, Opened] = {}
        self._who: tuple[str, int] | None = None

    def start(self, spark: SparkSession, who: tuple[str, int] | None = None) -> None:
        """Start all sinks for a query and its generation; without those, for one statement.

        Raises:
            SluiceError: TARGET_MISSING or VIEW_FAILED, or what is wrong with a target.
        """
        check_plans(self._outputs.values())
        self._who = who
        for name, output in self._outputs.items():
            for node in output.nodes():
                id_ = name if node is output else node.id
                view = id_.rpartition("/")[2]
                writer = None if who is None else Writer(*who, view, node.via)
                with self._naming(node):
                    sink = sink_of(node.into, self._store, spark, writer)
                    self._opened[id_] = Opened(node, sink, writer)
                    sink.start()

    def close(self) -> None:
        """Close the sinks."""
        for each in self._opened.values():
            each.sink.close()

    @property
    def opened(self) -> Sequence[Opened]:
        """All outputs, those downstream of others too, once this was started."""
        return list(self._opened.values())

    def name_transaction(self, last: str) -> None:
        """Let the ledger name the last source transaction of the batch that is written next."""
        for each in self._opened.values():
            if each.writer is not None:
                each.writer.transaction = last

    def feed(
        self, rows: DataFrame, view: str, batch: int = 0, ranges: Ranges | None = None
    ) -> None:
        """Write a batch whose input rows are these, under the name of a query's only input."""
        with kept(rows, uses=len(self._outputs)):
            rows.createOrReplaceTempView(view)
            self.write(rows.sparkSession, batch, ranges or {})

    def write(
        self, spark: SparkSession, batch: int, ranges: Ranges, prepared: DataFrame | None = None
    ) -> None:
        """Write a batch, whose input rows are views of the session, to all outputs in parallel.

        `prepared` are the rows of a single output that are made already.

        Raises:
            SluiceError: the first that goes wrong; what was written to other targets stays.
        """
        self._register_tables(spark, batch)
        failpoints.hit("batch.before_write")
        side_by_side(
            [partial(self._write, spark, name, batch, ranges, prepared) for name in self._outputs]
        )

    def prepared(
        self, spark: SparkSession, id_: str, operators: Operators = only_batch.run
    ) -> DataFrame:
        """The rows that an output makes of the views of the session, as its sink takes them.

        `operators` run the steps of a query over changelogs that keep state.
        """
        output = self._opened[id_].output
        with self._naming(output):
            rows = planned(spark, output.sql, output.steps, operators)
            return self._opened[id_].sink.prepare(rows)

    def have(self, batch: int, ranges: Ranges) -> bool:
        """Whether every output has a batch."""
        return all(
            each.writer is not None and each.sink.has(batch, ranges)
            for each in self._opened.values()
        )

    def rehearse(self, spark: SparkSession, name: str) -> None:
        """Let an output make its rows, and write none of them; it need not be started.

        Raises:
            SluiceError: what goes wrong.
        """
        output = self._outputs[name]
        self._register_tables(spark, 0)
        with self._naming(output):
            sink = sink_of(output.into, self._store, spark)
            rows = sink.prepare(planned(spark, output.sql, output.steps))
            rows.write.format("noop").mode("overwrite").save()

    def _register_tables(self, spark: SparkSession, batch: int) -> None:
        """Let Spark know the tables that the outputs read besides their input rows."""
        nodes = [node for output in self._outputs.values() for node in output.nodes()]
        written = {node.target.uuid for node in nodes if node.target is not None}
        for name, table in {name: table for node in nodes for name, table in node.reads}.items():
            at = self._before(table, batch) if table.uuid in written else None
            self._store.read(spark, table, version=at).createOrReplaceTempView(name)

    def _before(self, table: Table, batch: int) -> int:
        """The version that a table had before the batch."""
        if self._who and any(each.sink.last_batch() >= batch for each in self._opened.values()):
            first = self._store.first_version(table, Entry(*self._who, batch, "", {}))
            if first is not None:
                return first - 1
        return self._store.version(table)

    def _write(
        self,
        spark: SparkSession,
        id_: str,
        batch: int,
        ranges: Ranges,
        prepared: DataFrame | None = None,
    ) -> None:
        """Write what an output makes of its input rows to its sink, then feed those downstream."""
        each = self._opened[id_]
        output, sink = each.output, each.sink

        def feed(rows: DataFrame) -> None:
            rows.createOrReplaceTempView(output.feeds[0].block)
            side_by_side(
                [partial(self._write, spark, node.id, batch, ranges) for node in output.feeds]
            )

        if each.writer is not None and sink.has(batch, ranges):
            if output.feeds:
                feed(self._store.block(spark, output.table, each.writer.entry(batch, ranges)))
            return
        rows = self.prepared(spark, id_) if prepared is None else prepared
        with kept(rows, uses=len(output.feeds) + (not output.table.passes)):
            with self._naming(output):
                sink.write(rows, batch, ranges)
            if output.feeds:
                feed(self._store.marked(rows, output.table))

    @contextmanager
    def _naming(self, output: Output) -> Iterator[None]:
        """An error of a view is raised with its name."""
        try:
            yield
        except Exception as fault:
            if output.definition is None:
                raise
            named = self._named(fault)
            if named.condition is not errors.BATCH_FAILED:
                raise named from fault
            reason = named.params["reason"]
            raise errors.VIEW_FAILED(view=output.name, reason=reason) from fault


def write_rows(store: DeltaStore, named: Naming, spec: QuerySpec, rows: DataFrame) -> Written:
    """Run a query over the rows of its only input, as the only batch.

    A query with an id has entries in the ledger: an output that has its rows is not written again.
    What its first output has written is returned, without what the views made of it.

    Raises:
        SluiceError: TARGET_MISSING or VIEW_FAILED before anything is written; VIEW_FAILED after
            that for what a view could not do, while other tables have their rows.
    """
    (given,) = spec.inputs
    with closing(FanOut(store, named, spec.by_name)) as outputs:
        outputs.start(rows.sparkSession, (spec.id, 1) if spec.id else None)
        outputs.feed(rows, given.view)
        return next((each.sink.written() for each in outputs.opened), Written())


def side_by_side(writes: Sequence[Callable[[], None]]) -> None:
    """Run all writes in parallel; the first error is raised when every one has ended."""
    if len(writes) < 2:
        for write in writes:
            write()
        return
    with ThreadPoolExecutor(len(writes)) as pool:
        done = [pool.submit(slots.carried(write)) for write in writes]
    for fault in [write.exception() for write in done]:
        if fault is not None:
            raise fault


@contextmanager
def kept(rows: DataFrame, uses: int) -> Iterator[None]:
    """Cache rows while they are used, if more than once, so that they are computed once."""
    if uses < 2:
        yield
        return
    rows.persist()
    try:
        yield
    finally:
        rows.unpersist()


def check_plans(plans: Iterable[Output]) -> None:
    """Nothing is read or written while a target, or something else that a view needs, is missing.

    Raises:
        SluiceError: TARGET_MISSING or VIEW_FAILED.
    """
    for plan in plans:
        if plan.fault is not None:
            raise errors.VIEW_FAILED(view=plan.name, reason=plan.fault.text()) from plan.fault
        if plan.target is None:
            target = ".".join(plan.view.target or ())
            raise errors.TARGET_MISSING(view=plan.name, target=target)
        check_plans(plan.feeds)
