"""Messages made at random, some of them not as they should be.

They are dumps of MySQL and files of NumPy, of parts that are in canonical.toml, and RowBinary with
values that have types of their own.
"""

from __future__ import annotations

import math
import re
import struct
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

_PARTS = tomllib.loads(Path(__file__).with_name("canonical.toml").read_text("utf-8"))
_INSERTS: list[str]
_BETWEEN: list[str]
_HEADERS: list[str]
_INSERTS, _BETWEEN, _HEADERS = (_PARTS[each] for each in ("inserts", "between", "headers"))

NUMPY = {
    "Int8": "i1", "Int16": "i2", "Int32": "i4", "Int64": "i8", "UInt8": "u1", "UInt16": "u2",
    "UInt32": "u4", "UInt64": "u8", "Float32": "f4", "Float64": "f8", "Bool": "b1", "String": "S5",
    "FixedString(9)": "S9",
}  # fmt: skip
"""Types of columns with what NumPy calls them."""

_KINDS = (
    *NUMPY.values(), "f2", "S1", "S2", "U1", "U3", "S0", "b2", "i3", "c8", "O", "S05", "i8 ",
)  # fmt: skip
_BYTES = {"b": b"\0\1", "S": b"\0\0\xffab\xc3\xa9 ", "U": b"\0\0\0\0\0\xe9ab"}
_ANY = bytes(range(256))


def changed(chosen: random.Random, data: bytes) -> bytes:
    """The same, sometimes with another byte somewhere."""
    made = bytearray(data)
    if made and chosen.random() < 0.1:
        made[chosen.randrange(len(made))] = chosen.choice(b"\x00\xff \n,'\"\\01-[")
    return bytes(made)


def dump(chosen: random.Random, names: list[str], rows: list[str]) -> bytes:
    """Rows in statements, with comments and other statements between them."""
    made = chosen.choice(("", "", "", chosen.choice(_BETWEEN)[1:]))
    for at, row in enumerate(rows):
        if at == 0 or chosen.random() < 0.4:
            made += chosen.choice(_BETWEEN) if at else ""
            made += chosen.choice(_INSERTS if chosen.random() < 0.3 else _INSERTS[:3])
            made += _listed(chosen, names) if names and (at == 0 or chosen.random() < 0.7) else ""
            made += chosen.choice(("VALUES ", "VALUES", "values\n ", " VALUES"))
        else:
            made += chosen.choice((",", ",", ", ", ""))
        made += row
    made += chosen.choice(("", ";", ";\n", ",", chosen.choice(_BETWEEN)))
    return changed(chosen, made.encode())


def _listed(chosen: random.Random, names: list[str]) -> str:
    """Names of columns as a statement has them, nearly always in the same order."""
    if chosen.random() < 0.1:
        names = chosen.sample(names, len(names))
    spelled = (chosen.choice((each, f"`{each}`", f"`{each}`", f"{each} ")) for each in names)
    text = chosen.choice((",", ", ", ",", " ,")).join(spelled)
    return f"({text.upper() if chosen.random() < 0.1 else text})"


def numpy_file(chosen: random.Random, kind: str, depth: int) -> bytes:
    """Values of a kind, in arrays so deep."""
    if chosen.random() < 0.3:
        kind = chosen.choice(_KINDS)
    shape = [chosen.choice((1, 1, 2, 3, 3, 3, 3, 0)) for _ in range(depth + 1)]
    if chosen.random() < 0.1:
        shape = chosen.choice((shape[1:], [*shape, 1], [*shape, 2]))
    size = int(re.sub(r"\D", "", kind) or 1) * (4 if kind[0] == "U" else 1)
    count = math.prod(shape) * size + chosen.choice((0,) * 9 + (-1, 1, 8))
    data = bytes(chosen.choices(_BYTES.get(kind[0], _ANY), k=max(count, 0)))
    order = "|" if kind[0] in "Sb" or kind[1:] == "1" else "<"
    order = chosen.choice((order,) * 9 + tuple("<|>="))
    numbers = chosen.choice((", ", ",")).join(map(str, shape))
    form = chosen.choice(_HEADERS if chosen.random() < 0.3 else _HEADERS[1:3])
    text = form % (order + kind, numbers, " " * chosen.choice((0, 7, 60)))
    version = chosen.choice((1, 1, 1, 2, 3, 3, chosen.choice((0, 4))))
    length = struct.pack(
        "<H" if version == 1 else "<I", len(text) + chosen.choice((0,) * 15 + (-1, 1))
    )
    begin = b"\x93NUMPY" + bytes((version, 0)) + length
    return changed(chosen, begin + text.encode() + data)


