"""Which errors this process has reported: how often, and what the last one said."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.errors import Condition, SluiceError


@dataclass(frozen=True, slots=True)
class Seen:
    """The errors of one condition."""

    condition: Condition
    count: int
    last: datetime
    text: str
    query_id: str


_seen: dict[str, Seen] = {}
_lock = threading.Lock()


def note(error: SluiceError, query_id: str = "") -> None:
    """Count an error that a user gets to see."""
    name = error.condition.name
    with _lock:
        count = _seen[name].count + 1 if name in _seen else 1
        _seen[name] = Seen(error.condition, count, datetime.now(UTC), error.text(), query_id)


def seen() -> list[Seen]:
    """What was noted, by the conditions' names."""
    with _lock:
        return [_seen[name] for name in sorted(_seen)]
