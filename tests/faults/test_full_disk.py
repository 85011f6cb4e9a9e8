"""A disk without room: statements say so, system tables are readable, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.server import Server
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

PATIENCE = 300.0


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of its own with so much room."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if subprocess.run(["/bin/mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system takes root")
    try:
        yield folder
    finally:
        subprocess.run(["/bin/umount", "-l", str(folder)], check=True)


def fill(path: Path) -> None:
    """Leave not a single block; what was freed since the last time is taken too."""
    with path.open("ab", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass


@pytest.mark.slow
def test_a_full_disk(tmp_path: Path, broker: Broker, cluster: Cluster, topic: str) -> None:
    def send(start: int) -> None:
        values = (json.dumps({"key": key}).encode() for key in range(start, start + 10))
        produce(cluster, topic, map(Message, values))

    cluster.create_topic(topic, 1)
    send(0)
    with small_disk(tmp_path / "disk", 64) as disk, Server(disk / "data") as server:
        assert server.await_ready()
        server.sql(
            f"CREATE TABLE q (key UInt64) ENGINE = Kafka('{broker.address}', '{topic}', '{topic}', "
            "'JSONEachRow') SETTINGS kafka_flush_interval_ms = 100"
        )
        server.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
        server.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT key FROM q")
        count = "SELECT toUInt32(count()), toUInt32(uniqExact(key)) FROM v"
        eventually(lambda: server.sql(count), lambda rows: rows == [[10, 10]], PATIENCE)

        fill(disk / "filled")
        send(10)
        state = "SELECT state FROM system.kafka_consumers ORDER BY table"
        eventually(
            lambda: server.sql(state), lambda rows: rows == [["WAITING(NO_SPACE)"]], PATIENCE
        )
        assert server.sql("SELECT count() > 1 FROM system.tables GROUP BY database LIMIT 1")
        assert server.sql("SELECT name, engine FROM system.tables WHERE database = 'default'")
        for refused in (
            "CREATE TABLE w (" + ", ".join(f"c{n} UInt64" for n in range(2000)) + ") "
            "ENGINE = MergeTree ORDER BY tuple()",
            "INSERT INTO v VALUES (100)",
            "INSERT INTO v SELECT number FROM numbers(1000)",
        ):
            fill(disk / "filled")
            with pytest.raises(AssertionError, match="NO_SPACE"):
                server.sql(refused)

        (disk / "filled").unlink()
        eventually(lambda: server.sql(count), lambda rows: rows == [[20, 20]], PATIENCE)
        eventually(lambda: server.sql(state), lambda rows: rows == [["RUNNING"]], PATIENCE)
        server.sql("INSERT INTO v VALUES (100)")
        assert server.sql(count) == [[21, 21]]
        assert server.stop() == 0
