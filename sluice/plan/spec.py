"""A pipeline as data: one Kafka table, read once, and the views that share what it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.errors import SluiceError
    from sluice.kafka.properties import Connection


@dataclass(frozen=True, slots=True)
class KafkaSource:
    """What a Kafka table reads and how."""

    table: Table
    connection: Connection
    topics: tuple[str, ...]
    group: str
    format: str
    skip_broken: bool
    max_block: int
    flush_ms: int
    min_tasks: int


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """A view over the batch: its query in Spark SQL and the tables that query reads besides.

    `target` is None while the table it writes to does not exist. `fault` says why the query cannot
    be run as things are, for instance because a table it joins is gone.
    """

    view: Table
    sql: str
    target: Table | None
    reads: tuple[tuple[str, Table], ...] = ()
    fault: SluiceError | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PipelineSpec:
    """Everything the engine needs to run a Kafka table's pipeline."""

    source: KafkaSource
    views: tuple[ViewPlan, ...]

    @property
    def id(self) -> str:
        """The pipeline is its Kafka table's."""
        return self.source.table.uuid
