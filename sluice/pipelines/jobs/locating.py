"""Which message a batch fails on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.pipelines import offsets

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.pipelines.offsets import Ranges


def narrowed(ranges: Ranges, fails: Callable[[Ranges], bool]) -> Ranges:
    """The smallest part of a batch that fails on its own: one message, where one is the cause."""
    while offsets.count(ranges) > 1:
        failing = next((half for half in halves(ranges) if fails(half)), None)
        if failing is None:  # it takes several of them, as for a sum that is too large
            return ranges
        ranges = failing
    return ranges


def halves(ranges: Ranges) -> tuple[Ranges, Ranges]:
    """The first and the second half of the messages, by topic, partition and offset."""
    first: Ranges = {}
    second: Ranges = {}
    left = offsets.count(ranges) // 2
    for topic, parts in sorted(ranges.items()):
        for partition, (start, end) in sorted(parts.items()):
            cut = min(start + left, end)
            left -= cut - start
            if cut > start:
                first.setdefault(topic, {})[partition] = (start, cut)
            if end > cut:
                second.setdefault(topic, {})[partition] = (cut, end)
    return first, second
