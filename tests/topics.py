"""What only tests do with topics: change them, and read them whole."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions

if TYPE_CHECKING:
    from sluice.kafka.cluster import Cluster, Offsets

_TIMEOUT = 20
_PATIENCE = 120.0
_MANY, _LOOK = 10_000, 0.05
_READ = {
    "group.id": "tests",
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "isolation.level": "read_committed",
    # A broker without more messages says so at once, not after half a second.
    "fetch.wait.max.ms": 10,
}


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


def committed(cluster: Cluster, topic: str) -> list[Any]:
    """All messages that a reader of committed ones sees, partition by partition."""
    partitions = cluster.latest([topic])[topic]
    consumer = Consumer({**cluster.properties, **_READ})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
    found: list[Any] = []
    left, until = set(partitions), time.monotonic() + _PATIENCE
    while left:
        assert time.monotonic() < until, f"no end of partitions {left} of {topic}"
        for message in consumer.consume(_MANY, _LOOK):  # which waits until there are so many
            error = message.error()
            if error is None:
                found.append(message)
            else:
                assert error.code() == KafkaError._PARTITION_EOF, error
                left.discard(message.partition())
    consumer.close()
    return sorted(found, key=lambda message: (message.partition(), message.offset()))
