"""Binary formats with generated columns and rows, between our own and ClickHouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formats.convert import EXACTLY, SHOWN, codec
from formats.test_examples import answered

if TYPE_CHECKING:
    from formats.convert import Converter
    from formats.peer import Peer

FORMATS = ("RowBinary", "RowBinaryWithNames", "RowBinaryWithNamesAndTypes", "MsgPack", "Native")

SCALARS = [
    *("Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Int128"),
    *("UInt128", "Int256", "UInt256", "Float32", "Float64", "Decimal(9,2)", "Decimal(18,18)"),
    *("Decimal(38,10)", "Decimal(76,30)", "Bool", "String", "FixedString(3)", "UUID", "Date"),
    *("Date32", "DateTime", "DateTime('Asia/Tokyo')", "DateTime64(0)", "DateTime64(3)"),
    *("DateTime64(6,'UTC')", "DateTime64(9)", "IPv4", "IPv6", "Enum8('a'=-128,'b'=127)"),
    "Enum16('a'=-1,'b'=300)",
]
KEYS = ["Int64", "UInt32", "UUID", "IPv6", "DateTime64(3)"]
"""Types whose generated values are different ones."""

NESTED = [
    *("Nullable(Int8)", "LowCardinality(Nullable(String))", "Array(Array(UInt8))", "Polygon"),
    *("Map(String, Array(Nullable(UUID)))", "Tuple(a UInt8, `b c` Tuple(String, Point))"),
    "SimpleAggregateFunction(sum, UInt64)",
]

scalars = st.sampled_from(SCALARS)
leaves = st.one_of(
    scalars,
    scalars.map("Nullable({})".format),
    st.sampled_from(("String", "Nullable(String)", "UInt32")).map("LowCardinality({})".format),
    st.sampled_from(("Point", "Ring", "Polygon")),
)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tuples = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        inner.map("Array({})".format),
        st.builds("Map({}, {})".format, st.sampled_from(KEYS), inner),
        tuples.map(lambda items: f"Tuple({', '.join(items)})"),
        tuples.map(lambda items: f"Tuple({', '.join(f'f{n} {i}' for n, i in enumerate(items))})"),
    )


types = st.recursive(leaves, _nested, max_leaves=4)
schemas = st.lists(types, min_size=1, max_size=5)


def _generated(columns: str, seed: int, count: int) -> str:
    quoted = columns.replace("'", "\\'")
    return f"SELECT * FROM generateRandom('{quoted}', {seed}, 5, 3) LIMIT {count}"


@pytest.mark.parametrize("format_", FORMATS)
def test_ch_58_every_type(format_: str, ours: Converter, peer: Peer) -> None:
    """One column of each type, and rows of each type with others."""
    names = [*SCALARS, *(f"Nullable({each})" for each in SCALARS)]
    _both_ways(format_, names, 1, 20, ours, peer)


@pytest.mark.parametrize("format_", FORMATS)
def test_ch_58_generated(format_: str, ours: Converter, peer: Peer) -> None:
    """What ClickHouse writes is read, and what is written is what ClickHouse writes."""

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(schemas, st.integers(0, 2**63), st.integers(1, 5))
    def check(given_: list[str], seed: int, count: int) -> None:
        _both_ways(format_, given_, seed, count, ours, peer)

    check()


def test_types_in_bytes(ours: Converter, peer: Peer) -> None:
    """Every type in the binary encoding of a header."""
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate([*SCALARS, *NESTED]))
    query, format_ = _generated(columns, 1, 1), "RowBinaryWithNamesAndTypes"
    write = {"output_format_binary_encode_types_in_binary_format": 1}
    read = {"input_format_binary_decode_types_in_binary_format": 1}
    written = peer.written(query, format_, write)
    assert ours.convert(columns, codec(format_, read), codec(format_, write), written) == written


def test_types_names_and_defaults(ours: Converter, peer: Peer) -> None:
    """RowBinaryWithNamesAndTypesAndDefaults, which ClickHouse only reads."""
    data = b"\x02\1b\1a\6String\5UInt8" + b"\0\1x\0\7" + b"\1\1" + b"\0\0\1"
    asked: Any = ("a UInt8, b String", "RowBinaryWithNamesAndTypesAndDefaults", {}, data)
    assert ours.rows(*asked) == peer.rows(*asked) == b'[7, "x"]\n[0, ""]\n[0, ""]\n'
    for end in range(1, len(data)):
        answered(ours, *asked[:3], data[:end])


def _both_ways(
    format_: str, given_: list[str], seed: int, count: int, ours: Converter, peer: Peer
) -> None:
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(given_))
    query = _generated(columns, seed, count)
    shown = peer.written(query, SHOWN, EXACTLY).replace(b'"-nan"', b'"nan"')
    written = peer.written(query, format_, {})
    assert ours.rows(columns, format_, {}, written) == shown
    plain: Any = codec(format_, {})
    again = ours.convert(columns, plain, plain, written)
    if format_ == "Native":  # there are bytes without a meaning where a value is NULL
        read = peer.rows(columns, format_, {}, again)
        assert read.replace(b'"-nan"', b'"nan"') == shown
    else:
        assert again == written
