"""Whether a query can be written to a table, by Flink's rules: its columns, types and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import STORED
from sluice.options.job_settings import LENGTH, NOT_NULL
from sluice.planner.spec import Rules
from sluice.planner.stored import changelog_column_of
from sluice.types import bare, is_nullable
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.sql.relation import Shape
    from sluice.types import Type

    Columns = Sequence[tuple[str, Type | None]]

_TEXTS = frozenset({"CHAR", "VARCHAR"})
_BYTES = frozenset({"BINARY", "VARBINARY"})
_WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_NUMBERS = frozenset({*_WHOLE, "DECIMAL", "FLOAT", "DOUBLE"})
_MOMENTS = frozenset({"TIMESTAMP", "TIMESTAMP_LTZ"})

IMPLICIT: dict[str, frozenset[str]] = {
    "CHAR": _TEXTS,
    "VARCHAR": _TEXTS,
    "BINARY": _BYTES,
    "VARBINARY": _BYTES,
    "SMALLINT": frozenset(_WHOLE[:1]),
    "INT": frozenset(_WHOLE[:2]),
    "BIGINT": frozenset(_WHOLE[:3]),
    "DECIMAL": _NUMBERS,
    "FLOAT": _NUMBERS - {"DOUBLE"},
    "DOUBLE": _NUMBERS,
    "DATE": frozenset({"TIMESTAMP"}),
    "TIME": frozenset({"TIMESTAMP"}),
    "TIMESTAMP": _MOMENTS,
    "TIMESTAMP_LTZ": _MOMENTS,
}
"""What becomes a type without a CAST, as in Flink; every type also becomes itself."""


def check_fits(given: Columns, wanted: Columns, table: str, place: Place | None = None) -> None:
    """Make sure that each column of a query can be cast to its column of the target.

    Raises:
        SluiceError: SINK_SCHEMA_MISMATCH.
    """
    if len(given) != len(wanted):
        cause = "Different number of columns."
        raise _differ(table, cause, _schema(given), _schema(wanted)).at(place)
    for at, ((_, type_), (name, target)) in enumerate(zip(given, wanted, strict=True)):
        if type_ is not None and target is not None and not casts(type_, target):
            raise mismatch(_schema(given), _schema(wanted), table, name, at).at(place)


def mismatch(given: str, wanted: str, table: str, column: str, at: int) -> errors.SluiceError:
    """SINK_SCHEMA_MISMATCH for a column whose type cannot be cast to the sink's."""
    cause = f"Incompatible types for sink column '{column}' at position {at}."
    return _differ(table, cause, given, wanted)


def _differ(table: str, cause: str, given: str, wanted: str) -> errors.SluiceError:
    return errors.SINK_SCHEMA_MISMATCH(
        sink=f"default_catalog.{table}", cause=cause, given=given, wanted=wanted
    )


def check_left_out(table: Table, columns: Sequence[str], place: Place | None) -> None:
    """Whether the columns that an INSERT does not name can be NULL.

    Raises:
        SluiceError: COLUMN_NOT_NULLABLE.
    """
    kinds = changelog_column_of(table) if table.kind == STORED else ""
    for column in table.columns:
        physical = column.alias is None and column.metadata is None and column.name != kinds
        if physical and column.name not in columns and not is_nullable(column.type):
            raise errors.COLUMN_NOT_NULLABLE(column=column.name, place=place)


def casts(given: Type, wanted: Type) -> bool:
    """Whether values of one type are taken for another without being asked to."""
    given, wanted = bare(given), bare(wanted)
    if isinstance(given, m.Nothing | m.Inferred) or isinstance(wanted, m.Inferred):
        return True
    match given, wanted:
        case m.Array(), m.Array():
            return casts(given.item, wanted.item)
        case m.Multiset(), m.Multiset():
            return casts(given.item, wanted.item)
        case m.Map(), m.Map():
            return casts(given.key, wanted.key) and casts(given.value, wanted.value)
        case m.Tuple(), m.Tuple():
            same = len(given.items) == len(wanted.items)
            return same and all(map(casts, given.items, wanted.items))
    target = root(wanted)
    return root(given) == target or root(given) in IMPLICIT.get(target, ())


