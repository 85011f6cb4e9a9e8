"""What a wrong query is told: ClickHouse's code and name, the place, and nothing of Spark's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from sluice.session import Session

pytestmark = pytest.mark.usefixtures("on_spark")

CASES = [
    ("SELECT toInt32('x')", 6, "CANNOT_PARSE_TEXT", "1:16", "'x' as Int32"),
    ("SELECT toInt32(s) FROM t WHERE id = 1", 6, "CANNOT_PARSE_TEXT", "", "'é' as Int32"),
    ("SELECT toDecimal32('x', 2)", 6, "CANNOT_PARSE_TEXT", "1:20", "'x' as Decimal(9, 2)"),
    ("SELECT toDate('x')", 38, "CANNOT_PARSE_DATE", "1:15", "YYYY-MM-DD"),
    ("SELECT toDateTime('x')", 41, "CANNOT_PARSE_DATETIME", "1:19", "'x' as DateTime"),
    ("SELECT toUUID('x')", 376, "CANNOT_PARSE_UUID", "1:15", "'x'"),
    ("SELECT CAST('z' AS Enum8('a' = 1))", 691, "UNKNOWN_ELEMENT_OF_ENUM", "1:13", "'z'"),
    ("SELECT id FROM t WHERE e != 'z'", 691, "UNKNOWN_ELEMENT_OF_ENUM", "1:24", "'z'"),
    ("SELECT ne IN ('z') FROM t", 691, "UNKNOWN_ELEMENT_OF_ENUM", "1:8", "'z'"),
    ("SELECT CASE e WHEN 'z' THEN 1 END FROM t", 691, "UNKNOWN_ELEMENT_OF_ENUM", "1:13", "'z'"),
    ("SELECT [e] < ['a'] FROM t", 43, "ILLEGAL_TYPE_OF_ARGUMENT", "1:9", "have no order"),
    ("SELECT 's' / 2", 43, "ILLEGAL_TYPE_OF_ARGUMENT", "1:8", "String and UInt8"),
    ("SELECT greatest(id, -1) FROM t", 386, "NO_COMMON_TYPE", "1:8", "UInt64, Int8"),
    ("SELECT toFixedString('abcdef', 3)", 131, "TOO_LARGE_STRING_SIZE", "", "FixedString(3)"),
    ("SELECT repeat('a', materialize(2000000))", 131, "TOO_LARGE_STRING_SIZE", "", "at most"),
    ("SELECT intDiv(5, 0)", 153, "ILLEGAL_DIVISION", "1:8", "intDivOrZero"),
    ("SELECT 1 % (id - id) FROM t", 153, "ILLEGAL_DIVISION", "", "Division by zero"),
    ("SELECT toDecimal32(1e9, 2)", 407, "DECIMAL_OVERFLOW", "", "Decimal(9, 2)"),
    ("SELECT id, count() FROM t", 215, "NOT_AN_AGGREGATE", "1:8", "any("),
    ("SELECT id,\n  s, count() FROM t GROUP BY id", 215, "NOT_AN_AGGREGATE", "2:3", "Column s is"),
    ("SELECT count() FROM t HAVING id > 1", 215, "NOT_AN_AGGREGATE", "", "Column id is"),
    ("SELECT sum(count()) FROM t", 184, "ILLEGAL_AGGREGATION", "", "HAVING"),
    ("SELECT id FROM t WHERE count() > 1", 184, "ILLEGAL_AGGREGATION", "", "HAVING"),
    ("SELECT arrayJoin(id) FROM t", 43, "ILLEGAL_TYPE_OF_ARGUMENT", "1:8", "not UInt64"),
    ("SELECT 's' + 1", 43, "ILLEGAL_TYPE_OF_ARGUMENT", "1:8", "String and UInt8"),
    ("SELECT sum(s) FROM t", 43, "ILLEGAL_TYPE_OF_ARGUMENT", "1:8", "type String"),
    ("SELECT mapKeys(id) FROM t", 43, "ILLEGAL_TYPE_OF_ARGUMENT", "", "Map is expected"),
    ("SELECT (SELECT id FROM t)", 125, "INCORRECT_RESULT_OF_SCALAR_SUBQUERY", "", "LIMIT 1"),
    ("SELECT match(s, '(') FROM t", 427, "CANNOT_COMPILE_REGEXP", "", "'('"),
    ("SELECT id FROM t WHERE", 62, "SYNTAX_ERROR", "1:18", "an expression is expected"),
    ("SELECT 1 +", 62, "SYNTAX_ERROR", "1:10", "an expression is expected"),
    ("SELECT nosuch FROM t", 47, "UNKNOWN_IDENTIFIER", "1:8", "nosuch"),
    ("SELECT nosuch(1)", 46, "UNKNOWN_FUNCTION", "1:8", "nosuch"),
    ("SELECT plus(1)", 42, "NUMBER_OF_ARGUMENTS_DOESNT_MATCH", "1:8", "2 expected"),
    ("SELECT 1 FROM nosuch", 60, "UNKNOWN_TABLE", "1:15", "nosuch"),
    ("GRANT ALL TO x", 511, "UNKNOWN_ROLE", "1:7", "ALL"),
    ("BACKUP TABLE t TO Disk('a', 'b')", 48, "NOT_IMPLEMENTED", "1:1", "BACKUP"),
]

LEAKS = re.compile(
    r"(?i)spark|sqlglot|try_cast|try_div|ansi|java\.|explode|decimal\(20,|<class|flink"
)


def test_a_wrong_query_is_told_in_clickhouse_s_words(session: Session) -> None:
    enum = "Enum8('a' = 1)"
    columns = f"id UInt64, s String, e {enum}, ne Nullable({enum})"
    session.execute(f"CREATE TABLE t ({columns}) ENGINE = MergeTree ORDER BY id")
    session.execute("INSERT INTO t VALUES (1, 'é', 'a', 'a'), (2, 'b', 'a', NULL)")
    wrong: list[str] = []
    for text, code, name, at, says in CASES:
        try:
            session.execute(text).fetchall()
        except SluiceError as bad:
            told = bad.clickhouse_text()
            place = f"{bad.place.line}:{bad.place.column}" if bad.place else ""
            head, tail = f"Code: {code}. DB::Exception: ", f" ({name})"
            right = told.startswith(head) and told.endswith(tail) and says in told
            if not right or LEAKS.search(told) or at not in ("", place):
                wrong.append(f"{text!r} at {place}: {told}")
        else:
            wrong.append(f"{text!r} has an answer")
    assert wrong == []
