"""Stored tables: one Delta table each, in the data folder or where the table's path says."""

from __future__ import annotations

import re
import threading
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as Classic
from pyspark.sql.types import DataType

from sluice import errors
from sluice.catalog import NOBODY
from sluice.engine import faults
from sluice.engine.spark import typed
from sluice.engine.spark.projection import Select
from sluice.engine.storage import delta_log, row_merging
from sluice.engine.storage.compaction import replace_files
from sluice.engine.storage.history import History
from sluice.engine.storage.keyed_batch import KeyedBatch
from sluice.engine.storage.store_path import remove
from sluice.formats import text_casts
from sluice.planner.late_columns import late_defaults
from sluice.planner.stored import has_change_feed, key_of, partitions_of, path_of
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Column, Instance, Table
    from sluice.engine.spark.projection import Named
    from sluice.engine.storage.ledger import Entry, Record
    from sluice.engine.storage.locations import Locations
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.merging import Merging
    from sluice.types import Type

SMALL = 32 << 20
"""Files of more bytes than this are not merged."""

_UNKEPT = 25
"""Own commits whose entries may be only in Delta's log. It is cleaned up every 100 commits."""

_RANGES = (m.Int, m.Float, m.Decimal, m.Date, m.DateTime, m.LocalDateTime)
"""Types whose values come in some order, so that files differ in what they hold.

In the texts of a batch nearly everything occurs: their statistics let a reader skip no file, and
cost every row as much as a tenth of its writing.
"""


