"""Cap'n Proto, beside its own library: ClickHouse's is not in the one that tests have.

What is compared is read and written in a process of its own: that library, and ClickHouse's, do not
share a process well, and its compiler ends the process at an error.
"""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import ctypes
import hashlib
import json
import random
import struct
import subprocess
import sys
import tempfile
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from formats.convert import SHOWN, Wrong, codec
from formats.examples import COLUMNS
from sluice import errors
from sluice.formats import capnproto, format_schemas, transcoding
from sluice.formats.registry import find_format
from sluice.parameters.kinds import CLICKHOUSE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formats.convert import Converter

HEAD = "@0xabcdefabcdefabcd;\n"
LIBRARY = """
import json, sys, tempfile, pathlib, capnp
capnp.remove_import_hook()
known, parsers = {}, []
folder = tempfile.mkdtemp()
def schema(text):
    if text not in known:
        path = pathlib.Path(folder, f"s{len(known)}.capnp")
        path.write_text(text)
        parsers.append(capnp.SchemaParser())  # which schemas need
        known[text] = parsers[-1].load(str(path), imports=[]).M
    return known[text]
def plain(value):
    if isinstance(value, dict): return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)): return [plain(v) for v in value]
    if isinstance(value, bytes): return {"hex": value.hex()}
    return value
def real(value):
    if isinstance(value, dict):
        return bytes.fromhex(value["hex"]) if list(value) == ["hex"] else {k: real(v) for k, v in value.items()}
    return [real(v) for v in value] if isinstance(value, list) else value
for line in sys.stdin:
    asked = json.loads(line)
    of = schema(asked["schema"])
    try:
        if "rows" in asked:
            made = b"".join(of.new_message(**real(row)).to_bytes() for row in asked["rows"])
            answer = {"hex": made.hex()}
        else:
            data = bytes.fromhex(asked["hex"])
            answer = {"rows": [plain(row.to_dict(verbose=True)) for row in of.read_multiple_bytes(data)]}
    except Exception as bad:
        answer = {"error": str(bad)}
    print(json.dumps(answer), flush=True)
"""


