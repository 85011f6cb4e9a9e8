"""The search for the message that a batch fails on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.engine import offsets
from sluice.engine.runtime.ranged import halves, narrowed

if TYPE_CHECKING:
    from sluice.engine.offsets import Ranges

BATCH: Ranges = {"a": {0: (10, 13), 1: (5, 5)}, "b": {2: (0, 1000)}}


def holds(part: Ranges, topic: str, partition: int, offset: int) -> bool:
    start, end = part.get(topic, {}).get(partition, (0, 0))
    return start <= offset < end


def test_halves_have_every_message_once() -> None:
    first, second = halves(BATCH)
    assert first == {"a": {0: (10, 13)}, "b": {2: (0, 498)}}
    assert second == {"b": {2: (498, 1000)}}
    assert halves({"a": {0: (3, 5)}}) == ({"a": {0: (3, 4)}}, {"a": {0: (4, 5)}})


def test_one_message_is_found() -> None:
    for place in (("a", 0, 12), ("b", 2, 0), ("b", 2, 777), ("b", 2, 999)):
        tried: list[Ranges] = []

        def fails(part: Ranges, at: tuple[str, int, int] = place) -> bool:
            tried.append(part)  # noqa: B023 - it is called before the next turn
            return holds(part, *at)

        found = narrowed(BATCH, fails)
        topic, partition, offset = place
        assert found == {topic: {partition: (offset, offset + 1)}}
        assert offsets.only_message(found) == (
            f"in the message of topic {topic}, partition {partition}, offset {offset}"
        )
        assert len(tried) <= 22


def test_several_that_fail_together_stay_together() -> None:
    """As a sum does that is too large for its type."""
    found = narrowed(BATCH, lambda part: holds(part, "b", 2, 100) and holds(part, "b", 2, 200))
    assert holds(found, "b", 2, 100)
    assert holds(found, "b", 2, 200)
    assert offsets.count(found) < 300
    assert narrowed(BATCH, lambda _: False) == BATCH
    assert offsets.only_message(BATCH) is None
