"""Offsets: where a table begins, where it stands, and the exact ranges of a batch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.plan import reset as places
from sluice.plan.reset import Reset

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from sluice.catalog import Catalog, Generation, Offsets
    from sluice.kafka.cluster import Cluster, Topic
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan import KafkaSource

Ranges = dict[str, dict[int, tuple[int, int]]]
"""From (included) and until (excluded), by topic and partition."""

GROUP = Reset(places.GROUP)

_SHOWN = 5
"""Partitions that an error lists."""


def topics_of(source: KafkaSource, cluster: Cluster) -> dict[str, Topic]:
    """The topics a table reads; one that begins with ^ is a pattern for the beginning of names.

    Raises:
        SluiceError: KAFKA_TOPIC_MISSING, if one that is named is not there or no name fits.
    """
    found = cluster.topics(source.named)
    missing = [name for name in source.named if name not in found]
    for pattern in source.patterns:
        found |= cluster.matching(f"(?:{pattern}).*")
    if missing or not found:
        topic = ", ".join(missing or source.patterns)
        raise errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=source.connection.brokers)
    return found


def resolve(
    source: KafkaSource,
    topics: Mapping[str, Topic],
    cluster: Cluster,
    catalog: Catalog,
    reset: Reset = GROUP,
) -> Offsets:
    """An explicit offset for every partition, so that nothing is decided again later.

    A group's position counts where it has one, and what a dropped table could not commit any more
    counts for it; otherwise reading begins at the oldest message, or behind the newest if the
    clients' `auto.offset.reset` says so.

    Raises:
        SluiceError: BAD_ARGUMENTS for offsets that are not there; GROUP_WITHOUT_OFFSETS.
    """
    earliest = cluster.earliest(topics)
    if reset.mode == places.EARLIEST:
        return earliest
    if reset.mode == places.LATEST:
        return cluster.latest(topics)
    if reset.mode == places.TIMESTAMP:
        return furthest(earliest, cluster.at_time(topics, reset.time_ms))
    committed = cluster.committed(source.group, topics) if source.group else {}
    kept = {name: catalog.handed_over(source.group, topic.id) for name, topic in topics.items()}
    if reset.mode == places.OFFSETS:
        _check_there(reset.offsets, earliest, cluster.latest(topics))
        return merged(furthest(earliest, committed, kept), reset.offsets)
    first = _first(source, topics, cluster, furthest(committed, kept)) or earliest
    return furthest(merged(first, furthest(committed, kept)), earliest)


def _first(
    source: KafkaSource, topics: Mapping[str, Topic], cluster: Cluster, known: Offsets
) -> Offsets | None:
    """Where partitions begin for which the group has no offset, if not at the oldest message."""
    if source.offset_reset == "latest":
        return cluster.latest(topics)
    without = [
        f"{name}/{partition}"
        for name, topic in sorted(topics.items())
        for partition in topic.partitions
        if partition not in known.get(name, {})
    ]
    if source.offset_reset == "none" and without:
        raise errors.GROUP_WITHOUT_OFFSETS(
            group=source.group,
            partitions=", ".join(without),
            remedy=f"{restart(source.table.full_name)} or TO LATEST",
        )
    return None


def restart(table: str) -> str:
    """What helps a table that cannot go on."""
    return f"Run SYSTEM RESET OFFSETS {table} TO EARLIEST"


def _check_there(wanted: Mapping[str, Mapping[int, int]], first: Offsets, last: Offsets) -> None:
    for topic, parts in wanted.items():
        for partition, offset in parts.items():
            if partition not in first.get(topic, {}):
                reason = f"The table does not read {topic}/{partition}"
                raise errors.BAD_ARGUMENTS(reason=reason)
            low, high = first[topic][partition], last[topic][partition]
            if not low <= offset <= high:
                reason = f"{topic}/{partition} has offsets from {low} to {high}, not {offset}"
                raise errors.BAD_ARGUMENTS(reason=reason)


def logged(checkpoint: AnyPath, batch: int, source: int = 0) -> Offsets | None:
    """What Spark's own log says the batch reads up to; None if there is no such entry.

    `source` is the place among the sources of a query that has several.
    """
    path = checkpoint / "offsets" / str(batch)
    try:
        entry = path.read_text("utf-8").splitlines()[2 + source]
    except FileNotFoundError:
        return None
    if entry == "-":  # it has not been asked yet
        return {}
    stored: dict[str, dict[str, int]] = json.loads(entry)
    return {t: {int(p): o for p, o in parts.items()} for t, parts in stored.items()}


def ranges(
    table: str, checkpoint: AnyPath, batch: int, generation: Generation, source: int = 0
) -> Ranges:
    """Exactly what a batch reads.

    A partition that came later begins where the generation says by now, or at its first offset.
    """
    until = logged(checkpoint, batch, source)
    if until is None:
        raise errors.CHECKPOINT_MISSING(table=table, path=checkpoint / "offsets" / str(batch))
    before = logged(checkpoint, batch - 1, source) if batch else None
    since = merged(generation.starts, before or {})
    return {
        topic: {p: (since.get(topic, {}).get(p, 0), end) for p, end in parts.items()}
        for topic, parts in until.items()
    }


def last_logged(checkpoint: AnyPath, log: str = "offsets") -> int:
    """The number of the newest batch that was begun, or of the newest in `commits`; -1 for none."""
    entries = (path.name for path in (checkpoint / log).glob("[0-9]*"))
    return max((int(name) for name in entries if name.isdigit()), default=-1)


def begun_at(checkpoint: AnyPath, batch: int) -> float:
    """When a batch was begun, in seconds since 1970."""
    entries = (checkpoint / "offsets").glob("[0-9]*")
    return next((path.stat().st_mtime for path in entries if path.name == str(batch)), 0.0)


def position(
    checkpoint: AnyPath, generation: Generation, held: int = -1, source: int = 0
) -> Offsets:
    """Where reading goes on: behind the last batch that Spark, or every target (`held`), has."""
    done = max(last_logged(checkpoint, "commits"), held)
    read = logged(checkpoint, done, source) if done >= 0 else None
    return merged(generation.starts, read or {})


def begins(of: Ranges) -> Offsets:
    """The offsets a batch begins at."""
    return {topic: {p: start for p, (start, _) in parts.items()} for topic, parts in of.items()}


def ends(of: Ranges) -> Offsets:
    """The offsets behind a batch."""
    return {topic: {p: end for p, (_, end) in parts.items()} for topic, parts in of.items()}


def furthest(*several: Offsets) -> Offsets:
    """For each partition the largest offset that is given for it."""
    found: Offsets = {}
    for each in several:
        for topic, parts in each.items():
            for partition, offset in parts.items():
                of_topic = found.setdefault(topic, {})
                of_topic[partition] = max(offset, of_topic.get(partition, 0))
    return found


def merged(under: Offsets, over: Mapping[str, Mapping[int, int]]) -> Offsets:
    """The offsets with others in place of some."""
    return {t: {**under.get(t, {}), **over.get(t, {})} for t in (*under, *over)}


def partitions(of: Mapping[str, Mapping[int, Any]]) -> set[tuple[str, int]]:
    """Which partitions there are offsets for."""
    return {(topic, partition) for topic, parts in of.items() for partition in parts}


def only(of: Offsets, wanted: Container[tuple[str, int]]) -> Offsets:
    """The offsets of some partitions."""
    kept = {t: {p: o for p, o in parts.items() if (t, p) in wanted} for t, parts in of.items()}
    return {topic: parts for topic, parts in kept.items() if parts}


def count(of: Ranges) -> int:
    """How many offsets a batch spans."""
    return sum(end - start for parts in of.values() for start, end in parts.values())


def lost(at: Offsets, earliest: Offsets, latest: Offsets) -> Ranges:
    """What Kafka has lost of what was not read, and what it has no more of what was.

    A range that goes backwards is one of those: the topic ends before what had been read.
    """
    found: Ranges = {}
    for topic, parts in at.items():
        for partition, offset in parts.items():
            first = earliest.get(topic, {}).get(partition)
            last = latest.get(topic, {}).get(partition)
            if first is not None and offset < first:
                found.setdefault(topic, {})[partition] = (offset, first)
            elif last is not None and offset > last:
                found.setdefault(topic, {})[partition] = (offset, last)
    return found


def said(of: Ranges) -> str:
    """What was lost, in words."""
    return "; ".join(
        f"{topic}/{partition}: {start} to {end - 1} are gone"
        if start < end
        else f"{topic}/{partition}: it ends at {end}, {start} had been read"
        for topic, parts in of.items()
        for partition, (start, end) in parts.items()
    )


def shown(of: Ranges) -> str:
    """What a batch reads, in words; of many partitions the first ones."""
    read = [
        f"{topic}/{partition}: {start} to {end - 1}"
        for topic, parts in sorted(of.items())
        for partition, (start, end) in sorted(parts.items())
        if start < end
    ]
    more = f" and {len(read) - _SHOWN} more" if len(read) > _SHOWN else ""
    return "; ".join(read[:_SHOWN]) + more


def only_message(of: Ranges) -> str | None:
    """Where the message is, in words, if there is just one."""
    if count(of) != 1:
        return None
    ((topic, partition, start),) = (
        (topic, partition, start)
        for topic, parts in of.items()
        for partition, (start, end) in parts.items()
        if start < end
    )
    return f"in the message of topic {topic}, partition {partition}, offset {start}"


def said_ahead(wanted: Offsets, latest: Offsets) -> str:
    """Which offsets are behind the ends of their partitions, in words."""
    return "; ".join(
        f"{topic}/{partition} ends at {end}, it is to begin at {offset}"
        for topic, parts in wanted.items()
        for partition, offset in parts.items()
        if offset > (end := latest.get(topic, {}).get(partition, 0))
    )


def together(several: Iterable[Ranges]) -> Ranges:
    """What was read of each topic; of one that is read twice, from the first to the last."""
    found: Ranges = {}
    for each in several:
        for topic, parts in each.items():
            for p, (start, end) in parts.items():
                low, high = found.setdefault(topic, {}).get(p, (start, end))
                found[topic][p] = (min(low, start), max(high, end))
    return found


def reached(there: Offsets, wanted: Offsets) -> bool:
    """Whether every partition has come so far."""
    return all(
        there.get(topic, {}).get(p, 0) >= offset
        for topic, parts in wanted.items()
        for p, offset in parts.items()
    )


def to_json(offsets: Offsets) -> str:
    """Spark's form of explicit offsets."""
    return json.dumps({t: {str(p): o for p, o in parts.items()} for t, parts in offsets.items()})