def root(type_: Type) -> str:
    """A type without its parameters, as Flink's rules name it."""
    plain = bare(type_)
    if isinstance(plain, m.Text):
        return "CHAR" if plain.fixed else "VARCHAR"
    if isinstance(plain, m.Bytes):
        return "BINARY" if plain.fixed else "VARBINARY"
    word = summary(plain).partition("(")[0].partition("<")[0]
    return "VARCHAR" if word == "STRING" else word


def _schema(columns: Columns) -> str:
    return ", ".join(f"{name}: {_named(type_)}" for name, type_ in columns)


def _named(type_: Type | None) -> str:
    if type_ is None:
        return "?"
    return "NULL" if isinstance(bare(type_), m.Nothing) else summary(type_)


def rules_of(settings: Mapping[str, str]) -> Rules:
    """What a job's settings say of rows that do not fit."""
    default = Rules()
    return Rules(
        str(settings.get(NOT_NULL, default.not_null)).upper(),
        str(settings.get(LENGTH, default.length)).upper(),
    )


def check_key(
    table: Table,
    key: Sequence[str] | None,
    constant: frozenset[str],
    why: str,
    place: Place | None,
) -> None:
    """Whether a stored table can take a query whose rows change: its key is the query's.

    A table that stores the kind of each row takes any.

    `key` are the columns of the table that tell the query's rows apart, `constant` those that have
    the same value in all of them.

    Raises:
        SluiceError: SINK_WITHOUT_UPDATES, QUERY_KEY_NOT_SELECTED or SINK_KEY_MISMATCH.
    """
    name = f"default_catalog.{table.full_name}"
    if changelog_column_of(table):
        return
    if not table.primary_key:
        raise without_updates(name, why).at(place)
    primary = ", ".join(table.primary_key)
    if key is None:
        raise errors.QUERY_KEY_NOT_SELECTED(sink=name, key=primary, place=place)
    own = set(table.primary_key)
    if not set(key) <= own or not own - set(key) <= constant:
        raise errors.SINK_KEY_MISMATCH(given=", ".join(key), sink=name, key=primary, place=place)


def check_changelog_key(
    table: Table, shape: Shape, named: Mapping[str, str], place: Place | None
) -> tuple[str, ...] | None:
    """Whether a table with a PRIMARY KEY can take a changelog; the key that says so.

    Each change has the row that it takes back, so a key of the query that is a part of the
    table's is enough: no two rows of the query then meet in one row of the table. Where nothing
    is known of the query's key, the table's is taken as given. `named` are the table's names for
    the columns of the query.

    Raises:
        SluiceError: SINK_WITHOUT_UPDATES, QUERY_KEY_NOT_SELECTED or SINK_KEY_MISMATCH.
    """
    name = f"default_catalog.{table.full_name}"
    if not table.primary_key:
        raise without_updates(name, shape.why, deletes=True).at(place)
    primary = ", ".join(table.primary_key)
    if shape.unkeyed:
        return None
    if not shape.keys:
        raise errors.QUERY_KEY_NOT_SELECTED(sink=name, key=primary, place=place)
    keys = [tuple(named[column] for column in key) for key in shape.keys]
    for key in keys:
        if set(key) <= set(table.primary_key):
            return key
    given = ", ".join(keys[0])
    raise errors.SINK_KEY_MISMATCH(given=given, sink=name, key=primary, place=place)


def without_updates(sink: str, node: str, *, deletes: bool = False) -> errors.SluiceError:
    """SINK_WITHOUT_UPDATES; `node` of the plan produces the updates, if it is known."""
    origin = f" which is produced by node {node}" if node else ""
    changes = "update and delete changes" if deletes else "update changes"
    return errors.SINK_WITHOUT_UPDATES(sink=sink, changes=changes, origin=origin)
