"""Values and their text in each format, for the encoders of messages and the writers of answers.

`formats/messages/written.jsonl` has a case in each line: a format, settings, and what ClickHouse
wrote for two times the row below.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any

from sluice.types.nanoseconds import NanoDatetime, NanoTimedelta

Case = tuple[str, Any, str, str, str, str]

UTC = dt.UTC
INSTANT = dt.datetime(2024, 1, 2, 3, 4, 5, 678900, tzinfo=UTC)

VALUES: list[Case] = [
    # type, value, TabSeparated, CSV, Values, JSONEachRow
    ("Int8", -5, "-5", "-5", "-5", "-5"),
    ("UInt64", 2**64 - 1, "18446744073709551615", "18446744073709551615", "18446744073709551615",
     "18446744073709551615"),
    ("UInt64", Decimal(7), "7", "7", "7", "7"),
    ("UInt8", True, "1", "1", "1", "1"),
    ("Bool", True, "true", "true", "true", "true"),
    ("Float64", 1.0, "1", "1", "1", "1"),
    ("Float64", math.inf, "inf", "inf", "inf", "null"),
    ("Float64", math.nan, "nan", "nan", "nan", "null"),
    ("Float32", 0.10000000149011612, "0.1", "0.1", "0.1", "0.1"),
    ("Decimal(10, 2)", Decimal("1.50"), "1.5", "1.5", "1.5", "1.5"),
    ("Decimal(10, 2)", Decimal("100.00"), "100", "100", "100", "100"),
    ("Decimal(38, 0)", Decimal("1E+2"), "100", "100", "100", "100"),
    ("String", "a'\\\t\n\"/", "a\\'\\\\\\t\\n\"/", '"a\'\\\t\n""/"', "'a\\'\\\\\\t\\n\"/'",
     '"a\'\\\\\\t\\n\\"\\/"'),
    ("String", "\0\b\f\r\x1f", "\\0\\b\\f\\r\x1f", '"\0\b\f\r\x1f"', "'\\0\\b\\f\\r\x1f'",
     '"\\u0000\\b\\f\\r\\u001F"'),
    ("String", "привет", "привет", '"привет"', "'привет'", '"привет"'),
    ("FixedString(3)", "a\0\0", "a\\0\\0", '"a\0\0"', "'a\\0\\0'", '"a\\u0000\\u0000"'),
    ("LowCardinality(Nullable(String))", "x", "x", '"x"', "'x'", '"x"'),
    ("Nullable(String)", None, "\\N", "\\N", "NULL", "null"),
    ("Enum8('a' = 1)", "a", "a", '"a"', "'a'", '"a"'),
    ("Date", dt.date(2024, 1, 2), "2024-01-02", '"2024-01-02"', "'2024-01-02'", '"2024-01-02"'),
    ("DateTime", INSTANT, "2024-01-02 03:04:05", '"2024-01-02 03:04:05"',
     "'2024-01-02 03:04:05'", '"2024-01-02 03:04:05"'),
    ("DateTime('Asia/Tokyo')", INSTANT, "2024-01-02 12:04:05", '"2024-01-02 12:04:05"',
     "'2024-01-02 12:04:05'", '"2024-01-02 12:04:05"'),
    ("DateTime64(3)", INSTANT, "2024-01-02 03:04:05.678", '"2024-01-02 03:04:05.678"',
     "'2024-01-02 03:04:05.678'", '"2024-01-02 03:04:05.678"'),
    ("DateTime64(0)", INSTANT, "2024-01-02 03:04:05", '"2024-01-02 03:04:05"',
     "'2024-01-02 03:04:05'", '"2024-01-02 03:04:05"'),
    ("Array(String)", ["a", "b'"], "['a','b\\'']", "\"['a','b\\'']\"", "['a','b\\'']",
     '["a","b\'"]'),
    ("Array(Nullable(Int8))", [1, None], "[1,NULL]", '"[1,NULL]"', "[1,NULL]", "[1,null]"),
    ("Array(Array(Date))", [[dt.date(2024, 1, 2)], []], "[['2024-01-02'],[]]",
     "\"[['2024-01-02'],[]]\"", "[['2024-01-02'],[]]", '[["2024-01-02"],[]]'),
    ("Map(String, Float64)", {"a": 1.5, "b": math.inf}, "{'a':1.5,'b':inf}",
     "\"{'a':1.5,'b':inf}\"", "{'a':1.5,'b':inf}", '{"a":1.5,"b":null}'),
    ("Map(UInt8, UInt8)", {1: 2}, "{1:2}", '"{1:2}"', "{1:2}", '{"1":2}'),
    ("Tuple(UInt8, String)", (1, "x"), "(1,'x')", '1,"x"', "(1,'x')", '[1,"x"]'),
    ("Tuple(a UInt8, b Tuple(c String))", (1, ("x",)), "(1,('x'))", '1,"x"', "(1,('x'))",
     '{"a":1,"b":{"c":"x"}}'),
]  # fmt: skip

_LARGEST = 2**256 - 1

SCALAR_VALUES: list[Case] = [
    # Types that Spark lacks.
    ("IPv4", IPv4Address("1.2.3.4"), "1.2.3.4", '"1.2.3.4"', "'1.2.3.4'", '"1.2.3.4"'),
    ("IPv6", IPv6Address("2001:db8::1"), "2001:db8::1", '"2001:db8::1"', "'2001:db8::1'",
     '"2001:db8::1"'),
    ("IPv6", IPv6Address("::ffff:1.2.3.4"), "::ffff:1.2.3.4", '"::ffff:1.2.3.4"',
     "'::ffff:1.2.3.4'", '"::ffff:1.2.3.4"'),
    ("IPv6", IPv6Address("::1.2.3.4"), "::1.2.3.4", '"::1.2.3.4"', "'::1.2.3.4'", '"::1.2.3.4"'),
    ("IPv6", IPv6Address("::1"), "::1", '"::1"', "'::1'", '"::1"'),
    ("Int128", -(2**70), f"{-(2**70)}", f"{-(2**70)}", f"{-(2**70)}", f"{-(2**70)}"),
    ("UInt256", _LARGEST, f"{_LARGEST}", f"{_LARGEST}", f"{_LARGEST}", f"{_LARGEST}"),
    ("Decimal(50, 3)", Decimal("-1.500"), "-1.5", "-1.5", "-1.5", "-1.5"),
    ("DateTime64(9)", NanoDatetime.since_epoch(-1), "1969-12-31 23:59:59.999999999",
     '"1969-12-31 23:59:59.999999999"', "'1969-12-31 23:59:59.999999999'",
     '"1969-12-31 23:59:59.999999999"'),
    ("DateTime64(7, 'Asia/Tokyo')", NanoDatetime.since_epoch(100), "1970-01-01 09:00:00.0000001",
     '"1970-01-01 09:00:00.0000001"', "'1970-01-01 09:00:00.0000001'",
     '"1970-01-01 09:00:00.0000001"'),
    ("Time", dt.timedelta(seconds=-3599999), "-999:59:59", '"-999:59:59"', "'-999:59:59'",
     '"-999:59:59"'),
    ("Time64(9)", NanoTimedelta.of(-1), "-00:00:00.000000001", '"-00:00:00.000000001"',
     "'-00:00:00.000000001'", '"-00:00:00.000000001"'),
    ("Array(IPv4)", [IPv4Address("1.2.3.4")], "['1.2.3.4']", "\"['1.2.3.4']\"", "['1.2.3.4']",
     '["1.2.3.4"]'),
]  # fmt: skip

FLINK_VALUES: list[Case] = [
    # Types that only Flink's dialect has: answers show them, messages of these formats do not.
    ("LocalDateTime(3)", INSTANT.replace(tzinfo=None), "2024-01-02 03:04:05.678",
     '"2024-01-02 03:04:05.678"', "'2024-01-02 03:04:05.678'", '"2024-01-02 03:04:05.678"'),
    ("LocalDateTime(0)", INSTANT.replace(tzinfo=None), "2024-01-02 03:04:05",
     '"2024-01-02 03:04:05"', "'2024-01-02 03:04:05'", '"2024-01-02 03:04:05"'),
    ("TimeOfDay(3)", "12:00:01.5", "12:00:01.5", '"12:00:01.5"', "'12:00:01.5'", '"12:00:01.5"'),
    ("BoundedText(5)", "a", "a", '"a"', "'a'", '"a"'),
    ("Bytes", b"\xc0\xff", "x\\'c0ff\\'", "\"x'c0ff'\"", "'x\\'c0ff\\''", "\"x'c0ff'\""),
    ("Multiset(String)", {"a": 2}, "{'a':2}", "\"{'a':2}\"", "{'a':2}", '{"a":2}'),
]  # fmt: skip

PYTHON_VALUES: list[Case] = [
    # Types whose values are written by ClickHouse, unless Python has them already.
    ("JSON", {"a": 1, "b": ["x"]}, '{"a":1,"b":["x"]}', '"{""a"":1,""b"":[""x""]}"',
     "'{\"a\":1,\"b\":[\"x\"]}'", '{"a":1,"b":["x"]}'),
    ("Array(JSON)", [{"a": 1}], "['{\"a\":1}']", '"[\'{""a"":1}\']"', "['{\"a\":1}']", '[{"a":1}]'),
    ("Dynamic", "x", "x", '"x"', "'x'", '"x"'),
]  # fmt: skip


def texts(case: Case) -> dict[str, str]:
    """A row of one column `x` with the value, in each format."""
    _, _, tsv, csv, _, json_ = case
    return {
        "TabSeparated": f"{tsv}\n",
        "TSKV": f"x={tsv}\n",
        "CSV": f"{csv}\n",
        "JSONEachRow": f'{{"x":{json_}}}\n',
        "JSONCompactEachRow": f"[{json_}]\n",
    }


FLOATS: list[tuple[float, str]] = [
    (1e20, "100000000000000000000"), (1e21, "1e21"),
    (1.2345678901234568e22, "1.2345678901234568e22"), (1e-5, "0.00001"), (1e-6, "0.000001"),
    (1.5e-6, "0.0000015"), (1e-7, "1e-7"), (-2.5e-9, "-2.5e-9"), (123456789.125, "123456789.125"),
    (1e16, "10000000000000000"), (-0.0, "-0"), (-math.inf, "-inf"),
    (1.7976931348623157e308, "1.7976931348623157e308"), (0.0, "0"), (0.1, "0.1"),
    (0.1 + 0.2, "0.30000000000000004"), (5.684341886080802e-14, "5.684341886080802e-14"),
    (2e-322, "2e-322"), (9007199254740992.0, "9007199254740992"),
    (9007199254740994.0, "9007199254740994"), (-1.5, "-1.5"), (1e23, "1e23"), (math.inf, "inf"),
    (math.nan, "nan"),
]  # fmt: skip
"""Float64, by the shortest text that is the same number."""

FLOATS_32 = {0.1: "0.1", 16777216.0: "16777216", 1e10: "10000000000", 3.4028235e38: "3.4028235e38"}

COLUMNS = {
    "u": "UInt64",
    "i": "Int64",
    "u4": "UInt32",
    "d": "DateTime('Europe/Moscow')",
    "day": "Date",
    "d6": "DateTime64(3)",
    "m": "Map(String, UInt8)",
    "mm": "Map(Date, Array(UInt8))",
    "t": "Tuple(UInt8, String, Nullable(UInt8))",
    "nt": "Tuple(a UInt8, `b c` Nullable(String))",
    "a": "Array(Nullable(UInt8))",
    "sa": "Array(String)",
    "dd": "Decimal(18, 3)",
    "inf": "Float64",
    "s": "String",
    "b": "Bool",
    "ab": "Array(Bool)",
    "f": "Float32",
    "g": "Float64",
    "h": "Float64",
    "uu": "UUID",
    "e": "Enum8('x\\'y' = 1)",
    "fs": "FixedString(4)",
    "nn": "Nullable(String)",
    "neg": "DateTime64(3)",
}
ROW: tuple[Any, ...] = (
    Decimal(18446744073709551615), -5, 7, dt.datetime(2019, 12, 31, 21, tzinfo=UTC),
    dt.date(2020, 1, 2), dt.datetime(2020, 1, 1, microsecond=120_000, tzinfo=UTC),
    {"a'\"": 1, "b": 2}, {dt.date(2020, 1, 1): [1]}, (1, "x'y\n\"/", None), (1, None), [1, None],
    ["a,'\"", "b\t\n"], Decimal("1.500"), -math.inf,
    "a/b\"c\n\x01\x7f\0\b\f\r\t\\'ф\u2028", True, [True, False], 0.10000000149011612, 1e20,
    123456.789e-10, "00000000-0000-0000-0000-000000000001", "x'y", "ab\0\0", None,
    dt.datetime(1969, 12, 31, 23, 59, 58, 750_000, tzinfo=UTC),
)  # fmt: skip


def written(name: str = "written.jsonl") -> list[tuple[str, dict[str, Any], str]]:
    """The cases of ClickHouse."""
    file = Path(__file__).parent / "formats/messages" / name
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
