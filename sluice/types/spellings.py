"""Other names of types: those of other databases, and names whose case does not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_OF = {
    "Int8": "byte, int1, tinyint",
    "Int16": "smallint",
    "Int32": "int, integer, mediumint",
    "Int64": "bigint, signed",
    "UInt16": "year",
    "UInt64": "bit, set, unsigned",
    "Float32": "float, real, single",
    "Float64": "double, double precision",
    "Bool": "bool, boolean",
    "String": """
        text, tinytext, mediumtext, longtext, blob, tinyblob, mediumblob, longblob, clob, bytea,
        varchar, varchar2, nvarchar, varbinary, binary varying, binary large object,
        char, char varying, char large object, nchar, nchar varying, nchar large object,
        character, character varying, character large object, national char,
        national char varying, national character, national character varying,
        national character large object
    """,
    "FixedString": "binary",
    "Decimal": "dec, numeric, fixed, decimal",
    "DateTime": "timestamp, datetime, datetime32",
    "IPv4": "inet4",
    "IPv6": "inet6",
}
_SIGNED = ("tinyint", "int1", "smallint", "int", "integer", "mediumint", "bigint")
_ANY_CASE = (
    "Date", "Date32", "DateTime64", "Decimal32", "Decimal64", "Decimal128", "Decimal256", "Enum",
    "JSON", "Time", "Time64",
)  # fmt: skip

ALIASES = {alias.strip(): name for name, listed in _OF.items() for alias in listed.split(",")}
ALIASES |= {f"{name} signed": ALIASES[name] for name in _SIGNED}
ALIASES |= {f"{name} unsigned": f"U{ALIASES[name]}" for name in _SIGNED}
"""Other names, whose case does not matter, with the type that each means."""

_NAMES = {name.lower(): name for name in _ANY_CASE} | ALIASES
_BEGINNINGS = {" ".join(alias.split()[:n]) for alias in ALIASES for n in range(2, 4)} | {*ALIASES}
_WIDTHLESS = ("Int", "UInt", "Float", "String")
_WITH_PARTS = {"DateTime": "DateTime64", "Time": "Time64"}


def continues(words: str, following: str) -> bool:
    """Whether the name of a type continues with another word: `double precision`."""
    return f"{words} {following}".lower() in _BEGINNINGS


def meant(words: str, args: Sequence[object]) -> tuple[str, list[object]]:
    """The type that a name with arguments means; widths such as that of `int(11)` mean nothing."""
    name = _NAMES.get(words.lower(), words)
    numbers = bool(args) and all(isinstance(each, int) for each in args)
    if numbers and words != name and name.rstrip("0123456789") in _WIDTHLESS:
        return name, []
    if args and isinstance(args[0], int):  # DateTime(3) has parts of a second
        name = _WITH_PARTS.get(name, name)
    return name, list(args)


def is_any_case(name: str) -> bool:
    """Whether the case of a type's own name does not matter."""
    return _NAMES.get(name.lower()) == name
