"""Flink's jobs, and how each is doing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.engine import offsets
from sluice.engine.runtime.status import FINISHED, RUNNING
from sluice.planner.query import Record
from sluice.sql.masking import masked
from sluice.system.registry import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sluice.catalog import Job
    from sluice.engine.engine import Engine
    from sluice.engine.runtime.query import RunningQuery
    from sluice.errors import SluiceError

SUSPENDED = "SUSPENDED"
"""The state of a job that is to run, in a process that does not run it."""


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
    queries = engine.supervisor.queries(job.id)
    records = job.plan.get("queries", ())
    state, error, retry = job.state, None, None
    if job.state == RUNNING:
        state, error, retry = _running(queries, engine.supervisor.broken_jobs.get(job.id))
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


def _last_batch(engine: Engine, job: Job, queries: list[RunningQuery]) -> int:
    """The newest batch that all queries of a job have done; -1 for none."""
    done = {query.id: query.last_batch for query in queries}
    batches = []
    for kept in map(Record.of, job.plan.get("queries", ())):
        batch = done.get(kept.id)
        if batch is None and kept.whole:
            batch = 0 if job.state == FINISHED else -1
        if batch is None:
            checkpoint = engine.checkpoints / kept.id / str(kept.generation)
            batch = offsets.last_logged(checkpoint, "commits")
        batches.append(batch)
    return min(batches, default=0 if job.state == FINISHED else -1)


def _running(
    queries: list[RunningQuery], broken: SluiceError | None
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


def notes(job: Job) -> list[str]:
    """What happened to a job that somebody should know."""
    taken = [f"Job {job.plan['taken']} continues it"] if "taken" in job.plan else []
    return [*job.plan.get("notes", ()), *taken]


@system_table(
    "jobs",
    """
    id String
    name String
    database String
    tables Array(String)
    statement String
    state String
    created DateTime64(3)
    ended Nullable(DateTime64(3))
    generation UInt64
    last_batch Nullable(UInt64)
    lag Nullable(UInt64)
    messages_per_second Float64
    error_code String
    error String
    next_retry Nullable(DateTime)
    notes Array(String)
    """,
)
def _jobs(engine: Engine) -> Iterable[Mapping[str, Any]]:
    names = {table.uuid: table.full_name for table in engine.catalog.tables()}
    for job in engine.catalog.jobs.all():
        found = shown(engine, job)
        used = [names[uuid] for uuid in job.plan.get("tables", ()) if uuid in names]
        yield {
            "id": job.id,
            "name": job.name,
            "database": job.database,
            "tables": sorted(used),
            "statement": found.statement,
            "state": found.state,
            "created": job.created,
            "ended": job.ended,
            "generation": found.generation,
            "last_batch": found.last_batch,
            "lag": found.lag,
            "messages_per_second": found.per_second,
            "error_code": found.error.condition.name if found.error else "",
            "error": found.error.text() if found.error else "",
            "next_retry": found.next_retry,
            "notes": notes(job),
        }
