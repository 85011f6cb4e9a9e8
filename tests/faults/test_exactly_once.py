"""Whatever is killed, and whenever: a reader of committed messages sees every row exactly once."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import IsolationLevel, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]
from quick import QUICK
from topics import committed
from waiting import eventually

from faults.chance import ALL, a_while, seeded, some
from faults.server import Server
from sluice.broker import Broker
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterator

IN, OUT = "numbers", "results"
TASKS = 4
"""As many as the source has partitions: each task has a transaction of its own."""

POINTS = [
    "txn.after_begin=kill9@1",
    "txn.before_commit=kill9@1",
    "txn.after_commit=kill9@1",
    "txn.before_commit=kill9@2",
    "txn.after_commit=kill9@3",
    "txn.after_begin=kill9@4",
    "txn.before_commit=kill9@4",
    "txn.after_commit=kill9@4",
    "offsets.after_log=kill9@1",
    "group.before_commit=kill9@1",
    "commit.before_log=kill9@1",
]
RANDOM_KILLS = 4
ROWS = 1_000_000 if ALL else 300_000
CHOSEN = 3
"""Kills in a run, of all places and random moments."""


class World:
    """A broker of the test's own, and the numbers that were sent so far."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.cluster = Cluster({"bootstrap.servers": broker.address})
        self.sent = 0
        for topic, partitions in ((IN, TASKS), (OUT, 3)):
            self.cluster.create_topic(topic, partitions)

    def send(self, count: int) -> None:
        """Send the next numbers, to every partition as many."""
        span = range(self.sent, self.sent + count)
        messages = (Message(b'{"id": %d}' % n, partition=n % TASKS) for n in span)
        assert produce(self.cluster, IN, messages) == count
        self.sent += count

    def create(self, server: Server, options: str = "") -> str:
        """The tables, and the job between them; its id."""
        given = f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{self.broker.address}'"
        server.sql(
            f"CREATE TABLE numbers (id BIGINT) WITH ({given}, 'topic' = '{IN}', "
            "'format' = 'json', 'scan.startup.mode' = 'earliest-offset', "
            "'properties.group.id' = 'numbers')",
            "flink",
        )
        server.sql(
            f"CREATE TABLE results (k STRING, id BIGINT) WITH ({given}, 'topic' = '{OUT}', "
            "'value.format' = 'json', 'key.format' = 'raw', 'key.fields' = 'k', "
            f"'value.fields-include' = 'EXCEPT_KEY', 'sink.semantic' = 'exactly-once'{options})",
            "flink",
        )
        text = "INSERT INTO results SELECT CAST(MOD(id, 10) AS STRING), id FROM numbers"
        return str(server.sql(text, "flink")[0][0])

    def is_read_up(self) -> bool:
        """Whether the job has written all that was sent."""
        return self.cluster.committed("numbers", [IN]) == self.cluster.latest([IN])

    def read_up(self, within: float = 300) -> None:
        """Wait until the job has written all that was sent."""
        eventually(self.is_read_up, within=within)

    def check(self) -> None:
        """Every number is there once, and no transaction is open."""
        times = bytearray(self.sent)
        for message in committed(self.cluster, OUT):
            times[int(message.value()[6:-1])] += 1  # {"id":…}
        assert times.count(1) == self.sent, (times.count(0), self.sent - times.count(1))
        assert self._ends(IsolationLevel.READ_COMMITTED) == self._ends(
            IsolationLevel.READ_UNCOMMITTED
        )

    def _ends(self, level: IsolationLevel) -> list[int]:
        admin = AdminClient({"bootstrap.servers": self.broker.address})
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        asked = admin.list_offsets(
            {TopicPartition(OUT, partition): latest for partition in range(3)},
            isolation_level=level,
        )
        return [answer.result().offset for answer in asked.values()]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Broker(tmp_path / "broker", java_options=QUICK) as broker:
        made = World(broker)
        yield made
        made.cluster.close()


@pytest.mark.slow
def test_many_rows(tmp_path: Path, world: World) -> None:
    """Kills at places of a transaction and at random, and a broker that restarts."""
    rng, data, job = seeded(), tmp_path / "data", ""
    deeds = [*some(rng, [*POINTS, *["kill"] * RANDOM_KILLS], CHOSEN), "restart"]
    rng.shuffle(deeds)
    each = ROWS // (1 + len(deeds))
    for deed in ["create", *deeds]:
        placed = "=" in deed
        world.send(each if placed else each // 2)
        with Server(data, failpoints=deed if placed else "") as server:
            ready = server.await_ready()
            if deed == "create":
                job = world.create(server)
            if placed:
                assert server.await_end() == -9, deed
                continue
            assert ready
            world.read_up()
            world.send(each - each // 2)
            a_while(rng, 2)
            if deed == "restart":
                world.broker.stop()
                a_while(rng, 5)
                world.broker.start()
                world.read_up()
            rng.choice([server.kill, server.kill_all])()
    with Server(data) as server:
        assert server.await_ready()
        world.read_up()
        (shown,) = eventually(
            lambda: server.sql("SHOW JOBS", "flink"), lambda rows: rows[0][2] == "RUNNING"
        )
        assert shown[0] == job
        assert int(shown[4]) > len(deeds)  # the last batch
        assert server.stop() == 0
    world.check()


@pytest.mark.slow
def test_workers_of_pythons_are_killed(tmp_path: Path, world: World) -> None:
    """A class of Python's chooses the partitions; its workers die again and again."""
    rng, tests = seeded(), Path(__file__).parent.parent
    name = "faults.choosers:ByNumber"
    path = f"{tests}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    arguments = ["--allow-partitioner", name]
    with Server(tmp_path / "data", arguments=arguments, PYTHONPATH=path) as server:
        assert server.await_ready()
        world.create(server, f", 'sink.partitioner' = '{name}'")
        killed = 0
        while killed < (10 if ALL else 5):
            world.send(5_000)
            a_while(rng, 1)
            killed += sum(map(end, workers(server.pid)))
        world.read_up()
        assert server.stop() == 0
    world.check()


def workers(pid: int) -> list[int]:
    """The processes of `pyspark.daemon` that a server's JVM has started, and their children."""
    parents = {}
    for found in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(found.parent.name)] = int(found.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    below, new = {pid}, {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - below
        below |= new
    return [child for child in below if "pyspark.daemon" in command(child)]


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def end(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
