"""Every type has one meaning: in Flink's words, in the catalog and in Spark."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sluice.sql.flink.cursor import Cursor
from sluice.sql.flink.reading import tokenize
from sluice.sql.flink.types import read_type, write_type
from sluice.types import Type, parse_type, spark_type
from sluice.types import model as m

SCALARS = st.sampled_from(
    [
        m.Text(1, fixed=True), m.Text(7), m.String(), m.Bool(), m.Bytes(3, fixed=True), m.Bytes(9),
        m.Bytes(), m.Decimal(10, 2), m.Decimal(38, 38), m.Int(8), m.Int(16), m.Int(32), m.Int(64),
        m.Float(32), m.Float(64), m.Date(wide=True), m.TimeOfDay(0), m.TimeOfDay(9),
        m.LocalDateTime(0), m.LocalDateTime(6), m.DateTime(3), m.Interval("YEAR(2) TO MONTH"),
        m.Interval("DAY"),
    ]
)  # fmt: skip
NAMES = st.lists(
    st.text(min_size=1, max_size=5).filter(lambda name: "\0" not in name), min_size=1, max_size=3,
    unique=True,
)  # fmt: skip


def _nullable(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return inner | inner.map(m.Nullable)


def _around(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    item = _nullable(inner)
    return (
        item.map(m.Array)
        | st.tuples(SCALARS, item).map(lambda pair: m.Map(*pair))
        | SCALARS.map(m.Multiset)
        | st.tuples(NAMES, item).map(lambda p: m.Tuple((p[1],) * len(p[0]), tuple(p[0])))
    )


@given(_nullable(st.recursive(SCALARS, _around, max_leaves=6)))
def test_any_type_is_written_and_read(type_: Type) -> None:
    text = write_type(type_)
    cursor = Cursor(text, tokenize(text))
    assert read_type(cursor) == type_
    cursor.end()
    assert parse_type(str(type_)) == type_
    assert spark_type(type_)


def test_types_of_clickhouse_can_be_shown() -> None:
    shown = {
        "UInt8": "SMALLINT NOT NULL",
        "UInt64": "DECIMAL(20, 0) NOT NULL",
        "LowCardinality(Nullable(String))": "STRING",
        "LowCardinality(String)": "STRING NOT NULL",
        "Enum8('a' = 1)": "STRING NOT NULL",
        "FixedString(3)": "STRING NOT NULL",
        "UUID": "STRING NOT NULL",
        "DateTime": "TIMESTAMP_LTZ(0) NOT NULL",
        "Tuple(Int8, String)": "ROW<`f0` TINYINT NOT NULL, `f1` STRING NOT NULL> NOT NULL",
    }
    assert {text: write_type(parse_type(text)) for text in shown} == shown
