"""Temporary tables and views: a session's own, and what a job keeps of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from session.lab import KAFKA
from sluice.catalog import temporary
from sluice.engine.runtime.job_positions import JobPositions
from sluice.engine.runtime.resources import Resources
from sluice.errors import SluiceError
from sluice.planner.job_planner import plan_job
from sluice.session import jobs
from sluice.session.context import Context
from sluice.sql.flink import parse

if TYPE_CHECKING:
    from pathlib import Path

    from session.lab import Lab
    from sluice.session import Session

TOPIC = (
    "WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', "
    "'properties.group.id' = 'g', 'format' = 'raw', 'scan.startup.mode' = 'earliest-offset')"
)


def flink(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return session.execute(sql, dialect="flink").fetchall()


def test_they_belong_to_a_session_and_end_with_it(lab: Lab) -> None:
    """FL: a temporary object hides a permanent one of its name, for its session alone."""
    one, other = lab.session.child(), lab.session.child()
    flink(other, "CREATE TABLE t (kept INT)")
    flink(one, f"CREATE TEMPORARY TABLE t (p STRING) {TOPIC}")
    flink(one, "CREATE TEMPORARY VIEW v AS SELECT UPPER(p) AS u FROM t")
    flink(one, "CREATE TEMPORARY TABLE IF NOT EXISTS t (x INT)")
    assert flink(one, "SHOW TABLES") == [("t",), ("v",)]
    assert flink(one, "SHOW VIEWS") == [("v",)]
    assert flink(one, "DESCRIBE t")[0][:2] == ("p", "STRING")
    assert flink(one, "DESCRIBE v")[0][0] == "u"
    assert flink(other, "SHOW TABLES") == [("t",)]
    assert flink(other, "DESCRIBE t")[0][0] == "kept"
    with pytest.raises(SluiceError, match="already exists"):
        flink(one, "CREATE TEMPORARY TABLE t (x INT)")
    flink(one, "ALTER VIEW v AS SELECT p AS w FROM t")
    assert flink(one, "DESCRIBE v")[0][0] == "w"
    flink(one, "DROP TEMPORARY TABLE t")
    assert flink(one, "DESCRIBE t")[0][0] == "kept"
    with pytest.raises(SluiceError, match=r"Temporary default\.t does not exist"):
        flink(one, "DROP TEMPORARY TABLE t")
    one.end()
    assert flink(one, "SHOW TABLES") == [("t",)]
    assert lab.engine.catalog.find("default", "v") is None


def test_a_request_without_a_session_has_none(lab: Lab) -> None:
    once = lab.session.child(lasting=False)
    for text in (
        f"CREATE TEMPORARY TABLE t (p STRING) {TOPIC}",
        "CREATE TEMPORARY VIEW v AS SELECT 1",
    ):
        with pytest.raises(SluiceError) as refused:
            flink(once, text)
        assert refused.value.condition.clickhouse_code == 197


def test_a_job_keeps_what_it_was_made_of(lab: Lab, tmp_path: Path) -> None:
    """It is planned again after a restart, when the session is gone."""
    session = lab.session.child()
    flink(session, f"CREATE TEMPORARY TABLE q (p STRING) {TOPIC}")
    flink(session, "CREATE TEMPORARY VIEW v AS SELECT p FROM q WHERE p <> ''")
    flink(session, "CREATE TABLE s (p STRING)")
    text = "INSERT INTO s SELECT p FROM v"
    inserts = jobs.inserts_of(parse(text))
    context = Context(lab.engine, "default", "flink", text=text)
    job = jobs.new_job(context, inserts[0])
    with temporary.seeing(session._temporary):
        first = plan_job(lab.engine.environment, job, inserts)
        job = replace(job, plan={"temporary": temporary.packed(temporary.current().values())})
    session.end()
    with pytest.raises(SluiceError, match="v does not exist"):
        plan_job(lab.engine.environment, job, inserts)
    with temporary.seeing(temporary.unpacked(job.plan["temporary"])):
        again = plan_job(lab.engine.environment, job, inserts)
    assert again.tables == first.tables
    assert again.queries[0].fingerprint == first.queries[0].fingerprint

    catalog = lab.engine.catalog
    catalog.jobs.put(job)
    folder = tmp_path / "checkpoints"
    resources = Resources(lab.engine.spark, catalog, lab.engine.store, folder)
    JobPositions(again, resources).ensure()
    begun = catalog.jobs.find(job.id)
    assert begun is not None
    assert begun.plan["tables"] == list(again.tables)
    assert begun.plan["temporary"] == job.plan["temporary"]  # for the restart after this one


def run(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return session.execute(sql).fetchall()


def test_clickhouses_are_in_no_database(lab: Lab) -> None:
    """A name without a database means the session's table first, whatever the current one is."""
    one, other = lab.session.child(), lab.session.child()
    run(other, "CREATE DATABASE d")
    run(other, "CREATE TABLE t (kept UInt8) ENGINE = MergeTree ORDER BY kept")
    run(one, "CREATE TEMPORARY TABLE t (own UInt8, twice UInt8 DEFAULT own * 2)")
    run(one, "CREATE TEMPORARY TABLE IF NOT EXISTS t (x UInt8)")
    run(one, "CREATE TEMPORARY TABLE keyed (k UInt8) ENGINE = ReplacingMergeTree ORDER BY k")
    run(one, "CREATE TEMPORARY TABLE copy AS t")
    run(one, "USE d")
    assert [row[0] for row in run(one, "DESCRIBE t")] == ["own", "twice"]
    assert [row[0] for row in run(one, "DESCRIBE default.t")] == ["kept"]
    assert [row[0] for row in run(one, "DESCRIBE copy")] == ["own", "twice"]
    assert run(one, "SHOW CREATE TABLE keyed")[0][0].splitlines() == [
        "CREATE TEMPORARY TABLE `keyed`",
        "(",
        "    `k` UInt8",
        ")",
        "ENGINE = ReplacingMergeTree",
        "ORDER BY k",
    ]
    assert run(one, "EXISTS TEMPORARY TABLE keyed") == [(1,)]
    assert run(one, "SHOW TABLES") == []
    assert run(other, "SHOW TABLES") == [("t",)]
    assert run(other, "EXISTS TABLE keyed") == [(0,)]
    assert [row[0] for row in run(other, "DESCRIBE t")] == ["kept"]
    run(one, "ALTER TABLE t ADD COLUMN more UInt8")
    assert len(run(one, "DESCRIBE t")) == 3
    run(one, "DROP TABLE t")
    with pytest.raises(SluiceError, match=r"d\.t does not exist"):
        run(one, "DROP TABLE t")
    run(one, "DROP TEMPORARY TABLE keyed")
    assert len(lab.engine.catalog.temporary_rows()) == 1  # copy
    one.end()
    assert lab.engine.catalog.temporary_rows() == []
    assert run(one, "EXISTS TABLE copy") == [(0,)]


