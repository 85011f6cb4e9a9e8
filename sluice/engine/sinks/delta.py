"""The Delta sink: rows appended to a stored table, or merged into it by its primary key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from sluice.engine import change_order, failpoints, row_kinds
from sluice.engine.change_order import PUT
from sluice.engine.sinks.committed import last_committed, repeated
from sluice.engine.sinks.schema_cast import casting
from sluice.engine.sinks.upsert import Upsert
from sluice.engine.spark import nested, typed
from sluice.engine.storage.commits import Written
from sluice.planner.stored import changelog_column_of, key_of
from sluice.sql.relation import EVOLVED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.catalog import Table
    from sluice.engine.offsets import Ranges
    from sluice.engine.sinks.schema_cast import Cast
    from sluice.engine.storage.ledger import Record, Writer
    from sluice.engine.storage.tables import DeltaStore
    from sluice.planner.spec import SinkSpec


class DeltaSink:
    """Writes to a Delta table; each batch is one commit with its entry in the ledger.

    Into a table with a primary key changes are applied: a row replaces the one with its key, or
    deletes it. Into any other rows are appended, and a column may hold their kinds. With
    `overwrite` they replace all rows, or all in their partitions. A table that keeps no rows takes
    them and drops them.
    """

    def __init__(self, into: SinkSpec, store: DeltaStore, writer: Writer | None = None) -> None:
        """Without a `writer` for the rows of one statement, which have no entry in the ledger."""
        self._into = into
        self._table = into.table
        self._store = store
        self._writer = writer
        self._cast: Cast | None = None
        self._last: Record | None = None
        self._carried: list[str] = []
        keyed = bool(key_of(into.table))
        self._kinds = changelog_column_of(into.table)
        self._written = Written()
        self._upsert = Upsert(store, into.table, distinct=into.distinct) if keyed else None

    def start(self) -> None:
        """Check that the table was not dropped, and read its last batch.

        Raises:
            SluiceError: TABLE_DROPPED or DATA_FOLDER_COPIED.
        """
        if not self._table.keeps_rows:
            return
        self._store.must_be(self._table)
        if self._writer is not None:
            self._last = last_committed(self._store, self._table, self._writer)

    def take(self, table: Table) -> None:
        """Write the columns that the table has by now, and those that are pending."""
        if table != self._table:
            self._table = table
            self._into = replace(self._into, table=table)
            self._cast = None
            if self._upsert is not None:
                self._upsert.take(table)

    def prepare(self, rows: DataFrame) -> DataFrame:
        """Rows of the query as rows of the table's files.

        Of a changelog a table with a primary key takes every row, with the hidden columns, and so
        does one that stores their kinds; any other table takes inserts alone.
        """
        if self._upsert is None and not self._kinds:
            rows = row_kinds.only_inserts(rows, self._table.full_name)
        given = self._into.columns or rows.columns
        there = [name for name in row_kinds.HIDDEN if name in rows.columns]
        named = rows if self._into.columns is None else rows.toDF(*self._into.columns, *there)
        if self._kinds:
            kind = F.col(row_kinds.COLUMN) if there else F.lit(row_kinds.INSERT)
            named, there = named.withColumn(self._kinds, kind).drop(*row_kinds.HIDDEN), []
        if EVOLVED in given:
            named = self._expanded(named)
        named = nested.completed(named, self._table)
        if self._cast is None:
            columns = [(c.name, c.name_in_files, c.type) for c in self._table.whole.stored_columns]
            hidden = [*self._store.commits.hidden(self._table), *map(F.col, there)]
            keys = key_of(self._table) if there else ()
            self._cast = casting(named.schema, columns, self._into, hidden, keys)
        return self._store.commits.checked(self._cast(named), self._table)

    def _expanded(self, rows: DataFrame) -> DataFrame:
        """Rows with the columns that they carry for the table beyond those of the query."""
        held = F.col(EVOLVED)
        if self._cast is None:
            given = {name.casefold() for name in rows.columns}
            struct: Any = rows.schema[EVOLVED].dataType
            self._carried = [
                c.name
                for c in self._table.whole.stored_columns
                if c.name in struct.names and c.name.casefold() not in given
            ]
        found = {name: held[name] for name in self._carried}
        if row_kinds.UNCHANGED in rows.columns:
            none = F.array().cast("array<string>")
            parts = (F.col(row_kinds.UNCHANGED), held["unchanged"])
            found[row_kinds.UNCHANGED] = F.array_union(*(F.coalesce(p, none) for p in parts))
        return rows.withColumns(found).drop(EVOLVED)

    def _grown(self, prepared: DataFrame) -> tuple[DataFrame, bool]:
        """Rows without the pending columns that none has a value for, and whether one is left."""
        pending = [c.name_in_files for c in self._table.pending]
        if not pending:
            return prepared, False
        puts = F.lit(True)
        if self._upsert is not None and row_kinds.COLUMN in prepared.columns:
            puts = row_kinds.is_put()
        has = [F.max(typed.column(name).isNotNull() & puts) for name in pending]
        (row,) = prepared.agg(*has).collect()
        empty = [name for name, there in zip(pending, row, strict=True) if not there]
        return prepared.drop(*empty), len(empty) < len(pending)

    def write(self, prepared: DataFrame, batch: int = 0, ranges: Ranges | None = None) -> None:
        """Commit a batch.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch, or a later one.
        """
        if not self._table.keeps_rows:
            return
        entry = None if self._writer is None else self._writer.entry(batch, ranges or {})
        prepared, grows = self._grown(prepared)
        if entry is not None and self._into.overwrite:
            if self._upsert is not None:
                last = change_order.last_of_each(prepared, self._upsert.keys, self._upsert.sequence)
                prepared = last.where(F.col(PUT)).drop(PUT)
            self._store.commits.overwrite_fitted(prepared, self._table, entry)
        elif self._upsert is not None:
            self._note(self._upsert.write(prepared, entry, grows=grows))
        else:
            commits = self._store.commits
            self._note(commits.append_fitted(prepared, self._table, entry, grows=grows))
        failpoints.hit("delta.after_commit")

    def _note(self, version: int) -> None:
        """Note what the commit of a statement has added; of a batch the ledger tells."""
        if self._writer is None:
            self._written = self._store.commits.written(self._table, version)

    def written(self) -> Written:
        """What a statement has written; a table that keeps no rows cannot tell."""
        return self._written

    def has(self, batch: int, ranges: Ranges) -> bool:
        """Whether the table had the batch when this was started."""
        if self._writer is None:
            return False
        return repeated(self._last, self._writer.entry(batch, ranges), self._table.full_name)

    def last_batch(self) -> int:
        """The last batch that the table had when this was started; -1 for none."""
        return -1 if self._last is None else self._last.entry.batch

    def newest_batch(self) -> int:
        """The same: a batch is one commit."""
        return self.last_batch()

    def rows(self, batch: int) -> int:
        """The rows of the commit of a batch; a batch that changed nothing has none."""
        if self._writer is None or not self._table.keeps_rows:
            return 0
        found = self._store.last_batch(self._table, self._writer.id)
        return found.rows if found is not None and found.entry.batch == batch else 0

    def notices(self) -> list[tuple[str, str]]:
        """A key whose changes came from several partitions, the first time that it is seen."""
        return [] if self._upsert is None else self._upsert.notices()

    def look(self) -> None:
        """Nothing to check: problems of a table show when a batch is written."""

    def close(self) -> None:
        """Release the index of the table's keys, if it has one."""
        if self._upsert is not None:
            self._upsert.close()
