"""Executors that are processes of their own, and one of them killed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from topics import committed
from waiting import eventually

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab

ROWS = 60_000


@pytest.mark.cluster
def test_a_killed_executor_loses_and_doubles_nothing(
    flink: FlinkLab, request: pytest.FixtureRequest
) -> None:
    """While rows are on their way, into a topic exactly once and into a stored table."""
    if not request.config.getoption("--master").startswith("local-cluster"):
        pytest.skip("executors are no processes of their own")
    flink.make_topic("cl-in", partitions=3)
    flink.make_topic("cl-out", partitions=2)
    flink.table("cl_in", "id INT", "cl-in")
    flink.table("cl_out", "id INT", "cl-out", sink__semantic="exactly-once")
    flink.sql("CREATE TABLE cl_stored (id INT)")
    flink.start(
        "EXECUTE STATEMENT SET BEGIN INSERT INTO cl_out SELECT id FROM cl_in; "
        "INSERT INTO cl_stored SELECT id FROM cl_in; END"
    )
    third = ROWS // 3
    for n in range(3):
        flink.produce("cl-in", *({"id": each} for each in range(n * third, (n + 1) * third)))
        victim = executors()[0]
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: set(executors()) - {victim}, lambda found: len(found) == 2)  # noqa: B023
    flink.arrives("SELECT COUNT(*), COUNT(DISTINCT id) FROM cl_stored", [(ROWS, ROWS)])

    def written() -> list[int]:
        return sorted(json.loads(each.value())["id"] for each in committed(flink.cluster, "cl-out"))

    eventually(written, lambda ids: ids == list(range(ROWS)))


def executors() -> list[int]:
    """The executors that this process's JVM has started."""
    jvms = _children(os.getpid())
    nested = [each for jvm in jvms for each in (jvm, *_children(jvm))]
    found = [each for jvm in nested for each in _children(jvm)]
    return sorted({pid for pid in found if b"CoarseGrainedExecutorBackend" in _command(pid)})


def _children(parent: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            found += [int(pid) for pid in task.read_text().split()]
        except OSError:
            continue
    return found


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
