"""Event times: the newest of each partition, which the watermark follows; rows that are late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Column
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

PLACE = ("__topic", "__partition")
"""The columns of a decoded message that name its partition."""


class PartitionTimes:
    """The newest event time of each partition of a stream, noted by its tasks, in Java."""

    def __init__(
        self, spark: SparkSession, partitions: Iterable[tuple[str, int]], idle_ms: int
    ) -> None:
        """For these partitions; one without rows for `idle_ms`, unless that is 0, is left out."""
        session: Any = spark
        self._jvm = session._jvm
        named = [f"{topic} {partition}" for topic, partition in partitions]
        self._times = self._jvm.sluice.spark.PartitionTimes.of(
            session._jsparkSession, named, idle_ms
        )

    def noted(self, time: Column) -> Column:
        """The event time, noted for the partition that its row is of."""
        given: list[Any] = [time, *map(F.col, PLACE)]
        return Column(
            self._jvm.sluice.spark.Columns.noted(self._times, *(each._jc for each in given))
        )


def settle_watermarks(spark: SparkSession) -> None:
    """Let the watermark after the batch that runs be that of the slowest partitions."""
    session: Any = spark
    session._jvm.sluice.spark.Watermarks.settle(session._jsparkSession)


class StateProgress:
    """What Spark reports of the stateful operators of a running query, and nowhere else.

    `rows` are those in state after the last batch, None before the first. `late` are the rows older
    than the watermark, which Spark drops; rows that were aggregated before count as one.
    """

    def __init__(self) -> None:
        self.rows: int | None = None
        self.late = 0
        self._until = ""

    def look(self, query: StreamingQuery) -> None:
        """Take the batches that have ended since the last look."""
        spark: Any = query
        newest = self._until
        for progress in reversed(list(spark._jsq.recentProgress())):
            begun = progress.timestamp()
            if begun <= self._until:
                break
            operators = list(progress.stateOperators())
            self.late += sum(each.numRowsDroppedByWatermark() for each in operators)
            if newest == self._until and operators:
                self.rows = sum(each.numRowsTotal() for each in operators)
            newest = max(newest, begun)
        self._until = newest
