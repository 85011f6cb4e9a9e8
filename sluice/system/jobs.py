"""Jobs of the Flink dialect: status, lag, state."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from sluice.engine import offsets
from sluice.engine.runtime.status import FINISHED, RUNNING
from sluice.engine.storage.state_size import state_bytes
from sluice.errors import SluiceError
from sluice.planner.query import Record
from sluice.sql.masking import masked
from sluice.system.registry import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sluice.catalog import Job
    from sluice.engine.engine import Engine
    from sluice.engine.runtime.query import RunningQuery

SUSPENDED = "SUSPENDED"
"""The state of a job that is to run, in a process that does not run it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A job with its status; of several queries the worst one."""

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


@dataclass(frozen=True, slots=True)
class KeptState:
    """What the queries of a job keep between batches.

    `rows` is None where they are not counted: counting those of a changelog would slow each batch
    down. `operators` are what keeps state and its bytes, as the checkpoint has them; None if the
    checkpoint cannot be read now.
    """

    rows: int | None
    operators: tuple[tuple[str, int], ...] | None

    @property
    def bytes(self) -> int | None:
        """The size of all of it."""
        return None if self.operators is None else sum(size for _, size in self.operators)


def kept_state(engine: Engine, job: Job) -> KeptState:
    """The state of a job, from Spark's last progress and from the files of the checkpoints."""
    counted = [q.transform.progress.rows for q in engine.supervisor.queries(job.id)]
    rows = [each for each in counted if each is not None]
    kept = [each for each in map(Record.of, job.plan.get("queries", ())) if each.state]
    operators: tuple[tuple[str, int], ...] | None
    try:
        operators = tuple(chain.from_iterable(_operators(engine, each) for each in kept))
    except (FileNotFoundError, SluiceError):  # just deleted, or the store does not answer
        operators = None
    return KeptState(sum(rows) if rows else None, operators)


def _operators(engine: Engine, kept: Record) -> Iterable[tuple[str, int]]:
    """What the stateful operators of a query keep; Spark may have several for one description."""
    sizes = state_bytes(engine.checkpoints / kept.id / str(kept.generation))
    named = len(sizes) == len(kept.state)
    for number, size in sorted(sizes.items()):
        yield kept.state[number] if named else f"operator {number}", size


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
    """Notes about what happened to a job."""
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
    state_rows Nullable(UInt64) -- rows in state; NULL where they are not counted
    state_bytes Nullable(UInt64) -- size of the state in the checkpoint, without older versions
    state_operators Array(String) -- what each stateful operator keeps, as EXPLAIN lists it
    state_operator_bytes Array(UInt64) -- the size of the state of each
    """,
)
def _jobs(engine: Engine) -> Iterable[Mapping[str, Any]]:
    names = {table.uuid: table.full_name for table in engine.catalog.tables()}
    for job in engine.catalog.jobs.all():
        found, kept = shown(engine, job), kept_state(engine, job)
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
            "state_rows": kept.rows,
            "state_bytes": kept.bytes,
            "state_operators": [name for name, _ in kept.operators or ()],
            "state_operator_bytes": [size for _, size in kept.operators or ()],
        }
