"""Random tables for the Parquet writer, the same one for a seed: schema, rows, page limits."""

from __future__ import annotations

import math
import random
import struct
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NULLS = (0.0, 0.0, 0.02, 0.5, 0.98, 1.0)
_DISTINCT = (1, 2, 7, 200, 10_000)
_ROWS = (0, 1, 7, 8, 9, 64, 500, 1500, 3001)
_COLUMNS = 22
_DEEPEST = 3
_TEXTS = (
    "", " ", "\0", "a", "Ünï", "\U0001f680", "\ud7ff\ue000\uffff", "\u2028",
    "'\"\\\n\r\t;,", "\x7f",
    "x" * 300, "NULL", "nan", "é" * 70,
)  # fmt: skip
_BYTES = (b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", bytes(range(256)), b"\x80" * 40)
_REALS = (0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308)
_SMALL_REALS = (0.0, -0.0, 0.5, math.inf, -math.inf, math.nan, 1.401298464324817e-45)

NARROW = (date(1900, 1, 1), date(2299, 12, 31))
"""The days that ClickHouse has."""
_WIDE = (date(1, 1, 1), date(9999, 12, 31))


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its Arrow type, how to draw a value, and whether ClickHouse has its values."""

    type: pa.DataType
    draw: Callable[[random.Random], Any]
    in_clickhouse: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """Rows with a unique `id`, and the limits of row groups, pages and dictionaries."""

    table: pa.Table
    columns: dict[str, Column]
    limits: dict[str, int]

    def scalar(self) -> list[str]:
        """Columns whose lowest and highest values Delta's log has."""
        return [
            name
            for name, column in self.columns.items()
            if pa.types.is_primitive(column.type) or pa.types.is_decimal(column.type)
            if not pa.types.is_boolean(column.type)
        ]


def case(seed: int) -> Case:
    """The table of a seed."""
    rng = random.Random(seed)  # noqa: S311 - made-up data
    columns = {f"c{n}": _column(rng, _DEEPEST) for n in range(_COLUMNS)}
    count = _ROWS[seed % len(_ROWS)]
    arrays = {"id": pa.array(rng.sample(range(10 * count), count), pa.int64())}
    for name, column in columns.items():
        arrays[name] = pa.array(list(_values(rng, column, count)), column.type)
    limits = {
        "parquet.block.size": rng.choice((10_000, 100_000, 128 << 20)),
        "parquet.page.size": rng.choice((100, 1000, 1 << 20)),
        "parquet.dictionary.page.size": rng.choice((64, 500, 64 << 10)),
    }
    return Case(pa.table(arrays), columns, limits)


def _values(rng: random.Random, column: Column, count: int) -> Iterator[Any]:
    """Values of few or many kinds, with runs of one value, and with NULLs."""
    null, distinct = rng.choice(_NULLS), rng.choice(_DISTINCT)
    again = rng.choice((0.0, 0.3, 0.95))
    pool = [column.draw(rng) for _ in range(min(distinct, count))]
    value = None
    for _ in range(count):
        if rng.random() >= again:
            value = None if rng.random() < null else rng.choice(pool)
        yield value


def _column(rng: random.Random, deepest: int) -> Column:
    if deepest == 0 or rng.random() < 0.6:
        return _scalar(rng)
    return rng.choice((_array, _map, _struct))(rng, deepest - 1)


def _scalar(rng: random.Random) -> Column:
    match rng.randrange(10):
        case 0 | 1:
            bits = rng.choice((8, 16, 32, 64))
            low, high = -1 << bits - 1, (1 << bits - 1) - 1
            edges = (low, high, 0, -1)
            types = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}
            return Column(types[bits], _either(edges, lambda r: r.randint(low, high)))
        case 2:
            return Column(pa.float64(), _either(_REALS, lambda r: r.gauss(0, 1e6)))
        case 3:
            return Column(pa.float32(), _either(_SMALL_REALS, lambda r: _single(r.gauss(0, 100))))
        case 4 | 5:
            return _decimal(rng)
        case 6:
            return Column(pa.string(), _either(_TEXTS, lambda r: f"text {r.randrange(10**9)}"))
        case 7:
            return Column(pa.binary(), _either(_BYTES, lambda r: r.randbytes(r.randrange(20))))
        case 8:
            return Column(pa.bool_(), lambda r: r.random() < 0.5)
        case _:
            return _time(rng)


