"""What the markers of an exactly-once sink tell about its topic, without a broker."""

from __future__ import annotations

import pytest

from sluice.catalog import NOBODY
from sluice.engine.sinks.markers import Marker, Markers, digest
from sluice.errors import SluiceError

RANGES = {"t": {0: (0, 10)}}


def markers(*batches: int, cut: str = "2 hash", ranges: str = "") -> Markers:
    """Those of as many tasks, each with the last batch that it has written."""
    found = Markers("out", NOBODY)
    note = Marker(0, cut, ranges).note()
    found.read({task: (batch, note) for task, batch in enumerate(batches)})
    return found


@pytest.mark.parametrize(
    ("batches", "newest", "last"),
    [((), -1, -1), ((4, 4), 4, 4), ((4, 3), 4, 3), ((4,), 4, 3)],
)
def test_a_batch_is_complete_when_every_task_has_it(
    batches: tuple[int, ...], newest: int, last: int
) -> None:
    found = markers(*batches)
    assert (found.newest(), found.last()) == (newest, last)
    assert found.tasks(newest) == (2 if batches else 0)


@pytest.mark.parametrize(
    ("found", "mine", "condition"),
    [
        (markers(4, 4), Marker(3, "2 hash"), "SINK_IS_AHEAD"),
        (markers(4, 3), Marker(4, "3 hash"), "SINK_TASKS_CHANGED"),
        (markers(4, 3, ranges="other"), Marker(4, "2 hash"), "BATCH_RANGES_DIFFER"),
    ],
)
def test_what_may_not_be_written(found: Markers, mine: Marker, condition: str) -> None:
    with pytest.raises(SluiceError) as caught:
        found.check_batch(mine, RANGES)
    assert caught.value.condition.name == condition


def test_a_batch_that_continues() -> None:
    again = markers(4, 3, ranges=digest(RANGES))
    again.check_batch(Marker(4, "2 hash"), RANGES)
    assert again.tasks(4) == 2
    again.check_batch(Marker(5, "9 hash"), RANGES)
    assert again.newest() == -1, "of earlier batches nothing matters any more"
