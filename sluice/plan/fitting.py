"""Whether the columns of a query can be written to those of a table, by Flink's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.types import bare
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.errors import Place
    from sluice.types import Type

    Columns = Sequence[tuple[str, Type | None]]

_NUMBER, _TEXT, _TIME = "number", "text", "time"
_SORTS: dict[type[Type], str] = {
    m.Int: _NUMBER, m.Float: _NUMBER, m.Decimal: _NUMBER,
    m.String: _TEXT, m.Text: _TEXT, m.FixedString: _TEXT, m.Enum: _TEXT, m.Uuid: _TEXT,
    m.DateTime: _TIME, m.LocalDateTime: _TIME,
}  # fmt: skip
"""Values of one sort are taken for each other; one that does not fit is found when it comes."""


def check_fits(given: Columns, wanted: Columns, table: str, place: Place | None = None) -> None:
    """Make sure that each column of a query fits the column of a table that it goes to.

    Raises:
        SluiceError: BAD_ARGUMENTS, in Flink's words.
    """
    for at, ((_, type_), (name, target)) in enumerate(zip(given, wanted, strict=True)):
        if type_ is not None and target is not None and not casts(type_, target):
            reason = mismatch(_schema(given), _schema(wanted), table, name, at)
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)


def mismatch(given: str, wanted: str, table: str, column: str, at: int) -> str:
    """What Flink says of two columns that do not fit."""
    return (
        f"Column types of query result and sink for 'default_catalog.{table}' do not match.\n"
        f"Cause: Incompatible types for sink column '{column}' at position {at}.\n\n"
        f"Query schema: [{given}]\nSink schema:  [{wanted}]"
    )


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
        case _, m.Date() if isinstance(given, m.DateTime | m.LocalDateTime):
            return True
    ours, theirs = _SORTS.get(type(given)), _SORTS.get(type(wanted))
    return ours == theirs if ours or theirs else type(given) is type(wanted)


def _schema(columns: Columns) -> str:
    return ", ".join(f"{name}: {_named(type_)}" for name, type_ in columns)


def _named(type_: Type | None) -> str:
    if type_ is None:
        return "?"
    return "NULL" if isinstance(bare(type_), m.Nothing) else summary(type_)
