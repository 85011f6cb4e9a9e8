"""The kinds of option values: each parses a written value or reports what it expected."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sluice.parameters.secret import HIDDEN, Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

CLICKHOUSE, FLINK, DLI = "clickhouse", "flink", "dli"
DIALECTS = (CLICKHOUSE, FLINK, DLI)

LARGEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; `choices` limits it, ignoring case unless `exact`."""

    choices: tuple[str, ...] = ()
    exact: bool = False
    also: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def title(self) -> str:
        """What the documentation calls it."""
        return "one of " + ", ".join(c for c in self.choices if c) if self.choices else "string"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> str:
        """The text, in the spelling of the choices."""
        if not isinstance(given, str):
            raise ValueError("a quoted string is expected")
        if not self.choices:
            return given
        for choice in self.choices:
            if given == choice or (not self.exact and given.lower() == choice.lower()):
                return choice
        if given in self.also:
            return self.also[given]
        listed = ", ".join(f"'{c}'" for c in self.choices if c)
        raise ValueError(f"one of {listed} is expected")


@dataclass(frozen=True, slots=True)
class Letter:
    """One character; a backslash and a letter stand for what they stand for in Java."""

    title = "one character"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> str:
        """The character."""
        text = Text().read(given)
        text = _ESCAPES.get(text, text)
        if len(text) != 1:
            raise ValueError("a string with a single character is expected")
        return text


@dataclass(frozen=True, slots=True)
class Delimiter:
    """One character of ASCII between the fields of CSV; a blank only where a setting allows it."""

    title = "one character"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> str:
        """The character."""
        text = Text().read(given)
        if len(text) != 1 or not text.isascii():
            raise ValueError("a string with a single character is expected")
        if text in "\"'\r\n":
            raise ValueError(f"CSV format may not work correctly with delimiter {text!r}")
        return text


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text that no output may show."""

    title = "secret"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> Secret:
        """The secret."""
        return given if isinstance(given, Secret) else Secret(Text().read(given))


@dataclass(frozen=True, slots=True)
class Url:
    """An address on the web, or several with commas between; a user and password are hidden."""

    title = "http or https URL"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> str | Secret:
        """The address; a secret if there is a user in it."""
        text = given.reveal() if isinstance(given, Secret) else Text().read(given)
        wrong = (not re.match(r"\s*https?://[^/]", each, re.I) for each in text.split(","))
        if text and any(wrong):
            raise ValueError("a URL that begins with http:// or https:// is expected")
        return Secret(text) if _IN_URL.search(text) else text


_SIZE = re.compile(r"([0-9]{1,20})([KMGTP])(i?)", re.I | re.ASCII)


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer within a range."""

    low: int = 0
    high: int = LARGEST
    subject: str = "it"

    @property
    def title(self) -> str:
        """What the documentation calls it."""
        if self.high == LARGEST:
            return f"integer from {self.low}"
        return f"integer from {self.low} to {self.high}"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> int:
        """The number; a text of digits is one too, in ClickHouse also with a unit: `10G`, `1Gi`."""
        if isinstance(given, str) and re.fullmatch(r"[+-]?[0-9]{1,20}", given):
            given = int(given)
        sized = _SIZE.fullmatch(given) if isinstance(given, str) and dialect == CLICKHOUSE else None
        if sized is not None:
            base = 1024 if sized[3] else 1000
            given = int(sized[1]) * base ** " KMGTP".index(sized[2].upper())
        if isinstance(given, bool) or not isinstance(given, int):
            raise ValueError("an integer is expected")
        if given < self.low:
            raise ValueError(f"{self.subject} can not be lower than {self.low}")
        if given > self.high:
            raise ValueError(f"a number from {self.low} to {self.high} is expected")
        return given


