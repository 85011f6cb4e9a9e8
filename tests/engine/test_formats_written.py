"""Rows as messages, against what ClickHouse writes for the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats.encode import encoded
from sluice.types import parse_type, spark_type

if TYPE_CHECKING:
    from sluice.session import Session

COLUMNS = {
    "u": "UInt64",
    "i": "Int64",
    "d": "DateTime('Europe/Moscow')",
    "day": "Date",
    "d6": "DateTime64(3)",
    "m": "Map(String, UInt8)",
    "mm": "Map(Date, Array(UInt8))",
    "t": "Tuple(UInt8, String, Nullable(UInt8))",
    "nt": "Tuple(a UInt8, `b c` String)",
    "a": "Array(Nullable(UInt8))",
    "sa": "Array(String)",
    "dd": "Decimal(18, 3)",
    "inf": "Float64",
    "s": "String",
    "b": "Bool",
    "f": "Float32",
    "g": "Float64",
    "h": "Float64",
    "uu": "UUID",
    "e": "Enum8('x\\'y' = 1)",
    "fs": "FixedString(4)",
    "nn": "Nullable(String)",
    "neg": "DateTime64(3)",
}
ROW = """
    18446744073709551615, CAST(-5 AS BIGINT), TIMESTAMP'2019-12-31 21:00:00', DATE'2020-01-02',
    TIMESTAMP'2020-01-01 00:00:00.12',
    map('a''"', 1S, 'b', 2S), map(DATE'2020-01-01', array(1S)), struct(1S, 'x''y\\n"/', NULL),
    struct(1S, 'x'), array(1S, NULL), array('a,''"', 'b\\t\\n'), 1.5BD, double('-inf'),
    'a/b"c\\n\\u0001\\u007f\\u0000\\b\\u000c\\r\\t\\\\''ф\\u2028',
    true, 0.1F, 1e20D, 123456.789e-10D,
    '00000000-0000-0000-0000-000000000001', 'x''y', 'ab\\u0000\\u0000', NULL,
    TIMESTAMP'1969-12-31 23:59:59.999'
"""


def written(format_: str, rows: int = 1, **given: Any) -> bytes:
    """A message with so many times that row."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    columns = [(name, parse_type(text)) for name, text in COLUMNS.items()]
    fields = ", ".join(f"`{name}`: {spark_type(type_)}" for name, type_ in columns)
    one = f"CAST(struct({ROW}) AS struct<{fields}>)"
    frame = spark.range(1).selectExpr(f"array_repeat({one}, {rows}) AS rows")
    ((message,),) = frame.select(encoded(spark, format_, columns, frame["rows"], given)).collect()
    return bytes(message)


JSON = """
{"u":18446744073709551615,"i":-5,"d":"2020-01-01 00:00:00","day":"2020-01-02",
"d6":"2020-01-01 00:00:00.120","m":{"a'\\"":1,"b":2},"mm":{"2020-01-01":[1]},
"t":[1,"x'y\\n\\"\\/",null],"nt":{"a":1,"b c":"x"},"a":[1,null],"sa":["a,'\\"","b\\t\\n"],
"dd":1.5,"inf":null,"s":"a\\/b\\"c\\n\\u0001\x7f\\u0000\\b\\f\\r\\t\\\\'ф\\u2028","b":true,"f":0.1,
"g":100000000000000000000,"h":0.0000123456789,"uu":"00000000-0000-0000-0000-000000000001",
"e":"x'y","fs":"ab\\u0000\\u0000","nn":null,"neg":"1969-12-31 23:59:59.999"}
"""


def joined(lines: str) -> str:
    """A row that was cut into lines for this page."""
    return lines.strip().replace("\n", "")


def test_json_each_row(engine: Session) -> None:
    """Every type as JSON, a line for each row."""
    line = joined(JSON) + "\n"
    assert written("JSONEachRow").decode() == line
    assert written("JSONEachRow", rows=2).decode() == line * 2
