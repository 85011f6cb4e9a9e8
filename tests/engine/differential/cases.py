"""The calls that are compared: every function, with columns of every type it may take.

Which types a function takes is not written down: ClickHouse refuses the others. `ARGS` has the
arguments of functions that want something special (a unit, a pattern, a lambda, JSON).
"""
# ruff: noqa: E501 - rows of a table

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.sql.clickhouse.functions import FUNCTIONS, Aggregate, Function

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "i8": ("Int8", ("0", "127", "-128", "-1", "65")),
    "i16": ("Int16", ("0", "32767", "-32768", "-7", "300")),
    "i32": ("Int32", ("0", "2147483647", "-2147483648", "-3", "1000")),
    "i64": ("Int64", ("0", "9223372036854775807", "-9223372036854775808", "-2", "86400")),
    "u8": ("UInt8", ("0", "255", "1", "3", "77")),
    "u16": ("UInt16", ("0", "65535", "1", "7", "999")),
    "u32": ("UInt32", ("0", "4294967295", "1", "9", "1710498030")),
    "u64": ("UInt64", ("0", "18446744073709551615", "1", "6", "9223372036854775808")),
    "f32": ("Float32", ("0", "1.5", "-2.25", "0.1", "16777216")),
    "f64": ("Float64", ("0", "1.255", "-2.5", "1e300", "1234567.891")),
    "odd": ("Float64", ("nan", "inf", "-inf", "2.345", "-0.5")),
    "dec": ("Decimal(9, 2)", ("0", "9999999.99", "-9999999.99", "1.25", "-2.35")),
    "wide": ("Decimal(38, 10)", ("0", "1.5", "-0.0000000001", "12345678901234567890.5", "3")),
    "b": ("Bool", ("false", "true", "true", "false", "true")),
    "s": ("String", ("''", "'Hello, Wörld'", "' ab ABC '", "'12'", "'2024-03-15 10:20:30'")),
    "num": ("String", ("'0'", "'-129'", "'256'", "'1.5'", "'18446744073709551616'")),
    "raw": ("String", ("unhex('ff')", "'ПРИВЕТ'", "'a\\0b'", "unhex('c3')", "'\\t%_'")),
    "fs": ("FixedString(4)", ("''", "'abcd'", "'é'", "'1'", "'ab'")),
    "d": ("Date", ("'1970-01-01'", "'2149-06-06'", "'2024-02-29'", "'2023-12-31'", "'2021-01-03'")),
    "d32": ("Date32", ("'1970-01-01'", "'2299-12-31'", "'1900-01-01'", "'2024-02-29'",
                       "'1969-12-31'")),
    "t": ("DateTime", ("'1970-01-01 00:00:00'", "'2106-02-07 06:28:15'", "'2024-02-29 23:59:59'",
                       "'2023-12-31 12:34:56'", "'2021-01-03 00:00:01'")),
    "tz": ("DateTime('Asia/Tokyo')", ("0", "4294967295", "1709251199", "1704026096",
                                      "1609632001")),
    "t3": ("DateTime64(3)", ("'1970-01-01 00:00:00.000'", "'2299-12-31 23:59:59.999'",
                             "'1900-01-01 00:00:00.001'", "'2024-02-29 12:34:56.789'",
                             "'1969-12-31 23:59:59.500'")),
    "e": ("Enum8('b' = -1, 'a' = 2)", ("'a'", "'b'", "'a'", "'b'", "'a'")),
    "uu": ("UUID", ("'00000000-0000-0000-0000-000000000000'",
                    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
                    "'61f0c404-5cb3-11e7-907b-a6006ad3dba0'",
                    "'80000000-0000-0000-8000-000000000000'",
                    "'00000000-0000-0000-0000-000000000001'")),
    "ai": ("Array(Int32)", ("[]", "[3, 1, 2]", "[-2147483648, 2147483647]", "[0]", "[5, 5, 1]")),
    "au": ("Array(String)", ("[]", "['b', 'a', 'b']", "['']", "['é', 'z']", "['x', '10', '9']")),
    "af": ("Array(Float64)", ("[]", "[1.5, -2]", "[0.1, 0.2, 0.3]", "[nan, 1]", "[inf]")),
    "an": ("Array(Nullable(Int32))", ("[]", "[NULL, 1]", "[2, NULL, 1]", "[NULL]", "[1, 1]")),
    "mp": ("Map(String, Int32)", ("map()", "map('a', 1)", "map('b', -2, 'a', 3)", "map('', 0)",
                                  "map('é', 5)")),
    "tp": ("Tuple(Int32, String)", ("(0, '')", "(1, 'a')", "(-1, 'é')", "(2, 'b')", "(3, '3')")),
    "ni": ("Nullable(Int32)", ("NULL", "2147483647", "-2147483648", "0", "7")),
    "ns": ("Nullable(String)", ("NULL", "''", "'é'", "'12'", "'x'")),
    "nf": ("Nullable(Float64)", ("NULL", "nan", "-0.5", "1.255", "3")),
    "nt": ("Nullable(DateTime)", ("NULL", "'1970-01-01 00:00:00'", "'2024-02-29 23:59:59'",
                                  "'2023-12-31 12:34:56'", "'2021-01-03 00:00:01'")),
}  # fmt: skip
"""The columns of the table of edge values, each with the literals of its rows."""

