"""Results of ClickHouse as Python values, through one of its JSON formats."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from sluice.errors import SluiceError
from sluice.formats import encoded_values
from sluice.formats.result import ResultColumn
from sluice.types import model as m
from sluice.types import parse_type
from sluice.types.encoded import Encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sluice.types import Type

    Read = Callable[[Any], Any]
    Row = tuple[Any, ...]

PLAIN = "JSONCompactEachRow"
FORMAT = f"{PLAIN}WithNamesAndTypes"
SETTINGS = {
    "output_format_json_quote_64bit_integers": "0",
    "output_format_json_quote_decimals": "1",
    "output_format_json_quote_denormals": "1",
    "output_format_decimal_trailing_zeros": "1",
    "output_format_json_named_tuples_as_objects": "0",
    "output_format_json_escape_forward_slashes": "0",
    "output_format_json_validate_utf8": "0",
    "date_time_output_format": "'unix_timestamp'",
}
"""What every value is exact with."""

ZONELESS = re.compile(r"\bDateTime(?:64\((?P<digits>\d)\)|(?!\w|\())")
"""A type of times without a time zone, in the text of a type."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read(chunks: Iterable[bytes]) -> tuple[tuple[ResultColumn, ...], list[Row]]:
    """Columns and rows of a result in `FORMAT`."""
    lines = _lines(chunks)
    names, types = next(lines, []), next(lines, [])
    columns = tuple(map(_column, names, types))
    readers = [_reader(column.type) for column in columns]
    return columns, [tuple(f(v) for f, v in zip(readers, row, strict=True)) for row in lines]


def _lines(chunks: Iterable[bytes]) -> Iterator[list[Any]]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (json.loads(line.decode("utf-8", "surrogateescape")) for line in lines)


def _column(name: str, type_: str) -> ResultColumn:
    try:
        return ResultColumn(name, parse_type(type_))
    except SluiceError:  # a type that tables cannot have: its values are as JSON has them
        return ResultColumn(name, m.String(), type_)


def _reader(type_: Type) -> Read:
    """What makes the Python value of a type of what JSON has for it."""
    match type_:
        case m.Nullable(item) | m.LowCardinality(item) | m.SimpleAggregate(item=item):
            inner = _reader(item)
            return lambda v: None if v is None else inner(v)
        case m.Array(item):
            inner = _reader(item)
            return lambda v: [inner(x) for x in v]
        case m.Map(key, value):
            of_key, of_value = _reader(key), _reader(value)
            return lambda v: {of_key(k): of_value(x) for k, x in v.items()}
        case m.Tuple(items):
            readers = [_reader(item) for item in items]
            return lambda v: tuple(f(x) for f, x in zip(readers, v, strict=True))
        case Encoded():
            return encoded_values.of_json(type_)
        case _:
            return _READERS.get(type(type_), _same)


def _same(value: Any) -> Any:
    return value


def _instant(value: Any) -> datetime:
    return _EPOCH + timedelta(microseconds=int(encoded_values.seconds_of(value) * 1_000_000))


def _flag(value: Any) -> bool:
    return value in (True, "true", "1")


_READERS: dict[type[Type], Read] = {
    m.Int: int,
    m.Float: float,
    m.Decimal: Decimal,
    m.Bool: _flag,
    m.Date: cache(date.fromisoformat),
    m.DateTime: _instant,
}


def in_utc(found: re.Match[str]) -> str:
    """The same type, of times in UTC."""
    return f"DateTime64({found['digits']}, 'UTC')" if found["digits"] else "DateTime('UTC')"
