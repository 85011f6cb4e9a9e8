"""A job as data: what it reads, what it makes of that, and where the rows go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.plan.spec import TopicSink, TopicSource
    from sluice.plan.streaming import Step


@dataclass(frozen=True, slots=True)
class Input:
    """A table that a job reads: the name Spark knows it by, and its topics unless it is stored.

    `computed` are its computed columns with their expressions in Spark SQL. `watermark` is the
    column of its times and how many milliseconds they may be late.
    """

    view: str
    table: Table
    source: TopicSource | None = None
    computed: tuple[tuple[str, str], ...] = ()
    watermark: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A query in Spark SQL, the steps before it, and where its rows go.

    `columns` are those of the table, in the query's order.

    A sink is there for a table over a topic. The rows of an `updating` query change later; `key`
    are the columns, as they are called in the table, that tell which row it is that changes.
    """

    sql: str
    steps: tuple[Step, ...]
    table: Table
    columns: tuple[str, ...]
    sink: TopicSink | None = None
    updating: bool = False
    key: tuple[str, ...] | None = None
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class QuerySpec:
    """One query of Spark's: several outputs share what it reads, if none of them needs state."""

    id: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    stateful: bool = False
    realtime: bool = False

    @property
    def streams(self) -> tuple[Input, ...]:
        """The inputs over topics."""
        return tuple(each for each in self.inputs if each.source is not None)

    @property
    def bounded(self) -> bool:
        """Whether it ends by itself."""
        return all(each.source.bounded for each in self.streams if each.source is not None)


@dataclass(frozen=True, slots=True)
class JobSpec:
    """Everything the engine needs to run a job."""

    id: str
    name: str
    queries: tuple[QuerySpec, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
