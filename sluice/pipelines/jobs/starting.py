"""Where a table of Flink's begins and ends to be read: every partition's offset, decided once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import offsets
from sluice.plan.spec import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.catalog import Offsets
    from sluice.errors import SluiceError
    from sluice.kafka.cluster import Cluster, Topic
    from sluice.plan.spec import TopicSource

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


AGAIN = (
    "Stop the job with STOP JOB, and start its INSERT again with 'scan.startup.mode' = "
    "'earliest-offset'"
)


EARLIEST = Point("earliest-offset")


def nothing(source: TopicSource) -> SluiceError:
    """There is no topic yet that a pattern matches."""
    topic = f"whose name matches {source.pattern}"
    return errors.KAFKA_TOPIC_MISSING(topic=topic, brokers=source.connection.brokers)


def starts(
    source: TopicSource, topics: Topics, cluster: Cluster, point: Point | None = None
) -> Offsets:
    """Where reading begins: at the table's own point or another one, of what is there.

    Raises:
        SluiceError: GROUP_WITHOUT_OFFSETS, or START_NOT_THERE for offsets that are yet to come.
    """
    earliest, latest = cluster.earliest(topics), cluster.latest(topics)
    there = _There(topics, cluster, earliest, latest)
    found = offsets.furthest(earliest, _BEGIN[(point or source.start).mode](source, there))
    ahead = offsets.said_ahead(found, latest)
    if ahead:
        raise errors.START_NOT_THERE(table=source.table.full_name, reason=ahead)
    return offsets.only(found, offsets.partitions(earliest))


def ends(source: TopicSource, topics: Topics, cluster: Cluster) -> Offsets | None:
    """Where reading ends, if it does; offsets are those of the first messages that are not read.

    Raises:
        SluiceError: GROUP_WITHOUT_OFFSETS.
    """
    if not source.bounded:
        return None
    there = _There(topics, cluster, cluster.earliest(topics), cluster.latest(topics))
    return _END[source.stop.mode](source, there)


@dataclass(frozen=True, slots=True)
class _There:
    """The topics, and what they hold now."""

    topics: Topics
    cluster: Cluster
    earliest: Offsets
    latest: Offsets

    def committed(self, source: TopicSource) -> Offsets:
        """Where the group stands, as far as that is there."""
        known = self.cluster.committed(source.group, self.topics) if source.group else {}
        within = {
            (topic, p)
            for topic, p in offsets.partitions(known)
            if self.earliest.get(topic, {}).get(p, 0)
            <= known[topic][p]
            <= self.latest.get(topic, {}).get(p, 0)
        }
        return offsets.only(known, within)

    def at_time(self, time_ms: int | None) -> Offsets:
        """The first messages that are not before a time."""
        return self.cluster.at_time(self.topics, time_ms or 0)

    def named(self, point: Point) -> Offsets:
        """The offsets that the table names."""
        return {topic: dict(point.offsets) for topic in self.topics}


def _group(source: TopicSource, there: _There) -> Offsets:
    known = there.committed(source)
    if source.offset_reset == "earliest":
        return offsets.merged(there.earliest, known)
    if source.offset_reset == "latest":
        return offsets.merged(there.latest, known)
    return _all_of_group(source, there, known)


def _all_of_group(source: TopicSource, there: _There, known: Offsets) -> Offsets:
    without = sorted(offsets.partitions(there.earliest) - offsets.partitions(known))
    if without:
        raise errors.GROUP_WITHOUT_OFFSETS(
            group=source.group,
            partitions=", ".join(f"{topic}/{partition}" for topic, partition in without),
            remedy=_REMEDY,
        )
    return known


def _given(source: TopicSource, there: _There) -> Offsets:
    """Those that are named; the others where the group stands, or at the oldest message."""
    others = offsets.merged(there.earliest, there.committed(source))
    return offsets.merged(others, there.named(source.start))


_REMEDY = (
    "Say where with 'properties.auto.offset.reset' = 'earliest' or 'latest', or choose another "
    "'scan.startup.mode', and start the job again"
)

_BEGIN: dict[str, Callable[[TopicSource, _There], Offsets]] = {
    "earliest-offset": lambda source, there: there.earliest,
    "latest-offset": lambda source, there: there.latest,
    "timestamp": lambda source, there: there.at_time(source.start.timestamp_ms),
    "group-offsets": _group,
    "specific-offsets": _given,
}

_END: dict[str, Callable[[TopicSource, _There], Offsets]] = {
    "latest-offset": lambda source, there: there.latest,
    "timestamp": lambda source, there: there.at_time(source.stop.timestamp_ms),
    "group-offsets": lambda source, there: _all_of_group(source, there, there.committed(source)),
    "specific-offsets": lambda source, there: offsets.merged(
        there.committed(source), there.named(source.stop)
    ),
}
