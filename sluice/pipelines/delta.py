"""Stored tables: one Delta table each, in the data folder."""

from __future__ import annotations

import json
import re
import threading
from typing import TYPE_CHECKING, Any

from sluice.pipelines import ledger, typed
from sluice.pipelines.select import Select
from sluice.types import bare, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Column, Table
    from sluice.types import Type

SMALL = 32 << 20
"""Files of more bytes than this are not merged."""

_NO_STATISTICS = (m.Array, m.Map, m.Tuple, m.Bool)


class DeltaStore:
    """The folder of stored tables. A table's files are made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._marked: dict[tuple[str, tuple[tuple[str, Type], ...]], Select] = {}

    def path(self, table: Table) -> Path:
        """Where a table's files are; named by its id, so no name can lead elsewhere."""
        return self.folder / table.uuid

    def ensure(self, spark: SparkSession, table: Table) -> str:
        """Make the Delta table if it is not there yet, and say where it is."""
        from pyspark.sql import functions as F

        path = self.path(table)
        with self._lock:
            if not (path / "_delta_log").exists():
                nothing = [
                    F.lit(None).cast(spark_type(c.type)).alias(c.name) for c in _stored(table)
                ]
                writer = (
                    spark.range(0)
                    .select(*nothing)
                    .write.format("delta")
                    .options(**_properties(table))
                )
                writer.save(str(path))
        return str(path)

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        """The table's rows, each column saying its type."""
        from pyspark.sql import functions as F

        rows = spark.read.format("delta").load(self.ensure(spark, table))
        key = (table.uuid, tuple((c.name, c.type) for c in _stored(table)))
        if key not in self._marked:
            marks = [typed.mark(F.col(typed.quoted(name)), name, type_) for name, type_ in key[1]]
            self._marked[key] = Select(marks)
        return self._marked[key](rows)

    def append(self, rows: DataFrame, table: Table, **options: str) -> None:
        """Add rows, checked against the table's columns."""
        fitted = typed.fit(rows, [(c.name, c.type) for c in _stored(table)])
        self.append_fitted(fitted, table, **options)

    def fitting(self, rows: DataFrame, table: Table) -> Select:
        """What `append` makes of rows like these before it adds them, to be used again."""
        return Select(typed.fitted(rows.schema, [(c.name, c.type) for c in _stored(table)]))

    def append_fitted(self, fitted: DataFrame, table: Table, **options: str) -> None:
        """Add rows that have exactly the table's columns."""
        path = self.ensure(fitted.sparkSession, table)
        fitted.write.format("delta").mode("append").options(**options).save(path)

    def small_files(self, table: Table, since: float = 0.0) -> int:
        """How many files that are worth merging have been written since a moment."""
        found = (path.stat() for path in self.path(table).glob("*.parquet"))
        return sum(file.st_size < SMALL and file.st_mtime >= since for file in found)

    def merge_files(self, spark: SparkSession, table: Table) -> None:
        """Rewrite small files as few large ones; no row changes."""
        self._delta(spark, table).optimize().executeCompaction()

    def remove_old_files(self, spark: SparkSession, table: Table) -> None:
        """Delete the files that no version of the last week needs."""
        self._delta(spark, table).vacuum()

    def _delta(self, spark: SparkSession, table: Table) -> Any:
        jvm: Any = spark._jvm
        session: Any = spark
        return jvm.io.delta.tables.DeltaTable.forPath(session._jsparkSession, str(self.path(table)))

    def remove(self, table: Table) -> None:
        """Delete a dropped table's files."""
        import shutil

        shutil.rmtree(self.path(table), ignore_errors=True)

    def last_batch(self, table: Table, writer: str) -> int | None:
        """The newest batch of a pipeline's view that the table holds."""
        for commit in self.commits(table, newest_first=True):
            entry = ledger.read(commit)
            if entry is not None and entry.writer == writer:
                return entry.batch
        return None

    def commits(self, table: Table, *, newest_first: bool = False) -> Iterator[dict[str, object]]:
        """What each commit of a table says of itself."""
        log = self.path(table) / "_delta_log"
        for path in sorted(log.glob("*.json"), reverse=newest_first):
            if re.fullmatch(r"\d{20}\.json", path.name):
                for line in path.read_text("utf-8").splitlines():
                    entry = json.loads(line)
                    if "commitInfo" in entry:
                        yield entry["commitInfo"] | {"version": int(path.stem)}


def _stored(table: Table) -> list[Column]:
    return [column for column in table.columns if column.alias is None]


def _properties(table: Table) -> dict[str, str]:
    """Any column name is allowed, and the sorting key has statistics."""
    by_name = {c.name: c for c in _stored(table)}
    keys = [
        typed.quoted(name)
        for name in table.order_by
        if name in by_name and not isinstance(bare(by_name[name].type), _NO_STATISTICS)
    ]
    statistics = (
        {"delta.dataSkippingStatsColumns": ",".join(keys)}
        if keys
        else {"delta.dataSkippingNumIndexedCols": "0"}
    )
    return {
        "delta.columnMapping.mode": "name",
    } | statistics
