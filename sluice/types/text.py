"""Types as text: the canonical form, in the catalog too.

The spelling is ClickHouse's; types that it does not have get names that it does not have either.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.types import model as m
from sluice.types.states import SIMPLE, STATES, base

if TYPE_CHECKING:
    from collections.abc import Callable

Args = list[Any]
"""What stands in a type's parentheses: types, numbers, strings, (name, type), (name, number)."""

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[^\W\d]\w*)|`(?P<quoted>(?:[^`\\]|\\.|``)*)`|'(?P<string>(?:[^'\\]|\\.|'')*)'"
    r"|(?P<fraction>-?\d+\.\d+)|(?P<number>-?\d+)|(?P<mark>[(),=]))"
)

NAMES: dict[str, Callable[[Args], m.Type]] = {}
"""Type name → constructor from its arguments. A new type is a row here and in `types.spark`."""

ALIASES = {
    "tinyint": "Int8", "smallint": "Int16", "int": "Int32", "integer": "Int32", "bigint": "Int64",
    "float": "Float32", "real": "Float32", "double": "Float64", "boolean": "Bool", "text": "String",
    "varchar": "String", "char": "String", "blob": "String", "dec": "Decimal", "numeric": "Decimal",
    "timestamp": "DateTime",
}  # fmt: skip


def parse_type(text: str) -> m.Type:
    """Read a type: `Array(LowCardinality(String))`, `Enum8('a' = 1)`, `Tuple(x Int8, y String)`."""
    reader = _Reader(text)
    type_ = reader.type()
    reader.end()
    return type_


def parse_columns(text: str) -> dict[str, m.Type]:
    """Columns from lines of a name and a type."""
    lines = (line.split(maxsplit=1) for line in text.strip().splitlines())
    return {name: parse_type(type_) for name, type_ in lines}


def format_type(type_: m.Type) -> str:
    """Write a type so that `parse_type` reads the same one."""
    return _FORMATS[type(type_)](type_)


def quote_string(text: str) -> str:
    """A string literal, as ClickHouse and Spark read it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def quote_name(name: str) -> str:
    """An identifier in back-quotes, as SHOW CREATE writes them."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0

    def peek(self) -> re.Match[str] | None:
        return _TOKEN.match(self.text, self.pos)

    def take(self, mark: str | None = None) -> re.Match[str] | None:
        found = self.peek()
        if found is None or (mark is not None and found["mark"] != mark):
            return None
        self.pos = found.end()
        return found

    def end(self) -> None:
        if self.text[self.pos :].strip():
            raise self.bad()

    def bad(self) -> errors.SluiceError:
        return errors.UNKNOWN_TYPE(type=self.text.strip() or "(none)", hint="")

    def type(self) -> m.Type:
        token = self.take()
        if token is None or token["name"] is None:
            raise self.bad()
        return self.build(token["name"])

    def build(self, word: str) -> m.Type:
        if word in _AGGREGATES:
            return self.aggregate(word)
        args = self.args() if self.take("(") else []
        name = ALIASES.get(word.lower(), word)
        if name not in NAMES:
            known = [*NAMES, *ALIASES]
            raise errors.UNKNOWN_TYPE(type=word, hint=errors.nearest(word, known))
        try:
            return NAMES[name](args)
        except (ValueError, IndexError, TypeError) as bad:
            reason = f"Wrong arguments for type {word}: {bad}"
            raise errors.BAD_ARGUMENTS(reason=reason) from bad

    def aggregate(self, word: str) -> m.Type:
        """`AggregateFunction(quantile(0.9), Float64)`: a function, then types."""
        token = self.take("(") and self.take()
        if token is None or token["name"] is None:
            raise self.bad()
        function = token["name"]
        params = self.numbers() if self.take("(") else []
        types = self.args() if self.take(",") else []
        if not types and not self.take(")"):
            raise self.bad()
        try:
            return _AGGREGATES[word](function, params, types)
        except (ValueError, TypeError) as bad:
            reason = f"Wrong arguments for type {word}: {bad}"
            raise errors.BAD_ARGUMENTS(reason=reason) from bad

    def numbers(self) -> list[float]:
        """The parameters of an aggregate function."""
        found: list[float] = []
        while not self.take(")"):
            token = self.take() if not found or self.take(",") else None
            if token is None or not (token["number"] or token["fraction"]):
                raise self.bad()
            text = token["number"] or token["fraction"]
            found.append(int(text) if token["number"] else float(text))
        return found

    def args(self) -> Args:
        found: Args = []
        while not self.take(")"):
            if found and not self.take(","):
                raise self.bad()
            found.append(self.arg())
        return found

    def arg(self) -> Any:
        token = self.take()
        if token is None or token["mark"] or token["fraction"]:
            raise self.bad()
        if token["number"] is not None:
            return int(token["number"])
        if token["string"] is not None:
            name = _unescape(token["string"], "'")
            if self.take("=") is None:
                return name
            number = self.take()
            if number is None or number["number"] is None:
                raise self.bad()
            return (name, int(number["number"]))
        word = token["name"] if token["name"] is not None else _unescape(token["quoted"], "`")
        following = self.peek()
        if following is not None and following["name"] is not None:
            return (word, self.type())
        return self.build(word)


