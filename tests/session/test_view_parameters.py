"""CREATE VIEW with `{name:Type}`, read as `view(name = value)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.lab import KAFKA
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from session.lab import Lab


def make(lab: Lab) -> None:
    lab.run(
        "CREATE DATABASE e",
        "CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree ORDER BY a",
        f"CREATE TABLE q (a UInt8) {KAFKA}",
        "CREATE VIEW v AS SELECT number AS n, {label:String} AS l FROM numbers(10) "
        "WHERE number < {most:UInt64} -- it's {not:one}",
        "CREATE VIEW e.pick AS SELECT {columns:Identifier} FROM t",
        "CREATE VIEW days AS SELECT toDate({day:String}) AS d, arrayJoin({ids:Array(UInt8)}) AS i",
        "CREATE VIEW plain AS SELECT a FROM t",
    )


def test_values_of_a_view(lab: Lab) -> None:
    make(lab)
    assert lab.run("SELECT * FROM v(most = 2, label = 'x')") == [(0, "x"), (1, "x")]
    assert lab.run(
        "SELECT n FROM default.v(most = 1 + 1, label = '{most:UInt64}', other = 1) AS q"
    ) == [
        (0,),
        (1,),
    ]
    both = "v(most = 3, label = 'p') AS p CROSS JOIN v(most = 2, label = 'z') AS z"
    assert lab.run(f"SELECT count(), any(p.l), any(z.l) FROM {both}") == [(6, "p", "z")]
    days = "SELECT * FROM days(ids = [3, 4], day = '2026-11-19') ORDER BY i"
    assert [(str(day), i) for day, i in lab.run(days)] == [("2026-11-19", 3), ("2026-11-19", 4)]
    assert lab.run("SELECT * FROM e.pick(columns = 'b')") == []
    assert lab.run("SELECT 1 WHERE 1 IN (SELECT n FROM v(most = 2, label = ''))") == [(1,)]
    made = lab.session.execute(
        "SELECT max(n) FROM v(most = {m:UInt64}, label = 'x')", parameters={"m": "4"}
    )
    assert made.fetchall() == [(3,)]


def test_a_view_reads_one_with_parameters(lab: Lab) -> None:
    make(lab)
    lab.run(
        "CREATE VIEW few AS SELECT n FROM v(most = 3, label = '')",
        "CREATE VIEW up AS SELECT n + 1 AS m FROM v(most = {k:UInt64}, label = {l:String})",
    )
    assert lab.run("SELECT max(n) FROM few") == [(2,)]
    assert lab.run("SELECT max(m), max(n) FROM up(k = 5, l = 'x'), few") == [(5, 2)]


def test_what_is_said_of_it(lab: Lab) -> None:
    make(lab)
    assert lab.columns("v") == "n UInt64, l String"
    assert lab.run("DESCRIBE v")[0][:2] == ("n", "UInt64")
    shown = lab.shown("v")
    assert "{label:String} AS l FROM numbers(10) WHERE number < {most:UInt64}" in shown
    assert "SETTINGS" not in shown
    lab.run("DROP VIEW v", str(lab.run("SHOW CREATE VIEW e.pick")[0][0]).replace("e.pick", "again"))
    assert lab.run("SELECT * FROM again(columns = 'a')") == []
    lab.run("CREATE OR REPLACE VIEW again AS SELECT 5 AS x")
    assert lab.run("SELECT * FROM again") == [(5,)]


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("SELECT * FROM v", "VIEW_PARAMETER_MISSING", "default.v(label = …)"),
        ("SELECT * FROM v(most = 1)", "VIEW_PARAMETER_MISSING", "`label` of the view default.v"),
        ("SELECT * FROM v()", "VIEW_PARAMETER_MISSING", "label"),
        ("SELECT * FROM nosuch(a = 1)", "FUNCTION_NOT_ALLOWED", "nosuch"),
        ("SELECT * FROM t(a = 1)", "FUNCTION_NOT_ALLOWED", "table function t"),
        ("SELECT * FROM url(url = 'http://x')", "FUNCTION_NOT_ALLOWED", "url"),
        ("SELECT * FROM v(1)", "FUNCTION_NOT_ALLOWED", "v"),
        (
            "SELECT * FROM v(most = a, label = '') CROSS JOIN t",
            "CONSTANT_REQUIRED",
            "most of the view v must be a constant",
        ),
        (
            "SELECT * FROM v(most = (SELECT max(a) FROM t), label = '')",
            "CONSTANT_REQUIRED",
            "constant",
        ),
        ("SELECT * FROM v(most = 'x', label = '')", "CANNOT_PARSE_TEXT", "x"),
        ("SELECT * FROM e.pick(columns = 'nosuch')", "UNKNOWN_IDENTIFIER", "nosuch"),
    ],
)
def test_what_cannot_be_read(shared: Lab, text: str, condition: str, says: str) -> None:
    with pytest.raises(SluiceError) as caught:
        shared.run(text)
    assert caught.value.condition.name == condition, str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("CREATE VIEW n AS SELECT {x:UInt8} AS a FROM nosuch", "UNKNOWN_TABLE", "nosuch"),
        ("CREATE VIEW n AS SELECT nosuch FROM t WHERE a = {x:UInt8}", "UNKNOWN_IDENTIFIER", ""),
        ("CREATE VIEW n AS SELECT file({x:String}) AS a", "FUNCTION_NOT_ALLOWED", "file"),
        ("CREATE VIEW n AS SELECT a FROM q WHERE a = {x:UInt8}", "UNSUPPORTED_CLAUSE", "default.q"),
        ("CREATE MATERIALIZED VIEW n TO t AS SELECT a, '' AS b FROM plain(x = 1)",
         "VIEW_SOURCE_UNSUPPORTED", "reads no table"),
        ("CREATE VIEW n (a UInt8) AS SELECT {x:UInt8} AS a", "UNSUPPORTED_CLAUSE", "columns out"),
    ],
)  # fmt: skip
def test_what_cannot_be_made(shared: Lab, text: str, condition: str, says: str) -> None:
    shared.fails(text, condition, says=says)
