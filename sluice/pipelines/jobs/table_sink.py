"""Rows of a job into a stored table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.pipelines import failpoints, ledger
from sluice.pipelines.delta import stored_columns
from sluice.pipelines.held import own, repeated
from sluice.pipelines.jobs.enforcing import Enforced
from sluice.pipelines.ledger import Entry
from sluice.pipelines.upsert import Upsert, last_of_each
from sluice.plan.stored import key_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.ledger import Record
    from sluice.pipelines.offsets import Ranges
    from sluice.plan.job import Output


class TableWriter:
    """Writes to a Delta table; a batch that is there already is not written again.

    Into a table with a primary key a row takes the place of the one with its key; into any other it
    comes besides. INSERT OVERWRITE puts its rows in the place of all that is there, or of all that
    is in their partitions.
    """

    def __init__(
        self, output: Output, store: DeltaStore, job: str, generation: int, number: int
    ) -> None:
        self._output = output
        self._table = output.table
        self._store = store
        self._job = job
        self._generation = generation
        self._number = str(number)
        self._columns = [(c.name, c.name_in_files, c.type) for c in stored_columns(output.table)]
        self._fitting: Enforced | None = None
        self._last: Record | None = None
        key = key_of(output.table)
        distinct = output.updating and set(output.key or ()) == set(key)
        self._upsert = Upsert(store, output.table, distinct=distinct) if key else None

    def start(self) -> None:
        """Look whether the table is still there, and what it has.

        Raises:
            SluiceError: TABLE_DROPPED or DATA_FOLDER_COPIED.
        """
        self._store.must_be(self._table)
        writer = ledger.writer(self._job, self._generation, self._number)
        found = self._store.last_batch(self._table, writer)
        if found is not None:
            self._last = own(found, self._store.instance, self._table.full_name)

    def prepare(self, rows: DataFrame) -> DataFrame:
        """Rows of the query as rows of the table."""
        named = rows.toDF(*self._output.columns)
        if self._fitting is None:
            name, rules = self._table.full_name, self._output.rules
            self._fitting = Enforced(named.schema, self._columns, rules, name)
        return self._fitting(named)

    def write(self, prepared: DataFrame, batch: int, ranges: Ranges) -> None:
        """Write a batch, with the messages it holds."""
        entry = self._entry(batch, ranges)
        if self._output.overwrite:
            if self._upsert is not None:
                prepared = last_of_each(prepared, self._upsert.keys)
            self._store.overwrite_fitted(prepared, self._table, entry)
        elif self._upsert is not None:
            self._upsert.write(prepared, entry)
        else:
            self._store.append_fitted(prepared, self._table, entry)
        failpoints.hit("delta.after_commit")

    def _entry(self, batch: int, ranges: Ranges) -> Entry:
        return Entry(self._job, self._generation, batch, self._number, ranges)

    def has(self, batch: int, ranges: Ranges) -> bool:
        """Whether the table had the batch when this was started."""
        return repeated(self._last, self._entry(batch, ranges), self._table.full_name)

    def last_batch(self) -> int | None:
        """The newest batch that the table had when this was started."""
        return None if self._last is None else self._last.entry.batch

    def newest_batch(self) -> int | None:
        """The same: a batch is one commit."""
        return self.last_batch()

    def look(self) -> None:
        """What is wrong with a table shows when a batch is written."""

    def close(self) -> None:
        """Nothing is held."""