ORDINARY: dict[str, tuple[str, tuple[str, ...]]] = {
    "od": ("Date", ("'2000-01-01'", "'2024-02-29'", "'2023-12-31'", "'2021-01-03'",
                     "'1999-10-31'")),
    "od32": ("Date32", ("'2000-01-01'", "'2024-02-29'", "'2023-12-31'", "'2021-01-03'",
                         "'1999-10-31'")),
    "ot": ("DateTime", ("'2000-01-01 00:00:00'", "'2024-02-29 23:59:59'",
                          "'2023-12-31 12:34:56'", "'2021-01-03 00:00:01'",
                          "'1999-10-31 07:08:09'")),
    "oz": ("DateTime('Europe/Berlin')", ("1729989000", "1729992600", "1711848600", "1709251199",
                                            "1704026096")),
    "ot3": ("DateTime64(3)", ("'2000-01-01 00:00:00.000'", "'2024-02-29 12:34:56.789'",
                                "'2023-12-31 23:59:59.999'", "'2021-01-03 00:00:00.001'",
                                "'1999-10-31 07:08:09.100'")),
    "oz6": ("DateTime64(6, 'America/New_York')", ("1730610000.123456", "1730613600.5",
                                                     "1710054000", "1709251199.999999",
                                                     "1704026096.000001")),
    "of64": ("Float64", ("0", "1.255", "2.5", "-7.75", "1234567.891")),
    "ons": ("Nullable(String)", ("NULL", "'2024-02-29'", "'12'", "'x'",
                                    "'2024-02-29 12:34:56'")),
}  # fmt: skip
"""Columns of ordinary values, for functions of which a type's edge values are known to differ.

The hours of `oz` and `oz6` are those in which the clocks are changed.
"""

ROWS = 5

NUMBERS = ("i8", "i32", "i64", "u8", "u32", "u64", "f32", "f64", "odd", "dec", "wide", "ni")
_TEXTS = ("s", "raw", "num", "ns", "fs")
_TIMES = ("d", "d32", "t", "tz", "t3", "nt")
_ARITHMETIC = tuple(itertools.product(
    ("i8", "i32", "i64", "u8", "u32", "u64", "f64", "dec"), repeat=2
))  # fmt: skip
_PAIRS = (
    ("i8", "u8"), ("i32", "i64"), ("u64", "i64"), ("i64", "i64"), ("u64", "u64"), ("f32", "i32"),
    ("f64", "odd"), ("odd", "odd"), ("dec", "dec"), ("dec", "wide"), ("dec", "f64"), ("wide", "u8"),
    ("ni", "u8"), ("ni", "ni"), ("u32", "i8"), ("i8", "i8"), ("u8", "u8"), ("u8", "nf"),
    ("s", "s"), ("raw", "s"), ("num", "num"), ("ns", "s"), ("fs", "fs"), ("e", "e"), ("uu", "uu"),
    ("ai", "ai"), ("au", "au"), ("an", "an"), ("tp", "tp"), ("b", "b"),
    ("s", "'l'"), ("raw", "'И'"), ("s", "2"), ("s", "-3"), ("s", "0"), ("raw", "1"), ("ns", "'x'"),
    ("s", "u8"), ("raw", "u8"), ("ns", "u8"),
    *((time, n) for time in _TIMES for n in ("-1", "u16")),
    ("d", "d"), ("t", "t"), ("tz", "t"), ("t3", "t"), ("d", "t"), ("d32", "d"), ("t", "nt"),
    ("b", "u8"), ("u8", "b"), ("e", "'a'"), ("e", "u8"), ("d", "'2024-02-29'"), ("num", "i32"),
    ("t", "'2024-02-29 23:59:59'"), ("tz", "'2024-03-01 08:59:59'"), ("t", "u32"),
    ("i32", "NULL"), ("NULL", "s"), ("i32", "2"), ("i64", "3"), ("u64", "7"), ("f64", "3"),
    ("dec", "3"), ("dec", "toDecimal32('0.3', 1)"), ("wide", "3"), ("i32", "0"), ("f64", "0"),
    ("ai", "1"), ("ai", "i8"), ("ai", "NULL"), ("au", "'b'"), ("an", "1"), ("an", "NULL"),
    ("af", "1.5"), ("mp", "'a'"), ("tp", "1"), ("tp", "2"), ("ai", "[1, 2]"), ("au", "['b']"),
    ("ai", "arrayMap(x -> x + 1, ai)"), ("au", "ai"), ("u8", "s"), ("u8", "ai"), ("3", "ni"),
)  # fmt: skip
_TRIPLES = (
    ("s", "'l'", "'LL'"), ("raw", "'И'", "'x'"), ("s", "' '", "''"), ("ns", "'x'", "'yy'"),
    ("s", "''", "'q'"), ("s", "2", "3"), ("raw", "2", "2"), ("s", "-3", "2"), ("s", "0", "2"),
    ("s", "2", "-1"), ("s", "u8", "1"),
    ("s", "5", "'*'"), ("raw", "3", "'é'"), ("u8", "s", "num"), ("u8 > 2", "i8", "u8"),
    ("b", "i32", "f64"), ("ni", "u8", "i64"), ("b", "d", "t"), ("u8 = 1", "NULL", "s"),
    ("b", "i64", "u32"), ("b", "ai", "[1]"), ("b", "dec", "wide"), ("odd > 0", "1", "0"),
    ("i32", "u8", "f64"), ("ni", "i8", "u16"), ("s", "num", "raw"), ("d", "d", "d"),
    ("ai", "2", "1"), ("ai", "-2", "1"), ("ai", "1", "-1"), ("au", "u8", "2"), ("an", "1", "2"),
    ("ai", "0", "1"), ("NULL", "ni", "5"), ("ns", "s", "'z'"),
)  # fmt: skip
_USUAL_TIMES = ("od", "od32", "ot", "oz", "ot3", "oz6")
_ALL_TIMES = (*_TIMES, *_USUAL_TIMES)
_CLOCKS = ("ot", "oz", "ot3", "oz6")
_ZONES = tuple(
    (time, zone) for time in _ALL_TIMES for zone in ("'Europe/Moscow'", "'America/New_York'")
)
_UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
_SPANS = (("tz", "t"), ("t", "toDateTime(1704026096)"), ("d", "toDate('2024-01-31')"),
          ("tz", "toDateTime(1704026096, 'Asia/Tokyo')"), ("od", "toDate('2024-03-01')"),
          ("ot", "toDateTime('2025-01-30 10:11:12')"), ("ot3", "ot"),
          ("oz", "toDateTime(1735689600, 'Europe/Berlin')"))  # fmt: skip