class DeltaStore:
    """The folder of stored tables. A table's files are made with its first rows."""

    def __init__(
        self,
        folder: AnyPath,
        locations: Locations,
        merging: Callable[[Table], Merging | None] = lambda _: None,
        instance: Instance = NOBODY,
        current: Callable[[Table], Table] = lambda table: table,
    ) -> None:
        """`locations` knows where tables may be that name a path.

        `merging` tells how the rows of a table with the same key become one, `current` which
        columns a table has by now. Commits carry the `instance` that makes them.
        """
        self.folder = folder
        self.instance = instance
        self._merging = merging
        self._current = current
        self._locations = locations
        self._locks: dict[AnyPath, threading.Lock] = {}
        self._changing: dict[AnyPath, threading.Lock] = {}
        self._ledgers: dict[AnyPath, History] = {}
        self._indexed: Counter[AnyPath] = Counter()
        self._dropped: set[str] = set()
        self._there: set[str] = set()
        self._unkept: dict[str, int] = {}
        self._marked: dict[tuple[str, tuple[Column, ...], bool], list[Select]] = {}

    def path(self, table: Table) -> AnyPath:
        """Where a table's files are; named by its id, so no name can lead elsewhere.

        Raises:
            SluiceError: PATH_NOT_ALLOWED for a table at a path that may not be used, or no longer.
        """
        given = path_of(table)
        return self._locations.find(given) if given else self.folder / table.uuid

    def reachable(self, table: Table) -> bool:
        """Whether the table's files are where they may be."""
        try:
            self.path(table)
        except errors.SluiceError:
            return False
        return True

    def must_be(self, table: Table) -> None:
        """Make sure that a table has not been dropped, before it is written to.

        Raises:
            SluiceError: TABLE_DROPPED.
        """
        if table.uuid in self._dropped:
            raise errors.TABLE_DROPPED(table=table.full_name)

    def ensure(self, spark: SparkSession, table: Table) -> str:
        """Create the Delta table if it does not exist yet; its path."""
        path = str(self.path(table))
        with self._creating(table):
            if not self.exists(table):
                self.must_be(table)
                rows = _nothing(spark, self._in_files(table))
                writer = rows.write.format("delta").options(**_properties(table))
                writer.partitionBy(*_in_files(table, partitions_of(table))).save(path)
        return path

    def exists(self, table: Table) -> bool:
        """Whether the table has a commit yet; a killed process may leave a folder without one."""
        if table.uuid not in self._there and delta_log.exists(self.path(table)):
            self._there.add(table.uuid)
        return table.uuid in self._there

    def _creating(self, table: Table) -> threading.Lock:
        return self._locks.setdefault(self.path(table), threading.Lock())

    def names(self, spark: SparkSession, table: Table) -> list[str]:
        """What the columns are called in the files, those that were dropped too."""
        return spark.read.format("delta").load(self.ensure(spark, table)).columns

    def difference(self, spark: SparkSession, table: Table) -> str:
        """In what a Delta table that is there differs from how a statement describes it."""
        found = spark.read.format("delta").load(str(self.path(table))).schema
        there = {field.name: field.dataType.simpleString() for field in found.fields}
        wanted = {
            c.name: DataType.fromDDL(spark_type(c.type)).simpleString()
            for c in table.stored_columns
        }
        for name in (*there, *wanted):
            if there.get(name) != wanted.get(name):
                return f"column {name} is {there.get(name, 'not there')} in its files, and " + (
                    f"{wanted[name]} in the statement" if name in wanted else "not in the statement"
                )
        detail = Classic(self._delta(spark, table).detail(), spark).select("partitionColumns")
        parts = tuple(detail.collect()[0][0])
        if parts != partitions_of(table):
            declared = ", ".join(partitions_of(table))
            return f"its partitions are ({', '.join(parts)}), and ({declared}) in the statement"
        return ""

    def add_columns(
        self, spark: SparkSession, table: Table, columns: Sequence[tuple[str, Type]]
    ) -> None:
        """Give the files room for more columns; what is there has NULL in them."""
        if any("TIMESTAMP_NTZ" in spark_type(type_) for _, type_ in columns):
            self.ensure(spark, table)
            self._delta(spark, table).addFeatureSupport("timestampNtz")
        by_name = {c.name: (c.name_in_files, c.type) for c in table.stored_columns}
        parts = [by_name[name] for name in partitions_of(table)]  # no rows go without these
        writer = _nothing(spark, [*parts, *columns]).write.format("delta").mode("append")
        writer.option("mergeSchema", "true").save(self.ensure(spark, table))

    def truncate(self, spark: SparkSession, table: Table) -> None:
        """Remove every row, in one commit."""
        with self.writing(table):
            self._delta(spark, table).delete()

    def delete(self, spark: SparkSession, table: Table, which: SparkColumn) -> None:
        """Remove the rows of which that is true, in one commit."""
        condition: Any = which
        self._delta(spark, table).delete(condition._jc)

    def read(self, spark: SparkSession, table: Table, *, version: int | None = None) -> DataFrame:
        """The table's rows, merged, with typed columns; of a version if one is given."""
        how, parts = self._merging(table), self._parts(spark, table, version)
        if how is None:
            return parts
        named = [(c.name, c.type) for c in table.stored_columns]
        rows = row_merging.shown(parts, named, how)
        return Select([typed.marked(typed.quoted(n), n, t) for n, t in named])(rows)

    def _parts(self, spark: SparkSession, table: Table, version: int | None) -> DataFrame:
        """The rows as they were written, with their order if merging needs it."""
        reader = spark.read.format("delta")
        if not self.exists(table) or version == -1:
            rows = _nothing(spark, self._in_files(table))
        elif version is None:
            rows = reader.load(str(self.path(table)))
        else:
            rows = _filled(reader.option("versionAsOf", version).load(str(self.path(table))), table)
        return self.marked(rows, table, ordered=self._is_ordered(table))

    def _is_ordered(self, table: Table) -> bool:
        """Whether it matters which of two rows with the same key was written later."""
        how = self._merging(table)
        return how is not None and how.ordered

    def marked(self, rows: DataFrame, table: Table, *, ordered: bool = False) -> DataFrame:
        """Rows with the columns of the files as the table's rows."""
        key = (table.uuid, table.columns, ordered)
        if key not in self._marked:
            defaults = late_defaults(table)
            hidden = [typed.column(name) for name, _ in row_merging.ORDER] if ordered else []
            read = {c.name: _read(c, filled=c.name not in defaults) for c in table.stored_columns}
            self._marked[key] = [Select([*read.values(), *hidden])]
            for name, sql in defaults.items():
                filled = f"coalesce({typed.quoted(name)}, {sql})"
                kept = {each: typed.column(each) for each in read}
                columns = kept | {name: replace(read[name], sql=filled)}
                self._marked[key].append(Select([*columns.values(), *hidden]))
        for select in self._marked[key]:
            rows = select(rows)
        return rows

    def _in_files(self, table: Table) -> list[tuple[str, Type]]:
        """What the files have: the table's columns, and when a row was written if that counts."""
        hidden = row_merging.ORDER if self._is_ordered(table) else ()
        return [*((c.name_in_files, c.type) for c in table.stored_columns), *hidden]

    def block(self, spark: SparkSession, table: Table, entry: Entry) -> DataFrame:
        """The rows that a batch has written to a table, from the files of its commit."""
        found = self.ledger(table).last(entry.writer)
        assert found is not None  # noqa: S101 - the batch is there
        assert found.entry.batch == entry.batch  # noqa: S101 - only the last batch is run again
        actions = delta_log.actions(delta_log.commit(self.path(table), found.version))
        added = [action["add"]["path"] for action in actions if "add" in action]
        names = [path.rpartition("/")[2] for path in added]
        reader = spark.read.format("delta").option("versionAsOf", found.version)
        rows = reader.load(str(self.path(table))).where(F.col("_metadata.file_name").isin(names))
        return self.marked(_filled(rows, table), table)

    def version(self, table: Table) -> int:
        """The number of a table's newest commit; -1 for a table that has none."""
        return max(delta_log.versions(self.path(table)), default=-1)

    def first_version(self, table: Table, entry: Entry) -> int | None:
        """The first commit of a batch in a table, whichever view wrote it."""
        first = None
        for found in self.ledger(table).newest_first():
            if (found.entry.pipeline, found.entry.generation) == (entry.pipeline, entry.generation):
                if found.entry.batch < entry.batch:
                    break
                first = found.version
        return first

    def ledger(self, table: Table) -> History:
        """The entries of all batches that the table holds."""
        path = self.path(table)
        return self._ledgers.setdefault(path, History(path))

    def hidden(self, table: Table) -> list[SparkColumn]:
        """Columns that only the files have: when a row was written, where that decides."""
        return row_merging.written_now() if self._is_ordered(table) else []

    def checked(self, fitted: DataFrame, table: Table) -> DataFrame:
        """Rows with the table's columns; one that could not be merged stops the writing."""
        how = self._merging(table)
        if how is None or not how.sign:
            return fitted
        (stored,) = _in_files(table, [how.sign])
        return fitted.where(row_merging.signed(typed.column(stored), how.sign))

    def append_fitted(
        self, fitted: DataFrame, table: Table, entry: Entry | None = None, *, grows: bool = False
    ) -> None:
        """Add rows that have exactly the table's columns; the first ones make the table.

        With `grows` the commit adds the columns that the table does not have.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch of the entry, or a later one.
        """
        self.must_be(table)
        self._keep_ledger(table)
        own = not path_of(table) and not partitions_of(table)
        made, parts = _properties(table), _in_files(table, partitions_of(table))
        metadata, who, batch = self._signed(entry)
        jvm: Any = fitted.sparkSession._jvm
        frame: Any = fitted
        with nullcontext() if self.exists(table) else self._creating(table), _fences(table):
            version = jvm.sluice.parquet.Append.append(
                frame._jdf, str(self.path(table)), metadata, who, batch, own, grows, parts, made
            )
        if version < 0:  # a table at a path has other columns by now: Delta Lake casts, or refuses
            self._write(fitted, table, entry, "append")

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
        table does not have. None for a table that forbids deletion
        vectors, or has other columns by now.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch of the entry, or a later one.
        """
        self.must_be(table)
        path = self.ensure(shape.sparkSession, table)
        self._keep_ledger(table)
        own = not path_of(table) and not partitions_of(table)
        metadata, who, batch = self._signed(entry)
        jvm: Any = shape.sparkSession._jvm
        frame: Any = shape
        with _fences(table):
            begun = jvm.sluice.parquet.Upsert.begin(
                frame._jdf, path, list(keys), who, batch, grows, _properties(table)
            )
        if begun is None:
            return None
        fences = partial(_fences, table)
        return KeyedBatch(shape.sparkSession, begun, metadata, fences, own=own)

    def hold_index(self, table: Table) -> None:
        """Keep the index of a table's keys in memory until it is released as often."""
        self._indexed[self.path(table)] += 1

    def release_index(self, spark: SparkSession, table: Table) -> None:
        """Release the memory of the index of a table's keys, unless another writer holds it."""
        jvm: Any = spark._jvm
        path = self.path(table)
        self._indexed[path] -= 1
        if self._indexed[path] <= 0:
            jvm.sluice.delta.KeyIndex.forget(str(path))

    def overwrite_fitted(self, fitted: DataFrame, table: Table, entry: Entry) -> None:
        """Put rows in the place of all others, or of those in the same partitions."""
        self.must_be(table)
        self.ensure(fitted.sparkSession, table)
        with self.writing(table):
            self._write(fitted, table, entry, "overwrite")

    def _write(self, fitted: DataFrame, table: Table, entry: Entry | None, mode: str) -> None:
        """Write by Delta's own command."""
        writer = fitted.write.format("delta").mode(mode)
        if mode == "overwrite" and partitions_of(table):
            writer = writer.option("partitionOverwriteMode", "dynamic")
        if entry is None:
            writer.save(str(self.path(table)))
            return
        metadata, who, batch = self._signed(entry)
        writer = writer.options(userMetadata=metadata, txnAppId=who, txnVersion=str(batch))
        with self.fenced(fitted.sparkSession, table, entry):
            writer.save(str(self.path(table)))

    def signed(self, entry: Entry) -> Entry:
        """An entry with the token of this server's start."""
        return replace(entry, by=self.instance.token)

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
        given = (session._jsparkSession, str(self.path(table)), entry.writer, entry.batch)
        self._keep_ledger(table)
        with _fences(table):
            session._jvm.sluice.delta.CommitFence.check(*given)
            yield
        found = self.ledger(table).last(entry.writer)
        if found is None or found.entry != self.signed(entry):
            batch = -1 if found is None else found.entry.batch
            raise errors.COMMIT_FENCED(
                table=table.full_name, writer=entry.writer, batch=entry.batch, newest=batch
            )

    def _keep_ledger(self, table: Table) -> None:
        """Before a commit, which may clean Delta's log up, copy the ledger's entries in time."""
        left = self._unkept.get(table.uuid, 0)
        if left <= 0 and self.exists(table):
            self.ledger(table).fold()
            left = _UNKEPT
        self._unkept[table.uuid] = left - 1

    def writing(self, table: Table) -> threading.Lock:
        """The lock for changing existing rows: one writer at a time."""
        return self._changing.setdefault(self.path(table), threading.Lock())

    def small_files(self, table: Table, since: float = 0.0) -> int:
        """How many files that are worth merging have been written since a time."""
        # Column mapping spreads them over folders; without it they are in those of partitions.
        files = self.path(table).glob("**/*.parquet" if path_of(table) else "[!_]*/*.parquet")
        found = (path.stat() for path in files if "_delta_log" not in path.parts)
        return sum(file.st_size < SMALL and file.st_mtime >= since for file in found)

    def merge_files(self, spark: SparkSession, table: Table, *, final: bool = False) -> None:
        """Rewrite small files as few large ones; `final` also those that are large.

        No row changes, except that those with the same key become one where they are read so.
        """
        how = self._merging(table)
        if how is None and key_of(table):
            self._compact_keyed(spark, table)
            return
        if how is None:
            self._delta(spark, table).optimize().executeCompaction()
            return

        def collapsed(rows: DataFrame) -> DataFrame:
            # A column that the files have got is in the catalog before, if only as a pending one.
            now, there = self._current(table), set(rows.columns)
            columns = [c for c in now.whole.stored_columns if c.name_in_files in there]
            now = replace(now, columns=tuple(columns))
            how = self._merging(now)
            assert how is not None  # noqa: S101 - its engine is the same
            parts = self.marked(rows, now, ordered=how.ordered)
            named = [(c.name, c.type) for c in columns]
            one = row_merging.merged(parts, named, how, final=final).coalesce(1)
            hidden = [typed.column(name) for name, _ in row_merging.ORDER] if how.ordered else []
            kept = [typed.column(c.name).alias(c.name_in_files, metadata={}) for c in columns]
            return one.select(*kept, *hidden)

        replace_files(spark, str(self.path(table)), None if final else SMALL, collapsed)

    def _compact_keyed(self, spark: SparkSession, table: Table) -> None:
        """Merge the files of a table with a key: beside its batches, or in turn with them."""
        copied = self.copy_files(spark, table)
        with self.writing(table):
            if copied is None:
                self._delta(spark, table).optimize().executeCompaction()
            else:
                copied.commit()

    def copy_files(self, spark: SparkSession, table: Table) -> Any:
        """Copy the rows of files that are worth it, if the table is being changed by its key.

        What this gives is committed while the lock for changing rows is held.
        """
        if path_of(table) or partitions_of(table):
            return None
        session: Any = spark
        compaction = session._jvm.sluice.parquet.Compaction
        return compaction.copy(session._jsparkSession, str(self.path(table)), SMALL, 8 * SMALL)

    def remove_old_files(self, spark: SparkSession, table: Table) -> None:
        """Delete the files that no version of the last week needs.

        Not at a path of the table's own: there may be files that others have put there.
        """
        if not path_of(table):
            self._delta(spark, table).vacuum()

    def _delta(self, spark: SparkSession, table: Table) -> Any:
        session: Any = spark
        tables = session._jvm.io.delta.tables.DeltaTable
        return tables.forPath(session._jsparkSession, str(self.path(table)))

    def remove(self, table: Table) -> None:
        """Delete a dropped table's files; those at a path of its own are left as they are."""
        self._dropped.add(table.uuid)
        self._there.discard(table.uuid)
        self._ledgers.pop(self.path(table), None)
        if not path_of(table):
            remove(self.path(table))

    def last_batch(self, table: Table, writer: str) -> Record | None:
        """The newest batch of a pipeline's view that the table holds."""
        return self.ledger(table).last(writer) if self.exists(table) else None


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


