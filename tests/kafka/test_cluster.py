from __future__ import annotations

import logging
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from nodes import SecondBroker
from quick import QUICK
from topics import delete_records
from waiting import eventually

from sluice.broker import Broker
from sluice.errors import SluiceError, Transient, UserError
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def nobody() -> Iterator[Cluster]:
    """A cluster at an address where nothing listens."""
    cluster = Cluster({"bootstrap.servers": "127.0.0.1:1"}, deadline=0.6)
    yield cluster
    cluster.close()


def test_topics_tells_those_that_exist(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 3)
    found = cluster.topics([topic, "no-such-topic"])
    assert list(found) == [topic]
    assert found[topic].name == topic
    assert found[topic].partitions == (0, 1, 2)
    assert found[topic].id


def test_nothing_is_asked_about_nothing(nobody: Cluster) -> None:
    assert nobody.topics([]) == {}
    assert nobody.latest([]) == {}
    assert nobody.committed("g", []) == {}
    nobody.commit("g", {})


def test_a_topic_made_again_has_another_id(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 1)
    before = cluster.topics([topic])[topic]
    cluster.delete_topic(topic)
    assert cluster.topics([topic]) == {}
    cluster.create_topic(topic, 1)
    assert cluster.topics([topic])[topic].id != before.id


def test_matching_takes_whole_names(cluster: Cluster, topic: str) -> None:
    names = [f"{topic}-a", f"{topic}-b", f"{topic}-a-more"]
    for name in names:
        cluster.create_topic(name, 1)
    assert sorted(cluster.matching(f"{topic}-.")) == names[:2]
    cluster.commit("makes-the-internal-topic", {names[0]: {0: 0}})
    assert "__consumer_offsets" not in cluster.matching(".*")
    long = "a" * 200 + "b"
    cluster.create_topic(long, 1)  # one on which backtracking would never end
    assert cluster.matching("(a+)+$") == {}
    assert list(cluster.matching("(a+)+b$")) == [long]
    cluster.delete_topic(long)


def test_offsets_of_topics(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 2)
    produce(cluster, topic, [Message(b"x", partition=1) for _ in range(5)])
    assert cluster.earliest([topic]) == {topic: {0: 0, 1: 0}}
    assert cluster.latest([topic, "no-such-topic"]) == {topic: {0: 0, 1: 5}}


def test_latest_counts_what_a_transaction_has_not_committed(
    cluster: Cluster, broker: Broker, topic: str
) -> None:
    cluster.create_topic(topic, 1)
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": topic})
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce(topic, b"open", partition=0)
    producer.flush(10)
    assert cluster.latest([topic]) == {topic: {0: 1}}
    producer.abort_transaction(10)


def test_delete_records_moves_the_beginning(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 1)
    produce(cluster, topic, [Message(b"x") for _ in range(5)])
    delete_records(cluster, {topic: {0: 3}})
    assert cluster.earliest([topic]) == {topic: {0: 3}}
    assert cluster.latest([topic]) == {topic: {0: 5}}


def test_commit_and_committed(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 3)
    group = f"group of {topic}"
    assert cluster.committed(group, [topic]) == {}
    cluster.commit(group, {topic: {0: 7, 2: 9}})
    assert cluster.committed(group, [topic, "no-such-topic"]) == {topic: {0: 7, 2: 9}}
    cluster.commit(group, {topic: {0: 3}})
    assert cluster.committed(group, [topic]) == {topic: {0: 3, 2: 9}}


def test_a_consumer_sees_what_was_committed(cluster: Cluster, broker: Broker, topic: str) -> None:
    cluster.create_topic(topic, 1)
    cluster.commit("outside-tool", {topic: {0: 4}})
    consumer = Consumer({"bootstrap.servers": broker.address, "group.id": "outside-tool"})
    try:
        (found,) = consumer.committed([TopicPartition(topic, 0)], timeout=10)
        assert found.offset == 4
    finally:
        consumer.close()


