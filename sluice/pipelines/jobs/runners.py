"""What Spark calls for every batch of a job's query."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import failpoints, offsets
from sluice.pipelines.batches import Batches
from sluice.pipelines.fan_out import kept, side_by_side
from sluice.pipelines.jobs.reading import Reader, settle_watermarks
from sluice.pipelines.queries import planned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.errors import SluiceError
    from sluice.pipelines.jobs.query import JobQuery
    from sluice.pipelines.jobs.writers import Writer
    from sluice.pipelines.offsets import Ranges
    from sluice.pipelines.store_path import AnyPath


class Runner(Batches):
    """Writes the batches of a query whose plan makes the rows."""

    def __init__(self, query: JobQuery, checkpoint: AnyPath, writers: list[Writer]) -> None:
        super().__init__(checkpoint)
        self._query = query
        self._writers = writers
        self._reads: Ranges = {}
        """What the batch reads that runs, or has failed."""

    def _run(self, rows: DataFrame, batch: int) -> None:
        failpoints.hit("offsets.after_log")
        ranges = self._query.ranges(self.checkpoint, batch)
        self._reads = offsets.together(ranges.values())
        self._query.check_topics()
        self._write(rows, batch, self._reads)
        if self._query.settles:
            settle_watermarks(rows.sparkSession)
        failpoints.hit("group.before_commit")
        self._query.batch_done(batch, ranges)
        failpoints.hit("commit.before_log")
        self.last_done = batch

    def _write(self, rows: DataFrame, batch: int, ranges: Ranges) -> None:
        if not self._writers[0].has(batch, ranges):
            self._writers[0].write(rows, batch, ranges)

    def _fault(self, fault: Exception, _: DataFrame) -> SluiceError:
        named = self._query.named(fault)
        if named.condition is not errors.BATCH_FAILED or not offsets.count(self._reads):
            return named
        reason = str(named.params["reason"])
        read = self._query.failing(reason, self._reads)
        at = offsets.only_message(read) or f"(it read {offsets.shown(read)})"
        return errors.BATCH_FAILED(reason=f"{reason.rstrip('.')} {at}")


class Shared(Runner):
    """Lets several outputs have the messages of each batch."""

    def __init__(self, query: JobQuery, checkpoint: AnyPath, writers: list[Writer]) -> None:
        super().__init__(query, checkpoint, writers)
        self._readers: dict[str, Reader] = {}

    def _write(self, messages: DataFrame, batch: int, ranges: Ranges) -> None:
        spark, spec = messages.sparkSession, self._query.spec
        with ExitStack() as stack:
            for given in spec.inputs:
                stored = given.source is None
                found = self._query.table(spark, given) if stored else messages
                if given.view not in self._readers:
                    self._readers[given.view] = Reader(given, found)
                rows = self._readers[given.view](found)
                if not stored:
                    stack.enter_context(kept(rows, uses=len(spec.outputs)))
                rows.createOrReplaceTempView(given.view)
            side_by_side(
                [
                    partial(self._write_one, spark, n, batch, ranges)
                    for n in range(len(spec.outputs))
                    if not self._writers[n].has(batch, ranges)
                ]
            )

    def _write_one(self, spark: SparkSession, n: int, batch: int, ranges: Ranges) -> None:
        writer, output = self._writers[n], self._query.spec.outputs[n]
        prepared = writer.prepare(planned(spark, output.sql, output.steps))
        writer.write(prepared, batch, ranges)
