"""A server killed between the targets of a chain of views: each still has each batch once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.chance import seeded, some
from faults.server import Server
from faults.test_restart import PATIENCE, send

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

EACH = 20
POINTS = [f"delta.after_commit=kill9@{commits}" for commits in (1, 2, 3)]
"""After the commit of each of the targets; a run takes two."""

TREE = "ENGINE = MergeTree ORDER BY key"
STATEMENTS = (
    f"CREATE TABLE first (key UInt64, id String) {TREE}",
    f"CREATE TABLE second (key UInt64, id String) {TREE}",
    f"CREATE TABLE third (key UInt64, id String, seen UInt8) {TREE}",
    "CREATE MATERIALIZED VIEW m1 TO first AS SELECT key, toString(generateUUIDv4()) AS id FROM q",
    "CREATE MATERIALIZED VIEW m2 TO second AS SELECT key, id FROM first",
    """
    CREATE MATERIALIZED VIEW m3 TO third AS
    SELECT key, id, key IN (SELECT key FROM first) AS seen FROM second
    """,
)


def _counts(server: Server) -> list[list[int]]:
    pick = "SELECT toUInt32(count()), toUInt32(uniqExact(key)) FROM"
    return [server.sql(f"{pick} {name}")[0] for name in ("first", "second", "third")]


@pytest.mark.slow
def test_killed_between_the_targets_of_a_chain(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """CH-39 too: `first` is read as before the batch, also when the batch is run again."""
    cluster.create_topic(topic, 1)
    data = tmp_path / "data"
    points = some(seeded(), POINTS, 2)
    for number, point in enumerate(points):
        with Server(data, failpoints=point) as server:
            if server.await_ready() and number == 0:
                server.sql(
                    "CREATE TABLE q (key UInt64) ENGINE = Kafka SETTINGS kafka_broker_list = "
                    f"'{broker.address}', kafka_topic_list = '{topic}', kafka_format = "
                    f"'JSONEachRow', kafka_group_name = '{topic}', kafka_flush_interval_ms = 100"
                )
                for statement in STATEMENTS:
                    server.sql(statement)
            send(cluster, topic, number * EACH, EACH)
            assert server.await_end() == -9, point
    total = len(points) * EACH
    with Server(data) as server:
        assert server.await_ready()
        eventually(lambda: _counts(server), lambda found: found == [[total, total]] * 3, PATIENCE)
        same = "SELECT toUInt32(count()) FROM third JOIN first USING (key, id)"
        assert server.sql(same) == [[total]]
        assert server.sql("SELECT toUInt32(sum(seen)) FROM third") == [[0]]
        assert server.stop() == 0
