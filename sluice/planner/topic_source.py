"""From the options of a Flink or DLI table to what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.planner.source_transactions import transaction_parts
from sluice.planner.spec import (
    EARLIEST,
    GROUP,
    OFFSETS,
    TIMESTAMP,
    UNBOUNDED,
    KafkaSource,
    Point,
)
from sluice.planner.topics import Read, common_parts, read_table, topics_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place


def flink_source(
    table: Table, places: Mapping[str, Place] | None = None, *, config: Config | None = None
) -> KafkaSource:
    """Check a table that is read and say what it reads.

    Raises:
        SluiceError: in Flink's words.
    """
    read = read_table(table, "scan", places)
    values = read.values
    topics, pattern = topics_of(read)
    start = Point(EARLIEST) if read.upsert else _point(read, topics, "start", "startup")
    stop = _point(read, topics, "stop", "bounded")
    group = values["group"] or ""
    _check_group(read, start, stop, group)
    return KafkaSource(
        **common_parts(read, topics, config, writes=False),
        pattern=pattern,
        changes=read.upsert or read.value.format.changes,
        group=group,
        start=start,
        stop=stop,
        commits=bool(group) and values["commit_offsets"],
        offset_reset=values["offset_reset"] or "",
        resets_out_of_range=True,
        min_tasks=values["readers"] or 1,
        discovery_ms=None if stop.mode != UNBOUNDED else values["discovery"] or None,
        idle_ms=values["idle_timeout"],
        schema_drift=values["schema_drift"],
        **transaction_parts(values, read.value.format.name, read.dialect, read.places),
    )


def _point(read: Read, topics: tuple[str, ...], key: str, title: str) -> Point:
    mode = read.values[key]
    needed = {TIMESTAMP: f"{key}_timestamp", OFFSETS: f"{key}_offsets"}.get(mode)
    if needed is None:
        return Point(mode)
    value = read.values[needed]
    if value is None:
        raise errors.SCAN_OPTION_MISSING(
            option=read.name(needed), mode=mode, use=title, place=read.place(key)
        )
    if mode == TIMESTAMP:
        return Point(mode, timestamp_ms=value)
    if len(topics) != 1:
        raise errors.SPECIFIC_OFFSETS_NEED_ONE_TOPIC()
    return Point(mode, offsets={topics[0]: value})


def _check_group(read: Read, start: Point, stop: Point, group: str) -> None:
    if group:
        return
    if GROUP in (start.mode, stop.mode):
        raise errors.GROUP_ID_MISSING(when="using committed offset for offsets initializer")
    if read.values["auto_commit"]:
        raise errors.GROUP_ID_MISSING(
            when="offset commit is enabled", place=read.place("auto_commit")
        )
