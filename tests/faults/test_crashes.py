"""Whatever is killed, and whenever: each message is in each target exactly once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.chance import ALL, seeded, some
from faults.server import Server
from faults.test_restart import arrive, create, send
from sluice.broker import github_events

if TYPE_CHECKING:
    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

POINTS = [
    "delta.after_commit=kill9@3",
    "delta.after_commit=kill9@2",
    "offsets.after_log=kill9@2",
    "batch.before_write=kill9@2",
    "group.before_commit=kill9@2",
    "commit.before_log=kill9@2",
]
EACH = 220
CHOSEN = 3
"""Kills of a run at chosen places, and as many at random."""

KILLS = 10 if ALL else CHOSEN
EVENTS = 200_000 if ALL else 100_000
GUIDE = Path(__file__).parent.parent / "golden" / "clickhouse" / "kafka-table-engine.sql"


@pytest.mark.slow
def test_placed_crashes(tmp_path: Path, broker: Broker, cluster: Cluster, topic: str) -> None:
    """A server that dies at chosen places of a batch, one after the other, loses nothing.

    Each run gets messages of its own, more than two batches, so the end shows which place it was.
    """
    cluster.create_topic(topic, 2)
    points = some(seeded(), POINTS, CHOSEN)
    for number, point in enumerate(points):
        with Server(tmp_path / "data", failpoints=point) as server:
            if server.await_ready() and number == 0:
                create(server, broker.address, topic)
            send(cluster, topic, number * EACH, EACH)
            assert server.await_end() == -9, point
    with Server(tmp_path / "data") as server:
        assert server.await_ready()
        arrive(server, len(points) * EACH)
        for target in ("v1", "v2"):
            found = server.sql(
                f"SELECT toUInt32(intDiv(key, {EACH})) AS n, toUInt32(count()), "
                f"toUInt32(uniqExact(key)) FROM {target} GROUP BY n ORDER BY n"
            )
            assert found == [[n, EACH, EACH] for n in range(len(points))]
        assert server.stop() == 0


def github_columns() -> str:
    """The columns of the guide's table."""
    text = GUIDE.read_text("utf-8")
    found = re.search(r"CREATE TABLE github_queue\n\((.*?)\n\)\nENGINE", text, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_kills_at_random(tmp_path: Path, broker: Broker, topic: str) -> None:
    """Killed again and again in the middle of its work, the server counts every event once."""
    rng = seeded()
    github_events.fill(broker.address, topic, EVENTS)
    data, made, pick = tmp_path / "data", False, "SELECT toUInt32(count()) FROM github"
    for _ in range(KILLS):
        with Server(data) as server:
            if server.await_ready():
                if not made:
                    _create_github(server, broker.address, topic)
                    made = True
                seen = server.sql(pick)[0][0]
                more = seen + rng.randrange(1, 30_000)
                eventually(
                    lambda: server.sql(pick)[0][0],
                    lambda count: count >= min(more, EVENTS),  # noqa: B023
                    within=300,
                )
                rng.choice([server.kill, server.kill_all])()
    with Server(data) as server:
        assert server.await_ready()
        query = "SELECT toUInt32(count()), toUInt32(uniqExact(comment_id)) FROM github"
        eventually(lambda: server.sql(query), lambda rows: rows == [[EVENTS, EVENTS]], 600)
        assert server.stop() == 0


def _create_github(server: Server, address: str, topic: str) -> None:
    settings = "kafka_max_block_size = 16000, kafka_flush_interval_ms = 100"
    server.sql(
        f"CREATE TABLE github_queue ({github_columns()}) ENGINE = "
        f"Kafka('{address}', '{topic}', '{topic}', 'JSONEachRow') SETTINGS {settings}"
    )
    server.sql("CREATE TABLE github AS github_queue ENGINE = MergeTree() ORDER BY repo_name")
    server.sql("CREATE MATERIALIZED VIEW github_mv TO github AS SELECT * FROM github_queue")
