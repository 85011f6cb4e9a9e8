"""The mutations: which statements change rows, or have changed them."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice.catalog.entities import Mutation
from sluice.catalog.mutation_records import KEPT
from sluice.engine.activity import current_statement
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.catalog.mutation_records import MutationRecords


class Mutations:
    """What `system.mutations` shows: those that run, and those that the catalog remembers.

    One that a crash ends is in no record: it has changed nothing, or its commit is in the table.
    """

    def __init__(self, records: MutationRecords) -> None:
        self._records = records
        self._known = deque(records.all(), maxlen=KEPT)
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
            id_ = f"mutation_{self._last(uuid) + 1}.txt"
            made = Mutation(*key, uuid, id_, command, datetime.now(UTC), query_id)
            self._known.append(made)
        try:
            yield
        except SluiceError as failure:
            statement = current_statement()
            told = (statement and statement.cancelled) or failure
            made.fail_name, made.fail_reason = told.condition.name, told.text()
            raise
        finally:
            made.finished = datetime.now(UTC)
            self._records.add(made)

    def _last(self, uuid: str) -> int:
        """The number of a table's last mutation."""
        ids = [each.id for each in self._known if each.table_uuid == uuid]
        return max((int(id_[len("mutation_") : -len(".txt")]) for id_ in ids), default=0)
