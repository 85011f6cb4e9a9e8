"""Rows that come behind the watermark: Spark leaves them out, and says so in its progress only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery


class Late:
    """Counts them, batch by batch; rows that were put together before count as one."""

    def __init__(self) -> None:
        self.rows = 0
        self._until = ""

    def look(self, query: StreamingQuery) -> None:
        """Count those of the batches that have ended since the last look."""
        spark: Any = query
        newest = self._until
        for progress in reversed(list(spark._jsq.recentProgress())):
            begun = progress.timestamp()
            if begun <= self._until:
                break
            newest = max(newest, begun)
            self.rows += sum(each.numRowsDroppedByWatermark() for each in progress.stateOperators())
        self._until = newest
