"""What a query of Flink's may not reach, and what must not bring the lowering down."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

import pytest
import sqlglot
from golden.files import statements
from golden.test_flink import Tables
from sqlglot import exp

from sluice import errors
from sluice.sql import ir
from sluice.sql.flink import lower_expression, lower_query, parse
from sluice.sql.flink.functions import FUNCTIONS, UNSUPPORTED
from sluice.sql.relation import Lowered, RelationColumn
from sluice.types import parse_type

FOLDER = Path(__file__).parents[1] / "golden" / "flink" / "lowered"
LOWERED = [
    case for path in sorted(FOLDER.glob("*.sql")) for case in statements(path.read_text("utf-8"))
]
TABLE = parse(statements((FOLDER / "functions.sql").read_text("utf-8"))[0])


def lower(text: str) -> Lowered:
    tables = Tables()
    assert isinstance(TABLE, ir.CreateTable)
    tables.add(TABLE)
    statement = parse(text)
    assert isinstance(statement, ir.Select)
    return lower_query(statement.query, tables.resolve)


def test_patterns_are_re2s() -> None:
    for call in ("REGEXP(name, '(?=a)')", "REGEXP_REPLACE(name, '(a)\\1', '')"):
        fails(f"SELECT {call} FROM t", "CANNOT_COMPILE_REGEXP")


def fails(text: str, condition: str | None = None) -> None:
    with pytest.raises(errors.UserError) as caught:
        lower(text)
    assert caught.value.place is not None
    assert condition is None or caught.value.condition.name == condition, str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        "reflect('java.lang.System', 'getenv', 'HOME')",
        "REFLECT('a', 'b')",
        "`reflect`('a', 'b')",
        "java_method('a', 'b')",
        "try_reflect('a', 'b')",
        "input_file_name()",
        "from_json('{}', 'a INT')",
        "raise_error('x')",
        "db.reflect('a')",
        "system.builtin.reflect('a')",
        "`window`(ts, '1 day')",
        "explode(tags)",
    ],
)
def test_functions_of_spark(call: str) -> None:
    fails(f"SELECT {call} FROM t", "UNKNOWN_FUNCTION")
    fails(f"SELECT 1 FROM t WHERE id IN (SELECT {call} FROM t)", "UNKNOWN_FUNCTION")


@pytest.mark.parametrize(
    "source",
    ["text.`/etc/passwd`", "csv.`/etc/passwd`", "delta.`/tmp/x`", "`view of t`", "other.db.t"],
)
def test_files_as_tables(source: str) -> None:
    fails(f"SELECT * FROM {source}", "UNKNOWN_TABLE")
    fails(f"SELECT * FROM TABLE(TUMBLE(TABLE {source}, DESCRIPTOR(ts), INTERVAL '1' HOUR))")


@pytest.mark.parametrize("call", ["range(10)", "explode(tags)", "inline(items)", "read_files('x')"])
def test_table_functions(call: str) -> None:
    fails(f"SELECT * FROM {call}", "UNSUPPORTED_CLAUSE")
    fails(f"SELECT * FROM TABLE({call})", "UNSUPPORTED_CLAUSE")
    fails(f"SELECT * FROM t, LATERAL TABLE({call}) AS x(y)", "UNSUPPORTED_CLAUSE")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT TRANSFORM(name) USING 'sh -c id' FROM t",
        "SELECT * FROM t LATERAL VIEW explode(tags) x AS y",
        "SELECT * FROM t TABLESAMPLE (1 ROWS)",
        "SELECT * FROM t VERSION AS OF 1",
        "SELECT * FROM t TIMESTAMP AS OF '2020-01-01'",
        "SELECT * FROM t PIVOT (SUM(id) FOR name IN ('a'))",
        "SELECT * EXCEPT (id) FROM t",
        "SELECT id INTO x FROM t",
        "SELECT id FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1",
        "SELECT id FROM t FOR UPDATE",
        "SELECT x -> x + 1 FROM t",
        "SELECT id::STRING FROM t",
        "SELECT id FROM t CLUSTER BY id",
        "SELECT id FROM t SORT BY id",
        "SELECT @@x",
        "SELECT :x FROM t",
        "SELECT ? FROM t",
        "FROM t SELECT id",
        "FROM t",
        "SELECT * FROM (INSERT INTO t VALUES (1))",
        "SELECT * FROM (DESCRIBE t)",
        "WITH x AS (DROP TABLE t) SELECT 1",
        "WITH RECURSIVE x AS (SELECT 1) SELECT * FROM x",
        "SELECT id FROM t LIMIT ALL",
        "SELECT id FROM t LIMIT id",
        "SELECT id FROM t JOIN t ON TRUE",
        "SELECT 1e999 FROM t",
        f"SELECT {'9' * 50} FROM t",
        "SELECT 0x1F FROM t",
        "SELECT x'0' FROM t",
        "SELECT `${env:HOME}` FROM (SELECT 1 AS `${env:HOME}`)",
        "SELECT CAST(r AS ROW<`a:*` INT, b ROW<c STRING>>) FROM t",
        "SELECT (SELECT id, name FROM t) FROM t",
        "SELECT * FROM UNNEST(ARRAY[1])",
        "SELECT id FROM t ORDER BY 9",
        "SELECT *",
        "SELECT q.* FROM t",
    ],
)
def test_other_ways_out(text: str) -> None:
    fails(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "- " * 3_000 + "1",
        "SELECT 1" + " + 1" * 20_000,
        "SELECT x" + ".y" * 5_000,
        "SELECT 'a'" + " || 'a'" * 10_000,
    ],
    ids=lambda text: f"{text[:12]}…{len(text)}",
)
def test_deep_nesting_is_an_error_and_quick(text: str) -> None:
    began = time.monotonic()
    fails(text)
    assert time.monotonic() - began < 5


def test_much_that_is_not_deep_is_fine() -> None:
    lower("SELECT " + "(" * 90 + "1" + ")" * 90)
    lower("SELECT " + "LOWER(" * 90 + "'x'" + ")" * 90)
    text = " OR ".join(f"id = {n}" for n in range(5_000))
    assert lower(f"SELECT id FROM t WHERE {text}").sql.count(" OR ") == 4_999


def test_a_computed_column_that_needs_itself() -> None:
    column = RelationColumn("a", parse_type("Int32"), "a + 1")
    with pytest.raises(errors.UserError, match="too deeply nested"):
        lower_expression("a", [column])


def test_single_expressions() -> None:
    columns = [RelationColumn("a", parse_type("Nullable(Int32)")),
               RelationColumn("ts", parse_type("LocalDateTime(3)"))]  # fmt: skip
    assert lower_expression("ts - INTERVAL '5' SECOND", columns).sql == "`ts` - INTERVAL '5' SECOND"
    assert lower_expression("a / 2", columns).sql == "sluice_int32(sluice_divide(`a`, 2, 'a / 2'))"
    assert str(lower_expression("a * 2", columns).type) == "Int32"
    assert str(lower_expression("ts + INTERVAL '1' SECOND", columns).type) == "LocalDateTime(3)"
    assert str(lower_expression("CAST(a AS DECIMAL(10, 2)) / 3", columns).type) == "Decimal(21, 13)"
    assert str(lower_expression("ROUND(1.55, 1)", columns).type) == "Decimal(3, 1)"
    assert lower_expression("ROUND(1.5, -1)", columns).type is None
    for text in ("(SELECT 1)", "EXISTS (SELECT 1)", "nosuch"):
        with pytest.raises(errors.UserError):
            lower_expression(text, columns)


def test_a_number_of_arguments_between_two() -> None:
    fails("SELECT STR_TO_MAP(name, ';') FROM t", "WRONG_ARGUMENT_COUNT")


def test_what_spark_gets_is_sql() -> None:
    texts = [case for case in LOWERED if case.startswith("SELECT") and "db.u" not in case]
    count = 0
    for text in texts:
        with contextlib.suppress(errors.UserError):
            assert isinstance(sqlglot.parse_one(lower(text).sql, dialect="spark"), exp.Query)
            count += 1
    assert count > 40


def test_every_function_has_a_case() -> None:
    called = {word.upper() for case in LOWERED for word in re.findall(r"\w+", case)}
    assert not set(FUNCTIONS) - called
    assert not set(FUNCTIONS) & set(UNSUPPORTED)
    for name, function in FUNCTIONS.items():
        assert name == name.upper()
        assert function.kind in ("scalar", "aggregate", "window")
        assert function.takes()
