"""Mutations of tables without rows, and of those that run: no Spark is needed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from session.lab import Lab
from sluice import errors

if TYPE_CHECKING:
    from pathlib import Path


def test_tables_without_rows(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree PARTITION BY a ORDER BY a",
        "DELETE FROM t WHERE a = 1",
        "ALTER TABLE t UPDATE b = 'x' WHERE 1",
        "ALTER TABLE t DROP PARTITION 1",
        "ALTER TABLE t DROP PARTITION ID 'x'",
        "ALTER TABLE IF EXISTS nothing DELETE WHERE 1",
    )
    assert lab.run("SELECT mutation_id, command, is_done FROM system.mutations") == [
        ("mutation_1.txt", "DELETE WHERE a = 1", 1),
        ("mutation_2.txt", "UPDATE b = 'x' WHERE 1", 1),
    ]
    with pytest.raises(errors.SluiceError) as refused:
        lab.session.execute("DELETE FROM t WHERE 1", readonly=True)
    assert refused.value.condition.name == "READONLY"


def test_several_are_analyzed_before_the_first_is_carried_out(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a UInt8, b String, m String MATERIALIZED upper(b)) "
        "ENGINE = MergeTree ORDER BY a",
        "ALTER TABLE t UPDATE b = 'x' WHERE a = 1, DELETE WHERE b = 'y' AND a IN (SELECT 1)",
    )
    listed = "SELECT command FROM system.mutations"
    done = lab.run(listed)
    assert done == [("UPDATE b = 'x' WHERE a = 1",), ("DELETE WHERE b = 'y' AND a IN (SELECT 1)",)]
    for wrong in ("DELETE WHERE nosuch", "UPDATE a = 1 WHERE 1", "UPDATE b = nosuch(b) WHERE 1"):
        with pytest.raises(errors.SluiceError):
            lab.run(f"ALTER TABLE t DELETE WHERE a = 1, {wrong}")
    assert lab.run(listed) == done


def test_columns_and_rows_in_one_alter(lab: Lab) -> None:
    """One step after the other, as in ClickHouse; what was done before a wrong one stays."""
    lab.run(
        "CREATE TABLE t (a UInt8, b String, al UInt8 ALIAS a) ENGINE = MergeTree ORDER BY a",
        "CREATE FUNCTION two AS () -> 2",
        "ALTER TABLE t UPDATE b = 'x' WHERE a = 1, ADD COLUMN c UInt8 DEFAULT two(), "
        "ADD COLUMN m UInt8 MATERIALIZED a + 1, UPDATE c = 3 WHERE b = 'y', DELETE WHERE c = 3, "
        "RENAME COLUMN c TO d, DROP COLUMN b, MATERIALIZE COLUMN m IN PARTITION tuple() "
        "SETTINGS mutations_sync = 2",
        "ALTER TABLE t CLEAR COLUMN d, CLEAR COLUMN IF EXISTS nosuch, CLEAR COLUMN al, "
        "MATERIALIZE COLUMN d",
        "ALTER TABLE t CLEAR INDEX IF EXISTS i, MATERIALIZE INDEX IF EXISTS i",
        "ALTER TABLE t CLEAR INDEX IF EXISTS i",
    )
    commands = "SELECT command FROM system.mutations"
    done = lab.run(commands)
    assert [row[0] for row in done] == [
        "UPDATE b = 'x' WHERE a = 1", "UPDATE c = 3 WHERE b = 'y'", "DELETE WHERE c = 3",
        "MATERIALIZE COLUMN m IN PARTITION tuple()", "CLEAR COLUMN d",
    ]  # fmt: skip
    assert [c.name for c in lab.table("t").columns] == ["a", "al", "d", "m"]
    assert lab.table("t").columns[2].default == "2"
    for wrong, condition in {
        "CLEAR COLUMN a": "ALTER_OF_COLUMN_IS_FORBIDDEN",
        "CLEAR COLUMN nosuch": "NOT_FOUND_COLUMN_IN_BLOCK",
        "MATERIALIZE COLUMN nosuch": "NO_SUCH_COLUMN_IN_TABLE",
        "MATERIALIZE COLUMN a": "COLUMN_WITHOUT_DEFAULT",
        "MATERIALIZE TTL": "UNSUPPORTED_STATEMENT",
        "DELETE WHERE 1,": "SYNTAX_ERROR",
    }.items():
        lab.fails(f"ALTER TABLE t {wrong}", condition)
    with pytest.raises(errors.SluiceError, match="nosuch"):
        lab.run("ALTER TABLE t ADD COLUMN e UInt8, DELETE WHERE nosuch = 1, ADD COLUMN f UInt8")
    assert [c.name for c in lab.table("t").columns] == ["a", "al", "d", "m", "e"]
    shown = lab.run("EXPLAIN MIGRATION ALTER TABLE t ADD COLUMN g UInt8, CLEAR COLUMN g")
    assert [row[2] for row in shown] == ["honoured"]


def test_they_are_remembered(tmp_path: Path) -> None:
    """Also those that failed; the next one of a table has the next number."""
    listed = "SELECT mutation_id, command, is_done, latest_fail_error_code_name, is_killed"
    with Lab(tmp_path) as first:
        first.run(
            "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a", "DELETE FROM t WHERE a = 1"
        )
        with pytest.raises(errors.SluiceError):
            first.run("DELETE FROM t WHERE nosuch = 1")
        before = first.run(f"{listed}, create_time, finish_time FROM system.mutations")
    with Lab(tmp_path) as second:
        assert second.run(f"{listed}, create_time, finish_time FROM system.mutations") == before
        second.run("DELETE FROM t WHERE a = 2")
        assert second.run(f"{listed} FROM system.mutations") == [
            ("mutation_1.txt", "DELETE WHERE a = 1", 1, "", 0),
            ("mutation_2.txt", "DELETE WHERE nosuch = 1", 1, "UNKNOWN_IDENTIFIER", 0),
            ("mutation_3.txt", "DELETE WHERE a = 2", 1, "", 0),
        ]
        assert second.run("KILL MUTATION WHERE 1") == []
        second.run("RENAME TABLE t TO u")
        assert second.run("SELECT DISTINCT table FROM system.mutations") == [("u",)]
        second.run("DROP TABLE u")
        assert second.run("SELECT count() FROM system.mutations") == [(0,)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("DELETE FROM system.tables WHERE 1", "SYSTEM_DATABASE_READ_ONLY"),
        ("ALTER TABLE nothing DELETE WHERE 1", "UNKNOWN_TABLE"),
        ("ALTER TABLE t UPDATE a = 1 WHERE 1", "CANNOT_UPDATE_COLUMN"),
        ("UPDATE t SET c = 1 WHERE 1", "NO_SUCH_COLUMN_IN_TABLE"),
    ],
)
def test_refused(lab: Lab, text: str, name: str) -> None:
    """Also by EXPLAIN MIGRATION, which changes nothing."""
    lab.run("CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree ORDER BY a")
    with pytest.raises(errors.SluiceError) as refused:
        lab.run(text)
    assert refused.value.condition.name == name
    ((_, _, status, _, _),) = lab.run(f"EXPLAIN MIGRATION {text}")
    assert status == "refused"


def test_kill(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a", "CREATE USER bob")
    bob = lab.session.child(user="bob")
    slow = "DELETE FROM t WHERE a IN (SELECT max(number) FROM numbers(1000000000000))"
    running = "SELECT count() FROM system.mutations WHERE is_done = 0"
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(lambda: lab.session.child().execute(slow))
        eventually(lambda: lab.run(running), lambda rows: rows == [(1,)], 30)
        assert bob.execute("KILL MUTATION WHERE 1").fetchall() == []
        (row,) = lab.run("KILL MUTATION WHERE table = 't' AND mutation_id = 'mutation_1.txt' SYNC")
        assert row[0] == "finished"
        with pytest.raises(errors.SluiceError) as killed:
            asked.result()
    assert killed.value.condition.name == "QUERY_WAS_CANCELLED"
    shown = "SELECT is_done, is_killed, latest_fail_reason != '' FROM system.mutations"
    assert lab.run(shown) == [(1, 1, 1)]
    assert lab.run("KILL MUTATION WHERE 1") == []
