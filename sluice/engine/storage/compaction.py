"""Compaction: small files of a table replaced by few large ones, beside the commits of writers.

Rows of merging tables are merged on the way. Exactly the files that were read are removed, so what
others append meanwhile stays.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.classic.dataframe import DataFrame as Classic

from sluice.engine.spark import typed
from sluice.engine.storage import row_merging
from sluice.planner.stored import key_of, partitions_of, path_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.engine.storage.tables import DeltaStore

SMALL = 32 << 20
"""Files of more bytes than this are not merged."""

_DATA_CHANGE = "dataChange"
_OPERATION = "org.apache.spark.sql.delta.DeltaOperations$ManualUpdate$"


class Compaction:
    """Keeps the files of a store's tables few."""

    def __init__(self, store: DeltaStore) -> None:
        """For the tables of a store."""
        self._store = store

    def small_files(self, table: Table, since: float = 0.0) -> int:
        """How many files that are worth merging have been written since a time."""
        # Column mapping spreads them over folders; without it they are in those of partitions.
        files = self._store.path(table).glob(
            "**/*.parquet" if path_of(table) else "[!_]*/*.parquet"
        )
        found = (path.stat() for path in files if "_delta_log" not in path.parts)
        return sum(file.st_size < SMALL and file.st_mtime >= since for file in found)

    def merge_files(
        self, spark: SparkSession, table: Table, *, final: bool = False, every: bool = True
    ) -> None:
        """Rewrite small files as few large ones; `final` also those that are large.

        Without `every` a file has to wait until those smaller than it are as large together. No row
        changes, except that those with the same key become one where they are read so.
        """
        how = self._store.merging(table)
        if how is None and key_of(table):
            self._compact_keyed(spark, table, every=every)
            return
        with self._store.writing(table):  # changes of rows wait, appends do not
            self._merge_files(spark, table, final=final, every=every)

    def _merge_files(self, spark: SparkSession, table: Table, *, final: bool, every: bool) -> None:
        """Merge the files of a table without a key, whose rows nobody changes meanwhile."""
        if self._store.merging(table) is None:
            self._compact_appended(spark, table, every=every)
            return

        def collapsed(rows: DataFrame) -> DataFrame:
            # A column that the files have got is in the catalog before, if only as a pending one.
            now, there = self._store.current(table), set(rows.columns)
            columns = [c for c in now.whole.stored_columns if c.name_in_files in there]
            now = replace(now, columns=tuple(columns))
            how = self._store.merging(now)
            assert how is not None  # noqa: S101 - its engine is the same
            parts = self._store.marked(rows, now, ordered=how.ordered)
            named = [(c.name, c.type) for c in columns]
            one = row_merging.merged(parts, named, how, final=final).coalesce(1)
            hidden = [typed.column(name) for name, _ in row_merging.ORDER] if how.ordered else []
            kept = [typed.column(c.name).alias(c.name_in_files, metadata={}) for c in columns]
            return one.select(*kept, *hidden)

        path, below = str(self._store.path(table)), None if final else SMALL
        replace_files(spark, path, below, collapsed, every=every)

    def _compact_appended(self, spark: SparkSession, table: Table, *, every: bool) -> None:
        """Merge the files of a table whose rows stay as they are."""
        session: Any = spark
        merge = session._jvm.sluice.parquet.SmallFiles.merge
        path = str(self._store.path(table))
        own = not path_of(table) and not partitions_of(table)
        if not own or merge(session._jsparkSession, path, SMALL, 8 * SMALL, every) < 0:
            self._store.delta(spark, table).optimize().executeCompaction()

    def _compact_keyed(self, spark: SparkSession, table: Table, *, every: bool) -> None:
        """Merge the files of a table with a key: beside its batches, or in turn with them."""
        copied = self.copy_files(spark, table, every=every)
        with self._store.writing(table):
            if copied is None:
                self._store.delta(spark, table).optimize().executeCompaction()
            else:
                copied.commit()

    def copy_files(self, spark: SparkSession, table: Table, *, every: bool = True) -> Any:
        """Copy the rows of files that are worth it, if the table is being changed by its key.

        What this gives is committed while the lock for changing rows is held.
        """
        if path_of(table) or partitions_of(table):
            return None
        session: Any = spark
        compaction = session._jvm.sluice.parquet.Compaction
        return compaction.copy(
            session._jsparkSession, str(self._store.path(table)), SMALL, 8 * SMALL, every
        )

    def remove_old_files(self, spark: SparkSession, table: Table) -> None:
        """Delete the files that no version of the last week needs.

        Not at a path of the table's own: there may be files that others have put there.
        """
        if not path_of(table):
            self._store.delta(spark, table).vacuum()


def replace_files(
    spark: SparkSession,
    path: str,
    below: int | None,
    make: Callable[[DataFrame], DataFrame],
    *,
    every: bool = True,
) -> bool:
    """Put what `make` makes of a table's files in their place; of those `below` a size, if given.

    Without `every` of those that are worth it. Whether there was more than one such file.
    """
    jvm: Any = spark._jvm
    session: Any = spark
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session._jsparkSession, path)
    none = jvm.scala.Option.empty()
    transaction = log.startTransaction(none, none)
    snapshot = transaction.snapshot()
    small = jvm.java.lang.Long.MAX_VALUE if below is None else below
    old = list(jvm.sluice.parquet.SmallFiles.of(snapshot, small, every))
    if len(old) < 2:
        return False
    files = jvm.java.util.ArrayList()
    for file in old:
        files.add(file)
    frame = log.createDataFrame(snapshot, _seq(jvm, files), False, none)
    made: Any = make(Classic(frame, spark))
    actions = jvm.java.util.ArrayList()
    written = transaction.writeFiles(made._jdf, none)
    for at in range(written.size()):
        actions.add(_rearranged(written.apply(at)))
    now = int(time.time() * 1000)
    for file in old:
        actions.add(file.removeWithTimestamp(now, False))
    operation = getattr(getattr(jvm, _OPERATION), "MODULE$")
    transaction.commit(_seq(jvm, actions), operation)
    return True


def _rearranged(added: Any) -> Any:
    """An added file, marked as without new rows: it does not conflict with appends."""
    parts = [added.productElement(at) for at in range(added.productArity())]
    names = [added.productElementName(at) for at in range(added.productArity())]
    parts[names.index(_DATA_CHANGE)] = False
    return added.copy(*parts)


def _seq(jvm: Any, items: Any) -> Any:
    return jvm.scala.jdk.javaapi.CollectionConverters.asScala(items).toSeq()
