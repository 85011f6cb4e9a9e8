"""How fast a pipeline reads, how fast its topics grow, and when it will have caught up."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

WINDOW = 60.0
"""Seconds that a rate is taken over."""


@dataclass(frozen=True, slots=True)
class _Sample:
    at: float
    read: int
    lag: int


@dataclass(slots=True)
class Rates:
    """Samples of the last minute: messages read since the start, and those still to read."""

    _samples: deque[_Sample] = field(default_factory=lambda: deque(maxlen=600))

    def note(self, read: int, lag: int, at: float | None = None) -> None:
        """Take a sample."""
        now = time.monotonic() if at is None else at
        self._samples.append(_Sample(now, read, lag))
        while self._samples[0].at < now - WINDOW:
            self._samples.popleft()

    def _recent(self, now: float) -> list[_Sample]:
        return [sample for sample in list(self._samples) if sample.at >= now - WINDOW]

    def per_second(self, at: float | None = None) -> float:
        """Messages read in a second, over the window."""
        now = time.monotonic() if at is None else at
        recent = self._recent(now)
        if len(recent) < 2 or now <= recent[0].at:
            return 0.0
        return (recent[-1].read - recent[0].read) / (now - recent[0].at)

    def catch_up(self, at: float | None = None) -> float | None:
        """Seconds until nothing is left to read; None when it does not come nearer."""
        recent = self._recent(time.monotonic() if at is None else at)
        if not recent:
            return None
        if recent[-1].lag == 0:
            return 0.0
        shrunk, passed = recent[0].lag - recent[-1].lag, recent[-1].at - recent[0].at
        return recent[-1].lag * passed / shrunk if shrunk > 0 and passed > 0 else None
