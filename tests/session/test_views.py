"""CREATE VIEW, against the catalog; ClickHouse reads them."""

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
        f"CREATE TABLE q (a Int8) {KAFKA}",
        "CREATE VIEW v AS SELECT a + 1 AS x, upper(b) AS y FROM t",
        "CREATE VIEW w AS SELECT x FROM v",
        "CREATE TEMPORARY TABLE mine (a UInt8)",
        "CREATE MATERIALIZED VIEW m TO t AS SELECT a, 'x' AS b FROM q",
    )


def test_a_view_and_what_is_said_of_it(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree ORDER BY a",
        "CREATE VIEW v AS SELECT a + 1 AS x, soundex(b) AS y FROM t",
        "CREATE VIEW IF NOT EXISTS v AS SELECT 1",
        "CREATE VIEW w (y String COMMENT 'why', x UInt64) SQL SECURITY INVOKER COMMENT 'c' "
        "AS SELECT * FROM v",
    )
    assert lab.shown("v") == (
        "CREATE VIEW default.v ( `x` UInt16, `y` String ) "
        "AS SELECT a + 1 AS x, soundex(b) AS y FROM t"
    )
    shown = lab.shown("w")
    assert shown == (
        "CREATE VIEW default.w ( `y` String COMMENT 'why', `x` UInt64 ) SQL SECURITY INVOKER "
        "COMMENT 'c' AS SELECT * FROM v"
    )
    lab.run("DROP VIEW w", shown)
    assert lab.shown("w") == shown
    assert lab.run("DESCRIBE v") == [
        (n, t, *[""] * 5) for n, t in (("x", "UInt16"), ("y", "String"))
    ]
    assert lab.run("SELECT * FROM w") == []
    assert lab.run("EXISTS VIEW w") == [(1,)]
    ask = "SELECT engine, as_select, engine_full FROM system.tables WHERE name = 'v'"
    assert lab.run(ask) == [("View", "SELECT a + 1 AS x, soundex(b) AS y FROM t", "")]
    lab.run("CREATE OR REPLACE VIEW v AS SELECT 5 AS x, 'q' AS y")
    assert lab.run("SELECT * FROM w") == [("q", 5)]
    assert lab.run("SELECT x FROM w WHERE x IN (SELECT x FROM v)") == [(5,)]
    lab.run("DROP TABLE t", "RENAME TABLE v TO other", "ALTER TABLE other MODIFY COMMENT 'hm'")
    assert lab.columns("other") == "x UInt8, y String"
    with pytest.raises(SluiceError, match=r"Table default\.v does not exist"):
        lab.run("SELECT * FROM w")


def test_names_are_those_of_the_database(lab: Lab) -> None:
    """Where it is made, and where it is moved to."""
    lab.run(
        "CREATE DATABASE e",
        "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE e.t (b UInt8) ENGINE = MergeTree ORDER BY b",
        "CREATE VIEW e.v AS WITH x AS (SELECT a FROM t) SELECT x.a, u.b FROM x, e.t AS u",
        "CREATE VIEW w AS SELECT a FROM t",
    )
    assert "FROM `default`.t) SELECT x.a, u.b FROM x, e.t AS u" in lab.shown("e.v")
    lab.run("USE e")
    assert lab.run("SELECT a FROM v") == []
    lab.run("RENAME TABLE default.w TO e.w")
    assert lab.run("SELECT a FROM w, v") == []


def test_a_view_outlives_the_session(lab: Lab) -> None:
    """It never reads a table of the session's, even one of the same name."""
    lab.run(
        "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a",
        "CREATE VIEW v AS SELECT * FROM t",
        "CREATE TEMPORARY TABLE t (b String)",
    )
    assert lab.run("SELECT a FROM v") == []


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("CREATE VIEW v AS SELECT 1", "TABLE_ALREADY_EXISTS", "IF NOT EXISTS"),
        ("CREATE OR REPLACE VIEW v AS SELECT x FROM w", "VIEW_READS_ITSELF", "w -> default.v"),
        ("CREATE VIEW n AS SELECT nosuch FROM t", "UNKNOWN_IDENTIFIER", "nosuch"),
        ("CREATE VIEW n AS SELECT a FROM nosuch", "UNKNOWN_TABLE", "nosuch"),
        ("CREATE VIEW n AS SELECT * FROM file('/etc/passwd')", "FUNCTION_NOT_ALLOWED", "file"),
        ("CREATE VIEW n AS SELECT a FROM mine", "VIEW_USES_TEMPORARY_TABLE", "mine"),
        ("CREATE VIEW n (z UInt8) AS SELECT 1 AS a", "UNKNOWN_COLUMN", "z"),
        ("CREATE VIEW n AS SELECT NULL AS a", "COLUMN_TYPE_NOT_STORED", "CAST(a"),
        ("INSERT INTO v VALUES (1, 'x')", "INSERT_TARGET_UNSUPPORTED", "default.v"),
        ("TRUNCATE TABLE v", "UNSUPPORTED_BY_STORAGE", "storage View"),
        ("ALTER TABLE v ADD COLUMN z UInt8", "UNSUPPORTED_ALTER", "CREATE OR REPLACE VIEW"),
        ("ALTER TABLE v MODIFY QUERY SELECT 1", "UNSUPPORTED_ALTER", "CREATE OR REPLACE VIEW"),
        ("CREATE TABLE n AS v", "CREATE_AS_VIEW", "default.v"),
        ("CREATE MATERIALIZED VIEW n TO v AS SELECT a FROM q", "VIEW_TARGET_UNSUPPORTED", "v"),
        ("CREATE MATERIALIZED VIEW n TO t AS SELECT x FROM v", "VIEW_SOURCE_UNSUPPORTED", "arrive"),
    ],
)
def test_what_is_refused(shared: Lab, text: str, condition: str, says: str) -> None:
    shared.fails(text, condition, says=says)
