"""Small files are merged and old ones removed, beside the batches and never within one."""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.clickhouse.data_files import NotReadable
from sluice.engine import faults
from sluice.engine.storage.compaction import SMALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import timedelta

    from pyspark.sql import SparkSession

    from sluice.catalog import Table
    from sluice.engine.storage.snapshots import Snapshots
    from sluice.engine.storage.tables import DeltaStore

LOOK_S = 10.0
MANY = 16
"""So many small files are worth merging."""

FOLD_EVERY_S = 30.0

CLEAN_EVERY_S = 24 * 3600.0
EXPIRE_EVERY_S = 3600.0

log = logging.getLogger(__name__)


class Maintenance:
    """Compaction, expiry and removal of files, in one thread for all stored tables of a folder.

    Merging rewrites rows without changing any, so it runs beside appends; each of them is a commit
    of its own and the ledger does not notice. Files that were merged are kept for a week, for
    readers that still use them.
    """

    def __init__(
        self,
        store: DeltaStore,
        spark: Callable[[], SparkSession],
        tables: Callable[[], Iterable[Table]],
        snapshots: Snapshots,
        lifetimes: Mapping[str, timedelta] | None = None,
    ) -> None:
        """For these tables; `lifetimes` has for some, by id, how long they keep a row.

        The first column that such a table is sorted by is a row's time.
        """
        self._store = store
        self._spark = spark
        self._tables = tables
        self._snapshots = snapshots
        self._counted: dict[str, int] = {}
        """The version of a table since when new small files are counted."""
        self._merged: dict[str, float] = {}
        self._left: dict[str, int] = {}
        """The small files of a table that were not worth merging with others."""
        self._folded: dict[str, float] = {}
        self._cleaned: dict[str, float] = {}
        self._lifetimes = lifetimes or {}
        self._expired: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in a thread of its own."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="maintenance", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Start nothing new; a running merge is abandoned and leaves only unreferenced files."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(LOOK_S):
            for table in self._tables():
                if self._stop.is_set():
                    return
                try:
                    self.maintain(table)
                except Exception as fault:  # noqa: BLE001 - maintenance can wait; the next round retries
                    log.warning("maintenance of %s: %s", table.full_name, faults.reason(fault))

    def expire(self, table: Table) -> None:
        """Delete the rows of a table that are older than it keeps them."""
        life = self._lifetimes.get(table.uuid)
        if life is not None and self._store.exists(table):
            oldest = datetime.now(UTC) - life
            self._store.delete(self._spark(), table, F.col(table.order_by[0]) < F.lit(oldest))

    def maintain(self, table: Table, many: int = MANY) -> bool:
        """Merge a table's small files if there are many new ones; whether it did."""
        began = time.time()
        if began - self._folded.get(table.uuid, 0.0) >= FOLD_EVERY_S:
            self._store.ledger(table).fold()
            self._folded[table.uuid] = began
        if began - self._expired.get(table.uuid, 0.0) >= EXPIRE_EVERY_S:
            self.expire(table)
            self._expired[table.uuid] = began
        merged = self._are_many(table, many)
        if merged:
            self._store.compaction.merge_files(self._spark(), table, every=False)
            self._merged[table.uuid] = began
            self._left[table.uuid] = self._small(table) or 0
            log.info("merged the files of %s in %.1f s", table.full_name, time.time() - began)
        if merged and began - self._cleaned.get(table.uuid, 0.0) >= CLEAN_EVERY_S:
            self._store.compaction.remove_old_files(self._spark(), table)
            self._cleaned[table.uuid] = began
        return merged

    def _are_many(self, table: Table, many: int) -> bool:
        """Whether a table has got so many small files since they were merged.

        A batch is a commit with a file: nothing is counted before there are as many commits.
        """
        newest = self._store.ledger(table).newest_version()
        before = self._counted.get(table.uuid, -1)
        if before <= newest < before + many:
            return False
        small = self._small(table)
        if small is None:
            since = self._merged.get(table.uuid, 0.0)
            new = self._store.compaction.small_files(table, since=since)
        else:
            left = self._left[table.uuid] = min(small, self._left.get(table.uuid, 0))
            new = small - left
        self._counted[table.uuid] = newest if new >= many else newest - new
        return new >= many

    def _small(self, table: Table) -> int | None:
        """How many small files a table has; None if only its folder tells."""
        found = self._snapshots.of(self._store.path(table))
        if isinstance(found, NotReadable):
            return None
        return sum(file.size < SMALL for file in found.files)
