"""A job as data: what it reads, what it makes of that, and where the rows go."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

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
class Rules:
    """What becomes of a row that its table does not take as it is.

    `not_null` is ERROR or DROP for a NULL in a column that has none; `length` is IGNORE, TRIM_PAD
    or ERROR for texts and bytes that are longer, or shorter, than their type says.
    """

    not_null: str = "ERROR"
    length: str = "IGNORE"


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
    rules: Rules = Rules()


@dataclass(frozen=True, slots=True)
class Record:
    """A query as it was when it last began: what has to be known to go on where it stood.

    `names` are those of its outputs, `streams` the views of what it read, `state` what it kept.
    """

    id: str
    generation: int
    fingerprint: str
    names: tuple[str, ...]
    streams: tuple[str, ...]
    state: tuple[str, ...] = ()
    whole: bool = False

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Record:
        """The record that the catalog keeps as JSON."""
        lists: dict[str, Any] = {k: tuple(v) for k, v in kept.items() if isinstance(v, list)}
        return cls(**{**kept, **lists})


@dataclass(frozen=True, slots=True)
class QuerySpec:
    """One query of Spark's: several outputs share what it reads, if none of them needs state.

    `names` tell its outputs from those of the job's other queries. `state` says in words what it
    keeps between batches. `before` is the query in whose place it goes on.
    """

    id: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    stateful: bool = False
    realtime: bool = False
    names: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    before: Record | None = None

    @property
    def streams(self) -> tuple[Input, ...]:
        """The inputs over topics."""
        return tuple(each for each in self.inputs if each.source is not None)

    @property
    def bounded(self) -> bool:
        """Whether it ends by itself."""
        return all(each.source.bounded for each in self.streams if each.source is not None)

    @property
    def whole(self) -> bool:
        """Whether it reads everything up to an end in one batch, without a checkpoint."""
        replaces = any(each.overwrite for each in self.outputs)
        return self.bounded and (self.stateful or replaces or not self.streams)

    @property
    def fingerprint(self) -> str:
        """A text that is another one when the query is, as far as its checkpoint depends on it."""
        texts = [each.sql for each in self.outputs]
        texts += [step.sql for each in self.outputs for step in each.steps]
        said = {
            "inputs": [_essence(each, " ".join(texts)) for each in self.inputs],
            "outputs": [
                [each.sql, list(map(asdict, each.steps)), each.updating] for each in self.outputs
            ],
            "into": [name.partition("/")[2] for name in self.names] if len(self.names) > 1 else [],
            "realtime": self.realtime,
        }
        text = json.dumps(said, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def record(self, generation: int) -> Record:
        """What is kept of it when a generation begins."""
        streams = tuple(each.view for each in self.streams)
        return Record(
            self.id, generation, self.fingerprint, self.names, streams, self.state, self.whole
        )


def _essence(given: Input, text: str) -> list[Any]:
    """What a query takes from a table; columns that do not occur in it make no difference."""
    computed = [(name, sql) for name, sql in given.computed if _occurs(name, text)]
    text = " ".join((text, *(sql for _, sql in computed)))
    columns = [(c.name, str(c.type)) for c in given.table.columns if _occurs(c.name, text)]
    source = given.source
    topics = [sorted(source.topics), source.pattern] if source is not None else []
    return [given.view, columns, computed, given.watermark, topics]


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


@dataclass(frozen=True, slots=True)
class JobSpec:
    """Everything the engine needs to run a job; `tables` are the ids of all it uses.

    `columns` are those that each INSERT fills, in the statement's order. `definition` is a hash of
    the statement, its tables and its views as they are written.
    """

    id: str
    name: str
    queries: tuple[QuerySpec, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    columns: tuple[tuple[str, ...], ...] = ()
    definition: str = ""
