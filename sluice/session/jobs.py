"""Flink's INSERTs as jobs: planned, kept, started, shown and stopped."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice import errors
from sluice.catalog import QUERY, STORED, TOPIC, Job
from sluice.pipelines.jobs.jobs import RUNNING, STOPPED
from sluice.pipelines.status import FINISHED, now
from sluice.plan import flink_sink, flink_source, realtime
from sluice.plan.fitting import check_fits
from sluice.plan.job import Input, JobSpec, Output, QuerySpec
from sluice.plan.keys import columns_of
from sluice.plan.topic_sink import ensure_takes_changes, ensure_writable
from sluice.plan.topic_source import ensure_readable
from sluice.plan.topics import flink_options
from sluice.session.queries import answer
from sluice.session.result import Result
from sluice.sql import ir
from sluice.sql.relation import RelationColumn
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.session.engine import Engine
    from sluice.sql.relation import Lowered, Relation

_TEXT = m.String()
_NAME, _SYNC = "pipeline.name", "table.dml-sync"


def insert(engine: Engine, statement: ir.Insert, database: str) -> Result:
    """INSERT INTO: starts a job and answers its id."""
    return _start(engine, statement, (statement,), database)


def statement_set(engine: Engine, statement: ir.StatementSet, database: str) -> Result:
    """EXECUTE STATEMENT SET: several INSERTs as one job."""
    return _start(engine, statement, statement.inserts, database)


def _start(
    engine: Engine,
    statement: ir.Insert | ir.StatementSet,
    inserts: tuple[ir.Insert, ...],
    database: str,
) -> Result:
    target = ".".join(filter(None, (inserts[0].name.database or database, inserts[0].name.table)))
    settings = {name: str(value) for name, value in statement.settings.items()}
    job = Job(
        id=uuid.uuid4().hex,
        name=settings.get(_NAME) or f"insert-into_default_catalog.{target}",
        database=database,
        statement=statement.text,
        state=RUNNING,
        created=now(),
        settings=settings,
    )
    spec = planned(engine, job, inserts)
    if all(not query.streams for query in spec.queries):
        engine.jobs.run_now(spec)
        engine.catalog.put_job(replace(job, state=FINISHED, ended=now()))
    else:
        engine.catalog.put_job(job)
        engine.jobs.start(spec)
        if settings.get(_SYNC, "").lower() == "true":
            engine.jobs.wait(job.id)
    return answer([("job id", _TEXT)], [(job.id,)], None)


def resume(engine: Engine) -> None:
    """Let every job run again that was running; one that cannot any more says why."""
    from sluice.sql.flink import parse

    for job in engine.catalog.jobs():
        if job.state != RUNNING:
            continue
        try:
            statement = parse(job.statement)
            inserts = statement.inserts if isinstance(statement, ir.StatementSet) else (statement,)
            engine.jobs.start(planned(engine, job, inserts))  # type: ignore[arg-type]
        except errors.SluiceError as bad:
            engine.jobs.broken[job.id] = bad


def show_jobs(engine: Engine, statement: ir.ShowJobs, _: str) -> Result:
    """SHOW JOBS."""
    names = ("job id", "job name", "status", "start time", "last batch", "error")
    rows = [_shown(engine, job) for job in engine.catalog.jobs()]
    return answer([(name, _TEXT) for name in names], rows, None)


def describe_job(engine: Engine, statement: ir.DescribeJob, _: str) -> Result:
    """DESCRIBE JOB 'id'."""
    names = ("job id", "job name", "status", "start time", "last batch", "error")
    job = _find(engine, statement.job, statement.place)
    return answer([(name, _TEXT) for name in names], [_shown(engine, job)], None)


def stop_job(engine: Engine, statement: ir.StopJob, _: str) -> Result:
    """STOP JOB 'id': it ends behind its batch, and where it stands is kept."""
    job = _find(engine, statement.job, statement.place)
    if job.state == RUNNING:
        engine.jobs.stop(job.id)
        engine.catalog.put_job(replace(job, state=STOPPED, ended=now()))
    if statement.savepoint:
        return answer([("savepoint path", _TEXT)], [(job.id,)], None)
    return Result()


def _find(engine: Engine, job: str, place: errors.Place | None) -> Job:
    found = engine.catalog.job(job)
    if found is None:
        known = [each.id for each in engine.catalog.jobs()]
        hint = errors.nearest(job, known) or "SHOW JOBS lists them."
        raise errors.UNKNOWN_JOB(job=job, hint=hint, place=place)
    return found


def _shown(engine: Engine, job: Job) -> tuple[Any, ...]:
    queries = engine.jobs.queries(job.id)
    state, error = job.state, ""
    if job.state == RUNNING:
        broken = engine.jobs.broken.get(job.id)
        if broken is not None:
            state, error = f"FAILED({broken.condition.name})", broken.text()
        worst = next((q for q in queries if q.status.error is not None), None)
        if worst is not None and worst.status.error is not None:
            state, error = worst.status.state, worst.status.error.text()
        elif queries:
            state = next((q.status.state for q in queries if q.status.state != RUNNING), RUNNING)
    batches = [q.last_batch for q in queries if q.last_batch is not None]
    last = str(min(batches)) if batches and len(batches) == len(queries) else ""
    started = job.created.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
    return job.id, job.name, state, started, last, error


# planning


def planned(engine: Engine, job: Job, inserts: tuple[ir.Insert, ...]) -> JobSpec:
    """Everything a job needs to run.

    Raises:
        SluiceError: what is wrong with a table, an option or a query; nothing has been started.
    """
    made = [Planning(engine, job.database).insert(each) for each in inserts]
    groups: dict[str, list[tuple[Planning, Output, bool]]] = {}
    for n, (planning, output, stateful) in enumerate(made):
        streams = [view for view, given in planning.inputs.items() if given.source is not None]
        alone = stateful or len(streams) != 1
        groups.setdefault(f"#{n}" if alone else streams[0], []).append((planning, output, stateful))
    queries = []
    for n, members in enumerate(groups.values()):
        inputs = {
            view: each for planning, _, _ in members for view, each in planning.inputs.items()
        }
        query = QuerySpec(
            job.id if len(groups) == 1 else f"{job.id}-{n}",
            tuple(inputs.values()),
            tuple(output for _, output, _ in members),
            stateful=any(stateful for _, _, stateful in members),
        )
        if realtime.wanted(query, job.settings):
            realtime.check(query)
            query = replace(query, realtime=True)
        queries.append(query)
    return JobSpec(job.id, job.name, tuple(queries), job.settings)


class Planning:
    """One statement on its way to a plan, with the tables it reads."""

    def __init__(self, engine: Engine, database: str) -> None:
        self._engine = engine
        self._database = database
        self.inputs: dict[str, Input] = {}

    def insert(self, statement: ir.Insert) -> tuple[Planning, Output, bool]:
        """The output of an INSERT, and whether its query needs state."""
        table = self._own(statement.name)
        writable = columns_of_sink(table)
        columns = statement.columns or writable
        for name in columns:
            if name not in writable:
                hint = errors.nearest(name, writable)
                raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=statement.name.place)
        lowered = self._lowered(statement)
        if len(lowered.columns) != len(columns):
            reason = (
                "Column types of query result and sink for "
                f"'default_catalog.{table.full_name}' do not match.\n"
                "Cause: Different number of columns.\n\n"
                f"Query schema: [{', '.join(lowered.columns)}]\n"
                f"Sink schema:  [{', '.join(columns)}]"
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)
        types = {column.name: column.type for column in table.columns}
        check_fits(
            tuple(zip(lowered.columns, lowered.types, strict=True)),
            tuple((name, types[name]) for name in columns),
            table.full_name,
            statement.name.place,
        )
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
        output = Output(
            lowered.sql,
            lowered.steps,
            table,
            tuple(columns),
            sink,
            updating=shape.updating,
            key=key,
            overwrite=statement.overwrite,
        )
        return self, output, shape.stateful

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
        if name.options:
            table = replace(table, settings={**table.settings, **dict(name.options)})
            if table.kind == TOPIC:
                flink_options(table.settings)
        return table

    def resolve(self, name: ir.Name) -> Relation:
        """A table that the query reads; its computed columns are there like any others."""
        from sluice.session.flink import relation_of

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


def columns_of_sink(table: Table) -> tuple[str, ...]:
    """The columns that an INSERT fills: neither computed ones nor metadata that is only read."""
    own = set(columns_of(table))
    return tuple(
        c.name for c in table.columns if c.name in own or (c.metadata is not None and not c.virtual)
    )