class Library:
    """Cap'n Proto's own reader and writer."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", LIBRARY],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def asked(self, schema: str, **what: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        number = int.from_bytes(hashlib.sha256(schema.encode()).digest()[:8], "big") | 1 << 63
        text = f"@0x{number:x};\n{schema}"  # it knows schemas by these numbers
        self.process.stdin.write(json.dumps({"schema": text, **what}) + "\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def message(self, schema: str, *rows: dict[str, Any]) -> bytes:
        found = self.asked(schema, rows=rows)
        assert "hex" in found, found
        return bytes.fromhex(found["hex"])

    def rows(self, schema: str, message: bytes) -> list[dict[str, Any]]:
        found = self.asked(schema, hex=message.hex())
        assert "rows" in found, found
        rows: list[dict[str, Any]] = found["rows"]
        return rows


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    found = Library()
    yield found
    found.process.communicate()


def given(schema: str, **more: Any) -> dict[str, Any]:
    return {
        "format_schema_source": "string",
        "format_schema": HEAD + schema,
        "format_schema_message_name": "M",
        **more,
    }


BY_NAMES = {"format_capn_proto_enum_comparising_mode": "by_names"}
FOLDED = {"format_capn_proto_enum_comparising_mode": "by_names_case_insensitive"}
NULLABLE = "struct N { union { value @0 :Int32; null @1 :Void; } }"
LISTS = "struct M { n @0 :List(E); struct E { a @0 :Int32; b @1 :Text; } }"
NAN = "7ff8000000000000"

SAME: list[tuple[Any, ...]] = [
    # columns, schema, a row as the library has it, the row shown, settings
    ("a Int8, b UInt8, c Int16, d UInt16", "struct M { a @0 :Int8; b @1 :UInt8; c @2 :Int16; d @3 :UInt16; }", {"a": -128, "b": 255, "c": -32768, "d": 65535}, [-128, 255, -32768, 65535]),
    ("a Int32, b UInt32, c Int64, d UInt64", "struct M { a @0 :Int32; b @1 :UInt32; c @2 :Int64; d @3 :UInt64; }", {"a": -(1 << 31), "b": (1 << 32) - 1, "c": -(1 << 63), "d": (1 << 64) - 1}, [-(1 << 31), (1 << 32) - 1, -(1 << 63), (1 << 64) - 1]),
    ("a Int64, b UInt8, c UInt64, d Int16", "struct M { a @0 :UInt8; b @1 :Int64; c @2 :Int8; d @3 :UInt64; }", {"a": 200, "b": 7, "c": 127, "d": 300}, [200, 7, 127, 300]),
    ("a Bool, b Bool, c UInt8, d Bool", "struct M { a @0 :Bool; b @1 :Bool; c @2 :Bool; d @3 :UInt8; }", {"a": True, "b": False, "c": True, "d": 1}, [True, False, 1, True]),
    ("a Float32, b Float64, c Float64", "struct M { a @0 :Float32; b @1 :Float64; c @2 :Float32; }", {"a": 0.5, "b": -1e300, "c": 0.25}, [0.5, -1e300, 0.25]),
    ("a String, b String, c FixedString(4), d FixedString(3)", "struct M { a @0 :Text; b @1 :Data; c @2 :Data; d @3 :Text; }", {"a": "äöü", "b": {"hex": "6162"}, "c": {"hex": "61626364"}, "d": "xyz"}, ["äöü", "ab", "abcd", "xyz"]),
    ("a Date, b Date32, c DateTime('UTC'), d DateTime64(3, 'UTC'), e DateTime64(9, 'UTC')", "struct M { a @0 :UInt16; b @1 :Int32; c @2 :UInt32; d @3 :Int64; e @4 :Int64; }", {"a": 1, "b": -1, "c": 3, "d": -1500, "e": 1}, ["1970-01-02", "1969-12-31", "1970-01-01 00:00:03", "1969-12-31 23:59:58.500", "1970-01-01 00:00:00.000000001"]),
    ("a Decimal(9, 2), b Decimal(18, 4), c Decimal(38, 3), d Decimal(60, 1)", "struct M { a @0 :Int32; b @1 :Int64; c @2 :Data; d @3 :Data; }", {"a": -125, "b": 10001, "c": {"hex": (-1500).to_bytes(16, "little", signed=True).hex()}, "d": {"hex": (15).to_bytes(32, "little").hex()}}, [-1.25, 1.0001, -1.5, 1.5]),
    ("a Int128, b UInt128, c Int256, d UInt256", "struct M { a @0 :Data; b @1 :Data; c @2 :Data; d @3 :Data; }", {"a": {"hex": (-2).to_bytes(16, "little", signed=True).hex()}, "b": {"hex": "02" + "00" * 15}, "c": {"hex": "ff" * 32}, "d": {"hex": "03" + "00" * 31}}, [-2, 2, -1, 3]),
    ("a UUID, b IPv4, c IPv6", "struct M { a @0 :Data; b @1 :UInt32; c @2 :Data; }", {"a": {"hex": "efcdab89674523011032547698badcfe"}, "b": 0x01020304, "c": {"hex": "20010db8" + "00" * 11 + "01"}}, ["01234567-89ab-cdef-fedc-ba9876543210", "1.2.3.4", "2001:db8::1"]),
    ("a Enum8('x' = 0, 'y' = 1)", "struct M { a @0 :E; enum E { p @0; q @1; } }", {"a": "q"}, ["y"]),
    ("a Enum8('q' = 10, 'p' = -3)", "struct M { a @0 :E; enum E { p @0; q @1; } }", {"a": "q"}, ["q"], BY_NAMES),
    ("a Enum16('Q' = 300, 'P' = -3)", "struct M { a @0 :E; enum E { p @0; q @1; } }", {"a": "p"}, ["P"], FOLDED),
    ("a Nullable(Int32), b Nullable(Int32)", NULLABLE + " struct M { a @0 :N; b @1 :N; }", {"a": {"value": 5}, "b": {"null": None}}, [5, None]),
    ("a Nullable(Int32), b Nullable(String)", "struct M { a :union { none @0 :Void; some @1 :Int32; } b :union { some @2 :Text; none @3 :Void; } }", {"a": {"none": None}, "b": {"some": "s"}}, [None, "s"]),
    ("a LowCardinality(String), b LowCardinality(Nullable(String))", "struct N { union { value @0 :Data; null @1 :Void; } } struct M { a @0 :Text; b @1 :N; }", {"a": "A", "b": {"value": {"hex": "62"}}}, ["A", "b"]),
    ("a Array(Int32), b Array(Bool), c Array(String), d Array(Float64)", "struct M { a @0 :List(Int32); b @1 :List(Bool); c @2 :List(Text); d @3 :List(Float64); }", {"a": [1, -2, 3], "b": [True, False, True, True, False, False, True, False, True], "c": ["", "x"], "d": []}, [[1, -2, 3], [True, False, True, True, False, False, True, False, True], ["", "x"], []]),
    ("a Array(Array(UInt8)), b Array(Nullable(Int32)), c Array(Enum8('p' = 0, 'q' = 1))", NULLABLE + " struct M { a @0 :List(List(UInt8)); b @1 :List(N); c @2 :List(E); enum E { p @0; q @1; } }", {"a": [[1, 2], [], [3]], "b": [{"value": 1}, {"null": None}], "c": ["q", "p"]}, [[[1, 2], [], [3]], [1, None], ["q", "p"]]),
    ("a Tuple(x Int32, y Tuple(z String, w Array(Int8)))", "struct M { a @0 :T; struct T { x @0 :Int32; y @1 :U; } struct U { z @0 :Text; w @1 :List(Int8); } }", {"a": {"x": 4, "y": {"z": "zz", "w": [1, -1]}}}, [{"x": 4, "y": {"z": "zz", "w": [1, -1]}}]),
    ("a Tuple(Int32, String)", "struct M { a @0 :T; struct T { x @0 :Int32; y @1 :Text; } }", {"a": {"x": 4, "y": "t"}}, [[4, "t"]]),
    ("a Map(String, Int32), b Map(Int8, Array(String))", "struct M { a @0 :A; b @1 :B; struct A { entries @0 :List(E); struct E { key @0 :Text; value @1 :Int32; } } struct B { entries @0 :List(E); struct E { key @0 :Int8; value @1 :List(Text); } } }", {"a": {"entries": [{"key": "k", "value": 1}, {"key": "l", "value": 2}]}, "b": {"entries": [{"key": 1, "value": ["v"]}]}}, [{"k": 1, "l": 2}, {"1": ["v"]}]),
    ("a_b Int32, a_c_d String, `a.e` Array(Int32)", "struct M { a @0 :A; struct A { b @0 :Int32; c @1 :C; e @2 :List(Int32); } struct C { d @0 :Text; } }", {"a": {"b": 1, "c": {"d": "x"}, "e": [5]}}, [1, "x", [5]]),
    ("`n.a` Array(Int32), `n.b` Array(String)", LISTS, {"n": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}, [[1, 2], ["x", "y"]]),
    ("n Array(Tuple(b String, a Int32))", LISTS, {"n": [{"a": 1, "b": "x"}]}, [[{"b": "x", "a": 1}]]),
    ("BLOCKNO UInt16, G_X Int8", "struct M { g :group { x @0 :Int8; } blockNo @1 :UInt16; }", {"blockNo": 7, "g": {"x": 3}}, [7, 3]),
    ("a Int32, b Float64, c Bool, d Enum8('p' = 0, 'q' = 1), e UInt8", "struct M { a @0 :Int32 = 5; b @1 :Float64 = -1.5; c @2 :Bool = true; d @3 :E = q; e @4 :UInt8 = 255; enum E { p @0; q @1; } }", {"a": 7, "b": 2.5, "c": False, "d": "p", "e": 1}, [7, 2.5, False, "p", 1]),
]  # fmt: skip


def settings_of(case: tuple[Any, ...]) -> dict[str, Any]:
    return given(case[1], **(case[4] if len(case) > 4 else {}))


def shown_rows(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.decode().splitlines()]


@pytest.mark.parametrize("case", SAME, ids=[each[0] for each in SAME])
def test_every_type(case: tuple[Any, ...], ours: Converter, library: Library) -> None:
    """CH-58: one row, and fifteen in one message, read of the library's bytes and written for it."""
    columns, schema, row, shown = case[:4]
    for count in (1, 15):
        data = library.message(schema, *[row] * count)
        read = ours.rows(columns, "CapnProto", settings_of(case), data)
        assert shown_rows(read) == [shown] * count
        lines = (json.dumps(shown) + "\n").encode() * count
        made = ours.written(columns, "CapnProto", settings_of(case), lines)
        assert library.rows(schema, made) == library.rows(schema, data)
        assert ours.rows(columns, "CapnProto", settings_of(case), made) == read


