"""One INSERT of a job: its query, what that reads, and what it writes."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.catalog import QUERY, STORED, TOPIC
from sluice.catalog.system_tables import DATABASES
from sluice.planner.fitting import (
    check_changelog_key,
    check_fits,
    check_key,
    check_left_out,
    rules_of,
)
from sluice.planner.flink_tables import own_table, relation_of, with_changes
from sluice.planner.keys import columns_of
from sluice.planner.query import Input, Output
from sluice.planner.relations import Relations
from sluice.planner.schema_drift import EVOLVE, check_carried, visible
from sluice.planner.stored import changelog_column_of, check_hints
from sluice.planner.topic_sink import ensure_takes_changes, flink_sink
from sluice.planner.topic_source import flink_source
from sluice.planner.topics import ensure_supported, flink_options
from sluice.sql.relation import (
    BY_KEY,
    EVOLVED,
    Accumulate,
    AccumulateValues,
    Arrange,
    InnerJoin,
    RelationColumn,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Table
    from sluice.catalog.system_tables import SystemTable
    from sluice.planner.environment import Environment
    from sluice.planner.spec import KafkaSinkSpec
    from sluice.sql import ir
    from sluice.sql.relation import Lowered, Relation, Shape, Step

_KEPT = {Accumulate: "the sums of", AccumulateValues: "the sums and values of"}


@dataclass(frozen=True, slots=True)
class Part:
    """One INSERT of a job, planned; `name` tells it from the others, also when it has changed."""

    name: str
    inputs: Mapping[str, Input]
    output: Output
    stateful: bool
    state: tuple[str, ...]
    tables: Mapping[str, str]

    @property
    def shares(self) -> str | None:
        """What it can share the reading of with others."""
        streams = [view for view, given in self.inputs.items() if given.source is not None]
        return None if self.stateful or len(streams) != 1 else streams[0]


def _written(table: Table, options: tuple[tuple[str, str], ...]) -> str:
    """A table or view as its user has written it, as far as a query depends on it."""
    columns = [(c.name, str(c.type), c.alias, c.metadata) for c in table.columns]
    topics = sorted((k, str(v)) for k, v in table.settings.items() if "topic" in k)
    parts = (
        table.uuid,
        columns,
        table.watermark,
        table.primary_key,
        table.query,
        topics,
        sorted(options),
    )
    return json.dumps(parts, default=str)


def _state(lowered: Lowered) -> tuple[str, ...]:
    """Descriptions of what a query keeps between its batches."""
    if not lowered.shape.stateful:
        return ()
    kept = [_kept(step) for step in lowered.steps if step.state is not None]
    if kept:
        return tuple(kept)
    kept = [f"the open {window.kind} windows over {window.column}" for window in lowered.windows]
    if lowered.shape.updating:
        kept.append(f"the rows of {lowered.shape.why}")
    return tuple(kept) or ("the rows that its joins or DISTINCT had kept",)


def _kept(step: Step) -> str:
    """A description of what a step over a changelog keeps."""
    what = _KEPT.get(type(step.state), "the rows of")
    alone = isinstance(step.state, Arrange | InnerJoin) and not any(
        key for _, key in step.state.sources
    )
    return f"{what} {step.node}{', all in one task' * alone}"


class Planning:
    """One statement on its way to a plan, with the tables it reads.

    `read` are the columns that `*` stands for, by the id of a stored table: all of others.
    """

    def __init__(
        self,
        environment: Environment,
        database: str,
        settings: Mapping[str, str] | None = None,
        read: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._read = read or {}
        self._environment = environment
        self._database = database
        self._settings = settings or {}
        self._written = False
        self.inputs: dict[str, Input] = {}
        self.tables: dict[str, str] = {}
        self.system: dict[str, SystemTable] = {}

    def insert(self, statement: ir.Insert, kept: Sequence[str] = ()) -> Part:
        """An INSERT with its query and what that reads.

        `kept` are the columns that it filled before, if it names none.
        """
        place = statement.name.place
        table = self._target(statement, kept)
        lowered = self._lowered(statement)
        if self.system:
            source = ", ".join(table.name for table in self.system.values())
            raise errors.INSERT_FROM_SYSTEM_TABLE(source=source, place=place)
        columns = self._columns(statement, kept, table, lowered)
        sink = self._sink(table, lowered.shape, place) if table.kind == TOPIC else None
        given = iter(columns)
        into = tuple(name if name == EVOLVED else next(given) for name in lowered.columns)
        named = dict(zip(lowered.columns, into, strict=True))
        lowered = self._fitted(statement, lowered, named, table, sink)
        shape = lowered.shape
        evolves = check_carried(
            lowered.columns,
            self._evolving(),
            table,
            shape,
            state=[step.state for step in lowered.steps if step.state is not None],
            bounded=self._ends(),
            place=place,
        )
        key = None if shape.key is None else tuple(named[name] for name in shape.key)
        if shape.updating and (table.kind == STORED or (sink is not None and sink.upsert)):
            if not shape.changelog:
                check_key(table, key, _constant(statement, columns), shape.why, place)
            elif not changelog_column_of(table):
                key = check_changelog_key(table, shape, named, place)
        if statement.overwrite:
            self._check_overwrite(table, place)
        if any(step.state is not None for step in lowered.steps):  # no watermark is asked for
            self.inputs = {k: replace(v, watermark=None) for k, v in self.inputs.items()}
        output = Output(
            lowered.sql,
            table,
            into,
            sink,
            lowered.steps,
            updating=shape.updating,
            key=key,
            changelog=shape.changelog,
            overwrite=statement.overwrite,
            rules=rules_of(self._settings),
            uses=lowered.uses,
            evolves=(*columns, changelog_column_of(table)) if evolves else (),
        )
        return Part("", self.inputs, output, shape.stateful, _state(lowered), dict(self.tables))

    def _target(self, statement: ir.Insert, kept: Sequence[str]) -> Table:
        """The table that an INSERT writes, which has the columns that it names."""
        table = self._own(statement.name)
        writable = columns_of_sink(table)
        for name in statement.columns or kept:
            if name not in writable:
                hint = errors.nearest(name, writable)
                raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=statement.name.place)
        self._written = True
        return table

    def _columns(
        self, statement: ir.Insert, kept: Sequence[str], table: Table, lowered: Lowered
    ) -> tuple[str, ...]:
        """The columns that an INSERT fills, which its query's fit."""
        place = statement.name.place
        columns = tuple(statement.columns or kept or columns_of_sink(table))
        if EVOLVED in lowered.columns and not statement.columns and not kept:
            columns = columns[: len(visible(lowered.columns))]  # changes may fill the others
        types = {column.name: column.type for column in table.columns}
        selected = zip(lowered.columns, lowered.types, strict=True)
        check_fits(
            tuple(each for each in selected if each[0] != EVOLVED),
            tuple((name, types[name]) for name in columns),
            table.full_name,
            place,
        )
        check_left_out(table, columns, place)
        return columns

    def _sink(self, table: Table, shape: Shape, place: errors.Place | None) -> KafkaSinkSpec:
        """What a topic is written by, if it takes the changes of a query of this shape."""
        sink = flink_sink(table, config=self._environment.config)
        ensure_supported(sink)
        if shape.updating:
            ensure_takes_changes(sink, shape.why, deletes=bool(shape.changelog))
        self._check_topic(sink, place)
        return sink

    def _check_topic(self, sink: KafkaSinkSpec, place: errors.Place | None) -> None:
        """Refuse to write to a topic that is read without an end: that would have none either.

        Raises:
            SluiceError: JOB_FEEDS_ITSELF.
        """
        for each in self.inputs.values():
            source = each.source
            if source is not None and not source.bounded and source.reads_from(sink):
                raise errors.JOB_FEEDS_ITSELF(
                    source=source.table.full_name,
                    topic=sink.topic,
                    target=sink.table.full_name,
                    place=place,
                )

    def _evolving(self) -> str:
        """The table whose changes may have columns that it does not declare."""
        sources = (each.source for each in self.inputs.values() if each.source is not None)
        return next((s.table.full_name for s in sources if s.schema_drift == EVOLVE), "")

    def _ends(self) -> bool:
        """Whether it reads a topic up to an end."""
        return any(each.source.bounded for each in self.inputs.values() if each.source is not None)

    def _check_overwrite(self, table: Table, place: errors.Place | None) -> None:
        if table.kind != STORED:
            full_name = f"default_catalog.{table.full_name}"
            raise errors.OVERWRITE_NOT_SUPPORTED(table=full_name, place=place)
        for each in self.inputs.values():
            if each.source is not None and not each.source.bounded:
                raise errors.OVERWRITE_UNBOUNDED(table=each.table.full_name, place=place)

    def _lowered(
        self, statement: ir.Insert, *, retracts: bool = False, normalizes: bool = False
    ) -> Lowered:
        from sluice.sql.flink import lower_query

        if statement.query is None:
            rows = [exp.Tuple(expressions=list(row)) for row in statement.rows or ()]
            return lower_query(exp.Values(expressions=rows), self.resolve)
        lower = partial(lower_query, statement.query, retracts=retracts, normalizes=normalizes)
        lowered: Lowered | None = None
        try:
            lowered = lower(self.by_source)
        except errors.SluiceError:
            if not self._is_mixed():
                raise
        if lowered is None or self._is_mixed():
            lowered = lower(self.resolve)
        return lowered

    def _fitted(
        self,
        statement: ir.Insert,
        lowered: Lowered,
        named: Mapping[str, str],
        table: Table,
        sink: KafkaSinkSpec | None,
    ) -> Lowered:
        """The query with the changes that its target takes.

        A target by key takes those of a changelog by the same key as they are; a topic has no row
        to complete a partial one from. One that writes what is taken back gets it, also of a query
        whose rows Spark would only update.
        """
        from sluice.sql.flink.lowering import for_columns

        shape = lowered.shape
        whole = sink is not None and not sink.last_only
        if table.kind == STORED:
            whole = bool(changelog_column_of(table))
        if shape.changelog == BY_KEY:
            same = {named[column] for column in shape.key or ()} == set(table.primary_key)
            if not same or whole or (sink is not None and shape.partial):
                return self._lowered(statement, normalizes=True)
            return for_columns(lowered, tuple(named.values()))
        if shape.updating and not shape.changelog and whole:
            return self._lowered(statement, retracts=True, normalizes=True)
        return lowered

    def by_source(self, name: ir.Name) -> Relation:
        """A table that the query reads, up to an end if it has one.

        Of a changelog with an end it reads the rows that the changes leave.
        """
        found = self.resolve(name)
        read = self.inputs.get(found.view)
        bounded = read is not None and read.source is not None and read.source.bounded
        return replace(found, stream=False) if bounded else found

    def _is_mixed(self) -> bool:
        """Whether some topics have an end and others do not: then none is read up to its end."""
        sources = [given.source for given in self.inputs.values() if given.source is not None]
        return len({source.bounded for source in sources}) > 1

    def ended(self, name: ir.Name) -> Relation:
        """A table that the query reads up to an end, whatever it is; a changelog is its rows."""
        return replace(self.resolve(name), stream=False, changelog="", partial=False)

    def _own(self, name: ir.Name) -> Table:
        table = own_table(self._environment.catalog, name, self._database)
        self.tables[table.uuid] = _written(table, name.options)
        if name.options:
            table = replace(table, settings={**table.settings, **dict(name.options)})
            if table.kind == TOPIC:
                flink_options(table.settings)
            elif table.kind == STORED:
                check_hints(name)
        return table

    def resolve(self, name: ir.Name) -> Relation:
        """A table that the query reads; its computed columns are there like any others."""
        if (name.database or self._database) in DATABASES:
            known = Relations(self._environment.catalog, self._database)
            made = known.resolve(name)
            self.system |= known.system
            return made
        table = self._own(name)
        found = relation_of(table, name.place)
        if table.kind == QUERY:
            return found
        if name.options:
            mark = uuid.uuid5(uuid.NAMESPACE_OID, repr(sorted(name.options))).hex[:8]
            found = replace(found, view=f"{found.view}_{mark}")
        if found.view not in self.inputs:
            self.inputs[found.view] = self._input(found, table)
        read = self._read.get(table.uuid)
        if read is not None:
            columns = (replace(c, virtual=c.name not in read) for c in found.columns)
            found = replace(found, columns=tuple(columns))
        return with_changes(found, self.inputs[found.view], written=self._written)

    def _input(self, found: Relation, table: Table) -> Input:
        from sluice.sql.flink.lowering import lower_expression

        source = None
        if table.kind == TOPIC:
            source = flink_source(table, config=self._environment.config)
            group = self._environment.instance.named(source.group, table.created)
            source = replace(source, group=group)
            ensure_supported(source)
        plain = [RelationColumn(c.name, c.type) for c in table.columns if c.alias is None]
        computed = {
            c.name: lower_expression(c.alias, plain) for c in table.columns if c.alias is not None
        }
        watermark = found.watermark if source is not None else None
        return Input(
            found.view,
            table,
            source,
            tuple((name, each.sql) for name, each in computed.items()),
            {name: each.uses for name, each in computed.items()},
            watermark,
        )


def _constant(statement: ir.Insert, columns: tuple[str, ...]) -> frozenset[str]:
    """The columns that get the same value in every row, because it is written out."""
    tree = statement.query.tree if statement.query is not None else None
    if not isinstance(tree, exp.Select) or len(tree.expressions) != len(columns):
        return frozenset()
    pairs = zip(columns, tree.expressions, strict=True)
    return frozenset(name for name, item in pairs if isinstance(item.unalias(), exp.Literal))


def columns_of_sink(table: Table) -> tuple[str, ...]:
    """The columns that an INSERT fills: neither computed ones nor metadata that is only read.

    Nor the one that holds the kinds of rows.
    """
    own = set(columns_of(table))
    if table.kind == STORED:
        own.discard(changelog_column_of(table))
    return tuple(
        c.name for c in table.columns if c.name in own or (c.metadata is not None and not c.virtual)
    )
