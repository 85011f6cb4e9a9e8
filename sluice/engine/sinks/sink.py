"""The interface of every sink: views, INSERT and jobs write through it to Delta and Kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sluice.engine.sinks.delta import DeltaSink
from sluice.engine.sinks.kafka import KafkaSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sluice.engine.offsets import Ranges
    from sluice.engine.storage.commits import Written
    from sluice.engine.storage.ledger import Writer
    from sluice.engine.storage.tables import DeltaStore
    from sluice.planner.spec import SinkSpec


class Sink(Protocol):
    """Writes the rows of one output: the batches of a query, or the rows of a statement.

    `start` comes first, then for each batch `prepare` and `write`, at last `close`. A batch that
    `has` reports as written needs neither.
    """

    def start(self) -> None:
        """Check that the target can be written to, and clean up after a killed writer.

        Raises:
            SluiceError: what is wrong with the target, or DATA_FOLDER_COPIED.
        """

    def prepare(self, rows: DataFrame) -> DataFrame:
        """The rows of the query as they are written, cast to the target's schema.

        They may have a column of row kinds (`sluice.engine.row_kinds`). They may also be those of a
        stream, whose batches are then written as they come.

        Raises:
            SluiceError: SINK_SCHEMA_MISMATCH for columns that cannot be cast.
        """

    def write(self, prepared: DataFrame, batch: int = 0, ranges: Ranges | None = None) -> None:
        """Write a batch, made of the messages in `ranges`; it is committed when this returns."""

    def has(self, batch: int, ranges: Ranges) -> bool:
        """Whether the whole batch was committed when this was started.

        Raises:
            SluiceError: BATCH_RANGES_DIFFER, if it was committed with other messages.
        """

    def last_batch(self) -> int:
        """The last batch that is committed as a whole; -1 for none, or if that is not known."""

    def newest_batch(self) -> int:
        """The newest batch of which any part is committed; -1 as for `last_batch`."""

    def rows(self, batch: int) -> int:
        """How many rows the last batch has, which is this one; 0 if that is not known."""

    def written(self) -> Written:
        """What the rows of a statement were, once they are written."""

    def notices(self) -> list[tuple[str, str]]:
        """Events of the batches since the last call, for `system.pipeline_events`.

        Each is the kind of an event and its text; a kind is reported once.
        """

    def look(self) -> None:
        """Check that the target can be written to now.

        Raises:
            SluiceError: why it cannot.
        """

    def close(self) -> None:
        """Release producers and connections."""


def sink_of(
    into: SinkSpec, store: DeltaStore, spark: SparkSession, writer: Writer | None = None
) -> Sink:
    """The sink of a table; without a `writer`, for the rows of one statement."""
    if into.kafka is None:
        return DeltaSink(into, store, writer)
    return KafkaSink(into, spark, writer, store.instance)
