"""Changelogs through killed servers: every table is that of a replay of the topic in Python."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from quick import QUICK
from waiting import eventually

from faults.chance import a_while, seeded, some
from faults.server import Server
from sluice.broker import Broker
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from pathlib import Path

CHANGES, COPY = "changes", "copy"
PARTITIONS, KEYS, CITIES = 3, 400, 9
EACH = 3_000
"""Changes between two kills."""

POINTS = [
    "delta.before_commit=kill9@1",
    "delta.after_commit=kill9@1",
    "offsets.after_log=kill9@1",
    "commit.before_log=kill9@1",
    "txn.before_commit=kill9@2",
    "delta.before_commit=kill9@2",
    "txn.after_commit=kill9@1",
    "delta.after_commit=kill9@2",
]
RANDOM_KILLS = 20 - len(POINTS)
CHOSEN = 4
"""Kills in a run, after a first one; of all places and random moments."""

ROW = "id BIGINT, city STRING, amount BIGINT"
KEYED = f"{ROW}, PRIMARY KEY (id) NOT ENFORCED"
GROUPS = (
    "city STRING, customers BIGINT, amount BIGINT, least BIGINT, most BIGINT, amounts BIGINT, "
    "PRIMARY KEY (city) NOT ENFORCED"
)


@dataclass
class Customers:
    """The table whose changes are in the topic, as it is now."""

    chance: random.Random
    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    made: int = 0

    def changes(self, count: int) -> Iterator[Message]:
        """The next changes, as Debezium writes them; those of a key are in one partition."""
        for _ in range(count):
            self.made += 1
            key = self.chance.randrange(KEYS)
            before = self.rows.get(key)
            after = None
            if before is None or self.chance.random() < 0.8:
                city = f"city {self.chance.randrange(CITIES)}"
                amount = self.chance.choice([None, self.chance.randrange(1000)])
                after = {"id": key, "city": city, "amount": amount}
            op = "c" if before is None else "d" if after is None else "u"
            event = {"before": before, "after": after, "op": op, "ts_ms": self.made}
            yield Message(json.dumps(event).encode(), b"%d" % key, partition=key % PARTITIONS)
            if after is None:
                del self.rows[key]
                if self.chance.random() < 0.5:
                    yield Message(None, b"%d" % key, partition=key % PARTITIONS)
            else:
                self.rows[key] = after

    def kept(self) -> list[list[Any]]:
        """The rows by key."""
        return [[key, row["city"], row["amount"]] for key, row in sorted(self.rows.items())]

    def groups(self) -> list[list[Any]]:
        """The aggregates of each city that has customers."""
        found: dict[str, list[Any]] = {}
        for row in self.rows.values():
            found.setdefault(row["city"], []).append(row["amount"])
        return [[city, *_aggregates(amounts)] for city, amounts in sorted(found.items())]


def _aggregates(amounts: Iterable[int | None]) -> list[int | None]:
    amounts = list(amounts)
    there = [each for each in amounts if each is not None]
    sums = [sum(there), min(there), max(there)] if there else [None, None, None]
    return [len(amounts), *sums, len(set(there))]


def _create(server: Server, address: str) -> None:
    """A changelog into a keyed table, into aggregates of it, and exactly once into a topic."""
    at = f"'properties.bootstrap.servers' = '{address}'"
    read = f"'connector' = 'kafka', {at}, 'topic' = '{CHANGES}', 'format' = 'debezium-json'"
    early = "'scan.startup.mode' = 'earliest-offset'"
    upsert = (
        f"'connector' = 'upsert-kafka', {at}, 'topic' = '{COPY}', 'key.format' = 'json', "
        "'value.format' = 'json', 'sink.delivery-guarantee' = 'exactly-once', "
        "'sink.transactional-id-prefix' = 'copy'"
    )
    for text in (
        f"CREATE TABLE changes ({ROW}) WITH ({read}, {early})",
        f"CREATE TABLE changes_by_key ({KEYED}) WITH ({read}, {early})",
        f"CREATE TABLE kept ({KEYED})",
        f"CREATE TABLE cities ({GROUPS})",
        f"CREATE TABLE copy ({KEYED}) WITH ({upsert})",
        "INSERT INTO kept SELECT * FROM changes_by_key",
        "INSERT INTO copy SELECT * FROM changes_by_key",
        (
            "INSERT INTO cities SELECT city, COUNT(*), SUM(amount), MIN(amount), MAX(amount), "
            "COUNT(DISTINCT amount) FROM changes GROUP BY city"
        ),
    ):
        server.sql(text, "flink")


def _numbers(rows: list[Any]) -> list[list[Any]]:
    """Rows of an answer, whose BIGINTs are texts."""
    return [[int(v) if str(v).isdecimal() else v for v in row] for row in rows]


@pytest.mark.slow
def test_a_replay_gives_the_same_tables(tmp_path: Path) -> None:
    """Kills at places of a commit and at random, while tables and state are updated."""
    chance = seeded()
    customers, data = Customers(chance), tmp_path / "data"
    with Broker(tmp_path / "broker", java_options=QUICK) as broker:
        cluster = Cluster({"bootstrap.servers": broker.address})
        for topic in (CHANGES, COPY):
            cluster.create_topic(topic, PARTITIONS)
        with Server(data) as server:
            assert server.await_ready()
            _create(server, broker.address)
            produce(cluster, CHANGES, customers.changes(EACH))
            a_while(chance, 6)
            server.kill()
        for point in some(chance, POINTS + [""] * RANDOM_KILLS, CHOSEN):
            with Server(data, failpoints=point) as server:
                produce(cluster, CHANGES, customers.changes(EACH))
                if point:
                    assert server.await_end() == -9, point
                else:
                    server.await_ready()
                    a_while(chance, 4)
                    chance.choice([server.kill, server.kill_all])()
        wanted = {
            "SELECT * FROM kept ORDER BY id": customers.kept(),
            "SELECT * FROM copy ORDER BY id": customers.kept(),
            "SELECT * FROM cities ORDER BY city": customers.groups(),
        }
        with Server(data) as server:
            assert server.await_ready()
            for query, rows in wanted.items():
                eventually(
                    lambda: _numbers(server.sql(query, "flink")),  # noqa: B023
                    lambda found: found == rows,  # noqa: B023
                    300,
                )
            assert server.stop() == 0
        cluster.close()
