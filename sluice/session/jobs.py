"""Flink's INSERTs as jobs: planned, kept, started, resumed and stopped."""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Job, temporary
from sluice.engine import faults
from sluice.engine.runtime.status import FINISHED, RUNNING, STOPPED, now
from sluice.engine.spark import analysis
from sluice.engine.storage.store_path import remove
from sluice.formats.result import Result
from sluice.options import job_settings
from sluice.planner.job_planner import plan_job
from sluice.session.queries import answer
from sluice.session.running import querying
from sluice.sql import ir
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.catalog import Table
    from sluice.engine.engine import Engine
    from sluice.planner.query import JobSpec
    from sluice.session.context import Context

KEPT_JOBS = 100
"""How many jobs that have ended are kept; the oldest are forgotten, with their positions."""

_TEXT = m.String()

log = logging.getLogger(__name__)


def new_job(context: Context, statement: ir.Insert | ir.StatementSet) -> Job:
    """The job that a statement asks for."""
    name = inserts_of(statement)[0].name
    settings = {key: str(value) for key, value in context.settings.items()}
    target = f"{name.database or context.database}.{name.table}"
    return Job(
        id=uuid.uuid4().hex,
        name=settings.get(job_settings.NAME) or f"insert-into_default_catalog.{target}",
        database=context.database,
        statement=context.text,
        state=RUNNING,
        created=now(),
        settings=settings,
    )


def inserts_of(statement: ir.Statement) -> tuple[ir.Insert, ...]:
    """The INSERTs of a statement."""
    if isinstance(statement, ir.StatementSet):
        return statement.inserts
    return (statement,) if isinstance(statement, ir.Insert) else ()


def start(context: Context, statement: ir.Insert | ir.StatementSet) -> Result:
    """INSERT INTO, or EXECUTE STATEMENT SET: starts a job and answers its id."""
    engine = context.engine
    job = new_job(context, statement)
    with engine.changes:  # what it uses stays as it is until that is known
        before = _taken_over(engine, job)
        if before is not None:
            kept = {k: before.plan[k] for k in ("queries", "definition") if k in before.plan}
            job = replace(job, plan={"queries": [], **kept, "took": before.id})
        spec = plan_job(engine.environment, job, inserts_of(statement))
        if engine.runs_pipelines:
            analysis.check(engine.spark(), engine.functions, spec)
        columns = [list(names) for names in spec.columns]
        read = {table: list(names) for table, names in spec.read.items()}
        made: dict[str, Any] = {"tables": list(spec.tables), "columns": columns, "read": read}
        if own := temporary.current():  # it may outlive the session that they belong to
            made["temporary"] = temporary.packed(own.values())
        job = replace(job, plan={**job.plan, **made})
        streams = any(query.streams for query in spec.queries)
        if before is not None:
            _check_takes_over(engine, spec, before)
            engine.catalog.jobs.take_over(job, before.id, {"taken": job.id})
        elif streams:
            engine.catalog.jobs.put(job)
    if not streams:
        with querying(engine):
            engine.supervisor.run_now(spec)
        engine.catalog.jobs.put(replace(job, state=FINISHED, ended=now()))
    else:
        engine.supervisor.start_job(spec)
        if job.settings.get(job_settings.SYNC, "").lower() == "true":
            engine.supervisor.wait(job.id, engine.activity.check)
    forget_old(engine)
    return answer([("job id", _TEXT)], [(job.id,)], None)


def _taken_over(engine: Engine, job: Job) -> Job | None:
    """The job that a new one is to continue."""
    path = job.settings.get(job_settings.RECOVERY, "")
    if not path:
        return None
    before = find_job(engine, path.rstrip("/").rpartition("/")[2], None)
    if before.state == RUNNING:
        raise errors.JOB_STILL_RUNNING(job=before.id)
    if "taken" in before.plan:
        raise errors.JOB_ALREADY_TAKEN_OVER(successor=before.plan["taken"], job=before.id)
    return before


