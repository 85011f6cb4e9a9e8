from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluice.errors import SluiceError
from sluice.types import bare, is_nullable, parse_type, quote_name, spark_type
from sluice.types import model as m

TYPES = {
    "Int8": "TINYINT", "Int16": "SMALLINT", "Int32": "INT", "Int64": "BIGINT",
    "UInt8": "SMALLINT", "UInt16": "INT", "UInt32": "BIGINT", "UInt64": "DECIMAL(20,0)",
    "Float32": "FLOAT", "Float64": "DOUBLE", "Bool": "BOOLEAN", "String": "STRING",
    "FixedString(7)": "STRING", "UUID": "STRING", "Date": "DATE", "Date32": "DATE",
    "DateTime": "TIMESTAMP", "DateTime('Europe/Moscow')": "TIMESTAMP",
    "DateTime64(3)": "TIMESTAMP", "DateTime64(6, 'UTC')": "TIMESTAMP",
    "Decimal(10, 2)": "DECIMAL(10,2)", "Enum8('a' = 1, 'b\\'c' = -2)": "STRING",
    "Enum16('a' = 1000)": "STRING", "LowCardinality(String)": "STRING",
    "Nullable(Int32)": "INT", "LowCardinality(Nullable(String))": "STRING",
    "Array(Array(UInt8))": "ARRAY<ARRAY<SMALLINT>>",
    "Map(String, UInt64)": "MAP<STRING, DECIMAL(20,0)>",
    "Tuple(UInt8, String)": "STRUCT<`1`: SMALLINT, `2`: STRING>",
    "Tuple(a UInt8, `b c` String)": "STRUCT<`a`: SMALLINT, `b c`: STRING>",
    "LocalDateTime(3)": "TIMESTAMP_NTZ", "TimeOfDay(0)": "STRING", "Bytes": "BINARY",
    "FixedBytes(3)": "BINARY", "BoundedBytes(9)": "BINARY", "FixedText(3)": "STRING",
    "BoundedText(10)": "STRING", "Multiset(String)": "MAP<STRING, INT>",
    "Interval('YEAR')": "INTERVAL YEAR",
    "Interval('DAY(3) TO SECOND(6)')": "INTERVAL DAY TO SECOND",
    "Optional(Array(Nullable(Int32)))": "ARRAY<INT>", "Nullable(Nothing)": "VOID",
    "Optional(Tuple(a Optional(Map(Float64, Bytes))))": "STRUCT<`a`: MAP<DOUBLE, BINARY>>",
    "AggregateFunction(count)": "STRUCT<`count`: BIGINT>",
    "AggregateFunction(sum, UInt64)": "STRUCT<`sum`: DECIMAL(38,0)>",
    "AggregateFunction(sumIf, Decimal(5, 2), UInt8)": "STRUCT<`sum`: DECIMAL(38,2)>",
    "AggregateFunction(quantiles(0, 0.9), Float32)": "STRUCT<`quantiles`: BINARY>",
    "AggregateFunction(argMax, String, Date)": "STRUCT<`argMax`: STRUCT<x: STRING, v: DATE>>",
    "SimpleAggregateFunction(anyLast, Nullable(Int8))": "TINYINT",
    "Array(Nested(a UInt8, b String))": "ARRAY<ARRAY<STRUCT<`a`: SMALLINT, `b`: STRING>>>",
    "JSON": "STRING",
    "JSON(max_dynamic_types=3, `a.b` UInt32, SKIP c, SKIP REGEXP 'x\\.*')": "STRING",
    "Array(JSON(a JSON))": "ARRAY<STRING>",
    "Variant(Array(UInt64), String)": "STRING", "Dynamic": "STRING", "Geometry": "STRING",
    "Array(Dynamic(max_types=3))": "STRING", "Tuple(a Variant(Int8), b Int8)": "STRING",
    "BFloat16": "FLOAT", "Array(BFloat16)": "ARRAY<FLOAT>",
    "Point": "STRUCT<`1`: DOUBLE, `2`: DOUBLE>",
    "Ring": "ARRAY<STRUCT<`1`: DOUBLE, `2`: DOUBLE>>",
    "MultiPolygon": "ARRAY<ARRAY<ARRAY<STRUCT<`1`: DOUBLE, `2`: DOUBLE>>>>",
    "Int128": "BINARY", "UInt256": "BINARY", "Decimal(39, 1)": "BINARY", "IPv4": "BIGINT",
    "IPv6": "BINARY", "DateTime64(7)": "BIGINT", "DateTime64(9, 'Asia/Tokyo')": "BIGINT",
    "Time": "BIGINT", "Time64(0)": "BIGINT", "Map(IPv4, Int256)": "MAP<BIGINT, BINARY>",
    "LowCardinality(IPv6)": "BINARY", "AggregateFunction(max, UInt128)": "STRUCT<`max`: BINARY>",
    "SimpleAggregateFunction(min, IPv6)": "BINARY",
}  # fmt: skip


@pytest.mark.parametrize("text", TYPES)
def test_types_are_read_written_and_stored(text: str) -> None:
    type_ = parse_type(text)
    assert parse_type(str(type_)) == type_
    assert spark_type(type_) == TYPES[text]


