"""Commits of rows to stored tables, each with its entry in the ledger and its fence."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.engine import failpoints, faults
from sluice.engine.spark import nested, typed
from sluice.engine.storage import constraints, delta_log, row_merging
from sluice.engine.storage.deletion_vectors import portable
from sluice.engine.storage.keyed_batch import KeyedBatch
from sluice.engine.storage.table_schema import names_in_files, properties
from sluice.planner.stored import partitions_of, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyroaring import BitMap64
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.clickhouse.data_files import DataFile
    from sluice.engine.storage.ledger import Entry
    from sluice.engine.storage.store_path import AnyPath
    from sluice.engine.storage.tables import DeltaStore

_CHANGED = -1
"""The JVM's answer instead of a version: a file is not as it was."""

_UNKEPT = 25
"""Own commits whose entries may be only in Delta's log. It is cleaned up every 100 commits."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows were written, and the bytes of their files; 0 for what is not known."""

    rows: int = 0
    bytes: int = 0


class Commits:
    """Writes rows to the tables of a store. The first rows of a table create its files."""

    def __init__(self, store: DeltaStore) -> None:
        """For a store, whose instance signs the commits."""
        self._store = store
        self._indexed: Counter[AnyPath] = Counter()
        self._unkept: dict[str, int] = {}

    def hidden(self, table: Table) -> list[SparkColumn]:
        """Columns that only the files have: when a row was written, where that decides."""
        return row_merging.written_now() if self._store.is_ordered(table) else []

    def checked(self, fitted: DataFrame, table: Table) -> DataFrame:
        """Rows with the table's columns; one that the table cannot have stops the writing."""
        fitted = nested.checked(constraints.checked(fitted, table), table)
        how = self._store.merging(table)
        if how is None or not how.sign:
            return fitted
        (stored,) = names_in_files(table, [how.sign])
        return fitted.where(row_merging.signed(typed.column(stored), how.sign))

    def append_fitted(
        self, fitted: DataFrame, table: Table, entry: Entry | None = None, *, grows: bool = False
    ) -> int:
        """Add rows that have exactly the table's columns; the first ones make the table.

        With `grows` the commit adds the columns that the table does not have. The version of the
        commit is returned, -1 if it is not known.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch of the entry, or a later one.
        """
        self._store.must_be(table)
        self._keep_ledger(table)
        own = not path_of(table) and not partitions_of(table)
        made, parts = properties(table), names_in_files(table, partitions_of(table))
        metadata, who, batch = self._signed(entry)
        jvm: Any = fitted.sparkSession._jvm
        frame: Any = fitted
        creating = nullcontext() if self._store.exists(table) else self._store.creating(table)
        with creating, _fences(table):
            version = jvm.sluice.parquet.Append.append(
                frame._jdf,
                str(self._store.path(table)),
                metadata,
                who,
                batch,
                own,
                grows,
                parts,
                made,
            )
        if version < 0:  # a table at a path has other columns by now: Delta Lake casts, or refuses
            self._write(fitted, table, entry, "append")
        return int(version)

    def written(self, table: Table, version: int) -> Written:
        """What a commit has added."""
        told = delta_log.info(self._store.path(table), version) if version >= 0 else None
        counts = (told or {}).get("operationMetrics", {})
        return Written(int(counts.get("numOutputRows", 0)), int(counts.get("numOutputBytes", 0)))

    def begin_upsert(
        self,
        shape: DataFrame,
        table: Table,
        entry: Entry | None,
        keys: Sequence[str],
        *,
        grows: bool = False,
    ) -> KeyedBatch | None:
        """Begin to change rows by their key, while the lock for that is held.

        `shape` is any frame with the rows' columns; with `grows` the commit adds those that the
        table does not have. None for a table that forbids deletion vectors, or has other columns by
        now.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch of the entry, or a later one.
        """
        self._store.must_be(table)
        path = self._store.ensure(shape.sparkSession, table)
        self._keep_ledger(table)
        own = not path_of(table) and not partitions_of(table)
        metadata, who, batch = self._signed(entry)
        jvm: Any = shape.sparkSession._jvm
        frame: Any = shape
        with _fences(table):
            begun = jvm.sluice.parquet.Upsert.begin(
                frame._jdf, path, list(keys), who, batch, grows, properties(table)
            )
        if begun is None:
            return None
        fences = partial(_fences, table)
        return KeyedBatch(shape.sparkSession, begun, metadata, fences, own=own)

    def change(
        self,
        spark: SparkSession,
        table: Table,
        gone: Sequence[tuple[DataFile, BitMap64]],
        added: DataFrame | None,
    ) -> bool:
        """Delete rows by their files and numbers, and add others, in one commit.

        Rows that others append meanwhile stay. False, and nothing is done, if one of the files has
        changed since it was read.

        Raises:
            SluiceError: DELETION_VECTORS_REQUIRED for a table that forbids deletion vectors.
        """
        self._store.must_be(table)
        self._keep_ledger(table)
        own = not path_of(table) and not partitions_of(table)
        shape: Any = spark.range(0)
        rows: Any = added
        jvm: Any = spark._jvm
        version = jvm.sluice.parquet.Mutation.commit(
            shape._jdf,
            None if rows is None else rows._jdf,
            str(self._store.path(table)),
            [file.path for file, _ in gone],
            [file.deletion.id if file.deletion is not None else "" for file, _ in gone],
            [portable(numbers) for _, numbers in gone],
            own,
        )
        if version < _CHANGED:
            raise errors.DELETION_VECTORS_REQUIRED(table=table.full_name, what="a change of rows")
        failpoints.hit("delta.after_commit")
        return bool(version > _CHANGED)

    def hold_index(self, table: Table) -> None:
        """Keep the index of a table's keys in memory until it is released as often."""
        self._indexed[self._store.path(table)] += 1

    def release_index(self, spark: SparkSession, table: Table) -> None:
        """Release the memory of the index of a table's keys, unless another writer holds it."""
        jvm: Any = spark._jvm
        path = self._store.path(table)
        self._indexed[path] -= 1
        if self._indexed[path] <= 0:
            jvm.sluice.delta.KeyIndex.forget(str(path))

    def overwrite_fitted(self, fitted: DataFrame, table: Table, entry: Entry) -> None:
        """Put rows in the place of all others, or of those in the same partitions."""
        self._store.must_be(table)
        self._store.ensure(fitted.sparkSession, table)
        with self._store.writing(table):
            self._write(fitted, table, entry, "overwrite")

    def _write(self, fitted: DataFrame, table: Table, entry: Entry | None, mode: str) -> None:
        """Write by Delta's own command."""
        writer = fitted.write.format("delta").mode(mode)
        if mode == "overwrite" and partitions_of(table):
            writer = writer.option("partitionOverwriteMode", "dynamic")
        if entry is None:
            writer.save(str(self._store.path(table)))
            return
        metadata, who, batch = self._signed(entry)
        writer = writer.options(userMetadata=metadata, txnAppId=who, txnVersion=str(batch))
        with self.fenced(fitted.sparkSession, table, entry):
            writer.save(str(self._store.path(table)))

    def signed(self, entry: Entry) -> Entry:
        """An entry with the token of this server's start."""
        return replace(entry, by=self._store.instance.token)

    def _signed(self, entry: Entry | None) -> tuple[str | None, str | None, int]:
        """The metadata, the writer and the batch of a commit."""
        if entry is None:
            return None, None, 0
        return self.signed(entry).metadata(), entry.writer, entry.batch

    @contextmanager
    def fenced(self, spark: SparkSession, table: Table, entry: Entry) -> Iterator[None]:
        """Around a Delta command that commits a batch under its writer's name.

        Such a command passes over a batch that the table has. Here that is an error: before it,
        and after it if another writer committed the batch meanwhile.

        Raises:
            SluiceError: COMMIT_FENCED.
        """
        session: Any = spark
        given = (session._jsparkSession, str(self._store.path(table)), entry.writer, entry.batch)
        self._keep_ledger(table)
        with _fences(table):
            session._jvm.sluice.delta.CommitFence.check(*given)
            yield
        found = self._store.ledger(table).last(entry.writer)
        if found is None or found.entry != self.signed(entry):
            batch = -1 if found is None else found.entry.batch
            raise errors.COMMIT_FENCED(
                table=table.full_name, writer=entry.writer, batch=entry.batch, newest=batch
            )

    def _keep_ledger(self, table: Table) -> None:
        """Before a commit, which may clean Delta's log up, copy the ledger's entries in time."""
        left = self._unkept.get(table.uuid, 0)
        if left <= 0 and self._store.exists(table):
            self._store.ledger(table).fold()
            left = _UNKEPT
        self._unkept[table.uuid] = left - 1


@contextmanager
def _fences(table: Table) -> Iterator[None]:
    """Raise COMMIT_FENCED if the JVM fenced a late commit."""
    try:
        yield
    except Exception as fault:
        found = faults.condition(fault)
        if found is None or found.name != errors.COMMIT_FENCED.name:
            raise
        raise errors.COMMIT_FENCED(table=table.full_name, **found.params) from fault
