"""Flink's INSERTs as jobs: planned, kept, started, resumed and stopped."""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Job, temporary
from sluice.options import job_settings
from sluice.pipelines import faults
from sluice.pipelines.jobs.jobs import RUNNING, STOPPED
from sluice.pipelines.status import FINISHED, now
from sluice.pipelines.store_path import remove
from sluice.session import analysis
from sluice.session.planning import planned
from sluice.session.queries import answer
from sluice.session.result import Result
from sluice.session.running import querying
from sluice.sql import ir
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.catalog import Table
    from sluice.plan.job import JobSpec
    from sluice.session.engine import Engine

KEPT_JOBS = 100
"""How many jobs that have ended are kept; the oldest are forgotten, with where they stood."""

_TEXT = m.String()

log = logging.getLogger(__name__)


def insert(engine: Engine, statement: ir.Insert, database: str) -> Result:
    """INSERT INTO: starts a job and answers its id."""
    return _start(engine, statement, database)


def statement_set(engine: Engine, statement: ir.StatementSet, database: str) -> Result:
    """EXECUTE STATEMENT SET: several INSERTs as one job."""
    return _start(engine, statement, database)


def new_job(statement: ir.Insert | ir.StatementSet, database: str) -> Job:
    """The job that a statement asks for."""
    name = inserts_of(statement)[0].name
    settings = {key: str(value) for key, value in statement.settings.items()}
    target = f"{name.database or database}.{name.table}"
    return Job(
        id=uuid.uuid4().hex,
        name=settings.get(job_settings.NAME) or f"insert-into_default_catalog.{target}",
        database=database,
        statement=statement.text,
        state=RUNNING,
        created=now(),
        settings=settings,
    )


def inserts_of(statement: ir.Statement) -> tuple[ir.Insert, ...]:
    """The INSERTs of a statement."""
    if isinstance(statement, ir.StatementSet):
        return statement.inserts
    return (statement,) if isinstance(statement, ir.Insert) else ()


def _start(engine: Engine, statement: ir.Insert | ir.StatementSet, database: str) -> Result:
    job = new_job(statement, database)
    with engine.changes:  # what it uses stays as it is until that is known
        before = _taken_over(engine, job)
        if before is not None:
            kept = {k: before.plan[k] for k in ("queries", "definition") if k in before.plan}
            job = replace(job, plan={"queries": [], **kept, "took": before.id})
        spec = planned(engine, job, inserts_of(statement))
        if engine.runs_pipelines:
            analysis.check(engine, spec)
        columns = [list(names) for names in spec.columns]
        made: dict[str, Any] = {"tables": list(spec.tables), "columns": columns}
        if own := temporary.current():  # it may outlive the session that they belong to
            made["temporary"] = temporary.packed(own.values())
        job = replace(job, plan={**job.plan, **made})
        streams = any(query.streams for query in spec.queries)
        if before is not None:
            _check_takes_over(engine, spec, before)
            engine.catalog.take_over(job, before.id, {"taken": job.id})
        elif streams:
            engine.catalog.put_job(job)
    if not streams:
        with querying(engine):
            engine.jobs.run_now(spec)
        engine.catalog.put_job(replace(job, state=FINISHED, ended=now()))
    else:
        engine.jobs.start(spec)
        if job.settings.get(job_settings.SYNC, "").lower() == "true":
            engine.jobs.wait(job.id, engine.activity.check)
    forget_old(engine)
    return answer([("job id", _TEXT)], [(job.id,)], None)


def _taken_over(engine: Engine, job: Job) -> Job | None:
    """The job that another one is to go on for."""
    path = job.settings.get(job_settings.RECOVERY, "")
    if not path:
        return None
    before = find_job(engine, path.rstrip("/").rpartition("/")[2], None)
    if before.state == RUNNING:
        reason = f"Job {before.id} still runs; stop it with STOP JOB '{before.id}'"
        raise errors.BAD_ARGUMENTS(reason=reason)
    if "taken" in before.plan:
        reason = f"Job {before.plan['taken']} went on for job {before.id} already"
        raise errors.BAD_ARGUMENTS(reason=reason)
    return before


