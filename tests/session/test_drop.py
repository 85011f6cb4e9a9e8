"""DROP of several tables and of empty ones; what SHOW lists and creates of databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from session.lab import Lab


def make(lab: Lab) -> None:
    lab.run(
        "CREATE DATABASE `a b`",
        *(f"CREATE TABLE {name} (a Int8) ENGINE = Memory" for name in "xyz"),
    )


def test_several_tables(lab: Lab) -> None:
    """All of them, or none if one cannot be dropped."""
    make(lab)
    lab.fails("DROP TABLE x, nosuch", "UNKNOWN_TABLE", "1:15")
    lab.fails("DROP VIEW x", "NOT_A_VIEW", "1:11")
    lab.run("DROP TABLE IF EXISTS x, nosuch, x SYNC")
    assert lab.tables() == ["default.y", "default.z"]
    lab.run("DROP TABLE IF EMPTY y")
    assert lab.tables() == ["default.z"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SHOW TABLES NOT LIKE 'x'", "y z"),
        ("SHOW TABLES FROM default ILIKE 'X'", "x"),
        ("SHOW TABLES WHERE name IN ('x', 'z') LIMIT 1 FORMAT TSV", "x"),
        ("SHOW DATABASES ILIKE 'DEF%'", "default"),
        ("SHOW DATABASES LIKE '% %' LIMIT 2", "a b"),
        ("SHOW CLUSTERS", "default"),
        ("SHOW CREATE DATABASE default", "CREATE DATABASE default\nENGINE = Atomic"),
        ("SHOW CREATE DATABASE `a b`", "CREATE DATABASE `a b`\nENGINE = Atomic"),
    ],
)
def test_what_show_answers(shared: Lab, text: str, names: str) -> None:
    rows = [str(row[0]) for row in shared.run(text)]
    assert " ".join(rows) == names


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("UNDROP TABLE x", "rows of a dropped table are deleted"),
        ("BACKUP TABLE x TO Disk('a', 'b')", "Copy the data folder"),
        ("BEGIN TRANSACTION", "a transaction of its own"),
    ],
)
def test_what_there_is_not(shared: Lab, text: str, says: str) -> None:
    shared.fails(text, "UNSUPPORTED_STATEMENT", says=says)
