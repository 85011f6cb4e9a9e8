"""Places on the path of a batch where a test can make the process die.

`SLUICE_FAILPOINTS="delta.after_commit=kill9@3"` kills at the third time the point is passed.
Nothing happens unless the environment asks for it when the process starts.
"""

from __future__ import annotations

import os
import signal
import threading

_lock = threading.Lock()


def _armed() -> dict[str, int]:
    rules = filter(None, os.environ.get("SLUICE_FAILPOINTS", "").split(","))
    points = {}
    for rule in rules:
        name, _, action = rule.partition("=")
        kind, _, count = action.partition("@")
        if kind == "stop":  # a point of the JVM's, which is suspended there
            continue
        if kind != "kill9":
            message = f"SLUICE_FAILPOINTS: unknown action {action!r} for {name}"
            raise ValueError(message)
        points[name] = int(count or 1)
    return points


_left = _armed()


def hit(name: str) -> None:
    """Pass a point."""
    if name not in _left:
        return
    with _lock:
        _left[name] -= 1
        if _left[name] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
