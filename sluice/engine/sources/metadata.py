"""Metadata of messages as Spark SQL over the columns that decoding keeps of each message.

Those are `__topic`, `__partition`, `__offset`, `__timestamp`, `__timestampType`, `__key`,
`__value`, `__headers`, and `__row` with the decoded fields and `__error`. Where messages are
changes `__row` has the kind of the change too, and `__number` is its number within its message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LAST = {"_timestamp": "2106-02-07 06:28:15.999", "_timestamp_ms": "2299-12-31 23:59:59.999"}
"""The last instant that the type of each ClickHouse virtual column holds."""

IN_RANGE = "{0} > TIMESTAMP'0001-01-01 00:00:00' AND {0} < TIMESTAMP'9999-12-31 23:59:59.999'"
"""Whether a TIMESTAMP holds a message's time: one before or after these years was clamped."""

ROW_BITS = 20
"""Bits of a version that number the changes of one message; those above are its offset."""

_TAKEN_BACK = "coalesce(__row.__row_kind, '') IN ('-U', '-D')"

_NO_TEXTS = "CAST(array() AS array<string>)"


def _until(column: str) -> str:
    """The record of a producer that gave no time has one before the epoch."""
    last = f"TIMESTAMP'{LAST[column]}'"
    return f"if(__timestamp >= timestamp_micros(0) AND __timestamp <= {last}, __timestamp, NULL)"


METADATA: Mapping[str, str] = {
    "topic": "__topic",
    "partition": "__partition",
    "offset": "__offset",
    "timestamp": f"if({IN_RANGE.format('__timestamp')}, __timestamp, NULL)",
    "timestamp-seconds": f"date_trunc('second', {_until('_timestamp')})",
    "timestamp-milliseconds": _until("_timestamp_ms"),
    "timestamp-type": "CASE __timestampType WHEN 0 THEN 'CreateTime' WHEN 1 THEN 'LogAppendTime' "
    "ELSE 'NoTimestampType' END",
    "leader-epoch": "CAST(NULL AS int)",  # Spark does not hand it on
    "key": "coalesce(CAST(__key AS string), '')",
    "headers": "coalesce(map_from_entries(__headers), CAST(map() AS map<string, binary>))",
    "header-names": f"coalesce(transform(__headers, h -> h.key), {_NO_TEXTS})",
    "header-values": "coalesce(transform(__headers, "
    f"h -> coalesce(CAST(h.value AS string), '')), {_NO_TEXTS})",
    "raw-message": "if(__row.__error IS NULL, '', CAST(__value AS string))",
    "error": "coalesce(__row.__error, '')",
    "row-kind": "coalesce(__row.__row_kind, '+I')",
    "sign": f"if({_TAKEN_BACK}, -1, 1)",
    "is-deleted": f"if({_TAKEN_BACK}, 1, 0)",
    "change-version": f"shiftleft(__offset, {ROW_BITS}) + coalesce(__number, 0)",
}
"""A text may be any bytes; Spark hands them on as they are."""
