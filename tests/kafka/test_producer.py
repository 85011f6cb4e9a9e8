from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, TopicPartition

from sluice.errors import SluiceError
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster


def test_a_message_arrives_as_it_was_given(cluster: Cluster, broker: Broker, topic: str) -> None:
    cluster.create_topic(topic, 2)
    headers = (("a", b"1"), ("a", b"2"), ("nothing", None))
    sent = [
        Message(b"v", key=b"k", partition=1, timestamp=1_700_000_000_123, headers=headers),
        Message(None, key=b"k", partition=1),
        Message(b"", partition=1),
    ]
    assert produce({"bootstrap.servers": broker.address}, topic, sent) == 3

    consumer = Consumer({"bootstrap.servers": broker.address, "group.id": topic})
    try:
        consumer.assign([TopicPartition(topic, 1, 0)])
        full, tombstone, empty = consumer.consume(3, timeout=20)
    finally:
        consumer.close()
    assert (full.key(), full.value(), full.timestamp()[1]) == (b"k", b"v", 1_700_000_000_123)
    assert full.headers() == list(headers)
    assert tombstone.value() is None
    assert (empty.key(), empty.value()) == (None, b"")


def test_a_message_that_is_not_taken_is_an_error(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 1, {"max.message.bytes": "1000"})
    with pytest.raises(SluiceError, match="too large") as caught:
        produce(cluster, topic, [Message(b"x" * 5000)])
    assert caught.value.condition.name == "KAFKA_REFUSED"


def test_nothing_to_produce(cluster: Cluster, topic: str) -> None:
    assert produce(cluster, topic, []) == 0