GENERATED: list[tuple[str, str, list[Any]]] = [
    # columns, the schema that ClickHouse makes of them, a row
    (COLUMNS, "struct M { id @0 :Int64; blockNo @1 :UInt16; val1 @2 :Data; val2 @3 :Float32; val3 @4 :UInt8; }", [7, 65535, "AM", 0.5, 9]),
    ("a UInt8, b Bool, c Int64, d Int16, e Bool, f Date, g UInt8, h Int32, i Float64", "struct M { a @0 :UInt8; b @1 :Bool; c @2 :Int64; d @3 :Int16; e @4 :Bool; f @5 :UInt16; g @6 :UInt8; h @7 :Int32; i @8 :Float64; }", [1, True, -2, 3, True, "1970-01-03", 5, 6, 0.5]),
    ("a Nullable(Int8), b Nullable(String), c Nullable(Int64), d Nullable(Bool)", "struct M { struct A { union { value @0 :Int8; null @1 :Void; } } struct B { union { value @0 :Data; null @1 :Void; } } struct C { union { value @0 :Int64; null @1 :Void; } } struct D { union { value @0 :Bool; null @1 :Void; } } a @0 :A; b @1 :B; c @2 :C; d @3 :D; }", [1, "b", None, True]),
    ("a Array(Nullable(UInt16)), b Map(String, Int32), c Tuple(x Int8, y Array(String)), d Tuple(Int8, Bool)", "struct M { struct A { union { value @0 :UInt16; null @1 :Void; } } a @0 :List(A); b @1 :B; struct B { struct Entry { key @0 :Data; value @1 :Int32; } entries @0 :List(Entry); } c @2 :C; struct C { x @0 :Int8; y @1 :List(Data); } d @3 :D; struct D { e1 @0 :Int8; e2 @1 :Bool; } }", [[1, None], {"k": 2}, {"x": 3, "y": ["z"]}, [4, True]]),
    ("a Enum8('x' = 5, 'y' = -7), b_c Int32, d Int8, b_e String", "struct M { enum A { y @0; x @1; } a @0 :A; d @1 :Int8; b @2 :B; struct B { c @0 :Int32; e @1 :Data; } }", ["x", 1, 2, "e"]),
]  # fmt: skip


