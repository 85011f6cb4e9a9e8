"""What a process has done since it started: counters, and errors by condition."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.errors import Condition, SluiceError

MESSAGES, COMMITS, FAULTS = "KafkaMessagesRead", "KafkaCommits", "KafkaConsumerErrors"


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