def test_commit_is_quick_once_the_group_is_known(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 3)
    took = []
    for offset in range(20):
        begin = time.perf_counter()
        cluster.commit("quick", {topic: dict.fromkeys(range(3), offset)})
        took.append(time.perf_counter() - begin)
    assert sorted(took)[len(took) // 2] < 0.05


def test_a_group_with_members_takes_no_commit(cluster: Cluster, broker: Broker, topic: str) -> None:
    cluster.create_topic(topic, 1)
    produce(cluster, topic, [Message(b"x")])
    settings = {"bootstrap.servers": broker.address, "group.id": topic}
    consumer = Consumer({**settings, "auto.offset.reset": "earliest"})
    try:
        consumer.subscribe([topic])
        assert consumer.poll(20) is not None
        with pytest.raises(Transient) as caught:
            cluster.commit(topic, {topic: {0: 1}})
        assert caught.value.condition.name == "GROUP_IN_USE"
        assert topic in str(caught.value)
    finally:
        consumer.close()


def test_create_topic_passes_its_settings_on(cluster: Cluster, topic: str) -> None:
    with pytest.raises(SluiceError) as caught:
        cluster.create_topic(topic, 1, {"retention.ms": "for ever"})
    assert caught.value.condition.name == "KAFKA_REFUSED"
    assert "retention.ms" in str(caught.value)
    cluster.create_topic(topic, 1, {"retention.ms": "-1"})


def test_a_topic_is_made_once(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 1)
    with pytest.raises(SluiceError, match="already exists"):
        cluster.create_topic(topic, 1)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("delete_topic", ["no-such-topic"]),
        ("commit", ["g", {"no-such-topic": {0: 1}}]),
    ],
)
def test_a_missing_topic_is_reported(
    cluster: Cluster, method: str, arguments: list[object]
) -> None:
    with pytest.raises(Transient, match="no-such-topic") as caught:
        getattr(cluster, method)(*arguments)
    assert caught.value.condition.name == "KAFKA_TOPIC_MISSING"


@pytest.mark.parametrize(
    "method", ["topics", "earliest", "latest", "committed", "commit", "matching"]
)
def test_an_unreachable_broker_is_reported_within_the_deadline(
    nobody: Cluster, method: str
) -> None:
    arguments: dict[str, tuple[object, ...]] = {
        "committed": ("g", ["t"]),
        "commit": ("g", {"t": {0: 1}}),
        "matching": (".*",),
    }
    begin = time.monotonic()
    with pytest.raises(Transient) as caught:
        getattr(nobody, method)(*arguments.get(method, (["t"],)))
    assert time.monotonic() - begin < 2
    assert caught.value.condition.name == "BROKER_UNREACHABLE"
    assert "127.0.0.1:1" in caught.value.message
    assert "Connection refused" in caught.value.detail


def test_the_client_library_prints_nothing(
    nobody: Cluster, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "sluice.kafka"), pytest.raises(Transient):
        nobody.topics(["t"])
    nobody.close()
    assert capfd.readouterr() == ("", "")
    assert any(record.name.startswith("sluice.kafka") for record in caplog.records)


def test_settings_the_client_does_not_know(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match=r"no\.such\.setting"):
        Cluster({"bootstrap.servers": "127.0.0.1:1", "no.such.setting": "1"}).topics(["t"])
    assert capfd.readouterr() == ("", "")


def test_threads_share_a_cluster(cluster: Cluster, topic: str) -> None:
    cluster.create_topic(topic, 2)
    seen: list[object] = []
    threads = [
        threading.Thread(target=lambda: seen.append(cluster.latest([topic]))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert seen == [{topic: {0: 0, 1: 0}}] * 8


def test_a_closed_cluster_connects_again(broker: Broker) -> None:
    cluster = Cluster({"bootstrap.servers": broker.address})
    assert cluster.topics(["no-such-topic"]) == {}
    cluster.close()
    assert cluster.topics(["no-such-topic"]) == {}
    cluster.close()


@pytest.mark.slow
def test_the_broker_that_others_call_the_controller_goes(tmp_path: Path) -> None:
    """Each client was told one of the brokers, at random; those that were told this one ask on."""
    with (
        Broker(tmp_path / "first", java_options=QUICK) as first,
        SecondBroker(tmp_path / "second", first) as second,
    ):
        clients = [Cluster({"bootstrap.servers": first.address}) for _ in range(8)]
        clients[0].create_topic("there", 1)
        for client in clients:  # a broker learns of a topic that another has created
            eventually(partial(client.topics, ["there"]), lambda found: list(found) == ["there"])
        second.stop()
        for client in clients:
            assert list(client.topics(["there"])) == ["there"]
            client.close()