@pytest.mark.parametrize("case", GENERATED, ids=[each[0] for each in GENERATED])
def test_generated_schema(
    case: tuple[str, str, list[Any]], ours: Converter, library: Library
) -> None:
    """Without a schema one is made of the columns, as ClickHouse makes it."""
    columns, schema, row = case
    made = ours.written(columns, "CapnProto", {}, json.dumps(row).encode() + b"\n")
    again = library.message(schema, *library.rows(schema, made))
    for data in (made, again):
        assert shown_rows(ours.rows(columns, "CapnProto", {}, data)) == [row]
        assert ours.rows(columns, "CapnProto", given(schema, **BY_NAMES), data) == ours.rows(
            columns, "CapnProto", {}, made
        )


REFUSED: list[tuple[Any, ...]] = [
    # columns, schema, what the error says, of which way
    ("a Int32", "struct M { b @0 :Int32; }", "field with name a: column \"a\" is looked for in M(b Int32)"),
    ("a_b Int32", "struct M { a @0 :Int32; }", "Column \"a_b\": field a is not a struct"),
    ("a String", "struct M { a @0 :Int32; }", "column \"a\" with type String to CapnProto type Int32"),
    ("a Int32", "struct M { a @0 :Float32; }", "with type Int32 to CapnProto type Float32"),
    ("a Date", "struct M { a @0 :Int32; }", "with type Date to CapnProto type Int32"),
    ("a UUID", "struct M { a @0 :Text; }", "with type UUID to CapnProto type Text"),
    ("a Nullable(Int32)", "struct M { a @0 :Int32; }", "only as a named union of type Void and nested type"),
    ("a Nullable(Int32)", "struct M { a :union { b @0 :Int32; c @1 :Int8; } }", "only as a named union of type Void and nested type"),
    ("a Array(Int32)", "struct M { a @0 :Int32; }", "Array(Int32) to CapnProto type Int32"),
    ("a Tuple(x Int32)", "struct M { a :union { x @0 :Int32; y @1 :Int8; } }", "to CapnProto named union"),
    ("a Tuple(Int32)", "struct M { a :group { x @0 :Int32; y @1 :Int8; } }", "Tuple and Struct have different sizes 1 != 2"),
    ("a Map(String, Int32)", "struct M { a @0 :List(Int32); }", "Map type can be represented as a Struct with one field"),
    ("a Int32", "struct M { union { a @0 :Int32; b @1 :Int8; } }", "The message M is a union"),
    ("a Int32", "struct M { a @0 :AnyPointer; }", "to CapnProto type AnyPointer"),
    ("a JSON", "struct M { a @0 :Text; }", "type JSON is not supported in CapnProto format"),
    ("a Time", "struct M { a @0 :Int32; }", "type Time is not supported in CapnProto format"),
    ("a Enum8('p' = 0, 'z' = 9)", "enum E { p @0; } struct M { a @0 :E; }", "CapnProto enum values is not a superset of ClickHouse enum values", "write"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=[f"{each[0]} {each[1]}" for each in REFUSED])
def test_refused(case: tuple[Any, ...], ours: Converter) -> None:
    """Columns that a schema has no place for, in the error's words."""
    columns, schema, says = case[:3]
    for way in case[3:] or ("read", "write"):
        made, other = codec("CapnProto", given(schema)), codec("JSONEachRow", {})
        read, write = (made, other) if way == "read" else (other, made)
        with pytest.raises(Wrong) as bad:
            ours.convert(columns, read, write, b"{}")  # in JSON a row of defaults
        assert says in str(bad.value)


def test_schema_needed(ours: Converter) -> None:
    """Without a schema, and without one that is made, nothing is read."""
    with pytest.raises(errors.SluiceError, match="requires a schema"):
        ours.rows("a Int8", "CapnProto", {"format_capn_proto_use_autogenerated_schema": 0}, b"")


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ("struct M { a @0 :Int32 }", "format_schema.capnp, line 2: Parse error"),
        ("struct M {\n a @0 :Foo; }", "line 3: Not defined: Foo"),
        ("struct M { a_b @0 :Int8; }", "line 2: Cap'n Proto declaration names should use camelCase"),
        ("struct N { a @0 :Int32; }", "there is no struct M"),
        ("enum M { a @0; }", "there is no struct M"),
        ('struct M { a @0 :Data = embed "/etc/hostname"; }', "it embeds a file"),
        ('using X = import "../x.capnp"; struct M { a @0 :X.Y; }', "without '..'"),
        ("struct M { a @0 :" + "List(" * 100_000 + ";}", "Cannot parse"),
    ],
)  # fmt: skip
def test_schema_errors(schema: str, says: str) -> None:
    """A schema that is wrong says where, and what ends its compiler does not end us."""
    with pytest.raises(errors.SluiceError) as bad:
        codec("CapnProto", given(schema))
    assert says in str(bad.value)


