"""Types as text: the canonical form, in the catalog too.

The spelling is ClickHouse's; types that it does not have get names that it does not have either.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sluice import errors
from sluice.types import encoded
from sluice.types import model as m
from sluice.types.named import ALIASED, GEOMETRY, nested
from sluice.types.semistructured import TYPED, Dynamic, Json, json_type, variant_type
from sluice.types.spellings import ALIASES, continues, meant
from sluice.types.states import SIMPLE, STATES, base

Args = list[Any]
"""The arguments of a type: types, numbers, strings, (name, type), (name, number)."""

Build = Callable[[Args], m.Type]

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[^\W\d]\w*)|`(?P<quoted>(?:[^`\\]|\\.|``)*)`|'(?P<string>(?:[^'\\]|\\.|'')*)'"
    r"|(?P<fraction>-?\d+\.\d+)|(?P<number>-?\d+)|(?P<mark>[(),=.]))"
)

_REPLACED = {"Object": "Use the type JSON instead"}
"""Types that ClickHouse no longer has, and what it has instead."""


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
        if word.lower() == "json":
            return self.json()
        if word == "Dynamic" and self.take("("):
            return self.dynamic()
        word = self.words(word)
        args = self.args() if self.take("(") else []
        word = self.words(word)  # `bigint(20) unsigned`
        name, args = meant(word, args)
        if name not in NAMES:
            known = [*NAMES, *ALIASES]
            hint = _REPLACED.get(word) or errors.nearest(word, known)
            raise errors.UNKNOWN_TYPE(type=word, hint=hint)
        try:
            return NAMES[name](args)
        except (ValueError, IndexError, TypeError) as bad:
            raise errors.WRONG_TYPE_ARGUMENTS(type=word, reason=bad) from bad

    def words(self, word: str) -> str:
        """A name with the words that belong to it, such as `double precision`."""
        while (following := self.peek()) is not None and following["name"] is not None:
            if not continues(word, following["name"]):
                break
            self.take()
            word = f"{word} {following['name']}"
        return word

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
            raise errors.WRONG_TYPE_ARGUMENTS(type=word, reason=bad) from bad

    def json(self) -> m.Type:
        """`JSON(max_dynamic_paths=2, a.b UInt8, SKIP c, SKIP REGEXP 'd.*')`."""
        found: list[tuple[str, Any]] = []
        if self.take("("):
            while not self.take(")"):
                if found and not self.take(","):
                    raise self.bad()
                found.append(self.json_part())
        try:
            return json_type(found)
        except ValueError as bad:
            raise errors.WRONG_TYPE_ARGUMENTS(type="JSON", reason=bad) from bad

    def dynamic(self) -> m.Type:
        """`max_types=3)`."""
        name, mark, most = self.take(), self.take("="), self.take()
        if name is None or name["name"] != "max_types" or mark is None or not self.take(")"):
            raise self.bad()
        if most is None or most["number"] is None or not 0 <= int(most["number"]) <= _MOST_TYPES:
            reason = f"max_types is between 0 and {_MOST_TYPES}"
            raise errors.WRONG_TYPE_ARGUMENTS(type="Dynamic", reason=reason)
        return Dynamic(int(most["number"]))

    def json_part(self) -> tuple[str, Any]:
        word = self.path()
        if word == "SKIP":
            following = self.peek()
            if following is not None and following["name"] == "REGEXP":
                self.take()
                token = self.take()
                if token is not None and token["string"] is not None:
                    return "SKIP REGEXP", _unescape(token["string"], "'")
                raise self.bad()
            return word, self.path()
        if self.take("="):
            token = self.take()
            if token is None or token["number"] is None:
                raise self.bad()
            return word, int(token["number"])
        return word, self.type()

    def path(self) -> str:
        """Names with dots between them."""
        parts: list[str] = []
        while not parts or self.take("."):
            token = self.take()
            if token is None or (token["name"] is None and token["quoted"] is None):
                raise self.bad()
            quoted = token["name"] is None
            parts.append(_unescape(token["quoted"], "`") if quoted else token["name"])
        return ".".join(parts)

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
        named = following is not None and following["name"] is not None
        if following is not None and named and not continues(word, following["name"]):
            return (word, self.type())
        return self.build(word)


_ESCAPED = dict(zip("abefnrtv0", "\a\b\x1b\f\n\r\t\v\0", strict=True))
"""Escape sequences; any other character after a backslash is itself."""


def _unescape(body: str, quote: str) -> str:
    def one(found: re.Match[str]) -> str:
        return _ESCAPED.get(found[1], found[1])

    return re.sub(r"\\(.)", one, body.replace(quote * 2, quote), flags=re.S)


LONGEST = (1 << 31) - 1
_COMPOSITE = m.Array | m.Map | m.Tuple | m.Multiset
_MOST_TYPES = 254
_FIELD = r"(?:YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)(?:\(\d(?:, ?\d)?\))?"


def _plain(type_: m.Type) -> Build:
    """A type without arguments."""

    def build(args: Args) -> m.Type:
        if args:
            raise ValueError("it takes none")
        return type_

    return build


def _sized(what: str, low: int, high: int, build: Callable[[int], m.Type]) -> Build:
    """A type with one number as its argument."""

    def read(args: Args) -> m.Type:
        (number,) = args
        if not isinstance(number, int) or not low <= number <= high:
            raise ValueError(f"the {what} must be between {low} and {high}")
        return build(number)

    return read


def _datetime(args: Args) -> m.Type:
    zone = _zone(args[0]) if args else None
    if len(args) > 1:
        raise ValueError("only a time zone is taken")
    return m.DateTime(zone=zone)


def _datetime64(args: Args) -> m.Type:
    precision = args[0] if args else 3
    if not isinstance(precision, int) or not 0 <= precision <= 9:
        raise ValueError("the precision must be between 0 and 9")
    zone = _zone(args[1]) if len(args) > 1 else None
    fine = precision > _MICROSECONDS
    return encoded.FineDateTime(precision, zone) if fine else m.DateTime(precision, zone)


_MICROSECONDS = 6
"""The digits of a second that Spark's TIMESTAMP has."""

