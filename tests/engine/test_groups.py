"""Groups mean what they mean in Kafka: their tables share partitions."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer
from topics import create_partitions
from waiting import eventually

from engine.lab import Lab, keys
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterator


def owned(lab: Lab) -> list[int]:
    """How many partitions each table has, the most first."""
    mine = f"database = '{lab.database}'"
    rows = lab.sql(f"SELECT assignments.partition_id FROM system.kafka_consumers WHERE {mine}")
    return sorted((len(partitions) for (partitions,) in rows), reverse=True)


def shared(lab: Lab, *counts: int) -> None:
    eventually(lambda: owned(lab), lambda found: found == list(counts), 120)


def joins(lab: Lab, name: str, topic: str) -> None:
    lab.queue(name, topic, kafka_group_name="g-" + topic)
    lab.sql(f"CREATE MATERIALIZED VIEW {name}_m TO v AS SELECT * FROM {name}")


@pytest.mark.slow
def test_ch_42_ch_43_tables_of_a_group(lab: Lab, topic: str) -> None:
    """CH-42, CH-43: tables join and leave a group; each message reaches one of them, once.

    Messages are produced all the while, so partitions change hands in the middle of reading.
    """
    stop, sent = threading.Event(), 0

    def endlessly() -> Iterator[Message]:
        nonlocal sent
        while not stop.wait(0.02):
            yield Message(b'{"key":%d}' % sent)
            sent += 1

    lab.make_topic(topic, partitions=5)
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    producer = threading.Thread(target=lambda: produce(lab.cluster, topic, endlessly()))
    producer.start()
    try:
        joins(lab, "q1", topic)
        shared(lab, 5)
        joins(lab, "q2", topic)
        shared(lab, 3, 2)
        joins(lab, "q3", topic)
        shared(lab, 2, 2, 1)
        lab.sql("DETACH TABLE q1")
        shared(lab, 3, 2)
        lab.sql("SYSTEM STOP q2")
        shared(lab, 5, 0)
        lab.sql("ATTACH TABLE q1")
        lab.sql("SYSTEM START q2")
        shared(lab, 2, 2, 1)
        lab.sql("DROP TABLE q3")
        shared(lab, 3, 2)
    finally:
        stop.set()
        producer.join()
    lab.counted("v", sent)
    ends = lab.cluster.latest([topic])
    eventually(lambda: lab.cluster.committed("g-" + topic, [topic]), lambda at: at == ends)


def test_a_group_that_is_reset_grows_and_has_more_tables_than_partitions(
    lab: Lab, topic: str
) -> None:
    """RESET OFFSETS is for the whole group; a partition that comes later finds its reader."""
    lab.produce(topic, *keys(6))
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    joins(lab, "q1", topic)
    joins(lab, "q2", topic)
    shared(lab, 1, 0)
    lab.counted("v", 6)
    lab.sql("SYSTEM RESET OFFSETS q2 TO EARLIEST")
    lab.arrives("SELECT count(), uniqExact(key) FROM v", [(12, 6)])
    create_partitions(lab.cluster, topic, 3)
    shared(lab, 2, 1)
    lab.produce(topic, *(Message(b'{"key":%d}' % key, key=b"%d" % key) for key in range(6, 36)))
    lab.arrives("SELECT count(), uniqExact(key) FROM v", [(42, 36)])
    lab.sql("CREATE TABLE w (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.queue("q9", topic, kafka_group_name="another-" + topic)
    lab.sql("CREATE MATERIALIZED VIEW m9 TO w AS SELECT * FROM q9")
    lab.counted("w", 36)


def test_a_foreign_consumer_in_the_group(lab: Lab, topic: str) -> None:
    """Another consumer that joins the group is reported; rows continue to arrive, once."""
    lab.pipe(topic)
    lab.produce(topic, *keys(3))
    lab.counted("v", 3)
    foreign = Consumer({"bootstrap.servers": lab.brokers, "group.id": topic})
    foreign.subscribe([topic])
    try:
        eventually(lambda: foreign.poll(0.2) is not None or foreign.assignment())
        lab.produce(topic, *keys(3, start=3))
        lab.counted("v", 6)
        said = lab.becomes("WAITING(GROUP_IN_USE)")
        assert f"Consumer group {topic} has members outside Sluice" in said
    finally:
        foreign.close()
    lab.produce(topic, *keys(3, start=6))
    lab.counted("v", 9)
    assert lab.becomes("RUNNING") == ""