def test_schemas_of_a_folder(tmp_path: Path) -> None:
    """Files of the folder, what they import there and what comes with Cap'n Proto."""
    found = find_format("CapnProto", CLICKHOUSE)
    (tmp_path / "deep").mkdir()
    text = (
        'using Cxx = import "/capnp/c++.capnp";\n$Cxx.namespace("x");\n# import "nothing.capnp"\n'
    )
    (tmp_path / "deep/a.capnp").write_text(
        HEAD
        + text
        + 'using B = import "../b.capnp"; using C = import "/deep/c.capnp";\nstruct M { b @0 :B.N; c @1 :C.K; struct In { x @0 :Int8; } }'
    )
    (tmp_path / "b.capnp").write_text("@0xabcdefabcdefabce;\nstruct N { x @0 :Int32; n @1 :N; }")
    (tmp_path / "deep/c.capnp").write_text("@0xabcdefabcdefabcf;\nenum K { p @0; }")
    for name, fields in (("M", ["b", "c"]), ("M.In", ["x"])):
        options = format_schemas.found(found, {"format_schema": f"deep/a:{name}"}, tmp_path)
        layout = json.loads(options[format_schemas.COMPILED])
        assert [each["name"] for each in layout["structs"][layout["message"]]["fields"]] == fields
    (tmp_path / "b.capnp").unlink()
    format_schemas.drop_cache()
    with pytest.raises(errors.SluiceError, match=r"b\.capnp, which deep/a\.capnp imports"):
        format_schemas.found(found, {"format_schema": "deep/a:M"}, tmp_path)


BAD: list[tuple[str, str, dict[str, Any], str]] = [
    ("a UInt8", "struct M { a @0 :Int32; }", {"a": 256}, "Value 256 of type Int32 is out of range of UInt8 (while reading the value of column a)"),
    ("a UInt8", "struct M { a @0 :Int32; }", {"a": -1}, "Value -1 of type Int32 is out of range of UInt8"),
    ("a UInt64", "struct M { a @0 :Int64; }", {"a": -1}, "out of range of UInt64"),
    ("a Int64", "struct M { a @0 :UInt64; }", {"a": (1 << 64) - 1}, "Value 18446744073709551615 of type UInt64 is out of range of Int64"),
    ("a FixedString(2)", "struct M { a @0 :Text; }", {"a": "abc"}, "Cannot read data with size 3 to FixedString(2)"),
    ("a UUID", "struct M { a @0 :Data; }", {"a": {"hex": "00"}}, "Unexpected size of UUID value: 1 (while reading the value of column a)"),
    ("a Enum8('x' = 0)", "struct M { a @0 :E; enum E { p @0; q @1; } }", {"a": "q"}, "Unexpected value 1 in CapnProto enum, for Enum8('x' = 0) (while reading the value of column a)"),
    ("a Date32", "struct M { a @0 :Int32; }", {"a": 1 << 30}, "out of range of Date32"),
]  # fmt: skip


def test_ch_78_bad_values(ours: Converter, library: Library) -> None:
    """CH-78: a value that is none of its type is wrong, and the error names it and its column."""
    for columns, schema, row, says in BAD:
        with pytest.raises(Wrong) as bad:
            ours.rows(columns, "CapnProto", given(schema), library.message(schema, row))
        assert says in str(bad.value)


def test_values_without_a_place(ours: Converter) -> None:
    """What a field has no place for is not written, nor arrays of different lengths as one list."""
    for columns, schema, row, says in (
        (
            "a Int32",
            "struct M { a @0 :UInt8; }",
            [256],
            "Column a: value 256 of type Int32 is out of range",
        ),
        ("a Int32", "struct M { a @0 :UInt64; }", [-1], "value -1 of type Int32"),
        ("a UInt64", "struct M { a @0 :Int64; }", [(1 << 64) - 1], "value 18446744073709551615"),
        (
            "`n.a` Array(Int32), `n.b` Array(String)",
            LISTS,
            [[1, 2], ["x"]],
            "Column n.b: its array has another length",
        ),
    ):
        with pytest.raises(Wrong) as bad:
            ours.written(columns, "CapnProto", given(schema), json.dumps(row).encode() + b"\n")
        assert says in str(bad.value)


