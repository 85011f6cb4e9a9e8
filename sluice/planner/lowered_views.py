"""The queries of materialized views in Spark SQL, lowered again only when they have to be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from sluice.errors import SluiceError
from sluice.planner.query import SOURCE_VIEW
from sluice.planner.query_views import expanded
from sluice.planner.relations import UNCHANGED, Relations, hidden_columns
from sluice.sql import ir
from sluice.sql.clickhouse import lower_query, parse
from sluice.sql.clickhouse.queries import with_columns, with_hidden

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.catalog import Collection, Table
    from sluice.planner.relations import Known
    from sluice.sql.relation import Lowered

    Computed = tuple[tuple[str, str], ...]

_PARSED = 4096


@lru_cache(maxsize=_PARSED)
def read_query(text: str) -> ir.Query:
    """A view's query, parsed from the text that the catalog keeps."""
    statement = parse(text)
    assert isinstance(statement, ir.Select)  # noqa: S101 - it was one when the view was made
    return statement.query


class Dependencies:
    """A catalog that records what was looked up in it, and so what a plan depends on."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._databases: list[str] | None = None
        self._tables: dict[tuple[str, str], Table | None] = {}
        self._collections: dict[str, Collection | None] = {}
        self.listed = False
        """Whether all tables were asked for, as errors do that suggest names."""

    def databases(self) -> list[str]:
        """All databases."""
        self._databases = self._known.databases()
        return self._databases

    def tables(self) -> list[Table]:
        """All tables and views."""
        self.listed = True
        return self._known.tables()

    def find(self, database: str, name: str) -> Table | None:
        """A table or view by its name."""
        found = self._tables[database, name] = self._known.find(database, name)
        return found

    def collection(self, name: str) -> Collection | None:
        """A named collection."""
        found = self._collections[name] = self._known.collection(name)
        return found

    def names(self) -> set[tuple[str, str]]:
        """The tables that were looked up."""
        return {*self._tables}

    def hold(self, known: Known) -> bool:
        """Whether a catalog would answer the same."""
        return not self.listed and (
            all(_same(known.find(*key), table) for key, table in self._tables.items())
            and (self._databases is None or known.databases() == self._databases)
            and all(known.collection(name) == held for name, held in self._collections.items())
        )


def _same(one: Table | None, other: Table | None) -> bool:
    return one is other or one == other


@dataclass(frozen=True, slots=True)
class LoweredView:
    """A view's query in Spark SQL, and the tables that it refers to besides its source."""

    lowered: Lowered
    relations: Relations


@dataclass(frozen=True, slots=True)
class _Kept:
    text: str
    database: str
    source: tuple[str, str]
    on: Dependencies
    found: LoweredView | SluiceError

    def fits(self, view: Table, source: Table) -> bool:
        return (self.text, self.database, self.source) == (view.query, view.database, source.key)


class LoweredViews:
    """Lowers the queries of views, and keeps the results while their dependencies hold."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[tuple[str, Computed, bool], _Kept]] = {}

    def lower(
        self,
        known: Known,
        view: Table,
        source: Table,
        block: str = SOURCE_VIEW,
        computed: Computed = (),
        query: ir.Query | None = None,
        *,
        changes: bool = False,
    ) -> LoweredView:
        """A view's query over the rows of `source`, which it knows as `block`.

        `computed` are columns of its target that are computed from what it selects. `query` is the
        query of a view that is being made, as its statement has it. With `changes` the rows of
        `source` are changes, and the query passes on what each of them does.

        Raises:
            SluiceError: what is wrong with the query.
        """
        own = self._kept.setdefault(view.uuid, {})
        form = (block, computed, changes)
        kept = own.get(form)
        if kept is not None and kept.fits(view, source) and kept.on.hold(known):
            if isinstance(kept.found, LoweredView):
                return kept.found
            if query is None:
                raise kept.found
        on = Dependencies(known)
        keep = partial(_Kept, view.query or "", view.database, source.key, on)
        query = query or read_query(view.query or "")
        try:
            found = _lowered(on, view, source, form, query)
        except SluiceError as fault:
            own[form] = keep(fault)
            raise
        own[form] = keep(found)
        return found

    def unaffected(self, known: Known, view: Table) -> bool:
        """Whether a view was lowered, and all that it depends on is the same in `known`."""
        kept = self._kept.get(view.uuid, {}).get((SOURCE_VIEW, (), False))
        return kept is not None and kept.text == view.query and kept.on.hold(known)

    def dependencies(self, view: str) -> set[tuple[str, str]] | None:
        """The names of the tables that a view's queries depend on; None for all there are."""
        found: set[tuple[str, str]] = set()
        for kept in self._kept.get(view, {}).values():
            if kept.on.listed:
                return None
            found |= kept.on.names()
        return found

    def forget(self, views: Iterable[str]) -> None:
        """Forget all but these views, by their ids."""
        there = {*views}
        self._kept = {view: kept for view, kept in self._kept.items() if view in there}


def _lowered(
    on: Dependencies,
    view: Table,
    source: Table,
    form: tuple[str, Computed, bool],
    query: ir.Query,
) -> LoweredView:
    block, computed, changes = form
    relations = Relations(on, view.database, batch=source, block=block, changes=changes)
    query = expanded(on, query, view.database)
    if changes:
        names = [column.name for column in hidden_columns(on, source)]
        query = with_hidden(query, names, UNCHANGED)
    if computed:
        query = with_columns(query, dict(computed))
    return LoweredView(lower_query(query, relations.resolve, database=view.database), relations)
