"""Tables and views of one session, which the catalog shows to that session alone.

They come before the catalog's own of the same name, are in no file, and end with their session.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sluice.catalog.entities import Table, definition, from_definition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Temporary = dict[tuple[str, str], Table]

_CURRENT: ContextVar[Temporary | None] = ContextVar("temporary", default=None)
NO_DATABASE = ""
"""Where ClickHouse's temporary tables are: a name without a database finds them first."""

_HEAD = ("uuid", "database", "name", "kind")


def current() -> Temporary:
    """The temporary tables that this thread sees, by database and name."""
    found = _CURRENT.get()
    return {} if found is None else found


def named(database: str | None, name: str) -> Table | None:
    """The temporary table that a name without a database refers to in the ClickHouse dialect."""
    return current().get((NO_DATABASE, name)) if database is None else None


@contextmanager
def seeing(tables: Temporary) -> Iterator[None]:
    """Make these the temporary tables of this thread, for what it reads, creates and drops."""
    token = _CURRENT.set(tables)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def packed(tables: Iterable[Table]) -> list[dict[str, Any]]:
    """Tables as JSON, for a job that outlives their session."""
    return [
        {name: getattr(table, name) for name in _HEAD}
        | {"created": table.created.isoformat(), "definition": definition(table)}
        for table in tables
    ]


def unpacked(texts: Iterable[dict[str, Any]]) -> Temporary:
    """The tables that were packed."""
    found = {}
    for text in texts:
        head = {name: text[name] for name in _HEAD}
        head["created"] = datetime.fromisoformat(text["created"])
        table = from_definition(head, text["definition"])
        found[table.key] = table
    return found