_JSON = (
    """'{"a": {"b": "x\\\\u00e9"}, "n": -5, "u": 18446744073709551615, "f": 1.5, "t": true}'""",
    """'{"a": [1, "2", 3.9, null, {"k": "v"}], "n": "12", "f": 1e3, "t": "true"}'""",
    "'[1, [2, 3], {}]'", "'broken {'", "'\"text\"'", "'null'", "s", "''",
)  # fmt: skip
_ODD_JSON = (
    """'{"a":1} x'""", "'01'", "'[1,]'", "'NaN'", """'"a\\tb"'""", "'1.'", "' 1 '", "'1e400'",
    """unhex('22ff22')""", """'{"a": "\\\\ud83d"}'""", """'{"a":1,"a":2}'""", "ns",
    "'123456789012345678901234567890'",
)  # fmt: skip
_COMPACT = (
    """'{"a":{"b":"x\\\\u00e9"},"n":-5,"u":18446744073709551615,"f":1.5,"t":true,"s":"y\\\\n\\\\ud83d\\\\ude00"}'""",
    """'{"a":[1,"2,}",{"k":"v"}],"n":"12","u":99999999999999999999,"f":-1e3,"t":"true","s":"open'""",
)  # fmt: skip
_MIXED = """'{"day": "2024-01-02", "at": "2024-01-02 03:04:05.678", "z": "2024-01-02T03:04:05Z", "s": 1700000000, "r": 1700000000.5, "id": "61F0C404-5cb3-11e7-907b-a6006ad3dba0", "e": "y", "two": 2, "l": [[1], [2, "x"], null], "o": {"y": "q", "x": 7, "z": null}, "big": 300, "neg": -1, "m": "1.259", "x": 0.29, "b": "12", "null": null}'"""
_FITTED = (
    ("day", "Date"), ("day", "Date32"), ("at", "Date"), ("at", "DateTime"), ("at", "DateTime64(3)"),
    ("at", "DateTime(\\'Asia/Tokyo\\')"), ("z", "DateTime"), ("s", "DateTime"), ("s", "DateTime64(3)"),
    ("r", "DateTime"), ("r", "DateTime64(3)"), ("neg", "DateTime"), ("s", "Date"), ("day", "DateTime"),
    ("id", "UUID"), ("e", "UUID"), ("e", "Enum8(\\'x\\' = 1, \\'y\\' = 2)"),
    ("two", "Enum8(\\'x\\' = 1, \\'y\\' = 2)"), ("b", "Nullable(Enum8(\\'x\\' = 1))"),
    ("l", "Array(Array(Int8))"), ("l", "Array(Array(Nullable(Int8)))"), ("l", "Array(String)"),
    ("o", "Tuple(x Int8, y String)"), ("o", "Tuple(Int8, String)"), ("l", "Tuple(String, String)"),
    ("o", "Map(String, String)"), ("o", "Map(String, Nullable(Int8))"), ("o", "String"),
    ("big", "UInt8"), ("big", "Int8"), ("big", "Bool"), ("neg", "UInt64"), ("m", "Decimal(9, 2)"),
    ("x", "Decimal(9, 2)"), ("m", "Int32"), ("b", "FixedString(3)"), ("day", "FixedString(3)"),
    ("e", "LowCardinality(String)"), ("x", "Float32"), ("null", "Nullable(String)"), ("null", "Array(Int8)"),
    ("null", "Int8"), ("o", "Int8"), ("none", "Tuple(Int8, Nullable(String))"),
)  # fmt: skip
_PATHS = ((), ("'a'",), ("'a'", "'b'"), ("'n'",), ("'u'",), ("'f'",), ("'t'",), ("'a'", "2"),
          ("2",), ("'a'", "-1"), ("'none'",))  # fmt: skip
