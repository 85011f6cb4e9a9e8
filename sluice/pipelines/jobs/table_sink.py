"""Rows of a job into a stored table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.pipelines import failpoints, ledger
from sluice.pipelines.ledger import Entry

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.offsets import Ranges
    from sluice.pipelines.select import Select
    from sluice.plan.job import Output


class TableWriter:
    """Appends to a Delta table; a batch that is there already is not written again."""

    def __init__(
        self, output: Output, store: DeltaStore, job: str, generation: int, number: int
    ) -> None:
        self._output = output
        self._store = store
        self._job = job
        self._generation = generation
        self._number = str(number)
        self._fitting: Select | None = None

    def start(self) -> None:
        """Nothing has to be made ready."""

    def prepare(self, rows: DataFrame) -> DataFrame:
        """Rows of the query as rows of the table."""
        named = rows.toDF(*self._output.columns)
        if self._fitting is None:
            self._fitting = self._store.fitting(named, self._output.table)
        return self._fitting(named)

    def write(self, prepared: DataFrame, batch: int, ranges: Ranges) -> None:
        """Write a batch, with the messages it holds."""
        entry = Entry(self._job, self._generation, batch, self._number, ranges)
        self._store.append_fitted(prepared, self._output.table, **entry.options())
        failpoints.hit("delta.after_commit")

    def last_batch(self) -> int | None:
        """The newest batch that the table has."""
        writer = ledger.writer(self._job, self._generation, self._number)
        return self._store.last_batch(self._output.table, writer)

    def newest_batch(self) -> int | None:
        """The same: a batch is one commit."""
        return self.last_batch()

    def close(self) -> None:
        """Nothing is held."""
