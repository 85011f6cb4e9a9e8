"""EXPLAIN and DESCRIBE of queries: ClickHouse's own, and no path of a file in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from session.lab import Lab


def make(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a UInt32, s String, e Enum8('x' = 1)) ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE q (a UInt64) ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow')",
    )


def lines(lab: Lab, text: str) -> str:
    return "\n".join(str(row[0]) for row in lab.session.execute(text).fetchall())


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("", "Aggregating"),
        ("PLAN actions = 1, indexes = 1", "Filter column"),
        ("PLAN json = 1", '"Node Type"'),
        ("PIPELINE", "(Expression)"),
        ("AST", "SelectWithUnionQuery"),
        ("SYNTAX", "SELECT"),
        ("SYNTAX run_query_tree_passes = 1", "SELECT"),
        ("QUERY TREE", "QUERY id: 0"),
    ],
)
def test_kinds(shared: Lab, kind: str, wanted: str) -> None:
    query = "SELECT s, count() FROM t WHERE a = 7 GROUP BY s SETTINGS max_threads = 1"
    shown = lines(shared, f"EXPLAIN {kind} {query}")
    assert wanted in shown
    for path in (shared.session._engine.folder.path, "clickhouse-", "/dev/"):
        assert str(path) not in shown
    system = lines(shared, f"EXPLAIN {kind} SELECT name FROM system.tables")
    assert "clickhouse-" not in system
    assert "rows/" not in system


def test_estimate_and_formats(shared: Lab) -> None:
    found = shared.session.execute("EXPLAIN ESTIMATE SELECT * FROM t")
    assert [column.name for column in found.columns] == [
        "database", "table", "parts", "rows", "marks",
    ]  # fmt: skip
    assert shared.session.execute("EXPLAIN SELECT 1 FORMAT JSON").format == "JSON"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("EXPLAIN AST SELECT 1; SELECT 2", "SYNTAX_ERROR"),
        ("EXPLAIN SELECT nope FROM t", "UNKNOWN_IDENTIFIER"),
        ("EXPLAIN SELECT * FROM nothing", "UNKNOWN_TABLE"),
        ("EXPLAIN SELECT * FROM file('/etc/passwd')", "FUNCTION_NOT_ALLOWED"),
        ("EXPLAIN SELECT * FROM (EXPLAIN SELECT * FROM t)", "FUNCTION_NOT_ALLOWED"),
        ("EXPLAIN SELECT * FROM q", "EXPLAIN_ON_SPARK"),
        ("EXPLAIN AST CREATE TABLE n (a UInt8) ENGINE = Memory", "UNSUPPORTED_STATEMENT"),
        ("EXPLAIN INSERT INTO t VALUES (1)", "UNSUPPORTED_STATEMENT"),
        ("EXPLAIN TABLE OVERRIDE mysql('h', 'd', 't', 'u', 'p')", "UNSUPPORTED_STATEMENT"),
        ("EXPLAIN header = 'x' SELECT 1", "SYNTAX_ERROR"),
    ],
)
def test_refused(shared: Lab, text: str, name: str) -> None:
    with pytest.raises(errors.SluiceError) as refused:
        shared.session.execute(text)
    assert refused.value.condition.name == name


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("DESC (SELECT a, s AS name, e FROM t)", ["UInt32", "String", "Enum8('x' = 1)"]),
        ("DESCRIBE TABLE (SELECT 1 AS a, toDate('2026-01-01'))", ["UInt8", "Date"]),
        ("DESCRIBE TABLE numbers(3)", ["UInt64"]),
        ("DESC values('a UInt8, b String', (1, 'x')) FORMAT JSON", ["UInt8", "String"]),
        ("DESCRIBE (WITH x AS (SELECT 1 AS y) SELECT * FROM x)", ["UInt8"]),
    ],
)
def test_describe(shared: Lab, text: str, wanted: Sequence[str]) -> None:
    found = shared.session.execute(text)
    assert [row[1] for row in found.fetchall()] == wanted
    assert [column.name for column in found.columns] == [
        "name", "type", "default_type", "default_expression", "comment", "codec_expression",
        "ttl_expression",
    ]  # fmt: skip
