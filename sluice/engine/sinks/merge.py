"""MERGE into a table with a primary key that does not permit deletion vectors.

Delta copies every file that has a row of the batch, so a batch may cost as much as the table.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from sluice.engine.change_order import PUT
from sluice.engine.spark import typed
from sluice.planner.stored import key_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from sluice.catalog import Table
    from sluice.engine.storage.ledger import Entry
    from sluice.engine.storage.tables import DeltaStore

_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
_WRITER = "spark.databricks.delta.write.txnAppId"
_BATCH = "spark.databricks.delta.write.txnVersion"


class Merge:
    """Merges batches into a table, each as one commit with its entry in the ledger.

    A MERGE takes the metadata of its commit from the settings of its session alone, so each
    writer has a session that nobody else uses.
    """

    def __init__(self, store: DeltaStore, table: Table) -> None:
        self._store = store
        self._table = table
        self._session: Any = None
        names = {c.name: c.name_in_files for c in table.stored_columns}
        self._keys = [names[name] for name in key_of(table)]

    def write(self, changes: DataFrame, entry: Entry | None, *, grows: bool = False) -> None:
        """Merge changes, of which there is one for each key; `__put` tells which are no deletes.

        With `grows` the commit adds the columns of the changes that the table does not have.

        Raises:
            SluiceError: COMMIT_FENCED if the table has the batch, or a later one.
        """
        spark: Any = changes.sparkSession
        if self._session is None:
            self._session = spark._jsparkSession.cloneSession()
        path = self._store.ensure(spark, self._table)
        target = spark._jvm.io.delta.tables.DeltaTable.forPath(self._session, path).alias("t")
        source: Any = changes.alias("s")
        same: Any = reduce(and_, [_of("t", key) == _of("s", key) for key in self._keys])
        puts: Any = F.col("s.__put")
        deletes: Any = ~F.col("s.__put")
        values = spark._jvm.java.util.HashMap()
        for name in changes.columns:
            if name == PUT:
                continue
            values.put(typed.quoted(name), f"s.{typed.quoted(name)}")
        merge = target.merge(source._jdf, same._jc)
        merge = merge.whenMatched(deletes._jc).delete()
        merge = merge.whenMatched(puts._jc).updateExpr(values)
        merge = merge.whenNotMatched(puts._jc).insertExpr(values)
        if grows:
            merge = merge.withSchemaEvolution()
        self._store.must_be(self._table)
        if entry is None:
            merge.execute()
            return
        self._session.conf().set(_METADATA, self._store.commits.signed(entry).metadata())
        self._session.conf().set(_WRITER, entry.writer)
        self._session.conf().set(_BATCH, str(entry.batch))
        with self._store.commits.fenced(spark, self._table, entry):
            merge.execute()


def _of(side: str, key: str) -> Column:
    return F.col(f"{side}.{typed.quoted(key)}")
