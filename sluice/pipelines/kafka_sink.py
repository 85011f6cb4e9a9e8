"""Rows into Kafka: grouped into messages, encoded, sent and acknowledged, all in the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.errors import SluiceError
from sluice.formats.encode import encoded
from sluice.kafka.cluster import Cluster
from sluice.options.client import PRODUCER
from sluice.pipelines import kafka_faults, typed
from sluice.pipelines.select import Select
from sluice.plan.sink import (
    BESIDE,
    HEADER_NAMES,
    HEADER_VALUES,
    KEY,
    TIMESTAMP,
    TOPIC,
    check_written,
    one_topic,
    value_columns,
)
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.plan import KafkaSource

PATIENCE_MS = 30_000
"""How long a message may take to be acknowledged, unless `message.timeout.ms` says otherwise."""

_DEFAULTS = {
    "linger.ms": "5",
    "batch.size": str(256 << 10),
    "buffer.memory": str(64 << 20),
    # The broker and the topic decide what is too large.
    "max.request.size": str(64 << 20),
    "enable.metrics.push": "false",
}
_REQUEST_MS = 10_000
_LONGEST = (1 << 31) - 1

_NUMBER, _ROW = "__number", "__row"


class KafkaSink:
    """A Kafka table as a place to write to, at least once.

    Rows are sent in the order they have within a task. The key, the time and the headers of a
    message with several rows are those of its last row.
    """

    def __init__(self, source: KafkaSource) -> None:
        self.source = source
        self._columns = value_columns(source.table)
        self._own = dict(self._columns)
        self._cluster = Cluster(source.connection.librdkafka(PRODUCER))
        self._properties = properties(source.connection.spark(PRODUCER))
        self._messages: dict[tuple[str, ...], Select] = {}

    def fitting(self, rows: DataFrame) -> Select:
        """What rows like these are checked by before they are written, to be used again.

        Raises:
            SluiceError: when it is not said which topic they go to.
        """
        names = set(rows.columns)
        check_written(self.source, names)
        beside = [(n, t) for n, t in BESIDE.items() if n in names and n not in self._own]
        columns = [(n, n, t) for n, t in [*self._columns, *beside]]
        return Select(typed.fitted(rows.schema, columns))

    def write(self, fitted: DataFrame, *, ordered: bool = False) -> None:
        """Send rows that `fitting` has made, and return when every message is acknowledged.

        With `ordered` they are sent one after the other, in the order they have.

        Raises:
            SluiceError: KAFKA_NOT_WRITTEN, KAFKA_TOPIC_MISSING or KAFKA_MESSAGE_TOO_LARGE; what is
                wrong with the rows is raised as Spark does.
        """
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self._check_topic()
        several = self.source.rows_per_message > 1
        rows = fitted.coalesce(1) if ordered or several else fitted
        if several:
            rows = self._grouped(rows)
        messages: Any = self._encoded(rows, tuple(fitted.columns))
        jvm: Any = fitted.sparkSession._jvm
        try:
            messages._jdf.foreachPartition(jvm.sluice.kafka.Produce(self._properties))
        except (PySparkException, Py4JError) as fault:
            topics, brokers = ", ".join(self.source.topics), self.source.connection.brokers
            named = kafka_faults.named(fault, topics, brokers)
            if named is None:
                raise
            raise named from fault

    def _grouped(self, rows: DataFrame) -> DataFrame:
        """Rows of one task with a list of rows for each message."""
        from pyspark.sql import functions as F
        from pyspark.sql.window import Window

        whole = F.struct(*(F.col(typed.quoted(name)) for name in rows.columns))
        rows = rows.select(F.monotonically_increasing_id().alias(_NUMBER), whole.alias(_ROW))
        place, keys = F.col(_NUMBER), []
        if self._given(TOPIC, rows.select(f"{_ROW}.*").columns):
            keys = [F.col(f"{_ROW}.{TOPIC}")]
            place = F.row_number().over(Window.partitionBy(*keys).orderBy(_NUMBER)) - 1
        group = F.floor(place / self.source.rows_per_message).alias("__group")
        rows = rows.select(_NUMBER, _ROW, group, *(key.alias("__topic") for key in keys))
        found = F.collect_list(F.struct(_NUMBER, _ROW)).alias("__rows")
        grouped = rows.groupBy("__group", *(["__topic"] if keys else [])).agg(found)
        order = F.array_sort("__rows", _earlier)
        listed = F.transform(order, lambda each: each[_ROW]).alias("__rows")
        return grouped.orderBy(F.col("__rows")[0][_NUMBER]).select(listed)

    def _encoded(self, rows: DataFrame, names: tuple[str, ...]) -> DataFrame:
        if names not in self._messages:
            several = self.source.rows_per_message > 1
            self._messages[names] = Select(self._parts(rows.sparkSession, names, several=several))
        return self._messages[names](rows)

    def _parts(self, spark: SparkSession, names: tuple[str, ...], *, several: bool) -> list[Column]:
        """A message, in the order that `Produce` takes its parts."""
        from pyspark.sql import functions as F

        def row(each: Column) -> Column:
            return F.struct(*(each.getField(name).alias(name) for name in self._own))

        def last(name: str, otherwise: str) -> Column:
            if not self._given(name, names):
                return F.lit(None).cast(otherwise)
            return F.element_at("__rows", -1)[name] if several else F.col(typed.quoted(name))

        if several:
            rows = F.transform("__rows", row)
        else:
            rows = F.array(F.struct(*(F.col(typed.quoted(name)) for name in self._own)))
        source = self.source
        value = encoded(spark, source.format, self._columns, rows, source.format_settings)
        key = last(KEY, "string")
        header_names, header_values = (
            last(HEADER_NAMES, "array<string>"),
            last(HEADER_VALUES, "array<string>"),
        )
        even = header_names.isNull() | (F.size(header_names) == F.size(header_values))
        uneven = F.raise_error(F.lit("A message has as many names of headers as values"))
        return [
            self._topic(last(TOPIC, "string")).alias("topic"),
            value.alias("value"),
            F.when(key != "", key.cast("binary")).alias("key"),
            F.unix_millis(last(TIMESTAMP, "timestamp")).alias("timestamp"),
            F.when(even, header_names).otherwise(uneven.cast("array<string>")).alias("names"),
            header_values.cast("array<binary>").alias("values"),
        ]

    def _given(self, name: str, names: list[str] | tuple[str, ...]) -> bool:
        """Whether rows say this of their message; a table's own column may, if it can."""
        own = self._own.get(name)
        return name in names if own is None else isinstance(own, _OWN.get(name, ()))

    def _topic(self, given: Column) -> Column:
        from pyspark.sql import functions as F

        topics, one = self.source.topics, one_topic(self.source)
        if one is not None:
            given = F.coalesce(given, F.lit(one))
        known = given.isin(*self.source.named)
        for pattern in self.source.patterns:
            known |= F.call_function("sluice_regexp_like", given, F.lit(pattern))
        text = F.concat(F.lit("The table writes to "), F.lit(", ".join(topics)))
        text = F.concat(text, F.lit(" and not to topic "), F.coalesce(given, F.lit("NULL")))
        return F.when(known, given).otherwise(F.raise_error(text).cast("string"))

    def _check_topic(self) -> None:
        """A topic that is not there is said at once: the client would wait for it."""
        topic = one_topic(self.source)
        if topic is None:
            return
        try:
            seconds = int(self._properties["max.block.ms"]) / 1000
            there = self._cluster.topics([topic], deadline=seconds)
        except SluiceError as fault:
            raise self._not_written(fault.detail or fault.message) from fault
        if not there:
            raise self._missing()

    def _missing(self) -> SluiceError:
        return kafka_faults.missing(", ".join(self.source.topics), self.source.connection.brokers)

    def _not_written(self, why: str) -> SluiceError:
        topics, brokers = ", ".join(self.source.topics), self.source.connection.brokers
        return kafka_faults.not_written(topics, brokers, why)


_OWN: Mapping[str, tuple[type, ...]] = {KEY: (m.String,), TIMESTAMP: (m.DateTime,)}
"""Columns of a table's own that also say something of their message, and the types they need."""


def _earlier(a: Column, b: Column) -> Column:
    return (a[_NUMBER] - b[_NUMBER]).cast("int")


def properties(spark: Mapping[str, str]) -> dict[str, str]:
    """The settings of Java's producer, from the options of Spark's sink."""
    given = {name.removeprefix("kafka."): value for name, value in spark.items()}
    found = _DEFAULTS | given
    patience = _whole(found.get("delivery.timeout.ms"), PATIENCE_MS) or _LONGEST
    linger = min(_whole(found["linger.ms"], 0), patience // 2)
    request = min(_whole(found.get("request.timeout.ms"), _REQUEST_MS), patience - linger)
    return found | {
        "linger.ms": str(linger),
        "request.timeout.ms": str(request),
        "delivery.timeout.ms": str(patience),
        "max.block.ms": found.get("max.block.ms", str(patience)),
    }


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else otherwise
