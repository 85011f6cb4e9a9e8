"""Jobs as they are shown: SHOW JOBS, DESCRIBE JOB and the tables of `system`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.options import job_settings
from sluice.session.jobs import find_job
from sluice.session.queries import texts
from sluice.system.jobs import KeptState, Shown, kept_state, notes, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sluice.engine.runtime.query import RunningQuery
    from sluice.formats.result import Result
    from sluice.session.context import Context
    from sluice.sql import ir

_SHOWN = ("job id", "job name", "status", "start time", "last batch", "lag", "error")
_DESCRIBED = ("next retry", "end time", "generation", "statement", "settings", "state", "notes")


def show_jobs(context: Context, statement: ir.ShowJobs) -> Result:
    """SHOW JOBS."""
    engine = context.engine
    rows = [_row(shown(engine, job)) for job in engine.catalog.jobs.all()]
    return texts(_SHOWN, rows)


def describe_job(context: Context, statement: ir.DescribeJob) -> Result:
    """DESCRIBE JOB 'id'."""
    engine = context.engine
    found = shown(engine, find_job(engine, statement.job, statement.place))
    job = found.job
    settings = [f"{name} = {value}" for name, value in job_settings.shown(job.settings)]
    more = (
        _time(found.next_retry),
        _time(job.ended),
        str(found.generation or ""),
        found.statement,
        "\n".join(settings),
        "\n".join(_state(kept_state(engine, job))),
        "\n".join([*notes(job), *_late(engine.supervisor.queries(job.id))]),
    )
    return texts((*_SHOWN, *_DESCRIBED), [(*_row(found), *more)])


def _late(queries: list[RunningQuery]) -> list[str]:
    """How many rows were left out since the job was last started here."""
    rows = sum(query.transform.progress.late for query in queries)
    return [f"Late rows that were dropped: at least {rows}"] * bool(rows)


def _state(kept: KeptState) -> Iterator[str]:
    if kept.rows is not None:
        yield f"{kept.rows} rows"
    for operator, size in kept.operators or ():
        yield f"{size} bytes: {operator}"


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
