"""What processors do first: short statements, then ingestion, then statements that take long."""

from __future__ import annotations

import os
from contextlib import suppress

_NICEST = 19


def lower(pid: int, by: int) -> None:
    """Let a process that this one has started be nicer than this one.

    A thread is as nice as the one that has started it, so that all that it has are changed, until
    there are no others.
    """
    niceness = min(os.getpriority(os.PRIO_PROCESS, 0) + by, _NICEST)
    lowered: set[str] = set()
    with suppress(FileNotFoundError):  # it has ended
        while new := {*os.listdir(f"/proc/{pid}/task")} - lowered:  # noqa: PTH208 - names
            for thread in new:
                with suppress(ProcessLookupError, PermissionError):
                    os.setpriority(os.PRIO_PROCESS, int(thread), niceness)
            lowered |= new
