"""The definitions of a catalog at one version: what planning looks names up in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.catalog.entities import Collection, SqlFunction, Table


class Snapshot:
    """Databases, tables, named collections and functions as they are at one version of the catalog.

    It never changes. A table that is the same in two snapshots is the same object in both.
    """

    def __init__(
        self,
        version: int,
        databases: Mapping[str, str],
        tables: Mapping[str, Table],
        collections: Mapping[str, Collection],
        functions: Mapping[str, SqlFunction],
    ) -> None:
        self.version = version
        self.by_uuid = tables
        self._databases = databases
        self._tables = sorted(tables.values(), key=lambda table: table.key)
        self._by_key = {table.key: table for table in self._tables}
        self._collections = collections
        self.functions = functions

    def databases(self) -> list[str]:
        """All databases, sorted."""
        return sorted(self._databases)

    def comment(self, database: str) -> str:
        """The comment of a database."""
        return self._databases.get(database, "")

    def tables(self) -> list[Table]:
        """All tables and views, attached or not, sorted by database and name."""
        return list(self._tables)

    def find(self, database: str, name: str) -> Table | None:
        """A table or view by its name."""
        return self._by_key.get((database, name))

    def with_tables(self, tables: Iterable[Table]) -> Snapshot:
        """The same with other tables: what the catalog would be."""
        made = {table.uuid: table for table in tables}
        return Snapshot(self.version, self._databases, made, self._collections, self.functions)

    def collections(self) -> list[Collection]:
        """All named collections, sorted."""
        return [self._collections[name] for name in sorted(self._collections)]

    def collection(self, name: str) -> Collection | None:
        """A named collection."""
        return self._collections.get(name)
