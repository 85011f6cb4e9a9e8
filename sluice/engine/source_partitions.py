"""The partitions that the changes of a key come from.

Kafka orders the messages of one partition. Where the changes of a key come from several, which of
them is the last one is not known; that is reported.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from sluice.engine import offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.engine.offsets import Ranges
    from sluice.planner.spec import KafkaSource

SEVERAL_PARTITIONS = "KEY_IN_SEVERAL_PARTITIONS"
"""The event of a key whose changes come from several partitions and have no sequence."""

_TOPICS, _PARTITIONS = 1 << 14, 1 << 16
"""A partition is its number, plus so many times a checksum of its topic."""


def number_sql(source: KafkaSource) -> str:
    """The partition of a message as one number that tells topics apart."""
    topics = [*source.topics, *filter(None, [source.pattern])]
    if list(source.named) == topics and len(topics) == 1:
        return f"__partition + {_number(topics[0], 0)}"
    checksum = f"crc32(CAST(__topic AS BINARY)) % {_TOPICS}"
    return f"__partition + CAST({checksum} * {_PARTITIONS} AS INT)"


def _number(topic: str, partition: int) -> int:
    return zlib.crc32(topic.encode()) % _TOPICS * _PARTITIONS + partition


class SourcePartitions:
    """Reports, once, that the changes of a key come from several partitions."""

    def __init__(self, whose: str) -> None:
        """For the keys of a table."""
        self._whose = whose
        self._names: dict[int, str] = {}
        self._found: Sequence[int] = ()
        self._told = False

    def note(self, found: Sequence[int], ranges: Ranges | None = None) -> None:
        """Take what a batch, which read these ranges, has found: two partitions, or none."""
        if self._told:
            return
        for topic, partition, _ in offsets.each(ranges or {}):
            self._names[_number(topic, partition)] = f"{topic}/{partition}"
        self._found = self._found or found

    def notices(self) -> list[tuple[str, str]]:
        """The event, the first time that there is one."""
        if not self._found or self._told:
            return []
        self._told = True
        named = (self._names.get(each, str(each % _PARTITIONS)) for each in self._found)
        text = (
            f"A key of {self._whose} has changes in partitions {' and '.join(named)}, whose order "
            "is not known. Those of a batch were applied in the order of partition and offset. "
            "Write all changes of a key to one partition, or order them by a column of the stored "
            "table: 'sequence.field'."
        )
        return [(SEVERAL_PARTITIONS, text)]
