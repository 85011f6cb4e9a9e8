"""CONSTRAINT … CHECK: no row that violates it is stored, wherever it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session


def test_rows_of_statements(session: Session) -> None:
    """One row that violates it keeps all of the statement out; NULL does not fulfil it."""
    session.execute(
        "CREATE TABLE c (a Int8, s Nullable(String), w String ALIAS upper(s), "
        "CONSTRAINT positive CHECK a > 0, CONSTRAINT short CHECK length(w) < 3) "
        "ENGINE = MergeTree ORDER BY a"
    )
    session.execute("ALTER TABLE c ADD COLUMN n UInt8, ADD CONSTRAINT IF NOT EXISTS n CHECK n < 9")
    session.execute("INSERT INTO c (a, s) VALUES (1, 'x')")
    for rows, message in (
        ("VALUES (2, 'x', 0), (0, 'y', 0)", "Constraint `positive` for table .*a = 0"),
        ("VALUES (2, 'long', 0)", "Constraint `short`"),
        ("VALUES (2, NULL, 0)", "Constraint `short` .*s = NULL"),
        ("SELECT number, 'x', 0 FROM numbers(3)", "Expression: \\(a > 0\\)"),
        ('FORMAT JSONEachRow {"a": 3, "s": "x", "n": 9}', "Constraint `n` .*n = 9"),
    ):
        with pytest.raises(SluiceError, match=message) as caught:
            session.execute(f"INSERT INTO c {rows}")
        assert caught.value.condition.clickhouse_code == 469
    assert session.execute("SELECT a, s, n FROM c").fetchall() == [(1, "x", 0)]
    with pytest.raises(SluiceError, match="Constraint `k`"):
        session.execute(
            "CREATE TABLE d (k UInt8, CONSTRAINT k CHECK k = 1) ENGINE = Memory AS SELECT 2"
        )
    session.execute(
        "ALTER TABLE c DROP CONSTRAINT n, DROP CONSTRAINT positive, ADD INDEX i a TYPE set(0)"
    )
    session.execute("ALTER TABLE c RENAME COLUMN n TO m, ADD CONSTRAINT m CHECK m != 5")
    session.execute("INSERT INTO c (a, s, m) VALUES (-1, 'x', 9)")
    with pytest.raises(SluiceError, match="m = 5"):
        session.execute("INSERT INTO c (a, s, m) VALUES (-1, 'x', 5)")


def test_rows_of_a_stream(lab: Lab) -> None:
    """The batch is not committed, its error is shown, and it is retried with the same rows."""
    lab.pipe("constrained")
    lab.sql("ALTER TABLE v ADD CONSTRAINT small CHECK key < 10")
    lab.produce("constrained", {"key": 1})
    lab.counted("v", 1)
    lab.produce("constrained", {"key": 2}, {"key": 10})
    lab.arrives(
        "SELECT last_error LIKE '%Constraint `small` for table%key = 10%' FROM system.pipelines "
        "WHERE database = currentDatabase() AND table = 'q'",
        [(1,)],
    )
    lab.counted("v", 1)
    lab.sql("ALTER TABLE v DROP CONSTRAINT small")
    lab.counted("v", 3)
