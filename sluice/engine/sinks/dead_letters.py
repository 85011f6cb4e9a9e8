"""Dead letters: messages that could not be parsed, kept until they are redriven or expire."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.catalog import STORED, Column, Table
from sluice.engine import failpoints
from sluice.engine.sources.metadata import METADATA
from sluice.engine.spark import typed
from sluice.engine.storage import ledger
from sluice.types import parse_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from sluice.engine.storage.ledger import Entry, Record
    from sluice.engine.storage.tables import DeltaStore
    from sluice.planner.spec import KafkaSource

WRITER = "dead_letters"
"""The writer of dead letters in the ledger, where a view has its id."""

WAITING, STARTED, REDRIVEN, FAILED = "waiting", "started", "redriven", "failed"
OUTCOMES = f"Enum8('{WAITING}' = 0, '{STARTED}' = 1, '{REDRIVEN}' = 2, '{FAILED}' = 3)"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = datetime(2299, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
"""The end of DateTime64: a letter with a later timestamp is kept without it."""


def _own(uuid: str, name: str, text: str, time: str) -> Table:
    """A table that is in no catalog, so that no statement can reach it."""
    own = tuple(Column(name, type_) for name, type_ in parse_columns(text).items())
    return Table(uuid, "system", name, STORED, own, _EPOCH, order_by=(time,))


_KEY = ("pipeline", "generation", "kafka_topic_name", "kafka_partition", "kafka_offset")
"""What tells letters apart: a table that was reset may read a message, and keep it, again."""

_METADATA = ("topic", "partition", "offset", "key", "header-names", "header-values")

_MESSAGE = """
    event_time_microseconds DateTime64(6)
    database LowCardinality(String)
    table LowCardinality(String)
    error String
    raw_message String
    kafka_topic_name String
    kafka_partition UInt64
    kafka_offset UInt64
    kafka_key String
""".strip()
"""The columns that are the same in the files and for a reader."""

LETTERS = _own(
    "00000000-0000-0000-0000-0000dead1e77",
    "dead_letter_queue",
    f"""
    pipeline UUID
    generation UInt64
    {_MESSAGE}
    kafka_timestamp Nullable(DateTime64(3))
    kafka_headers.name Array(String)
    kafka_headers.value Array(String)
    """,
    "event_time_microseconds",
)

MARKS = _own(
    "00000000-0000-0000-0000-0000dead0a4b",
    "dead_letter_outcomes",
    """
    pipeline UUID
    generation UInt64
    kafka_topic_name String
    kafka_partition UInt64
    kafka_offset UInt64
    redrive UUID
    outcome_time DateTime64(6)
    outcome String
    outcome_error String
    settings String
    """,
    "outcome_time",
)

QUEUE = parse_columns(
    f"""
    table_engine Enum8('Kafka' = 1, 'RabbitMQ' = 2)
    event_date Date
    event_time DateTime
    {_MESSAGE}
    rabbitmq_exchange_name String
    rabbitmq_message_id String
    rabbitmq_message_timestamp DateTime
    rabbitmq_message_redelivered UInt8
    rabbitmq_message_delivery_tag UInt64
    rabbitmq_channel_id String
    kafka_timestamp Nullable(DateTime64(3))
    kafka_headers.name Array(String)
    kafka_headers.value Array(String)
    pipeline UUID
    generation UInt64
    outcome {OUTCOMES}
    outcome_time Nullable(DateTime64(6))
    outcome_error String
    redrive Nullable(UUID)
    """
)
"""What a reader sees: ClickHouse's columns, those of a message, and what became of it."""


