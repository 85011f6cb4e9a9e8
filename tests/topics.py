"""Changes to topics that only tests make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions

if TYPE_CHECKING:
    from sluice.kafka.cluster import Cluster, Offsets

_TIMEOUT = 20


def create_partitions(cluster: Cluster, name: str, count: int) -> None:
    """Increase the number of partitions of a topic."""
    admin = AdminClient({**cluster.properties})
    admin.create_partitions([NewPartitions(name, count)])[name].result(_TIMEOUT)


def delete_records(cluster: Cluster, offsets: Offsets) -> None:
    """Delete the messages before the offsets."""
    before = [TopicPartition(t, p, at) for t, parts in offsets.items() for p, at in parts.items()]
    admin = AdminClient({**cluster.properties})
    for future in admin.delete_records(before).values():
        future.result(_TIMEOUT)
