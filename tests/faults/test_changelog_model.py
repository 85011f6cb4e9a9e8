"""Random changes through every changelog sink, with faults in between: each table is the model."""

from __future__ import annotations

import json
import os
import signal
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from quick import QUICK
from waiting import eventually

from faults.chance import ALL, a_while, seeded
from faults.server import Server
from sluice.broker import Broker
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

ROW = "id BIGINT, name STRING, weight DECIMAL(10, 3), tags ARRAY<STRING>"
KEYED = f"{ROW}, PRIMARY KEY (id) NOT ENFORCED"
FORMATS = ("debezium-json", "canal-json", "maxwell-json", "ogg-json", "debezium-json")
STEPS = tuple(f"step{number}" for number in range(len(FORMATS)))
TOPICS = (*STEPS, "upserts")
MOST = len(TOPICS) - 1
"""The topics that are written: each change is at least one transaction of each."""

POINTS = [
    *(f"txn.{where}=kill9@{nth}" for where in ("after_begin", "before_commit", "after_commit")
      for nth in range(1, MOST + 1)),
    *(f"{where}_log=kill9@{nth}" for where in ("offsets.after", "commit.before")
      for nth in range(1, MOST + 2)),
    *["delta.before_commit=kill9@1", "delta.after_commit=kill9@1"] * MOST,
]  # fmt: skip
"""Before and after a commit: of each topic, of each job, and as often of the stored table."""

TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
WEIGHTS = st.none() | st.integers(-(10**6), 10**6).map(lambda n: str(Decimal(n).scaleb(-3)))
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 7),
        st.sampled_from(["put", "put", "put", "move", "delete"]),
        TEXTS,
        WEIGHTS,
        st.none() | st.lists(TEXTS, max_size=2),
    ),
    min_size=1,
    max_size=30,
)
ALWAYS = 99
"""The key of a row that is changed every time, so that something is written everywhere."""

Table = dict[int, dict[str, Any]]


def events(table: Table, changes: list[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """The changes as Debezium writes them, applied to the table along the way."""
    for key, what, name, weight, tags in changes:
        before = table.pop(key, None)
        if what == "delete":
            if before is not None:
                yield {"before": before, "after": None, "op": "d"}
            continue
        new = (key + 3) % 8 if what == "move" and (key + 3) % 8 not in table else key
        after = table[new] = {"id": new, "name": name, "weight": weight, "tags": tags}
        yield {"before": before, "after": after, "op": "c" if before is None else "u"}


class World:
    """Jobs that pass changes on from topic to topic into a table, on a server that is killed."""

    def __init__(self, data: Path, broker: Broker, chance: random.Random) -> None:
        self.data = data
        self.broker = broker
        self.chance = chance
        self.cluster = Cluster({"bootstrap.servers": broker.address})
        self.model: Table = {}
        self.sent = 0
        self.server = Server(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.server.__exit__(*error)
        self.cluster.close()

    def create(self) -> None:
        """The tables, and a job from each to the next."""
        assert self.server.await_ready()
        for topic in TOPICS:
            self.cluster.create_topic(topic, 3 if topic == "upserts" else 1)
        once = "'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix'"
        at = f"'properties.bootstrap.servers' = '{self.broker.address}'"
        for step, format_ in zip(STEPS, FORMATS, strict=True):
            self.sql(
                f"CREATE TABLE {step} ({ROW}) WITH ('connector' = 'kafka', 'topic' = '{step}', "
                f"'format' = '{format_}', 'scan.startup.mode' = 'earliest-offset', {at}, "
                f"{once} = '{step}')"
            )
        self.sql(
            f"CREATE TABLE upserts ({KEYED}) WITH ('connector' = 'upsert-kafka', "
            "'topic' = 'upserts', 'key.format' = 'json', 'value.format' = 'json', "
            f"{at}, {once} = 'upserts')"
        )
        self.sql(f"CREATE TABLE kept ({KEYED})")
        for source, sink in zip(TOPICS, (*TOPICS[1:], "kept"), strict=True):
            self.sql(f"INSERT INTO {sink} SELECT * FROM {source}")

    def sql(self, text: str) -> list[Any]:
        """Run a statement of the Flink dialect."""
        return self.server.sql(text, "flink")

    def send(self, changes: list[tuple[Any, ...]]) -> None:
        """More changes of the table: what came before stays."""
        self.sent += 1
        always = (ALWAYS, "put", str(self.sent), None, None)
        found = events(self.model, [*changes, always])
        produce(self.cluster, STEPS[0], (Message(json.dumps(each).encode()) for each in found))

    def die(self) -> None:
        """Kill the server at any moment."""
        a_while(self.chance, 3)
        self.chance.choice([self.server.kill, self.server.kill_all])()

    def die_at(self, point: str) -> None:
        """A server that resumes the jobs and ends at a place of a commit."""
        self.server = Server(self.data, failpoints=point)
        assert self.server.await_end() == -9, point

    def resume(self) -> None:
        """A server that resumes the jobs."""
        self.server = Server(self.data)
        assert self.server.await_ready()

    def freeze(self) -> None:
        """Stop the broker's process for a while; connections stay."""
        assert self.broker.pid is not None
        os.kill(self.broker.pid, signal.SIGSTOP)
        try:
            a_while(self.chance, 5)
        finally:
            os.kill(self.broker.pid, signal.SIGCONT)

    def restart(self) -> None:
        """Stop the broker in good order, and start it."""
        self.broker.stop()
        self.broker.start()

    def crash(self) -> None:
        """Kill the broker, and start it."""
        self.broker.kill()
        self.broker.start()

    def check(self) -> None:
        """The stored table and those over topics have the rows of the model."""
        rows = [list(row.values()) for _, row in sorted(self.model.items())]
        pick = "CAST(id AS INT) AS id, name, CAST(weight AS STRING), tags"
        query = f"SELECT {pick} FROM kept ORDER BY id"
        eventually(lambda: self.sql(query), lambda found: found == rows, 120)
        every = " UNION ALL ".join(f"SELECT '{topic}' AS t, * FROM {topic}" for topic in TOPICS)
        found = self.sql(f"SELECT t, {pick} FROM ({every}) ORDER BY t, id")
        assert found == [[topic, *row] for topic in TOPICS for row in rows]


@pytest.mark.slow
def test_through_every_sink_and_back(tmp_path: Path) -> None:
    """Debezium's changes as changes of each format in turn, then by key, then a stored table.

    Hypothesis begins with the simplest example, which passes without faults. In each of the others
    the server is killed twice, at random and at a place of a commit, and the broker fails once: in
    one of its ways, or in each with `KILLS=all`.
    """
    chance = seeded()
    with (
        Broker(tmp_path / "broker", java_options=QUICK) as broker,
        World(tmp_path / "data", broker, chance) as world,
    ):
        fails = [world.freeze, world.restart, world.crash]
        faults = [None, *chance.sample(fails, len(fails) if ALL else 1)]

        @hypothesis.seed(chance.randrange(1 << 32))
        @hypothesis.settings(
            max_examples=len(faults),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(CHANGES, CHANGES, CHANGES)
        def continues(
            first: list[tuple[Any, ...]], second: list[tuple[Any, ...]], last: list[tuple[Any, ...]]
        ) -> None:
            fault = faults.pop(0)
            world.send(first)
            if fault is not None:
                world.die()
                world.send(second)
                world.die_at(chance.choice(POINTS))
                world.resume()
                world.send(last)
                a_while(chance, 2)
                fault()
            world.check()

        world.create()
        continues()
        assert world.server.stop() == 0
