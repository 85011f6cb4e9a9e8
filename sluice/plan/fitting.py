"""Whether the columns of a query can be written to those of a table, by Flink's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.types import bare, is_nullable
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.catalog import Table
    from sluice.errors import Place
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
    """Make sure that each column of a query fits the column of a table that it goes to.

    Raises:
        SluiceError: BAD_ARGUMENTS, in Flink's words.
    """
    if len(given) != len(wanted):
        raise errors.BAD_ARGUMENTS(
            reason=_differ(table, "Different number of columns.", _schema(given), _schema(wanted)),
            place=place,
        )
    for at, ((_, type_), (name, target)) in enumerate(zip(given, wanted, strict=True)):
        if type_ is not None and target is not None and not casts(type_, target):
            reason = mismatch(_schema(given), _schema(wanted), table, name, at)
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)


def mismatch(given: str, wanted: str, table: str, column: str, at: int) -> str:
    """What Flink says of two columns that do not fit."""
    cause = f"Incompatible types for sink column '{column}' at position {at}."
    return _differ(table, cause, given, wanted)


def _differ(table: str, cause: str, given: str, wanted: str) -> str:
    return (
        f"Column types of query result and sink for 'default_catalog.{table}' do not match.\n"
        f"Cause: {cause}\n\nQuery schema: [{given}]\nSink schema:  [{wanted}]"
    )


def check_left_out(table: Table, columns: Sequence[str], place: Place | None) -> None:
    """Whether the columns that an INSERT does not name can be NULL.

    Raises:
        SluiceError: BAD_ARGUMENTS, in Flink's words.
    """
    for column in table.columns:
        physical = column.alias is None and column.metadata is None
        if physical and column.name not in columns and not is_nullable(column.type):
            reason = f"Column '{column.name}' has no default value and does not allow NULLs"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)


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
