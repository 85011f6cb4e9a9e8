"""From the INSERTs of a job to its queries: what they share, and what each of them continues."""

from __future__ import annotations

import hashlib
import itertools
import json
import uuid
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.catalog import QUERY, STORED, TOPIC
from sluice.catalog.system_tables import DATABASES
from sluice.options.job_settings import UNCLAIMED
from sluice.planner import realtime
from sluice.planner.fitting import (
    check_changelog_key,
    check_fits,
    check_key,
    check_left_out,
    rules_of,
)
from sluice.planner.flink_tables import own_table, relation_of, with_changes
from sluice.planner.keys import columns_of
from sluice.planner.query import Input, JobSpec, Output, QuerySpec, Record
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

    from sluice.catalog import Job, Table
    from sluice.catalog.system_tables import SystemTable
    from sluice.planner.environment import Environment
    from sluice.planner.spec import KafkaSinkSpec
    from sluice.sql import ir
    from sluice.sql.relation import Lowered, Relation, Step

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


def plan_job(environment: Environment, job: Job, inserts: tuple[ir.Insert, ...]) -> JobSpec:
    """Everything a job needs to run.

    INSERTs that need no state share what they read, unless their positions differ: each
    query continues at most one earlier query.

    Raises:
        SluiceError: what is wrong with a table, an option or a query; nothing has been started.
    """
    parts = _parts(environment, job, inserts)
    records = [Record.of(kept) for kept in job.plan.get("queries", ())]
    groups: dict[tuple[str, str], list[tuple[Part, Record | None]]] = {}
    for part in parts:
        old = _before(part, records, len(parts))
        key = (part.shares or f"#{part.name}", old.id if old is not None else "")
        groups.setdefault(key, []).append((part, old))
    free = [old.id for old in records]
    taken = {*free}
    queries = []
    for n, members in enumerate(groups.values()):
        before = members[0][1]
        id_ = job.id if len(groups) == 1 else f"{job.id}-{n}"
        if before is not None and before.id in free:
            free.remove(before.id)
            id_ = before.id
        elif id_ in taken:
            id_ = next(i for k in itertools.count() if (i := f"{job.id}-{k}") not in taken)
        taken.add(id_)
        query = _query(id_, [part for part, _ in members], before)
        if realtime.wanted(query, job.settings):
            realtime.check(query)
            query = replace(query, realtime=True)
        queries.append(query)
    tables = {uuid: written for part in parts for uuid, written in part.tables.items()}
    found = JobSpec(
        job.id,
        job.name,
        tuple(queries),
        job.settings,
        tuple(sorted(tables)),
        tuple(visible(part.output.columns) for part in parts),
        _digest(" ".join(job.statement.split()), *(tables[uuid] for uuid in sorted(tables))),
        _read(job, parts),
    )
    _check_state(job, found)
    return found


def _check_state(job: Job, found: JobSpec) -> None:
    """Refuse to drop the state of a query that its user has not changed.

    A version that lowers a query in another way cannot use the state it kept. What a version kept
    that did not write definitions down may have been changed too, if another INSERT takes over.

    Raises:
        SluiceError: JOB_STATE_UNUSABLE.
    """
    before = job.plan.get("definition", "" if "took" in job.plan else found.definition)
    if before != found.definition or job.settings.get(UNCLAIMED, "").lower() == "true":
        return
    for query in found.queries:
        old = query.before
        if old is None or old.whole or query.continues(old):
            continue
        if kept := ", ".join(old.state):
            raise errors.JOB_STATE_UNUSABLE(job=job.plan.get("took", job.id), state=kept)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


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


def _parts(environment: Environment, job: Job, inserts: tuple[ir.Insert, ...]) -> list[Part]:
    seen: Counter[str] = Counter()
    parts = []
    for n, each in enumerate(inserts):
        # A job keeps the columns it began with, even if its tables have got others since.
        kept = job.plan.get("columns", ())
        before = kept[n] if len(kept) == len(inserts) else ()
        read = job.plan.get("read", {})
        part = Planning(environment, job.database, job.settings, read).insert(each, before)
        into = part.output.table.uuid
        parts.append(replace(part, name=f"{n}/{into}#{seen[into]}"))
        seen[into] += 1
    return parts


def _read(job: Job, parts: Sequence[Part]) -> dict[str, tuple[str, ...]]:
    """What `*` stands for, by the id of a stored table: the columns that it had at first."""
    given = (each for part in parts for each in part.inputs.values() if each.source is None)
    now = {each.table.uuid: [column.name for column in each.table.columns] for each in given}
    kept = job.plan.get("read", {})
    return {id_: tuple(kept.get(id_, names)) for id_, names in now.items()}


def _before(part: Part, records: Sequence[Record], count: int) -> Record | None:
    """The query that an INSERT continues: that of its table, else that of its place."""
    place, _, table = part.name.partition("/")
    names = [(name.partition("/"), record) for record in records for name in record.names]
    for (_, _, known), record in names:
        if known == table:
            return record
    if len(records) == 1:
        return records[0]
    if len(names) == count:
        return next((record for (known, _, _), record in names if known == place), None)
    return None


def _query(id_: str, parts: Sequence[Part], before: Record | None) -> QuerySpec:
    inputs = {view: each for part in parts for view, each in part.inputs.items()}
    return QuerySpec(
        id_,
        tuple(inputs.values()),
        tuple(part.output for part in parts),
        stateful=any(part.stateful for part in parts),
        names=tuple(part.name for part in parts),
        state=tuple(kept for part in parts for kept in part.state),
        before=before,
    )


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
        table = self._own(statement.name)
        writable = columns_of_sink(table)
        for name in statement.columns or kept:
            if name not in writable:
                hint = errors.nearest(name, writable)
                raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=statement.name.place)
        self._written = True
        lowered = self._lowered(statement)
        place = statement.name.place
        columns = tuple(statement.columns or kept or writable)
        if EVOLVED in lowered.columns and not statement.columns and not kept:
            columns = columns[: len(visible(lowered.columns))]  # changes may fill the others
        if self.system:
            what = "INSERT from a system table"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)
        types = {column.name: column.type for column in table.columns}
        selected = zip(lowered.columns, lowered.types, strict=True)
        check_fits(
            tuple(each for each in selected if each[0] != EVOLVED),
            tuple((name, types[name]) for name in columns),
            table.full_name,
            place,
        )
        check_left_out(table, columns, place)
        sink = None
        if table.kind == TOPIC:
            sink = flink_sink(table, config=self._environment.config)
            ensure_supported(sink)
            if lowered.shape.updating:
                deletes = bool(lowered.shape.changelog)
                ensure_takes_changes(sink, lowered.shape.why, deletes=deletes)
            self._check_topic(sink, place)
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
        elif table.kind != STORED:
            what = f"Reading {table.full_name}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="")
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
