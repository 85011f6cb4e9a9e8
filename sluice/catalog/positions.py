"""Where queries begin to read: generations, and positions that no broker has."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import sqlalchemy as sa

from sluice.catalog.entities import Generation, offsets_of
from sluice.catalog.schema import GENERATIONS, HANDOVERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Positions:
    """Where queries begin to read; every change is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def generation(self, table_uuid: str, number: int | None = None) -> Generation | None:
        """The newest generation of a Kafka table, or the one of a number."""
        with self._engine.connect() as db:
            query = sa.select(GENERATIONS).where(GENERATIONS.c.table_uuid == table_uuid)
            if number is not None:
                query = query.where(GENERATIONS.c.number == number)
            row = db.execute(query.order_by(GENERATIONS.c.number.desc())).mappings().first()
        if row is None:
            return None
        starts, ids = offsets_of(row["starts"]), row["topic_ids"]
        ends = offsets_of(row["ends"]) if row["ends"] is not None else None
        return Generation(row["number"], starts, ids, bool(row["shared"]), ends)

    def add(self, new: Mapping[str, Generation]) -> None:
        """Remember where Kafka tables begin, all or none, before their first batches."""
        with self._engine.begin() as db:
            add_generations(db, new)

    def extend(self, table_uuid: str, longer: Generation) -> None:
        """Remember what a generation reads besides; what it began with stays as it is."""
        of = (GENERATIONS.c.table_uuid == table_uuid) & (GENERATIONS.c.number == longer.number)
        new = {"starts": longer.starts, "topic_ids": dict(longer.topic_ids)}
        with self._engine.begin() as db:
            db.execute(sa.update(GENERATIONS).where(of).values(**new))

    def hand_over(self, group: str, positions: Iterable[tuple[str, int, int]]) -> None:
        """Keep what could not be told to the broker: (topic id, partition, offset)."""
        with self._engine.begin() as db:
            for topic_id, partition, offset in positions:
                key = {"group_name": group, "topic_id": topic_id, "partition": partition}
                db.execute(sa.delete(HANDOVERS).filter_by(**key))
                db.execute(sa.insert(HANDOVERS).values(**key, offset=offset))

    def handed_over(self, group: str, topic_id: str) -> dict[int, int]:
        """What was kept for a group's next reader of a topic, by partition."""
        with self._engine.connect() as db:
            where = {"group_name": group, "topic_id": topic_id}
            rows = db.execute(sa.select(HANDOVERS).filter_by(**where)).mappings()
            return {row["partition"]: row["offset"] for row in rows}

    def forget_handovers(self, group: str, topic_ids: Iterable[str]) -> None:
        """Somebody has begun to read there."""
        with self._engine.begin() as db:
            topics = HANDOVERS.c.topic_id.in_(list(topic_ids))
            db.execute(sa.delete(HANDOVERS).where(HANDOVERS.c.group_name == group, topics))


def add_generations(db: sa.Connection, new: Mapping[str, Generation]) -> None:
    """Add generations in a transaction."""
    for table_uuid, generation in new.items():
        values = asdict(generation)
        db.execute(sa.insert(GENERATIONS).values(table_uuid=table_uuid, **values))
