"""What happened to pipelines, for `system.pipeline_events`; the oldest are forgotten."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from sluice.catalog.entities import Event, ranges_of, zoned
from sluice.catalog.schema import EVENTS

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEPT_EVENTS = 10_000


class Events:
    """The newest events; every change is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, event: Event) -> None:
        """Remember what happened; the oldest events are forgotten."""
        with self._engine.begin() as db:
            add_events(db, [event])

    def all(self) -> list[Event]:
        """What happened, the oldest first."""
        with self._engine.connect() as db:
            rows = db.execute(sa.select(EVENTS).order_by(EVENTS.c.number)).mappings()
            return [_event(row) for row in rows]


def add_events(db: sa.Connection, events: Iterable[Event]) -> None:
    """Add events in a transaction."""
    for event in events:
        values = {f.name: getattr(event, f.name) for f in fields(event)}
        new = db.execute(sa.insert(EVENTS).values(**values)).inserted_primary_key
        last = EVENTS.c.number <= (new[0] if new else 0) - _KEPT_EVENTS
        db.execute(sa.delete(EVENTS).where(last))


def _event(row: Any) -> Event:
    kept = {f.name: row[f.name] for f in fields(Event)}
    return Event(**kept | {"time": zoned(row["time"]), "ranges": ranges_of(row["ranges"])})
