"""Where a table of Flink's begins and ends to be read: every partition's offset, decided once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import offsets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.catalog import Offsets
    from sluice.kafka.cluster import Cluster, Topic
    from sluice.plan.spec import Point, TopicSource

    Topics = Mapping[str, Topic]


def topics_of(source: TopicSource, cluster: Cluster) -> dict[str, Topic]:
    """The topics that a table reads now; a pattern may match none yet.

    Raises:
        SluiceError: KAFKA_TOPIC_MISSING for one that is named.
    """
    if source.pattern:
        return cluster.matching(source.pattern)
    found = cluster.topics(source.topics)
    missing = [name for name in source.topics if name not in found]
    if missing:
        brokers = source.connection.brokers
        raise errors.KAFKA_TOPIC_MISSING(topic=", ".join(missing), brokers=brokers)
    return found


def starts(source: TopicSource, topics: Topics, cluster: Cluster) -> Offsets:
    """Where reading begins.

    Raises:
        SluiceError: GROUP_WITHOUT_OFFSETS.
    """
    earliest = cluster.earliest(topics)
    return offsets.furthest(earliest, _BEGIN[source.start.mode](source, topics, cluster, earliest))


def ends(source: TopicSource, topics: Topics, cluster: Cluster) -> Offsets | None:
    """Where reading ends, if it does; offsets are those of the first messages that are not read."""
    if not source.bounded:
        return None
    return _END[source.stop.mode](source, topics, cluster)


def _group(source: TopicSource, topics: Topics, cluster: Cluster, earliest: Offsets) -> Offsets:
    known = cluster.committed(source.group, topics)
    if source.offset_reset == "earliest":
        return offsets.merged(earliest, known)
    if source.offset_reset == "latest":
        return offsets.merged(cluster.latest(topics), known)
    wanted = offsets.partitions(earliest)
    without = sorted(wanted - offsets.partitions(known))
    if without:
        raise errors.GROUP_WITHOUT_OFFSETS(
            group=source.group,
            partitions=", ".join(f"{topic}/{partition}" for topic, partition in without),
            table=source.table.full_name,
        )
    return known


def _given(source: TopicSource, topics: Topics, cluster: Cluster, earliest: Offsets) -> Offsets:
    """Those that are named; the others where the group stands, or at the oldest message."""
    known = cluster.committed(source.group, topics) if source.group else {}
    return offsets.merged(offsets.merged(earliest, known), _named(source.start, topics))


def _named(point: Point, topics: Topics) -> Offsets:
    return {topic: dict(point.offsets) for topic in topics}


_BEGIN: dict[str, Callable[[TopicSource, Topics, Cluster, Offsets], Offsets]] = {
    "earliest-offset": lambda source, topics, cluster, earliest: earliest,
    "latest-offset": lambda source, topics, cluster, earliest: cluster.latest(topics),
    "timestamp": lambda source, topics, cluster, earliest: cluster.at_time(
        topics, source.start.timestamp_ms or 0
    ),
    "group-offsets": _group,
    "specific-offsets": _given,
}

_END: dict[str, Callable[[TopicSource, Topics, Cluster], Offsets]] = {
    "latest-offset": lambda source, topics, cluster: cluster.latest(topics),
    "timestamp": lambda source, topics, cluster: cluster.at_time(
        topics, source.stop.timestamp_ms or 0
    ),
    "group-offsets": lambda source, topics, cluster: cluster.committed(source.group, topics),
    "specific-offsets": lambda source, topics, cluster: _named(source.stop, topics),
}
