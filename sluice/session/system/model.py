"""What a table of `system` is, and the list of them."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sluice.session.engine import Engine
    from sluice.types import Type

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SystemTable:
    """A table that is made up when it is read."""

    columns: tuple[tuple[str, Type], ...]
    rows: Callable[[Engine], Iterable[Row]]


TABLES: dict[str, SystemTable] = {}


def system_table(name: str, columns: str) -> Callable[[Callable[[Engine], Iterable[Row]]], None]:
    """Add a table; `columns` has one `name Type` in each line."""
    pairs = [line.strip().split(" ", 1) for line in columns.strip().splitlines()]

    def add(rows: Callable[[Engine], Iterable[Row]]) -> None:
        TABLES[name] = SystemTable(tuple((n, parse_type(t)) for n, t in pairs), rows)

    return add


def like(pattern: str | None) -> Callable[[str], bool]:
    """A test for SQL's LIKE patterns."""
    if pattern is None:
        return lambda name: True
    glob = "".join(
        {"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}.get(c, c) for c in pattern
    )
    return lambda name: fnmatch.fnmatchcase(name, glob)
