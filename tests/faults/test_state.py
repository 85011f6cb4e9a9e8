"""Queries with state that are killed, or changed, in the middle of a batch."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from faults.chance import seeded, some
from faults.server import Server
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

PATIENCE = 300.0
ONCE = "'sink.semantic' = 'exactly-once', 'properties.isolation.level' = 'read_committed'"
RECOVERY = "execution.state-recovery.path"
UNCLAIMED = "execution.state-recovery.ignore-unclaimed-state"


def flink(server: Server, text: str, **settings: str) -> list[Any]:
    return server.sql(text, "flink", settings)


def table(server: Server, name: str, columns: str, address: str, topic: str, more: str) -> None:
    flink(
        server,
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}', "
        f"'properties.bootstrap.servers' = '{address}', 'scan.startup.mode' = 'earliest-offset', "
        f"{more})",
    )


def texts(numbers: Iterable[int], before: str = "") -> list[str]:
    return sorted(f"{before}{n}" for n in numbers)


class Changed:
    """Different texts of a topic, into another one; a view between them changes."""

    def __init__(self, cluster: Cluster, address: str, topic: str) -> None:
        self.cluster, self.address, self.topic, self.out = cluster, address, topic, f"{topic}-out"
        cluster.create_topic(topic, 1)
        cluster.create_topic(self.out, 1)

    def create(self, server: Server) -> None:
        table(server, "s", "p STRING", self.address, self.topic, "'format' = 'raw'")
        once = f"{ONCE}, 'sink.parallelism' = '4'"  # or one task would write these few rows
        table(server, "o", "p STRING", self.address, self.out, f"'format' = 'raw', {once}")
        flink(server, "CREATE VIEW v AS SELECT p FROM s")

    def start(self, server: Server, **settings: str) -> str:
        return str(flink(server, "INSERT INTO o SELECT DISTINCT p FROM v", **settings)[0][0])

    def view(self, server: Server, column: str) -> None:
        flink(server, f"ALTER VIEW v AS SELECT {column} FROM s")

    def send(self, numbers: Iterable[int]) -> None:
        produce(self.cluster, self.topic, (Message(str(n).encode()) for n in numbers))

    def written(self, server: Server) -> list[str]:
        return sorted(row[0] for row in flink(server, "SELECT p FROM o"))

    def refused(self, server: Server, job: str) -> None:
        """The job does not run, and says why; it can be stopped."""
        row = eventually(
            lambda: flink(server, f"DESCRIBE JOB '{job}'")[0],
            lambda row: row[2].startswith("FAILED"),
            PATIENCE,
        )
        assert row[2] == "FAILED(JOB_BATCH_PARTIALLY_WRITTEN)"
        for said in ("partially written to default.o", "STOP JOB", RECOVERY, UNCLAIMED):
            assert said in row[6]
        assert flink(server, f"STOP JOB '{job}' WITH SAVEPOINT") == [[job]]


@pytest.mark.slow
def test_changed_while_half_written(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """It is refused until the old query has finished the batch, or the repetition is accepted."""
    changed, data = Changed(cluster, broker.address, topic), tmp_path / "data"
    with Server(data, failpoints="txn.after_commit=kill9@2") as server:
        assert server.await_ready()
        changed.create(server)
        job = changed.start(server)
        changed.view(server, "'+' || p AS p")  # for the next start
        changed.send(range(100))
        assert server.await_end() == -9
    with Server(data) as server:
        assert server.await_ready()
        changed.refused(server, job)
        half = changed.written(server)
        assert set(half) < set(texts(range(100)))
        assert half
        changed.view(server, "p")
        job = changed.start(server, **{RECOVERY: job})
        changed.send([1, 100])
        wanted = texts(range(101))
        eventually(lambda: changed.written(server), lambda found: found == wanted, PATIENCE)
        assert server.stop() == 0
    with Server(data, failpoints="txn.after_commit=kill9@2") as server:
        assert server.await_ready()
        changed.view(server, "'+' || p AS p")
        changed.send(range(200, 300))
        assert server.await_end() == -9
    with Server(data) as server:
        assert server.await_ready()
        changed.refused(server, job)
        half = changed.written(server)
        assert set(wanted) < set(half) < set(texts(range(300)))
        changed.start(server, **{RECOVERY: job, UNCLAIMED: "true"})
        wanted = sorted([*half, *texts(range(200, 300), "+")])
        eventually(lambda: changed.written(server), lambda found: found == wanted, PATIENCE)
        assert server.stop() == 0


POINTS = [
    "delta.after_commit=kill9@3",
    "txn.before_commit=kill9@3",
    "txn.after_commit=kill9@2",
    "commit.before_log=kill9@2",
]
KEYS, SPAN = 5, 20
"""A window has so many messages, of each key as many."""


def moment(n: int) -> str:
    seconds = n // 10
    return f"2026-01-01 {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def timed(numbers: Iterable[int]) -> list[Message]:
    return [Message(f'{{"n": {n}, "ts": "{moment(n)}"}}'.encode()) for n in numbers]


def create_windows(server: Server, address: str, topic: str) -> None:
    """Counts of windows of two seconds, by key, into a stored table and into a topic."""
    flink(server, "CREATE TABLE w (start STRING, k BIGINT, c BIGINT, total BIGINT)")
    columns = "n BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND"
    table(server, "s", columns, address, topic, "'format' = 'json'")
    columns = "start STRING, k BIGINT, c BIGINT, total BIGINT"
    table(server, "o", columns, address, f"{topic}-out", f"'format' = 'json', {ONCE}")
    for into in ("w", "o"):
        flink(
            server,
            f"INSERT INTO {into} SELECT DATE_FORMAT(window_start, 'yyyy-MM-dd HH:mm:ss'), "
            f"MOD(n, {KEYS}), COUNT(*), SUM(n) "
            "FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '2' SECONDS)) "
            f"GROUP BY window_start, window_end, MOD(n, {KEYS})",
        )


@pytest.mark.slow
def test_windows_survive_kills(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """Killed in the middle of batches, each window is there once, and with all its messages."""
    cluster.create_topic(topic, 1)
    cluster.create_topic(f"{topic}-out", 2)
    sent = 0
    for number, point in enumerate(some(seeded(), POINTS, 2)):
        with Server(tmp_path / "data", failpoints=point) as server:
            if server.await_ready() and number == 0:
                create_windows(server, broker.address, topic)
            while not server.ends(within=1.0):
                produce(cluster, topic, timed(range(sent, sent + 50)))
                sent += 50
            assert server.await_end() == -9, point
    wanted = Counter(
        (moment(first), str(k), str(len(ns)), str(sum(ns)))
        for first in range(0, sent, SPAN)
        for k in range(KEYS)
        for ns in [range(first + k, min(first + SPAN, sent), KEYS)]
        if ns
    )
    with Server(tmp_path / "data") as server:
        assert server.await_ready()
        produce(cluster, topic, timed([sent + 10_000]))  # the watermark passes all that was sent
        for into in ("w", "o"):
            found = eventually(
                lambda: flink(server, f"SELECT start, k, c, total FROM {into}"),  # noqa: B023
                lambda rows: len(rows) >= wanted.total(),
                PATIENCE,
            )
            assert Counter(tuple(map(str, row)) for row in found) == wanted
        assert [row[2] for row in flink(server, "SHOW JOBS")] == ["RUNNING", "RUNNING"]
        assert server.stop() == 0
