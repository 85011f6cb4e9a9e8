"""Where a Kafka table is to go on reading: what SYSTEM RESET OFFSETS says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

EARLIEST, LATEST, GROUP = "EARLIEST", "LATEST", "GROUP"
TIMESTAMP, OFFSETS = "TIMESTAMP", "OFFSETS"

_TRIPLE = re.compile(r"([A-Za-z0-9._-]{1,249}):([0-9]{1,10}):([0-9]{1,19})", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,11}(\.[0-9]{1,3})?", re.ASCII)
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Reset:
    """A mode, with the time in milliseconds or the offsets by topic and partition it needs."""

    mode: str
    time_ms: int = 0
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


def read_reset(mode: str, value: str) -> Reset:
    """What a statement says; a time without a zone is UTC.

    Raises:
        SluiceError: BAD_ARGUMENTS.
    """
    if mode == TIMESTAMP:
        return Reset(mode, time_ms=_time(value))
    if mode == OFFSETS:
        return Reset(mode, offsets=_offsets(value))
    return Reset(mode)


def _time(text: str) -> int:
    if _SECONDS.fullmatch(text.strip()):
        return int(float(text) * 1000)
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        reason = f"'{text[:100]}' is no time; write '2024-01-31 12:00:00', or seconds since 1970"
        raise errors.BAD_ARGUMENTS(reason=reason) from None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if found.year < 1970:
        raise errors.BAD_ARGUMENTS(reason=f"{text.strip()} is before 1970: Kafka has no such time")
    return int(found.timestamp() * 1000)


def _offsets(text: str) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for part in text.split(","):
        triple = _TRIPLE.fullmatch(part.strip())
        if triple is None or int(triple[3]) > _LARGEST:
            reason = f"'{part.strip()[:100]}' is not of the form topic:partition:offset"
            raise errors.BAD_ARGUMENTS(reason=reason)
        of_topic = found.setdefault(triple[1], {})
        if int(triple[2]) in of_topic:
            reason = f"Partition {triple[2]} of {triple[1]} is given twice"
            raise errors.BAD_ARGUMENTS(reason=reason)
        of_topic[int(triple[2])] = int(triple[3])
    return found