def _check_takes_over(engine: Engine, spec: JobSpec, before: Job) -> None:
    """A job that has nothing in common with the one before would begin anew silently."""
    if spec.settings.get(job_settings.UNCLAIMED, "").lower() == "true":
        return
    for query in spec.queries:
        old = query.before
        if old is None:
            continue
        views = {each.view for each in query.streams}
        for n, view in enumerate(old.streams):
            began = engine.catalog.positions.generation(f"{old.id}/{n}", old.generation)
            topics = began.topic_ids if began is not None else ()
            if view in views or any(
                each.source is not None and each.source.reads(topic)
                for each in query.streams
                for topic in topics
            ):
                return
    raise errors.JOB_STATE_UNCLAIMED(job=before.id, setting=job_settings.UNCLAIMED)


def resume(engine: Engine) -> None:
    """Let every job run again that was running; one that cannot any more says why."""
    for job in engine.catalog.jobs.all():
        if job.state == RUNNING:
            _resume(engine, job)


def revive(engine: Engine) -> None:
    """Try those jobs again that could not be planned; what they lacked may be there now."""
    for id_ in list(engine.supervisor.broken_jobs):
        job = engine.catalog.jobs.find(id_)
        if job is not None and job.state == RUNNING:
            _resume(engine, job)


def _resume(engine: Engine, job: Job) -> None:
    from sluice.sql.flink import parse

    try:
        with temporary.seeing(temporary.unpacked(job.plan.get("temporary", ()))):
            spec = plan_job(engine.environment, job, inserts_of(parse(job.statement)))
            engine.supervisor.start_job(spec)
    except Exception as fault:
        bad = faults.classify(fault, f"job {job.id}", "")
        bad.dialect = "flink"
        log.warning("job %s: %s", job.id, bad.text(), exc_info=fault)
        engine.supervisor.broken_jobs[job.id] = bad


def stop_job(context: Context, statement: ir.StopJob) -> Result:
    """STOP JOB 'id': it ends after its current batch, and its position is kept."""
    engine = context.engine
    job = find_job(engine, statement.job, statement.place)
    if statement.drain and not statement.savepoint:
        raise errors.DRAIN_WITHOUT_SAVEPOINT(place=statement.place)
    if job.state == RUNNING:
        engine.supervisor.stop(job.id)
        engine.catalog.jobs.update(job.id, state=STOPPED, ended=now())
        forget_old(engine)
    if statement.savepoint:
        return answer([("savepoint path", _TEXT)], [(job.id,)], None)
    return Result()


def find_job(engine: Engine, job: str, place: errors.Place | None) -> Job:
    """A job by its id.

    Raises:
        SluiceError: UNKNOWN_JOB.
    """
    found = engine.catalog.jobs.find(job)
    if found is None:
        known = [each.id for each in engine.catalog.jobs.all()]
        hint = errors.nearest(job, known) or "SHOW JOBS lists them."
        raise errors.UNKNOWN_JOB(job=job, hint=hint, place=place)
    return found


def forget_old(engine: Engine) -> None:
    """Forget the oldest jobs that have ended, and delete their checkpoints."""
    ended = [job for job in engine.catalog.jobs.all() if job.state != RUNNING]
    for job in ended[: max(0, len(ended) - KEPT_JOBS)]:
        queries = [kept["id"] for kept in job.plan.get("queries", ())]
        engine.catalog.jobs.forget(job.id, queries)
        for query in queries:
            remove(engine.checkpoints / query)


def check_unused(engine: Engine, tables: Iterable[Table], place: errors.Place | None) -> None:
    """Make sure that no running job uses a table.

    Raises:
        SluiceError: TABLE_USED_BY_JOB.
    """
    named = {table.uuid: table.full_name for table in tables}
    for job in engine.catalog.jobs.all():
        if job.state == RUNNING:
            for uuid_ in job.plan.get("tables", ()):
                if uuid_ in named:
                    raise errors.TABLE_USED_BY_JOB(table=named[uuid_], job=job.id, place=place)
