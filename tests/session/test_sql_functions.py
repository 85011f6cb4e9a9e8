"""CREATE FUNCTION: called in queries, written out in what outlives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.lab import KAFKA
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from session.lab import Lab


def make(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree ORDER BY a",
        "CREATE FUNCTION linear AS (x, k, b) -> k * x + b",
        "CREATE FUNCTION twice AS (x) -> linear(x, 2, 0)",
        "CREATE FUNCTION five AS () -> 5",
    )


def test_queries_call_them_as_they_are(lab: Lab) -> None:
    """The name of a column is the call, as in ClickHouse."""
    make(lab)
    result = lab.session.execute("SELECT linear(number, 2, 1), five() FROM numbers(2)")
    assert [column.name for column in result.columns] == ["linear(number, 2, 1)", "five()"]
    assert result.fetchall() == [(1, 5), (3, 5)]
    assert lab.run("SELECT twice(twice(3))") == [(12,)]
    assert lab.run("SELECT twice(a) FROM t WHERE twice(a) > five()") == []
    lab.run("CREATE OR REPLACE FUNCTION twice AS x -> concat(x, x)")
    assert lab.run("SELECT twice('ab')") == [("abab",)]
    lab.run("DROP FUNCTION twice")
    with pytest.raises(SluiceError, match="Unknown function twice"):
        lab.run("SELECT twice('ab')")
    lab.run("DROP FUNCTION IF EXISTS twice", "CREATE FUNCTION IF NOT EXISTS five AS () -> 6")
    assert lab.run("SELECT five()") == [(5,)]


def test_names_in_quotes(lab: Lab) -> None:
    lab.run("CREATE FUNCTION `my f` AS (`an x`) -> `an x` + 1 -- a comment")
    assert lab.run('SELECT `my f`(1), "my f"(2)') == [(2, 3)]


def test_they_are_listed(lab: Lab) -> None:
    make(lab)
    listed = "SELECT name, create_query FROM system.functions WHERE origin = 'SQLUserDefined'"
    assert lab.run(f"{listed} ORDER BY name LIMIT 2") == [
        ("five", "CREATE FUNCTION five AS () -> 5"),
        ("linear", "CREATE FUNCTION linear AS (x, k, b) -> ((k * x) + b)"),
    ]
    assert ("twice",) in [row[:1] for row in lab.run("SHOW FUNCTIONS LIKE 'twi%'")]


def test_what_outlives_a_statement_keeps_their_expressions(lab: Lab) -> None:
    make(lab)
    lab.run(
        "CREATE VIEW v AS SELECT twice(a) AS x, five() AS y FROM t",
        f"CREATE TABLE q (a UInt8) {KAFKA}",
        "CREATE TABLE u (a UInt64, b UInt64 DEFAULT twice(a), CONSTRAINT c CHECK twice(a) < 9) "
        "ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW m TO u AS SELECT twice(a) AS a FROM q",
        "ALTER TABLE u ADD COLUMN z UInt64 MATERIALIZED linear(a, five(), 1)",
        "DROP FUNCTION twice",
        "DROP FUNCTION linear",
    )
    assert lab.shown("v").endswith("AS SELECT ((2 * a) + 0) AS x, 5 AS y FROM t")
    assert lab.run("SELECT x FROM v") == []
    shown = lab.shown("u")
    assert "DEFAULT 2 * a + 0" in shown or "DEFAULT ((2 * a) + 0)" in shown
    assert "CHECK ((2 * a) + 0) < 9" in shown
    assert "5 * a" in shown
    assert "SELECT ((2 * a) + 0) AS a FROM q" in lab.shown("m")
    assert lab.spec("q").outputs


def test_a_parameter_of_a_lambda_is_not_mistaken(lab: Lab) -> None:
    """What is written out never takes another meaning."""
    lab.run(
        "CREATE TABLE t (i UInt8, a Array(UInt8)) ENGINE = MergeTree ORDER BY i",
        "CREATE FUNCTION more AS (x) -> arrayMap(i -> i + 1, x)",
        "CREATE VIEW v AS SELECT more(a) AS b FROM t",
    )
    assert lab.run("SELECT more([1, 2])") == [([2, 3],)]
    lab.fails("CREATE VIEW w AS SELECT more([i]) AS b FROM t", "INVALID_SQL_FUNCTION", says="i,")


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("CREATE FUNCTION five AS () -> 6", "FUNCTION_ALREADY_EXISTS", "CREATE OR REPLACE"),
        ("CREATE FUNCTION upper AS x -> x", "FUNCTION_ALREADY_EXISTS", "of ClickHouse"),
        ("CREATE OR REPLACE FUNCTION count AS x -> x", "FUNCTION_ALREADY_EXISTS", "count"),
        ("CREATE FUNCTION file AS x -> x", "FUNCTION_ALREADY_EXISTS", "file"),
        ("CREATE FUNCTION f AS 5", "SYNTAX_ERROR", "(x) -> x + 1"),
        ("CREATE FUNCTION f AS x -> x, 2", "SYNTAX_ERROR", ""),
        ("CREATE FUNCTION f AS (x, x) -> x", "INVALID_SQL_FUNCTION", "two parameters x"),
        ("CREATE FUNCTION f AS x -> file('/etc/passwd')", "FUNCTION_NOT_ALLOWED", "file"),
        ("CREATE FUNCTION f AS x -> nosuch(x)", "UNKNOWN_FUNCTION", "nosuch"),
        ("CREATE FUNCTION f AS x -> (SELECT max(a) FROM t)", "INVALID_SQL_FUNCTION", "reads rows"),
        ("CREATE FUNCTION f AS x -> x IN t", "INVALID_SQL_FUNCTION", "reads rows"),
        ("CREATE FUNCTION f AS x -> f(x)", "INVALID_SQL_FUNCTION", "f -> f"),
        ("CREATE OR REPLACE FUNCTION linear AS (x, y, z) -> twice(x)", "INVALID_SQL_FUNCTION",
         "calls itself"),
        ("CREATE VIEW n AS SELECT twice(1, 2) AS a", "WRONG_ARGUMENT_COUNT", "2 given, 1 expected"),
        ("DROP FUNCTION upper", "CANNOT_DROP_FUNCTION", "upper"),
        ("DROP FUNCTION twise", "UNKNOWN_FUNCTION", "twice"),
    ],
)  # fmt: skip
def test_what_is_refused(shared: Lab, text: str, condition: str, says: str) -> None:
    shared.fails(text, condition, says=says)
