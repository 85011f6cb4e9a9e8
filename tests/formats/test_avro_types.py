"""Values of every Avro type in columns of every ClickHouse type, beside ClickHouse itself."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastavro
import pytest

from formats.convert import Wrong

if TYPE_CHECKING:
    from formats.convert import Converter
    from formats.peer import Peer

UTC = dt.UTC
MOMENT = dt.datetime(2020, 1, 1, 1, 2, 3, 456000, tzinfo=UTC)
DATE = {"type": "int", "logicalType": "date"}
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}
ENUM = {"type": "enum", "name": "e", "symbols": ["a", "b"]}
PRICE = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
PAIR = {
    "type": "record",
    "name": "q",
    "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "string"}],
}
UUID = "00112233-4455-6677-8899-aabbccddeeff"


def fixed(size: int, **more: Any) -> dict[str, Any]:
    return {"type": "fixed", "name": "f", "size": size, **more}


def items(type_: Any) -> dict[str, Any]:
    return {"type": "array", "items": type_}


def pairs(type_: Any) -> dict[str, Any]:
    return {"type": "map", "values": type_}


CASES: list[tuple[Any, Any, str]] = [
    # (the writer's type, a value, columns with / between them)
    ("int", 5, "Int8/UInt8/Int16/UInt16/Int32/UInt32/Int64/UInt64/Float32/Float64/Bool/Date/Date32/DateTime/DateTime64(3)/DateTime64(6)/DateTime64(9)/Decimal(9, 2)/Decimal(18, 2)/Decimal(38, 2)/Int128/IPv4/String/UUID/Time/Enum8('a' = 5)/Nullable(Int64)/Array(Int32)"),
    ("int", -1, "UInt32/Int8/DateTime/Date32/Float32/IPv4"),
    ("long", 5, "Int8/UInt16/Int64/UInt64/Float32/Float64/Bool/Date/DateTime/DateTime64(0)/DateTime64(3)/DateTime64(9)/Decimal(18, 2)/IPv4/String/LowCardinality(Nullable(Int64))"),
    ("long", -1, "UInt64/Int8/Int64"),
    ("long", 2**60 + 1, "Float64/Int64/UInt64"),
    ("boolean", True, "Bool/UInt8/Int64/Float64/String"),
    ("float", 0.1, "Float32/Float64/Int32"),
    ("double", 1.7, "Int32/UInt8/Float32/Float64/UInt64/String"),
    ("double", -1.7, "Int8/UInt8/UInt64"),
    ("double", 1e30, "Int64/UInt64/Float32"),
    ("double", float("nan"), "Int64/Float64"),
    ("string", "abc", "String/FixedString(3)/FixedString(5)/FixedString(2)/Int32/Enum8('abc' = 1)/IPv4/Date/Decimal(9, 2)/DateTime64(3)/Nullable(String)/LowCardinality(String)/Array(String)"),
    ("string", UUID, "UUID/String"),
    ("string", UUID.replace("-", ""), "UUID"),
    ("string", "zz" + UUID[2:], "UUID"),
    ("bytes", b"ab\0c", "String/FixedString(4)/Int32"),
    ("null", None, "Int32/Nullable(Int32)/String"),
    (["null", "int"], None, "Int32/Nullable(Int32)/Nullable(String)"),
    (["int", "null"], 7, "Int32/Nullable(Int32)/Int64"),
    (["int"], 7, "Int32/Nullable(Int32)"),
    (["int", "string"], 7, "Int32/String"),
    (["null", "int", "string"], 7, "Int32/Nullable(Int32)"),
    (ENUM, "b", "String/Enum8('a' = 1, 'b' = 2)/Enum16('b' = 1, 'a' = -2, 'c' = 3)/Enum8('b' = 1)/Int8/LowCardinality(String)/FixedString(1)"),
    (fixed(3), b"abc", "FixedString(3)/FixedString(4)/String/UUID"),
    (fixed(16), b"\1" + bytes(15), "Int128/UInt128/IPv6/Int256/FixedString(16)/UUID"),
    (fixed(32), b"\1" * 32, "Int256/UInt256/Int128"),
    (fixed(36), UUID.encode(), "UUID"),
    (fixed(4, logicalType="decimal", precision=9, scale=2), Decimal("-1.25"), "Decimal(9, 2)/Decimal(9, 3)"),
    (fixed(5, logicalType="decimal", precision=9, scale=2), Decimal("-1.25"), "Decimal(9, 2)"),
    (PRICE, Decimal("-1.25"), "Decimal(9, 2)/Decimal(10, 2)/Decimal(9, 3)/Decimal(38, 2)/Float64/Int32/DateTime64(2)"),
    (PRICE | {"precision": 18, "scale": 3}, Decimal("1577840523.456"), "DateTime64(3)/Decimal(18, 3)/DateTime64(6)"),
    (PRICE | {"precision": 76, "scale": 3}, Decimal("-1577840523.456"), "Decimal(76, 3)"),
    (PRICE | {"precision": 38, "scale": 3}, Decimal("-1577840523.456"), "Decimal(38, 3)"),
    (DATE, dt.date(2020, 1, 1), "Date/Date32/Int32/DateTime/DateTime64(3)/String"),
    (DATE, dt.date(1960, 1, 1), "Date/Date32"),
    (MILLIS, MOMENT, "DateTime64(3)/Int64/String"),
    (MICROS, MOMENT, "DateTime64(6)/Int64/String"),
    ({"type": "int", "logicalType": "time-millis"}, dt.time(1, 2, 3), "Int32"),
    (items("int"), [1, 2], "Array(Int64)/Array(Nullable(Int32))/String/Array(String)"),
    (items(["null", "int"]), [1, None], "Array(Nullable(Int64))/Array(Int64)"),
    (items(items("string")), [["a"], []], "Array(Array(String))"),
    (pairs("int"), {"1": 2}, "Map(String, Int64)/Map(UInt8, Int32)/String"),
    (pairs("int"), {"x": 2}, "Map(UInt8, Int64)/Map(LowCardinality(String), Float64)"),
    (PAIR, {"x": 1, "y": "a"}, "Tuple(x Int32, y String)/Tuple(y String, x Int64)/Tuple(Int32, String)/Tuple(x Int32)/String/Int32"),
    (items(PAIR), [{"x": 1, "y": "a"}], "Array(Tuple(y String, x Int32))"),
]  # fmt: skip

DIFFERENT: list[tuple[Any, Any, str, str]] = [
    # (the writer's type, a value, the column, our answer): ClickHouse's answer is a wrong value
    ("long", 300, "UInt8", "Cannot convert Avro value 300 to UInt8"),
    ("long", 2**40, "Int32", "Cannot convert Avro value 1099511627776 to Int32"),
    ("int", -1, "UInt64", "Cannot convert Avro value -1 to UInt64"),
    ("long", -1, "DateTime", "Cannot convert Avro value -1 to DateTime"),
    ("double", 1.5, "Decimal(9, 2)", "Type Decimal(9, 2) is not compatible with Avro double"),
    (MILLIS, MOMENT, "DateTime64(6)", '["2020-01-01 01:02:03.456000"]'),
    (MILLIS, MOMENT, "DateTime64(9)", '["2020-01-01 01:02:03.456000000"]'),
    (MILLIS, MOMENT, "DateTime", '["2020-01-01 01:02:03"]'),
    (MILLIS, MOMENT, "Date", '["2020-01-01"]'),
    (MICROS, MOMENT, "DateTime64(3)", '["2020-01-01 01:02:03.456"]'),
    (MICROS, MOMENT, "DateTime64(0)", '["2020-01-01 01:02:03"]'),
]


def file(type_: Any, value: Any, codec: str = "null") -> bytes:
    """A message with one record, by a library of others."""
    made = io.BytesIO()
    schema = {"type": "record", "name": "r", "fields": [{"name": "c", "type": type_}]}
    fastavro.writer(made, fastavro.parse_schema(schema), [{"c": value}], codec=codec)
    return made.getvalue()


def answer(reader: Converter | Peer, column: str, message: bytes) -> str:
    try:
        return reader.rows(f"c {column}", "Avro", {}, message).decode().strip()
    except Wrong as bad:
        return f"error: {bad}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0])[:40])
def test_st_12_types(case: tuple[Any, Any, str], ours: Converter, peer: Peer) -> None:
    """ST-12: the same value, or an error where ClickHouse has one."""
    type_, value, columns = case
    message = file(type_, value)
    for column in columns.split("/"):
        found, theirs = answer(ours, column, message), answer(peer, column, message)
        assert found.partition(":")[0] == theirs.partition(":")[0], (column, found, theirs)
        if not theirs.startswith("error"):
            assert found == theirs, column


@pytest.mark.parametrize("case", DIFFERENT, ids=lambda case: f"{case[0]}-{case[2]}"[:60])
def test_where_clickhouse_is_wrong(case: Any, ours: Converter, peer: Peer) -> None:
    type_, value, column, wanted = case
    message = file(type_, value)
    found, theirs = answer(ours, column, message), answer(peer, column, message)
    assert wanted in found
    assert not theirs.startswith("error"), theirs
    assert theirs != found


@pytest.mark.parametrize("codec", ["deflate", "snappy", "zstandard"])
def test_st_13_codecs(codec: str, ours: Converter) -> None:
    try:
        message = file("string", "x" * 10_000, codec)
    except ValueError:
        pytest.skip(f"fastavro has no {codec} here")
    assert len(answer(ours, "String", message)) == 10_004


def test_a_record_within_itself(ours: Converter) -> None:
    """A field of a schema that contains itself is passed over, however deep; too deep is wrong."""
    node = {"type": "record", "name": "n", "fields": [{"name": "next", "type": ["null", "n"]}]}
    record = {
        "type": "record",
        "name": "r",
        "fields": [{"name": "list", "type": node}, {"name": "c", "type": "int"}],
    }
    for depth, wanted in ((500, "[7]"), (5_000, "nested more than")):
        made = io.BytesIO()
        fastavro.writer(
            made, fastavro.parse_schema(record), [], codec="null", sync_marker=b"s" * 16
        )
        data = b"\2" * depth + b"\0" + b"\x0e"
        block = b"\2" + _number(len(data)) + data + b"s" * 16
        assert wanted in answer(ours, "Int32", made.getvalue() + block)


def _number(value: int) -> bytes:
    made, left = bytearray(), value << 1
    while left > 0x7F:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*made, left])