WIDE = "a Int32, s String, l Array(Tuple(x Int64, t String)), n Nullable(Int32), b Array(Bool), f Array(Array(Float32))"
WIDE_SCHEMA = (
    NULLABLE
    + " struct T { x @0 :Int64; t @1 :Text; } struct M { a @0 :Int32; s @1 :Text; l @2 :List(T); n @3 :N; b @4 :List(Bool); f @5 :List(List(Float32)); }"
)
WIDE_ROW = {
    "a": 1,
    "s": "text",
    "l": [{"x": 1, "t": "t"}, {"x": 2, "t": ""}],
    "n": {"value": 4},
    "b": [True] * 9,
    "f": [[1.5], []],
}
WIDE_SHOWN = [1, "text", [{"x": 1, "t": "t"}, {"x": 2, "t": ""}], 4, [True] * 9, [[1.5], []]]


def test_ch_80_truncated(ours: Converter, library: Library) -> None:
    """CH-80: a message that breaks off anywhere is wrong, or has the rows before."""
    data = library.message(WIDE_SCHEMA, WIDE_ROW, WIDE_ROW)
    for end in range(len(data)):
        if end == len(data) // 2:
            assert shown_rows(ours.rows(WIDE, "CapnProto", given(WIDE_SCHEMA), data[:end])) == [
                WIDE_SHOWN
            ]
            continue
        with pytest.raises(Wrong, match=r"breaks off|ends at byte|is empty"):
            ours.rows(WIDE, "CapnProto", given(WIDE_SCHEMA), data[:end])


def test_ch_80_ch_82_garbage(ours: Converter, library: Library) -> None:
    """CH-80, CH-82: garbage, and good messages with wrong bytes, are rows or one error each."""
    chosen = random.Random(76)  # noqa: S311
    good = library.message(WIDE_SCHEMA, WIDE_ROW)
    settings = given(WIDE_SCHEMA)
    for text in (b"qwertyuiop", b"Broken message\n" * 3, b"\xff" * 40, b"\0" * 9, b"{}"):
        with pytest.raises(Wrong):
            ours.rows(WIDE, "CapnProto", settings, text)
    wrong = 0
    for _ in range(1500):
        data = bytearray(good)
        for _ in range(chosen.choice((1, 1, 2, 5))):
            place = chosen.randrange(8, len(data))
            data[place] = chosen.choice((0, 1, 0xFF, data[place] ^ 1 << chosen.randrange(8)))
        try:
            ours.rows(WIDE, "CapnProto", settings, bytes(data))
        except Wrong:
            wrong += 1
    assert 200 < wrong < 1400


def pointer(kind: int, offset: int, rest: int) -> int:
    return (offset << 2 | kind) & 0xFFFFFFFF | rest << 32


def segments(*parts: list[int]) -> bytes:
    table = struct.pack("<I", len(parts) - 1) + b"".join(struct.pack("<I", len(p)) for p in parts)
    return (
        table + b"\0" * (-len(table) % 8) + b"".join(struct.pack("<Q", w) for p in parts for w in p)
    )


def bytes_pointer(offset: int, count: int) -> int:
    return pointer(1, offset, 2 | count << 3)


ONE_TEXT = "struct M { a @0 :Text; }"
ROOT = pointer(0, 0, 1 << 16)  # a struct of one pointer
HELLO = int.from_bytes(b"hello\0\0\0", "little")
DEEP = "struct M { a @0 :List(L); struct L { a @0 :List(L); } }"