@pytest.mark.parametrize(
    ("given_text", "written"),
    [
        ("Enum('b' = 2, 'a' = 1)", "Enum8('a' = 1, 'b' = 2)"),
        ("Enum('x', 'y')", "Enum8('x' = 1, 'y' = 2)"),
        (r"Enum8('a\tb' = 1)", "Enum8('a\tb' = 1)"),
        ("Enum('x' = 200)", "Enum16('x' = 200)"),
        ("Decimal64(3)", "Decimal(18, 3)"),
        ("  bigint ", "Int64"),
        ("VARCHAR", "String"),
        ("DateTime64", "DateTime64(3)"),
        ("json", "JSON"),
        (
            "JSON(SKIP b.c, a.`b.c` Int8, max_dynamic_paths=0)",
            "JSON(max_dynamic_paths=0, `a.b.c` Int8, SKIP `b.c`)",
        ),
        ("Variant(UInt64, String, UInt64)", "Variant(String, UInt64)"),
        ("Time64", "Time64(3)"),
        ("Decimal256(5)", "Decimal(76, 5)"),
    ],
)
def test_other_spellings(given_text: str, written: str) -> None:
    assert str(parse_type(given_text)) == written


@pytest.mark.parametrize(
    "text",
    [
        "", "Int9", "Int8(1)", "Array", "Array()", "Array(Int8", "Array(Int8))",
        "Array(Int8, Int8)",
        "Nullable(Array(Int8))", "Nullable(Nullable(Int8))", "Map(Array(Int8), Int8)",
        "Map(String)",
        "Enum8()", "Enum8('a' = 1, 'a' = 2)", "Enum8('a' = 1, 'b' = 1)", "Enum8('a' = 200)",
        "Enum8(a = 1)", "FixedString(0)", "FixedString('x')", "DateTime('Mars/Base')",
        "DateTime64(10)", "Decimal(77, 1)", "Time64(10)", "IPv4(1)", "Decimal(3, 4)", "Tuple()",
        "Tuple(a Int8, Int8)", "AggregateFunction(sum, Int128)",
        "SimpleAggregateFunction(sum, UInt256)", "AggregateFunction(quantile, Decimal(50, 1))",
        "Int8; DROP TABLE x", "Int8 Int8", "LocalDateTime", "LocalDateTime(7)", "TimeOfDay(10)",
        "BoundedText(0)", "FixedBytes('x')", "Interval('DAY TO')", "Interval(1)", "Optional(Int8)",
        "JSON(a)", "JSON(a Int8, a Int16)", "JSON(a.b Int8, SKIP a)",
        "JSON(max_dynamic_paths=10001)",
        "JSON(max_paths=1)", "JSON(SKIP REGEXP x)", "Object('json')", "Variant()", "Variant(1)",
        "Variant(Nullable(Int8))", "Variant(Dynamic)", "Nullable(Dynamic)", "Dynamic(255)",
        "Dynamic(max_types=255)", "Nullable(Variant(Int8))", "Map(JSON, Int8)", "Dynamic(Int8)",
        "Nested(Int8)", "Nested()", "Nested(a Int8, a Int8)", "Nullable(Nested(a Int8))", "Ring(1)",
        "Multiset(Array(Int8))", "Nullable(Multiset(Int8))", "Map(Multiset(Int8), Int8)",
    ],
)  # fmt: skip
def test_wrong_types_are_refused(text: str) -> None:
    with pytest.raises(SluiceError):
        parse_type(text)


def test_a_misspelt_type_gets_a_hint() -> None:
    with pytest.raises(SluiceError, match="Did you mean UInt64"):
        parse_type("UInt46")


def test_ranges() -> None:
    assert (m.Int(8).low, m.Int(8).high) == (-128, 127)
    assert (m.Int(64, signed=False).low, m.Int(64, signed=False).high) == (0, (1 << 64) - 1)


def test_what_is_around_a_type() -> None:
    type_ = parse_type("LowCardinality(Nullable(String))")
    assert bare(type_) == m.String()
    assert is_nullable(type_)
    assert not is_nullable(parse_type("Array(Nullable(Int8))"))


SCALARS = st.sampled_from([parse_type(text) for text in TYPES if "(" not in text])


def _around(inner: st.SearchStrategy[m.Type]) -> st.SearchStrategy[m.Type]:
    names = st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3, unique=True)
    return (
        inner.map(m.Array)
        | inner.map(lambda item: m.Map(m.String(), item))
        | st.lists(inner, min_size=1, max_size=3).map(lambda items: m.Tuple(tuple(items)))
        | st.tuples(names, inner).map(lambda p: m.Tuple((p[1],) * len(p[0]), tuple(p[0])))
    )


@given(st.recursive(SCALARS, _around, max_leaves=5))
def test_any_type_survives_the_catalog(type_: m.Type) -> None:
    assert parse_type(str(type_)) == type_


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(SluiceError):
        parse_type(text)


def test_quoted_names() -> None:
    assert quote_name("a`b\\") == "`a\\`b\\\\`"
