"""Which columns an INSERT fills, where its list does not name all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.patterns import compiled
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.catalog import Table


def filled(table: Table) -> tuple[str, ...]:
    """The columns that an INSERT without a list fills: those that are not computed."""
    columns = (c for c in table.columns if c.alias is None and c.default_kind != "MATERIALIZED")
    return tuple(column.name for column in columns)


def named(statement: ir.Insert, table: Table) -> tuple[str, ...]:
    """The columns that an INSERT lists, whether or not there are such; none if it has no list."""
    found: list[str] = []
    for each in statement.listed:
        found.extend(_matching(each, table) if isinstance(each, ir.ColumnMatcher) else [each])
    return tuple(_plain(name, table) for name in (*statement.columns, *found))


def check(statement: ir.Insert, names: tuple[str, ...]) -> None:
    """Make sure that a list names columns, and each of them once.

    Raises:
        SluiceError: EMPTY_LIST_OF_COLUMNS_PASSED or COLUMN_LISTED_TWICE.
    """
    place = statement.name.place
    if statement.listed and not names:
        raise errors.EMPTY_LIST_OF_COLUMNS_PASSED(table=statement.name, place=place)
    if len({*names}) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise errors.COLUMN_LISTED_TWICE(column=twice, table=statement.name, place=place)


def _matching(matcher: ir.ColumnMatcher, table: Table) -> Iterator[str]:
    """The columns that a matcher stands for, and those that it must except and cannot."""
    names = list(matcher.names or filled(table))
    if matcher.pattern is not None:
        names = [name for name in names if compiled(matcher.pattern).search(name)]
    for each in matcher.excepted:
        if each.strict:
            yield from (name for name in each.names if name not in names)
        names = [name for name in names if not each.has(name)]
    yield from names


def _plain(name: str, table: Table) -> str:
    """A column's name without that of its table before it."""
    known = {column.name for column in table.columns}
    for before in (f"{table.database}.{table.name}.", f"{table.name}."):
        if name not in known and name.removeprefix(before) in known:
            return name.removeprefix(before)
    return name
