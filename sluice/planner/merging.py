"""How rows of a stored table with the same key become one, by the table's engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import STORED
from sluice.planner.relations import columns_of
from sluice.planner.table_engines import engine_of, named_columns
from sluice.types import bare, quote_name
from sluice.types import model as m
from sluice.types.encoded import FineDateTime, WideDecimal, WideInt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.types import Type

SUM, ANY = "sum", "any"
"""How a column without a function of its own is merged."""

WRITTEN_AT, WRITTEN_ROW = "__sluice_at", "__sluice_row"
"""Columns in the files of a table where it matters which of two rows was written later."""


@dataclass(frozen=True, slots=True)
class Merging:
    """Rows with the same `keys` are one row for every reader.

    `keys` are Spark SQL over the table's columns, and `sorting` is the same in ClickHouse's SQL.
    Either the `newest` row is kept, by the columns named there and then by when it was written, or
    each column outside the keys is made of all rows, in the way that `columns` says: SUM, ANY, or
    the name of an aggregate function whose states, or partial results, the column has. A row is not
    shown if the column `deleted` is 1 in it, or if all of `zeros` are 0.

    With a column `sign` rows cancel each other instead: one with 1 and one with -1. Of the rest a
    reader sees the newest row with 1, unless there are more with -1; if the engine is `versioned`,
    every row that is left.
    """

    keys: tuple[str, ...]
    newest: tuple[str, ...] | None = None
    deleted: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    zeros: tuple[str, ...] = ()
    sign: str = ""
    versioned: bool = False
    sorting: tuple[str, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether it matters when a row was written."""
        return self.newest is not None or bool(self.sign) or "anyLast" in self.columns.values()


def merging_of(table: Table) -> Merging | None:
    """How rows become one; None for a table that keeps them as they are."""
    make = _MERGING.get(engine_of(table).name)
    return make(table) if make is not None else None


def _merging(table: Table, *more: str, **how: Any) -> Merging:
    """How rows with the same sorting key, and `more`, become one."""
    return Merging(_keys(table, *more), sorting=_sorting(table, *more), **how)


def check(table: Table, place: Place | None) -> None:
    """Whether a table's columns are such that its rows can be merged.

    Raises:
        SluiceError: STATE_COLUMN_NOT_STORED, INVALID_ENGINE_COLUMN or UNKNOWN_COLUMN.
    """
    types = {c.name: c.type for c in table.stored_columns}
    if table.kind != STORED or table.dialect != "clickhouse":
        stateful = [name for name, type_ in types.items() if isinstance(type_, m.AggregateState)]
        if stateful:
            raise errors.STATE_COLUMN_NOT_STORED(
                engine=table.engine, column=stateful[0], place=place
            )
        return
    if merging_of(table) is None:
        return
    named = named_columns(table)
    for name in named:
        if name not in types:
            hint = errors.nearest(name, types)
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=place)
    find = _WRONG.get(engine_of(table).name)
    wrong = (find(named, types) if find is not None else "") or _unsummed(table)
    if wrong:
        raise errors.INVALID_ENGINE_COLUMN(problem=wrong, place=place)


def _wrong_replacing(named: list[str], types: dict[str, Type]) -> str:
    for name in named[1:2]:
        if types[name] != m.Int(8, signed=False):
            return f"The column {name} cannot be used as an is_deleted column: it must be UInt8"
    return _wrong_version(named[:1], types)


def _wrong_collapsing(named: list[str], types: dict[str, Type]) -> str:
    sign, *version = named
    if types[sign] != m.Int(8):
        return f"The column {sign} cannot be used as a sign column: it must be Int8"
    return _wrong_version(version, types)


_VERSIONS = (m.Int, m.Date, m.DateTime, m.Decimal, m.Float, WideInt, WideDecimal, FineDateTime)


def _wrong_version(named: list[str], types: dict[str, Type]) -> str:
    for name in named:
        if not isinstance(types[name], _VERSIONS):
            return f"The column {name} cannot be used as a version column: it is {types[name]}"
    return ""


def _wrong_summing(named: list[str], types: dict[str, Type]) -> str:
    for name in named:
        if not _is_summed(types[name]):
            return f"The column {name} cannot be summed: it is {types[name]}"
    for name, type_ in types.items():
        nested, _, field = name.partition(".")
        if nested.endswith("Map") and field and isinstance(type_, m.Array):
            return f"Nested columns whose name ends in Map are not summed yet: {name}"
    return ""