def _nothing(spark: SparkSession, columns: Sequence[tuple[str, Type]]) -> DataFrame:
    """No rows, with these columns."""
    nothing = [F.lit(None).cast(spark_type(type_)).alias(name) for name, type_ in columns]
    return spark.range(0).select(*nothing)


def _read(column: Column, *, filled: bool) -> Named:
    """A column of the files as the table's; `filled` with its type's default in older rows."""
    found = typed.quoted(column.name_in_files)
    if filled and column.late and not is_nullable(column.type):
        found = f"coalesce({found}, {text_casts.default(column.type)})"
    return typed.marked(found, column.name, column.type)


def _filled(rows: DataFrame, table: Table) -> DataFrame:
    """Rows of an older version with room for the columns that have come since."""
    there = set(rows.columns)
    return rows.withColumns(
        {
            c.name_in_files: F.lit(None).cast(spark_type(c.type))
            for c in table.stored_columns
            if c.name_in_files not in there
        }
    )


def _in_files(table: Table, names: Sequence[str]) -> list[str]:
    """What columns are called in the files."""
    by_name = {c.name: c.name_in_files for c in table.stored_columns}
    return [by_name[name] for name in names]


def _properties(table: Table) -> dict[str, str]:
    """Any column name is allowed, the ranges of keys are known, checkpoints are rare.

    A checkpoint of Delta's log takes longer than a small batch does. At a path others read along:
    what they might not understand is left out where it can be.
    """
    by_name = {c.name: c for c in table.stored_columns}
    found = {"delta.checkpointInterval": "100"}
    if not path_of(table) or any(map(_UNUSUAL.search, by_name)):
        found["delta.columnMapping.mode"] = "name"
    if key_of(table):
        found["delta.enableDeletionVectors"] = "true"
        if has_change_feed(table):
            found["delta.enableChangeDataFeed"] = "true"
    if path_of(table):
        return found
    keys = [
        typed.quoted(by_name[name].name_in_files)
        for name in dict.fromkeys((*table.order_by, *key_of(table)))
        if name in by_name and isinstance(bare(by_name[name].type), _RANGES)
        if name not in partitions_of(table)
    ]
    if keys:
        return found | {"delta.dataSkippingStatsColumns": ",".join(keys)}
    return found | {"delta.dataSkippingNumIndexedCols": "0"}


_UNUSUAL = re.compile(r"[ ,;{}()\n\t=]")
"""Letters that Parquet's columns cannot have in their names."""
