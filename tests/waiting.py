"""The one place where a test waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_SHORTEST, _LONGEST = 0.1, 1.0


def eventually(ask: Callable[[], T], good: Callable[[T], bool] = bool, within: float = 60.0) -> T:
    """Ask until the answer is good; fail with the last answer when the time is up."""
    until, pause = time.monotonic() + within, _SHORTEST
    while True:
        answer = ask()
        if good(answer):
            return answer
        if time.monotonic() > until:
            raise AssertionError(f"after {within:.0f} s it is still {answer!r:.1000}")
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST)
