"""Tables and checkpoints in an object store: S3's protocol, spoken by a server of this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.server import PATIENCE, Server
from sluice.jars.resolve import fetched
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

ROWS = 1_000
SECRET = "canary-of-the-store"  # noqa: S105 - it is to be found nowhere


class Bucket:
    """A bucket of a server that speaks S3; what is in it is gone with the server."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/lake"
        self._ask("PUT", self.url)

    def names(self, prefix: str) -> list[str]:
        """The names of objects that begin so."""
        from xml.etree import ElementTree

        text = self._ask("GET", f"{self.url}?list-type=2&prefix={prefix}")
        every = ElementTree.fromstring(text).iter()  # noqa: S314 - our own server's
        return [each.text or "" for each in every if each.tag.rpartition("}")[2] == "Key"]

    def _ask(self, method: str, url: str) -> str:
        # The server takes whoever comes; it looks in the header for the service that is meant.
        scope = "Credential=k/20200101/us-east-1/s3/aws4_request"
        header = f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0"
        request = urllib.request.Request(url, method=method, headers={"Authorization": header})  # noqa: S310
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            return str(answer.read().decode())


@pytest.fixture
def bucket(tmp_path: Path) -> Iterator[Bucket]:
    if importlib.util.find_spec("moto") is None:
        pytest.skip("moto is not installed")
    said = tmp_path / "s3.log"
    with said.open("w") as log:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        line = eventually(
            lambda: [s for s in said.read_text().splitlines() if "Running on http://" in s],
        )[0]
        yield Bucket(line.rpartition("Running on ")[2].strip())
    finally:
        server.kill()
        server.wait()


LOGIN = {
    "spark.hadoop.fs.s3a.access.key": "k",
    "spark.hadoop.fs.s3a.secret.key": SECRET,
}


def arguments(bucket: Bucket, **more: str) -> list[str]:
    """What an operator says of a store."""
    settings = {
        "spark.jars": ",".join(map(str, fetched(Path(__file__).with_name("s3.ivy.xml")))),
        "spark.hadoop.fs.s3a.endpoint": bucket.url.rpartition("/")[0],
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.sql.shuffle.partitions": "2",  # each of a job has files of its own in every batch
        **more,
    }
    found = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    return ["--master", "local[2]", *found]


def send(cluster: Cluster, topic: str, start: int, count: int) -> None:
    keys = range(start, start + count)
    produce(cluster, topic, (Message(json.dumps({"key": k}).encode()) for k in keys))


def create(server: Server, address: str, topic: str) -> None:
    """A view over a Kafka table, and a job that counts in a table with a key."""
    server.sql(
        f"CREATE TABLE q (key UInt64) ENGINE = Kafka('{address}', '{topic}', '{topic}', "
        "'JSONEachRow') SETTINGS kafka_max_block_size = 300, kafka_flush_interval_ms = 100"
    )
    server.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    server.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT key FROM q")
    flink(
        server,
        f"CREATE TABLE s (key BIGINT) WITH ('connector' = 'kafka', 'topic' = '{topic}', "
        f"'properties.bootstrap.servers' = '{address}', 'format' = 'json', "
        "'scan.startup.mode' = 'earliest-offset')",
    )
    flink(server, "CREATE TABLE c (k BIGINT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED)")
    flink(
        server,
        "CREATE TABLE p (k BIGINT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) "
        "WITH ('connector' = 'delta', 'path' = 'shared/p')",
    )
    for table in "cp":
        flink(
            server, f"INSERT INTO {table} SELECT MOD(key, 5), COUNT(*) FROM s GROUP BY MOD(key, 5)"
        )


def flink(server: Server, text: str) -> list[object]:
    return server.sql(text, dialect="flink")


