"""Random rows in tables of merging engines: what a reader sees is what ClickHouse gives with FINAL.

ClickHouse keeps every row of every INSERT here: neither inserted blocks nor parts are merged.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from engine.differential.clickhouse import ask
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.session import Session

KEYS, BLOCKS, ROWS = 60, 3, 120

Row = tuple[int, ...]


def collapsing(rng: random.Random) -> Row:
    """Any sign at any time, as no sound changelog has it."""
    return (rng.randrange(KEYS), rng.randrange(2), rng.randrange(1000), rng.choice((1, 1, -1)))


def versioned(rng: random.Random) -> Row:
    """Rows of one key and version are the same but for their sign."""
    key, version = rng.randrange(KEYS), rng.randrange(3)
    return (key, key % 2, 1000 * version + key, version, rng.choice((1, -1)))


def replacing(rng: random.Random) -> Row:
    return (
        rng.randrange(KEYS),
        rng.randrange(2),
        rng.randrange(1000),
        rng.randrange(5),
        int(rng.random() < 0.3),
    )


@dataclass(frozen=True)
class Engine:
    """An engine with its columns, and how to draw a row."""

    columns: str
    engine: str
    draw: Callable[[random.Random], Row]


ENGINES = {
    "c": Engine(
        "k UInt8, p UInt8, x UInt16, sign Int8", "CollapsingMergeTree(sign) ORDER BY k", collapsing
    ),
    "v": Engine(
        "k UInt8, p UInt8, x UInt16, version UInt32, sign Int8",
        "VersionedCollapsingMergeTree(sign, version) PARTITION BY p ORDER BY k",
        versioned,
    ),
    "r": Engine(
        "k UInt8, p UInt8, x UInt16, version UInt32, gone UInt8",
        "ReplacingMergeTree(version, gone) ORDER BY k",
        replacing,
    ),
}


def blocks(name: str, seed: int) -> list[str]:
    """INSERT statements with random rows."""
    rng = random.Random(f"{name} {seed}")  # noqa: S311 - made-up data
    drawn = ([ENGINES[name].draw(rng) for _ in range(ROWS)] for _ in range(BLOCKS))
    return [f"INSERT INTO {name} VALUES {', '.join(map(str, rows))}" for rows in drawn]


def test_what_a_reader_sees_is_what_clickhouse_gives_with_final(session: Session) -> None:
    created, inserts = [], []
    for name, each in ENGINES.items():
        created.append(f"CREATE TABLE {name} ({each.columns}) ENGINE = {each.engine}")
        inserts += blocks(name, seed=1)
    stopped = [f"SYSTEM STOP MERGES {name}" for name in ENGINES]
    final = [f"SELECT * FROM {name} FINAL ORDER BY ALL" for name in ENGINES]
    answers = ask([*created, *stopped, "SET optimize_on_insert = 0", *inserts], final)
    for statement in (*created, *inserts):
        session.execute(statement)

    def check(when: str) -> None:
        for name, answer in zip(ENGINES, answers, strict=True):
            assert not isinstance(answer, str), answer
            wanted = [tuple(map(int, row)) for row in answer[1]]
            found = [tuple(row) for row in session.execute(f"SELECT * FROM {name}").fetchall()]
            assert sorted(found) == sorted(wanted), (name, when)
            assert len(wanted) > KEYS // 4

    check("as inserted")
    for name in ENGINES:
        session.execute(f"OPTIMIZE TABLE {name}")
    check("compacted")
    for name in ENGINES:
        session.execute(f"INSERT INTO {name} SELECT * FROM {name} WHERE 0")  # a second file
        session.execute(f"OPTIMIZE TABLE {name} FINAL")
    check("merged")


def test_rows_that_cancel_each_other(session: Session) -> None:
    """The documented example: a state is taken back by the same row with the sign -1."""
    columns = "UserID UInt64, PageViews UInt8, Duration UInt8, Sign Int8"

    def rows(query: str) -> list[Any]:
        return [tuple(row) for row in session.execute(query).fetchall()]

    session.execute(
        f"CREATE TABLE c ({columns}) ENGINE = CollapsingMergeTree(Sign) ORDER BY UserID"
    )
    session.execute(
        f"CREATE TABLE v ({columns}, Version UInt8) "
        "ENGINE = VersionedCollapsingMergeTree(Sign, Version) ORDER BY UserID"
    )
    user = 4324182021466249494
    session.execute(f"INSERT INTO c VALUES ({user}, 5, 146, 1)")
    session.execute(f"INSERT INTO c VALUES ({user}, 5, 146, -1), ({user}, 6, 185, 1)")
    assert rows("SELECT * FROM c") == [(user, 6, 185, 1)]
    # The versions tell what belongs together, in whatever order it comes.
    session.execute(f"INSERT INTO v VALUES ({user}, 5, 146, -1, 1), ({user}, 6, 185, 1, 2)")
    assert rows("SELECT * FROM v ORDER BY Sign") == [(user, 5, 146, -1, 1), (user, 6, 185, 1, 2)]
    session.execute(f"INSERT INTO v VALUES ({user}, 5, 146, 1, 1)")
    assert rows("SELECT * FROM v") == [(user, 6, 185, 1, 2)]
    assert rows("SELECT sum(PageViews * Sign) FROM v FINAL") == [(6,)]

    session.execute("OPTIMIZE TABLE c FINAL")
    session.execute(f"INSERT INTO c VALUES ({user}, 6, 185, -1)")
    assert rows("SELECT * FROM c") == []
    session.execute("OPTIMIZE TABLE c FINAL")
    assert rows("SELECT count() FROM c") == [(0,)]
    session.execute(f"INSERT INTO c VALUES ({user}, 1, 1, 1)")
    assert rows("SELECT * FROM c") == [(user, 1, 1, 1)]
    for wrong in ("INSERT INTO c VALUES (1, 1, 1, 2)", "INSERT INTO v (UserID) VALUES (1)"):
        with pytest.raises(SluiceError, match=r"Sign = [02] \(must be 1 or -1\)") as raised:
            session.execute(wrong)
        assert raised.value.condition.name == "INVALID_SIGN"
    assert rows("SELECT * FROM c") == [(user, 1, 1, 1)]
