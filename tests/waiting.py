"""The one place where a test waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_SHORTEST, _LONGEST, _AT_MOST = 0.1, 0.5, 3.0
_LOOK = 0.02


def eventually(
    ask: Callable[[], T],
    good: Callable[[T], bool] = bool,
    within: float = 60.0,
    news: Callable[[], object] | None = None,
) -> T:
    """Ask until the answer is good; fail with the last answer when the time is up.

    It waits as long as an answer has taken, so that asking does not slow down what is waited for.
    Where to ask costs much, `news` costs little and changes with what is waited for: it is asked
    seldom then, and soon after news.
    """
    until = time.monotonic() + within
    pause, longest = (_SHORTEST, _LONGEST) if news is None else (_LONGEST, 2 * _LONGEST)
    while True:
        known = news() if news else None
        began = time.monotonic()
        answer = ask()
        took = time.monotonic() - began
        if good(answer):
            return answer
        if time.monotonic() > until:
            raise AssertionError(f"after {within:.0f} s it is still {answer!r:.1000}")
        again = time.monotonic() + max(pause, min(took, _AT_MOST))
        time.sleep(_SHORTEST)
        while time.monotonic() < again and (news is None or news() == known):
            time.sleep(_LOOK)
        pause = min(pause * 1.5, longest)
