"""What a table of `system` is, and the list of them."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from sluice.types import model as m
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from sluice.session.engine import Engine
    from sluice.types import Type

    Given = Callable[[Engine], Iterable[tuple[Any, ...] | Mapping[str, Any]]]

Row = tuple[Any, ...]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_UUID = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class SystemTable:
    """A table that is made up when it is read.

    `given` may yield tuples of all columns, or mappings of those that have something to say; where
    Spark has the rows already, `frame` gives them instead.
    """

    columns: tuple[tuple[str, Type], ...]
    given: Given
    aliases: tuple[tuple[str, str], ...] = ()
    frame: Callable[[Engine, SparkSession], DataFrame] | None = None

    def rows(self, engine: Engine) -> Iterator[Row]:
        """Its rows as they are now."""
        nothing = {name: _nothing(type_) for name, type_ in self.columns}
        for row in self.given(engine):
            yield row if isinstance(row, tuple) else tuple({**nothing, **row}.values())


TABLES: dict[str, SystemTable] = {}
INFORMATION: dict[str, SystemTable] = {}

DATABASES: Mapping[str, Mapping[str, SystemTable]] = {
    "system": TABLES,
    "information_schema": INFORMATION,
    "INFORMATION_SCHEMA": INFORMATION,
}
"""Databases that are there without anybody having made them."""


def system_table(
    name: str, columns: str, *, of: dict[str, SystemTable] = TABLES
) -> Callable[[Given], None]:
    """Add a table; `columns` has one `name Type` in each line, or `name = other` for a synonym."""
    lines = [line.split(maxsplit=1) for line in columns.strip().splitlines()]
    typed = tuple((n, parse_type(t)) for n, t in lines if not t.startswith("= "))
    aliases = tuple((n, t.removeprefix("= ")) for n, t in lines if t.startswith("= "))

    def add(given: Given) -> None:
        of[name] = SystemTable(typed, given, aliases)

    return add


def find_system(database: str, name: str) -> SystemTable | None:
    """A table of one of those databases; the names of `information_schema` are in any case."""
    folded = name if database == "system" else name.lower()
    return DATABASES.get(database, {}).get(folded)


def _nothing(type_: Type) -> Any:
    """What a column holds that has nothing to say, as ClickHouse fills it."""
    match type_:
        case m.Nullable():
            return None
        case m.Array():
            return []
        case m.Map():
            return {}
        case m.Bool():
            return False
        case m.String():
            return ""
        case m.Uuid():
            return NO_UUID
        case m.DateTime():
            return EPOCH
        case m.Date():
            return date(1970, 1, 1)
        case m.Enum(values=values):
            return next(iter(dict(values)))
        case _:
            return 0


def like(pattern: str | None) -> Callable[[str], bool]:
    """A test for SQL's LIKE patterns."""
    if pattern is None:
        return lambda name: True
    glob = "".join(
        {"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}.get(c, c) for c in pattern
    )
    return lambda name: fnmatch.fnmatchcase(name, glob)