_SPARK_DIGITS = 38
"""The most digits of Spark's DECIMAL."""


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


def _decimal(args: Args) -> m.Type:
    precision, scale = (args + [10, 0][len(args) :]) if len(args) < 2 else args
    if not 1 <= precision <= 76:
        raise ValueError("the precision must be between 1 and 76")
    if not 0 <= scale <= precision:
        raise ValueError("the scale must be between 0 and the precision")
    wide = precision > _SPARK_DIGITS
    return encoded.WideDecimal(precision, scale) if wide else m.Decimal(precision, scale)


def _enum(bits: int | None) -> Build:
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


def _one_type(args: Args) -> m.Type:
    (item,) = args
    if not isinstance(item, m.Type):
        raise TypeError("a type is expected")
    return item


_NEVER_NULLABLE = (m.Array, m.Map, m.Tuple, m.Multiset, m.Nullable, m.LowCardinality)


def _nullable(args: Args) -> m.Type:
    item = _one_type(args)
    if isinstance(item, (*_NEVER_NULLABLE, *TYPED)):
        raise TypeError(f"{item} cannot be inside Nullable")
    return m.Nullable(item)


def _optional(args: Args) -> m.Type:
    """What ClickHouse has no NULL for and Flink has."""
    item = _one_type(args)
    if not isinstance(item, _COMPOSITE):
        raise TypeError(f"{item} is written inside Nullable")
    return m.Nullable(item)


def _map(args: Args) -> m.Type:
    key, value = args
    if not isinstance(key, m.Type) or not isinstance(value, m.Type):
        raise TypeError("two types are expected")
    if isinstance(m.bare(key), (m.Array, m.Map, m.Tuple, m.Multiset, Json, *TYPED)):
        raise TypeError(f"{key} cannot be the key of a Map")
    return m.Map(key, value)


def _multiset(args: Args) -> m.Type:
    item = _one_type(args)
    if isinstance(m.bare(item), _COMPOSITE):
        raise TypeError(f"{item} cannot be the item of a Multiset")
    return m.Multiset(item)


def _tuple(args: Args) -> m.Type:
    if not args:
        raise ValueError("at least one type is needed")
    if all(isinstance(arg, m.Type) for arg in args):
        return m.Tuple(tuple(args))
    if not all(isinstance(arg, tuple) and isinstance(arg[1], m.Type) for arg in args):
        raise TypeError("either all or none of the elements have names")
    return m.Tuple(tuple(type_ for _, type_ in args), tuple(name for name, _ in args))


def _nested(args: Args) -> m.Type:
    type_ = _tuple(args)
    if not isinstance(type_, m.Tuple) or type_.names is None:
        raise TypeError("each element has a name and a type")
    if len(set(type_.names)) < len(type_.names):
        raise ValueError("a name is given twice")
    return nested(type_)


