"""Columns and rows that are generated, for every format that reads and writes."""

from __future__ import annotations

from hypothesis import strategies as st

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


def generated(columns: str, seed: int, count: int) -> str:
    """A query of random rows."""
    quoted = columns.replace("'", "\\'")
    return f"SELECT * FROM generateRandom('{quoted}', {seed}, 5, 3) LIMIT {count}"
