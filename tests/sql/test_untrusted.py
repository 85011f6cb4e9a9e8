"""What a SQL user must not reach, and what must not bring the parser down."""

from __future__ import annotations

import pytest

from sluice import errors
from sluice.sql.clickhouse import parse
from sql.cases import DialectCase


class TestUntrusted(DialectCase):
    @pytest.mark.parametrize(
        "call",
        [
            "reflect('java.lang.System', 'getenv', 'HOME')",
            "REFLECT('a', 'b')",
            "`reflect`('a', 'b')",
            "java_method('a', 'b')",
            "try_reflect('a', 'b')",
            "input_file_name()",
            "current_user_dir()",
            "from_json('{}', 'a INT')",
            "raise_error('x')",
            "assert_true(1)",
            "assert_true(2)",
            "default.reflect('a')",
            "system.builtin.reflect('a')",
            "reflectIf('a', 1)",
        ],
    )
    def test_functions_of_spark(self, call: str) -> None:
        self.fails(f"SELECT {call}", "UNKNOWN_FUNCTION")
        self.fails(f"SELECT 1 FROM t WHERE id IN (SELECT {call})", "UNKNOWN_FUNCTION")

    @pytest.mark.parametrize(
        "source",
        [
            "text.`/etc/passwd`",
            '"csv"."/etc/passwd"',
            "delta.`/tmp/x`",
            "json.`file:///x`",
            "`v t`",
        ],
    )
    def test_files_as_tables(self, source: str) -> None:
        self.fails(f"SELECT * FROM {source}", "UNKNOWN_TABLE")

    @pytest.mark.parametrize(
        "call",
        [
            "file('/etc/passwd')",
            "url('http://127.0.0.1/')",
            "s3('x')",
            "remote('h', 'd', 't')",
            "executable('x')",
            "range(10)",
            "values('a Int8', (1))",
            "view(SELECT 1)",
            "input('a Int8')",
        ],
    )
    def test_table_functions(self, call: str) -> None:
        self.fails(f"SELECT * FROM {call}", "UNSUPPORTED_CLAUSE")

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT TRANSFORM(name) USING 'sh -c id' FROM t",
            "SELECT 1 INTO OUTFILE '/tmp/x'",
            "SELECT * FROM t LATERAL VIEW explode(tags) x AS y",
            "SELECT /*+ BROADCAST(t) */ nosuch FROM t",
            "SELECT * FROM t TABLESAMPLE (1 ROWS)",
            "SELECT * FROM t VERSION AS OF 1",
            "FROM t SELECT id",
            "VALUES (1)",
            "TABLE t",
            "SELECT",
            "SELECT FROM t",
            "SELECT id ::",
            "SELECT (id, name) IN () FROM t",
            "SELECT tags[1, 2] FROM t",
            "SELECT ok ? 1 :, name FROM t",
            "SELECT extract(",
            "SELECT DATE",
            "SELECT * FROM (INSERT INTO t VALUES (1))",
            "WITH x AS (DROP TABLE t) SELECT 1",
        ],
    )
    def test_other_ways_out(self, text: str) -> None:
        with pytest.raises(errors.UserError) as caught:
            self.lowered(text)
        assert caught.value.place is not None

    @pytest.mark.parametrize(
        "text",
        [
            "ADD JAR '/tmp/x.jar'",
            "ADD FILE x",
            "LIST JARS",
            "SET spark.sql.ansi.enabled = false",
            "SET `spark.x.y` = 1; SELECT 1",
            "CREATE FUNCTION f AS 'x' USING JAR 'y'",
            "CREATE TABLE x USING jdbc",
            "CREATE TABLE t (a Int8) USING parquet LOCATION '/etc'",
            "LOAD DATA INPATH 'x' INTO TABLE t",
            "INSERT OVERWRITE DIRECTORY '/x' SELECT 1",
            "INSERT INTO FUNCTION file('x') SELECT 1",
            "INSERT INTO t FROM INFILE 'x' FORMAT CSV",
            "REFRESH TABLE t",
            "ANALYZE TABLE t",
            "EXPLAIN AST CREATE TABLE t (a Int8)",
            "SYSTEM SHUTDOWN",
            "ALTER TABLE t FETCH PARTITION 1 FROM '/x'",
            "ALTER TABLE t ATTACH PARTITION ID 'x' FROM '/etc'",
            "ATTACH TABLE t FROM '/etc/passwd' (a String) ENGINE = File(TSV)",
            "KILL TRANSACTION WHERE 1",
            "SELECT 1; DROP TABLE t",
        ],
    )
    def test_statements(self, text: str) -> None:
        with pytest.raises(errors.UserError) as caught:
            parse(text)
        assert caught.value.place is not None

    @pytest.mark.parametrize(
        "text",
        [
            "(" * 1_000_000,
            "SELECT " + "(" * 1_000_000,
            "SELECT " + "[" * 5_000 + "]" * 5_000,
            "SELECT " + "f(" * 3_000,
            "SELECT " + "- " * 3_000 + "1",
            "SELECT " + "NOT " * 5_000 + "1",
            "SELECT 1" + " + 1" * 20_000,
            "SELECT " + "CASE WHEN 1 THEN " * 3_000 + "1",
            "SELECT x" + ".y" * 5_000,
        ],
        ids=lambda text: f"{text[:12]}…{len(text)}",
    )
    def test_deep_nesting_is_an_error_and_quick(self, text: str) -> None:
        with pytest.raises(errors.UserError):
            self.lowered(text)

    def test_a_hundred_levels_are_fine(self) -> None:
        self.lowered("SELECT " + "(" * 90 + "1" + ")" * 90)
        self.lowered("SELECT " + "lower(" * 90 + "'x'" + ")" * 90)

    def test_many_conditions_are_fine(self) -> None:
        text = " OR ".join(f"id = {n}" for n in range(5_000))
        assert self.lowered(f"SELECT id FROM t WHERE {text}").sql.count(" OR ") == 4_999
        numbers = ", ".join(map(str, range(10_000)))
        assert "9999)" in self.lowered(f"SELECT id IN ({numbers}) FROM t").sql
