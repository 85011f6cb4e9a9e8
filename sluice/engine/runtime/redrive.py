"""Redriving dead letters: a query whose input rows are the good ones, written exactly once.

A redrive is recorded before it begins and when it has ended. One that was interrupted in between is
completed by the next: the ledger knows which targets have its rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice.engine import failpoints, faults
from sluice.engine.runtime.evolution import known_columns
from sluice.engine.sinks import dead_letters
from sluice.engine.sinks.dead_letters import FAILED, REDRIVEN, STARTED, DeadLetters
from sluice.engine.sinks.fan_out import FanOut, write_rows
from sluice.engine.sources.decode import Decoder
from sluice.planner.query import QuerySpec
from sluice.planner.spec import DEAD_LETTERS, STREAM
from sluice.types import parse_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from sluice.engine.storage.tables import DeltaStore
    from sluice.errors import SluiceError

_AT = ("kafka_topic_name", "kafka_partition", "kafka_offset")
_ANSWER = (*_AT, "outcome", "rows", "outcome_error")


class Redrive:
    """One try. `settings` is how the letters are read this time, as text to be kept."""

    def __init__(self, store: DeltaStore, spec: QuerySpec, id_: str, settings: str) -> None:
        mode = STREAM if spec.source.error_mode == STREAM else DEAD_LETTERS
        source = replace(spec.source, error_mode=mode)
        self._spec = replace(QuerySpec.of_table(source, spec.outputs), id=id_)
        self._store = store
        self._letters = DeadLetters(store)
        self._settings = settings

    def outcomes(self, chosen: DataFrame) -> DataFrame:
        """What would become of each letter: `outcome`, `outcome_error` and how many `rows`.

        The same message may have been kept twice, by a table that was reset: it counts once.
        """
        from pyspark.sql import functions as F

        messages = _messages(_newest(chosen))
        checked = (
            self._read(messages)
            .checked(messages)
            .select(
                F.col("__topic").alias("kafka_topic_name"),
                F.col("__partition").cast("decimal(20,0)").alias("kafka_partition"),
                F.col("__offset").cast("decimal(20,0)").alias("kafka_offset"),
                "value_now",
                "error_now",
                "rows",
            )
        )
        found = chosen.drop("outcome", "outcome_error").join(checked, list(_AT))
        outcome = F.when(F.col("error_now").isNull(), REDRIVEN).otherwise(FAILED)
        return (
            found.where(F.col("raw_message") == F.col("value_now").cast("string"))
            .withColumn("outcome", outcome)
            .withColumn("outcome_error", F.coalesce("error_now", F.lit("")))
        )

    def rehearse(self, outcomes: DataFrame) -> list[tuple[object, ...]]:
        """Let the views see the letters, and write nothing.

        Raises:
            SluiceError: what a view would say.
        """
        rows = self._rows(outcomes)
        rows.createOrReplaceTempView(self._spec.inputs[0].view)
        outputs = FanOut(self._store, self._named, self._spec.by_name)
        for name in self._spec.by_name:
            outputs.rehearse(rows.sparkSession, name)
        return _answer(outcomes)

    def run(self, outcomes: DataFrame) -> list[tuple[object, ...]]:
        """Write the good letters through the views, and down what became of each.

        Raises:
            SluiceError: the error of a view; its letters stay `started` until the next redrive.
        """
        # Not persisted: what is marked would be found out anew, with the letters as they are then.
        outcomes = outcomes.localCheckpoint()
        answer = _answer(outcomes)
        if answer:
            self._mark(outcomes, {REDRIVEN: STARTED, FAILED: FAILED})
            failpoints.hit("redrive.after_start")
        if any(REDRIVEN in row for row in answer):
            self._feed(outcomes)
            self._mark(outcomes, {REDRIVEN: REDRIVEN})
        return answer

    def finish(self, started: DataFrame) -> None:
        """Bring a try to its end that was cut short; targets that have its rows are left as is.

        Raises:
            SluiceError: what a view says.
        """
        outcomes = self.outcomes(started).localCheckpoint()
        self._feed(outcomes)
        self._mark(outcomes, {REDRIVEN: REDRIVEN, FAILED: FAILED})

    def _feed(self, outcomes: DataFrame) -> None:
        write_rows(self._store, self._named, self._spec, self._rows(outcomes))
        failpoints.hit("redrive.before_end")

    def _mark(self, outcomes: DataFrame, only: Mapping[str, str]) -> None:
        self._letters.mark(outcomes, self._spec.id, self._settings, only)

    def _rows(self, outcomes: DataFrame) -> DataFrame:
        from pyspark.sql import functions as F

        messages = _messages(_newest(outcomes.where(F.col("outcome") == REDRIVEN)))
        return self._read(messages)(messages)

    def _read(self, messages: DataFrame) -> Decoder:
        source, outputs = self._spec.source, self._spec.outputs
        evolves = any(output.evolves for output in outputs)
        evolved = known_columns(source, outputs) if evolves else None
        return Decoder(source, messages, self._spec.uses(), evolved=evolved)

    def _named(self, fault: BaseException) -> SluiceError:
        source = self._spec.source
        return faults.classify(fault, source.table.full_name, source.connection.brokers)


def _newest(letters: DataFrame) -> DataFrame:
    """Of the letters of one place the last that was kept."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    order = Window.partitionBy(*_AT).orderBy(
        F.col("event_time_microseconds").desc(), F.col("generation").desc()
    )
    return letters.withColumn("nth", F.row_number().over(order)).where(F.col("nth") == 1)


def _messages(letters: DataFrame) -> DataFrame:
    """Letters as the messages they were."""
    from pyspark.sql import functions as F

    names, texts = F.col("`kafka_headers.name`"), F.col("`kafka_headers.value`")
    pairs = F.zip_with(
        names, texts, lambda n, t: F.struct(n.alias("key"), t.cast("binary").alias("value"))
    )
    return letters.select(
        F.col("kafka_key").cast("binary").alias("key"),
        F.col("raw_message").cast("binary").alias("value"),
        F.col("kafka_topic_name").alias("topic"),
        F.col("kafka_partition").cast("int").alias("partition"),
        F.col("kafka_offset").cast("bigint").alias("offset"),
        F.col("kafka_timestamp").alias("timestamp"),
        pairs.alias("headers"),
    )


def _answer(outcomes: DataFrame) -> list[tuple[object, ...]]:
    found = outcomes.select(*_ANSWER).distinct().orderBy(*_AT).collect()
    return [
        (topic, int(partition), int(offset), outcome, rows, error)
        for topic, partition, offset, outcome, rows, error in found
    ]


ANSWER = parse_columns(
    f"""
    kafka_topic_name String
    kafka_partition UInt64
    kafka_offset UInt64
    outcome {dead_letters.OUTCOMES}
    rows UInt64
    error String
    """
)
"""What a try answers: a row for each letter."""
