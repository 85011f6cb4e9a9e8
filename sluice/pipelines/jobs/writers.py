"""Where the rows of a job go: one writer for each output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sluice.pipelines.jobs.table_sink import TableWriter
from sluice.pipelines.jobs.topic_sink import TopicWriter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.offsets import Ranges
    from sluice.plan.job import Output


class Writer(Protocol):
    """Writes the batches of one output."""

    def start(self) -> None:
        """Look whether it can be written to, and settle what a killed writer has left."""

    def prepare(self, rows: DataFrame) -> DataFrame:
        """Rows of the query as they are written; also of a stream."""

    def write(self, prepared: DataFrame, batch: int, ranges: Ranges) -> None:
        """Write a batch; it is there for good when this returns."""

    def has(self, batch: int, ranges: Ranges) -> bool:
        """Whether all of a batch that is run again was there at the start.

        Raises:
            SluiceError: BATCH_RANGES_DIFFER, if it was there with other messages.
        """

    def last_batch(self) -> int | None:
        """The newest batch that is there, if that can be told."""

    def newest_batch(self) -> int | None:
        """The newest batch of which anything is there, if that can be told."""

    def look(self) -> None:
        """Look whether it can be written to now."""

    def close(self) -> None:
        """Let go of what it holds."""


def writer_of(
    output: Output, spark: SparkSession, store: DeltaStore, job: str, generation: int, number: int
) -> Writer:
    """The writer of an output, which has a number among those of its query."""
    if output.sink is None:
        return TableWriter(output, store, job, generation, number)
    return TopicWriter(output, spark, job, generation, number, store.instance)
