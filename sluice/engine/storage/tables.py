"""Stored tables: one Delta table each, in the data folder or where the table's path says."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from sluice import errors
from sluice.catalog import NOBODY
from sluice.engine.spark import nested, typed
from sluice.engine.spark.projection import Select
from sluice.engine.storage import delta_log, row_merging
from sluice.engine.storage.commits import Commits
from sluice.engine.storage.compaction import Compaction
from sluice.engine.storage.history import History
from sluice.engine.storage.store_path import remove
from sluice.engine.storage.table_schema import TableSchemas, names_in_files, no_rows, properties
from sluice.formats import text_casts
from sluice.planner.late_columns import late_defaults
from sluice.planner.nested import lengths_of_late
from sluice.planner.stored import partitions_of, path_of
from sluice.types import is_nullable, spark_type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Column, Instance, Table
    from sluice.engine.spark.projection import Named
    from sluice.engine.storage.ledger import Entry, Record
    from sluice.engine.storage.locations import Locations
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.merging import Merging
    from sluice.types import Type


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
        self.schemas = TableSchemas(self)
        self.commits = Commits(self)
        self.compaction = Compaction(self)
        self.merging = merging
        self.current = current
        self._locations = locations
        self._locks: dict[AnyPath, threading.Lock] = {}
        self._changing: dict[AnyPath, threading.Lock] = {}
        self._ledgers: dict[AnyPath, History] = {}
        self._dropped: set[str] = set()
        self._there: set[str] = set()
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
        with self.creating(table):
            if not self.exists(table):
                self.must_be(table)
                rows = no_rows(spark, self._in_files(table))
                writer = rows.write.format("delta").options(**properties(table))
                writer.partitionBy(*names_in_files(table, partitions_of(table))).save(path)
        return path

    def exists(self, table: Table) -> bool:
        """Whether the table has a commit yet; a killed process may leave a folder without one."""
        if table.uuid not in self._there and delta_log.exists(self.path(table)):
            self._there.add(table.uuid)
        return table.uuid in self._there

    def creating(self, table: Table) -> threading.Lock:
        """The lock for creating the table's files."""
        return self._locks.setdefault(self.path(table), threading.Lock())

    def truncate(self, spark: SparkSession, table: Table) -> None:
        """Remove every row, in one commit."""
        with self.writing(table):
            self.delta(spark, table).delete()

    def delete(self, spark: SparkSession, table: Table, which: SparkColumn) -> None:
        """Remove the rows of which that is true, in one commit."""
        condition: Any = which
        self.delta(spark, table).delete(condition._jc)

    def read(self, spark: SparkSession, table: Table, *, version: int | None = None) -> DataFrame:
        """The table's rows, merged, with typed columns; of a version if one is given."""
        how, parts = self.merging(table), self._parts(spark, table, version)
        if how is None:
            return parts
        named = [(c.name, c.type) for c in table.stored_columns]
        rows = row_merging.shown(parts, named, how)
        return Select([typed.marked(typed.quoted(n), n, t) for n, t in named])(rows)

    def _parts(self, spark: SparkSession, table: Table, version: int | None) -> DataFrame:
        """The rows as they were written, with their order if merging needs it."""
        reader = spark.read.format("delta")
        if not self.exists(table) or version == -1:
            rows = no_rows(spark, self._in_files(table))
        elif version is None:
            rows = reader.load(str(self.path(table)))
        else:
            rows = _filled(reader.option("versionAsOf", version).load(str(self.path(table))), table)
        return self.marked(rows, table, ordered=self.is_ordered(table))

    def is_ordered(self, table: Table) -> bool:
        """Whether it matters which of two rows with the same key was written later."""
        how = self.merging(table)
        return how is not None and how.ordered

    def marked(self, rows: DataFrame, table: Table, *, ordered: bool = False) -> DataFrame:
        """Rows with the columns of the files as the table's rows."""
        key = (table.uuid, table.columns, ordered)
        if key not in self._marked:
            defaults = late_defaults(table)
            hidden = [typed.column(name) for name, _ in row_merging.ORDER] if ordered else []
            lengths = lengths_of_late(table)
            read = {
                c.name: _read(c, lengths, filled=c.name not in defaults)
                for c in table.stored_columns
            }
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
        hidden = row_merging.ORDER if self.is_ordered(table) else ()
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

    def writing(self, table: Table) -> threading.Lock:
        """The lock for changing existing rows: one writer at a time."""
        return self._changing.setdefault(self.path(table), threading.Lock())

    def delta(self, spark: SparkSession, table: Table) -> Any:
        """Delta's own commands on the table, in the JVM."""
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


def _read(column: Column, lengths: Mapping[str, Column], *, filled: bool) -> Named:
    """A column of the files as the table's; `filled` with its type's default in older rows."""
    found = typed.quoted(column.name_in_files)
    if filled and column.name in lengths:
        like = typed.quoted(lengths[column.name].name_in_files)
        found = f"coalesce({found}, {nested.defaults(column.type, like)})"
    elif filled and column.late and not is_nullable(column.type):
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