_URLS = ("'https://www.Example.com:8080/a/b.html?x=1&y=%20z#frag'", "'http://user:pw@host/p?q'",
         "'ftp://x'", "'//cdn.net/lib.js'", "'example.com/path?a=b'", "'mailto:a@b.c'", "''",
         "'http://[::1]/x'", "'https://пример.рф/ü?k=ü'", "s")  # fmt: skip
_MOMENTS = ("'2024-03-15 10:20:30'", "'2024-03-15T10:20:30Z'", "'2024-03-15T10:20:30.5+03:00'",
            "'20240315102030'", "'20240315'", "'15/03/2024 10:20:30'", "'15.03.2024'",
            "'Fri, 15 Mar 2024 10:20:30 +0300'", "'15 Mar 2024 10:20'", "'1710498030'",
            "'1710498030123'", "'2024-03-15'", "'2024-03-15 10:20'", "'nonsense'", "''",
            "'10:20'", "'2024-02-30'", "'Mar 15 2024'", "'2024-03-15 10:20:30 PM'",
            "'20240315T102030Z'", "'March 15, 2024 10:20:30'", "'2018 02 03'",
            "'12/24/2018'")  # fmt: skip
_FORMATS = ("'%Y-%m-%d %H:%i:%S'", "'%F %T'", "'%a %b %c %D %d'", "'%e'", "'%I:%M %p'", "'%j'",
            "'%u %w'", "'%V'", "'%y %Q'", "'%G %g'", "'%r %R'", "'%f'", "'%W, %M'", "'100%%\\t'",
            "'%h%s%n'", "'%k%l'", "'%C'", "'%z'")  # fmt: skip
_PATTERNS = ("'l+'", "'(l)(.)'", "'[A-Z]+'", "'\\\\d+'", "'(?i)HELLO'", "'a*'", "'\\\\b'")  # fmt: skip