_ESCAPED = dict(zip("abefnrtv0", "\a\b\x1b\f\n\r\t\v\0", strict=True))
"""What a letter behind a backslash stands for; any other sign is itself."""


def _unescape(body: str, quote: str) -> str:
    def one(found: re.Match[str]) -> str:
        return _ESCAPED.get(found[1], found[1])

    return re.sub(r"\\(.)", one, body.replace(quote * 2, quote), flags=re.S)


def _row(name: str) -> Callable[[Callable[[Args], m.Type]], Callable[[Args], m.Type]]:
    def add(build: Callable[[Args], m.Type]) -> Callable[[Args], m.Type]:
        NAMES[name] = build
        return build

    return add


def _none(type_: m.Type) -> Callable[[Args], m.Type]:
    def build(args: Args) -> m.Type:
        if args:
            raise ValueError("it takes none")
        return type_

    return build


for _bits in (8, 16, 32, 64):
    NAMES[f"Int{_bits}"] = _none(m.Int(_bits))
    NAMES[f"UInt{_bits}"] = _none(m.Int(_bits, signed=False))
for _bits in (32, 64):
    NAMES[f"Float{_bits}"] = _none(m.Float(_bits))
NAMES["Inferred"] = _none(m.Inferred())
NAMES["Nothing"] = _none(m.Nothing())
NAMES["Bool"] = _none(m.Bool())
NAMES["String"] = _none(m.String())
NAMES["UUID"] = _none(m.Uuid())
NAMES["Date"] = _none(m.Date())
NAMES["Date32"] = _none(m.Date(wide=True))


@_row("FixedString")
def _fixed_string(args: Args) -> m.Type:
    (length,) = args
    if not isinstance(length, int) or not 1 <= length <= 0xFFFFFF:
        raise ValueError("the length must be between 1 and 16777215")
    return m.FixedString(length)


@_row("DateTime")
def _datetime(args: Args) -> m.Type:
    zone = _zone(args[0]) if args else None
    if len(args) > 1:
        raise ValueError("only a time zone is taken")
    return m.DateTime(zone=zone)


@_row("DateTime64")
def _datetime64(args: Args) -> m.Type:
    precision = args[0] if args else 3
    if not isinstance(precision, int) or not 0 <= precision <= 6:
        raise ValueError(
            "the precision must be between 0 and 6 (instants are kept in microseconds)"
        )
    return m.DateTime(precision, _zone(args[1]) if len(args) > 1 else None)


def _precise(high: int, build: Callable[[int], m.Type]) -> Callable[[Args], m.Type]:
    def read(args: Args) -> m.Type:
        (precision,) = args
        if not isinstance(precision, int) or not 0 <= precision <= high:
            raise ValueError(f"the precision must be between 0 and {high}")
        return build(precision)

    return read


NAMES["LocalDateTime"] = _precise(6, m.LocalDateTime)
NAMES["TimeOfDay"] = _precise(9, m.TimeOfDay)

LONGEST = (1 << 31) - 1


def _sized(build: Callable[[int], m.Type]) -> Callable[[Args], m.Type]:
    def read(args: Args) -> m.Type:
        (length,) = args
        if not isinstance(length, int) or not 1 <= length <= LONGEST:
            raise ValueError(f"the length must be between 1 and {LONGEST}")
        return build(length)

    return read


