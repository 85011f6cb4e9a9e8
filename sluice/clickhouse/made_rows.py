"""Rows made in Python, as a file that ClickHouse reads."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from sluice.clickhouse.json_rows import PLAIN
from sluice.formats import encoded_values
from sluice.types import bare, quote_name, quote_string
from sluice.types import model as m
from sluice.types.encoded import Encoded, FineDateTime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from sluice.types import Type

    Zones = Callable[[str | None], str | None]
    Make = Callable[[Any], Any]
    Row = tuple[Any, ...]
    Columns = Sequence[tuple[str, Type]]


_TOGETHER = 500
"""Rows that are made texts at once."""
_ROWS = "__rows"
"""What the file is called, so that no name of a column is taken for one of the file's."""


def _in_utc(zone: str | None) -> str:
    return "UTC"


def _utc_if_any(zone: str | None) -> str | None:
    return "UTC" if zone else zone


def _as_given(zone: str | None) -> str | None:
    return zone


def query(path: Path, columns: Columns, rows: Sequence[Row]) -> str:
    """Write rows to a file; the query that selects them, of their types.

    Columns may have the same name: one with the same values is the same column, any other is
    numbered.
    """
    types = [_as_it_is(type_, rows, at) for at, (_, type_) in enumerate(columns)]
    first: dict[str, int] = {}
    shown = []
    for at, (name, _) in enumerate(columns):
        of = first.setdefault(name, at)
        if of != at and types[of] == types[at] and _are_same(rows, of, at):
            shown.append(_shown(of, name, types[of]))
        else:
            shown.append(_shown(at, name if of == at else f"{name}_{at + 1}", types[at]))
    given = [(f"c{at}", type_) for at, type_ in enumerate(types)]
    return (
        f"SELECT {', '.join(shown)} FROM {source(path, given, rows, _utc_if_any)} AS {_ROWS} "
        "SETTINGS allow_suspicious_low_cardinality_types = 1"
    )


def source(path: Path, columns: Columns, rows: Iterable[Row], zones: Zones = _in_utc) -> str:
    """Write rows to a file; the table function that reads it.

    `zones` makes the time zone that a column is read in, where its texts are in UTC.
    """
    write(path, columns, rows)
    structure = ", ".join(f"{quote_name(name)} {type_of(t, zones)}" for name, t in columns)
    return f"file({quote_string(str(path))}, {PLAIN}, {quote_string(structure)})"


def _as_it_is(type_: Type, rows: Sequence[Row], at: int) -> Type:
    """The type of a column, without NULL for an array or map that is never missing."""
    match type_:
        case m.Nullable(m.Array() | m.Map() | m.Multiset() as item):
            return type_ if any(row[at] is None for row in rows) else item
        case _:
            return type_


def _are_same(rows: Sequence[Row], one: int, other: int) -> bool:
    return all(repr(row[one]) == repr(row[other]) for row in rows)


def _shown(at: int, name: str, type_: Type) -> str:
    """A column with its name, in the time zone of its type."""
    read, wanted = type_of(type_, _utc_if_any), type_of(type_)
    value = f"{_ROWS}.c{at}"
    if read != wanted and "Variant(" not in wanted:
        value = f"CAST({value}, {quote_string(wanted)})"
    return f"{value} AS {quote_name(name)}"


def type_of(type_: Type, zones: Zones = _as_given) -> str:
    """The type that ClickHouse has values of a type as.

    ClickHouse has no NULL in the place of an array or map, but a variant of that and nothing else.
    """
    return _type(type_, zones, variant=False)


