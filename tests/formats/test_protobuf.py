"""Protobuf's mapping of fields to columns, beside ClickHouse: every case in one schema of its own."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import re
import struct
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formats.convert import EXACTLY, SHOWN, Wrong, codec
from formats.generated import SCALARS, schemas

if TYPE_CHECKING:
    from formats.convert import Converter
    from formats.peer import Peer

PRESENCE = {"input_format_protobuf_oneof_presence": 1}
WRAPPERS = {
    "input_format_protobuf_flatten_google_wrappers": 1,
    "output_format_protobuf_nullables_with_google_wrappers": 1,
}
DOUBLE = "09" + struct.pack("<d", 1.239).hex()
GOOGLE = "package google.protobuf; message StringValue { string value = 1; } message Int32Value { int32 value = 1; }"
NUMBERS = (
    "int32 sint32 uint32 int64 sint64 uint64 fixed32 sfixed32 fixed64 sfixed64 float double bool"
)
ONE = {0: "01", 1: "000000000000f83f", 5: "0000c03f"}
WIRE = dict.fromkeys(("fixed64", "sfixed64", "double"), 1) | dict.fromkeys(
    ("fixed32", "sfixed32", "float"), 5
)
TARGETS = [
    "Int8",
    "UInt8",
    "Int16",
    "UInt32",
    "UInt64",
    "Int128",
    "Float32",
    "Float64",
    "Bool",
    "String",
    "FixedString(8)",
    "Date",
    "Date32",
    "DateTime",
    "DateTime64(3)",
    "DateTime64(9)",
    "Decimal(9,2)",
    "Decimal(38,5)",
    "Decimal(60,3)",
    "IPv4",
    "IPv6",
    "UUID",
    "Enum8('a'=1,'b'=-1)",
]


CUT = {(field, type_) for field in NUMBERS.split() for type_ in ("Int8", "IPv4", "Date32")}
"""What of numbers that these have no place for ClickHouse keeps some bits of; here they are bad."""


def schema_settings(schema: str, version: str = "proto3") -> dict[str, Any]:
    return {
        "format_schema_source": "string",
        "format_schema": f'syntax = "{version}"; {schema}',
        "format_schema_message_name": "M",
    }


READ: list[tuple[Any, ...]] = [
    # columns, schema, a message, settings
    ("a String", "message M { bool a = 1; }", "0801"),
    ("a Int32", "message M { string a = 1; int32 b = 2; }", "1001"),  # no text is no number
    ("a UInt8", "message M { int32 a = 1; }", "08ac02"),
    ("a Bool", "message M { int32 a = 1; }", "0805"),
    ("a Bool", "message M { bool a = 1; }", "0805"),
    ("a DateTime64(3)", "message M { int64 a = 1; }", "08e807"),
    ("a Time", "message M { int64 a = 1; }", "08e807"),
    ("a JSON", "message M { string a = 1; }", "08e807"),
    ("a Int32", "message M { int32 a = 1; }", "0a03010203"),  # packed: the last
    ("a Array(Int32)", "message M { repeated int32 a = 1; }", "08010a020203"),
    ("a Array(Int32)", "message M { repeated int32 a = 1 [packed = false]; }", "08010a020203"),
    ("a Array(Float64)", "message M { repeated double a = 1; }", "0a10" + "00" * 16 + DOUBLE),
    ("a String", "message M { string a = 1; }", "0801"),  # another wire type
    ("a String", "message M { string a = 1; }", "0a02ffff"),  # no UTF-8
    ("a String", "message M { string a = 1; }", "0a0541"),
    ("a Map(String, Int32)", "message M { map<string, int32> a = 1; }", "0a00"),
    ("a Map(String, Int32)", "message M { map<string, int32> a = 1; }", "0a050a016110010a050a01621002"),
    ("a Map(UInt64, Tuple(x Int32, y String))", "message N { int32 x = 1; string y = 2; } message M { map<uint64, N> a = 1; }", "0a0708011203080510060a020802"),
    ("a Array(Tuple(k String, v Int32))", "message N { string k = 1; int32 v = 2; } message M { repeated N a = 1; }", "0a050a016110010a00"),
    ("`n.a` Array(Int32), `n.b` Array(String)", "message M { message N { int32 a = 1; string b = 2; } repeated N n = 1; }", "0a0208010a031201410a00"),
    ("a Nullable(Int32), b Nullable(Int32)", "message M { int32 a = 1; int32 b = 2; }", "1000"),
    ("a Enum8('p' = 1, 'q' = 2)", "message M { enum E { P = 0; Q = 7; } E a = 1; int32 b = 2; }", "1001"),
    ("a Enum8('p' = 1, 'q' = 2)", "message M { enum E { P = 0; Q = 7; } E a = 1; int32 b = 2; }", "0807"),
    ("a Enum8('p' = 1, 'q' = 2)", "message M { enum E { P = 0; Q = 7; } E a = 1; int32 b = 2; }", "0809"),
    ("a Enum16('x' = 7, 'q' = 200)", "message M { enum E { P = 0; R = 7; } E a = 1; }", "0807"),
    ("a Enum8('x' = 3)", "message M { enum E { P = 0; R = 7; } E a = 1; }", "0807"),  # nothing in common
    ("a String, b Int8", "message M { enum E { P = 0; Q = 7; } E a = 1; E b = 2; }", "08071007"),
    ("a String", "message M { enum E { P = 0; Q = 7; } E a = 1; }", "0809"),
    ("a Float32", "message M { enum E { P = 0; Q = 7; } E a = 1; }", "0807"),
    ("a Int32", "message M { float a = 1; }", "0d0000c0bf"),
    ("a UInt8", "message M { float a = 1; }", "0d0000c0bf"),
    ("a Decimal(9, 2)", "message M { double a = 1; }", DOUBLE),
    ("a Decimal(9, 2), b Decimal(9, 2)", "message M { string a = 1; string b = 2; }", "0a04312e3235120131"),
    ("a Tuple(Int32, Int32)", "message M { repeated int32 a = 1; }", "08010802"),
    ("a Tuple(Int32, Int32)", "message M { repeated int32 a = 1; }", "0a020102"),
    ("a Tuple(Int32, Int32)", "message M { repeated int32 a = 1; }", "080108020803"),
    ("a Tuple(Int32, Int32)", "message M { int32 a = 1; }", "0801"),
    ("a Tuple(Int32, String)", "message N { int32 x = 1; string y = 2; } message M { N a = 1; }", "0a0208010a03120141"),
    ("a Tuple(Int32, String)", "message N { int32 x = 1; } message M { N a = 1; }", "0a020801"),
    ("a Tuple(p Int32)", "message N { int32 x = 1; } message M { N a = 1; }", "0a020801"),
    ("a Tuple(x Int32, z String)", "message N { int32 x = 1; } message M { N a = 1; int32 b = 2; }", "1001"),
    ("a Array(Array(Int32))", "message N { repeated int32 x = 1; } message M { repeated N a = 1; }", "0a0408010802"),
    ("a Array(Array(Int32))", "message M { repeated int32 a = 1; }", "0801"),
    ("a Array(Int32)", "message M { int32 a = 1; }", "0801"),
    ("a UUID, b UUID", "message M { string a = 1; string b = 2; }", "0a2430313233343536372d383961622d636465662d303132332d343536373839616263646566"),
    ("a UUID", "message M { bytes a = 1; }", "0a10" + "11" * 16),
    ("a UUID", "message M { int32 a = 1; }", "0801"),
    ("a DateTime", "message M { string a = 1; }", "0a13323032302d30312d30322030333a30343a3035"),
    ("a DateTime", "message M { string a = 1; int32 b = 2; }", "1001"),
    ("a IPv6", "message M { bytes a = 1; }", "0a10" + "11" * 16),
    ("a IPv6", "message M { bytes a = 1; }", "0a03112233"),
    ("a IPv4", "message M { string a = 1; }", "0a07312e322e332e34"),
    ("a Date", "message M { enum E { P = 0; } E a = 1; }", "0801"),
    ("a Int32", "message M { int32 b = 2; }", "1001"),  # no field for any column
    ("a Int32, x_y_z String", "message M { int32 a = 1; message X { message Y { string z = 3; } Y y = 2; } X x = 7; }", "08013a0512031a0141"),
    ("A Int32, `X.Y.z` String", "message M { int32 a = 1; message X { message Y { string z = 3; } Y y = 2; } X x = 7; }", "08013a0512031a01413a021200"),
    ("b Int32, c String", "message M { int32 b = 2; message N { int32 q = 1; } N n = 3; }", "10013206ffffffffffff1a020805"),
    ("b Int32, b2 Int32", "message M { int32 b = 2; int32 b2 = 700; }", "1001e02b05"),
    ("a String, b Int64", "message M { string a = 1; int64 b = 5; }", "2d01000000"),  # 32 bits for a varint
    ("v String, w Int32, o Enum8('none' = 0, 'v' = 1, 'w' = 2)", "message M { oneof o { string v = 1; int32 w = 2; } }", "0a0141", PRESENCE),
    ("v String, w Int32, o Enum8('none' = 0, 'v' = 1, 'w' = 2)", "message M { oneof o { string v = 1; int32 w = 2; } }", "0a01411005", PRESENCE),
    ("o Enum8('none' = 0, 'other' = 1), q Int32", "message M { oneof o { string v = 1; int32 w = 2; } int32 q = 3; }", "0a014118051002", PRESENCE),
    ("o Enum8('v' = 1), v String", "message M { oneof o { string v = 1; int32 w = 2; } }", "0a0141", PRESENCE),
    ("o Int8, v String", "message M { oneof o { string v = 1; int32 w = 2; } }", "0a0141", PRESENCE),
    ("o Enum8('none' = 0, 'v' = 1), v String", "message M { oneof o { string v = 1; int32 w = 2; } }", "0a0141"),
    ("a Nullable(String), b Nullable(String), c String", GOOGLE + " message M { StringValue a = 1; StringValue b = 2; StringValue c = 3; }", "0a00", WRAPPERS),
    ("a Nullable(Int32), b Nullable(Int32)", GOOGLE + " message M { Int32Value a = 1; Int32Value b = 2; }", "0a020805", WRAPPERS),
    ("a Array(String)", GOOGLE + " message M { repeated StringValue a = 1; }", "0a000a030a0141", WRAPPERS),
    ("a_value String", GOOGLE + " message M { StringValue a = 1; }", "0a030a0141"),
    ("a String", GOOGLE + " message M { StringValue a = 1; }", "0a030a0141"),
]  # fmt: skip

PROTO2 = [
    ("a Int32, b String, c Enum8('P' = 0, 'Q' = 7), d Float64, e Bool, f Nullable(Int32)", "message M { enum E { P = 0; Q = 7; } optional int32 a = 1 [default = -5]; optional string b = 2 [default = 'x']; optional E c = 3 [default = Q]; optional double d = 4 [default = 1.5]; optional bool e = 5 [default = true]; optional int32 f = 6 [default = 3]; optional int32 g = 7; }", "3801"),
    ("a Tuple(x Int32)", "message M { optional group A = 1 { optional int32 x = 2; } }", "0b10050c"),
    ("a_x Int32, b Int32", "message M { optional group A = 1 { optional int32 x = 2; } optional int32 b = 3; }", "0b10050c1807"),
    ("b Int32", "message M { optional group A = 1 { optional int32 x = 2; } optional int32 b = 3; }", "0b1005230c1807"),
    ("a Array(Int32)", "message M { repeated int32 a = 1; }", "0a020102"),
    ("a Int32", "message M { required int32 a = 1; required int32 b = 2; }", "0801"),
    ("a Int32, b String", "message M { required int32 a = 1; required string b = 2; }", "0801"),
    ("a Tuple(e Enum8('A' = 0, 'B' = 1), h Tuple(x Int32))", "message M { optional group A = 1 { enum E { A = 0; B = 1; } optional E e = 1; oneof o { group H = 2 { optional int32 x = 1; } string s = 3; } } }", "0b0801130807140c"),
    ("a Int32, x Int32", "message M { optional int32 a = 1; extensions 100 to 199; } extend M { optional int32 x = 100; }", "0805a00607"),
    ("a Int32, x Int32", "message M { optional int32 a = 1; extensions 100 to max; extend M { optional group X = 100 { optional int32 y = 1; } } }", "0805a3060807a406"),
    ("`p.x` Int32", "package p; message M { extensions 100; } extend M { optional int32 x = 100; }", "a00607"),
]  # fmt: skip

OTHERWISE = {
    "2d01000000",  # ClickHouse reads a varint of four bytes, and more of what is left
    "0805a3060807a406",  # ClickHouse skips no unknown group but an empty one
    "0a0208010a03120141",  # two parts of one message are one message, by Protobuf's rules
}
"""Messages that ClickHouse reads otherwise."""

WRITTEN: list[tuple[Any, ...]] = [
    # query, schema, settings
    ("SELECT 0 AS a, 'x' AS b, [1, 2]::Array(Int32) AS c, map('a', 0, 'b', 1) AS d, (1, 'x')::Tuple(p Int32, q String) AS e", "message E { int32 p = 1; string q = 2; } message M { int32 a = 1; string b = 2; repeated int32 c = 3 [packed = false]; map<string, int32> d = 4; E e = 5; }"),
    ("SELECT toDateTime64('1970-01-01 00:00:01.5', 3, 'UTC') AS a, toDateTime(5, 'UTC') AS b, toDate(3) AS c, toUUID('00000000-0000-0000-0000-000000000001') AS d, toDecimal32(1.5, 2) AS e, toIPv4('1.2.3.4') AS f, toIPv6('::1') AS g", "message M { int64 a = 1; string b = 2; uint32 c = 3; bytes d = 4; string e = 5; uint32 f = 6; bytes g = 7; }"),
    ("SELECT true AS a, 1.5 AS b, toInt256(5) AS c, 'Q' AS d, CAST('Q', 'Enum8(\\'Q\\' = 1)') AS e", "message M { bool a = 1; string b = 2; string c = 3; enum E { P = 0; Q = 7; } E d = 4; E e = 5; }"),
    ("SELECT NULL::Nullable(Int32) AS a, 0::Nullable(Int32) AS b, 0::Nullable(Int32) AS c", "message M { optional int32 a = 1; optional int32 b = 2; int32 c = 3; }"),
    ("SELECT [NULL, 0, 1]::Array(Nullable(Int32)) AS a, [0]::Array(Int32) AS b, []::Array(Int32) AS c", "message M { repeated int32 a = 1; repeated sint64 b = 20; repeated fixed32 c = 3; }"),
    ("SELECT [1, 2]::Array(Int32) AS `n.a`, ['x', '']::Array(String) AS `n.b`", "message M { message N { int32 a = 1; string b = 2; } repeated N n = 1; }"),
    ("SELECT 1 AS x_y_z, 2 AS x_w, 0 AS v_w", "message M { message X { message Y { int32 z = 3; } Y y = 2; int32 w = 1; } X x = 7; message V { int32 w = 1; } V v = 8; }"),
    ("SELECT [[1, 2], []]::Array(Array(Int32)) AS a", "message M { message N { repeated int32 x = 1; } repeated N a = 1; }"),
    ("SELECT (1, 2)::Tuple(Int32, Int32) AS a, (1, 'x')::Tuple(Int32, String) AS b", "message M { message N { int32 x = 1; string y = 2; } repeated int32 a = 1; N b = 2; }"),
    ("SELECT -1 AS a, -1 AS b, -1 AS c, -1 AS d, -1 AS e, -1.5 AS f, -1.5 AS g, 1 AS h", "message M { int32 a = 1; sint32 b = 2; sfixed32 c = 3; sfixed64 d = 4; double e = 5; int32 f = 6; float g = 7; bool h = 8; }"),
    ("SELECT -1::Int32 AS a", "message M { uint32 a = 1; }"),
    ("SELECT 2 AS a", "message M { bool a = 1; }"),
    ("SELECT 5 AS a", "message M { enum E { P = 0; Q = 7; } E a = 1; }"),
    ("SELECT '12' AS a, '1.5' AS b, 'true' AS c, 'Q' AS d", "message M { enum E { P = 0; Q = 7; } int32 a = 1; double b = 2; bool c = 3; E d = 4; }"),
    ("SELECT map(1, [1, 2]::Array(Int32))::Map(Int32, Array(Int32)) AS a", "message M { message V { repeated int32 x = 1; } map<int32, V> a = 1; }"),
    ("SELECT ''::Nullable(String) AS a, NULL::Nullable(String) AS b, 'x' AS c", GOOGLE + " message M { StringValue a = 1; StringValue b = 2; StringValue c = 3; }", WRAPPERS),
    ("SELECT '' AS a, 1 AS b", GOOGLE + " message M { StringValue a = 1; int32 b = 2; }", WRAPPERS),
    ("SELECT repeat('x', 300) AS a, (repeat('y', 200), 1)::Tuple(p String, q Int32) AS b", "message M { string a = 1; message N { string p = 1; int32 q = 2; } N b = 3000; }"),
]  # fmt: skip

WRITTEN2 = [
    ("SELECT 0 AS a, '' AS b, (0, 1)::Tuple(x Int32, y Int32) AS g", "message M { optional int32 a = 1; optional string b = 2; optional group G = 3 { optional int32 x = 1; optional int32 y = 2; } }"),
    ("SELECT 0 AS a", "message M { required int32 a = 1; required int32 b = 2; }"),
    ("SELECT 1 AS a, 2 AS x", "message M { optional int32 a = 1; extensions 100 to 199; } extend M { optional int32 x = 100; }"),
    ("SELECT (1, 'B')::Tuple(x Int32, e Enum8('A' = 0, 'B' = 1)) AS a", "message M { optional group A = 1 { enum E { A = 0; B = 1; } required int32 x = 1; optional E e = 2; } }"),
    ("SELECT 0 AS a, [1, 2]::Array(Int32) AS b", "message M { required int32 a = 1; repeated int32 b = 2; }"),
]  # fmt: skip


def differs(ours: Any, theirs: Any) -> bool:
    """Whether answers differ; errors are the same, whatever they say."""
    return ours != theirs and not (isinstance(ours, Wrong) and isinstance(theirs, Wrong))


def asked(run: Any, *args: Any) -> Any:
    try:
        return run(*args)
    except Wrong as bad:
        return bad


@pytest.mark.parametrize(("version", "cases"), [("proto3", READ), ("proto2", PROTO2)])
def test_ch_58_ch_71_ch_78_read(
    version: str, cases: list[tuple[Any, ...]], ours: Converter, peer: Peer
) -> None:
    """CH-58, CH-71, CH-78: a message of each schema is the rows that ClickHouse has, or wrong."""
    wrong = []
    for columns, schema, message, *more in cases:
        given = schema_settings(schema, version) | (more[0] if more else {})
        data = bytes([len(message) // 2]) + bytes.fromhex(message)
        found = asked(ours.rows, columns, "Protobuf", given, data)
        theirs = asked(peer.rows, columns, "Protobuf", given, data)
        if differs(found, theirs) != (message in OTHERWISE):
            wrong.append((columns, schema, message, found, theirs))
    assert not wrong, "\n".join(map(str, wrong))


def test_ch_58_every_number(ours: Converter, peer: Peer) -> None:
    """CH-58: a field of each type of numbers in a column of each type, there and missing."""
    wrong = []
    for field in NUMBERS.split():
        wire = WIRE.get(field, 0)
        body = bytes.fromhex(f"{8 | wire:02x}{ONE[wire]}")
        data = bytes([len(body)]) + body + bytes([2, 16, 1])
        given = schema_settings(f"message M {{ {field} a = 1; int32 b = 2; }}")
        for type_ in TARGETS:
            found = asked(ours.rows, f"a {type_}", "Protobuf", given, data)
            theirs = asked(peer.rows, f"a {type_}", "Protobuf", given, data)
            if differs(found, theirs) and (field, type_) not in CUT:
                wrong.append((field, type_, found, theirs))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize(("version", "cases"), [("proto3", WRITTEN), ("proto2", WRITTEN2)])
def test_ch_82_written(
    version: str, cases: list[tuple[Any, ...]], ours: Converter, peer: Peer
) -> None:
    """CH-82: rows are written as ClickHouse writes them, byte by byte, or are wrong."""
    wrong = []
    for query, schema, *more in cases:
        given = schema_settings(schema, version) | (more[0] if more else {})
        theirs = asked(peer.written, query, "Protobuf", given)
        shown = peer.written(query, "JSONCompactEachRow", {})
        described = (
            peer.asked(f"DESCRIBE ({query})", "TSVRaw", {"print_pretty_type_names": 0})
            .decode()
            .splitlines()
        )
        columns = ", ".join(f"`{c[0]}` {c[1]}" for c in (line.split("\t") for line in described))
        found = asked(ours.written, columns, "Protobuf", given, shown)
        if differs(found, theirs):
            wrong.append((query, schema, found, theirs))
    assert not wrong, "\n".join(map(str, wrong))


def _both_ways(types: list[str], seed: int, rows: int, ours: Converter, peer: Peer) -> None:
    """Rows of generated columns, in the schema that these make."""
    numbers = count()
    named = (re.sub("'([ab])'", lambda m: f"'{m[1]}{next(numbers)}'", each) for each in types)
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(named))
    quoted = columns.replace("'", "\\'")
    query = f"SELECT * FROM generateRandom('{quoted}', {seed}, 5, 3) LIMIT {rows}"
    shown = peer.written(query, SHOWN, EXACTLY)
    written = asked(peer.written, query, "Protobuf", {})
    if isinstance(written, Wrong):  # a time before 1970 has no number without a sign
        assert isinstance(asked(ours.written, columns, "Protobuf", {}, shown), Wrong), columns
        return
    assert not differs(
        asked(ours.rows, columns, "Protobuf", {}, written),
        asked(peer.rows, columns, "Protobuf", {}, written),
    ), columns
    plain: Any = codec("Protobuf", {})
    assert ours.convert(columns, plain, plain, written) == written, columns


def test_ch_58_every_type(ours: Converter, peer: Peer) -> None:
    """CH-58: a column of each type by itself, without a schema."""
    for each in SCALARS:
        _both_ways([each, f"Array({each})", f"Nullable({each})"], 1, 20, ours, peer)


def test_ch_58_generated(ours: Converter, peer: Peer) -> None:
    """CH-58: columns of any types, without a schema."""

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(schemas, st.integers(0, 2**63), st.integers(1, 5))
    def check(types: list[str], seed: int, rows: int) -> None:
        _both_ways(types, seed, rows, ours, peer)

    check()
