"""A streaming query as data: inputs, a transform in Spark SQL, outputs.

A Kafka table with its materialized views, each query of a Flink job, an INSERT and a redrive of
dead letters are written as one `QuerySpec`; the engine runs nothing else.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.planner.spec import Rules, SinkSpec
from sluice.planner.stored import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sluice.catalog import Table
    from sluice.errors import SluiceError
    from sluice.planner.spec import KafkaSinkSpec, KafkaSource
    from sluice.sql.relation import Step


SOURCE_VIEW = "sluice_source"
"""The name of a Kafka table's rows in the Spark SQL of its views."""

_ROWS = "sluice_rows"
"""The name of the rows of an INSERT; the views of its target read theirs as `SOURCE_VIEW`."""


@dataclass(frozen=True, slots=True)
class Input:
    """A table that a query reads: the name Spark knows it by, and its topics unless it is stored.

    `computed` are its computed columns with their expressions in Spark SQL, `computed_from` the
    columns that each of them is computed from. `watermark` is the column of its times and how many
    milliseconds they may be late.
    """

    view: str
    table: Table = field(repr=False)
    source: KafkaSource | None = None
    computed: tuple[tuple[str, str], ...] = ()
    computed_from: Mapping[str, frozenset[str]] = field(default_factory=dict)
    watermark: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A query in Spark SQL over the rows of a batch or of a stream, and its target.

    `steps` are views that Spark needs before the query. `columns` are those of the target that an
    INSERT of a job fills, in the query's order; without them columns are matched by name. `rules`
    are those of Flink's casts. `target` is None while it does not exist. `sink` states how a Kafka
    topic is written. The rows of an `updating` query change later; `key` are the target's columns
    that identify them. Those of a `changelog` have the hidden columns: see `Shape`.

    `uses` are the columns that the query reads, by the views of its inputs. If it carries columns
    that its source does not declare, which are added to the target, `evolves` are the columns that
    it fills itself.

    `definition` is the materialized view. `block` is the name of its input rows in the SQL, and
    `reads` are the tables that it reads besides. `feeds` are the views downstream: their input is
    what was written to the target. `via` are the ids of the views upstream, from the first one on;
    a view can be reached in several ways. `fault` is the reason why the query cannot be run.
    """

    sql: str
    target: Table | None = field(repr=False)
    columns: tuple[str, ...] = ()
    sink: KafkaSinkSpec | None = None
    steps: tuple[Step, ...] = ()
    updating: bool = False
    key: tuple[str, ...] | None = None
    changelog: str = ""
    overwrite: bool = False
    rules: Rules | None = None
    definition: Table | None = field(default=None, repr=False)
    block: str = SOURCE_VIEW
    reads: tuple[tuple[str, Table], ...] = field(default=(), repr=False)
    via: tuple[str, ...] = ()
    feeds: tuple[Output, ...] = ()
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    evolves: tuple[str, ...] = ()
    fault: SluiceError | None = field(default=None, compare=False)

    @property
    def table(self) -> Table:
        """The target, which exists."""
        if self.target is None:
            raise ValueError(self.name)
        return self.target

    @property
    def id(self) -> str:
        """The view and the path to it."""
        own = () if self.definition is None else (self.definition.uuid,)
        return "/".join((*self.via, *own))

    @property
    def view(self) -> Table:
        """The materialized view of an output that is one."""
        if self.definition is None:
            raise ValueError(self.name)
        return self.definition

    @property
    def by_batch(self) -> bool:
        """Whether it has steps that keep state of their own, and are run for every batch."""
        return any(step.state is not None for step in self.steps)

    @property
    def into(self) -> SinkSpec:
        """The sink of its rows."""
        by_key = set(self.key or ()) == set(key_of(self.table))
        distinct = self.updating and not self.changelog and by_key
        columns = self.columns or None
        return SinkSpec(self.table, self.sink, columns, self.rules, self.overwrite, distinct)

    @property
    def name(self) -> str:
        """The view, or the target, for errors."""
        named = self.definition or self.target
        return "" if named is None else named.full_name

    def nodes(self) -> Iterator[Output]:
        """This output and all downstream of it."""
        yield self
        for output in self.feeds:
            yield from output.nodes()


def block_name(via: Sequence[str]) -> str:
    """The name of the rows that the views downstream of these ones read."""
    return "_".join((SOURCE_VIEW, *(each.replace("-", "") for each in via)))


@dataclass(frozen=True, slots=True)
class Record:
    """A query as it was when it last started: what a restart needs to resume at its position.

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
    """One Spark query: several outputs share what it reads, if none of them needs state.

    `names` distinguish its outputs from those of the job's other queries. `state` describes what
    it keeps between batches. `before` is the query that it replaces. `halted` is STOPPED or PAUSED
    for a table that is not to be read.
    """

    id: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    stateful: bool = False
    realtime: bool = False
    names: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    before: Record | None = None
    halted: str = ""

    @classmethod
    def of_table(cls, source: KafkaSource, views: tuple[Output, ...]) -> QuerySpec:
        """A Kafka table with the materialized views that read it."""
        table = source.table
        read = Input(SOURCE_VIEW, table, source)
        return cls(table.uuid, (read,), views, halted=table.halted)

    @classmethod
    def of_rows(
        cls, table: Table, sink: KafkaSinkSpec | None, views: tuple[Output, ...]
    ) -> QuerySpec:
        """Rows for a table and the views that read it: an INSERT, which has no ledger entry."""
        output = Output(f"TABLE {_ROWS}", table, sink=sink, feeds=views)
        return cls("", (Input(_ROWS, table),), (output,))

    @property
    def of_job(self) -> bool:
        """Whether it is one of a job's queries, and not a Kafka table with its views."""
        return bool(self.names)

    @property
    def source(self) -> KafkaSource:
        """The source of a Kafka table's query."""
        source = self.inputs[0].source
        if source is None:
            raise ValueError(self.id)
        return source

    @property
    def by_name(self) -> Mapping[str, Output]:
        """Its outputs by their names in the ledger: the id of a view, the number in a job."""
        return {each.id or str(n): each for n, each in enumerate(self.outputs)}

    def plans(self) -> Iterator[Output]:
        """All outputs, those downstream of others too."""
        for output in self.outputs:
            yield from output.nodes()

    def uses(self, view: str = SOURCE_VIEW) -> frozenset[str]:
        """The columns of an input that the outputs read."""
        return frozenset[str]().union(*(each.uses.get(view, ()) for each in self.outputs))

    @property
    def streams(self) -> tuple[Input, ...]:
        """The inputs over topics."""
        return tuple(each for each in self.inputs if each.source is not None)

    @property
    def by_batch(self) -> bool:
        """Whether it is run batch by batch, with state of its own, and not in Spark's stream."""
        return any(each.by_batch for each in self.outputs)

    @property
    def bounded(self) -> bool:
        """Whether it ends by itself."""
        return all(each.source.bounded for each in self.streams if each.source is not None)

    @property
    def whole(self) -> bool:
        """Whether it reads everything up to an end in one batch, without a checkpoint.

        Then it reads the rows that the changes of a changelog leave.
        """
        replaces = any(each.overwrite for each in self.outputs)
        changes = any(each.source.changelog for each in self.streams if each.source is not None)
        return self.bounded and (self.stateful or replaces or changes or not self.streams)

    @property
    def fingerprint(self) -> str:
        """A text that is another one when the query is, as far as its checkpoint depends on it."""
        inputs = []
        for given in self.inputs:
            uses = self.uses(given.view)
            inputs.append(
                _essence(
                    given, uses, uses.union(*(given.computed_from.get(name, ()) for name in uses))
                )
            )
        return self._fingerprint(inputs)

    def continues(self, record: Record) -> bool:
        """Whether the query can resume from the checkpoint of a recorded one."""
        return record.fingerprint in (self.fingerprint, self._text_fingerprint)

    @property
    def _text_fingerprint(self) -> str:
        """The fingerprint in records of version 0: columns whose names occur in the SQL count."""
        texts = [each.sql for each in self.outputs]
        texts += [step.sql for each in self.outputs for step in each.steps]
        inputs = []
        for given in self.inputs:
            names = [column.name for column in given.table.columns]
            computed = _occurring(names, " ".join(texts))
            more = (sql for name, sql in given.computed if name in computed)
            columns = _occurring(names, " ".join((*texts, *more)))
            inputs.append(_essence(given, computed, columns))
        return self._fingerprint(inputs)

    def _fingerprint(self, inputs: Sequence[Any]) -> str:
        described = {
            "inputs": inputs,
            "outputs": [
                [each.sql, list(map(_described, each.steps)), each.updating]
                for each in self.outputs
            ],
            "into": [name.partition("/")[2] for name in self.names] if len(self.names) > 1 else [],
            "realtime": self.realtime,
        }
        text = json.dumps(described, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def record(self, generation: int) -> Record:
        """What is kept of it when a generation begins."""
        streams = tuple(each.view for each in self.streams)
        return Record(
            self.id, generation, self.fingerprint, self.names, streams, self.state, self.whole
        )


def _essence(given: Input, computed: frozenset[str], columns: frozenset[str]) -> list[Any]:
    """What a query takes from a table: those of its computed columns, and those of all columns."""
    expressions = [(name, sql) for name, sql in given.computed if name in computed]
    types = [(c.name, str(c.type)) for c in given.table.columns if c.name in columns]
    source = given.source
    topics = [sorted(source.topics), source.pattern] if source is not None else []
    return [given.view, types, expressions, given.watermark, topics]


def _described(step: Step) -> dict[str, Any]:
    """A step in a fingerprint; one without state is described as in earlier versions."""
    described = asdict(step)
    del described["node"]
    if step.state is None:
        del described["state"]
    else:
        described["state"].pop("by_value", None)  # what is kept is the same
    return described


def _occurring(names: Iterable[str], text: str) -> frozenset[str]:
    return frozenset(n for n in names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text))


@dataclass(frozen=True, slots=True)
class JobSpec:
    """Everything the engine needs to run a job; `tables` are the ids of all it uses.

    `columns` are those that each INSERT fills, in the statement's order, and `read` those that `*`
    stands for, by the id of a stored table. `definition` is a hash of the statement, its tables and
    its views as they are written.
    """

    id: str
    name: str
    queries: tuple[QuerySpec, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    columns: tuple[tuple[str, ...], ...] = ()
    definition: str = ""
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
