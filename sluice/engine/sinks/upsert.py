"""Changes into a table with a primary key: the last one of each key is applied, in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from sluice import errors
from sluice.engine import change_order, offsets, row_kinds
from sluice.engine.change_order import PUT
from sluice.engine.sinks.merge import Merge
from sluice.engine.sinks.tombstones import Tombstones
from sluice.engine.source_partitions import SourcePartitions
from sluice.engine.spark import typed
from sluice.planner.stored import has_change_feed, key_of, sequence_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.engine.storage.keyed_batch import KeyedBatch
    from sluice.engine.storage.ledger import Entry
    from sluice.engine.storage.tables import DeltaStore

_OLD, _PARTITION, _PARTIAL = "__old", "__partition", "__partial"
_TYPE = "_change_type"
_SMALL = 50_000
"""Messages whose rows are written as one file."""


class Upsert:
    """Applies batches of changes to a table, each as one commit with its entry in the ledger.

    Of the changes of a key the last one counts: in the order of the table's sequence, then in that
    of partition, offset and row; without these, in the order in which Spark has the rows. A row is
    found by its key, marked by a deletion vector, and its successor appended. A batch that changes
    nothing commits nothing.

    The rows that a batch replaces are read only where they matter: for a sequence, for columns
    whose value a change does not carry, and for Delta's change data feed.
    """

    def __init__(self, store: DeltaStore, table: Table, *, distinct: bool = False) -> None:
        """For a table; `distinct` if no batch has two rows with one key."""
        self._store = store
        self._table = table
        self._distinct = distinct
        self._merge: Merge | None = None
        self._spark: SparkSession | None = None
        self._names = names = {c.name: c.name_in_files for c in table.stored_columns}
        self.keys = [names[name] for name in key_of(table)]
        self.sequence = [names[name] for name in sequence_of(table)]
        self._feed = has_change_feed(table)
        self._compared = self._feed or bool(self.sequence)
        """Whether it matters what is stored; also once a change has left out values."""

        self._tombstones = Tombstones(store, table, self.keys, self.sequence)
        self._partitions = SourcePartitions(table.full_name)

    def take(self, table: Table) -> None:
        """Apply changes to the columns that the table has by now, and those that are pending."""
        self._table = table
        self._names = {c.name: c.name_in_files for c in table.whole.stored_columns}
        self._merge = None

    def write(self, rows: DataFrame, entry: Entry | None, *, grows: bool = False) -> int:
        """Apply the changes of a batch; without an entry, the rows of a statement.

        With `grows` the commit adds the columns of the rows that the table does not have. The
        version of the commit is returned, -1 if it is not known.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch, or a later one;
                DELETION_VECTORS_REQUIRED if it cannot be told which stored rows are newer.
        """
        if self._spark is None:
            self._spark = rows.sparkSession
            self._store.commits.hold_index(self._table)
        if self._table.pending or grows:  # rows have those alone that have a value
            there, own = set(rows.columns), self._table.whole.stored_columns
            self._names = {c.name: c.name_in_files for c in own if c.name_in_files in there}
        moved = not self._distinct or row_kinds.COLUMN in rows.columns
        tasks = _tasks(rows, entry)
        with self._store.writing(self._table):
            shape = rows.drop(*row_kinds.HIDDEN)
            begun = self._store.commits.begin_upsert(
                shape, self._table, entry, self.keys, grows=grows
            )
            if begun is None:  # it forbids deletion vectors, or has other columns by now
                self._merge = self._merge or Merge(self._store, self._table)
                last = change_order.last_of_each(self._mergeable(rows), self.keys)
                self._merge.write(last, entry, grows=grows)
                return -1
            changes, order = change_order.in_order(rows, self.sequence)
            changes = changes.drop(row_kinds.COLUMN)
            whole = not self._compared and begun.write(
                _marked(changes if moved else changes.coalesce(tasks)),
                order,
                tasks if moved else 0,
            )
            if not whole:
                self._compared = True
                self._write_with_stored(begun, changes, order, tasks)
            if not self.sequence:
                self._partitions.note(begun.several, entry.ranges if entry is not None else {})
            return begun.version

    def _mergeable(self, rows: DataFrame) -> DataFrame:
        """Changes of which it does not matter what is stored; a row of another kind is an error."""
        required, table = errors.DELETION_VECTORS_REQUIRED, self._table.full_name
        if self.sequence:
            raise required(table=table, what="'sequence.field'")
        if row_kinds.UNCHANGED not in rows.columns:
            return rows
        text = F.lit(required(table=table, what="a change that leaves out values").message)
        refused = F.raise_error(text).cast("boolean")
        return rows.where(F.when(_leaves_out(), refused).otherwise(F.lit(True)))

    def _write_with_stored(
        self, begun: KeyedBatch, changes: DataFrame, order: Sequence[str], tasks: int
    ) -> None:
        """Apply changes to which it matters what is stored."""
        if row_kinds.UNCHANGED in changes.columns:
            changes = self._carried(changes, order)
        last = begun.last(changes, order, tasks).localCheckpoint()
        try:
            joined = self._joined(last, begun.stored(self._incomplete(last)))
            made = self._decided(joined).localCheckpoint()
            try:
                self._tombstones.add(made.where(~F.col(PUT)).select(*self._own()))
                feed = self._changed(made) if self._feed else None
                hidden = [name for name in (PUT, _PARTITION) if name in made.columns]
                begun.write(made.select(*self._own(), *hidden).coalesce(tasks), [PUT], 0, feed)
            finally:
                _release(made)
        finally:
            _release(last)

    def _incomplete(self, last: DataFrame) -> DataFrame:
        """The changes to which it matters what is stored."""
        if self._feed or self.sequence or row_kinds.UNCHANGED not in last.columns:
            return last
        return last.where(_leaves_out())

    def _own(self) -> list[Column]:
        return [typed.column(name) for name in self._names.values()]

    def _carried(self, changes: DataFrame, order: Sequence[str]) -> DataFrame:
        """Changes with the values that earlier ones of the same key and batch carry.

        What remains in `UNCHANGED` is in the table, if anywhere.
        """
        window = Window.partitionBy(*map(typed.column, self.keys))
        before = window.orderBy(*map(typed.column, order)).rowsBetween(Window.unboundedPreceding, 0)
        unchanged = F.coalesce(F.col(row_kinds.UNCHANGED), F.array().cast("array<string>"))
        changes = changes.withColumn(row_kinds.UNCHANGED, unchanged)
        made: dict[str, Column] = {}
        left = []
        for name, stored in self._names.items():
            if stored in self.keys:
                continue
            lacks = F.array_contains(F.col(row_kinds.UNCHANGED), name)
            given = F.when(~lacks, F.struct(typed.column(stored).alias("v")))
            found = F.last(given, ignorenulls=True).over(before)
            made[stored] = F.when(lacks, found["v"]).otherwise(typed.column(stored))
            left.append(F.when(lacks & found.isNull(), F.lit(name)))
        unresolved = F.filter(F.array(*left), lambda each: each.isNotNull())
        made[row_kinds.UNCHANGED] = unresolved
        return changes.withColumns(made)

    def _joined(self, last: DataFrame, stored: DataFrame) -> DataFrame:
        """Changes, each with the row that the table has of its key in `_OLD`, or NULL."""
        there = {name: name for name in stored.columns}
        values = [
            (typed.column(name) if name in there else F.lit(None)).alias(name)
            for name in self._names.values()
        ]
        old = stored.select(
            F.struct(*values).alias(_OLD),
            *(typed.column(key).alias(f"__k{n}") for n, key in enumerate(self.keys)),
        )
        joined = last.join(
            old, [typed.column(key) == F.col(f"__k{n}") for n, key in enumerate(self.keys)], "left"
        )
        return joined.drop(*(f"__k{n}" for n in range(len(self.keys))))

    def _decided(self, joined: DataFrame) -> DataFrame:
        """The changes that are applied, complete."""
        if row_kinds.UNCHANGED in joined.columns:
            joined = joined.withColumns(
                {
                    stored: F.when(
                        F.array_contains(F.col(row_kinds.UNCHANGED), name),
                        F.col(_OLD)[stored],
                    ).otherwise(typed.column(stored))
                    for name, stored in self._names.items()
                    if stored not in self.keys
                }
            )
        if not self.sequence:
            return joined
        joined = self._tombstones.joined(joined)
        own = F.struct(*map(typed.column, self.sequence))
        theirs = F.struct(*(F.col(_OLD)[name].alias(name) for name in self.sequence))
        older = F.col(_OLD).isNotNull() & (own < theirs)
        newest = ~F.col(PUT) & typed.column(self.sequence[0]).isNull()
        return joined.where(newest | ~(older | self._tombstones.outlives(own)))

    def _changed(self, made: DataFrame) -> DataFrame:
        """The rows of Delta's change data feed."""
        own = F.struct(*(typed.column(name).alias(name) for name in self._names.values()))
        there = F.col(_OLD).isNotNull()

        def change(kind: str, row: Column) -> Column:
            return F.struct(F.lit(kind).alias("kind"), row.alias("row"))

        both = F.array(change("update_preimage", F.col(_OLD)), change("update_postimage", own))
        kinds = (
            F.when(F.col(PUT) & there, both)
            .when(F.col(PUT), F.array(change("insert", own)))
            .when(there, F.array(change("delete", F.col(_OLD))))
        )
        each = made.select(F.explode(kinds).alias("c"))
        return each.select("c.row.*", F.col("c.kind").alias(_TYPE))

    def notices(self) -> list[tuple[str, str]]:
        """A key whose changes came from several partitions, the first time that it is seen."""
        return self._partitions.notices()

    def close(self) -> None:
        """Release the index of the table's keys."""
        if self._spark is not None:
            self._store.commits.release_index(self._spark, self._table)


def _marked(changes: DataFrame) -> DataFrame:
    """Changes with `__partial` for those that leave out values."""
    if row_kinds.UNCHANGED not in changes.columns:
        return changes
    return changes.withColumn(_PARTIAL, _leaves_out()).drop(row_kinds.UNCHANGED)


def _leaves_out() -> Column:
    """Whether a change leaves out values."""
    return F.coalesce(F.size(row_kinds.UNCHANGED), F.lit(0)) > 0


def _release(made: Any) -> None:
    """Forget rows of a local checkpoint."""
    made._jdf.queryExecution().analyzed().rdd().unpersist(False)


def _tasks(rows: DataFrame, entry: Entry | None) -> int:
    """How many files a batch is written to."""
    most = int(str(rows.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    messages = offsets.count(entry.ranges) if entry is not None else 0
    cores = rows.sparkSession.sparkContext.defaultParallelism
    return max(1, min(most, cores, -(-messages // _SMALL)))