NAMES: dict[str, Build] = {
    **{f"Int{bits}": _plain(m.Int(bits)) for bits in (8, 16, 32, 64)},
    **{f"UInt{bits}": _plain(m.Int(bits, signed=False)) for bits in (8, 16, 32, 64)},
    **{str(kind): _plain(kind) for kind in map(m.Float, (16, 32, 64))},
    "Inferred": _plain(m.Inferred()),
    "Nothing": _plain(m.Nothing()),
    "Bool": _plain(m.Bool()),
    "String": _plain(m.String()),
    "UUID": _plain(m.Uuid()),
    "Date": _plain(m.Date()),
    "Date32": _plain(m.Date(wide=True)),
    "Bytes": _plain(m.Bytes()),
    "FixedString": _sized("length", 1, 0xFFFFFF, m.FixedString),
    "BoundedText": _sized("length", 1, LONGEST, m.Text),
    "FixedText": _sized("length", 1, LONGEST, lambda length: m.Text(length, fixed=True)),
    "BoundedBytes": _sized("length", 1, LONGEST, m.Bytes),
    "FixedBytes": _sized("length", 1, LONGEST, lambda length: m.Bytes(length, fixed=True)),
    "LocalDateTime": _sized("precision", 0, 6, m.LocalDateTime),
    "TimeOfDay": _sized("precision", 0, 9, m.TimeOfDay),
    "DateTime": _datetime,
    "DateTime64": _datetime64,
    "Interval": _interval,
    "Decimal": _decimal,
    "Decimal32": lambda args: _decimal([9, args[0]]),
    "Decimal64": lambda args: _decimal([18, args[0]]),
    "Decimal128": lambda args: _decimal([38, args[0]]),
    "Decimal256": lambda args: _decimal([76, args[0]]),
    "Enum": _enum(None),
    "Enum8": _enum(8),
    "Enum16": _enum(16),
    "Array": lambda args: m.Array(_one_type(args)),
    "Nullable": _nullable,
    "Optional": _optional,
    "LowCardinality": lambda args: m.LowCardinality(_one_type(args)),
    "Map": _map,
    "Multiset": _multiset,
    "Tuple": _tuple,
    "Nested": _nested,
    "JSON": _plain(Json()),
    "Variant": variant_type,
    "Dynamic": _plain(Dynamic()),
    "Geometry": _plain(GEOMETRY),
    **{name: _plain(type_) for name, type_ in ALIASED.items()},
    **{f"Int{bits}": _plain(encoded.WideInt(bits)) for bits in (128, 256)},
    **{f"UInt{bits}": _plain(encoded.WideInt(bits, signed=False)) for bits in (128, 256)},
    "IPv4": _plain(encoded.IPv4()),
    "IPv6": _plain(encoded.IPv6()),
    "Time": _plain(encoded.Time()),
    "Time64": lambda args: _sized("precision", 0, 9, encoded.Time)(args or [3]),
}
"""Type name → constructor from its arguments. A new type is a row here and in `types.spark`."""


def _state(function: str, params: Args, types: Args) -> m.Type:
    known = STATES.get(base(function))
    if known is None or (base(function) not in _ANY_TYPE and any(map(encoded.is_encoded, types))):
        raise ValueError(f"states of {function} are not kept")
    takes = known.takes + (base(function) != function)
    if not all(isinstance(each, m.Type) for each in types):
        raise TypeError("types are expected after the function")
    if len(types) != takes and not (function == "count" and len(types) == 1):
        raise ValueError(f"{function} takes {takes} arguments, {len(types)} are given")
    return m.AggregateState(function, tuple(params), tuple(types))


def _simple_aggregate(function: str, params: Args, types: Args) -> m.Type:
    calculates = function in SIMPLE and function not in _ANY_TYPE
    if calculates and any(map(encoded.is_encoded, types)):
        raise ValueError(f"{function} of {types[0]} is not kept")
    if function not in SIMPLE or params:
        raise ValueError(f"{function} is none of {', '.join(SIMPLE)}")
    return m.SimpleAggregate(function, _one_type(types))


_ANY_TYPE = frozenset({
    "count", "min", "max", "any", "anyLast", "argMin", "argMax", "uniqExact", "uniq",
    "uniqCombined", "uniqCombined64", "uniqHLL12", "uniqTheta", "groupArray",
    "groupUniqArray", "groupArrayArray", "groupUniqArrayArray",
})  # fmt: skip
"""The functions that only pass on, compare or count values."""

_AGGREGATES: dict[str, Callable[[str, Args, Args], m.Type]] = {
    "AggregateFunction": _state,
    "SimpleAggregateFunction": _simple_aggregate,
}
