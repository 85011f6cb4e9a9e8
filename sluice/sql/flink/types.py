"""Flink's types: from its words to the model; `types.flink` writes them.

In Flink a type may be NULL unless NOT NULL follows it, inside ARRAY, MAP and ROW too. Keys of
a MAP and items of a MULTISET are never NULL here: Spark has no such keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql.core.reading import DEEPEST, too_deep
from sluice.types import Type, bare
from sluice.types import model as m
from sluice.types.flink import quote, summary, write_type
from sluice.types.text import LONGEST

if TYPE_CHECKING:
    from sluice.errors import Place
    from sluice.sql.flink.cursor import Cursor

__all__ = ["TYPES", "plain_type", "quote", "read_type", "write_type"]

Reader = Callable[["Cursor", str], Type]
"""Reads what follows the words of a type, which it is given too."""

_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_MICROSECONDS = 6
_REFUSED = {
    "RAW": "Use BYTES; objects of a JVM class cannot be kept",
    "STRUCTURED": "Use ROW<…>",
    "VARIANT": "Use STRING and JSON_VALUE",
    "DESCRIPTOR": "It is no type of a column",
}


def read_type(cursor: Cursor) -> Type:
    """Read a type with its NOT NULL, `INT ARRAY` and `INT MULTISET` too."""
    place = cursor.place()
    found = _nullable(cursor, plain_type(cursor))
    for _ in range(DEEPEST):
        if cursor.word("ARRAY"):
            found = _nullable(cursor, m.Array(found))
        elif cursor.word("MULTISET"):
            found = _nullable(cursor, m.Multiset(_as_key(found, "A MULTISET", place)))
        else:
            return found
    raise too_deep(place)


def _nullable(cursor: Cursor, type_: Type) -> Type:
    if cursor.word("NOT", "NULL"):
        return type_
    if not isinstance(type_, m.Nothing):
        cursor.word("NULL")
    return m.Nullable(type_)


def plain_type(cursor: Cursor) -> Type:
    """Read a type without NULL or NOT NULL."""
    place = cursor.place()
    token = cursor.token
    if token is None or token.token_type in (TokenType.STRING, TokenType.NUMBER):
        raise cursor.wrong(reason="expected a type")
    for words, read in TYPES.items():
        if cursor.word(*words):
            return read(cursor, " ".join(words))
    word = token.text
    hint = _REFUSED.get(word.upper()) or errors.nearest(word, [" ".join(w) for w in TYPES])
    if word.upper() in _REFUSED:
        raise errors.UNSUPPORTED_TYPE(type=f"The type {word.upper()}", hint=hint, place=place)
    if not (word[:1].isalpha() or word[:1] == "_"):
        raise cursor.wrong(reason="expected a type")
    raise errors.UNKNOWN_TYPE(type=word, hint=hint, place=place)


def _always(type_: Type) -> Reader:
    return lambda cursor, name: type_


def _number(cursor: Cursor, name: str, what: str, low: int, high: int) -> int | None:
    """`(n)`, None if there is no parenthesis."""
    if not cursor.mark(TokenType.L_PAREN):
        return None
    value = _whole(cursor, name, what, low, high)
    cursor.need_mark(TokenType.R_PAREN, ")")
    return value


def _whole(cursor: Cursor, name: str, what: str, low: int, high: int) -> int:
    token, place = cursor.token, cursor.place()
    if token is None or token.token_type != TokenType.NUMBER or not token.text.isdecimal():
        raise cursor.wrong(reason=f"expected the {what} of {name}")
    cursor.index += 1
    value = int(token.text) if len(token.text) < 20 else LONGEST + 1
    if not low <= value <= high:
        reason = f"the {what} must be between {low} and {high}"
        raise errors.WRONG_TYPE_ARGUMENTS(type=name, reason=reason, place=place)
    return value


def _sized(build: Callable[[int], Type], default: int = 1) -> Reader:
    """A type with a length: the default of a varying one is the largest."""

    def read(cursor: Cursor, name: str) -> Type:
        return build(_number(cursor, name, "length", 1, LONGEST) or default)

    return read


def _decimal(cursor: Cursor, name: str) -> Type:
    if not cursor.mark(TokenType.L_PAREN):
        return m.Decimal(10, 0)
    precision = _whole(cursor, name, "precision", 1, 38)
    scale = 0
    if cursor.mark(TokenType.COMMA):
        scale = _whole(cursor, name, "scale", 0, precision)
    cursor.need_mark(TokenType.R_PAREN, ")")
    return m.Decimal(precision, scale)


def _time(cursor: Cursor, name: str) -> Type:
    precision = _number(cursor, name, "precision", 0, 9)
    if cursor.word("WITHOUT"):
        cursor.need("TIME", "ZONE")
    return m.TimeOfDay(precision or 0)


def _precision(cursor: Cursor, name: str) -> int:
    place = cursor.place()
    found = _number(cursor, name, "precision", 0, 9)
    if found is not None and found > _MICROSECONDS:
        what = f"{name}({found})"
        hint = f"Moments are kept in microseconds: write {name}({_MICROSECONDS})"
        raise errors.UNSUPPORTED_TYPE(type=what, hint=hint, place=place)
    return _MICROSECONDS if found is None else found


def _timestamp(cursor: Cursor, name: str) -> Type:
    place = cursor.place()
    precision = _precision(cursor, name)
    if cursor.word("WITH", "LOCAL", "TIME", "ZONE"):
        return m.DateTime(precision)
    if cursor.word("WITH", "TIME", "ZONE"):
        what, hint = "TIMESTAMP WITH TIME ZONE", "Use TIMESTAMP_LTZ, an instant"
        raise errors.UNSUPPORTED_TYPE(type=what, hint=hint, place=place)
    if cursor.word("WITHOUT"):
        cursor.need("TIME", "ZONE")
    return m.LocalDateTime(precision)


def _field(cursor: Cursor) -> tuple[str, str]:
    for word in _FIELDS:
        if cursor.word(word):
            digits = _number(cursor, word, "precision", 0, 9)
            return word, word if digits is None else f"{word}({digits})"
    raise cursor.wrong(reason="expected a unit such as DAY")


def _interval(cursor: Cursor, name: str) -> Type:
    place = cursor.place()
    first, shown = _field(cursor)
    if not cursor.word("TO"):
        return m.Interval(shown)
    last, end = _field(cursor)
    months = {"YEAR", "MONTH"}
    if _FIELDS.index(last) <= _FIELDS.index(first) or (first in months) != (last in months):
        shown = f"{first} TO {last}"
        raise errors.INVALID_LITERAL(literal=f"INTERVAL {shown}", type="interval", place=place)
    return m.Interval(f"{shown} TO {end}")


@contextmanager
def _angles(cursor: Cursor) -> Iterator[None]:
    """`<` and `>` around the types inside of one."""
    cursor.need_mark(TokenType.LT, "<")
    yield
    cursor.need_mark(TokenType.GT, ">")


def _key(cursor: Cursor, name: str) -> Type:
    place = cursor.place()
    return _as_key(read_type(cursor), name, place)


def _as_key(type_: Type, name: str, place: Place) -> Type:
    """What Spark can have as the key of a map."""
    plain = bare(type_)
    if isinstance(plain, m.Array | m.Map | m.Tuple | m.Multiset):
        what = f"{name} of {summary(plain)}"
        raise errors.UNSUPPORTED_TYPE(type=what, hint="", place=place)
    return plain


def _array_of(cursor: Cursor, name: str) -> Type:
    with _angles(cursor):
        return m.Array(read_type(cursor))


def _multiset_of(cursor: Cursor, name: str) -> Type:
    with _angles(cursor):
        return m.Multiset(_key(cursor, "A MULTISET"))


def _map_of(cursor: Cursor, name: str) -> Type:
    with _angles(cursor):
        key = _key(cursor, "A MAP with keys")
        cursor.need_mark(TokenType.COMMA, "a comma and the type of the values")
        return m.Map(key, read_type(cursor))


def _row_of(cursor: Cursor, name: str) -> Type:
    end, shown = TokenType.R_PAREN, ")"
    if not cursor.mark(TokenType.L_PAREN):
        cursor.need_mark(TokenType.LT, "<")
        end, shown = TokenType.GT, ">"
    names: list[str] = []
    items: list[Type] = []
    while not items or cursor.mark(TokenType.COMMA):
        place = cursor.place()
        field = cursor.identifier("a field's name")
        if field in names:
            raise errors.DUPLICATE_COLUMN(column=field, place=place)
        names.append(field)
        items.append(read_type(cursor))
        cursor.mark(TokenType.STRING)  # what the field is for; a type keeps no comments
    cursor.need_mark(end, f"a comma or {shown}")
    return m.Tuple(tuple(items), tuple(names))


_CHAR = _sized(lambda n: m.Text(n, fixed=True))
_VARCHAR = _sized(lambda n: m.String() if n == LONGEST else m.Text(n), LONGEST)
_VARBINARY = _sized(lambda n: m.Bytes(None if n == LONGEST else n), LONGEST)

TYPES: dict[tuple[str, ...], Reader] = {
    ("CHAR",): _CHAR,
    ("CHARACTER",): _CHAR,
    ("VARCHAR",): _VARCHAR,
    ("CHAR", "VARYING"): _VARCHAR,
    ("CHARACTER", "VARYING"): _VARCHAR,
    ("STRING",): _always(m.String()),
    ("BOOLEAN",): _always(m.Bool()),
    ("BINARY",): _sized(lambda n: m.Bytes(n, fixed=True)),
    ("VARBINARY",): _VARBINARY,
    ("BINARY", "VARYING"): _VARBINARY,
    ("BYTES",): _always(m.Bytes()),
    ("DECIMAL",): _decimal,
    ("DEC",): _decimal,
    ("NUMERIC",): _decimal,
    ("TINYINT",): _always(m.Int(8)),
    ("SMALLINT",): _always(m.Int(16)),
    ("INT",): _always(m.Int(32)),
    ("INTEGER",): _always(m.Int(32)),
    ("BIGINT",): _always(m.Int(64)),
    ("FLOAT",): _always(m.Float(32)),
    ("DOUBLE",): _always(m.Float(64)),
    ("DOUBLE", "PRECISION"): _always(m.Float(64)),
    ("DATE",): _always(m.Date(wide=True)),
    ("TIME",): _time,
    ("TIMESTAMP",): _timestamp,
    ("TIMESTAMP_LTZ",): lambda cursor, name: m.DateTime(_precision(cursor, name)),
    ("INTERVAL",): _interval,
    ("ARRAY",): _array_of,
    ("MAP",): _map_of,
    ("MULTISET",): _multiset_of,
    ("ROW",): _row_of,
    ("NULL",): _always(m.Nothing()),
}
"""The words of a type, and what reads what follows them; longer ones are looked for first."""
TYPES = dict(sorted(TYPES.items(), key=lambda row: -len(row[0])))
