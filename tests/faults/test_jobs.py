"""A server that is killed resumes its jobs, with their state and exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from faults.chance import seeded, some
from faults.server import Server
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

POINTS = [
    "delta.after_commit=kill9@2",
    "offsets.after_log=kill9@3",
    "delta.after_commit=kill9@4",
    "commit.before_log=kill9@2",
]
CHOSEN = 3
"""Kills in a run."""

KEYS = 7
PATIENCE = 300.0

SET = """
EXECUTE STATEMENT SET BEGIN
INSERT INTO t SELECT p FROM s;
INSERT INTO u SELECT '+' || p FROM s WHERE CAST(p AS INT) >= 0;
INSERT INTO n SELECT MOD(CAST(p AS INT), 7), COUNT(*) FROM s GROUP BY MOD(CAST(p AS INT), 7);
END
"""


def flink(server: Server, text: str) -> list[Any]:
    return server.sql(text, "flink")


def create(server: Server, address: str, topic: str) -> str:
    """A topic, two copies of it and a count, as one job; its id."""
    flink(
        server,
        f"CREATE TABLE s (p STRING) WITH ('connector' = 'kafka', 'topic' = '{topic}', "
        f"'properties.bootstrap.servers' = '{address}', 'format' = 'raw', "
        "'scan.startup.mode' = 'earliest-offset')",
    )
    flink(server, "CREATE TABLE t (p STRING)")
    flink(server, "CREATE TABLE u (p STRING)")
    flink(server, "CREATE TABLE n (k INT, c BIGINT, PRIMARY KEY (k) NOT ENFORCED)")
    return str(flink(server, SET)[0][0])


def state(server: Server) -> list[Any]:
    """Rows and different rows of both copies, and what was counted for each key."""
    copies = [flink(server, f"SELECT COUNT(*), COUNT(DISTINCT p) FROM {t}")[0] for t in ("t", "u")]
    counts = flink(server, "SELECT k, MAX(c) FROM n GROUP BY k ORDER BY k")
    return [[list(map(int, row)) for row in rows] for rows in (copies, counts)]


@pytest.mark.slow
def test_jobs_survive_kills(tmp_path: Path, broker: Broker, cluster: Cluster, topic: str) -> None:
    """Killed at chosen places of a batch, with a count whose state must be there again."""
    cluster.create_topic(topic, 2)
    sent, job = 0, ""
    for number, point in enumerate(some(seeded(), POINTS, CHOSEN)):
        with Server(tmp_path / "data", failpoints=point) as server:
            if server.await_ready() and number == 0:
                job = create(server, broker.address, topic)
            while not server.ends(within=1.0):
                produce(cluster, topic, (Message(str(sent + n).encode()) for n in range(20)))
                sent += 20
            assert server.await_end() == -9, point
    counts = [[k, len(range(k, sent, KEYS))] for k in range(KEYS)]
    with Server(tmp_path / "data") as server:
        assert server.await_ready()
        wanted = [[[sent, sent]] * 2, counts]
        eventually(lambda: state(server), lambda found: found == wanted, PATIENCE)
        assert [row[:3:2] for row in flink(server, "SHOW JOBS")] == [[job, "RUNNING"]]
        at: dict[Any, int] = {}
        for *key, start, end in server.sql(
            "SELECT table, partition, toInt32(from_offset), toInt32(until_offset) "
            "FROM system.ledger WHERE table IN ('t', 'u') ORDER BY table, partition, batch"
        ):
            assert start == at.get(tuple(key), 0)
            at[tuple(key)] = end
        assert sum(at.values()) == 2 * sent
        assert flink(server, f"STOP JOB '{job}' WITH SAVEPOINT") == [[job]]
        assert server.stop() == 0
    with Server(tmp_path / "data") as server:
        assert server.await_ready()
        assert [row[2] for row in flink(server, "SHOW JOBS")] == ["STOPPED"]
        assert server.stop() == 0