def _with(*columns: str, then: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [(column, each) for column in columns for each in then]


def _each(*groups: tuple[str, ...]) -> list[tuple[str, ...]]:
    return list(itertools.product(*groups))


_LAMBDAS = [("x -> x > 1", "ai"), ("x -> x % 2", "ai"), ("x -> x = 'b'", "au"), ("x -> x", "an"),
            ("x -> x > 0", "af"), ("x -> x * 2", "ai"), ("x -> -x", "af"), ("x -> length(x)", "au"),
            ("x -> x + 1", "an"), ("x -> toString(x)", "ai"), ("x -> x / 2", "ai")]  # fmt: skip
_DECIMAL = _with("i32", "u64", "f64", "odd", "dec", "num", "b", "od", "ot", "ot3", "oz6", "e", "ons",
                 then=("2",))  # fmt: skip
_JSON_ARGS: list[tuple[str, ...]] = [
    *((json, *path) for json in _JSON[:2] for path in _PATHS),
    *((json,) for json in _JSON[2:]), (_JSON[2], "2"), (_JSON[3], "'a'"), ("s", "'a'"),
]  # fmt: skip
_TYPES = ("Int8", "UInt64", "Int64", "Float32", "Float64", "Decimal(9, 2)", "Bool", "String", "Date",
          "DateTime", "DateTime(\\'Asia/Tokyo\\')", "DateTime64(3)", "Nullable(Int32)",
          "FixedString(5)", "LowCardinality(String)", "Enum8(\\'a\\' = 1, \\'12\\' = 2)", "Date32",
          "UUID", "Array(String)")  # fmt: skip

_WIDE = ("i8", "i64", "u8", "u64", "dec", "wide", "b", "num", "d", "f64", "toInt128(i64)", "toUInt256(u64)",
         "toDecimal256(dec, 1)")  # fmt: skip
_ADDRESSES = ("'1.2.3.4'", "'::1'", "'2001:DB8::ffff:1.2.3.4'", "'01.2.3.4'", "'1.2.3'", "''", "'1::2::3'")  # fmt: skip
_TIME_TEXTS = ("'12:34:56'", "'-1:02:03.5'", "'100:00:00'", "'5'", "'12:34'", "'x'")  # fmt: skip
_FINE = ("toDateTime64('2024-02-29 12:34:56.123456789', 9)", "toDateTime64('1900-01-01 00:00:00.1234567', 7)",
         "toDateTime64('2024-02-29 12:34:56.123456789', 8, 'Asia/Tokyo')")  # fmt: skip

ARGS: dict[str, Sequence[tuple[str, ...]]] = {
    "CAST": [(c, f"'{t}'") for c in ("i8", "u64", "f64", "dec", "wide", "b", "num", "d", "t", "tz",
                                     "ns", "ai") for t in _TYPES],
    "toString": [*((c,) for c in (*COLUMNS, *ORDINARY)), *_ZONES],
    "toFixedString": _with("s", "num", "fs", "ns", then=("1", "4", "20")),
    **{f"toDecimal{bits}{suffix}": _DECIMAL
       for bits in (32, 64, 128) for suffix in ("", "OrNull", "OrZero")},
    "toDateTime64": _with(*_FINE, "t", "tz", "t3", "u32", "i64", "s", "d", then=("9",)) + _with("s", "num", "d", "t", "tz", "t3", "u32", "i64", "dec", "f64",
                          *ORDINARY, then=("0", "3", "6")),
    **{f"to{name}": [(c,) for c in (*COLUMNS, *ORDINARY)]
       for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64",
                    "Float32", "Float64", "Bool", "UUID", "Date32", "DateOrNull", "DateTimeOrNull",
                    "DateOrZero", "DateTimeOrZero")},
    **{f"to{sign}Int{bits}{suffix}": [(c,) for c in _WIDE]
       for sign in ("", "U") for bits in (128, 256) for suffix in ("", "OrNull", "OrZero")},
    **{f"toDecimal256{suffix}": _with(*_WIDE, then=("2",)) for suffix in ("", "OrNull", "OrZero")},
    **{f"to{name}{suffix}": [(each,) for each in (*_ADDRESSES, "s", "u8")]
       for name in ("IPv4", "IPv6") for suffix in ("", "OrNull", "OrZero")},
    **{name: [(each,) for each in (*_ADDRESSES, "s", "u32")]
       for name in ("IPv4StringToNum", "IPv4StringToNumOrNull", "IPv4StringToNumOrDefault",
                    "IPv4NumToString", "isIPv4String", "isIPv6String")},
    "IPv4ToIPv6": [("toIPv4('1.2.3.4')",), ("toIPv4(u32)",)],
    "IPv6NumToString": [(f"toIPv6({each})",) for each in _ADDRESSES[:3]],
    **{f"toTime{suffix}": [(each,) for each in (*_TIME_TEXTS, "t", "tz", "u16", "i32", "i64")]
       for suffix in ("", "OrNull", "OrZero")},
    "toTime64": _with(*_TIME_TEXTS, "t", "t3", "tz", then=("0", "3", "9")),
    "toUnixTimestamp64Nano": [(c,) for c in ("t3", *_FINE)],
    "fromUnixTimestamp64Nano": [("i64",), ("i64", "'Asia/Tokyo'"), ("toInt64(u32)",)],
    "DATE": [(c,) for c in (*COLUMNS, *ORDINARY)],
    "toTimeZone": list(_ZONES),
    "toDateTime": [*((c,) for c in (*COLUMNS, *ORDINARY)), ("s", "'Asia/Tokyo'"), ("u32", "'Asia/Tokyo'"),
                   ("d", "'America/New_York'"), ("t", "'Europe/Moscow'")],
    "toDate": [*((c,) for c in (*COLUMNS, *ORDINARY)), *_ZONES],
    "toUnixTimestamp": [*((c,) for c in (*COLUMNS, *ORDINARY)), ("s", "'Asia/Tokyo'")],
    "toStartOfInterval": [
        (time, f"INTERVAL {n} {unit}") for time in ("d", "t", "tz", "t3", *_USUAL_TIMES)
        for n, unit in ((30, "SECOND"), (7, "MINUTE"), (5, "HOUR"), (1, "DAY"), (3, "DAY"),
                        (2, "WEEK"), (5, "MONTH"), (2, "QUARTER"), (3, "YEAR"))],
    "toStartOfWeek": [*((t,) for t in _ALL_TIMES), *_with("d", "t", "tz", *_USUAL_TIMES, then=("0", "1", "3", "9"))],
    **{name: [(f"'{unit}'", time) for unit in _UNITS for time in _ALL_TIMES] for name in ("dateTrunc",)},
    **{name: [(time, "INTERVAL 2 MONTH") for time in ("d", "t", "tz", "t3", *_USUAL_TIMES)]
       + [(unit, "i8", time) for unit in ("DAY", "HOUR") for time in ("d", "t", "t3", *_USUAL_TIMES)]
       for name in ("dateAdd", "dateSub")},
    **{name: [("t", "INTERVAL 1 DAY"), ("ot", "INTERVAL 1 DAY")]
       for name in ("date_add", "timestampAdd", "timestamp_add", "date_sub", "timestampSub",
                    "timestamp_sub")},
    **{f"{verb}{unit}s": [*_with("d", "t", "tz", "t3", then=("-1", "u16")),
                          *_with(*_USUAL_TIMES, then=("-1", "i8 % 16")), ("ons", "1")]
       for verb in ("add", "subtract")
       for unit in ("Second", "Minute", "Hour", "Day", "Week", "Month", "Quarter", "Year")},
    "dateDiff": [(f"'{unit}'", *span) for unit in _UNITS for span in _SPANS]
                + [("'day'", "t", "nt", "'Asia/Tokyo'"), ("'day'", "s", "t")],
    "age": [(f"'{unit}'", *span) for unit in _UNITS for span in _SPANS],
    "formatDateTime": [(time, form) for time in ("d", "t", "tz", "t3", "oz", "oz6")
                       for form in _FORMATS] + [("t", "'%H'", "'Asia/Tokyo'"), ("t", "'%z'", "'Asia/Kolkata'")],
    **{f"parseDateTimeBestEffort{suffix}": [*((m,) for m in _MOMENTS), ("'2024-03-15 10:20:30'",
                                            "'Asia/Tokyo'")] for suffix in ("", "OrNull", "OrZero")},
    "fromUnixTimestamp": [*((n,) for n in (*NUMBERS, "u16")), ("u32", "'%Y-%m'")],
    "makeDate": [("2024", "u8", "1"), ("u16", "2", "29"), ("2023", "2", "29"), ("i32", "1", "1"),
                 ("1970", "13", "1"), ("2024", "i8 % 12", "u8"), ("2023", "u8")],
    "makeDateTime": [("2024", "2", "29", "23", "59", "u8"), ("u16", "1", "1", "0", "0", "0"),
                     ("2024", "13", "1", "0", "0", "0"), ("2024", "1", "1", "25", "0", "0"),
                     ("2024", "1", "1", "2", "3", "4", "'Asia/Tokyo'")],
    **{name: [(url,) for url in _URLS]
       for name in ("domain", "domainWithoutWWW", "protocol", "path", "queryString", "fragment")},
    "extractURLParameter": [(url, key) for url in _URLS for key in ("'x'", "'y'", "'q'", "'no'")],
    **dict.fromkeys(("JSONExtractString", "JSONExtractInt", "JSONExtractUInt", "JSONExtractFloat", "JSONExtractBool", "JSONExtractRaw", "JSONHas", "JSONLength", "JSONExtractKeys", "JSONExtractArrayRaw"), _JSON_ARGS),
    **{f"simpleJSON{name}": [*((json, key) for json in _COMPACT
                               for key in ("'a'", "'n'", "'u'", "'f'", "'t'", "'s'", "'k'", "'none'")),
                             *((_JSON[0], key) for key in ("'a'", "'n'", "'t'")), ("s", "'a'"), ("ns", "'a'")]
       for name in ("Has", "ExtractString", "ExtractInt", "ExtractUInt", "ExtractFloat", "ExtractBool",
                    "ExtractRaw")},
    "isValidJSON": [(json,) for json in (*_JSON, *_ODD_JSON)],
    "JSONExtract": [*((_MIXED, f"'{key}'", f"'{type_}'") for key, type_ in _FITTED),
                    *((json, *path, f"'{type_}'") for json in _JSON[:2]
                    for path in (("'a'",), ("'n'",), ("'f'",), ("'t'",), ("'none'",))
                    for type_ in ("Int32", "Nullable(Int8)", "String", "Float64", "Bool",
                                  "Array(Int32)", "Decimal(9, 2)"))],
    **{name: [(text, pattern) for text in ("s", "raw", "ns") for pattern in _PATTERNS]
       for name in ("match", "extract", "extractAll")},
    **{name: [(text, pattern, new) for text in ("s", "raw") for pattern in _PATTERNS
              for new in ("'<\\\\0>'", "'$1'")]
       for name in ("replaceRegexpAll", "replaceRegexpOne")},
    **{name: [(text, pattern) for text in ("s", "raw", "ns")
              for pattern in ("'%l%'", "'_e%'", "'%'", "''", "'\\\\t\\\\%\\\\_'", "'%ё%'", "'% AB%'")]
       for name in ("like", "notLike", "ilike")},
    "splitByChar": [("','", "s"), ("' '", "s"), ("'l'", "s"), ("'.'", "num"), ("','", "s", "1"),
                    ("'|'", "''"), ("','", "ns"), ("'%'", "raw"), ("''", "s")],
    "splitByRegexp": [("'[ ,]+'", "s"), ("''", "s"), ("'l'", "s"), ("'x*'", "num"),
                      ("'2*'", "num"), ("'b'", "raw"), ("'1'", "ns")],
    "format": [("'{} {}'", "s", "num"), ("'{1}{0}{{}}'", "s", "i32"), ("'{}'", "f64")],
    "concat": [("s", "num"), ("s", "i32", "f64"), ("s", "d", "t3"), ("s", "ns"), ("s", "NULL"),
               ("ai", "[1]"), ("s", "b", "e"), ("s", "dec", "wide"), ("s", "fs", "uu"), ("raw", "s"),
               ("s", "odd"), ("s", "ai"), ("s", "tp"), ("s", "mp"), ("s",)],
    "concatWithSeparator": [("'-'", "s", "num"), ("'-'", "s", "i32"), ("'-'", "s", "ns"), ("'-'",)],
    "substringIndex": [("s", "'l'", n) for n in ("1", "-1", "0", "5")] + [("s", "''", "1")],
    "translate": [("s", "'lo'", "'01'"), ("s", "'l'", "''"), ("raw", "'И'", "'Z'")],
    **{name: [("s",), ("raw",), ("ns",), ("s", "'H2'"), ("s", "' '"), ("fs",)]
       for name in ("trim", "trimLeft", "trimRight")},
    **{name: [*((n,) for n in COLUMNS), *((n, d) for n in ("i32", "u64", "f64", "odd", "dec", "f32")
                                             for d in ("1", "-1")),
              *((n, d) for n in ("dec / 3", "wide / 7", "u8 / 10", "i16") for d in ("1", "-1"))]
       for name in ("round", "floor", "ceil", "trunc", "roundBankers")},
    "arrayMap": [*_LAMBDAS, ("(x, y) -> x + y", "ai", "arrayReverse(ai)")],
    **{name: [*_LAMBDAS, ("ai",), ("af",), ("an",)]
       for name in ("arrayFilter", "arrayExists", "arrayAll", "arrayCount", "arrayFirst", "arraySum",
                    "arrayAvg", "arrayMin", "arrayMax", "arraySort", "arrayReverseSort")},
    **{name: [("ai",), ("af",), ("an",), ("au",), *_LAMBDAS]
       for name in ("arrayMin", "arrayMax", "arraySort", "arrayReverseSort")},
    "arrayStringConcat": [("au",), ("ai",), ("af",), ("an",), ("au", "'-'"), ("ai", "', '")],
    "arrayFlatten": [("[ai, [1]]",), ("[au]",), ("ai",), ("[[ai]]",)],
    "arraySlice": [("ai", "2"), ("ai", "-2"), ("ai", "1", "2"), ("ai", "2", "-1"), ("ai", "-2", "1"),
                   ("au", "10"), ("ai", "1", "0"), ("ai", "0"), ("ai", "-10", "9")],
    "arrayZip": [("ai", "ai"), ("au", "au"), ("ai", "arrayMap(x -> toString(x), ai)")],
    "arrayWithConstant": [("3", "s"), ("u8 % 4", "i32"), ("0", "d"), ("2", "NULL")],
    "array": [("i8", "u8"), ("i32", "f64"), ("s", "ns"), ("ni", "i64"), ("NULL",), ("d",),
              ("u64", "1"), ("b", "b"), ("ai", "[1]"), ("1", "-1"), ("300", "1"), ("dec", "wide")],
    "map": [("'k'", "i32"), ("s", "ni"), ("i8", "s"), (), ("'a'", "1", "'b'", "300")],
    "mapConcat": [("mp", "map('z', 1)"), ("mp", "mp")],
    "mapFromArrays": [("['a', 'b']", "[u8, 2]"), ("[i32]", "[s]")],
    "mapFilter": [("(k, v) -> v > 0", "mp"), ("(k, v) -> k = 'a'", "mp")],
    "range": [("u8 % 5",), ("2", "5"), ("0", "10", "3"), ("u8 % 3", "4"), ("0",), ("5", "1", "-2"),
              ("-2", "2")],
    "tuple": [("i32", "s"), ("ni", "d"), ("f64",), ("u8 > 1", "1")],
    "tupleElement": [("tp", "1"), ("tp", "2")],
    "multiIf": [("u8 > 2", "i8", "b", "u16", "f64"), ("b", "s", "ns"), ("ni", "1", "2"),
                ("u8 = 0", "d", "u8 = 1", "t", "t3")],
    **{name: [("i8", "u8"), ("i32", "f64"), ("s", "num"), ("ni", "i8"), ("u64", "i64"), ("d", "t"),
              ("i8",), ("odd", "f64"), ("dec", "i32"), ("i8", "i16", "u32"), ("t", "t3"), ("b", "u8")]
       for name in ("greatest", "least")},
    "coalesce": [("ni", "i8"), ("ns", "s"), ("NULL", "ni", "5"), ("ni", "ni"), ("nf", "u8"),
                 ("i32", "1"), ("nt", "t")],
    **{name: [("u8", "b"), ("i32", "f64"), ("ni", "u8"), ("ni", "ni"), ("odd", "1"), ("b", "NULL"),
              ("u8", "i8", "b")] for name in ("and", "or")},
    "hasAny": [("ai", "[1, 5]"), ("au", "['b']"), ("an", "[NULL]"), ("an", "an"), ("ai", "[]")],
    "hasAll": [("ai", "[1, 5]"), ("au", "['b']"), ("an", "[NULL]"), ("an", "an"), ("ai", "[]")],
    **{name: [*_ARITHMETIC, *_PAIRS] for name in ("plus", "multiply", "intDiv")},
    **{name: list(_PAIRS[::3]) for name in ("notEquals", "lessOrEquals", "greater", "nullIf",
                                            "greaterOrEquals", "ifNull")},
    **{name: [*((t,) for t in _ALL_TIMES), ("t", "'Asia/Tokyo'"), ("t3", "'America/New_York'"),
              *((c, "'Asia/Kathmandu'") for c in _CLOCKS)]
       for name in ("toYear", "toQuarter", "toMonth", "toDayOfYear", "toDayOfMonth", "toISOWeek",
                    "toISOYear", "toHour", "toMinute", "toSecond", "toYYYYMM", "toYYYYMMDD",
                    "toYYYYMMDDhhmmss", "toMonday", "toLastDayOfMonth", "toStartOfMinute",
                    "toStartOfHour", "toStartOfDay", "toStartOfMonth", "toStartOfQuarter",
                    "toStartOfYear", "toStartOfFiveMinutes", "toStartOfFiveMinute",
                    "toStartOfTenMinutes", "toStartOfFifteenMinutes", "monthName",
                    "toMillisecond")},
    "toDayOfWeek": [*((t,) for t in _ALL_TIMES), *_with("ot", "oz", then=("1", "2", "3")),
                    ("ot", "0", "'Asia/Tokyo'")],
    "toStartOfSecond": [("t3",), ("ot3",), ("oz6",)],
    **{f"toUnixTimestamp64{unit}": [*((c,) for c in COLUMNS), ("ot3",), ("oz6",)]
       for unit in ("Milli", "Micro")},
    **{f"fromUnixTimestamp64{unit}": [*((c,) for c in COLUMNS), ("i64 % 1000000",),
                                      ("toInt64(i32)", "'Asia/Tokyo'")] for unit in ("Milli", "Micro")},
    "now64": [("3",)],
    "finalizeAggregation": [],
}  # fmt: skip

