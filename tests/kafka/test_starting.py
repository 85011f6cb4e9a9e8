"""Where tables of Flink's begin and end to be read: an offset for every partition."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from options.tables import flink
from topics import delete_records

from sluice.engine.sources import startup
from sluice.errors import SluiceError
from sluice.kafka.producer import Message, produce
from sluice.planner.topic_source import flink_source

if TYPE_CHECKING:
    from sluice.kafka.cluster import Cluster
    from sluice.planner.spec import KafkaSource

EPOCH = int(time.time() * 1000) - 3_600_000
"""An hour ago: Kafka deletes what is older than a week."""


@pytest.fixture
def filled(cluster: Cluster, topic: str) -> str:
    """A topic with three messages, two, and none; the first of all is deleted again."""
    cluster.create_topic(topic, 3)
    sent = [(0, 0), (0, 1), (0, 2), (1, 10), (1, 11)]
    messages = [Message(b"x", partition=p, timestamp=EPOCH + ms) for p, ms in sent]
    produce(cluster, topic, messages)
    delete_records(cluster, {topic: {0: 1}})
    return topic


def source(cluster: Cluster, topics: str, **options: Any) -> KafkaSource:
    given = {
        "connector": "kafka",
        "topic": topics,
        "properties.bootstrap.servers": cluster.brokers,
        "properties.group.id": topics,
        "format": "raw",
        **{name.replace("__", ".").replace("_", "-"): value for name, value in options.items()},
    }
    return flink_source(flink({k: v for k, v in given.items() if v is not None}, "p"))


def starts(cluster: Cluster, topic: str, mode: str | None = None, **options: Any) -> Any:
    read = source(cluster, topic, scan__startup__mode=mode, **options)
    topics = startup.topics_of(read, cluster)
    return startup.starts(read, topics, cluster)[topic]


def ends(cluster: Cluster, topic: str, mode: str, **options: Any) -> Any:
    read = source(cluster, topic, scan__bounded__mode=mode, **options)
    found = startup.ends(read, startup.topics_of(read, cluster), cluster)
    return None if found is None else found.get(topic, {})


def test_the_ends_of_a_topic(cluster: Cluster, filled: str) -> None:
    assert starts(cluster, filled, "earliest-offset") == {0: 1, 1: 0, 2: 0}
    assert starts(cluster, filled, "latest-offset") == {0: 3, 1: 2, 2: 0}
    assert ends(cluster, filled, "latest-offset") == {0: 3, 1: 2, 2: 0}
    assert ends(cluster, filled, "unbounded") is None


def test_a_time(cluster: Cluster, filled: str) -> None:
    """FL-43: where a partition has nothing so late, reading begins, or ends, after its last."""

    def begins(ms: int) -> Any:
        at = {"scan__startup__timestamp_millis": EPOCH + ms}
        return starts(cluster, filled, "timestamp", **at)

    assert begins(2) == {0: 2, 1: 0, 2: 0}
    assert begins(11) == {0: 3, 1: 1, 2: 0}
    at = {"scan__bounded__timestamp_millis": EPOCH + 11}
    assert ends(cluster, filled, "timestamp", **at) == {0: 3, 1: 1, 2: 0}


def test_fl_51_fl_52_the_group(cluster: Cluster, filled: str) -> None:
    """FL-51, FL-52: its offsets, and what else is said for partitions without."""
    reset = "properties__auto__offset__reset"
    for given in ({}, {reset: "none"}):
        with pytest.raises(SluiceError) as refused:
            starts(cluster, filled, **given)
        assert f"no offsets for {filled}/0, {filled}/1, {filled}/2" in refused.value.text()
        assert "'properties.auto.offset.reset' = 'earliest'" in refused.value.text()
    assert starts(cluster, filled, **{reset: "earliest"}) == {0: 1, 1: 0, 2: 0}
    assert starts(cluster, filled, **{reset: "latest"}) == {0: 3, 1: 2, 2: 0}
    cluster.commit(filled, {filled: {0: 2, 1: 1}})
    with pytest.raises(SluiceError, match=f"no offsets for {filled}/2"):
        ends(cluster, filled, "group-offsets")
    assert starts(cluster, filled, **{reset: "latest"}) == {0: 2, 1: 1, 2: 0}
    cluster.commit(filled, {filled: {0: 0, 1: 9, 2: 0}})  # the topic has neither
    assert starts(cluster, filled, **{reset: "latest"}) == {0: 3, 1: 2, 2: 0}
    with pytest.raises(SluiceError, match=f"no offsets for {filled}/0, {filled}/1"):
        starts(cluster, filled)
    cluster.commit(filled, {filled: {0: 2, 1: 2, 2: 0}})
    assert starts(cluster, filled, "group-offsets") == {0: 2, 1: 2, 2: 0}
    assert ends(cluster, filled, "group-offsets") == {0: 2, 1: 2, 2: 0}


def test_fl_53_offsets_by_name(cluster: Cluster, filled: str) -> None:
    """FL-53: partitions that are not named begin with the group, or at their oldest message."""
    mode = "specific-offsets"

    def begins(given: str, **more: Any) -> Any:
        return starts(cluster, filled, mode, scan__startup__specific_offsets=given, **more)

    assert begins("partition:1,offset:1") == {0: 1, 1: 1, 2: 0}
    cluster.commit(filled, {filled: {0: 2}})
    assert begins("partition:1,offset:1") == {0: 2, 1: 1, 2: 0}
    assert begins("partition:1,offset:1", properties__group__id=None) == {0: 1, 1: 1, 2: 0}
    assert begins("partition:0,offset:0")[0] == 1  # FL-44: what was deleted is not waited for
    with pytest.raises(SluiceError, match=f"{filled}/1 ends at 2, before the startup offset 3"):
        begins("partition:1,offset:3")
    with pytest.raises(SluiceError, match=f"{filled}/7 ends at 0, before the startup offset 3"):
        begins("partition:7,offset:3")
    given = {"scan__bounded__specific_offsets": "partition:1,offset:9"}
    assert ends(cluster, filled, mode, **given) == {0: 2, 1: 9}


def test_fl_34_topics_that_are_not_there(cluster: Cluster, filled: str) -> None:
    """FL-34: one that is named is missing; a pattern may match nothing yet."""
    with pytest.raises(SluiceError, match=f"Topic {filled}-x does not exist"):
        startup.topics_of(source(cluster, f"{filled};{filled}-x"), cluster)
    matching = source(cluster, filled, topic=None, topic_pattern=f"{filled}-.*")
    assert startup.topics_of(matching, cluster) == {}
    assert startup.starts(matching, {}, cluster) == {}
