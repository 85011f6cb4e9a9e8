"""What a need of a statement is, and how the names of a statement are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.catalog import temporary
from sluice.catalog.system_tables import DATABASES
from sluice.planner.query_views import is_view, query_of
from sluice.sql import ir
from sluice.sql.clickhouse.queries import in_shape
from sluice.sql.flink.dialect import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.access.rights import Path
    from sluice.catalog import Catalog, Table
    from sluice.errors import Place


@dataclass(frozen=True, slots=True)
class Need:
    """A privilege on something: as a whole, on these columns, or (`somewhere`) on any of it."""

    privilege: str
    path: Path = ()
    columns: tuple[str, ...] = ()
    somewhere: bool = False
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """How the names of a statement are read: in which database, and what the catalog has."""

    catalog: Catalog
    database: str
    user: str

    def path(self, name: ir.Name) -> Path | None:
        """The database and table of a name; None for a table of the session itself."""
        if name.database is None and temporary.named(None, name.table) is not None:
            return None
        key = (name.database or self.database, name.table)
        return None if key in temporary.current() else key

    def table(self, name: ir.Name) -> Table | None:
        """What the catalog has under a name."""
        path = self.path(name)
        return self.catalog.find(path[0], path[1]) if path else None

    def on(self, name: ir.Name, *privileges: str, columns: Iterable[str] = ()) -> Iterator[Need]:
        """Privileges on a table."""
        path = self.path(name)
        if path is not None:
            for each in privileges:
                yield Need(each, path, tuple(columns), place=name.place)

    def reads(self, query: ir.Query | None, within: tuple[str, ...] = ()) -> Iterator[Need]:
        """SELECT on the columns that a query may read, as far as its text tells.

        It is `within` these views, by their ids.
        """
        if query is None:
            return
        query = in_shape(query)
        if query is None:  # nobody knows what it reads before ClickHouse parses it
            yield Need("SELECT")
            return
        own = {each.alias for each in query.tree.find_all(exp.CTE)}
        words = {each.name for each in query.tree.find_all(exp.Identifier)}
        every = any(query.tree.find_all(exp.Star)) or "columns" in map(str.lower, words)
        for node in query.tree.find_all(exp.Table):
            if node.meta.get(OPTIONS):
                yield Need("KAFKA")  # another broker would get the passwords of the connection
            name = ir.Name(node.name, node.db or None)
            path = self.path(name)
            if not node.name or path is None or path[0] in DATABASES:
                continue
            found = self.catalog.find(path[0], path[1])
            if found is None and not node.db and node.name in own:
                continue
            if found is not None and is_view(found) and found.uuid not in within:
                yield from self._read_by(found, within)
            columns = [c.name for c in found.columns if every or c.name in words] if found else []
            if columns:
                yield Need("SELECT", path, tuple(columns))
            else:
                yield Need("SELECT", path, somewhere=True)

    def _read_by(self, view: Table, within: tuple[str, ...]) -> Iterator[Need]:
        """What a view needs of who reads it: it has their rights."""
        try:
            query = query_of(view)
        except errors.SluiceError:  # only ClickHouse can parse it
            yield Need("SELECT")
            return
        inside = replace(self, database=view.database)
        yield from inside.reads(query, (*within, view.uuid))
