"""Flink's jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.session.system.model import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.session.engine import Engine


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
    from sluice.session.job_list import notes, shown

    names = {table.uuid: table.full_name for table in engine.catalog.tables()}
    for job in engine.catalog.jobs():
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