def _decimal(rng: random.Random) -> Column:
    precision = rng.choice((1, 9, 10, 18, 19, 20, 38, rng.randint(1, 38)))
    scale = rng.randint(0, precision)
    most = 10**precision - 1

    def exact(number: int) -> Decimal:
        return Decimal(((number < 0) * 1, tuple(map(int, str(abs(number)))), -scale))

    edges = tuple(map(exact, (0, 1, -1, most, -most)))
    return Column(
        pa.decimal128(precision, scale), _either(edges, lambda r: exact(r.randint(-most, most)))
    )


def _time(rng: random.Random) -> Column:
    wide = rng.random() < 0.4
    first, last = _WIDE if wide else NARROW

    def day(r: random.Random) -> date:
        return first + timedelta(days=r.randint(0, (last - first).days))

    def moment(r: random.Random) -> datetime:
        at = day(r)
        micros = r.choice((0, 1, 999_999, r.randrange(10**6)))
        return datetime(at.year, at.month, at.day, r.randrange(24), 59, 59, micros, tzinfo=UTC)

    def local(r: random.Random) -> datetime:
        return moment(r).replace(tzinfo=None)

    edges = (first, last, date(1970, 1, 1), date(1969, 12, 31))
    return rng.choice(
        (
            Column(pa.date32(), _either(edges, day), not wide),
            Column(pa.timestamp("us", "UTC"), moment, not wide),
            Column(pa.timestamp("us"), local, not wide),
        )
    )


def _array(rng: random.Random, deepest: int) -> Column:
    item, draw = _nullable(rng, deepest)
    return Column(
        pa.list_(item.type),
        lambda r: [draw(r) for _ in range(r.choice((0, 0, 1, 3, 9)))],
        item.in_clickhouse,
    )


def _map(rng: random.Random, deepest: int) -> Column:
    keys = rng.choice(
        (
            Column(pa.string(), lambda r: f"key {r.randrange(20)}"),
            Column(pa.int32(), lambda r: r.randrange(-9, 9)),
            Column(pa.date32(), lambda r: date(2000, 1, 1) + timedelta(days=r.randrange(50))),
        )
    )
    value, draw = _nullable(rng, deepest)
    return Column(
        pa.map_(keys.type, value.type),
        lambda r: list({keys.draw(r): draw(r) for _ in range(r.choice((0, 1, 2, 5)))}.items()),
        value.in_clickhouse,
    )


def _struct(rng: random.Random, deepest: int) -> Column:
    fields = {f"f{n}": _nullable(rng, deepest) for n in range(rng.randint(1, 4))}
    return Column(
        pa.struct([(name, field.type) for name, (field, _) in fields.items()]),
        lambda r: {name: draw(r) for name, (_, draw) in fields.items()},
        all(field.in_clickhouse for field, _ in fields.values()),
    )


def _nullable(rng: random.Random, deepest: int) -> tuple[Column, Callable[[random.Random], Any]]:
    column, null = _column(rng, deepest), rng.choice((0.0, 0.3))
    return column, lambda r: None if r.random() < null else column.draw(r)


def _either(
    edges: tuple[Any, ...], draw: Callable[[random.Random], Any]
) -> Callable[[random.Random], Any]:
    return lambda r: r.choice(edges) if r.random() < 0.3 else draw(r)


def _single(value: float) -> float:
    found: float = struct.unpack("f", struct.pack("f", value))[0]
    return found


def plain(value: Any) -> Any:
    """A value in a form that is equal only if all of it is: bits of floats, bytes of texts."""
    match value:
        case bool() | int() | None:
            return value
        case float():
            return "nan" if math.isnan(value) else struct.pack(">d", value)
        case Decimal():
            return Fraction(value)
        case datetime():
            at = value.astimezone(UTC) if value.tzinfo else value
            return at.replace(tzinfo=None).isoformat()
        case date():
            return value.isoformat()
        case str():
            return value.encode()
        case dict():
            return tuple(plain(each) for each in value.values())
        case list() | tuple():
            return tuple(plain(each) for each in value)
        case _:
            return value


def filled(value: Any, type_: pa.DataType) -> Any:
    """A value as ClickHouse has it: arrays and maps are empty, not NULL, and tuples have NULLs."""
    if pa.types.is_list(type_):
        return [filled(each, type_.value_type) for each in value or ()]
    if pa.types.is_map(type_):
        return [(key, filled(each, type_.item_type)) for key, each in value or ()]
    if pa.types.is_struct(type_):
        return {field.name: filled((value or {}).get(field.name), field.type) for field in type_}
    return value
