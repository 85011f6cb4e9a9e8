"""Rows into a table with a primary key: a new row takes the place of the one with its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.pipelines import typed
from sluice.pipelines.delta import stored_columns
from sluice.plan.stored import key_of, partitions_of
from sluice.types import bare
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from sluice.catalog import Table
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.ledger import Entry

_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
_WRITER = "spark.databricks.delta.write.txnAppId"
_BATCH = "spark.databricks.delta.write.txnVersion"
_TASKS = "spark.sql.shuffle.partitions"
_SETTINGS = {
    # The rows are kept for as long as the merge takes; Delta Lake need not keep them once more.
    "spark.databricks.delta.merge.materializeSource": "none",
}
_ORDER = "__order"
_SMALL = 50_000
"""A batch of so many rows is written by one task, as one file."""

_SENT = 500_000
"""So many rows are sent to all tasks, so that the table's need not be moved."""

_RANGES = (m.Int, m.Decimal, m.Date)
"""Keys whose smallest and largest value tell which files need not be looked at."""


class Upsert:
    """Merges batches into a table, each as one commit with its entry in the ledger.

    A MERGE takes what its commit says of itself from the settings of its session alone, so each
    writer has a session that nobody else uses.
    """

    def __init__(self, store: DeltaStore, table: Table, *, distinct: bool = False) -> None:
        """For a table; `distinct` if no batch has two rows with one key."""
        self._store = store
        self._table = table
        self._distinct = distinct
        self._session: Any = None
        names = {c.name: c.name_in_files for c in stored_columns(table)}
        self.keys = [names[name] for name in key_of(table)]
        self._columns = list(names.values())
        types = {c.name_in_files: bare(c.type) for c in stored_columns(table)}
        parts = {names[name] for name in partitions_of(table)}
        self._ranged = [
            key for key in self.keys if key in parts or isinstance(types[key], _RANGES)
            if not isinstance(types[key], m.DateTime | m.LocalDateTime)
        ]  # fmt: skip

    def write(self, rows: DataFrame, entry: Entry) -> None:
        """Merge the rows of a batch, the last one of each key.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch, or a later one.
        """
        from pyspark.sql import functions as F

        last = rows if self._distinct else last_of_each(rows, self.keys)
        made: Any = last.localCheckpoint()  # Delta Lake takes no rows that are kept by a cache
        try:
            ends = [f(typed.quoted(key)) for key in self._ranged for f in (F.min, F.max)]
            count, *found = made.agg(F.count(F.lit(1)), *ends).collect()[0]
            if count:
                few = count <= _SENT
                self._merge(F.broadcast(made) if few else made, count, found, entry)
        finally:
            made._jdf.queryExecution().analyzed().rdd().unpersist(False)

    def _merge(self, rows: DataFrame, count: int, ends: Sequence[Any], entry: Entry) -> None:
        from pyspark.sql import functions as F

        spark = rows.sparkSession
        path = self._store.ensure(spark, self._table)
        session = self._own_session(spark, count)
        session.conf().set(_METADATA, self._store.signed(entry).metadata())
        session.conf().set(_WRITER, entry.writer)
        session.conf().set(_BATCH, str(entry.batch))
        jvm: Any = spark._jvm
        target = jvm.io.delta.tables.DeltaTable.forPath(session, path).alias("t")
        condition = _all(_of("t", key) == _of("s", key) for key in self.keys)
        for n, key in enumerate(self._ranged):
            low, high = ends[2 * n : 2 * n + 2]
            condition = condition & _of("t", key).between(F.lit(low), F.lit(high))
        source: Any = rows.alias("s")
        given: Any = condition
        values = jvm.java.util.HashMap()
        for name in self._columns:
            values.put(typed.quoted(name), f"s.{typed.quoted(name)}")
        merge = target.merge(source._jdf, given._jc)
        merge = merge.whenMatched().updateExpr(values).whenNotMatched().insertExpr(values)
        with self._store.writing(self._table):
            self._store.must_be(self._table)
            with self._store.fenced(spark, self._table, entry):
                merge.execute()

    def _own_session(self, spark: Any, count: int) -> Any:
        if self._session is None:
            self._session = spark._jsparkSession.cloneSession()
            for name, value in _SETTINGS.items():
                self._session.conf().set(name, value)
        tasks = "1" if count <= _SMALL else spark.conf.get(_TASKS)
        self._session.conf().set(_TASKS, tasks)
        return self._session


def last_of_each(rows: DataFrame, keys: Sequence[str]) -> DataFrame:
    """The last row of each key, in the order in which Spark has the rows.

    As long as a query moves no rows between tasks that is the order of partitions and offsets.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    numbered = rows.withColumn(_ORDER, F.monotonically_increasing_id())
    window = Window.partitionBy(*map(typed.quoted, keys)).orderBy(F.col(_ORDER).desc())
    place = "__place"
    found = numbered.withColumn(place, F.row_number().over(window)).where(F.col(place) == 1)
    return found.drop(_ORDER, place)


def _of(side: str, key: str) -> Column:
    from pyspark.sql import functions as F

    return F.col(f"{side}.{typed.quoted(key)}")


def _all(conditions: Any) -> Column:
    first, *rest = conditions
    for each in rest:
        first = first & each
    return first  # type: ignore[no-any-return]