def _check_takes_over(engine: Engine, spec: JobSpec, before: Job) -> None:
    """A job that has nothing in common with the one before would begin anew without a word."""
    if spec.settings.get(job_settings.UNCLAIMED, "").lower() == "true":
        return
    for query in spec.queries:
        old = query.before
        if old is None:
            continue
        views = {each.view for each in query.streams}
        for n, view in enumerate(old.streams):
            began = engine.catalog.generation(f"{old.id}/{n}", old.generation)
            topics = began.topic_ids if began is not None else ()
            if view in views or any(
                each.source is not None and each.source.reads(topic)
                for each in query.streams
                for topic in topics
            ):
                return
    reason = (
        f"Failed to rollback to checkpoint/savepoint {before.id}. The new program reads none of "
        f"its topics. If you want to allow to skip this, you can set '{job_settings.UNCLAIMED}' "
        "to true"
    )
    raise errors.BAD_ARGUMENTS(reason=reason)


def resume(engine: Engine) -> None:
    """Let every job run again that was running; one that cannot any more says why."""
    for job in engine.catalog.jobs():
        if job.state == RUNNING:
            _resume(engine, job)


def revive(engine: Engine) -> None:
    """Try those jobs again that could not be planned; what they lacked may be there now."""
    for id_ in list(engine.jobs.broken):
        job = engine.catalog.job(id_)
        if job is not None and job.state == RUNNING:
            _resume(engine, job)


def _resume(engine: Engine, job: Job) -> None:
    from sluice.sql.flink import parse

    try:
        with temporary.seeing(temporary.unpacked(job.plan.get("temporary", ()))):
            engine.jobs.start(planned(engine, job, inserts_of(parse(job.statement))))
    except Exception as fault:
        bad = faults.classify(fault, f"job {job.id}", "")
        bad.dialect = "flink"
        log.warning("job %s: %s", job.id, bad.text(), exc_info=fault)
        engine.jobs.broken[job.id] = bad


def stop_job(engine: Engine, statement: ir.StopJob, _: str) -> Result:
    """STOP JOB 'id': it ends behind its batch, and where it stands is kept."""
    job = find_job(engine, statement.job, statement.place)
    if statement.drain and not statement.savepoint:
        reason = "WITH DRAIN could only be used after WITH SAVEPOINT"
        raise errors.BAD_ARGUMENTS(reason=reason, place=statement.place)
    if job.state == RUNNING:
        engine.jobs.stop(job.id)
        engine.catalog.update_job(job.id, state=STOPPED, ended=now())
        forget_old(engine)
    if statement.savepoint:
        return answer([("savepoint path", _TEXT)], [(job.id,)], None)
    return Result()


def find_job(engine: Engine, job: str, place: errors.Place | None) -> Job:
    """A job by its id.

    Raises:
        SluiceError: UNKNOWN_JOB.
    """
    found = engine.catalog.job(job)
    if found is None:
        known = [each.id for each in engine.catalog.jobs()]
        hint = errors.nearest(job, known) or "SHOW JOBS lists them."
        raise errors.UNKNOWN_JOB(job=job, hint=hint, place=place)
    return found


def forget_old(engine: Engine) -> None:
    """Forget the oldest jobs that have ended, and delete where they stood."""
    ended = [job for job in engine.catalog.jobs() if job.state != RUNNING]
    for job in ended[: max(0, len(ended) - KEPT_JOBS)]:
        queries = [kept["id"] for kept in job.plan.get("queries", ())]
        engine.catalog.forget_job(job.id, queries)
        for query in queries:
            remove(engine.checkpoints / query)


def check_unused(engine: Engine, tables: Iterable[Table], place: errors.Place | None) -> None:
    """Make sure that no running job uses a table.

    Raises:
        SluiceError: TABLE_USED_BY_JOB.
    """
    named = {table.uuid: table.full_name for table in tables}
    for job in engine.catalog.jobs():
        if job.state == RUNNING:
            for uuid_ in job.plan.get("tables", ()):
                if uuid_ in named:
                    raise errors.TABLE_USED_BY_JOB(table=named[uuid_], job=job.id, place=place)
