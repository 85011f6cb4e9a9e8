"""What a process has done since it started: counters, durations, and errors by condition."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.errors import Condition, SluiceError

MESSAGES, COMMITS, FAULTS = "KafkaMessagesRead", "KafkaCommits", "KafkaConsumerErrors"


BATCHES_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Limits of the buckets for durations of batches."""


class Histogram:
    """How many values were at most as large as each limit; every thread may observe."""

    def __init__(self, limits: Sequence[float]) -> None:
        self.limits = tuple(limits)
        self._counts = [0] * (len(limits) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def observe(self, value: float) -> None:
        """Count a value."""
        with self._lock:
            self._counts[bisect_left(self.limits, value)] += 1
            self._sum += value

    def read(self) -> tuple[list[int], float]:
        """The count up to each limit and of all values, and the sum of the values."""
        with self._lock:
            return list(accumulate(self._counts)), self._sum


@dataclass(frozen=True, slots=True)
class Reported:
    """The errors of one condition: how many, and the last one."""

    condition: Condition
    count: int
    last: datetime
    text: str
    query_id: str


class Statistics:
    """The counters of one engine; every thread may count."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._errors: dict[str, Reported] = {}
        self._lock = threading.Lock()
        self.batch_seconds = Histogram(BATCHES_S)

    def add(self, name: str, count: int = 1) -> None:
        """Count something."""
        with self._lock:
            self._counts[name] += count

    def counts(self) -> Counter[str]:
        """Everything that was counted."""
        with self._lock:
            return Counter(self._counts)

    def report(self, error: SluiceError, query_id: str = "") -> None:
        """Count an error that a user gets to see."""
        name = error.condition.name
        with self._lock:
            count = self._errors[name].count + 1 if name in self._errors else 1
            last, text = datetime.now(UTC), error.text()
            self._errors[name] = Reported(error.condition, count, last, text, query_id)

    def errors(self) -> list[Reported]:
        """The reported errors, by the names of their conditions."""
        with self._lock:
            return [self._errors[name] for name in sorted(self._errors)]