KINDS = (
    "Array(Int16)", "Array(Nullable(String))", "Bool", "Date", "DateTime64(3)", "Decimal(9, 2)",
    "Enum8('a' = 1, 'b' = 2)", "Map(String, UInt8)", "String", "Tuple(x UInt8, y String)", "UInt64",
    "UUID",
)  # fmt: skip
"""The types of a Variant, in their order."""

_CODES = {
    "Nothing": b"\0", "UInt8": b"\x01", "UInt64": b"\x04", "UInt256": b"\x06", "Int16": b"\x08",
    "Int64": b"\x0a", "Int128": b"\x0b", "Float32": b"\x0d", "Float64": b"\x0e", "Date": b"\x0f",
    "Date32": b"\x10", "DateTime": b"\x11", "DateTime('UTC')": b"\x12\x03UTC", "String": b"\x15",
    "DateTime64(3)": b"\x13\x03", "DateTime64(9)": b"\x13\x09", "FixedString(3)": b"\x16\x03",
    "Decimal(9, 2)": b"\x19\x09\x02", "Decimal(18, 4)": b"\x1a\x12\x04", "UUID": b"\x1d",
    "Decimal(5, 2)": b"\x1a\x05\x02", "Array(Int16)": b"\x1e\x08", "Bool": b"\x2d",
    "Array(Nullable(String))": b"\x1e\x23\x15", "Nullable(UInt8)": b"\x23\x01", "IPv4": b"\x28",
    "LowCardinality(String)": b"\x26\x15", "IPv6": b"\x29", "Tuple(UInt8)": b"\x1f\x01\x01",
    "Array(Array(Bool))": b"\x1e\x1e\x2d", "UInt16": b"\x2c\x06UInt16", "BFloat16": b"\x31",
    "Time": b"\x32", "Map(String, UInt8)": b"\x27\x15\x01", "FixedString(0)": b"\x16\0",
}  # fmt: skip
"""How a Dynamic names types, one or another of them not as ClickHouse does."""

_BYTES_OF = {
    "8": 1, "16": 2, "32": 4, "64": 8, "128": 16, "256": 32, "Bool": 1, "Date": 2, "Date32": 4,
    "DateTime": 4, "DateTime('UTC')": 4, "DateTime64(3)": 8, "DateTime64(9)": 8, "UUID": 16,
    "Decimal(9, 2)": 4, "Decimal(18, 4)": 8, "Decimal(5, 2)": 4, "FixedString(3)": 3, "IPv4": 4,
    "IPv6": 16, "Time": 4, "Enum8('a' = 1, 'b' = 2)": 1, "BFloat16": 2,
}  # fmt: skip


def variant(chosen: random.Random) -> bytes:
    """A value of a Variant of these types in RowBinary."""
    kind = chosen.randrange(len(KINDS))
    if chosen.random() < 0.1:
        return bytes((chosen.choice((0xFF, 0xFF, len(KINDS))),))
    return bytes((kind,)) + _binary(chosen, KINDS[kind])


def dynamic(chosen: random.Random) -> bytes:
    """A value of type Dynamic in RowBinary."""
    kind = chosen.choice(list(_CODES))
    return _CODES[kind] + _binary(chosen, kind)


def _binary(chosen: random.Random, kind: str) -> bytes:
    """A value of a type."""
    name, _, inner = kind.removesuffix(")").partition("(")
    if name == "Array":
        return _several(_binary(chosen, inner) for _ in range(chosen.choice((0, 1, 3))))
    if name == "Map":
        return _several(
            b"\x01" + chosen.choice((b"a\1", b"b\2")) for _ in range(chosen.randrange(3))
        )
    if name == "Tuple":
        return b"\x07" + (b"\x01y" if "," in inner else b"")
    if name == "Nullable":
        null = chosen.choice((b"\0", b"\0", b"\1", b"\2"))
        return null + (b"" if null == b"\1" else _binary(chosen, inner))
    if name in ("String", "LowCardinality"):
        text = chosen.choice((b"", b"x", b"\xc3\xa9\xff\0", b"a" * 100))
        return bytes((len(text),)) + text
    size = _BYTES_OF.get(kind) or _BYTES_OF.get(re.sub(r"[A-Za-z]+", "", name), 0)
    made = chosen.choice((bytes((1,)) + bytes(size), bytes(size), chosen.randbytes(size)))
    return made[:size]


def _several(items: Iterable[bytes]) -> bytes:
    listed = list(items)
    return bytes((len(listed),)) + b"".join(listed)
