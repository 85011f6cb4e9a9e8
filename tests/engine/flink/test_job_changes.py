"""Jobs that are stopped, taken over and changed: nothing is lost and nothing comes twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.kafka.producer import Message
from sluice.session import jobs

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab


def send(flink: FlinkLab, topic: str, *texts: str) -> None:
    flink.produce(topic, *(Message(text.encode()) for text in texts))


@pytest.mark.slow
def test_another_query_resumes_where_the_first_stopped(flink: FlinkLab) -> None:
    """By what STOP JOB WITH SAVEPOINT answered; the ledger has every message once."""
    send(flink, "taken-over", "1", "2", "3")
    flink.table("s", "p STRING", "taken-over", format="raw")
    flink.sql("CREATE TABLE t (p STRING)")
    flink.sql("SET 'pipeline.name' = 'first'")
    first = flink.start("INSERT INTO t SELECT p FROM s")
    flink.arrives("SELECT COUNT(*) FROM t", [(3,)])
    assert flink.job(first)[1] == "first"
    ((path,),) = flink.sql(f"STOP JOB '{first}' WITH SAVEPOINT")
    send(flink, "taken-over", "4")
    flink.sql(f"SET 'execution.savepoint.path' = '{path}'")
    second = flink.start("INSERT INTO t SELECT '+' || p FROM s")
    flink.sql("RESET")
    flink.arrives("SELECT p FROM t ORDER BY p", [("+4",), ("1",), ("2",), ("3",)])
    described = flink.job(second)
    assert "resumes from the position of generation 1" in str(described[-1])
    assert "continues it" in str(flink.job(first)[-1])
    plan = flink.sql("EXPLAIN ESTIMATED_COST INSERT INTO t SELECT UPPER(p) FROM s")[0][0]
    assert "== Physical Plan ==" in plan
    assert "upper(" in plan
    where = f"WHERE database = '{flink.database}'"
    told = flink.session.execute(
        f"SELECT table, state, views, generation FROM system.pipelines {where}"
    ).fetchall()
    assert told == [("s", "RUNNING", [f"{flink.database}.t"], 2)]
    (consumer,) = flink.session.execute(
        "SELECT table, assignments.topic, assignments.current_offset, is_currently_used "
        f"FROM system.kafka_consumers {where}"
    ).fetchall()
    assert consumer == ("s", ["taken-over"], [4], 1)
    # the same query resumes in the same generation
    ((path,),) = flink.sql(f"STOP JOB '{second}' WITH SAVEPOINT")
    send(flink, "taken-over", "5")
    flink.sql(f"SET 'execution.state-recovery.path' = '{path}'")
    third = flink.start("INSERT INTO t SELECT '+' || p FROM s")
    flink.sql("RESET")
    flink.arrives("SELECT COUNT(*), COUNT(DISTINCT p) FROM t", [(5, 5)])
    ledger = flink.session.execute(
        "SELECT generation, from_offset, until_offset FROM system.ledger WHERE table = 't' AND "
        f"database = '{flink.database}' AND from_offset < until_offset ORDER BY from_offset"
    ).fetchall()
    assert [row[1:] for row in ledger] == [(0, 3), (3, 4), (4, 5)]
    assert [row[0] for row in ledger] == [1, 2, 2]
    rows = flink.sql(
        f"SELECT id, state, generation FROM system.jobs WHERE `database` = '{flink.database}' "
        "ORDER BY created"
    )
    assert rows == [(first, "STOPPED", 0), (second, "STOPPED", 0), (third, "RUNNING", 2)]
    flink.sql("TRUNCATE TABLE t")
    assert flink.sql("SELECT COUNT(*) FROM t") == [(0,)]
    send(flink, "taken-over", "6")
    flink.arrives("SELECT p FROM t", [("+6",)])


@pytest.mark.slow
def test_a_changed_view_drops_state_and_reports_it(flink: FlinkLab) -> None:
    """A count resumes with its state as long as the query is the same."""
    send(flink, "recounted", "a", "a", "b")
    flink.table("s", "p STRING", "recounted", format="raw")
    flink.sql("CREATE VIEW v AS SELECT p FROM s WHERE p <> 'z'")
    flink.sql("CREATE TABLE t (p STRING, n BIGINT, PRIMARY KEY (p) NOT ENFORCED)")
    job = flink.start("INSERT INTO t SELECT p, COUNT(*) FROM v GROUP BY p")
    newest = "SELECT p, MAX(n) FROM t GROUP BY p ORDER BY p"
    flink.arrives(newest, [("a", 2), ("b", 1)])
    engine = flink.session._engine
    engine.supervisor.close()
    catalog = engine.catalog
    kept = catalog.jobs.find(job)
    assert kept is not None
    queries = [each | {"fingerprint": "of another version"} for each in kept.plan["queries"]]
    catalog.jobs.begin(job, {**kept.plan, "queries": queries}, {}, [])
    jobs.resume(engine)  # as after an upgrade: the state is neither dropped nor used
    send(flink, "recounted", "a")
    flink.job_becomes(job, "FAILED(JOB_STATE_UNUSABLE)")
    assert flink.sql(newest) == [("a", 2), ("b", 1)]
    catalog.jobs.begin(job, kept.plan, {}, [])
    flink.restart()  # with the version before
    flink.arrives(newest, [("a", 3), ("b", 1)])
    flink.sql("ALTER VIEW v AS SELECT UPPER(p) AS p FROM s")
    send(flink, "recounted", "b")  # the job runs as it was until it is started again
    flink.arrives(newest, [("a", 3), ("b", 2)])
    flink.restart()
    send(flink, "recounted", "a", "b")
    flink.arrives(newest, [("A", 1), ("B", 1), ("a", 3), ("b", 2)])
    notes = str(flink.job(job)[-1])
    assert "dropped: the rows of GroupAggregate" in notes
    events = flink.session.execute(
        "SELECT message FROM system.pipeline_events WHERE event = 'JOB_QUERY_CHANGED' AND "
        f"database = '{flink.database}'"
    ).fetchall()
    assert len(events) == 1
    assert f"Job {job}: " in events[0][0]
    # nothing changes any more
    flink.restart()
    send(flink, "recounted", "a")
    flink.arrives(newest, [("A", 2), ("B", 1), ("a", 3), ("b", 2)])
    assert str(flink.job(job)[-1]) == notes


@pytest.mark.slow
def test_statement_sets_share_one_read(flink: FlinkLab) -> None:
    """One job, one status: two INSERTs over one read, a count beside them.

    An output that fails shows, and the other ones have their rows all the same. With a query that
    does not fail it continues: the batch that only some had is brought to the one that lacked it.
    """
    send(flink, "shared-read", "1", "2")
    flink.table("s", "p STRING", "shared-read", format="raw", properties__group__id="shared-read")
    flink.sql("CREATE TABLE t (p STRING)")
    flink.sql("CREATE TABLE u (i INT)")
    flink.make_topic("shared-out", 2)
    flink.table(
        "o",
        "p STRING",
        "shared-out",
        format="raw",
        sink__delivery_guarantee="exactly-once",
        sink__transactional_id_prefix="shared",
        properties__isolation__level="read_committed",
    )
    flink.sql("CREATE TABLE n (p STRING, n BIGINT, PRIMARY KEY (p) NOT ENFORCED)")
    text = (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT p FROM s; INSERT INTO u SELECT "
        "CAST(p AS INT) FROM s; INSERT INTO o SELECT CAST(CAST(p AS INT) + 1 AS STRING) FROM s; "
        "INSERT INTO n SELECT p, COUNT(*) FROM s GROUP BY p; END"
    )
    job = flink.start(text)
    flink.arrives("SELECT p FROM t ORDER BY p", [("1",), ("2",)])
    flink.arrives("SELECT i FROM u ORDER BY i", [(1,), (2,)])
    flink.arrives("SELECT COUNT(*) FROM n", [(2,)])
    flink.arrives("SELECT p FROM o ORDER BY p", [("2",), ("3",)])
    row = flink.job_becomes(job, "RUNNING")
    assert row[4:6] == ("0", "0")
    shared, counting = flink.session._engine.supervisor.queries(job)
    assert len(shared.spec.outputs) == 3
    assert shared.status.messages == counting.status.messages == 2
    send(flink, "shared-read", "x", "3")
    flink.arrives("SELECT COUNT(*), COUNT(DISTINCT p) FROM t", [(4, 4)])
    row = flink.job_becomes(job, "WAITING")
    assert "x" in str(row[6])
    assert flink.sql("SELECT COUNT(*) FROM u") == [(2,)]
    ((path,),) = flink.sql(f"STOP JOB '{job}' WITH SAVEPOINT")
    flink.sql(f"SET 'execution.savepoint.path' = '{path}'")
    job = flink.start(text.replace("CAST", "TRY_CAST"))
    flink.sql("RESET")
    send(flink, "shared-read", "4")
    flink.arrives("SELECT i FROM u WHERE i IS NOT NULL ORDER BY i", [(n,) for n in (1, 2, 3, 4)])
    assert flink.sql("SELECT COUNT(*) FROM u WHERE i IS NULL") == [(1,)]
    flink.arrives(
        "SELECT p FROM o WHERE p IS NOT NULL ORDER BY p", [("2",), ("3",), ("4",), ("5",)]
    )
    flink.arrives("SELECT COUNT(*), COUNT(DISTINCT p) FROM t", [(5, 5)])
    flink.arrives("SELECT COUNT(*) FROM n WHERE n = 1", [(5,)])
    assert flink.sql("SELECT COUNT(*) FROM n") == [(5,)]
