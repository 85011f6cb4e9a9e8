"""What a user can see of a pipeline."""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice.engine.runtime.rates import Rates
from sluice.engine.statistics import COMMITS, FAULTS, MESSAGES, Statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.catalog import Offsets
    from sluice.errors import SluiceError

STARTING, RUNNING, STOPPED, FINISHED = "STARTING", "RUNNING", "STOPPED", "FINISHED"
_KEPT_ERRORS = 10


def now() -> datetime:
    """The present, with its zone."""
    return datetime.now(UTC)


@dataclass
class Status:
    """The state of a pipeline, written by its threads and read by anybody."""

    statistics: Statistics = field(default_factory=Statistics, repr=False)
    state: str = STARTING
    since: datetime = field(default_factory=now)
    error: SluiceError | None = None
    next_retry: datetime | None = None
    exceptions: deque[tuple[datetime, str]] = field(
        default_factory=lambda: deque(maxlen=_KEPT_ERRORS)
    )
    position: Offsets = field(default_factory=dict)
    ends: Offsets = field(default_factory=dict)
    messages: int = 0
    skipped: int = 0
    """Bad messages that kafka_skip_broken_messages let pass."""
    dead_letters: int = 0
    """Bad messages that were kept as dead letters."""
    commits: int = 0
    retries: int = 0
    """Starts after an error."""
    batch_seconds: float = 0.0
    """Time that its batches took, where that is known."""
    rows: Counter[str] = field(default_factory=Counter)
    """Rows written, by target."""
    generation: int = 0
    last_poll: datetime | None = None
    last_commit: datetime | None = None
    oldest_ms: int | None = None
    """When the oldest message that was not read yet was written; None if that is not known."""
    assignments: int = 0
    revocations: int = 0
    last_rebalance: datetime | None = None
    rates: Rates = field(default_factory=Rates)
    listener: Callable[[str], None] | None = field(default=None, repr=False)
    """Is told every new state; it must not wait for anything."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def running(self) -> None:
        """Batches run without an error."""
        self.halted(RUNNING)

    def waiting(self, error: SluiceError, retry: datetime | None) -> None:
        """A transient error: the batch is retried."""
        self._fault(f"WAITING({error.condition.name})", error, retry)

    def failed(self, error: SluiceError) -> None:
        """An error that needs a decision."""
        self._fault(f"FAILED({error.condition.name})", error, None)

    def halted(self, state: str) -> None:
        """Enter a state without an error, such as STOPPED or PAUSED."""
        with self._lock:
            self._enter(state)
            self.error, self.next_retry = None, None

    def stopped(self) -> None:
        """The query was stopped."""
        with self._lock:
            if self.state != FINISHED:
                self._enter(STOPPED)

    def finished(self) -> None:
        """All input up to the end offsets was processed."""
        self.halted(FINISHED)

    def assigned(self, position: Offsets) -> None:
        """Partitions are read from here on, each from its offset."""
        with self._lock:
            self.revocations += 1 if self.position else 0
            self.assignments += 1
            self.last_rebalance = now()
            self.position = {topic: dict(parts) for topic, parts in position.items()}

    def copied_position(self) -> Offsets:
        """The position as it is now; `position` itself changes with every batch."""
        with self._lock:
            return {topic: dict(parts) for topic, parts in self.position.items()}

    def looked(self, ends: Offsets) -> None:
        """Note the end offsets of the topics."""
        with self._lock:
            self.ends = ends
            self.last_poll = now()
            self.rates.note(self.messages, self.lag())

    def polled(self) -> None:
        """Note that the topics still end where they did."""
        self.last_poll = now()

    def lag_seconds(self) -> float | None:
        """The age of the oldest message that was not read yet; None if that is not known."""
        if self.lag() == 0:
            return 0.0
        if self.oldest_ms is None:
            return None
        return max(0.0, now().timestamp() - self.oldest_ms / 1000)

    def catch_up(self) -> float | None:
        """Seconds until the lag is 0; None if that is not known or the lag grows."""
        return None if self.error is not None else self.rates.catch_up()

    def batch_done(self, messages: int, position: Offsets, seconds: float | None = None) -> None:
        """A batch is in every target and its offsets are committed; it took so many seconds."""
        if seconds is not None:
            self.statistics.batch_seconds.observe(seconds)
        with self._lock:
            self.messages += messages
            self.commits += 1
            self.batch_seconds += seconds or 0.0
            self.last_commit = now()
            self.statistics.add(MESSAGES, messages)
            self.statistics.add(COMMITS)
            for topic, parts in position.items():
                self.position.setdefault(topic, {}).update(parts)
            self.rates.note(self.messages, self.lag())

    def lag(self) -> int:
        """The number of messages between the position and the end offsets."""
        return sum(
            max(0, end - self.position.get(topic, {}).get(partition, 0))
            for topic, parts in self.ends.items()
            for partition, end in parts.items()
        )

    def _fault(self, state: str, error: SluiceError, retry: datetime | None) -> None:
        with self._lock:
            if self.error is None or self.error.text() != error.text() or retry is not None:
                self.exceptions.append((now(), error.text()))
                self.statistics.add(FAULTS)
                self.statistics.report(error)
            self._enter(state)
            self.error, self.next_retry = error, retry

    def _enter(self, state: str) -> None:
        if self.state != state:
            self.state, self.since = state, now()
            if self.listener is not None:
                self.listener(state)
