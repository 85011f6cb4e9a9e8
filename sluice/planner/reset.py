"""Where a Kafka table is to continue reading: the position of SYSTEM RESET OFFSETS."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from sluice import errors
from sluice.planner.spec import EARLIEST, GROUP, LATEST, OFFSETS, TIMESTAMP, Point

_MODES = {
    "EARLIEST": EARLIEST,
    "LATEST": LATEST,
    "GROUP": GROUP,
    "TIMESTAMP": TIMESTAMP,
    "OFFSETS": OFFSETS,
}
_TRIPLE = re.compile(r"([A-Za-z0-9._-]{1,249}):([0-9]{1,10}):([0-9]{1,19})", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,11}(\.[0-9]{1,3})?", re.ASCII)
_LARGEST = 2**63 - 1


def read_reset(word: str, value: str) -> Point:
    """The position that a statement names; a time without a zone is UTC.

    Raises:
        SluiceError: INVALID_RESET_TIMESTAMP or INVALID_RESET_OFFSETS.
    """
    mode = _MODES[word]
    if mode == TIMESTAMP:
        return Point(mode, timestamp_ms=_time(value))
    if mode == OFFSETS:
        return Point(mode, offsets=_offsets(value))
    return Point(mode)


def _time(text: str) -> int:
    if _SECONDS.fullmatch(text.strip()):
        return int(float(text) * 1000)
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        reason = "it is not in a known format"
        raise errors.INVALID_RESET_TIMESTAMP(value=text[:100], reason=reason) from None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if found.year < 1970:
        raise errors.INVALID_RESET_TIMESTAMP(value=text.strip(), reason="it is before 1970")
    return int(found.timestamp() * 1000)


def _offsets(text: str) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for part in text.split(","):
        triple = _TRIPLE.fullmatch(part.strip())
        if triple is None or int(triple[3]) > _LARGEST:
            reason = "it is not of the form topic:partition:offset"
            raise errors.INVALID_RESET_OFFSETS(value=part.strip()[:100], reason=reason)
        of_topic = found.setdefault(triple[1], {})
        if int(triple[2]) in of_topic:
            reason = f"partition {triple[2]} of topic {triple[1]} is given twice"
            raise errors.INVALID_RESET_OFFSETS(value=part.strip(), reason=reason)
        of_topic[int(triple[2])] = int(triple[3])
    return found
