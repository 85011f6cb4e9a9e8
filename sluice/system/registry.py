"""How a system table is declared, and how its rows are read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from sluice.catalog.system_tables import SYSTEM, SystemTable
from sluice.system import clickhouse_columns, visibility
from sluice.types import model as m
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from sluice.access import Access
    from sluice.engine.engine import Engine
    from sluice.types import Type

    Given = Callable[[Engine], Iterable[tuple[Any, ...] | Mapping[str, Any]]]
    OfUser = Callable[[Engine, Access], Iterable[tuple[Any, ...] | Mapping[str, Any]]]
    Frame = Callable[[Engine, SparkSession], DataFrame]

Row = tuple[Any, ...]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_UUID = "00000000-0000-0000-0000-000000000000"

_ROWS: dict[SystemTable, Given] = {}
_FRAMES: dict[SystemTable, Frame] = {}
_OF_USERS: dict[SystemTable, OfUser] = {}


def system_table(
    name: str, columns: str, *, of: dict[str, SystemTable] = SYSTEM
) -> Callable[[Given], None]:
    """Declare a table; `columns` has one `name Type` in each line, or `name = other` for a synonym.

    A comment on a column follows it after `--`. The columns that ClickHouse has besides are added.

    The function may yield tuples of all columns that are declared, or mappings of those that are
    not empty.
    """
    declared = [line.partition(" -- ") for line in _with_others(name, columns, of)]
    lines = [text.split(maxsplit=1) for text, _, _ in declared]
    comments = {line[0]: comment for line, (_, _, comment) in zip(lines, declared, strict=True)}
    typed = tuple((n, parse_type(t)) for n, t in lines if not t.startswith("= "))
    aliases = tuple((n, t.removeprefix("= ")) for n, t in lines if t.startswith("= "))

    def add(given: Given) -> None:
        of[name] = table = SystemTable(name, typed, aliases, comments)
        _ROWS[table] = given

    return add


def _with_others(name: str, columns: str, of: dict[str, SystemTable]) -> list[str]:
    """The lines of a declaration, and of the columns that ClickHouse has and it lacks."""
    lines = columns.strip().splitlines()
    known = {line.split()[0] for line in lines}
    if of is SYSTEM:
        return [*lines, *clickhouse_columns.missing("system", name, known)]
    others = clickhouse_columns.missing("information_schema", name, known)
    names = [line.split()[0] for line in others]
    return [*lines, *others, *(f"{each.upper()} = {each}" for each in names)]


def system_frame(name: str, columns: Iterable[tuple[str, Type]], frame: Frame) -> None:
    """Declare a table of `system` whose rows Spark has already."""
    SYSTEM[name] = table = SystemTable(name, tuple(columns))
    _FRAMES[table] = frame


def rows_of(table: SystemTable, engine: Engine, access: Access) -> Iterator[Row]:
    """The rows of a table that a user sees, as they are now; none of one that has a frame."""
    nothing = {name: _nothing(type_) for name, type_ in table.columns}
    shown = visibility.shown(access, table)
    for given in _given(table, engine, access):
        if isinstance(given, tuple):
            row = (*given, *islice(nothing.values(), len(given), None))
        else:
            row = tuple({**nothing, **given}.values())
        if shown is None or shown(row):
            yield row


def _given(
    table: SystemTable, engine: Engine, access: Access
) -> Iterable[tuple[Any, ...] | Mapping[str, Any]]:
    if table in _OF_USERS:
        return _OF_USERS[table](engine, access)
    return _ROWS[table](engine) if table in _ROWS else ()


def user_table(name: str, columns: str) -> Callable[[OfUser], None]:
    """Declare a table of `system` whose rows are about the user who reads it."""

    def add(given: OfUser) -> None:
        system_table(name, columns)(lambda engine: ())
        _OF_USERS[SYSTEM[name]] = given

    return add


def frame_of(table: SystemTable) -> Frame | None:
    """What gives a table's rows as Spark has them, if it has."""
    return _FRAMES.get(table)


_EMPTY: dict[type[Type], Any] = {
    m.Nullable: None,
    m.Array: [],
    m.Map: {},
    m.Bool: False,
    m.String: "",
    m.Uuid: NO_UUID,
    m.DateTime: EPOCH,
    m.Date: date(1970, 1, 1),
}


def _nothing(type_: Type) -> Any:
    """The value of a column that a row does not set, as in ClickHouse."""
    if isinstance(type_, m.LowCardinality):
        return _nothing(type_.item)
    if isinstance(type_, m.Tuple):
        return [_nothing(item) for item in type_.items]
    return type_.values[0][0] if isinstance(type_, m.Enum) else _EMPTY.get(type(type_), 0)
