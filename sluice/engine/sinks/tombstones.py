"""Deletes that are remembered, so that older changes of their keys are ignored.

They are in a Delta table of their own, in a folder of the table's. It is written before the table:
a batch that is killed between the two is run again, and meets its own deletes, which are not newer
than itself.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from sluice.engine.spark import typed
from sluice.engine.storage import delta_log
from sluice.planner.stored import tombstone_ttl_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from sluice.catalog import Table
    from sluice.engine.storage.tables import DeltaStore

FOLDER = "_sluice_tombstones"
"""Delta's VACUUM deletes no folder whose name begins like this."""

_AT, _DELETED = "__deleted_at", "__tombstone"
_SWEEP = 50
"""Batches with deletes after which expired ones are removed, and files merged."""

_PROPERTIES = {
    "delta.checkpointInterval": "100",
    "delta.columnMapping.mode": "name",
    # Only the writer of the table reads them, one batch after the other: old files have no reader.
    "delta.deletedFileRetentionDuration": "interval 0 hours",
    "delta.logRetentionDuration": "interval 1 day",
}


class Tombstones:
    """The newest delete of each key, for as long as the table's option says."""

    def __init__(
        self, store: DeltaStore, table: Table, keys: Sequence[str], sequence: Sequence[str]
    ) -> None:
        """For a table whose changes are ordered by its columns `sequence`, if it has such."""
        self._store = store
        self._table = table
        self._keys = keys
        self._sequence = sequence
        self._ttl_ms = tombstone_ttl_ms(table) if sequence else 0
        self._added = 0
        self._swept_ms = _now_ms()

    def joined(self, changes: DataFrame) -> DataFrame:
        """Changes, each with the sequence of the newest delete of its key, or NULL."""
        folder = self._store.path(self._table) / FOLDER
        if not delta_log.exists(folder):
            none = F.when(F.lit(False), F.struct(*map(typed.column, self._sequence)))
            return changes.withColumn(_DELETED, none)
        rows = changes.sparkSession.read.format("delta").load(str(folder))
        wanted = F.broadcast(changes.select(*map(typed.column, self._keys)))
        kept = rows.where(F.col(_AT) > _now_ms() - self._ttl_ms).join(
            wanted, list(self._keys), "left_semi"
        )
        newest = kept.groupBy(*map(typed.column, self._keys)).agg(
            F.max(F.struct(*map(typed.column, self._sequence))).alias(_DELETED)
        )
        named = newest.select(
            _DELETED, *(typed.column(key).alias(f"__t{n}") for n, key in enumerate(self._keys))
        )
        same = [typed.column(key) == F.col(f"__t{n}") for n, key in enumerate(self._keys)]
        found = changes.join(named, same, "left")
        return found.drop(*(f"__t{n}" for n in range(len(self._keys))))

    def outlives(self, own: Column) -> Column:
        """Whether a key was deleted after a change with this sequence."""
        return F.col(_DELETED).isNotNull() & (own < F.col(_DELETED))

    def add(self, deleted: DataFrame) -> None:
        """Remember deletes; those without a sequence cannot be compared with anything."""
        if not self._sequence:
            return
        kept = deleted.where(typed.column(self._sequence[0]).isNotNull())
        names = dict.fromkeys([*self._keys, *self._sequence])
        rows: Any = kept.select(
            *map(typed.column, names), F.lit(_now_ms()).cast("bigint").alias(_AT)
        )
        if rows.isEmpty():
            return
        path = str(self._store.path(self._table) / FOLDER)
        append: Any = rows.sparkSession._jvm.sluice.parquet.Append.append
        append(rows.coalesce(1)._jdf, path, None, None, 0, True, False, [], _PROPERTIES)
        self._added += 1
        if self._added >= _SWEEP or _now_ms() - self._swept_ms >= self._ttl_ms:
            self._sweep(rows.sparkSession, path)

    def _sweep(self, spark: Any, path: str) -> None:
        """Remove expired deletes, merge the files of the others, and delete the old files."""
        self._added, self._swept_ms = 0, _now_ms()
        table = spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, path)
        expired: Any = F.col(_AT) <= self._swept_ms - self._ttl_ms
        table.delete(expired._jc)
        table.optimize().executeCompaction()
        table.vacuum()


def _now_ms() -> int:
    return int(time.time() * 1000)