_BY_COUNT: dict[int, tuple[tuple[str, ...], ...]] = {
    0: ((),), 1: tuple((c,) for c in COLUMNS), 2: _PAIRS, 3: _TRIPLES,
}  # fmt: skip

PARAMS = {**{f"quantile{kind}": "(0.25)" for kind in ("", "TDigest", "Timing", "Exact")},
          **{f"quantiles{kind}": "(0.25, 0.9)" for kind in ("", "TDigest", "Timing")},
          "topK": "(10)", "medianExact": "", "groupConcat": "(',')"}  # fmt: skip

UNORDERED = frozenset({"groupUniqArray", "topK"})
"""Aggregates that give values in an order of their own: their arrays are compared in order."""


@dataclass(frozen=True, slots=True)
class Case:
    """A call; an aggregate is over all rows, and has one answer."""

    function: str
    text: str
    aggregate: bool = False


def cases() -> list[Case]:
    """Every call that is compared."""
    found: dict[str, Case] = {}
    for name, function in FUNCTIONS.items():
        if isinstance(function, Aggregate):
            if not function.window:
                found |= {c.text: c for c in _aggregated(name, function)}
            continue
        for args in _arguments(name, function):
            text = f"{name}({', '.join(args)})"
            found[text] = Case(name, text)
    return list(found.values())


