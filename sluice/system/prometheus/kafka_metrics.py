"""Consumer groups and topics, with the names that kafka_exporter and kafka-lag-exporter use.

`cluster_name` is a label of kafka-lag-exporter alone. It is on all of them here, because one server
may read topics of the same name from several clusters.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sluice.system.prometheus.family import GAUGE, Family

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.system.prometheus.scrape import Partition, Scrape

    Values = Iterable[tuple[Any, ...]]

_GROUP = "consumergroup topic partition cluster_name"
_TOPIC = "topic partition cluster_name"


def _labels(group: str, at: Partition) -> tuple[str, ...]:
    return group, at.topic, str(at.number), at.cluster


def _current_offsets(scrape: Scrape) -> Values:
    for (group, at), known in scrape.groups.items():
        yield _labels(group, at), known.offset


def _lags(scrape: Scrape) -> Values:
    for (group, at), known in scrape.groups.items():
        if known.lag is not None:
            yield _labels(group, at), known.lag


def _lag_sums(scrape: Scrape) -> Values:
    sums: Counter[tuple[str, str, str]] = Counter()
    for (group, at), known in scrape.groups.items():
        if known.lag is not None:
            sums[group, at.topic, at.cluster] += known.lag
    return sums.items()


def _lag_seconds(scrape: Scrape) -> Values:
    for (group, at), known in scrape.groups.items():
        if known.seconds is not None:
            yield _labels(group, at), known.seconds


def _max_lag_seconds(scrape: Scrape) -> Values:
    found: dict[tuple[str, str], float] = {}
    for (group, at), known in scrape.groups.items():
        if known.seconds is not None:
            key = (group, at.cluster)
            found[key] = max(known.seconds, found.get(key, 0.0))
    return found.items()


def _partitions(scrape: Scrape) -> Values:
    return Counter((at.topic, at.cluster) for at in scrape.earliest).items()


def _offsets(known: Mapping[Partition, int]) -> Values:
    return (((at.topic, str(at.number), at.cluster), offset) for at, offset in known.items())


FAMILIES = (
    Family(
        GAUGE,
        "kafka_consumergroup_current_offset",
        "Offset up to which a consumer group has committed",
        _GROUP,
        _current_offsets,
    ),
    Family(
        GAUGE,
        "kafka_consumergroup_lag",
        "Messages of a partition that a consumer group has not read yet",
        _GROUP,
        _lags,
    ),
    Family(
        GAUGE,
        "kafka_consumergroup_lag_sum",
        "Messages of a topic that a consumer group has not read yet",
        "consumergroup topic cluster_name",
        _lag_sums,
    ),
    Family(
        GAUGE,
        "kafka_consumergroup_group_lag_seconds",
        "Age of the oldest message of a partition that a consumer group has not read yet",
        "group topic partition cluster_name",
        _lag_seconds,
    ),
    Family(
        GAUGE,
        "kafka_consumergroup_group_max_lag_seconds",
        "Age of the oldest message that a consumer group has not read yet",
        "group cluster_name",
        _max_lag_seconds,
    ),
    Family(
        GAUGE,
        "kafka_topic_partitions",
        "Partitions of a topic that a pipeline reads",
        "topic cluster_name",
        _partitions,
    ),
    Family(
        GAUGE,
        "kafka_topic_partition_current_offset",
        "End offset of a partition",
        _TOPIC,
        lambda scrape: _offsets(scrape.ends),
    ),
    Family(
        GAUGE,
        "kafka_topic_partition_oldest_offset",
        "Oldest offset of a partition, refreshed every 30 seconds",
        _TOPIC,
        lambda scrape: _offsets(scrape.earliest),
    ),
)
