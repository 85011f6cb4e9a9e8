"""What Flink's words say of a stored table: where it is, its partitions, its key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import STORED
from sluice.formats.fields import inside
from sluice.options.delta import DELTA
from sluice.parameters.kinds import FLINK
from sluice.planner.table_engines import KEPT_BY_KEY, column_name, engine_of, kept_by_key
from sluice.types import bare
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from sluice.catalog import Column, Table
    from sluice.errors import Place
    from sluice.options.option_set import Values
    from sluice.sql import ir
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
    """The columns by which a new row takes the place of an old one, if there are.

    In the ClickHouse dialect a primary key is unique only if a setting of the table says so.
    """
    if table.dialect == FLINK:
        return table.primary_key
    keys = (table.primary_key or table.order_by) if kept_by_key(table) else ()
    return tuple(map(column_name, keys))


def check_kept_by_key(table: Table, place: Place | None) -> None:
    """Check that a table of the ClickHouse dialect can have one row for each primary key.

    Raises:
        SluiceError: INVALID_ENGINE_ARGUMENT or INVALID_ENGINE_COLUMN.
    """
    if not kept_by_key(table):
        return
    keys = key_of(table)
    if engine_of(table).name != "MergeTree" or not keys:
        reason = f"{KEPT_BY_KEY} is for ENGINE = MergeTree with a PRIMARY KEY"
        raise errors.INVALID_ENGINE_ARGUMENT(reason=reason, place=place)
    types = {column.name: column.type for column in table.stored_columns}
    for name in keys:
        type_ = types.get(name)
        if type_ is None or isinstance(type_, m.Nullable) or isinstance(bare(type_), _NESTED):
            problem = f"The PRIMARY KEY of a table with {KEPT_BY_KEY} consists of columns that are "
            problem += f"neither Nullable nor arrays, maps or tuples: {name} is "
            problem += "an expression" if type_ is None else str(type_)
            raise errors.INVALID_ENGINE_COLUMN(problem=problem, place=place)


def sequence_of(table: Table) -> tuple[str, ...]:
    """The columns that order the changes of a key, if the table has some."""
    return tuple(_options(table)["sequence_field"] or ())


def tombstone_ttl_ms(table: Table) -> int:
    """For how long a delete is remembered where a table's changes are ordered by columns."""
    return int(_options(table)["tombstone_ttl"])


def has_change_feed(table: Table) -> bool:
    """Whether Delta's change data feed has the changes of the table."""
    return bool(_options(table)["changelog"])


def changelog_column_of(table: Table) -> str:
    """The column that holds the kind of each row; nothing if a table has none."""
    return str(_options(table)["changelog_column"] or "")


def _options(table: Table) -> Values:
    """Its options; the defaults for a table that is none of Delta Lake in the Flink dialect."""
    own = table.kind == STORED and table.dialect == FLINK
    return DELTA.read(table.settings if own else {}, FLINK)


def check_stored(
    table: Table, place_of: Callable[[str], Place | None], places: Mapping[str, Place] | None = None
) -> None:
    """Check that a table of the Flink dialect can be stored in Delta Lake.

    Raises:
        SluiceError: what is wrong with an option, a column or a partition.
    """
    values = DELTA.read(table.settings, FLINK, places)
    if {"path", "table_path"} <= values.given:
        place = (places or {}).get("table-path")
        raise errors.CONFLICTING_OPTIONS(option="path", other="table-path", place=place)
    for key in ("path", "table_path"):
        if key in values.given and not values[key]:
            name = DELTA.by_key[key].names[FLINK]
            raise errors.EMPTY_OPTION(option=name, place=(places or {}).get(name))
    _check_columns(table, place_of)
    _check_partitions(table, place_of)
    _check_changes(table, places or {})


def _check_changes(table: Table, places: Mapping[str, Place]) -> None:
    """Check the options of tables that take changes."""
    stored = {c.name: bare(c.type) for c in table.columns if c.alias is None}
    for name in sequence_of(table):
        if not table.primary_key:
            reason = "it orders the changes of a key: declare a PRIMARY KEY"
            raise _refused("sequence_field", reason, places)
        if name not in stored or isinstance(stored[name], _NESTED):
            reason = f"{name} is not a column of the table that has an order"
            raise _refused("sequence_field", reason, places)
    column = changelog_column_of(table)
    if column and table.primary_key:
        reason = "a table with a PRIMARY KEY applies changes and does not store their kind"
        raise _refused("changelog_column", reason, places)
    if column and not isinstance(stored.get(column), m.Text | m.String):
        raise _refused("changelog_column", f"{column} is not a STRING column of the table", places)
    if has_change_feed(table) and not table.primary_key:
        reason = "a table without a PRIMARY KEY has no changes but inserts"
        raise _refused("changelog", reason, places)


def _refused(key: str, reason: str, places: Mapping[str, Place]) -> errors.SluiceError:
    name = DELTA.by_key[key].names[FLINK]
    return errors.OPTION_REFUSED(option=name, reason=reason, place=places.get(name))


def _check_columns(table: Table, place_of: Callable[[str], Place | None]) -> None:
    seen: set[str] = set()
    for column in table.columns:
        if column.name.casefold() in seen:
            raise errors.DUPLICATE_COLUMN(column=column.name, place=place_of(column.name))
        seen.add(column.name.casefold())
        if column.metadata is not None:
            raise errors.METADATA_COLUMN_NOT_STORED(
                column=column.name, table=table.full_name, place=place_of(column.name)
            )
        if column.alias is None:
            _check_type(column, column.type, place_of(column.name))


def _check_type(column: Column, type_: Type, place: Place | None) -> None:
    plain = bare(type_)
    if type(plain) in _NOT_STORED:
        raise errors.TYPE_NOT_STORED(
            column=column.name, type=summary(plain), hint=_NOT_STORED[type(plain)], place=place
        )
    for each in inside(plain):
        _check_type(column, each, place)


def _check_partitions(table: Table, place_of: Callable[[str], Place | None]) -> None:
    stored = {c.name: c for c in table.columns if c.alias is None}
    names = partitions_of(table)
    for name in names:
        if name not in stored:
            problem = "must be a physical column of the table"
            raise errors.INVALID_PARTITION_COLUMN(
                column=name, problem=problem, place=place_of(name)
            )
        type_ = bare(stored[name].type)
        if isinstance(type_, _NESTED):
            problem = f"cannot be of the type {summary(type_)}"
            raise errors.INVALID_PARTITION_COLUMN(
                column=name, problem=problem, place=place_of(name)
            )
    if names and len(set(names)) == len(stored):
        raise errors.ONLY_PARTITION_COLUMNS(table=table.full_name, place=place_of(names[0]))


def check_hints(name: ir.Name) -> None:
    """Whether a stored table takes what OPTIONS says of it in a query.

    Raises:
        SluiceError: UNSUPPORTED_OPTIONS or OPTION_REFUSED.
    """
    DELTA.read(dict(name.options), FLINK)
    for option in dict(name.options):
        reason = "a table stays where it is"
        raise errors.OPTION_REFUSED(option=option, reason=reason, place=name.place)


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that no column in the files has or had, also not in another case.

    Those that are `taken` are in lower case, as `casefold` makes it.
    """
    stored, at = name, 1
    while stored.casefold() in taken:
        at += 1
        stored = f"{name}_{at}"
    return stored
