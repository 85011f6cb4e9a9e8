"""What the watch over Spark's JVM takes for its end; a process and a context stand in for them."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from waiting import eventually

from sluice.engine.spark import jvm
from sluice.engine.spark.jvm import Watch
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    monkeypatch.setattr(jvm, "_INTERVAL_S", 0.02)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as made:
        yield made
        made.kill()


def watched(process: subprocess.Popen[bytes], stopped: list[bool]) -> Watch:
    def is_stopped() -> bool:
        if process.poll() is not None:
            raise Py4JNetworkError("gone")
        return stopped[-1]

    context = SimpleNamespace(isStopped=is_stopped)
    spark: Any = SimpleNamespace(
        sparkContext=SimpleNamespace(
            _gateway=SimpleNamespace(proc=process), _jsc=SimpleNamespace(sc=lambda: context)
        )
    )
    return Watch(spark)


def test_a_killed_jvm(process: subprocess.Popen[bytes]) -> None:
    made = watched(process, [False])
    assert made.lost() is None
    assert made.lost_with(ValueError("a statement's own")) is None
    first, second = ValueError("raised during the second"), ValueError("raised from the first")
    first.__context__, second.__cause__ = second, first
    assert made.lost_with(second) is None
    process.kill()
    broken = RuntimeError()
    broken.__cause__ = Py4JError("no answer")
    lost = made.lost_with(broken)
    assert isinstance(lost, SluiceError)
    assert lost.condition.name == "SPARK_LOST"
    assert f"process {process.pid}) has exited, killed by SIGKILL" in lost.text()
    assert made.lost() is lost


def test_spark_that_stops_by_itself(process: subprocess.Popen[bytes]) -> None:
    stopped = [False]
    made = watched(process, stopped)
    stopped.append(True)
    found = eventually(made.lost, lambda lost: lost is not None, 10)
    assert "Spark has stopped" in str(found)
    made.close()


def test_one_that_is_closed_may_end(process: subprocess.Popen[bytes]) -> None:
    made = watched(process, [False])
    made.close()
    process.kill()
    process.wait()
    assert made.lost() is None
