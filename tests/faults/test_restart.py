"""A server that is stopped or killed resumes at its position when it is started again."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.server import Server
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

PATIENCE = 300.0


def create(
    server: Server, address: str, topic: str, block: int = 100, mode: str = "default"
) -> None:
    """A Kafka table with two views, each with its target."""
    server.sql(
        f"CREATE TABLE q (key UInt64) ENGINE = Kafka('{address}', '{topic}', '{topic}', "
        f"'JSONEachRow') SETTINGS kafka_max_block_size = {block}, kafka_flush_interval_ms = 100, "
        f"kafka_handle_error_mode = '{mode}'"
    )
    for number in (1, 2):
        server.sql(f"CREATE TABLE v{number} (key UInt64) ENGINE = MergeTree ORDER BY key")
        server.sql(f"CREATE MATERIALIZED VIEW m{number} TO v{number} AS SELECT key FROM q")


def counts(server: Server) -> list[list[int]]:
    """Rows and different rows of both targets."""
    pick = "SELECT toUInt32(count()), toUInt32(uniqExact(key)) FROM"
    return [server.sql(f"{pick} v{number}")[0] for number in (1, 2)]


def send(cluster: Cluster, topic: str, start: int, count: int) -> None:
    produce(
        cluster, topic, (Message(json.dumps({"key": start + n}).encode()) for n in range(count))
    )


def arrive(server: Server, count: int) -> None:
    """Wait until both targets have so many rows, all different."""
    eventually(lambda: counts(server), lambda found: found == [[count, count]] * 2, PATIENCE)


@pytest.mark.slow
def test_ch_36_no_data_loss_on_restart(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """CH-36: two views each get all of what came before, between and after restarts.

    Along the way: SIGTERM stops with status 0, a second server on the folder is refused with the
    first one's name, and the lock of a killed server does not stand in the way.
    """
    cluster.create_topic(topic, 2)
    data = tmp_path / "data"
    with Server(data) as server:
        assert server.await_ready()
        create(server, broker.address, topic)
        send(cluster, topic, 0, 10)
        arrive(server, 10)
        second = subprocess.run(
            [sys.executable, "-m", "sluice.cli", "serve", "--port", "0", "--data", str(data)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert second.returncode != 0
        assert f"in use by process {server.pid} at {server.url}" in second.stderr
        assert server.stop() == 0
    send(cluster, topic, 10, 10)
    with Server(data) as server:
        assert server.await_ready()
        arrive(server, 20)
        server.kill()
    send(cluster, topic, 20, 10)
    with Server(data) as server:
        assert server.await_ready()
        arrive(server, 30)
        assert server.stop() == 0
