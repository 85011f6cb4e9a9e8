"""Jobs into Delta tables, killed at chosen places: each message counts exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.chance import seeded, some
from faults.server import Server
from faults.test_restart import send

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

POINTS = [
    "delta.after_commit=kill9@1",
    "delta.after_commit=kill9@2",
    "delta.before_commit=kill9@2",
    "offsets.after_log=kill9@1",
    "delta.after_commit=kill9@3",
    "commit.before_log=kill9@1",
]
CHOSEN = 4
"""Kills in a run."""

EACH = 200
KEYS = 7


def create(server: Server, address: str, topic: str) -> None:
    """One topic, three jobs: rows that are added, the newest row of each key, counts."""
    server.sql(
        "CREATE TABLE s (`key` BIGINT) WITH ('connector' = 'kafka', 'format' = 'json', "
        f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{address}', "
        "'scan.startup.mode' = 'earliest-offset')",
        "flink",
    )
    key = "k BIGINT, PRIMARY KEY (k) NOT ENFORCED"
    by = f"MOD(`key`, {KEYS})"
    server.sql("CREATE TABLE added (n BIGINT)", "flink")
    server.sql(f"CREATE TABLE newest (n BIGINT, {key})", "flink")
    server.sql(f"CREATE TABLE counts (n BIGINT, {key})", "flink")
    for text in (
        "INSERT INTO added SELECT `key` FROM s",
        f"INSERT INTO newest SELECT `key`, {by} FROM s",
        f"INSERT INTO counts SELECT COUNT(*), {by} FROM s GROUP BY {by}",
    ):
        server.sql(text, "flink")


@pytest.mark.slow
def test_placed_crashes(tmp_path: Path, broker: Broker, cluster: Cluster, topic: str) -> None:
    """After a table's commit, just before it, before Spark's own, before anything is written."""
    cluster.create_topic(topic, 1)
    points = some(seeded(), POINTS, CHOSEN)
    for number, point in enumerate(points):
        with Server(tmp_path / "data", failpoints=point) as server:
            if server.await_ready() and number == 0:
                create(server, broker.address, topic)
            send(cluster, topic, number * EACH, EACH)
            assert server.await_end() == -9, point
    sent = range(len(points) * EACH)
    by_key = {k: [n for n in sent if n % KEYS == k] for k in range(KEYS)}
    wanted = {
        "SELECT COUNT(*), COUNT(DISTINCT n) FROM added": [[len(sent), len(sent)]],
        "SELECT k, n FROM newest ORDER BY k": [[k, max(n)] for k, n in by_key.items()],
        "SELECT k, n FROM counts ORDER BY k": [[k, len(n)] for k, n in by_key.items()],
    }
    with Server(tmp_path / "data") as server:
        assert server.await_ready()
        for query, rows in wanted.items():
            shown = [[str(value) for value in row] for row in rows]
            eventually(
                lambda: [[str(v) for v in row] for row in server.sql(query, "flink")],  # noqa: B023
                lambda found: found == shown,  # noqa: B023
                300,
            )
        assert server.stop() == 0