@dataclass(frozen=True, slots=True)
class Number:
    """A number with or without a fraction."""

    title = "number"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> float:
        """The number."""
        if isinstance(given, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", given, re.ASCII):
            given = float(given)
        if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
            raise ValueError("a number is expected")
        return float(given)


@dataclass(frozen=True, slots=True)
class Flag:
    """On or off."""

    title = "boolean"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> bool:
        """The flag, from true and false, in ClickHouse from 1 and 0 as well."""
        words = {"true": True, "false": False}
        if dialect == CLICKHOUSE:
            words |= {"1": True, "0": False}
        word = str(given).lower()
        if word in words:
            return words[word]
        if dialect == CLICKHOUSE:
            raise ValueError("true, false, 1 or 0 is expected")
        raise ValueError(
            f"Unrecognized option for boolean: {given}. "
            "Expected either true or false(case insensitive)"
        )


@dataclass(frozen=True, slots=True)
class Duration:
    """A time such as `1 s` or `5 min`, read as milliseconds; a bare number is milliseconds."""

    title = "duration"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> int:
        """The milliseconds."""
        found = re.fullmatch(r"\s*([0-9]{1,18})\s*([a-zµ]*)\s*", str(given).lower(), re.ASCII)
        if isinstance(given, bool) or not found:
            raise ValueError("a duration such as '1 s' or '5 min' is expected")
        number, unit = found.groups()
        if unit not in _TIMES:
            raise ValueError(
                f"Time interval unit label '{unit}' does not match any of the recognized units: "
                "d, h, min, s, ms, us, ns"
            )
        return int(number) * _TIMES[unit] // 1_000_000


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of memory such as `64 kb`, read as bytes."""

    title = "memory size"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> int:
        """The bytes."""
        found = re.fullmatch(r"\s*([0-9]{1,18})\s*([a-z]*)\s*", str(given).lower(), re.ASCII)
        if isinstance(given, bool) or not found or found[2] not in _SIZES:
            raise ValueError("a memory size such as '64 kb' or '1 mb' is expected")
        return int(found[1]) << _SIZES[found[2]]


@dataclass(frozen=True, slots=True)
class ListOf:
    """Names with a separator between them, which each dialect has its own of."""

    separators: Mapping[str, str] = field(
        default_factory=lambda: {CLICKHOUSE: ",", FLINK: ";", DLI: ";"}, hash=False
    )
    title = "list"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> tuple[str, ...]:
        """The names, trimmed; empty ones are left out."""
        parts = Text().read(given).split(self.separators[dialect])
        return tuple(part.strip() for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class Offsets:
    """`partition:0,offset:42;partition:1,offset:300`."""

    title = "map of partitions to offsets"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> dict[int, int]:
        """Offsets by partition."""
        found = {}
        for pair in Text().read(given).rstrip(";").split(";"):
            match = re.fullmatch(r"partition:([0-9]{1,9}),offset:([0-9]{1,18})", pair, re.ASCII)
            if match is None:
                raise ValueError(
                    "the form 'partition:0,offset:42;partition:1,offset:300' is expected"
                )
            found[int(match[1])] = int(match[2])
        return found


@dataclass(frozen=True, slots=True)
class ClassName:
    """The name of a class; which ones are known is decided where it is used."""

    title = "class name"

    def read(self, given: Any, dialect: str = CLICKHOUSE) -> str:
        """The name."""
        return Text().read(given)


Kind = (
    Text
    | Letter
    | Delimiter
    | Hidden
    | Url
    | Integer
    | Number
    | Flag
    | Duration
    | Size
    | ListOf
    | Offsets
    | ClassName
)

_ESCAPES = {r"\t": "\t", r"\n": "\n", r"\r": "\r", r"\\": "\\", r"\b": "\b", r"\f": "\f"}
_TIMES = {
    unit: nanos
    for units, nanos in {
        "d day days": 86_400_000_000_000,
        "h hour hours": 3_600_000_000_000,
        "min m minute minutes": 60_000_000_000,
        "s sec secs second seconds": 1_000_000_000,
        "ms milli millis millisecond milliseconds": 1_000_000,
        "us micro micros microsecond microseconds": 1_000,
        "ns nano nanos nanosecond nanoseconds": 1,
    }.items()
    for unit in units.split()
} | {"": 1_000_000}
_SIZES = {
    unit: shift
    for units, shift in {
        "b bytes": 0,
        "k kb kibibytes": 10,
        "m mb mebibytes": 20,
        "g gb gibibytes": 30,
        "t tb tebibytes": 40,
    }.items()
    for unit in units.split()
} | {"": 0}

_IN_URL = re.compile(r"(?<=://)[^/@\s]+(?=@)")


def hide_in_url(text: str) -> str:
    """The address without the user and password in it."""
    return _IN_URL.sub(HIDDEN, text)
