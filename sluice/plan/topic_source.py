"""From the options of a Flink or DLI table to what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.formats import find_format, must_read
from sluice.options.kinds import FLINK
from sluice.options.option import UPSERT
from sluice.plan.keys import metadata_of
from sluice.plan.spec import UNBOUNDED, Point, TopicSource
from sluice.plan.topics import (
    Read,
    check_key,
    check_urls,
    connection_of,
    halves_of,
    read_table,
    topics_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place

_NO_GROUP = "Property group.id is required when using committed offset for offsets initializer"
_NO_COMMIT_GROUP = "Property group.id is required when offset commit is enabled"


def flink_source(
    table: Table, places: Mapping[str, Place] | None = None, *, config: Config | None = None
) -> TopicSource:
    """Check a table that is read and say what it reads.

    Raises:
        SluiceError: in Flink's words.
    """
    read = read_table(table, "scan", places)
    values = read.values
    topics, pattern = topics_of(read)
    start, stop = _start(read, topics), _stop(read, topics)
    group = values["group"] or ""
    _check_group(read, start, stop, group)
    check_key(read)
    check_urls(read, config)
    value, key = halves_of(read)
    return TopicSource(
        table=table,
        connection=connection_of(read, topics, config),
        topics=topics,
        pattern=pattern,
        group=group,
        start=start,
        stop=stop,
        value=value,
        key=key,
        metadata=metadata_of(table, value.name, writing=False),
        upsert=read.upsert,
        changes=read.upsert or read.formats.value.format.changes,
        commits=bool(group) and values["commit_offsets"],
        offset_reset=values["offset_reset"] or "",
        readers=values["readers"],
        discovery_ms=None if stop.mode != UNBOUNDED else values["discovery"] or None,
        idle_ms=values["idle_timeout"],
    )


def ensure_readable(source: TopicSource) -> None:
    """Make sure that the engine can read the table: its formats, and rows that do not change.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    if source.upsert:
        what = f"Reading an {UPSERT} table"
        hint = (
            "With 'connector' = 'kafka' its messages are rows, and none of them replaces another."
        )
        raise errors.NOT_IMPLEMENTED(what=what, hint=hint)
    for half in (source.value, source.key):
        if half is not None:
            must_read(find_format(half.name, FLINK), FLINK)


def _start(read: Read, topics: tuple[str, ...]) -> Point:
    if read.upsert:
        return Point("earliest-offset")
    return _point(read, topics, "start", "startup")


def _stop(read: Read, topics: tuple[str, ...]) -> Point:
    return _point(read, topics, "stop", "bounded")


def _point(read: Read, topics: tuple[str, ...], key: str, title: str) -> Point:
    mode = read.values[key]
    needed = {"timestamp": f"{key}_timestamp", "specific-offsets": f"{key}_offsets"}.get(mode)
    if needed is None:
        return Point(mode)
    value = read.values[needed]
    if value is None:
        reason = f"'{read.name(needed)}' is required in '{mode}' {title} mode but missing."
        raise read.bad(reason, key)
    if mode == "timestamp":
        return Point(mode, timestamp_ms=value)
    if len(topics) != 1:
        raise read.bad("Currently Kafka source only supports specific offset for single topic.")
    return Point(mode, offsets=value)


def _check_group(read: Read, start: Point, stop: Point, group: str) -> None:
    if group:
        return
    if "group-offsets" in (start.mode, stop.mode):
        raise read.bad(_NO_GROUP)
    if read.values["auto_commit"]:
        raise read.bad(_NO_COMMIT_GROUP, "auto_commit")
