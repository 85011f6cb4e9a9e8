"""What Flink's words say of a stored table: where it is, its partitions, its key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.delta import DELTA
from sluice.options.kinds import FLINK
from sluice.types import bare
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.catalog import Column, Table
    from sluice.errors import Place
    from sluice.types import Type

_NAME = re.compile(r"`((?:[^`]|``)*)`")
_NESTED = (m.Array, m.Map, m.Multiset, m.Tuple, m.Bytes)
_NOT_STORED = {
    m.Interval: "Keep its length as a BIGINT",
    m.Nothing: "Give the column a type",
}
"""What Delta Lake has no type for, and what to do instead."""


def partitions_of(table: Table) -> tuple[str, ...]:
    """The columns that PARTITIONED BY names."""
    if table.dialect != FLINK:
        return ()
    return tuple(name.replace("``", "`") for name in _NAME.findall(table.partition_by or ""))


def path_of(table: Table) -> str:
    """Where the table's statement says that its files are; nothing if they are the server's."""
    if table.dialect != FLINK or not table.settings:
        return ""
    values = DELTA.read(table.settings, FLINK)
    return str(values["path"] or values["table_path"] or "")


def key_of(table: Table) -> tuple[str, ...]:
    """The columns by which a new row takes the place of an old one, if there are."""
    return table.primary_key if table.dialect == FLINK else ()


def check_stored(
    table: Table, place_of: Callable[[str], Place | None], places: Mapping[str, Place] | None = None
) -> None:
    """Whether a table of Flink's can be kept in Delta Lake.

    Raises:
        SluiceError: what is wrong with an option, a column or a partition.
    """
    values = DELTA.read(table.settings, FLINK, places)
    if {"path", "table_path"} <= values.given:
        reason = "Option 'path' and 'table-path' shouldn't be set together."
        raise errors.BAD_ARGUMENTS(reason=reason, place=(places or {}).get("table-path"))
    for key in ("path", "table_path"):
        if key in values.given and not values[key]:
            name = DELTA.by_key[key].names[FLINK]
            reason = f"Option '{name}' should be a non-empty string."
            raise errors.BAD_ARGUMENTS(reason=reason, place=(places or {}).get(name))
    _check_columns(table, place_of)
    _check_partitions(table, place_of)


def _check_columns(table: Table, place_of: Callable[[str], Place | None]) -> None:
    seen: set[str] = set()
    for column in table.columns:
        if column.name.casefold() in seen:
            raise errors.DUPLICATE_COLUMN(column=column.name, place=place_of(column.name))
        seen.add(column.name.casefold())
        if column.metadata is not None:
            reason = (
                f"Table '{table.full_name}' declares metadata columns, but a table that is stored "
                "in Delta Lake has none."
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=place_of(column.name))
        if column.alias is None:
            _check_type(column, column.type, place_of(column.name))


def _check_type(column: Column, type_: Type, place: Place | None) -> None:
    plain = bare(type_)
    if type(plain) in _NOT_STORED:
        what = f"Column {column.name}: {summary(plain)} in a table that is stored in Delta Lake"
        hint = _NOT_STORED[type(plain)]
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)
    inner: tuple[Type, ...] = ()
    if isinstance(plain, m.Array | m.Multiset):
        inner = (plain.item,)
    elif isinstance(plain, m.Map):
        inner = (plain.key, plain.value)
    elif isinstance(plain, m.Tuple):
        inner = plain.items
    for each in inner:
        _check_type(column, each, place)


def _check_partitions(table: Table, place_of: Callable[[str], Place | None]) -> None:
    stored = {c.name: c for c in table.columns if c.alias is None}
    names = partitions_of(table)
    for name in names:
        if name not in stored:
            reason = f"Partition column '{name}' must be a physical column of the table"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place_of(name))
        type_ = bare(stored[name].type)
        if isinstance(type_, _NESTED):
            reason = f"Partition column '{name}' cannot be of the type {summary(type_)}"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place_of(name))
    if names and len(set(names)) == len(stored):
        reason = "A table needs a column that is not one of its partitions"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place_of(names[0]))