def _unsummed(table: Table) -> str:
    """What ClickHouse would sum and Spark cannot."""
    if engine_of(table).name != "SummingMergeTree" or named_columns(table):
        return ""
    keys = _used(table)
    for column in table.stored_columns:
        wide = isinstance(bare(column.type), WideInt | WideDecimal)
        if wide and column.name not in keys and not _own(column.type):
            return f"Sums of {column.type} are not supported: column {column.name}"
    return ""


_WRONG: dict[str, Callable[[list[str], dict[str, Type]], str]] = {
    "ReplacingMergeTree": _wrong_replacing,
    "SummingMergeTree": _wrong_summing,
    "CollapsingMergeTree": _wrong_collapsing,
    "VersionedCollapsingMergeTree": _wrong_collapsing,
}


def _replacing(table: Table) -> Merging:
    named = named_columns(table)
    return _merging(table, newest=tuple(named[:1]), deleted="".join(named[1:2]))


def _summing(table: Table) -> Merging:
    given = set(named_columns(table))
    keys = _used(table)
    columns = {}
    for column in table.stored_columns:
        if column.name in keys:
            continue
        summed = column.name in given if given else _is_summed(column.type)
        columns[column.name] = _own(column.type) or (SUM if summed else ANY)
    return _merging(table, columns=columns, zeros=_zeros(columns))


def _zeros(columns: dict[str, str]) -> tuple[str, ...]:
    """The columns that a row is kept for; one with a function of its own is always kept."""
    if any(way not in (SUM, ANY) for way in columns.values()):
        return ()
    return tuple(name for name, way in columns.items() if way == SUM)


def _aggregating(table: Table) -> Merging:
    keys = _used(table)
    return _merging(
        table,
        columns={
            column.name: _own(column.type) or ANY
            for column in table.stored_columns
            if column.name not in keys
        },
    )


def _collapsing(table: Table) -> Merging:
    (sign,) = named_columns(table)
    return _merging(table, sign=sign)


def _versioned_collapsing(table: Table) -> Merging:
    sign, version = named_columns(table)
    return _merging(table, quote_name(version), sign=sign, versioned=True)


_MERGING: dict[str, Callable[[Table], Merging]] = {
    "ReplacingMergeTree": _replacing,
    "SummingMergeTree": _summing,
    "AggregatingMergeTree": _aggregating,
    "CollapsingMergeTree": _collapsing,
    "VersionedCollapsingMergeTree": _versioned_collapsing,
}


def _own(type_: Type) -> str:
    """The function that a column's own type names."""
    while isinstance(type_, m.LowCardinality | m.Nullable):
        type_ = type_.item
    return type_.function if isinstance(type_, m.AggregateState | m.SimpleAggregate) else ""


def _is_summed(type_: Type) -> bool:
    return isinstance(bare(type_), m.Int | m.Float | m.Decimal)


def _expressions(table: Table) -> tuple[str, ...]:
    """The sorting key, and what rows are kept apart by: those of two partitions are not merged."""
    partition = (table.partition_by,) if table.partition_by else ()
    return (*table.order_by, *partition)


def _keys(table: Table, *more: str) -> tuple[str, ...]:
    from sluice.sql.clickhouse import lower_expression
    from sluice.sql.clickhouse.lowering import hashed

    columns = columns_of(table)
    expressions = (*_expressions(table), *more)
    parts = (part for expression in expressions for part in hashed(expression))
    return tuple(dict.fromkeys(lower_expression(part, columns).sql for part in parts))


def _sorting(table: Table, *more: str) -> tuple[str, ...]:
    from sluice.sql.clickhouse.lowering import hashed
    from sluice.sql.clickhouse.reading import parse_expression

    found: dict[str, None] = {}
    for expression in (*_expressions(table), *more):
        parts = hashed(expression)
        whole = parts == [parse_expression(expression)]
        found |= dict.fromkeys([expression] if whole else [p.sql("clickhouse") for p in parts])
    return tuple(found)


def _used(table: Table) -> set[str]:
    """The columns that the key is made of."""
    from sluice.sql.clickhouse.reading import names_in

    return {name for expression in _expressions(table) for name in names_in(expression)}
