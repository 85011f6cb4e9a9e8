"""Rows as Kafka messages: one layout for every dialect, format and guarantee.

A message is a row of topic, key, value, headers, timestamp and partition, which `sluice.kafka`'s
`SinkTask` reads by position and Spark's own Kafka sink by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.window import Window

from sluice.engine import row_kinds
from sluice.engine.spark import typed
from sluice.engine.spark.projection import Select
from sluice.formats.encode import Written, encoded_row, encoded_rows
from sluice.parameters.kinds import CLICKHOUSE
from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.planner.spec import KafkaSinkSpec, RowFormat
    from sluice.types import Type

LAYOUT = ("topic", "key", "value", "headers", "timestamp", "partition")

ROW = "row"
"""The column after those of the layout that keeps the row for a partitioner, if one needs it."""

_HEADERS = "array<struct<key: string, value: binary>>"
_NUMBER, _ROW, _ROWS, _GROUP, _TOPIC = "__number", "__row", "__rows", "__group", "__topic"


class Messages:
    """Makes messages of the rows of a table; created once, used for every batch.

    Rows are sent in the order they have within a task. With several rows per message the rows of a
    batch are in one task, and a message takes its metadata from the last of its rows.
    """

    def __init__(
        self,
        spark: SparkSession,
        sink: KafkaSinkSpec,
        types: Mapping[str, Type],
        hidden: Sequence[str] = (),
        *,
        keep_row: bool = False,
        partitions: int = 0,
    ) -> None:
        """For rows with these columns, and a changelog's hidden ones, which messages keep.

        `keep_row` adds each row as a struct, for a partitioner. `partitions` are those of the
        topic, if changes without a key are to be kept in order.
        """
        self._spark = spark
        self._sink = sink
        self._types = types
        self._hidden = hidden
        self._partitions = partitions
        self._several = sink.rows_per_message > 1
        self._metadata = {m.key: m.column for m in sink.metadata if m.column in types}
        self._select = Select(self._columns(keep_row=keep_row))
        self._written = self._by_clickhouse()

    def __call__(self, rows: DataFrame) -> DataFrame:
        """The messages."""
        made = self._select(self._grouped(rows) if self._several else rows)
        return made if self._written is None else self._written(made)

    def _by_clickhouse(self) -> Written | None:
        value = self._sink.value
        if value.dialect != CLICKHOUSE:
            return None
        fields = [(field, self._types[column]) for field, column in value.columns]
        return Written(self._spark, value.codec, fields, single=not self._several)

    def _columns(self, *, keep_row: bool) -> list[Column]:
        found = {
            "topic": self._topic(),
            "key": self._key(),
            "value": self._value(),
            "headers": self._headers(),
            "timestamp": self._timestamp(),
            "partition": self._partition(),
        }
        columns = [found[name].alias(name) for name in LAYOUT]
        if keep_row:
            columns.append(F.struct(*map(typed.quoted, self._types)).alias(ROW))
        return [*columns, *map(F.col, self._hidden)]

    def _field(self, key: str) -> Column | None:
        """The column that a part of the message comes from, if rows have it."""
        name = self._metadata.get(key)
        if name is None:
            return None
        return F.element_at(_ROWS, -1)[name] if self._several else typed.column(name)

    def _topic(self) -> Column:
        """The topic that a row names, NULL for the sink's own."""
        given = self._field("topic")
        if given is None:
            return F.lit(None).cast("string")
        sink = self._sink
        if sink.topic:
            given = F.coalesce(given, F.lit(sink.topic))
        patterns = [topic for topic in sink.topics if topic.startswith("^")]
        known = given.isin(*(topic for topic in sink.topics if topic not in patterns))
        for pattern in patterns:
            known |= F.call_function("sluice_regexp_like", given, F.lit(pattern))
        text = F.concat(F.lit("The table writes to "), F.lit(", ".join(sink.topics)))
        text = F.concat(text, F.lit(" and not to topic "), F.coalesce(given, F.lit("NULL")))
        return F.when(known, given).otherwise(F.raise_error(text).cast("string"))

    def _key(self) -> Column:
        if self._sink.key is not None:
            return self._encoded(self._sink.key)
        given = self._field("key")
        if given is None:
            return F.lit(None).cast("binary")
        return F.when(given != "", given.cast("binary"))

    def _value(self) -> Column:
        """The value; of an upsert table NULL for a retraction, with its kind in change formats."""
        value, kinds = self._sink.value, row_kinds.COLUMN in self._hidden
        if self._sink.upsert:
            encoded = self._encoded(value)
            return F.when(row_kinds.is_put(), encoded) if kinds else encoded
        if not self._sink.changes:
            return self._encoded(value)
        kind = F.col(row_kinds.COLUMN) if kinds else F.lit(row_kinds.INSERT)
        return self._encoded(value, kind.alias(row_kinds.COLUMN))

    def _partition(self) -> Column:
        """The partition of a change that has no key; NULL if the partitioner chooses it.

        All changes of a row are in one partition: by the table's PRIMARY KEY, or a row and its
        retraction by all their values.
        """
        sink = self._sink
        if not sink.changes or sink.key is not None or not self._partitions:
            return F.lit(None).cast("int")
        names = sink.table.primary_key or [column for _, column in sink.value.columns]
        hashed = [name for name in names if not _has_map(self._types[name])]
        hash_ = F.hash(*map(typed.quoted, hashed)) if hashed else F.lit(0)
        return F.pmod(hash_, F.lit(self._partitions)).cast("int")

    def _headers(self) -> Column:
        pairs = self._field("headers")
        if pairs is not None:
            return F.map_entries(pairs.cast("map<string, binary>")).cast(_HEADERS)
        names, values = self._field("header-names"), self._field("header-values")
        if names is None or values is None:
            return F.lit(None).cast(_HEADERS)
        uneven = F.raise_error(F.lit("A message has as many names of headers as values"))
        given = F.zip_with(
            names, values, lambda n, v: F.struct(n.alias("key"), v.cast("binary").alias("value"))
        )
        even = names.isNull() | (F.size(names) == F.size(values))
        return F.when(even, given.cast(_HEADERS)).otherwise(uneven.cast(_HEADERS))

    def _timestamp(self) -> Column:
        given = self._field("timestamp")
        if given is None:
            return F.lit(None).cast("bigint")
        return F.unix_millis(given.cast("timestamp"))

    def _encoded(self, format_: RowFormat, *more: Column) -> Column:
        """The bytes of a key or value; formats of changes get the kind as the last field."""
        fields = [(field, self._types[column]) for field, column in format_.columns]

        def row(of: Column | None = None) -> Column:
            columns = (
                (typed.column(column) if of is None else of.getField(column)).alias(field)
                for field, column in format_.columns
            )
            return F.struct(*columns, *more)

        if format_.dialect != CLICKHOUSE:
            return encoded_row(self._spark, format_.codec, fields, row())
        rows = F.transform(_ROWS, row) if self._several else F.array(row())
        return encoded_rows(self._spark, format_.codec, fields, rows)

    def _grouped(self, rows: DataFrame) -> DataFrame:
        """The rows of each message as a list, in the order they have in one task."""
        whole = F.struct(*(typed.column(name) for name in rows.columns))
        rows = rows.coalesce(1).select(
            F.monotonically_increasing_id().alias(_NUMBER), whole.alias(_ROW)
        )
        place, keys = F.col(_NUMBER), []
        if "topic" in self._metadata:
            keys = [F.col(_ROW)[self._metadata["topic"]]]
            place = F.row_number().over(Window.partitionBy(*keys).orderBy(_NUMBER)) - 1
        group = F.floor(place / self._sink.rows_per_message).alias(_GROUP)
        rows = rows.select(_NUMBER, _ROW, group, *(key.alias(_TOPIC) for key in keys))
        found = F.collect_list(F.struct(_NUMBER, _ROW)).alias(_ROWS)
        grouped = rows.groupBy(_GROUP, *([_TOPIC] if keys else [])).agg(found)
        ordered = F.array_sort(_ROWS, lambda a, b: (a[_NUMBER] - b[_NUMBER]).cast("int"))
        listed = F.transform(ordered, lambda each: each[_ROW]).alias(_ROWS)
        return grouped.orderBy(F.col(_ROWS)[0][_NUMBER]).select(listed)


def _has_map(type_: Type) -> bool:
    """Whether values have a map in them, for which Spark has no hash."""
    return "map<" in spark_type(type_).lower()


def with_partitions(partition: Column) -> Select:
    """Messages with the partitions that a column chooses, without the rows it needed."""
    chosen: Sequence[Column] = [
        partition.alias(name) if name == "partition" else F.col(name) for name in LAYOUT
    ]
    return Select(chosen)
