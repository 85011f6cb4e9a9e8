"""The jobs of a data folder: their statements, states and plans."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from sluice.catalog.entities import Job, zoned
from sluice.catalog.events import add_events
from sluice.catalog.positions import add_generations
from sluice.catalog.schema import GENERATIONS, JOBS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.catalog.entities import Event, Generation


class Jobs:
    """The jobs; every change is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def all(self) -> list[Job]:
        """All jobs, the oldest first."""
        with self._engine.connect() as db:
            rows = db.execute(sa.select(JOBS).order_by(JOBS.c.created, JOBS.c.id)).mappings()
            return [_job(row) for row in rows]

    def find(self, id_: str) -> Job | None:
        """A job by its id."""
        with self._engine.connect() as db:
            row = db.execute(sa.select(JOBS).where(JOBS.c.id == id_)).mappings().first()
            return _job(row) if row else None

    def put(self, job: Job) -> None:
        """Remember a job, in place of what was known of it."""
        values = {f.name: getattr(job, f.name) for f in fields(job)}
        with self._engine.begin() as db:
            db.execute(sa.delete(JOBS).where(JOBS.c.id == job.id))
            db.execute(sa.insert(JOBS).values(**values))

    def update(self, id_: str, **values: Any) -> None:
        """Remember something else of a job that is known already."""
        with self._engine.begin() as db:
            db.execute(sa.update(JOBS).where(JOBS.c.id == id_).values(**values))

    def take_over(self, job: Job, old: str, plan: Mapping[str, Any]) -> None:
        """Remember a job that continues another one, which gets this plan."""
        values = {f.name: getattr(job, f.name) for f in fields(job)}
        with self._engine.begin() as db:
            db.execute(sa.insert(JOBS).values(**values))
            db.execute(sa.update(JOBS).where(JOBS.c.id == old).values(plan=plan))

    def begin(
        self, id_: str, plan: Mapping[str, Any], new: Mapping[str, Generation], events: list[Event]
    ) -> None:
        """Remember where the queries of a job begin, with its plan and events."""
        with self._engine.begin() as db:
            add_generations(db, new)
            db.execute(sa.update(JOBS).where(JOBS.c.id == id_).values(plan=plan))
            add_events(db, events)

    def forget(self, id_: str, queries: Iterable[str]) -> None:
        """Forget a job, and where its queries began to read."""
        with self._engine.begin() as db:
            for query in queries:
                key = GENERATIONS.c.table_uuid.startswith(f"{query}/", autoescape=True)
                db.execute(sa.delete(GENERATIONS).where(key))
            db.execute(sa.delete(JOBS).where(JOBS.c.id == id_))


def _job(row: Any) -> Job:
    ended = zoned(row["ended"]) if row["ended"] is not None else None
    return Job(**{**row, "created": zoned(row["created"]), "ended": ended})
