"""Dead letters of a server that is killed: each is kept once, and comes to each target once."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.error import URLError

import pytest
from waiting import eventually

from faults.server import PATIENCE, Server
from faults.test_restart import create, send
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

BAD = [b"1", b"2", b"3"]
"""No JSON, but lines of CSV."""

USING = "USING 'CSV'"
OUTCOMES = "SELECT raw_message, outcome FROM system.dead_letter_queue ORDER BY raw_message"


@pytest.mark.slow
def test_letters_of_a_killed_server(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """Killed after the commit of its dead letters, then twice during a REDRIVE."""
    cluster.create_topic(topic, 1)
    data = tmp_path / "data"
    with Server(data, failpoints="letters.after_commit=kill9") as server:
        assert server.await_ready()
        create(server, broker.address, topic, mode="dead_letter_queue")
        produce(cluster, topic, map(Message, BAD))
        send(cluster, topic, 10, 2)
        assert server.await_end() == -9
    for number, point in enumerate(("redrive.after_start", "redrive.before_end"), start=1):
        with Server(data, failpoints=f"{point}=kill9@{number}") as server:
            assert server.await_ready()
            eventually(lambda: arrived(server), lambda found: found == [10, 11], PATIENCE)
            with pytest.raises((URLError, ConnectionError)):
                server.sql(f"REDRIVE DEAD LETTERS FROM q WHERE raw_message = '{number}' {USING}")
            assert server.await_end() == -9
    with Server(data) as server:
        assert server.await_ready()
        assert [row[1] for row in server.sql(OUTCOMES)] == ["redriven", "started", "waiting"]
        assert [row[3] for row in server.sql(f"REDRIVE DEAD LETTERS FROM q {USING}")] == [
            "redriven"
        ]
        assert server.sql(OUTCOMES) == [[str(n), "redriven"] for n in (1, 2, 3)]
        assert arrived(server) == [1, 2, 3, 10, 11]
        assert server.stop() == 0


def arrived(server: Server) -> list[int]:
    """The rows of both targets if they are the same."""
    first, second = (
        [int(key) for (key,) in server.sql(f"SELECT key FROM v{n} ORDER BY key")] for n in (1, 2)
    )
    return first if first == second else []