class DeadLetters:
    """Two Delta tables that only grow: the letters, and what was tried with them."""

    def __init__(self, store: DeltaStore) -> None:
        self._store = store

    def keep(self, bad: DataFrame, source: KafkaSource, entry: Entry) -> int:
        """Write the bad messages of a batch, with its ledger entry by WRITER; how many they are."""
        letters = _letters(bad, source, entry).persist()
        try:
            count = letters.count()
            if count:
                self._store.commits.append_fitted(letters, LETTERS, entry)
                failpoints.hit("letters.after_commit")
            return count
        finally:
            letters.unpersist()

    def last_batch(self, pipeline: str, generation: int) -> Record | None:
        """The newest batch of a pipeline whose letters are kept."""
        return self._store.last_batch(LETTERS, ledger.writer(pipeline, generation, WRITER))

    def read(self, spark: SparkSession) -> DataFrame:
        """The letters as `system.dead_letter_queue` shows them."""
        found = self.marked(spark)
        zero = F.timestamp_micros(F.lit(0))
        made = {
            "table_engine": F.lit("Kafka"),
            "event_date": F.to_date("event_time_microseconds"),
            "event_time": F.date_trunc("second", "event_time_microseconds"),
            "rabbitmq_exchange_name": F.lit(""),
            "rabbitmq_message_id": F.lit(""),
            "rabbitmq_message_timestamp": zero,
            "rabbitmq_message_redelivered": F.lit(0).cast("smallint"),
            "rabbitmq_message_delivery_tag": F.lit(0).cast("decimal(20,0)"),
            "rabbitmq_channel_id": F.lit(""),
        }
        return found.select(
            *(
                typed.mark(made.get(name, typed.column(name)), name, type_)
                for name, type_ in QUEUE.items()
            )
        )

    def marked(self, spark: SparkSession) -> DataFrame:
        """The letters, each with its last outcome and the settings it was tried with."""
        letters = self._store.read(spark, LETTERS)
        marks = self._store.read(spark, MARKS)
        names = ("outcome", "outcome_time", "outcome_error", "redrive", "settings")
        last = marks.groupBy(*_KEY).agg(F.max_by(F.struct(*names), "outcome_time").alias("last"))
        found = letters.join(last, list(_KEY), "left")
        nothing = {"outcome": WAITING, "outcome_error": "", "settings": ""}
        return found.select(
            *(typed.column(name) for name in letters.columns),
            *(
                F.coalesce(F.col(f"last.{name}"), F.lit(nothing.get(name))).alias(name)
                for name in names
            ),
        )

    def mark(
        self, outcomes: DataFrame, redrive: str, settings: str, only: Mapping[str, str]
    ) -> None:
        """Record the outcomes of letters that `only` has, each as what it maps them to."""
        now = F.create_map(*(F.lit(word) for pair in only.items() for word in pair))
        rows = outcomes.where(F.col("outcome").isin(list(only))).select(
            *_KEY,
            F.lit(redrive).alias("redrive"),
            F.current_timestamp().alias("outcome_time"),
            F.element_at(now, F.col("outcome")).alias("outcome"),
            F.col("outcome_error"),
            F.lit(settings).alias("settings"),
        )
        self._store.commits.append_fitted(_plain(rows), MARKS)


def _letters(bad: DataFrame, source: KafkaSource, entry: Entry) -> DataFrame:
    """Bad messages, as `Decoder.bad` finds them, as rows of `LETTERS`."""
    known = {key: F.expr(METADATA[key]) for key in _METADATA}
    made = {
        "pipeline": F.lit(entry.pipeline),
        "generation": F.lit(entry.generation).cast("decimal(20,0)"),
        "event_time_microseconds": F.current_timestamp(),
        "database": F.lit(source.table.database),
        "table": F.lit(source.table.name),
        "error": F.col("__error"),
        "raw_message": F.col("__value").cast("string"),
        "kafka_topic_name": known["topic"],
        "kafka_partition": known["partition"].cast("decimal(20,0)"),
        "kafka_offset": known["offset"].cast("decimal(20,0)"),
        "kafka_key": known["key"],
        "kafka_timestamp": F.when(F.col("__timestamp") <= _LAST, F.col("__timestamp")),
        "kafka_headers.name": known["header-names"],
        "kafka_headers.value": known["header-values"],
    }
    return bad.select(*(made[column.name].alias(column.name) for column in LETTERS.columns))


def _plain(rows: DataFrame) -> DataFrame:
    """Rows whose columns have no metadata, as files need them."""
    return rows.select(*(typed.column(n).alias(n, metadata={}) for n in rows.columns))
