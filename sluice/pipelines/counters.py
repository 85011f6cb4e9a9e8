"""What the pipelines of this process have done since it started."""

from __future__ import annotations

import threading
from collections import Counter

MESSAGES, COMMITS, FAULTS = "KafkaMessagesRead", "KafkaCommits", "KafkaConsumerErrors"

_counts: Counter[str] = Counter()
_lock = threading.Lock()


def add(name: str, count: int = 1) -> None:
    """Count something."""
    with _lock:
        _counts[name] += count


def counts() -> Counter[str]:
    """Everything that was counted."""
    with _lock:
        return Counter(_counts)
