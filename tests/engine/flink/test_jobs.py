"""Jobs: INSERT INTO … SELECT starts one, which runs until it is stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sluice
from engine.lab import commits
from sluice import errors
from sluice.kafka.producer import Message
from sluice.sql.flink.functions import read_functions

if TYPE_CHECKING:
    from pathlib import Path

    from engine.flink.flink_lab import FlinkLab


def test_a_topic_becomes_a_table(flink: FlinkLab) -> None:
    """A filter, a projection, a computed column, and two sources in a union."""
    columns = "p STRING, twice AS CAST(p AS INT) * 2"
    flink.produce("jobs-a", Message(b"5"), Message(b"50"))
    flink.produce("jobs-b", Message(b"70"))
    flink.table("a", columns, "jobs-a", format="raw")
    flink.table("b", columns, "jobs-b", format="raw", properties__group__id="jobs-b")
    flink.sql("CREATE TABLE t (p STRING, twice INT)")
    job = flink.start(
        "INSERT INTO t SELECT p, twice FROM a WHERE twice > 10 UNION ALL SELECT p, twice FROM b"
    )
    flink.arrives("SELECT p, twice FROM t ORDER BY p", [("50", 100), ("70", 140)])
    flink.produce("jobs-b", Message(b"8"))
    flink.arrives("SELECT p, twice FROM t ORDER BY p", [("50", 100), ("70", 140), ("8", 16)])
    flink.group_at("jobs-b", 2)
    assert flink.job(job)[2] == "RUNNING"
    flink.sql(f"STOP JOB '{job}'")
    assert flink.job(job)[2] == "STOPPED"


def test_a_bounded_job_ends(flink: FlinkLab) -> None:
    """What needs no state ends after its last batch; a count of all is made at the end."""
    flink.produce("jobs-bounded", *(Message(str(n % 3).encode()) for n in range(10)))
    flink.table("s", "p STRING", "jobs-bounded", format="raw", scan__bounded__mode="latest-offset")
    flink.sql("CREATE TABLE t (p STRING)")
    flink.sql("CREATE TABLE counts (p STRING, n BIGINT)")
    flink.sql("SET 'table.dml-sync' = 'true'")
    job = flink.start("INSERT INTO t SELECT p FROM s WHERE p <> '2'")
    assert flink.job(job)[2] == "FINISHED"
    assert flink.sql("SELECT COUNT(*) FROM t") == [(7,)]
    assert flink.sql("SELECT p, COUNT(*) FROM s GROUP BY p ORDER BY p") == [
        ("0", 4), ("1", 3), ("2", 3),
    ]  # fmt: skip
    # another one continues after that end, up to what is there by then
    flink.produce("jobs-bounded", Message(b"9"))
    flink.sql(f"SET 'execution.savepoint.path' = '{job}'")
    flink.start("INSERT INTO t SELECT p FROM s WHERE p <> '2'")
    flink.sql("RESET")
    assert flink.sql("SELECT COUNT(*), MAX(p) FROM t") == [(8, "9")]


def test_values(flink: FlinkLab) -> None:
    flink.sql("CREATE TABLE t (a INT, b STRING)")
    job = flink.start("INSERT INTO t VALUES (1, 'x'), (2, NULL)")
    assert flink.job(job)[2] == "FINISHED"
    assert flink.sql("SELECT * FROM t ORDER BY a") == [(1, "x"), (2, None)]


def test_a_plan_knows_the_operators_functions(flink: FlinkLab) -> None:
    """EXPLAIN ESTIMATED_COST of a query and of an INSERT that call one."""
    functions = flink.session._engine.functions
    functions |= read_functions({"shout": (str.upper, ["STRING"], "STRING")})
    flink.sql("CREATE TABLE t (p STRING)")
    flink.table("s", "p STRING", "not-there", format="raw")
    try:
        for text in ("SELECT SHOUT(p) FROM t", "INSERT INTO t SELECT SHOUT(p) FROM s"):
            ((plan,),) = flink.sql(f"EXPLAIN ESTIMATED_COST {text}")
            assert "== Physical Plan ==" in plan
            assert "BatchEvalPython" in plan
    finally:
        functions.clear()


def test_functions_belong_to_their_session(flink: FlinkLab, tmp_path: Path) -> None:
    """Two sessions of a process share Spark; each calls its own, until it is closed."""
    functions = flink.session._engine.functions
    functions |= read_functions({"f": (str.upper, ["STRING"], "STRING")})
    flink.sql("CREATE TABLE t (p STRING)")
    flink.sql("INSERT INTO t VALUES ('Ab')")
    try:
        with sluice.connect(tmp_path, functions={"f": (str.lower, ["STRING"], "STRING")}) as other:
            other.execute("CREATE TABLE t (p STRING)", dialect="flink")
            other.execute("INSERT INTO t SELECT F('Ab')", dialect="flink")
            found = other.execute("SELECT p, F('xY') FROM t", dialect="flink").fetchall()
            assert found == [("ab", "xy")]
            assert flink.sql("SELECT F(p) FROM t") == [("AB",)]
        flink.sql("INSERT INTO t SELECT F('c')")
        assert flink.sql("SELECT F(p) FROM t ORDER BY p") == [("AB",), ("C",)]
    finally:
        functions.clear()


def test_what_an_insert_accepts_runs(flink: FlinkLab) -> None:
    """UNNEST that keeps rows without items, sessions by key, week-based years, and arithmetic."""
    rows = [(1, "a", ["x", "y"], 1), (2, "a", [], 3), (3, "b", None, 600)]
    columns = "id INT, u STRING, tags ARRAY<STRING>, at TIMESTAMP(3), WATERMARK FOR at AS at"
    flink.produce(
        "jobs-accepted",
        *(
            {"id": i, "u": u, "tags": tags, "at": f"2024-12-31 00:{at // 60:02}:{at % 60:02}"}
            for i, u, tags, at in rows
        ),
    )
    flink.table("s", columns, "jobs-accepted")
    flink.sql("CREATE TABLE t (what STRING, a INT, b STRING)")
    flink.start(
        """EXECUTE STATEMENT SET BEGIN
        INSERT INTO t SELECT 'all', id, x FROM s LEFT JOIN UNNEST(tags) AS q(x) ON TRUE;
        INSERT INTO t SELECT 'some', id, x FROM s JOIN UNNEST(tags) AS q(x) ON x <> 'x';
        INSERT INTO t SELECT 'week', id * 2147483647, DATE_FORMAT(at, 'YYYY-ww') FROM s;
        INSERT INTO t SELECT 'session', CAST(COUNT(*) AS INT), u FROM TABLE(
          SESSION(TABLE s PARTITION BY u, DESCRIPTOR(at), INTERVAL '5' SECOND))
          GROUP BY window_start, window_end, u;
        END"""
    )
    flink.arrives(
        "SELECT * FROM t ORDER BY what, a, b",
        [
            ("all", 1, "x"), ("all", 1, "y"), ("all", 2, None), ("all", 3, None),
            ("session", 2, "a"), ("some", 1, "y"), ("week", -2, "2025-01"),
            ("week", 2147483645, "2025-01"), ("week", 2147483647, "2025-01"),
        ],
    )  # fmt: skip
    # what cannot run is refused by the INSERT, also if only Spark can tell
    with pytest.raises(
        errors.UserError,
        match=r"Spark cannot run the query of INSERT INTO \w+\.t: Too many pattern lett",
    ):
        flink.sql("INSERT INTO t SELECT 'x', id, DATE_FORMAT(at, 'HHHHH') FROM s")
    # an error of a row names the expression and the message
    job = flink.start("INSERT INTO t SELECT 'zero', 10 / (id - 2), u FROM s")
    said = flink.job_says(job, "WAITING(BATCH_FAILED)")
    where = "in the message of topic jobs-accepted, partition 0, offset 1"
    assert f"Division by zero in 10 / (id - 2) {where}" in said


def test_checkpointing_interval(flink: FlinkLab) -> None:
    """A batch that is not full starts no sooner than this after the start of the one before."""
    flink.produce("jobs-checkpoints", Message(b"0"))
    flink.table("s", "p STRING", "jobs-checkpoints", format="raw")
    flink.sql("CREATE TABLE t (p STRING)")
    flink.sql("SET 'execution.checkpointing.interval' = '4 s'")
    job = flink.start("INSERT INTO t SELECT p FROM s")
    flink.sql("RESET")
    flink.arrives("SELECT p FROM t", [("0",)])
    flink.produce("jobs-checkpoints", Message(b"1"))
    flink.arrives("SELECT p FROM t ORDER BY p", [("0",), ("1",)])
    flink.sql(f"STOP JOB '{job}'")
    table = flink.session._engine.catalog.find(flink.session.database, "t")
    assert table is not None
    entries = [each for each in commits(flink.session, table) if "userMetadata" in each]
    first, second = sorted(each["timestamp"] for each in entries)
    assert second - first > 2000  # the first batch, with Spark's start in it, is the longer one
