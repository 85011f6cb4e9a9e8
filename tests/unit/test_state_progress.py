"""What is taken from the progress that Spark reports of stateful operators."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sluice.engine.sources.event_time import StateProgress


def progress(second: int, *operators: tuple[int, int]) -> Any:
    """A batch that began at a second; each operator has rows in state and late rows."""
    shown = [
        SimpleNamespace(numRowsTotal=lambda n=rows: n, numRowsDroppedByWatermark=lambda n=late: n)
        for rows, late in operators
    ]
    return SimpleNamespace(timestamp=lambda: f"00:00:{second:02}", stateOperators=lambda: shown)


def test_each_batch_counts_once_and_the_last_one_tells_the_rows() -> None:
    batches = [progress(1, (5, 1), (2, 0))]
    query: Any = SimpleNamespace(_jsq=SimpleNamespace(recentProgress=lambda: batches))
    found = StateProgress()
    assert (found.rows, found.late) == (None, 0)
    found.look(query)
    assert (found.rows, found.late) == (7, 1)
    batches += [progress(2, (9, 2), (3, 1)), progress(3, (4, 0), (0, 0))]
    found.look(query)
    found.look(query)
    assert (found.rows, found.late) == (4, 4)


def test_a_query_without_stateful_operators_has_no_rows() -> None:
    query: Any = SimpleNamespace(_jsq=SimpleNamespace(recentProgress=lambda: [progress(1)]))
    found = StateProgress()
    found.look(query)
    assert (found.rows, found.late) == (None, 0)
