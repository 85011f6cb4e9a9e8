"""Startup positions: every partition's offset, resolved once when a query begins, and its ends."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import offsets
from sluice.parameters.kinds import CLICKHOUSE
from sluice.planner import spec as modes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.catalog import Catalog, Generation, Offsets
    from sluice.errors import SluiceError
    from sluice.kafka.cluster import Cluster, Topic
    from sluice.planner.spec import KafkaSource, Point

    Topics = Mapping[str, Topic]

AGAIN = (
    "Stop the job with STOP JOB, and start its INSERT again with 'scan.startup.mode' = "
    "'earliest-offset'"
)
_REMEDY = (
    "Set 'properties.auto.offset.reset' = 'earliest' or 'latest', or choose another "
    "'scan.startup.mode', and start the job again"
)


def existing(source: KafkaSource, cluster: Cluster) -> dict[str, Topic]:
    """Those of a table's topics that exist."""
    found = cluster.topics(source.named) if source.named else {}
    for pattern in source.patterns:
        found |= cluster.matching(pattern)
    return found


def topics_of(source: KafkaSource, cluster: Cluster) -> dict[str, Topic]:
    """The topics that a table reads now; the pattern of a Flink table may match none yet.

    Raises:
        SluiceError: KAFKA_TOPIC_MISSING, if one that is named does not exist or no name matches.
    """
    found = existing(source, cluster)
    missing = [name for name in source.named if name not in found]
    if missing or not (found or source.pattern):
        topic = ", ".join(missing or source.topics)
        raise errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=source.connection.brokers)
    return found


def nothing(source: KafkaSource) -> SluiceError:
    """The error for a pattern that no topic matches yet."""
    topic = f"whose name matches {source.pattern}"
    return errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=source.connection.brokers)


def starts(
    source: KafkaSource,
    topics: Topics,
    cluster: Cluster,
    point: Point | None = None,
    handed_over: Offsets | None = None,
) -> Offsets:
    """An explicit offset for every partition, so that nothing is decided again later.

    It is that of the source's startup position, or of another `point`. `handed_over` are positions
    of the group that a dropped table could not commit any more.

    Raises:
        SluiceError: GROUP_WITHOUT_OFFSETS, or STARTUP_OFFSET_OUT_OF_RANGE for offsets after a
            partition's end.
    """
    there = _There(topics, cluster, handed_over or {})
    point = point or source.start
    found = offsets.furthest(there.earliest, _STARTS[point.mode](source, there, point))
    ahead = offsets.ahead_text(found, there.latest) if point.mode == modes.OFFSETS else ""
    if ahead:
        raise errors.STARTUP_OFFSET_OUT_OF_RANGE(table=source.table.full_name, reason=ahead)
    return offsets.only(found, offsets.partitions(there.earliest))


def ends(source: KafkaSource, topics: Topics, cluster: Cluster) -> Offsets | None:
    """Where reading ends, if it does; offsets are those of the first messages that are not read.

    Raises:
        SluiceError: GROUP_WITHOUT_OFFSETS.
    """
    if not source.bounded:
        return None
    return _ENDS[source.stop.mode](source, _There(topics, cluster), source.stop)


def check_offsets(point: Point, topics: Topics, cluster: Cluster) -> None:
    """Check that every partition has the offset that a statement names for it.

    Raises:
        SluiceError: PARTITION_NOT_READ or OFFSET_OUT_OF_RANGE.
    """
    there = _There(topics, cluster)
    for topic, partition, offset in offsets.each(point.offsets):
        if partition not in there.earliest.get(topic, {}):
            raise errors.PARTITION_NOT_READ(topic=topic, partition=partition)
        low, high = there.earliest[topic][partition], there.latest[topic][partition]
        if not low <= offset <= high:
            raise errors.OFFSET_OUT_OF_RANGE(
                topic=topic, partition=partition, offset=offset, first=low, last=high
            )