def test_clickhouses_outlive_nothing(lab: Lab) -> None:
    """No view reads or writes one, and what would let it outlive its session is refused."""
    session = lab.session.child()
    for text in (
        "CREATE TABLE v (a UInt8) ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE s (a UInt8) ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW m TO v AS SELECT a FROM s",
        "CREATE TEMPORARY TABLE v (b String)",
        "CREATE TEMPORARY TABLE s (b String)",
        "CREATE TEMPORARY TABLE t (a UInt8)",
        "ALTER TABLE default.v ADD COLUMN n UInt8",  # the view still means the tables it did
    ):
        session.execute(text)
    with temporary.seeing(session._temporary):
        source = lab.engine.catalog.find("default", "s")
        assert source is not None
        (plan,) = lab.engine.planner.feeds(source)
        assert plan.target is not None
        assert [column.name for column in plan.target.columns] == ["a", "n"]
        own = session._temporary[temporary.NO_DATABASE, "s"]
        assert lab.engine.planner.feeds(own) == ()
    refused = {
        "CREATE MATERIALIZED VIEW w TO t AS SELECT a FROM default.s": "uses the temporary table t",
        "CREATE MATERIALIZED VIEW w TO default.v AS SELECT b AS a FROM s": "temporary table s",
        "ALTER TABLE m MODIFY QUERY SELECT a FROM t": r"default\.t does not exist",
        "CREATE TEMPORARY TABLE default.x (a UInt8)": "cannot be in a database",
        f"CREATE TEMPORARY TABLE x (a UInt8) {KAFKA}": "temporary table with ENGINE = Kafka",
        "CREATE TEMPORARY TABLE t (a UInt8)": "t already exists",
        "DETACH TABLE t": "DETACH of the temporary table t",
        "RENAME TABLE t TO u": "RENAME of the temporary table t",
        "CREATE TEMPORARY VIEW x AS SELECT 1": "Supported: CREATE TEMPORARY TABLE",
        "DROP TEMPORARY TABLE m": "Temporary default.m does not exist",
    }
    for text, reason in refused.items():
        with pytest.raises(SluiceError, match=reason):
            session.execute(text)
    once = lab.session.child(lasting=False)
    for text in ("CREATE TEMPORARY TABLE t (a UInt8)", "DROP TEMPORARY TABLE t"):
        with pytest.raises(SluiceError, match="TEMPORARY needs a session") as bad:
            once.execute(text)
        assert bad.value.condition.clickhouse_code == 197
