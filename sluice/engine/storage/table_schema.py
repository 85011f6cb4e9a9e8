"""The schema and the properties of stored tables, as their files have them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as Classic
from pyspark.sql.types import DataType

from sluice.engine.spark import typed
from sluice.planner.stored import has_change_feed, key_of, partitions_of, path_of
from sluice.types import bare, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Table
    from sluice.engine.storage.tables import DeltaStore
    from sluice.types import Type

_UNUSUAL = re.compile(r"[ ,;{}()\n\t=]")
"""Letters that Parquet's columns cannot have in their names."""

_RANGES = (m.Int, m.Float, m.Decimal, m.Date, m.DateTime, m.LocalDateTime)
"""Types whose values come in some order, so that files differ in what they hold.

In the texts of a batch nearly everything occurs: their statistics let a reader skip no file, and
cost every row as much as a tenth of its writing.
"""


def properties(table: Table) -> dict[str, str]:
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


def names_in_files(table: Table, names: Sequence[str]) -> list[str]:
    """What columns are called in the files."""
    by_name = {c.name: c.name_in_files for c in table.stored_columns}
    return [by_name[name] for name in names]


def no_rows(spark: SparkSession, columns: Sequence[tuple[str, Type]]) -> DataFrame:
    """No rows, with these columns."""
    nothing = [F.lit(None).cast(spark_type(type_)).alias(name) for name, type_ in columns]
    return spark.range(0).select(*nothing)


class TableSchemas:
    """Reads and changes the schemas of the files of a store's tables."""

    def __init__(self, store: DeltaStore) -> None:
        """For the tables of a store."""
        self._store = store

    def names(self, spark: SparkSession, table: Table) -> list[str]:
        """What the columns are called in the files, those that were dropped too."""
        return spark.read.format("delta").load(self._store.ensure(spark, table)).columns

    def difference(self, spark: SparkSession, table: Table) -> str:
        """In what a Delta table that is there differs from how a statement describes it."""
        found = spark.read.format("delta").load(str(self._store.path(table))).schema
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
        detail = Classic(self._store.delta(spark, table).detail(), spark).select("partitionColumns")
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
            self._store.ensure(spark, table)
            self._store.delta(spark, table).addFeatureSupport("timestampNtz")
        by_name = {c.name: (c.name_in_files, c.type) for c in table.stored_columns}
        parts = [by_name[name] for name in partitions_of(table)]  # rows always have these
        writer = no_rows(spark, [*parts, *columns]).write.format("delta").mode("append")
        writer.option("mergeSchema", "true").save(self._store.ensure(spark, table))
