"""Rows and columns that users see, by ClickHouse's engine and by Spark, in both dialects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sluice import errors

if TYPE_CHECKING:
    from sluice.session import Session


def user(session: Session, name: str, *grants: str) -> Session:
    session.execute(f"CREATE USER OR REPLACE {name}")
    for grant in grants:
        session.execute(f"GRANT {grant} TO {name}")
    return session.child(session.database, user=name)


def rows(session: Session, text: str, dialect: str = "clickhouse") -> list[tuple[Any, ...]]:
    return session.execute(text, dialect=dialect).fetchall()


SPARK = " SETTINGS sluice_engine = 'spark'"


def test_policies_and_columns(session: Session) -> None:
    """Each user sees other rows, whoever asked the worker before; INSERT … SELECT copies those."""
    db = session.database
    for text in (
        "CREATE TABLE t (a UInt32, who String) ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE copy (a UInt32) ENGINE = MergeTree ORDER BY a",
        "INSERT INTO t VALUES (1, 'ann'), (2, 'bob'), (3, 'bob')",
    ):
        session.execute(text)
    both = f"SELECT ON {db}.t"
    ann = user(session, "ann", both, f"INSERT ON {db}.copy")
    bob = user(session, "bob", both)
    eve = user(session, "eve", both)
    part = user(session, "part", f"SELECT(a) ON {db}.t")
    session.execute(f"CREATE ROW POLICY own ON {db}.t USING who = currentUser() TO ann, bob")
    session.execute(f"CREATE ROW POLICY part ON {db}.t USING a > 1 TO part")
    query = "SELECT a FROM t ORDER BY a"
    for more in ("", SPARK):
        assert rows(session, query + more) == [(1,), (2,), (3,)]
        assert rows(ann, query + more) == [(1,)]
        assert rows(bob, query + more) == [(2,), (3,)]
        assert rows(eve, query + more) == []
        assert rows(part, query + more) == [(2,), (3,)]
        with pytest.raises(errors.SluiceError, match="Not enough privileges"):
            rows(part, "SELECT who FROM t" + more)
    assert rows(ann, "SELECT count() FROM t") == [(1,)]
    rows(ann, "INSERT INTO copy SELECT a FROM t")
    assert rows(session, "SELECT a FROM copy") == [(1,)]
    session.execute(f"DROP ROW POLICY own, part ON {db}.t")
    for name in ("ann", "bob", "eve", "part"):
        session.execute(f"DROP USER {name}")


def test_flink(session: Session) -> None:
    db = session.database
    for text in (
        "CREATE TABLE t (a INT, b STRING)",
        "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
        "CREATE VIEW v AS SELECT a FROM t",
    ):
        session.execute(text, dialect="flink")
    ann = user(session, "ann", f"SELECT ON {db}.t")
    assert rows(ann, "SELECT a, b FROM t ORDER BY a", "flink") == [(1, "x"), (2, "y")]
    session.execute(f"CREATE ROW POLICY p ON {db}.t USING a = 2 TO ann")
    assert rows(ann, "SELECT a FROM t", "flink") == [(2,)]
    for text in ("SELECT a FROM v", "INSERT INTO t VALUES (3, 'z')", "SHOW JOBS"):
        with pytest.raises(errors.SluiceError) as caught:
            rows(ann, text, "flink")
        assert caught.value.condition.name == "NOT_ENOUGH_PRIVILEGES", text
    part = user(session, "part", f"SELECT(a) ON {db}.t", f"SELECT ON {db}.v")
    session.execute(f"DROP ROW POLICY p ON {db}.t")
    assert rows(part, "SELECT a FROM v ORDER BY a", "flink") == [(1,), (2,)]
    with pytest.raises(errors.SluiceError, match="Not enough privileges"):
        rows(part, "SELECT a, b FROM t", "flink")
    session.execute("DROP USER ann, part")
