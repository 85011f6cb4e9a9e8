"""Spark's JVM dies alone: the process that started it says so and ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from faults.server import Server
from faults.test_restart import arrive, create, send
from sluice.engine.spark.jvm import EXIT_STATUS

if TYPE_CHECKING:
    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

SCRIPT = """
import os, signal, sys
import sluice
from faults.test_jvm import jvm_of
from sluice.errors import SluiceError
session = sluice.connect(data=sys.argv[1])
session.execute("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
session.execute("INSERT INTO t VALUES (1)")
os.kill(jvm_of(os.getpid()), signal.SIGKILL)
for statement in ("INSERT INTO t VALUES (2)", "SHOW TABLES"):
    try:
        session.execute(statement)
    except SluiceError as lost:
        print(lost.condition.name, "SIGKILL" in lost.text())
session.close()
with sluice.connect(data=sys.argv[1]) as session:
    print(session.execute("SELECT a FROM t").fetchall())
"""


def jvm_of(pid: int) -> int:
    """The Java process that a process has started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    (jvm,) = (c for c in children if Path(f"/proc/{c}/comm").read_text() == "java\n")
    return jvm


def ping(url: str, path: str = "ping") -> str:
    """What it answers, or that it does not."""
    try:
        with urllib.request.urlopen(f"{url}/{path}", timeout=10) as answer:  # noqa: S310
            return str(answer.read().decode())
    except urllib.error.HTTPError as refused:
        with refused:
            return f"{refused.code} {refused.read().decode()}"
    except OSError:
        return "nothing listens"


@pytest.mark.slow
def test_a_server_whose_jvm_is_killed(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """It is unhealthy at once, exits with a status of its own, and the next one resumes."""
    cluster.create_topic(topic, 2)
    lineage = tmp_path / "lineage"
    watched = ["--openlineage", str(lineage), "--log-format", "json"]
    with Server(tmp_path / "data", arguments=watched) as server:
        assert server.await_ready()
        create(server, broker.address, topic)
        send(cluster, topic, 0, 200)
        arrive(server, 200)
        send(cluster, topic, 200, 200)
        assert ping(server.url) == "Ok.\n"
        assert '"status":"ok"' in ping(server.url, "health/ready")
        os.kill(jvm_of(server.pid), signal.SIGKILL)
        said = eventually(lambda: ping(server.url), lambda text: text != "Ok.\n", 10)
        assert "(SPARK_LOST)" in said or said == "nothing listens"
        assert server.await_end(15) == EXIT_STATUS
        assert "killed by SIGKILL" in server.rest
    log = (tmp_path / "data" / "logs" / "sluice.log").read_text("utf-8")
    assert all("time" in json.loads(line) for line in log.splitlines())
    with Server(tmp_path / "data", arguments=watched) as server:
        assert server.await_ready()
        arrive(server, 400)
        for target in ("v1", "v2"):
            counted = f"SELECT toUInt32(count()), toUInt32(uniqExact(key)) FROM {target}"
            assert server.sql(counted) == [[400, 400]]
        assert server.stop() == 0
    events = [json.loads(line) for line in lineage.read_text("utf-8").splitlines()]
    assert [events[n]["eventType"] for n in (0, -1)] == ["START", "ABORT"]
    assert {each["name"] for each in events[-1]["inputs"]} == {topic}
    assert len(events[-1]["outputs"]) == 2


@pytest.mark.slow
def test_a_session_whose_jvm_is_killed(tmp_path: Path) -> None:
    """Its statements are refused with the reason; closed, it can be opened again."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "data")],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    wanted = ["SPARK_LOST True", "SPARK_LOST True", "[(1,)]"]
    assert done.stdout.splitlines() == wanted, done.stderr