def arrive(server: Server, count: int) -> None:
    """Wait until the view and the jobs have all rows, each once."""
    wanted = [[k, count // 5] for k in range(5)]
    for table in "cp":
        eventually(
            lambda: flink(server, f"SELECT k, n FROM {table} ORDER BY k"),  # noqa: B023
            lambda found: found == wanted,
            PATIENCE,
        )
    eventually(
        lambda: server.sql("SELECT count(), uniqExact(key) FROM v"),
        lambda found: found == [[count, count]],
        PATIENCE,
    )


@pytest.mark.slow
def test_exactly_once_in_an_object_store(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str, bucket: Bucket
) -> None:
    """A view, and jobs with state, through two `kill -9`; nothing of theirs is on this machine."""
    cluster.create_topic(topic, 2)
    data, more = tmp_path / "data", arguments(bucket, **LOGIN)
    send(cluster, topic, 0, ROWS)
    with Server(data, arguments=[*more, "--store", "s3a://lake/w"]) as server:
        assert server.await_ready(), server.said
        create(server, broker.address, topic)
        eventually(lambda: server.sql("SELECT count() FROM v")[0][0], within=PATIENCE)
        server.kill_all()
    send(cluster, topic, ROWS, ROWS)
    login = Server(
        data, arguments=arguments(bucket), AWS_ACCESS_KEY_ID="k", AWS_SECRET_ACCESS_KEY=SECRET
    )
    with login as server:  # the store is remembered
        assert server.await_ready(), server.said
        eventually(lambda: server.sql("SELECT count() FROM v")[0][0] > ROWS, within=PATIENCE)
        server.kill()
    with Server(data, arguments=more) as server:
        assert server.await_ready(), server.said
        arrive(server, 2 * ROWS)
        look(server, bucket)
        assert SECRET not in commands()
        server.sql("DROP TABLE m")
        server.sql("DROP TABLE v")
        server.sql("DROP TABLE q")
        assert server.stop() == 0
    assert not [each for folder in ("tables", "checkpoints") for each in (data / folder).iterdir()]
    logs = [path.read_text() for path in (data / "logs").iterdir()]
    assert all(SECRET not in text for text in logs)
    other = Server(tmp_path / "other", arguments=[*more, "--store", "s3a://lake/w"])
    with other:
        assert not other.await_ready()
        assert "another catalog" in other.said
        assert other.await_end() != 0


def look(server: Server, bucket: Bucket) -> None:
    """What is asked about tables is answered from the store, and DROP empties it."""
    rows = server.sql("SELECT total_rows, total_bytes > 0 FROM system.tables WHERE name = 'v'")
    assert rows == [[2 * ROWS, 1]]
    assert server.sql("SELECT count() > 0 FROM system.ledger") == [[1]]
    (uuid,) = server.sql("SELECT uuid FROM system.tables WHERE name = 'v'")[0]
    (kafka,) = server.sql("SELECT uuid FROM system.tables WHERE name = 'q'")[0]
    assert bucket.names(f"w/tables/{uuid}/_delta_log/")
    assert bucket.names("w/shared/p/_delta_log/")
    assert bucket.names(f"w/checkpoints/{kafka}/1/offsets/")
    server.sql("CREATE TABLE gone (key UInt64) ENGINE = MergeTree ORDER BY key")
    server.sql("INSERT INTO gone VALUES (1)")
    (gone,) = server.sql("SELECT uuid FROM system.tables WHERE name = 'gone'")[0]
    assert bucket.names(f"w/tables/{gone}/")
    server.sql("DROP TABLE gone")
    assert not bucket.names(f"w/tables/{gone}/")
    answers = [
        server.sql(f"SELECT * FROM system.{name}")
        for name in ("settings", "tables", "query_log", "kafka_consumers")
    ]
    assert SECRET not in json.dumps(answers)


def commands() -> str:
    """How the JVMs of this machine were called, as everybody may see it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        try:
            text = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        found += [text] if "SparkSubmit" in text else []
    assert found
    return "\n".join(found)