CRAFTED: list[tuple[bytes, str | None]] = [
    # a message with a text, and its error
    (segments([ROOT, bytes_pointer(0, 6), HELLO]), None),
    (segments([ROOT, 2 | 1 << 32], [bytes_pointer(0, 6), HELLO]), None),  # far
    (segments([2 | 1 << 32], [ROOT, bytes_pointer(0, 6), HELLO]), None),  # the root, too
    (segments([ROOT, 6 | 1 << 32], [2 | 2 << 32, bytes_pointer(0, 6)], [HELLO]), None),  # double-far
    (segments([ROOT, bytes_pointer(0, 5), HELLO]), "not NUL-terminated"),
    (segments([ROOT, bytes_pointer(0, 0), HELLO]), "not NUL-terminated"),
    (segments([ROOT, bytes_pointer(0, 600), HELLO]), "leads out of its segment"),
    (segments([ROOT, bytes_pointer(0, (1 << 29) - 1), HELLO]), "leads out of its segment"),
    (segments([ROOT, bytes_pointer(9, 6), HELLO]), "leads out of its segment"),
    (segments([ROOT, bytes_pointer(-90, 6), HELLO]), "leads out of its segment"),
    (segments([ROOT, 2 | 5 << 32, HELLO]), r"leads to segment 5 of 1 \(at byte 16\) \(while reading the value of column a\)"),
    (segments([ROOT, 2 | 900 << 3, HELLO]), "a far pointer leads out of its segment"),
    (segments([ROOT, 2 | 1 << 3, HELLO]), "a far pointer leads to another one"),  # to itself
    (segments([ROOT, 6 | 1 << 32], [HELLO, bytes_pointer(0, 6)]), "has no far pointer"),
    (segments([ROOT, 6 | 1 << 32], [2 | 2 << 32]), "a far pointer leads out of its segment"),
    (segments([ROOT, pointer(0, 0, 1), HELLO]), "a text is expected.*column a"),
    (segments([ROOT, pointer(1, 0, 5 | 1 << 3), HELLO]), "a text is expected.*column a"),
    (segments([ROOT, 3, HELLO]), "a text is expected.*column a"),  # a capability
    (segments([pointer(1, 0, 2 | 6 << 3), HELLO]), "a struct is expected"),
    (segments([pointer(0, 0, 0xFFFF | 0xFFFF << 16), HELLO]), "leads out of its segment"),
    (segments([]), "its first segment is empty"),
    (struct.pack("<II", 0xFFFFFFFF, 1) + b"\0" * 8, "too many segments"),
    (struct.pack("<II", 511, 1) + b"\0" * 8, "breaks off"),
    (struct.pack("<II", 0, 0xFFFFFFFF) + b"\0" * 8, "ends at byte"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "says"), CRAFTED)
def test_pointers(message: bytes, says: str | None, ours: Converter) -> None:
    """Pointers between segments, and those that lead where nothing is."""
    if says is None:
        assert shown_rows(ours.rows("a String", "CapnProto", given(ONE_TEXT), message)) == [
            ["hello"]
        ]
        return
    with pytest.raises(Wrong, match=says):
        ours.rows("a String", "CapnProto", given(ONE_TEXT), message)


def test_amplification(ours: Converter) -> None:
    """Short messages do not become long: pointers to the same bytes, and lists of nothing."""
    deep = "Array(Array(Array(Array(Array(UInt8)))))"
    levels = "struct M { a @0 :List(List(List(List(List(UInt8))))); }"
    words: list[int] = [ROOT]
    for level in range(5):  # each list has 500 pointers to the next
        code = 2 if level == 4 else 6
        words += [pointer(1, 0 if level == 0 else 499, code | 500 << 3)]
        words += [] if level == 0 else [pointer(1, 499 - i, code | 500 << 3) for i in range(1, 500)]
    with pytest.raises(Wrong, match=r"lead to more than it has"):
        ours.rows(f"a {deep}", "CapnProto", given(levels), segments(words + [0] * 500))
    nothing = pointer(1, 0, 0 | ((1 << 29) - 1) << 3)
    for message in (
        segments([ROOT, nothing]),
        segments([ROOT, pointer(1, 0, 7), pointer(0, (1 << 29) - 1, 0)]),
    ):
        with pytest.raises(Wrong, match="lead to more than it has"):
            ours.rows("`n.a` Array(Int32)", "CapnProto", given(LISTS), message)
    lying = segments([ROOT, pointer(1, 0, 7 | 2 << 3), pointer(0, 9, 1 | 1 << 16), 0, 0])
    with pytest.raises(Wrong, match="a list has more elements than words"):
        ours.rows("`n.a` Array(Int32)", "CapnProto", given(LISTS), lying)
    negative = segments([ROOT, pointer(1, 0, 7 | 2 << 3), pointer(0, -5, 1 | 1 << 16), 0, 0])
    with pytest.raises(Wrong, match="corrupted"):
        ours.rows("`n.a` Array(Int32)", "CapnProto", given(LISTS), negative)


def test_pointer_loops(ours: Converter) -> None:
    """A struct that has itself in it is read as deep as the columns are."""
    schema = "struct M { x @0 :Int64; a @1 :M; }"
    loop = segments([pointer(0, 0, 1 | 1 << 16), 7, pointer(0, -2, 1 | 1 << 16)])
    assert shown_rows(ours.rows("x Int64, a_a_a_x Int64", "CapnProto", given(schema), loop)) == [
        [7, 7]
    ]


def test_long_schemas(ours: Converter) -> None:
    """Structs that refer to each other: as many as the compiler bears, which ends alone."""

    def chain(count: int) -> dict[str, Any]:
        structs = "".join(f"struct S{i} {{ s @0 :S{i + 1}; }}" for i in range(count))
        return given(f"struct M {{ x @0 :Int64; s @1 :S0; }} {structs} struct S{count} {{}}")

    message = segments([pointer(0, 0, 1 | 1 << 16), 7, 0])
    assert shown_rows(ours.rows("x Int64", "CapnProto", chain(400), message)) == [[7]]
    with pytest.raises(errors.SluiceError, match="its compiler ended with -"):
        codec("CapnProto", chain(20_000))


