"""Which views a table feeds, and which views those feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import VIEW

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.catalog import Snapshot, Table
    from sluice.errors import Place
    from sluice.planner.relations import Known


def fed_by(known: Known, view: Table) -> tuple[str, str] | None:
    """The table whose rows feed a view; a view in its FROM stands for the table that one fills."""
    key, seen = view.source, {view.key}
    while key is not None and key not in seen:
        seen.add(key)
        table = known.find(*key)
        if table is None or table.kind != VIEW:
            return key
        key = table.target
    return key


def views_by_source(
    known: Known, views: Iterable[Table]
) -> dict[tuple[str, str] | None, list[Table]]:
    """Views by the table whose rows feed them."""
    found: dict[tuple[str, str] | None, list[Table]] = {}
    for view in views:
        found.setdefault(fed_by(known, view), []).append(view)
    return found


def check_cycle(known: Snapshot, view: Table, place: Place | None) -> None:
    """Make sure that no view feeds itself.

    Raises:
        SluiceError: VIEW_CYCLE, naming the tables of the cycle.
    """
    tables = [t for t in known.tables() if t.uuid != view.uuid]
    known = known.with_tables([*tables, view])
    fed = views_by_source(known, [t for t in tables if t.kind == VIEW])
    start = fed_by(known, view)
    ways = [[view.target]]
    while ways:
        way = ways.pop()
        if way[-1] == start:
            listed = " -> ".join(".".join(key or ()) for key in [start, *way])
            raise errors.VIEW_CYCLE(view=view.full_name, path=listed, place=place)
        ways += [[*way, other.target] for other in fed.get(way[-1], ()) if other.target not in way]
