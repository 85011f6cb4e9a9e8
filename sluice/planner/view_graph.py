"""Which views a table feeds, and which views those feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import VIEW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sluice.catalog import Snapshot, Table
    from sluice.errors import Place
    from sluice.planner.relations import Known

    Key = tuple[str, str]
    Readers = Callable[[Snapshot, Key | None], Iterable[tuple[Table, str]]]
    """The other Kafka tables that read what is written to a Kafka table, with the topic."""


def fed_by(known: Known, view: Table) -> Key | None:
    """The table whose rows feed a view; a view in its FROM stands for the table that one fills."""
    key, seen = view.source, {view.key}
    while key is not None and key not in seen:
        seen.add(key)
        table = known.find(*key)
        if table is None or table.kind != VIEW:
            return key
        key = table.target
    return key


def views_by_source(known: Known, views: Iterable[Table]) -> dict[Key | None, list[Table]]:
    """Views by the table whose rows feed them."""
    found: dict[Key | None, list[Table]] = {}
    for view in views:
        found.setdefault(fed_by(known, view), []).append(view)
    return found


def check_cycle(known: Snapshot, view: Table, readers: Readers, place: Place | None) -> None:
    """Make sure that no view feeds itself, be it through a topic.

    Raises:
        SluiceError: VIEW_CYCLE, naming the tables and the topics of the cycle.
    """
    tables = [t for t in known.tables() if t.uuid != view.uuid]
    known = known.with_tables([*tables, view])
    fed = views_by_source(known, [t for t in tables if t.kind == VIEW])
    start = fed_by(known, view)
    seen: set[Key | None] = set()
    ways = [(view.target, f"{_dotted(start)} -> {_dotted(view.target)}")]
    while ways:
        written, path = ways.pop()
        if written in seen:
            continue
        seen.add(written)
        feeding = [(written, path)]
        feeding += [
            (table.key, f"{path} -> topic {topic} -> {table.full_name}")
            for table, topic in readers(known, written)
        ]
        for key, way in feeding:
            if key == start:
                raise errors.VIEW_CYCLE(view=view.full_name, path=way, place=place)
            ways += [(each.target, f"{way} -> {_dotted(each.target)}") for each in fed.get(key, ())]


def check_read(view: Table, within: Sequence[Table]) -> None:
    """Make sure that a view which is read is none of those whose queries read it.

    Raises:
        SluiceError: VIEW_READS_ITSELF, naming the views of the cycle.
    """
    path = [*within, view]
    if any(each.uuid == view.uuid for each in within):
        names = " -> ".join(each.full_name for each in path)
        raise errors.VIEW_READS_ITSELF(view=view.full_name, path=names)


def _dotted(key: Key | None) -> str:
    return ".".join(key or ())
