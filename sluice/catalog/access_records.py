"""The users, roles, policies, quotas and profiles of a data folder, as records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from sluice.catalog.schema import ACCESS_ENTITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Key = tuple[str, str]
"""A kind and a name."""


class AccessRecords:
    """Records by kind and name; every change is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def all(self) -> list[tuple[str, str, str, Mapping[str, Any]]]:
        """Kind, name, id and definition of each."""
        with self._engine.connect() as db:
            rows = db.execute(sa.select(ACCESS_ENTITIES)).mappings()
            return [(r["kind"], r["name"], r["id"], r["definition"]) for r in rows]

    def change(
        self,
        put: Iterable[tuple[str, str, str, Mapping[str, Any]]] = (),
        remove: Iterable[Key] = (),
    ) -> None:
        """Forget some, and remember others in place of those of the same name."""
        put = list(put)
        gone = [*remove, *((kind, name) for kind, name, _, _ in put)]
        with self._engine.begin() as db:
            for kind, name in gone:
                db.execute(sa.delete(ACCESS_ENTITIES).filter_by(kind=kind, name=name))
            for kind, name, id_, definition in put:
                values = {"kind": kind, "name": name, "id": id_, "definition": definition}
                db.execute(sa.insert(ACCESS_ENTITIES).values(**values))
