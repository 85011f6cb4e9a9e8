"""Which INSERTs write to which tables: a view that is populated begins between two of them."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sluice.engine.activity import current_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.catalog import Table
    from sluice.planner.query import Output

_LOOK_S = 0.2
"""How often a statement that waits looks whether it was cancelled."""


class Feeding:
    """Tables that INSERTs write to now, directly or through views, and those that are closed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._writing: Counter[str] = Counter()
        self._closed: set[str] = set()

    @contextmanager
    def into(
        self, table: Table, feeds: Callable[[Table], tuple[Output, ...]]
    ) -> Iterator[tuple[Output, ...]]:
        """Write to a table and to the views that it feeds, which are given, once none is closed."""
        with self._changed:
            while True:
                views = feeds(table)
                nodes = [node.target for view in views for node in view.nodes()]
                ids = {each.uuid for each in (table, *nodes) if each is not None}
                if ids.isdisjoint(self._closed):
                    break
                self._wait()
            self._writing.update(ids)
        try:
            yield views
        finally:
            with self._changed:
                self._writing.subtract(ids)
                self._changed.notify_all()

    @contextmanager
    def closed(self, table: Table) -> Iterator[None]:
        """Let no INSERT write to a table; those that do are waited for."""
        with self._changed:
            while table.uuid in self._closed:
                self._wait()
            self._closed.add(table.uuid)
        try:
            with self._changed:
                while self._writing[table.uuid] > 0:
                    self._wait()
            yield
        finally:
            with self._changed:
                self._closed.discard(table.uuid)
                self._changed.notify_all()

    def _wait(self) -> None:
        statement = current_statement()
        if statement is not None:
            statement.check()
        self._changed.wait(_LOOK_S)