NAMES["BoundedText"] = _sized(m.Text)
NAMES["FixedText"] = _sized(lambda length: m.Text(length, fixed=True))
NAMES["Bytes"] = _none(m.Bytes())
NAMES["BoundedBytes"] = _sized(m.Bytes)
NAMES["FixedBytes"] = _sized(lambda length: m.Bytes(length, fixed=True))

_FIELD = r"(?:YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)(?:\(\d(?:, ?\d)?\))?"


@_row("Interval")
def _interval(args: Args) -> m.Type:
    (fields,) = args
    if not isinstance(fields, str) or not re.fullmatch(rf"{_FIELD}(?: TO {_FIELD})?", fields):
        raise ValueError("units such as 'DAY TO SECOND' are expected")
    return m.Interval(fields)


def _zone(zone: Any) -> str:
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, TypeError, OSError) as unknown:
        raise ValueError(f"unknown time zone {zone!r}") from unknown
    return str(zone)


@_row("Decimal")
def _decimal(args: Args) -> m.Type:
    precision, scale = (args + [10, 0][len(args) :]) if len(args) < 2 else args
    if not 1 <= precision <= 38:
        raise ValueError("the precision must be between 1 and 38")
    if not 0 <= scale <= precision:
        raise ValueError("the scale must be between 0 and the precision")
    return m.Decimal(precision, scale)


for _name, _digits in (("Decimal32", 9), ("Decimal64", 18), ("Decimal128", 38)):
    NAMES[_name] = lambda args, digits=_digits: _decimal([digits, args[0]])  # type: ignore[misc]


def _enum(bits: int | None) -> Callable[[Args], m.Type]:
    def build(args: Args) -> m.Type:
        if not args:
            raise ValueError("at least one value is needed")
        values: list[tuple[str, int]] = []
        for arg in args:
            last = values[-1][1] if values else 0
            name, number = arg if isinstance(arg, tuple) else (arg, last + 1)
            if not isinstance(name, str) or not isinstance(number, int):
                raise TypeError("values are written 'name' = number")
            values.append((name, number))
        if len(dict(values)) < len(values) or len({n for _, n in values}) < len(values):
            raise ValueError("a name or a number is given twice")
        numbers = [number for _, number in values]
        width = bits or (8 if min(numbers) >= -128 and max(numbers) <= 127 else 16)
        if min(numbers) < -(1 << (width - 1)) or max(numbers) >= 1 << (width - 1):
            raise ValueError(f"a number does not fit into {width} bits")
        return m.Enum(width, tuple(sorted(values, key=lambda value: value[1])))

    return build


NAMES["Enum"] = _enum(None)
NAMES["Enum8"] = _enum(8)
NAMES["Enum16"] = _enum(16)


_COMPOSITE = m.Array | m.Map | m.Tuple | m.Multiset


def _one_type(args: Args) -> m.Type:
    (item,) = args
    if not isinstance(item, m.Type):
        raise TypeError("a type is expected")
    return item


@_row("Array")
def _array(args: Args) -> m.Type:
    return m.Array(_one_type(args))


@_row("Nullable")
def _nullable(args: Args) -> m.Type:
    item = _one_type(args)
    if isinstance(item, _COMPOSITE | m.Nullable | m.LowCardinality):
        raise TypeError(f"{item} cannot be inside Nullable")
    return m.Nullable(item)


@_row("Optional")
def _optional(args: Args) -> m.Type:
    """What ClickHouse has no NULL for and Flink has."""
    item = _one_type(args)
    if not isinstance(item, _COMPOSITE):
        raise TypeError(f"{item} is written inside Nullable")
    return m.Nullable(item)


@_row("LowCardinality")
def _low_cardinality(args: Args) -> m.Type:
    return m.LowCardinality(_one_type(args))


def _state(function: str, params: Args, types: Args) -> m.Type:
    known = STATES.get(base(function))
    if known is None:
        raise ValueError(f"states of {function} are not kept")
    takes = known.takes + (base(function) != function)
    if not all(isinstance(each, m.Type) for each in types):
        raise TypeError("types are expected behind the function")
    if len(types) != takes and not (function == "count" and len(types) == 1):
        raise ValueError(f"{function} takes {takes} arguments, {len(types)} are given")
    return m.AggregateState(function, tuple(params), tuple(types))


