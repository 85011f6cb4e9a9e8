"""What is wrong with a Flink statement is said in words, and where."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

import time

import pytest

from sluice import errors
from sluice.errors import Place
from sluice.sql import ir
from sluice.sql.flink import parse

WATERMARK = (
    "Invalid data type of time field for watermark definition. The field must be of type "
    "TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time "
    "field type is "
)

WRONG = [
    ("", "1:1", "Syntax error: the statement is empty"),
    ("-- nothing", "1:1", "Syntax error: the statement is empty"),
    ("SELECT 1; SELECT 2", "1:9", "one statement at a time is expected, and more follows this ;"),
    ("SELEC 1", "1:1", "The statement SELEC is not supported"),
    ("SELECT 'abc", "1:8", "Syntax error: the ' is not closed"),
    ("SELECT `abc", "1:8", "Syntax error: the ` is not closed"),
    ("SELECT /* abc", "1:8", "Syntax error: the /* is not closed"),
    ('SELECT "a" FROM t', "1:8", "strings are written in '…' and names in `…`, not in double quotes"),
    ("SELECT 1 +", "1:10", "Syntax error"),
    ("SELECT", "1:1", "Syntax error: SELECT needs columns"),
    ("SELECT FROM t", "1:8", "Syntax error: SELECT needs columns"),
    ("CREATE", "1:1", "CREATE is not supported"),
    ("CREATE TABLE", "1:13", "Syntax error: expected a table's name, found the end"),
    ("CREATE TABLE t", "1:14", "Syntax error: expected at least one column"),
    ("CREATE TABLE t ()", "1:14", "Syntax error: expected at least one column"),
    ("CREATE TABLE t (a)", "1:18", "Syntax error: expected the type of column a, found ')'"),
    ("CREATE TABLE t (a INT", "1:22", "Syntax error: expected a comma or ), found the end"),
    ("CREATE TABLE t (a INT,)", "1:23", "Syntax error: expected a column's name, found ')'"),
    ("CREATE TABLE t (\n  a STRNG)", "2:5", "Unknown data type STRNG (line 2, column 5). Did you mean STRING?"),
    ("CREATE TABLE t (a INT, A STRING)", "1:24", "Column A is given twice"),
    ("CREATE TABLE t (a DECIMAL(39))", "1:27", "DECIMAL: the precision must be between 1 and 38"),
    ("CREATE TABLE t (a DECIMAL(3, 4))", "1:30", "DECIMAL: the scale must be between 0 and 3"),
    ("CREATE TABLE t (a VARCHAR(0))", "1:27", "VARCHAR: the length must be between 1 and 2147483647"),
    ("CREATE TABLE t (a TIME(10))", "1:24", "TIME: the precision must be between 0 and 9"),
    ("CREATE TABLE t (a ARRAY<INT)", "1:28", "Syntax error: expected >, found ')'"),
    ("CREATE TABLE t (a MAP<INT>)", "1:26", "Syntax error: expected a comma and the type of the values, found '>'"),
    ("CREATE TABLE t (a ROW<b INT, b INT>)", "1:30", "Column b is given twice"),
    ("CREATE TABLE t (a INTERVAL MONTH TO DAY)", "1:28", "INTERVAL MONTH TO DAY is not a valid interval"),
    ("CREATE TABLE t (a AS)", "1:21", "Syntax error: expected an expression, found ')'"),
    ("CREATE TABLE t (a AS b +)", "1:24", "Syntax error"),
    ("CREATE TABLE t (a INT METADATA FROM x)", "1:37", "Syntax error: expected the key of the metadata in quotes, found 'x'"),
    ("CREATE TABLE t (a INT METADATA FROM '')", "1:37", "Syntax error: the key of the metadata is empty"),
    ("CREATE TABLE t (a INT, PRIMARY KEY (b) NOT ENFORCED)", "1:37", "Primary key column 'b' is not defined in the schema"),
    ("CREATE TABLE t (a AS 1, PRIMARY KEY (a) NOT ENFORCED)", "1:38",
     "Could not create a PRIMARY KEY with column 'a'. A PRIMARY KEY constraint must be declared on physical columns."),
    ("CREATE TABLE t (a INT, PRIMARY KEY (a))", "1:24", "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint."),
    ("CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, PRIMARY KEY (a) NOT ENFORCED)", "1:49", "Duplicate primary key definition"),
    ("CREATE TABLE t (a INT, WATERMARK FOR b AS b)", "1:38",
     "The rowtime attribute field 'b' is not defined in the table schema. Available fields: ['a']"),
    ("CREATE TABLE t (a INT, WATERMARK FOR a AS a)", "1:38", f"{WATERMARK}INT"),
    ("CREATE TABLE t (a TIMESTAMP(6), WATERMARK FOR a AS a)", "1:47", f"{WATERMARK}TIMESTAMP(6)"),
    ("CREATE TABLE t (a TIMESTAMP(3), WATERMARK FOR a AS a, WATERMARK FOR a AS a)", "1:55",
     "Multiple WATERMARK definition is not supported yet."),
    ("CREATE TABLE t (a INT) PARTITIONED BY (b)", "1:40",
     "Partition column 'b' not defined in the table schema. Available columns: ['a']"),
    ("CREATE TABLE t (a INT) PARTITIONED BY ()", "1:41", "Syntax error: expected the columns of the partitions, found the end"),
    ("CREATE TABLE t (a INT) WITH (connector = 'kafka')", "1:30",
     "Syntax error: expected an option's name in quotes, found 'connector'"),
    ("CREATE TABLE t (a INT) WITH ('connector' 'kafka')", "1:42", "Syntax error: expected =, found a string"),
    ("CREATE TABLE t (a INT) WITH ('topic' = 1)", "1:40", "Syntax error: expected the value of 'topic' in quotes"),
    ("CREATE TABLE t (a INT) WITH ('topic' = 'x'", "1:43", "Syntax error: expected a comma or ), found the end"),
    ("CREATE TABLE t (a INT) ENGINE = Kafka", "1:24", "Syntax error: 'ENGINE' is not expected here"),
    ("CREATE TABLE t LIKE b (OVERWRITING CONSTRAINTS)", "1:24", "Illegal merging strategy 'OVERWRITING' for 'CONSTRAINTS' option."),
    ("CREATE TABLE t LIKE b (INCLUDING NOTHING)", "1:34",
     "Syntax error: expected one of ALL, CONSTRAINTS, GENERATED, METADATA, OPTIONS, PARTITIONS, WATERMARKS, found 'NOTHING'"),
    ("CREATE TABLE t LIKE b ()", "1:25", "Syntax error: expected INCLUDING, EXCLUDING or OVERWRITING, found the end"),
    ("CREATE VIEW v", "1:14", "Syntax error: expected AS, found the end"),
    ("CREATE VIEW v AS DROP TABLE t", "1:18", "Syntax error: expected SELECT, found 'DROP'"),
    ("CREATE CATALOG c", "1:17", "Syntax error: expected WITH, found the end"),
    ("INSERT t SELECT 1", "1:8", "Syntax error: expected INTO, found 't'"),
    ("INSERT INTO t", "1:14", "Syntax error: expected SELECT or VALUES, found the end"),
    ("INSERT INTO t VALUES", "1:21", "Syntax error: expected (, found the end"),
    ("INSERT INTO t VALUES (1), (2, 3)", "1:27", "The rows of VALUES have 1 and 2 values"),
    ("INSERT INTO t VALUES (1) x", "1:26", "Syntax error: 'x' is not expected here"),
    ("INSERT INTO t VALUES ()", "1:24", "Syntax error: expected a value, found the end"),
    ("BEGIN STATEMENT SET; END", "1:22", "Syntax error: expected at least one INSERT in the statement set, found 'END'"),
    ("BEGIN STATEMENT SET; INSERT INTO t SELECT 1;", "1:44", "Syntax error: expected ; and END, found the end"),
    ("BEGIN STATEMENT SET; SELECT 1; END", "1:22", "Syntax error: expected INSERT, found 'SELECT'"),
    ("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; DROP TABLE t; END", "1:53",
     "Syntax error: expected INSERT, found 'DROP'"),
    ("SELECT * FROM t /*+ OPTIONS(a = b) */", "1:17",
     "Syntax error: a hint after a table's name is written /*+ OPTIONS('key' = 'value', …) */"),
    ("SELECT INTERVAL '1' FORTNIGHT", "1:21", "expected a unit such as MINUTE after INTERVAL, near 'FORTNIGHT'"),
    ("SELECT CAST(a AS NOTHING) FROM t", "1:18", "Unknown data type NOTHING"),
    ("SELECT CAST( AS INT) FROM t", "1:14", "expected a value, near 'AS'"),
    ("WITH a AS (SET x = 1) SELECT 1", "1:12", "expected a query, near 'SET'"),
    ("SELECT CAST(a) FROM t", "1:14", "expected AS and a type in CAST"),
    ("SELECT * FROM TABLE(t)", "1:21", "expected a function in TABLE(…)"),
    ("ALTER TABLE t", "1:14", "Syntax error: expected RENAME, SET, RESET, ADD, MODIFY or DROP, found the end"),
    ("ALTER TABLE t SET ()", "1:15", "Syntax error: this ALTER TABLE changes nothing"),
    ("ALTER TABLE t DROP ()", "1:15", "Syntax error: this ALTER TABLE changes nothing"),
    ("ALTER TABLE t ADD a INT PRIMARY KEY", "1:19", "Flink doesn't support ENFORCED mode"),
    ("DROP TABLE", "1:11", "Syntax error: expected a table's name, found the end"),
    ("DROP TABLE a.b.c.d", "1:17", "Syntax error: '.' is not expected here"),
    ("DROP TABLE t u", "1:14", "Syntax error: 'u' is not expected here"),
    ("USE hive.db", "1:5", "Catalog hive does not exist"),
    ("STOP JOB 12", "1:10", "Syntax error: expected the job's id in quotes, found a number"),
    ("SET 'a'", "1:8", "Syntax error: expected =, found the end"),
    ("SET a =", "1:8", "Syntax error: expected the value of a, found the end"),
    ("EXPLAIN", "1:8", "Syntax error: expected a query or an INSERT to explain, found the end"),
    ("EXPLAIN MIGRATION", "1:18", "Syntax error: expected a statement to explain, found the end"),
    ("SHOW CREATE DATABASE d", "1:13", "Syntax error: expected TABLE or VIEW, found 'DATABASE'"),
    ("SHOW COLUMNS t", "1:14", "Syntax error: expected FROM and a table's name, found 't'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "says"), WRONG, ids=[row[0][:60] for row in WRONG])
def test_what_is_wrong_and_where(text: str, at: str, says: str) -> None:
    with pytest.raises(errors.UserError) as caught:
        parse(text)
    place = caught.value.place
    assert place is not None
    assert f"{place.line}:{place.column}" == at, str(caught.value)
    assert says in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "SELECT " + "(" * 1_000_000,
        "SELECT " + "f(" * 3_000,
        "SELECT " + "NOT " * 5_000 + "1",
        "SELECT " + "CASE WHEN 1 THEN " * 3_000 + "1",
        "CREATE TABLE t (a " + "ARRAY<" * 5_000 + "INT",
        "CREATE TABLE t (a INT" + " ARRAY" * 5_000 + ")",
        "SELECT * FROM t " + "/*+ OPTIONS(" * 10_000 + "'a' */",
        "'" * 100_001,
    ],
    ids=lambda text: f"{text[:18]}…{len(text)}",
)
def test_deep_nesting_is_an_error_and_quick(text: str) -> None:
    began = time.monotonic()
    with pytest.raises(errors.UserError):
        parse(text)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a INT) WITH ('properties.sasl.password' 'CANARY')",
        "CREATE TABLE t (a INT) WITH ('properties.sasl.password' = CANARY)",
        "CREATE TABLE t (a INT) WITH ('properties.sasl.password' = 4711)",
        "CREATE TABLE t (a INT) WITH ('properties.sasl.password' = 'x' 'CANARY')",
        "CREATE TABLE t (a INT) WITH ('properties.sasl.password' = 'x') 'CANARY'",
        "CREATE TABLE t (a INT) WITH 'CANARY'",
        "CREATE TABLE t (a INT) 'CANARY'",
        "CREATE TABLE t (a INT) WITH ('a' = 'CANARY",
        "SET 'properties.sasl.password' 'CANARY'",
        "SET 'properties.sasl.password' = CANARY",
        "SELECT * FROM t /*+ OPTIONS('properties.sasl.password' 'CANARY') */",
        "ALTER TABLE t SET ('properties.sasl.password' = CANARY)",
    ],
)
def test_an_error_does_not_show_what_may_be_a_secret(text: str) -> None:
    with pytest.raises(errors.UserError) as caught:
        parse(text)
    assert "CANARY" not in str(caught.value)
    assert "4711" not in str(caught.value)


def test_options_have_places() -> None:
    table = parse("CREATE TABLE t (a INT) WITH (\n  'connector' = 'kafka',\n  'topic' = 'x')")
    assert isinstance(table, ir.CreateTable)
    assert table.setting_places == {"connector": Place(2, 3), "topic": Place(3, 3)}
    assert table.engine.place == Place(2, 3)
    assert table.columns[0].place == Place(1, 17)


def test_of_an_option_that_is_given_twice_the_last_one_holds() -> None:
    table = parse("CREATE TABLE t (a INT) WITH ('topic' = 'x', 'topic' = 'y')")
    assert isinstance(table, ir.CreateTable)
    assert table.settings == {"topic": "y"}


def test_reading_statements_do_not_write() -> None:
    for text in ("SELECT 1", "SHOW TABLES", "SHOW JOBS", "SHOW CREATE TABLE t", "DESC t", "USE d",
                 "EXPLAIN INSERT INTO t SELECT 1", "SET 'a' = 'b'", "SHOW CATALOGS", "SET", "RESET",
                 "EXPLAIN MIGRATION CREATE TABLE t (a INT)", "DESCRIBE JOB 'x'"):  # fmt: skip
        assert not parse(text).writes, text
    for text in ("INSERT INTO t VALUES (1)", "DROP TABLE t", "CREATE DATABASE d", "STOP JOB 'x'",
                 "CREATE VIEW v AS SELECT 1", "ALTER TABLE t DROP a", "TRUNCATE TABLE t",
                 "BEGIN STATEMENT SET; INSERT INTO t SELECT 1; END;"):  # fmt: skip
        assert parse(text).writes, text


def test_a_create_of_25_columns_is_read_in_20_ms() -> None:
    columns = [f"`c{n}` ROW<a INT, b ARRAY<STRING>> COMMENT 'x'" for n in range(10)]
    columns += [f"d{n} TIMESTAMP(3) METADATA FROM 'timestamp'" for n in range(10)]
    columns += [f"e{n} AS d{n} + INTERVAL '{n}' SECOND" for n in range(5)]
    options = ", ".join(f"'properties.k{n}' = 'v'" for n in range(20))
    text = f"CREATE TABLE t ({', '.join(columns)}, WATERMARK FOR d1 AS d1) WITH ({options})"
    parse(text)
    times = []
    for _ in range(20):
        began = time.perf_counter()
        parse(text)
        times.append(time.perf_counter() - began)
    assert min(times) < 0.020
