"""RENAME and TRUNCATE of databases, against the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.lab import KAFKA

if TYPE_CHECKING:
    from session.lab import Lab

STORED = "(a UInt8) ENGINE = MergeTree ORDER BY a"


def make(lab: Lab) -> None:
    lab.run(
        "CREATE DATABASE d",
        "USE d",
        f"CREATE TABLE t {STORED}",
        f"CREATE TABLE q (a UInt8) {KAFKA}",
        "CREATE VIEW v AS SELECT a FROM t",
        "CREATE MATERIALIZED VIEW m TO t AS SELECT a FROM q",
        "CREATE MATERIALIZED VIEW own ENGINE = MergeTree ORDER BY a AS SELECT a FROM q",
        "CREATE DICTIONARY dict (a UInt64) PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE 't')) "
        "LAYOUT(HASHED())",
        "USE default",
    )


def test_a_renamed_database_keeps_all_that_is_in_it(lab: Lab) -> None:
    make(lab)
    before = {table.uuid for table in lab.engine.catalog.tables()}
    lab.run("RENAME DATABASE d TO e", "RENAME DATABASE IF EXISTS d TO f")
    assert {table.uuid for table in lab.engine.catalog.tables()} == before
    assert {table.database for table in lab.engine.catalog.tables()} == {"e"}
    assert lab.table("m", "e").source == ("e", "q")
    assert lab.table("m", "e").target == ("e", "t")
    assert lab.table("own", "e").owns_target
    assert lab.run("SELECT * FROM e.v") == []
    assert lab.run("SELECT dictHas('e.dict', 1)") == [(0,)]
    assert {view.table.full_name for view in lab.spec("q", "e").outputs} >= {"e.t"}
    assert lab.run("SHOW DATABASES LIKE '_'") == [("e",)]
    lab.run("DROP DATABASE e")
    assert lab.tables() == []


def test_comments_of_databases(lab: Lab) -> None:
    """SHOW CREATE has them as ClickHouse shows them; a renamed database keeps its own."""
    lab.run("CREATE DATABASE d ENGINE = Atomic COMMENT 'it\\'s'")
    asked = "SELECT comment FROM system.databases WHERE name = '{}'"
    assert lab.run(asked.format("d")) == [("it's",)]
    shown = lab.run("SHOW CREATE DATABASE d")[0][0]
    assert shown == "CREATE DATABASE d\nENGINE = Atomic\nCOMMENT 'it\\'s'"
    lab.run("DROP DATABASE d", shown, "ALTER DATABASE d ON CLUSTER default MODIFY COMMENT 'new'")
    lab.run("RENAME DATABASE d TO e")
    assert lab.run(asked.format("e")) == [("new",)]
    lab.run("ALTER DATABASE e MODIFY COMMENT ''")
    assert lab.run("SHOW CREATE DATABASE e") == [("CREATE DATABASE e\nENGINE = Atomic",)]
    lab.fails("ALTER DATABASE nosuch MODIFY COMMENT 'x'", "UNKNOWN_DATABASE", "1:16")
    lab.fails("ALTER DATABASE system MODIFY COMMENT 'x'", "SYSTEM_DATABASE_READ_ONLY", "1:16")
    lab.fails("ALTER DATABASE e MODIFY SETTING a = 1", "UNSUPPORTED_STATEMENT", "1:18")


def test_truncate_database_drops_what_is_in_it(lab: Lab) -> None:
    """As in ClickHouse."""
    make(lab)
    lab.run("TRUNCATE DATABASE d", "TRUNCATE DATABASE IF EXISTS nosuch")
    assert lab.tables() == []
    assert ("d",) in lab.run("SHOW DATABASES")


def test_truncate_all_tables_leaves_the_tables(lab: Lab) -> None:
    make(lab)
    before = lab.tables()
    lab.run(
        "TRUNCATE ALL TABLES FROM d",
        "TRUNCATE TABLES FROM d NOT LIKE 't%'",
        "TRUNCATE ALL TABLES FROM IF EXISTS nosuch ILIKE '%'",
    )
    assert lab.tables() == before


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("RENAME DATABASE nosuch TO e", "UNKNOWN_DATABASE", "nosuch"),
        ("RENAME DATABASE d TO default", "DATABASE_ALREADY_EXISTS", "default"),
        ("RENAME DATABASE d TO system", "DATABASE_ALREADY_EXISTS", "system"),
        ("RENAME DATABASE default TO e", "DATABASE_NOT_RENAMED", "sessions begin in it"),
        ("RENAME DATABASE system TO e", "SYSTEM_DATABASE_READ_ONLY", ""),
        ("TRUNCATE DATABASE nosuch", "UNKNOWN_DATABASE", "nosuch"),
        ("TRUNCATE ALL TABLES FROM system", "SYSTEM_DATABASE_READ_ONLY", ""),
        ("TRUNCATE ALL TABLES FROM d NOT 't%'", "SYNTAX_ERROR", "LIKE or ILIKE"),
    ],
)
def test_what_is_refused(shared: Lab, text: str, condition: str, says: str) -> None:
    shared.fails(text, condition, says=says)


@pytest.mark.parametrize(
    "view",
    [
        "CREATE VIEW w AS SELECT a FROM d.t",
        "CREATE VIEW d.w AS SELECT x.a FROM d.t AS x",
        f"CREATE TABLE q (a UInt8) {KAFKA}; CREATE MATERIALIZED VIEW w TO d.t AS SELECT a FROM d.q",
    ],
)
def test_a_query_that_names_the_database(lab: Lab, view: str) -> None:
    make(lab)
    lab.run(*view.split("; "))
    lab.fails("RENAME DATABASE d TO e", "DATABASE_NOT_RENAMED", says="w names it")