def _simple_aggregate(function: str, params: Args, types: Args) -> m.Type:
    if function not in SIMPLE or params:
        raise ValueError(f"{function} is none of {', '.join(SIMPLE)}")
    return m.SimpleAggregate(function, _one_type(types))


_AGGREGATES: dict[str, Callable[[str, Args, Args], m.Type]] = {
    "AggregateFunction": _state,
    "SimpleAggregateFunction": _simple_aggregate,
}


@_row("Map")
def _map(args: Args) -> m.Type:
    key, value = args
    if not isinstance(key, m.Type) or not isinstance(value, m.Type):
        raise TypeError("two types are expected")
    if isinstance(m.bare(key), _COMPOSITE):
        raise TypeError(f"{key} cannot be the key of a Map")
    return m.Map(key, value)


@_row("Multiset")
def _multiset(args: Args) -> m.Type:
    item = _one_type(args)
    if isinstance(m.bare(item), _COMPOSITE):
        raise TypeError(f"{item} cannot be the item of a Multiset")
    return m.Multiset(item)


@_row("Tuple")
def _tuple(args: Args) -> m.Type:
    if not args:
        raise ValueError("at least one type is needed")
    if all(isinstance(arg, m.Type) for arg in args):
        return m.Tuple(tuple(args))
    if not all(isinstance(arg, tuple) and isinstance(arg[1], m.Type) for arg in args):
        raise TypeError("either all or none of the elements have names")
    return m.Tuple(tuple(type_ for _, type_ in args), tuple(name for name, _ in args))


def _format_datetime(t: m.DateTime) -> str:
    zone = quote_string(t.zone) if t.zone else ""
    if t.precision is None:
        return f"DateTime({zone})" if zone else "DateTime"
    return f"DateTime64({t.precision}, {zone})" if zone else f"DateTime64({t.precision})"


def _format_tuple(t: m.Tuple) -> str:
    names = [f"{_plain_or_quoted(n)} " for n in t.names] if t.names else [""] * len(t.items)
    return "Tuple(" + ", ".join(f"{n}{i}" for n, i in zip(names, t.items, strict=True)) + ")"


def _format_state(t: m.AggregateState) -> str:
    params = f"({', '.join(map(str, t.params))})" if t.params else ""
    return f"AggregateFunction({', '.join([t.function + params, *map(str, t.args)])})"


def _plain_or_quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else quote_name(name)


_FORMATS: dict[type[m.Type], Callable[[Any], str]] = {
    m.Int: lambda t: f"{'' if t.signed else 'U'}Int{t.bits}",
    m.Float: lambda t: f"Float{t.bits}",
    m.Decimal: lambda t: f"Decimal({t.precision}, {t.scale})",
    m.Bool: lambda t: "Bool",
    m.String: lambda t: "String",
    m.FixedString: lambda t: f"FixedString({t.length})",
    m.Uuid: lambda t: "UUID",
    m.Date: lambda t: "Date32" if t.wide else "Date",
    m.DateTime: _format_datetime,
    m.LocalDateTime: lambda t: f"LocalDateTime({t.precision})",
    m.TimeOfDay: lambda t: f"TimeOfDay({t.precision})",
    m.Interval: lambda t: f"Interval({quote_string(t.fields)})",
    m.Text: lambda t: f"{'Fixed' if t.fixed else 'Bounded'}Text({t.length})",
    m.Bytes: lambda t: (
        "Bytes" if t.length is None else f"{'Fixed' if t.fixed else 'Bounded'}Bytes({t.length})"
    ),
    m.Enum: lambda t: (
        f"Enum{t.bits}("
        + ", ".join(f"{quote_string(name)} = {number}" for name, number in t.values)
        + ")"
    ),
    m.Array: lambda t: f"Array({t.item})",
    m.Map: lambda t: f"Map({t.key}, {t.value})",
    m.Multiset: lambda t: f"Multiset({t.item})",
    m.Tuple: _format_tuple,
    m.Nullable: lambda t: (
        f"{'Optional' if isinstance(t.item, _COMPOSITE) else 'Nullable'}({t.item})"
    ),
    m.LowCardinality: lambda t: f"LowCardinality({t.item})",
    m.AggregateState: _format_state,
    m.SimpleAggregate: lambda t: f"SimpleAggregateFunction({t.function}, {t.item})",
    m.Nothing: lambda t: "Nothing",
    m.Inferred: lambda t: "Inferred",
}