def _type(type_: Type, zones: Zones, *, variant: bool) -> str:
    def of(item: Type) -> str:
        return _type(item, zones, variant=variant)

    match type_:
        case m.Nothing() | m.Nullable(m.Nothing()):
            return "Nullable(Nothing)"
        case m.Nullable(m.Array() | m.Map() | m.Multiset() as item):
            return f"Variant({_type(item, zones, variant=True)})"
        case m.Nullable(item):
            return f"Nullable({of(item)})"
        case m.LowCardinality(item):
            return f"LowCardinality({of(item)})"
        case m.SimpleAggregate(function, item):
            return f"SimpleAggregateFunction({function}, {of(item)})"
        case m.Array(item):
            return f"Array({of(item)})"
        case m.Map(key, value):
            known = key.item if isinstance(key, m.Nullable) else key  # keys are never NULL
            return f"Map({of(known)}, {of(value)})"
        case m.Multiset(item):
            return f"Map({of(bare(item))}, Int32)"
        case m.Tuple(items, names):
            named = [f"{quote_name(name)} " for name in names or ()] or [""] * len(items)
            return f"Tuple({', '.join(n + of(i) for n, i in zip(named, items, strict=True))})"
        case m.LocalDateTime(precision):
            return of(m.DateTime(min(precision, _DIGITS)))
        case m.DateTime(precision, zone):
            return str(m.DateTime(precision, zones(zone)))
        case FineDateTime(zone=zone):
            return str(replace(type_, zone=zones(zone)))
        case m.Decimal() | Encoded() if variant:
            return "String"  # ClickHouse reads no decimals in variants
        case m.TimeOfDay() | m.Interval() | m.Text() | m.Bytes() | m.AggregateState():
            return "String"
        case _:
            return str(type_)


_DIGITS = 6
"""Of a second, that Python's times have."""


def write(path: Path, columns: Columns, rows: Iterable[Row]) -> None:
    """Write rows to a file in the format `PLAIN`, their times in UTC."""
    makers = [_maker(type_) for _, type_ in columns]
    if any(makers):
        each = [make or _same for make in makers]
        rows = (tuple(make(v) for make, v in zip(each, row, strict=True)) for row in rows)
    left = iter(rows)
    with path.open("wb") as file:
        while some := list(islice(left, _TOGETHER)):
            file.write(_lines(some))


def _lines(rows: list[Row]) -> bytes:
    """Rows in the format `PLAIN`: a comma between two of them is allowed."""
    text = _ENCODER.encode(rows)[1:-1] + "\n"
    try:  # bytes that were no UTF-8 are as they came in
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        if len(rows) == 1:
            return text.encode("utf-8", "replace")
        return b"".join(_lines([row]) for row in rows)


def _maker(type_: Type) -> Make | None:
    """What makes what JSON has of a Python value; None if that is the value, or `_text` of it."""
    match type_:
        case m.Nullable(item) | m.LowCardinality(item) | m.SimpleAggregate(item=item):
            inner = _maker(item)
            return inner and _or_null(inner)
        case m.Array(item):
            of_item = _maker(item)
            return of_item and (lambda v: [of_item(x) for x in v])
        case m.Map(key, value):
            of_key, of_value = _maker(key) or _key, _maker(value) or _same
            return lambda v: {of_key(k): of_value(x) for k, x in v.items()}
        case m.Multiset():
            return lambda v: {_key(k): n for k, n in v.items()}
        case m.Tuple(items, names):
            makers = [_maker(item) or _same for item in items]
            if names is None:
                return lambda v: [make(x) for make, x in zip(makers, v, strict=True)]
            fields = list(zip(names, makers, strict=True))
            return lambda v: {n: make(x) for (n, make), x in zip(fields, v, strict=True)}
        case m.Float():  # in a variant only texts may be infinite
            return lambda v: v if v is None or math.isfinite(v) else str(v)
        case Encoded():
            return _or_null(encoded_values.text(type_))
        case _:
            return None


def _or_null(make: Make) -> Make:
    return lambda value: None if value is None else make(value)


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else _text(value)


def _text(value: object) -> str:
    match value:
        case datetime():
            instant = value if value.tzinfo is None else value.astimezone(UTC)
            return instant.replace(tzinfo=None).isoformat(" ", "microseconds")
        case bytes():
            return f"x'{value.hex()}'"
        case _:
            return str(value)


def _same(value: Any) -> Any:
    return value


_ENCODER = json.JSONEncoder(default=_text, ensure_ascii=False, check_circular=False)
