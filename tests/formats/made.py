"""Messages made at random of parts that are in canonical.toml: dumps of MySQL and files of NumPy.

Some of them are not as they should be.
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
