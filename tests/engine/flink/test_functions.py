"""Every function of Flink's, run by Spark, gives the values that Flink's documentation gives."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from math import cos, e, inf, isclose, pi, sin, tan
from typing import TYPE_CHECKING, Any

from sluice.sql import ir
from sluice.sql.flink import lower_query, parse
from sluice.sql.flink.functions import FUNCTIONS
from sluice.sql.relation import Relation, RelationColumn
from sluice.types import model as m
from sluice.types import spark_type

if TYPE_CHECKING:
    from sluice.session import Session
    from sluice.types import Type


def day(text: str) -> date:
    return date.fromisoformat(text)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


NINES = "9" * 38
"""The largest DECIMAL there is."""

COLUMNS: list[tuple[str, Type, str]] = [
    ("n", m.Nullable(m.Int(32)), "CAST(NULL AS INT)"),
    ("i", m.Int(32), "7"),
    ("big", m.Int(64), "CAST(-7 AS BIGINT)"),
    ("x", m.Float(64), "2.5D"),
    ("p", m.Decimal(10, 2), "CAST(12.35 AS DECIMAL(10,2))"),
    ("huge", m.Decimal(38, 0), f"{NINES}BD"),
    ("wide", m.Decimal(38, 10), "CAST(1E27BD AS DECIMAL(38,10))"),
    ("s", m.String(), "'Hello World'"),
    ("none", m.Nullable(m.String()), "CAST(NULL AS STRING)"),
    ("ok", m.Bool(), "true"),
    ("ts", m.LocalDateTime(3), "TIMESTAMP_NTZ '2024-02-29 13:14:15.123'"),
    ("ltz", m.DateTime(3), "TIMESTAMP '2024-02-29 13:14:15.123'"),
    ("d", m.Date(wide=True), "DATE '2024-02-29'"),
    ("tod", m.TimeOfDay(3), "'13:14:15.123'"),
    ("raw", m.Bytes(), "X'616263'"),
    ("tags", m.Array(m.Nullable(m.String())), "array('b', 'a', 'b')"),
    ("nums", m.Array(m.Nullable(m.Int(32))), "array(3, NULL, 1)"),
    ("attrs", m.Map(m.String(), m.Int(32)), "map('k', 1)"),
    ("j", m.String(), """'{"a": {"b": [10, "x"]}, "t": true, "q": "it"}'"""),
]

VALUES: dict[str, Any] = {
    # strings
    "UPPER(s)": "HELLO WORLD",
    "UCASE(s)": "HELLO WORLD",
    "LOWER(s)": "hello world",
    "LCASE(s)": "hello world",
    "CONCAT('a', 1, TRUE)": "a1TRUE",
    "CONCAT('a', none)": None,
    "CONCAT_WS('~', 'AA', none, 'BB', '', 'CC')": "AA~BB~~CC",
    "'a' || i || ok": "a7TRUE",
    "CHAR_LENGTH(s)": 11,
    "CHARACTER_LENGTH('äö')": 2,
    "POSITION('World' IN s)": 7,
    "POSITION('x' IN s)": 0,
    "TRIM('  a ')": "a",
    "TRIM(LEADING 'H' FROM s)": "ello World",
    "TRIM(BOTH 'x' FROM 'xaxx')": "a",
    "LTRIM(' a ')": "a ",
    "RTRIM(' a ')": " a",
    "BTRIM('xxaxx', 'x')": "a",
    "REPEAT('This is a test String.', 2)": "This is a test String.This is a test String.",
    "REGEXP_REPLACE('foobar', 'oo|ar', '')": "fb",
    "REGEXP_REPLACE('ab.ab.ab', '\\.', '$')": "ab$ab$ab",
    "REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2)": "bar",
    "REGEXP_EXTRACT('foothebar', 'x(.*)', 1)": None,
    "REGEXP('foobar', 'o+b')": True,
    "REGEXP(REPEAT('a', 200) || 'b', '(a+)+$')": False,
    "REGEXP_EXTRACT('ab', 'a(x)?b', 1)": None,
    "REGEXP_EXTRACT('ab', 'ab', 1)": None,
    "(REPEAT('a', 200) || 'b') SIMILAR TO '(a+)+'": False,
    "REPLACE('hello world', 'world', 'flink')": "hello flink",
    "SUBSTRING(s, 7)": "World",
    "SUBSTRING(s FROM 1 FOR 5)": "Hello",
    "SUBSTR(s, -5, 3)": "Wor",
    "INITCAP('hello wORLD')": "Hello World",
    "LPAD('hi', 4, '??')": "??hi",
    "LPAD('hi', 1, '??')": "h",
    "RPAD('hi', 4, '??')": "hi??",
    "LEFT(s, 4)": "Hell",
    "RIGHT(s, 4)": "orld",
    "LOCATE('o', s)": 5,
    "LOCATE('o', s, 6)": 8,
    "INSTR(s, 'World')": 7,
    "ASCII('abc')": 97,
    "ENCODE('abc', 'UTF-8')": b"abc",
    "DECODE(raw, 'UTF-8')": "abc",
    "REVERSE('abc')": "cba",
    "STARTSWITH(s, 'Hello')": True,
    "ENDSWITH(s, 'x')": False,
    "OVERLAY('This is an old string' PLACING ' new' FROM 10 FOR 5)": "This is a new string",
    "OVERLAY('xxxxxtest' PLACING 'xxxx' FROM 6)": "xxxxxxxxx",
    "TRANSLATE('www.apache.org', 'wapcheorg', ' APCHEcom')": "   .APACHE.com",
    "SPLIT_INDEX('a,b,c', ',', 1)": "b",
    "SPLIT_INDEX('a', ',', 4)": None,
    "SPLIT('a|b', '|')": ["a", "b"],
    "STR_TO_MAP('k1=v1,k2=v2')": {"k1": "v1", "k2": "v2"},
    "STR_TO_MAP('k1:v1;k2:v2', ';', ':')": {"k1": "v1", "k2": "v2"},
    "PARSE_URL('http://facebook.com/path1/p.php?k1=v1&k2=v2#Ref1', 'HOST')": "facebook.com",
    "PARSE_URL('http://facebook.com/path1/p.php?k1=v1&k2=v2', 'QUERY', 'k1')": "v1",
    "TO_BASE64('hello world')": "aGVsbG8gd29ybGQ=",
    "FROM_BASE64('aGVsbG8gd29ybGQ=')": "hello world",
    "MD5('abc')": "900150983cd24fb0d6963f7d28e17f72",
    "SHA1('abc')": "a9993e364706816aba3e25717850c26c9cd0d89d",
    "SHA224('abc')": "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    "SHA256('abc')": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "SUBSTRING(SHA384('abc'), 1, 8)": "cb00753f",
    "SUBSTRING(SHA512('abc'), 1, 8)": "ddaf35a1",
    "SUBSTRING(SHA2('abc', 512), 1, 8)": "ddaf35a1",
    "HEX(20)": "14",
    "HEX('hello,world')": "68656C6C6F2C776F726C64",
    "UNHEX('616263')": b"abc",
    "BIN(4)": "100",
    "JSON_VALUE(j, '$.a.b[0]')": "10",
    "JSON_VALUE(j, '$.a.b[0]' RETURNING INT)": 10,
    "JSON_VALUE(j, '$.t' RETURNING BOOLEAN)": True,
    "JSON_VALUE(j, '$.a')": None,
    "JSON_QUERY(j, '$.a.b')": '[10,"x"]',
    "JSON_QUERY(j, '$.q')": None,
    "s LIKE 'Hel%' AND s NOT LIKE '%x'": True,
    "'a_b' LIKE 'a!_b' ESCAPE '!'": True,
    "s SIMILAR TO '(Hello|Bye)%'": True,
    # numbers
    "ABS(big)": 7,
    "SIGN(big)": -1,
    "SIGN(x)": 1.0,
    "POWER(x, 2)": 6.25,
    "POW(2, 3)": 8.0,
    "SQRT(6.25e0)": 2.5,
    "LN(1)": 0.0,
    "LOG10(100)": 2.0,
    "LOG2(8)": 3.0,
    "LOG(1)": 0.0,
    "LOG(2, 8)": 3.0,
    "EXP(0)": 1.0,
    "MOD(i, 4)": 3,
    "MOD(big, 4)": -3,
    "i % 4": 3,
    "ROUND(x)": 3.0,
    "ROUND(p, 1)": Decimal("12.4"),
    "FLOOR(x)": 2.0,
    "CEIL(x)": 3.0,
    "CEILING(p)": Decimal(13),
    "FLOOR(p)": Decimal(12),
    "PI()": pi,
    "E()": e,
    "SIN(x)": sin(2.5),
    "COS(x)": cos(2.5),
    "TAN(x)": tan(2.5),
    "COT(x)": 1 / tan(2.5),
    "ASIN(1)": pi / 2,
    "ACOS(1)": 0.0,
    "ATAN(0)": 0.0,
    "ATAN2(0, 1)": 0.0,
    "SINH(0)": 0.0,
    "COSH(0)": 1.0,
    "TANH(0)": 0.0,
    "DEGREES(PI())": 180.0,
    "RADIANS(180)": pi,
    "i / 2": 3,
    "x / 0": inf,
    "CAST(2147483647 AS INT) + i": -2147483642,
    "CAST(9223372036854775807 AS BIGINT) - big": -9223372036854775802,
    "CAST(100 AS TINYINT) * CAST(3 AS TINYINT)": 44,
    "CAST(300 AS TINYINT)": 44,
    "CAST(9123.87 AS TINYINT)": -93,
    "CAST(9234567891.12e0 AS INT)": 644633299,
    "CAST('1.9' AS INT)": 1,
    "CAST(' -12 ' AS BIGINT)": -12,
    "TRY_CAST('x' AS INT)": None,
    "TRY_CAST(300 AS TINYINT)": 44,
    "CAST(ok AS INT)": 1,
    "CAST(ROW(1, none, ARRAY['b', none]) AS STRING)": "(1, NULL, [b, NULL])",
    "CAST(attrs AS STRING)": "{k=1}",
    "CAST(nums AS STRING)": "[3, NULL, 1]",
    "DATE_FORMAT(TIMESTAMP '2024-12-31 10:11:12', 'YYYY-ww')": "2025-01",
    "DATE_FORMAT(ts, 'yyyy-MM-dd''T''HH:mm:ss.SSS')": "2024-02-29T13:14:15.123",
    "p / 2": Decimal("6.1750000000000"),
    "7 / 2.0": Decimal("3.500000"),
    "-i": -7,
    "GREATEST(1, i, 3)": 7,
    "GREATEST(1, n)": None,
    "LEAST(1, i, 3)": 1,
    "COALESCE(n, i)": 7,
    "IFNULL(n, 5)": 5,
    "NULLIF(i, 7)": None,
    "IF(ok, 1, 2)": 1,
    "CASE WHEN n > 1 THEN 'a' ELSE 'b' END": "b",
    "n IS DISTINCT FROM 1": True,
    "i BETWEEN SYMMETRIC 9 AND 1": True,
    "n NOT IN (1, 2)": None,
    # arrays, maps and rows
    "ARRAY[1, 2]": [1, 2],
    "MAP['a', 1]": {"a": 1},
    "ROW(1, 'x')": (1, "x"),
    "tags[1]": "b",
    "tags[9]": None,
    "tags[CAST('-2147483648' AS INT)]": None,
    "attrs['k']": 1,
    "attrs['?']": None,
    "CARDINALITY(tags)": 3,
    "CARDINALITY(attrs)": 1,
    "ELEMENT(ARRAY['z'])": "z",
    "ARRAY_CONTAINS(tags, 'a')": True,
    "ARRAY_DISTINCT(tags)": ["b", "a"],
    "ARRAY_POSITION(tags, 'a')": 2,
    "ARRAY_REVERSE(nums)": [1, None, 3],
    "ARRAY_UNION(tags, ARRAY['c'])": ["b", "a", "c"],
    "ARRAY_CONCAT(tags, ARRAY['c'])": ["b", "a", "b", "c"],
    "ARRAY_JOIN(tags, '-')": "b-a-b",
    "ARRAY_JOIN(ARRAY['a', none], '-', '?')": "a-?",
    "ARRAY_MAX(nums)": 3,
    "ARRAY_MIN(nums)": 1,
    "MAP_KEYS(attrs)": ["k"],
    "MAP_VALUES(attrs)": [1],
    "MAP_FROM_ARRAYS(ARRAY['a'], ARRAY[1])": {"a": 1},
    # times
    "EXTRACT(DAY FROM DATE '2006-06-05')": 5,
    "EXTRACT(DOW FROM ts)": 5,
    "EXTRACT(ISODOW FROM ts)": 4,
    "EXTRACT(ISOYEAR FROM d)": 2024,
    "EXTRACT(EPOCH FROM ltz)": 1709212455,
    "EXTRACT(CENTURY FROM ts)": 21,
    "YEAR(d)": 2024,
    "QUARTER(DATE '1994-09-27')": 3,
    "MONTH(ts)": 2,
    "WEEK(DATE '1994-09-27')": 39,
    "DAYOFYEAR(DATE '1994-09-27')": 270,
    "DAYOFMONTH(DATE '1994-09-27')": 27,
    "DAYOFWEEK(DATE '1994-09-27')": 3,
    "HOUR(ts)": 13,
    "MINUTE(ts)": 14,
    "SECOND(ts)": 15,
    "FLOOR(ts TO HOUR)": at("2024-02-29 13:00:00"),
    "CEIL(ts TO DAY)": at("2024-03-01 00:00:00"),
    "FLOOR(d TO MONTH)": day("2024-02-01"),
    "TIMESTAMPADD(WEEK, 1, DATE '2003-01-02')": day("2003-01-09"),
    "TIMESTAMPADD(HOUR, 2, ts)": at("2024-02-29 15:14:15.123"),
    "TIMESTAMPDIFF(DAY, TIMESTAMP '2003-01-02 10:00:00', TIMESTAMP '2003-01-03 10:00:00')": 1,
    "TIMESTAMPDIFF(MONTH, DATE '2024-01-31', d)": 0,
    "TO_DATE('2024-02-29')": day("2024-02-29"),
    "TO_DATE('29/02/2024', 'dd/MM/yyyy')": day("2024-02-29"),
    "TO_DATE('x')": None,
    "TO_TIMESTAMP('2024-02-29 01:02:03')": at("2024-02-29 01:02:03"),
    "TO_TIMESTAMP('20240229', 'yyyyMMdd')": at("2024-02-29 00:00:00"),
    "TO_TIMESTAMP('x')": None,
    "TO_TIMESTAMP_LTZ(100, 0)": utc("1970-01-01 00:01:40"),
    "TO_TIMESTAMP_LTZ(1, 3)": utc("1970-01-01 00:00:00.001"),
    "DATE_FORMAT(ts, 'yyyyMMdd HHmmss')": "20240229 131415",
    "DATE_FORMAT('2024-02-29 01:02:03', 'dd.MM.')": "29.02.",
    "UNIX_TIMESTAMP('1970-01-01 00:00:10')": 10,
    "UNIX_TIMESTAMP('10:00 1970-01-01', 'HH:mm yyyy-MM-dd')": 36000,
    "FROM_UNIXTIME(44)": "1970-01-01 00:00:44",
    "FROM_UNIXTIME(44, 'mm:ss')": "00:44",
    "CONVERT_TZ('1970-01-01 00:00:00', 'UTC', 'America/Los_Angeles')": "1969-12-31 16:00:00",
    "DATE '2024-02-29'": day("2024-02-29"),
    "TIMESTAMP '2024-02-29 01:02:03.5'": at("2024-02-29 01:02:03.5"),
    "TIME '01:02:03'": "01:02:03",
    "ts + INTERVAL '1' DAY": at("2024-03-01 13:14:15.123"),
    "ts - INTERVAL '1:30' HOUR TO MINUTE": at("2024-02-29 11:44:15.123"),
    "d + INTERVAL '1' MONTH": day("2024-03-29"),
    "tod > TIME '13:14:15'": True,
    # a DECIMAL that would have more than 38 digits, or than its type, is NULL
    "huge + 1": None,
    "0 - huge - 1": None,
    "huge * i": None,
    "wide * big": Decimal("-7E27"),
    "huge / 0.001": None,
    "huge / 2": None,
    "wide / 2": Decimal("5E26"),
    "huge % 10": Decimal(9),
    "wide * wide": None,
    "ROUND(wide, 2) * wide": None,
    "huge + n": None,
    "COALESCE(huge + 1, 0)": Decimal(0),
    "CAST(1000 AS DECIMAL(5, 2))": None,
    "CAST(p AS DECIMAL(3, 2))": None,
    "CAST(x * 1e40 AS DECIMAL(38, 0))": None,
    "CAST(99.95 AS DECIMAL(3, 1))": None,
    "CAST(99.94 AS DECIMAL(3, 1))": Decimal("99.9"),
    "CAST(ok AS DECIMAL(1, 1))": None,
    "TRY_CAST('1000' AS DECIMAL(5, 2))": None,
    # casts
    "CAST(ok AS STRING)": "TRUE",
    "CAST(ts AS STRING)": "2024-02-29 13:14:15.123",
    "CAST(ts AS TIMESTAMP(0))": at("2024-02-29 13:14:15"),
    "CAST(ts AS DATE)": day("2024-02-29"),
    "CAST(ts AS TIME)": "13:14:15",
    "CAST(tod AS STRING)": "13:14:15.123",
    "CAST(CAST('10:20:30' AS TIME(3)) AS STRING)": "10:20:30",
    "CAST(x AS INT)": 2,
    "CAST('12.345' AS DECIMAL(10, 2))": Decimal("12.35"),
    "CAST(p AS DECIMAL(10, 1))": Decimal("12.4"),
    "CAST(s AS VARCHAR)": "Hello World",
    "CAST(s AS VARCHAR(5))": "Hello",
    "CAST(s AS CHAR(3))": "Hel",
    "CAST('ab' AS CHAR(3))": "ab ",
    "CAST('true' AS BOOLEAN)": True,
    "CAST(raw AS STRING)": "abc",
    "TRY_CAST('non-number' AS INT)": None,
}

CLOCKS = {
    "RAND()": float,
    "RAND(1)": float,
    "RAND_INTEGER(10)": int,
    "UUID()": str,
    "UNIX_TIMESTAMP()": int,
    "NOW()": datetime,
    "PROCTIME()": datetime,
    "CURRENT_TIMESTAMP": datetime,
    "CURRENT_ROW_TIMESTAMP()": datetime,
    "LOCALTIMESTAMP": datetime,
    "CURRENT_DATE": date,
    "CURRENT_TIME": str,
    "LOCALTIME": str,
}
"""What is another value each time: only its type is known."""

AGGREGATES: dict[str, Any] = {
    "COUNT(*)": 4,
    "COUNT(v)": 3,
    "COUNT(DISTINCT v)": 2,
    "SUM(v)": 5,
    "SUM(v) FILTER (WHERE v > 1)": 3,
    "AVG(v)": 1,
    "AVG(dec)": Decimal("1.666667"),
    "SUM(huge)": None,
    "SUM(huge) FILTER (WHERE v > 1)": Decimal(NINES),
    "SUM(DISTINCT huge - v)": None,
    "AVG(huge)": None,
    "MIN(v)": 1,
    "MAX(v)": 3,
    "ROUND(STDDEV_POP(v), 3)": 0.943,
    "ROUND(STDDEV_SAMP(v), 3)": 1.155,
    "ROUND(STDDEV(v), 3)": 1.155,
    "ROUND(VAR_POP(v), 3)": 0.889,
    "ROUND(VAR_SAMP(v), 3)": 1.333,
    "ROUND(VARIANCE(v), 3)": 1.333,
    "FIRST_VALUE(v)": 1,
    "LAST_VALUE(v)": 3,
    "LISTAGG(w)": "a,b,c,d",
    "LISTAGG(w, '-')": "a-b-c-d",
    "ARRAY_AGG(v)": [1, 1, None, 3],
    "APPROX_COUNT_DISTINCT(w)": 4,
}

RANKED: dict[str, list[Any]] = {
    "ROW_NUMBER() OVER (ORDER BY w)": [1, 2, 3, 4],
    "RANK() OVER (ORDER BY v)": [2, 2, 1, 4],
    "DENSE_RANK() OVER (ORDER BY v)": [2, 2, 1, 3],
    "PERCENT_RANK() OVER (ORDER BY w)": [0.0, 1 / 3, 2 / 3, 1.0],
    "CUME_DIST() OVER (ORDER BY w)": [0.25, 0.5, 0.75, 1.0],
    "NTILE(2) OVER (ORDER BY w)": [1, 1, 2, 2],
    "LAG(w) OVER (ORDER BY w)": [None, "a", "b", "c"],
    "LEAD(w, 2, 'z') OVER (ORDER BY w)": ["c", "d", "z", "z"],
    "SUM(v) OVER (ORDER BY w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)": [1, 2, 1, 3],
    "SUM(huge) OVER (ORDER BY w)": [Decimal(NINES), None, None, None],
}

GROUPED = {"GROUPING(w)"}


def run(engine: Session, relation: Relation, rows: str, query: str) -> list[tuple[Any, ...]]:
    spark = engine._engine.spark().newSession()
    spark.sql(rows).createOrReplaceTempView(relation.view)
    statement = parse(query)
    assert isinstance(statement, ir.Select)
    lowered = lower_query(statement.query, lambda name: relation)
    return [tuple(row) for row in spark.sql(lowered.sql).collect()]


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float):
        return isinstance(found, float) and isclose(found, expected, abs_tol=1e-12)
    if isinstance(expected, bytes):
        return bytes(found) == expected
    if isinstance(expected, datetime) and expected.tzinfo:
        return bool(found.astimezone(UTC) == expected)
    if isinstance(expected, tuple):
        return tuple(found) == expected
    return bool(found == expected) and isinstance(found, bool) == isinstance(expected, bool)


def test_every_function_gives_what_flink_says(engine: Session) -> None:
    columns = tuple(RelationColumn(n, t) for n, t, _ in COLUMNS)
    rows = "SELECT " + ", ".join(
        f"CAST({sql} AS {spark_type(type_)}) AS {n}" for n, type_, sql in COLUMNS
    )
    texts = [*VALUES, *CLOCKS]
    (row,) = run(engine, Relation("one", columns), rows, f"SELECT {', '.join(texts)} FROM one")
    found = dict(zip(texts, row, strict=True))
    wrong = {text: found[text] for text, value in VALUES.items() if not same(found[text], value)}
    assert wrong == {}
    assert {text: type(found[text]) for text in CLOCKS} == CLOCKS


def test_every_aggregate_gives_what_flink_says(engine: Session) -> None:
    columns = (
        RelationColumn("v", m.Nullable(m.Int(32))),
        RelationColumn("w", m.String()),
        RelationColumn("dec", m.Nullable(m.Decimal(10, 2))),
        RelationColumn("huge", m.Nullable(m.Decimal(38, 0))),
    )
    rows = (
        f"SELECT v, w, CAST(v AS DECIMAL(10,2)) AS dec, if(v > 0, {NINES}BD, NULL) AS huge FROM "
        "VALUES (1, 'a'), (1, 'b'), (NULL, 'c'), (3, 'd') AS t(v, w)"
    )
    many = Relation("many", columns)
    (row,) = run(engine, many, rows, f"SELECT {', '.join(AGGREGATES)} FROM many")
    found = dict(zip(AGGREGATES, row, strict=True))
    assert {text: found[text] for text in found if not same(found[text], AGGREGATES[text])} == {}
    ranked = run(engine, many, rows, f"SELECT w, {', '.join(RANKED)} FROM many ORDER BY w")
    lists = dict(zip(RANKED, [list(each) for each in zip(*ranked, strict=True)][1:], strict=True))
    assert lists == RANKED
    sets = run(engine, many, rows, "SELECT GROUPING(w), COUNT(*) FROM many GROUP BY ROLLUP (w)")
    assert sorted(sets) == [(0, 1)] * 4 + [(1, 4)]


def test_no_function_is_left_out() -> None:
    texts = " ".join([*VALUES, *CLOCKS, *AGGREGATES, *RANKED, *GROUPED])
    called = {word.upper() for word in re.findall(r"\w+", texts)}
    assert sorted(set(FUNCTIONS) - called) == []
