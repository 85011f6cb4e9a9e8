"""From the INSERTs of a job to its queries: what they share, and what each of them goes on for."""

from __future__ import annotations

import hashlib
import itertools
import json
import uuid
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.catalog import QUERY, STORED, TOPIC
from sluice.options.job_settings import UNCLAIMED
from sluice.plan import flink_sink, flink_source, realtime
from sluice.plan.fitting import check_fits, check_left_out
from sluice.plan.job import Input, JobSpec, Output, QuerySpec, Record
from sluice.plan.keys import columns_of
from sluice.plan.sink_rules import check_key, rules_of
from sluice.plan.topic_sink import ensure_takes_changes, ensure_writable
from sluice.plan.topic_source import ensure_readable
from sluice.plan.topics import flink_options
from sluice.session.delta_tables import hinted
from sluice.session.relations import Relations
from sluice.session.system import DATABASES
from sluice.sql.relation import RelationColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Job, Table
    from sluice.session.engine import Engine
    from sluice.session.system import SystemTable
    from sluice.sql import ir
    from sluice.sql.relation import Lowered, Relation


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


def planned(engine: Engine, job: Job, inserts: tuple[ir.Insert, ...]) -> JobSpec:
    """Everything a job needs to run.

    INSERTs that need no state share what they read, unless they stand at different places: each
    query goes on for at most one that was there before.

    Raises:
        SluiceError: what is wrong with a table, an option or a query; nothing has been started.
    """
    parts = _parts(engine, job, inserts)
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
        tuple(part.output.columns for part in parts),
        _digest(" ".join(job.statement.split()), *(tables[uuid] for uuid in sorted(tables))),
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
        if old is None or old.whole or old.fingerprint == query.fingerprint:
            continue
        if kept := ", ".join(old.state):
            raise errors.JOB_STATE_UNUSABLE(job=job.plan.get("took", job.id), state=kept)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


def _written(table: Table, options: tuple[tuple[str, str], ...]) -> str:
    """A table or view as its user has written it, as far as a query depends on it."""
    columns = [(c.name, str(c.type), c.alias, c.metadata) for c in table.columns]
    topics = sorted((k, str(v)) for k, v in table.settings.items() if "topic" in k)
    said = (
        table.uuid,
        columns,
        table.watermark,
        table.primary_key,
        table.query,
        topics,
        sorted(options),
    )
    return json.dumps(said, default=str)


def _parts(engine: Engine, job: Job, inserts: tuple[ir.Insert, ...]) -> list[Part]:
    seen: Counter[str] = Counter()
    parts = []
    for n, each in enumerate(inserts):
        # A job goes on with the columns it began with, though its table has got others since.
        kept = job.plan.get("columns", ())
        before = kept[n] if len(kept) == len(inserts) else ()
        part = Planning(engine, job.database, job.settings).insert(each, before)
        into = part.output.table.uuid
        parts.append(replace(part, name=f"{n}/{into}#{seen[into]}"))
        seen[into] += 1
    return parts


def _before(part: Part, records: Sequence[Record], count: int) -> Record | None:
    """The query that an INSERT goes on for: that of its table, else that of its place."""
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
        state=tuple(said for part in parts for said in part.state),
        before=before,
    )


def _state(lowered: Lowered) -> tuple[str, ...]:
    """What a query keeps between its batches, in words."""
    if not lowered.shape.stateful:
        return ()
    said = [f"the open {window.kind} windows over {window.column}" for window in lowered.windows]
    if lowered.shape.updating:
        said.append(f"the rows of {lowered.shape.why}")
    return tuple(said) or ("the rows that its joins or DISTINCT had kept",)


