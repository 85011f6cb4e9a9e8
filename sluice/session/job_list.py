"""Jobs as they are shown: SHOW JOBS, DESCRIBE JOB and the tables of `system`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.options import job_settings
from sluice.pipelines.jobs.jobs import RUNNING
from sluice.pipelines.status import FINISHED
from sluice.plan.job import Record
from sluice.session.jobs import find_job
from sluice.session.masking import masked
from sluice.session.queries import answer
from sluice.types import model as m

if TYPE_CHECKING:
    from datetime import datetime

    from sluice.catalog import Job
    from sluice.errors import SluiceError
    from sluice.pipelines.jobs.query import JobQuery
    from sluice.session.engine import Engine
    from sluice.session.result import Result
    from sluice.sql import ir

SUSPENDED = "SUSPENDED"
"""The state of a job that is to run, in a process that does not run it."""

_TEXT = m.String()
_SHOWN = ("job id", "job name", "status", "start time", "last batch", "lag", "error")
_DESCRIBED = ("next retry", "end time", "generation", "statement", "settings", "notes")


@dataclass(frozen=True, slots=True)
class Shown:
    """A job and how it is doing; of several queries the worst is told."""

    job: Job
    state: str
    generation: int
    last_batch: int | None
    lag: int | None
    per_second: float
    error: SluiceError | None
    next_retry: datetime | None

    @property
    def statement(self) -> str:
        """Its text without what may be a secret in it."""
        return masked(self.job.statement)


def shown(engine: Engine, job: Job) -> Shown:
    """A job as it is now."""
    queries = engine.jobs.queries(job.id)
    records = job.plan.get("queries", ())
    state, error, retry = job.state, None, None
    if job.state == RUNNING:
        state, error, retry = _running(queries, engine.jobs.broken.get(job.id))
    last = _last_batch(engine, job, queries)
    return Shown(
        job,
        state,
        max((kept["generation"] for kept in records), default=0),
        last if last >= 0 else None,
        sum(q.status.lag() for q in queries) if queries else None,
        sum(q.status.rates.per_second() for q in queries),
        error,
        retry,
    )


def _last_batch(engine: Engine, job: Job, queries: list[JobQuery]) -> int:
    """The newest batch that all queries of a job have done; -1 for none."""
    done = {query.id: query.last_batch for query in queries}
    batches = []
    for kept in map(Record.of, job.plan.get("queries", ())):
        batch = done.get(kept.id)
        if batch is None and kept.whole:
            batch = 0 if job.state == FINISHED else -1
        written = engine.jobs.last_batch(kept.id, kept.generation)
        batches.append(written if batch is None else batch)
    return min(batches, default=0 if job.state == FINISHED else -1)


def _running(
    queries: list[JobQuery], broken: SluiceError | None
) -> tuple[str, SluiceError | None, datetime | None]:
    if broken is not None:
        return f"FAILED({broken.condition.name})", broken, None
    states = [query.status.state for query in queries]
    for word in ("FAILED", "WAITING"):
        for query, state in zip(queries, states, strict=True):
            if state.startswith(word):
                return state, query.status.error, query.status.next_retry
    if not states:
        return SUSPENDED, None, None
    return next((s for s in ("STARTING", RUNNING) if s in states), states[0]), None, None


def show_jobs(engine: Engine, statement: ir.ShowJobs, _: str) -> Result:
    """SHOW JOBS."""
    rows = [_row(shown(engine, job)) for job in engine.catalog.jobs()]
    return answer([(name, _TEXT) for name in _SHOWN], rows, None)


def describe_job(engine: Engine, statement: ir.DescribeJob, _: str) -> Result:
    """DESCRIBE JOB 'id'."""
    found = shown(engine, find_job(engine, statement.job, statement.place))
    job = found.job
    settings = [f"{name} = {value}" for name, value in job_settings.shown(job.settings)]
    more = (
        _time(found.next_retry),
        _time(job.ended),
        str(found.generation or ""),
        found.statement,
        "\n".join(settings),
        "\n".join([*notes(job), *_late(engine.jobs.queries(job.id))]),
    )
    names = (*_SHOWN, *_DESCRIBED)
    return answer([(name, _TEXT) for name in names], [(*_row(found), *more)], None)


def notes(job: Job) -> list[str]:
    """What happened to a job that somebody should know."""
    taken = [f"Job {job.plan['taken']} goes on for it"] if "taken" in job.plan else []
    return [*job.plan.get("notes", ()), *taken]


def _late(queries: list[JobQuery]) -> list[str]:
    """How many rows were left out since the job was last started here."""
    rows = sum(query.late.rows for query in queries)
    return [f"Rows that came behind the watermark and were left out: at least {rows}"] * bool(rows)


def _row(found: Shown) -> tuple[Any, ...]:
    return (
        found.job.id,
        found.job.name,
        found.state,
        _time(found.job.created),
        "" if found.last_batch is None else str(found.last_batch),
        "" if found.lag is None else str(found.lag),
        found.error.text() if found.error is not None else "",
    )


def _time(time: datetime | None) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] if time is not None else ""
