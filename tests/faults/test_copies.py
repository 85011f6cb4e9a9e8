"""Two servers that believe that the same data is theirs: one of them has to stop."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from quick import QUICK
from waiting import eventually

from faults.server import Server
from faults.test_exactly_once import IN, World
from faults.test_restart import arrive, create, send
from sluice.broker import Broker
from sluice.catalog import Catalog

if TYPE_CHECKING:
    from sluice.kafka.cluster import Cluster


def process_state(pid: int) -> str:
    """As the operating system has it: T is suspended, an empty text is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


def state(server: Server) -> str:
    """That of the only job."""
    ((_, _, found, *_),) = server.sql("SHOW JOBS", "flink")
    return str(found)


@pytest.mark.slow
def test_a_suspended_jvm(tmp_path: Path, broker: Broker, cluster: Cluster, topic: str) -> None:
    """A JVM that is suspended before a commit keeps its folder, and comes too late with it."""
    cluster.create_topic(topic, 1)
    data = tmp_path / "data"
    with Server(data, failpoints="delta.before_commit=stop@1") as server:
        assert server.await_ready()
        jvm = int((data / "jvm.lock").read_text())
        create(server, broker.address, topic)
        send(cluster, topic, 0, 200)
        eventually(lambda: process_state(jvm), lambda state: state == "T", 120)
        server.abandon()
    try:
        with Server(data) as second:
            log = data / "logs" / "sluice.log"
            eventually(lambda: f"{jvm}, an earlier JVM: waiting" in log.read_text(), within=120)
            assert not second.ends(1)
            assert process_state(jvm) == "T"
            second.kill_all()
        (data / "jvm.lock").unlink()  # as if it were not held
        with Server(data) as third:
            assert third.await_ready()
            arrive(third, 200)
            os.kill(jvm, signal.SIGCONT)
            send(cluster, topic, 200, 50)
            arrive(third, 250)
            eventually(lambda: process_state(jvm), lambda state: state in ("", "Z"), 120)
            arrive(third, 250)
            assert third.stop() == 0
    finally:
        if process_state(jvm):
            os.kill(jvm, signal.SIGKILL)


STOPPED = {
    "FAILED(DATA_FOLDER_COPIED)",
    "FAILED(SINK_IS_AHEAD)",
    "FAILED(BATCH_RANGES_DIFFER)",
}
"""What the job of one of two servers says that met in a sink."""


@pytest.mark.slow
def test_a_folder_and_its_copy(tmp_path: Path) -> None:
    """A copy does not start unasked. Said to be the only one, at most one of the two goes on.

    Where they meet in the middle of a batch both stop: one is shut out, the other one finds a part
    of the batch with other messages. The first of the two has them in its offset log, and goes on
    once it is said to be the only one.
    """
    data, copy = tmp_path / "data", tmp_path / "copy"
    with Broker(tmp_path / "broker", java_options=QUICK) as broker:
        world = World(broker)
        with Server(data) as server:
            assert server.await_ready()
            world.create(server)
            world.send(400)
            world.read_up()
            assert server.stop() == 0
        shutil.copytree(data, copy)
        with Server(data) as original:
            assert original.await_ready()
            with Server(copy) as refused:
                assert not refused.await_ready()
                assert "copy" in refused.said
            with Server(copy, arguments=["--moved"]) as moved:
                assert moved.await_ready()

                def both() -> tuple[str, str]:
                    return state(original), state(moved)

                def met() -> bool:
                    """Whether one has stopped, after some messages more."""
                    world.send(40)
                    return bool(STOPPED.intersection(both()))

                eventually(met, within=300)
                world.send(400)
                eventually(lambda: world.is_read_up() or STOPPED.issuperset(both()), within=300)
                states = both()
                assert STOPPED.union(["RUNNING"]).issuperset(states)
                if "RUNNING" in states:
                    world.check()
                assert moved.stop() == 0
            assert original.stop() == 0
        if "RUNNING" not in states:
            keeps = copy if states[0] == "FAILED(BATCH_RANGES_DIFFER)" else data
            with Server(keeps, arguments=["--moved"]) as alone:
                assert alone.await_ready()
                world.read_up()
                world.check()
                assert alone.stop() == 0
        with Server(copy, arguments=["--new-instance"]) as apart:
            assert apart.await_ready()
            before = world.cluster.committed("numbers", [IN])
            world.send(40)
            group, ends = f"numbers-{Catalog.in_folder(copy).id[:8]}", world.cluster.latest([IN])
            committed = lambda: world.cluster.committed(group, [IN])  # noqa: E731
            eventually(committed, lambda at: at == ends, 300)
            assert world.cluster.committed("numbers", [IN]) == before
            assert apart.stop() == 0