class Planning:
    """One statement on its way to a plan, with the tables it reads."""

    def __init__(
        self, engine: Engine, database: str, settings: Mapping[str, str] | None = None
    ) -> None:
        self._engine = engine
        self._database = database
        self._settings = settings or {}
        self.inputs: dict[str, Input] = {}
        self.tables: dict[str, str] = {}
        self.system: dict[str, SystemTable] = {}

    def insert(self, statement: ir.Insert, kept: Sequence[str] = ()) -> Part:
        """An INSERT with its query and what that reads.

        `kept` are the columns that it filled before, if it names none.
        """
        table = self._own(statement.name)
        writable = columns_of_sink(table)
        columns = tuple(statement.columns or kept or writable)
        for name in columns:
            if name not in writable:
                hint = errors.nearest(name, writable)
                raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=statement.name.place)
        lowered = self._lowered(statement)
        place = statement.name.place
        if self.system:
            what = "INSERT from a table of the system's"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)
        types = {column.name: column.type for column in table.columns}
        check_fits(
            tuple(zip(lowered.columns, lowered.types, strict=True)),
            tuple((name, types[name]) for name in columns),
            table.full_name,
            place,
        )
        check_left_out(table, columns, place)
        shape = lowered.shape
        sink = None
        if table.kind == TOPIC:
            sink = flink_sink(table, config=self._engine.config)
            ensure_writable(sink)
            if shape.updating:
                ensure_takes_changes(sink, shape.why)
        key = None
        if shape.key is not None:
            named = dict(zip(lowered.columns, columns, strict=True))
            key = tuple(named[name] for name in shape.key)
        if shape.updating and table.kind == STORED:
            check_key(table, key, _constant(statement, columns), shape.why, place)
        if statement.overwrite:
            self._check_overwrite(table, place)
        output = Output(
            lowered.sql,
            lowered.steps,
            table,
            tuple(columns),
            sink,
            updating=shape.updating,
            key=key,
            overwrite=statement.overwrite,
            rules=rules_of(self._settings),
        )
        return Part("", self.inputs, output, shape.stateful, _state(lowered), dict(self.tables))

    def _check_overwrite(self, table: Table, place: errors.Place | None) -> None:
        if table.kind != STORED:
            reason = (
                "INSERT OVERWRITE requires that the underlying DynamicTableSink of table "
                f"'default_catalog.{table.full_name}' implements the SupportsOverwrite interface."
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)
        for each in self.inputs.values():
            if each.source is not None and not each.source.bounded:
                raise errors.UNSUPPORTED_STATEMENT(
                    what=f"INSERT OVERWRITE with rows of {each.table.full_name}, which has no end,",
                    hint="Give it an end with 'scan.bounded.mode', or use INSERT INTO.",
                    place=place,
                )

    def _lowered(self, statement: ir.Insert) -> Lowered:
        from sluice.sql.flink import lower_query

        if statement.query is None:
            rows = [exp.Tuple(expressions=list(row)) for row in statement.rows or ()]
            return lower_query(exp.Values(expressions=rows), self.resolve)
        whole = lower_query(statement.query, self.ended)
        sources = [given.source for given in self.inputs.values() if given.source is not None]
        if all(source.bounded for source in sources):
            return whole
        return lower_query(statement.query, self.resolve)

    def ended(self, name: ir.Name) -> Relation:
        """A table that the query reads up to an end, whatever it is."""
        return replace(self.resolve(name), stream=False)

    def _own(self, name: ir.Name) -> Table:
        from sluice.session.flink import own_table

        table = own_table(self._engine, name, self._database)
        self.tables[table.uuid] = _written(table, name.options)
        if name.options:
            table = replace(table, settings={**table.settings, **dict(name.options)})
            if table.kind == TOPIC:
                flink_options(table.settings)
            elif table.kind == STORED:
                hinted(name)
        return table

    def resolve(self, name: ir.Name) -> Relation:
        """A table that the query reads; its computed columns are there like any others."""
        from sluice.session.flink import relation_of

        if (name.database or self._database) in DATABASES:
            known = Relations(self._engine.catalog, self._database)
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
        return found

    def _input(self, found: Relation, table: Table) -> Input:
        from sluice.sql.flink.lowering import lower_scalar

        source = None
        if table.kind == TOPIC:
            source = flink_source(table, config=self._engine.config)
            group = self._engine.instance.named(source.group, table.created)
            source = replace(source, group=group)
            ensure_readable(source)
        elif table.kind != STORED:
            what = f"Reading {table.full_name}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="")
        plain = [RelationColumn(c.name, c.type) for c in table.columns if c.alias is None]
        computed = tuple(
            (c.name, lower_scalar(c.alias, plain)) for c in table.columns if c.alias is not None
        )
        watermark = found.watermark if source is not None else None
        return Input(found.view, table, source, computed, watermark)


def _constant(statement: ir.Insert, columns: tuple[str, ...]) -> frozenset[str]:
    """The columns that get the same value in every row, because it is written out."""
    tree = statement.query.tree if statement.query is not None else None
    if not isinstance(tree, exp.Select) or len(tree.expressions) != len(columns):
        return frozenset()
    pairs = zip(columns, tree.expressions, strict=True)
    return frozenset(name for name, item in pairs if isinstance(item.unalias(), exp.Literal))


def columns_of_sink(table: Table) -> tuple[str, ...]:
    """The columns that an INSERT fills: neither computed ones nor metadata that is only read."""
    own = set(columns_of(table))
    return tuple(
        c.name for c in table.columns if c.name in own or (c.metadata is not None and not c.virtual)
    )
