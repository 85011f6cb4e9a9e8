"""Processes that stand behind this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sluice.engine.priorities import lower

THREADS = """
import threading
stop = threading.Event()
for _ in range(5):
    threading.Thread(target=stop.wait, daemon=True).start()
print("ready", flush=True)
input()
"""


def test_all_threads_of_a_process_are_lowered() -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    with subprocess.Popen(
        [sys.executable, "-c", THREADS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        lower(process.pid, 3)
        threads = [int(each.name) for each in Path(f"/proc/{process.pid}/task").iterdir()]
        assert len(threads) == 6
        assert {os.getpriority(os.PRIO_PROCESS, each) for each in threads} == {min(own + 3, 19)}
        process.communicate(b"\n")
    lower(process.pid, 3)  # it has ended
    assert os.getpriority(os.PRIO_PROCESS, 0) == own