def handed_over(catalog: Catalog, source: KafkaSource, topics: Topics) -> Offsets:
    """The positions of a group that a dropped table could not commit any more."""
    return {
        name: catalog.positions.handed_over(source.group, topic.id)
        for name, topic in topics.items()
    }


def extended(source: KafkaSource, known: Generation, cluster: Cluster) -> Generation | None:
    """The generation with what is new, each partition from its oldest message; None without any.

    A topic that was deleted and made again is not new: to read on in it would be a silent loss.
    """
    named = existing(source, cluster)
    topics = {n: t for n, t in named.items() if known.topic_ids.get(n, t.id) == t.id}
    there = {(name, p) for name, topic in topics.items() for p in topic.partitions}
    new = there - offsets.partitions(known.starts)
    firsts = offsets.only(cluster.earliest({topic for topic, _ in new}), new) if new else {}
    if not firsts:
        return None
    return replace(
        known,
        starts=offsets.merged(known.starts, firsts),
        topic_ids={**known.topic_ids, **{name: topics[name].id for name in firsts}},
    )


@dataclass
class _There:
    """The topics, and the offsets that they have now."""

    topics: Topics
    cluster: Cluster
    handed_over: Offsets = field(default_factory=dict)

    @cached_property
    def earliest(self) -> Offsets:
        return self.cluster.earliest(self.topics)

    @cached_property
    def latest(self) -> Offsets:
        return self.cluster.latest(self.topics)

    def committed(self, source: KafkaSource) -> Offsets:
        """The group's offsets."""
        known = self.cluster.committed(source.group, self.topics) if source.group else {}
        if source.resets_out_of_range:
            known = offsets.only(
                known, {each for each in offsets.partitions(known) if self._has(*each, known)}
            )
        return offsets.furthest(known, self.handed_over)

    def _has(self, topic: str, partition: int, known: Offsets) -> bool:
        low = self.earliest.get(topic, {}).get(partition, 0)
        return low <= known[topic][partition] <= self.latest.get(topic, {}).get(partition, 0)

    def at_time(self, point: Point) -> Offsets:
        """The first messages that are not before a time."""
        return self.cluster.at_time(self.topics, point.timestamp_ms or 0)


def _group(source: KafkaSource, there: _There, _: Point) -> Offsets:
    known = there.committed(source)
    if source.offset_reset == "earliest":
        return offsets.merged(there.earliest, known)
    if source.offset_reset == "latest":
        return offsets.merged(there.latest, known)
    return _complete(source, there, known)


def _complete(source: KafkaSource, there: _There, known: Offsets) -> Offsets:
    without = sorted(offsets.partitions(there.earliest) - offsets.partitions(known))
    if not without:
        return known
    remedy = _REMEDY
    if source.table.dialect == CLICKHOUSE:
        remedy = f"{offsets.restart(source.table.full_name)} or TO LATEST"
    named = ", ".join(f"{topic}/{partition}" for topic, partition in without)
    raise errors.GROUP_WITHOUT_OFFSETS(group=source.group, partitions=named, remedy=remedy)


def _specific(source: KafkaSource, there: _There, point: Point) -> Offsets:
    """Those that are named; the others at the group's offset, or at the oldest message."""
    others = offsets.furthest(there.earliest, there.committed(source))
    return offsets.merged(others, point.offsets)


_STARTS: dict[str, Callable[[KafkaSource, _There, Point], Offsets]] = {
    modes.EARLIEST: lambda source, there, point: there.earliest,
    modes.LATEST: lambda source, there, point: there.latest,
    modes.TIMESTAMP: lambda source, there, point: there.at_time(point),
    modes.GROUP: _group,
    modes.OFFSETS: _specific,
}

_ENDS: dict[str, Callable[[KafkaSource, _There, Point], Offsets]] = {
    modes.LATEST: lambda source, there, point: there.latest,
    modes.TIMESTAMP: lambda source, there, point: there.at_time(point),
    modes.GROUP: lambda source, there, point: _complete(source, there, there.committed(source)),
    modes.OFFSETS: lambda source, there, point: offsets.merged(
        there.committed(source), point.offsets
    ),
}