_FIRST = {id(function): name for name, function in reversed(list(FUNCTIONS.items()))}


def _arguments(name: str, function: Function) -> Sequence[tuple[str, ...]]:
    """Those of the name, of another name of the same row, or such as any function may take."""
    own = ARGS.get(name, ARGS.get(_FIRST[id(function)]))
    return _generic(function.low, function.high) if own is None else own


def _generic(low: int, high: int | None) -> list[tuple[str, ...]]:
    return [args for n, sets in _BY_COUNT.items() if low <= n and (high is None or n <= high)
            for args in sets]  # fmt: skip


def _aggregated(name: str, function: Aggregate) -> list[Case]:
    params = PARAMS.get(name, PARAMS.get(_FIRST[id(function)], ""))
    called = name + params
    calls = [f"{called}({c})" for c in COLUMNS] if function.low < 2 else []
    if function.low == 2 or function.high != 1:
        calls += [f"{called}({a}, {b})" for a, b in (("i32", "f64"), ("s", "u8"), ("ni", "i8"),
                                                     ("u64", "odd"), ("f64", "nf"))]  # fmt: skip
    if function.low <= 1:
        calls += [f"{name}If{params}({c}, b)" for c in ("i32", "f64", "s", "ni")]
    if name in UNORDERED:
        calls = [f"arraySort({call})" for call in calls]
    return [Case(name, text, aggregate=True) for text in calls]