def test_evolution(ours: Converter, library: Library) -> None:
    """Messages of older and newer writers, as Cap'n Proto has them."""
    old, new = (
        "struct M { a @0 :Int32; }",
        "struct M { a @0 :Int32; b @1 :Text; c @2 :Int64 = 7; l @3 :List(Int8); }",
    )
    columns = "a Int32, b String, c Int64, l Array(Int8)"
    read = ours.rows(columns, "CapnProto", given(new), library.message(old, {"a": 4}))
    assert shown_rows(read) == [[4, "", 7, []]]
    data = library.message(new, {"a": 4, "b": "x", "c": 1, "l": [1]})
    assert shown_rows(ours.rows("a Int32", "CapnProto", given(old), data)) == [[4]]
    grown = library.message(
        "struct M { l @0 :List(E); struct E { x @0 :Int32; y @1 :Text; } }",
        {"l": [{"x": 1}, {"x": 2}]},
    )
    assert shown_rows(
        ours.rows("l Array(Int32)", "CapnProto", given("struct M { l @0 :List(Int32); }"), grown)
    ) == [[[1, 2]]]
    narrow = library.message("struct M { l @0 :List(Int8); }", {"l": [1, 2]})
    with pytest.raises(Wrong, match="the elements of a list are none of Int64"):
        ours.rows("l Array(Int64)", "CapnProto", given("struct M { l @0 :List(Int64); }"), narrow)


def test_message_size(ours: Converter, library: Library) -> None:
    """The largest message is what its setting says; no message is none."""
    data = library.message(ONE_TEXT, {"a": "x" * 100})
    settings = given(ONE_TEXT, format_capn_proto_max_message_size=100)
    with pytest.raises(Wrong, match="more than format_capn_proto_max_message_size = 100"):
        ours.rows("a String", "CapnProto", settings, data)
    for most in (0, len(data)):
        settings = given(ONE_TEXT, format_capn_proto_max_message_size=most)
        assert len(shown_rows(ours.rows("a String", "CapnProto", settings, data))) == 1
    with pytest.raises(Wrong, match="The message is empty"):
        ours.rows("a String", "CapnProto", given(ONE_TEXT), b"")


def test_ch_80_many_rows(ours: Converter) -> None:
    """CH-80: more rows in one message than a block of ClickHouse has."""
    lines = b"".join(b'[%d,"%d"]\n' % (i, i) for i in range(70_000))
    columns = "a Int64, b String"
    data = ours.written(columns, "CapnProto", {}, lines)
    shown = codec(SHOWN, {})
    assert ours.convert(columns, codec("CapnProto", {}), shown, data).replace(b", ", b",") == lines


def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema, good or bad, leaves no file behind; what it imports is within the folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "secret.capnp").write_text("@0xabcdefabcdefabce;\nstruct N { x @0 :Int32; }")
    text = HEAD + 'using B = import "../secret.capnp"; struct M { a @0 :B.N; }'
    with pytest.raises(errors.SluiceError, match="break out of starting directory"):
        capnproto.compiled({"a.capnp": text}, "a.capnp", "M")
    capnproto.compiled({"a.capnp": HEAD + "struct M { a @0 :Bool; }"}, "a.capnp", "M")
    assert [each.name for each in tmp_path.iterdir()] == ["secret.capnp"]


def test_compiler_is_confined(tmp_path: Path) -> None:
    """The compiler's process can read no file but those of its folder and what is installed."""
    if not landlock():
        pytest.skip("this kernel has no Landlock")
    folder = tmp_path / "folder"
    folder.mkdir()
    for place in (folder, tmp_path):
        (place / "file").write_text("text")
    child = resources.files(capnproto).joinpath("child.py").read_text("utf-8")
    confining = resources.files(transcoding).joinpath("child.py").read_text("utf-8")
    script = f"""{child.partition("if __name__")[0]}
_confined(sys.stdin.read(), Path({str(folder)!r}))
print(Path({str(folder / "file")!r}).read_text())
try:
    print(Path({str(tmp_path / "file")!r}).read_text())
except PermissionError:
    print("refused")
"""
    asked = [sys.executable, "-I", "-c", script]
    done = subprocess.run(asked, input=confining, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["text", "refused"], done.stderr


def landlock() -> bool:
    return bool(ctypes.CDLL(None).syscall(444, None, 0, 1) > 0)


def test_compiled_once() -> None:
    """A schema is compiled once, however many tables have it."""
    texts = {"a.capnp": HEAD + "struct M { a @0 :Int8; }"}
    assert capnproto.compiled(texts, "a.capnp", "M") is capnproto.compiled(
        dict(texts), "a.capnp", "M"
    )
