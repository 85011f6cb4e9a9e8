"""Temporary tables and views of Flink's: a session's own, and what a job keeps of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from sluice.catalog import temporary
from sluice.errors import SluiceError
from sluice.session import jobs
from sluice.session.planning import planned
from sluice.sql.flink import parse

if TYPE_CHECKING:
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


def test_a_job_keeps_what_it_was_made_of(lab: Lab) -> None:
    """It is planned again after a restart, when the session is gone."""
    session = lab.session.child()
    flink(session, f"CREATE TEMPORARY TABLE q (p STRING) {TOPIC}")
    flink(session, "CREATE TEMPORARY VIEW v AS SELECT p FROM q WHERE p <> ''")
    flink(session, "CREATE TABLE s (p STRING)")
    text = "INSERT INTO s SELECT p FROM v"
    inserts = jobs.inserts_of(parse(text))
    job = jobs.new_job(replace(inserts[0], text=text), "default")
    with temporary.seeing(session._temporary):
        first = planned(lab.engine, job, inserts)
        job = replace(job, plan={"temporary": temporary.packed(temporary.current().values())})
    session.end()
    with pytest.raises(SluiceError, match="v does not exist"):
        planned(lab.engine, job, inserts)
    with temporary.seeing(temporary.unpacked(job.plan["temporary"])):
        again = planned(lab.engine, job, inserts)
    assert again.tables == first.tables
    assert again.queries[0].fingerprint == first.queries[0].fingerprint
