"""The mutations of this process: which statements change rows, or have changed them."""

from __future__ import annotations

import threading
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice.engine.activity import current_statement
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT = 1000
"""Mutations that are remembered, of all tables together."""


@dataclass(slots=True)
class Mutation:
    """A statement that changes rows of a table; `finished` and `failure` are set at its end."""

    database: str
    table: str
    id: str
    command: str
    created: datetime
    query_id: str = ""
    finished: datetime | None = None
    failure: SluiceError | None = None


class Mutations:
    """What `system.mutations` shows."""

    def __init__(self) -> None:
        self._known: deque[Mutation] = deque(maxlen=_KEPT)
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def all(self) -> list[Mutation]:
        """The mutations, the oldest first."""
        with self._lock:
            return list(self._known)

    @contextmanager
    def running(
        self, uuid: str, key: tuple[str, str], command: str, query_id: str
    ) -> Iterator[None]:
        """Note a mutation of a table while it runs, and how it has ended."""
        with self._lock:
            self._counts[uuid] += 1
            made = Mutation(
                *key, f"mutation_{self._counts[uuid]}.txt", command, datetime.now(UTC), query_id
            )
            self._known.append(made)
        try:
            yield
        except SluiceError as failure:
            statement = current_statement()
            made.failure = (statement and statement.cancelled) or failure
            raise
        finally:
            made.finished = datetime.now(UTC)
