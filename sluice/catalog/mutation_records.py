"""The mutations that have ended, for `system.mutations`; the oldest are forgotten."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import sqlalchemy as sa

from sluice.catalog.entities import Mutation, zoned
from sluice.catalog.schema import MUTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT = 1000
"""Mutations that are remembered, of all tables together."""


class MutationRecords:
    """The newest mutations; every change is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, mutation: Mutation) -> None:
        """Remember one that has ended."""
        with self._engine.begin() as db:
            added = db.execute(sa.insert(MUTATIONS).values(**asdict(mutation)))
            newest = added.inserted_primary_key[0] if added.inserted_primary_key else 0
            db.execute(sa.delete(MUTATIONS).where(MUTATIONS.c.number <= newest - KEPT))

    def all(self) -> Iterable[Mutation]:
        """Those that have ended, the oldest first."""
        with self._engine.connect() as db:
            rows = db.execute(sa.select(MUTATIONS).order_by(MUTATIONS.c.number)).mappings().all()
        for row in rows:
            times = {name: zoned(row[name]) for name in ("created", "finished")}
            yield Mutation(**{f.name: row[f.name] for f in fields(Mutation)} | times)
