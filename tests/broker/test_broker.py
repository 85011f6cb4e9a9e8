from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from confluent_kafka.admin import AdminClient, ConfigResource  # type: ignore[attr-defined]
from quick import QUICK

from sluice.broker import Broker, settings, tether
from sluice.errors import SluiceError, Transient
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from pathlib import Path


def _gone(pid: int, seconds: float = 10) -> bool:
    """Whether the process is gone, or is by then."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
def test_data_survives_a_kill_and_a_stop(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Broker(tmp_path / "data", java_options=QUICK) as broker:
        address, properties = broker.address, {"bootstrap.servers": broker.address}
        cluster, impatient = Cluster(properties, deadline=15), Cluster(properties, deadline=1)
        cluster.create_topic("t", 1)
        before = cluster.topics(["t"])
        produce(cluster, "t", [Message(b"1"), Message(b"2")])
        cluster.commit("g", {"t": {0: 2}})
        broker.kill()
        assert not broker.running
        with pytest.raises(Transient, match="Connection refused"):
            impatient.commit("g", {"t": {0: 2}})  # may still arrive: its outcome is unknown
        broker.start()
        assert broker.address == address
        assert cluster.latest(["t"]) == {"t": {0: 2}}
        assert cluster.topics(["t"]) == before
        assert cluster.committed("g", ["t"]) == {"t": {0: 2}}
        cluster.commit("g", {"t": {0: 1}})
        assert cluster.committed("g", ["t"]) == {"t": {0: 1}}
        pid = broker.pid
        broker.start()  # runs already
        assert broker.pid == pid
        cluster.close()
    assert broker.pid is None
    assert "shut down" in (broker.logs / "broker.log").read_text()
    assert capfd.readouterr() == ("", "")
    broker.stop()  # stopped already


def test_it_listens_on_this_machine_only(broker: Broker) -> None:
    host, port = broker.address.split(":")
    assert host == "127.0.0.1"
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", int(port)), timeout=1)


def test_messages_stay_however_old_their_time_is(broker: Broker) -> None:
    """By default the broker would delete what has a time of a week ago, such as events in tests."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    resource = ConfigResource(ConfigResource.Type.BROKER, "1")
    found = admin.describe_configs([resource])[resource].result(10)
    assert found["log.retention.ms"].value == "-1"


def test_a_port_in_use_is_reported(tmp_path: Path, broker: Broker) -> None:
    port = int(broker.address.rpartition(":")[2])
    with pytest.raises(SluiceError, match=f"port {port} is in use"):
        Broker(tmp_path, port).start()


def test_a_folder_that_cannot_be_used_is_reported(tmp_path: Path) -> None:
    storage = tmp_path / "kafka"
    storage.mkdir()
    (storage / "meta.properties").write_text("version=1\nnode.id=7\ncluster.id=x\n")
    broker = Broker(tmp_path)
    with pytest.raises(SluiceError) as caught:
        broker.start()
    assert caught.value.condition.name == "BROKER_NOT_STARTED"
    assert "node" in caught.value.message
    assert str(broker.logs) in caught.value.message
    assert broker.pid is None


def test_a_folder_named_in_any_way(tmp_path: Path) -> None:
    text = settings.properties(tmp_path / "a b\\c=#дом🚀", 1, 2)
    assert text.isascii()
    assert r"/a b\\c=#\u0434\u043e\u043c\ud83d\ude80" in text
    with pytest.raises(SluiceError, match="comma"):
        Broker(tmp_path / "a,b").start()


def test_free_ports_differ_and_are_low() -> None:
    one = settings.free_port()
    assert settings.free_port(one) != one
    assert 20_000 <= one < 30_000


CHILD = """
import sys, os, signal, threading
from pathlib import Path
from sluice.broker.tether import tethered
started = []
thread = threading.Thread(target=lambda: started.append(
    tethered(["sleep", "60"], Path(sys.argv[1]))))
thread.start()
thread.join()
print(started[0].pid, started[0].poll(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_tethered_process_ends_with_its_parent(tmp_path: Path) -> None:
    """Also when the thread that started it ended long before, and the parent is killed."""
    run = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    pid, state = run.stdout.split()
    assert run.returncode == -signal.SIGKILL
    assert state == "None"
    assert _gone(int(pid))


def test_release_ends_the_process_and_its_watcher(tmp_path: Path) -> None:
    process = tether.tethered(["sleep", "60"], tmp_path / "out")
    tether.release(process)
    assert process.returncode == -signal.SIGKILL
    assert _gone(-process.pid)  # the whole group


def test_a_tethered_process_may_end_by_itself(tmp_path: Path) -> None:
    process = tether.tethered(["sh", "-c", "echo said; exit 3"], tmp_path / "out")
    assert process.wait(10) == 3
    tether.release(process)
    assert (tmp_path / "out").read_text() == "said\n"
