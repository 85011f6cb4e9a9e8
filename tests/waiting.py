"""The one place where a test waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_PAUSE = 0.1


def eventually(ask: Callable[[], T], good: Callable[[T], bool] = bool, within: float = 60.0) -> T:
    """Ask until the answer is good; fail with the last answer when the time is up."""
    until = time.monotonic() + within
    while True:
        answer = ask()
        if good(answer):
            return answer
        if time.monotonic() > until:
            raise AssertionError(f"after {within:.0f} s it is still {answer!r:.1000}")
        time.sleep(_PAUSE)
