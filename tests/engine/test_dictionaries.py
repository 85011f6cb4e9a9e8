"""Dictionaries have the rows of their tables as they are when a query starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.session import Session


def test_rows(session: Session) -> None:
    for statement in (
        (
            "CREATE TABLE t (id UInt64, name String, parent UInt64, v UInt8) "
            "ENGINE = ReplacingMergeTree(v) ORDER BY id"
        ),
        "INSERT INTO t VALUES (1, 'root', 0, 1), (2, 'child', 1, 1), (3, 'leaf', 2, 1)",
        (
            "CREATE DICTIONARY d (id UInt64, name String DEFAULT 'none', parent UInt64 "
            "HIERARCHICAL) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 't')) LIFETIME(300) "
            "LAYOUT(HASHED())"
        ),
        "CREATE TABLE facts (id UInt64, label String) ENGINE = MergeTree ORDER BY id",
        "INSERT INTO facts VALUES (1, ''), (3, ''), (9, '')",
    ):
        session.execute(statement)
    joined = "SELECT id, dictGet('d', 'name', id) FROM facts ORDER BY id"
    assert session.execute(joined).fetchall() == [(1, "root"), (3, "leaf"), (9, "none")]
    assert session.execute(
        "SELECT dictGetHierarchy('d', toUInt64(3)), dictGetOrNull(d, 'name', 9),"
        " dictGetOrDefault('d', 'name', 9, 'x'), dictHas('d', 2), (SELECT count() FROM d)"
    ).fetchall() == [([3, 2, 1], None, "x", 1, 3)]
    session.execute("INSERT INTO t VALUES (3, 'changed', 2, 2), (9, 'new', 0, 1)")
    assert session.execute(joined).fetchall() == [(1, "root"), (3, "changed"), (9, "new")]
    session.execute("DELETE FROM t WHERE id = 1")
    session.execute("ALTER TABLE facts UPDATE label = dictGet('d', 'name', id) WHERE id > 0")
    rows = session.execute("SELECT id, label FROM facts ORDER BY id").fetchall()
    assert rows == [(1, "none"), (3, "changed"), (9, "new")]
    named = "SELECT name FROM dictionary('d') ORDER BY name FORMAT JSON"
    assert session.execute(named).fetchall() == [("changed",), ("child",), ("new",)]
