"""One admin client and one poller for everybody who asks the same cluster."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from topics import create_partitions
from waiting import eventually

from sluice.errors import SluiceError
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce
from sluice.kafka.watch import watch

if TYPE_CHECKING:
    from sluice.broker import Broker


def threads() -> int:
    """How many this process has, those of libraries included."""
    return len(list(Path("/proc/self/task").iterdir()))


def test_clusters_share_a_client(broker: Broker, cluster: Cluster, topic: str) -> None:
    """Thirty of them have the threads of one, whatever they call themselves.

    Closing one of them does not disturb the others.
    """
    cluster.create_topic(topic, 3)
    asking = [
        Cluster({"bootstrap.servers": broker.address, "client.id": f"c{n}", "retries": "7"})
        for n in range(30)
    ]
    asking[0].latest([topic])
    one = threads()
    assert all(each.latest([topic]) == {topic: {0: 0, 1: 0, 2: 0}} for each in asking)
    assert threads() <= one
    asking[0].close()
    assert asking[1].earliest([topic]) == {topic: {0: 0, 1: 0, 2: 0}}
    assert asking[0].earliest([topic]) == {topic: {0: 0, 1: 0, 2: 0}}


def test_a_watch_wakes_for_its_own_topics(broker: Broker, cluster: Cluster, topic: str) -> None:
    """A message, a new topic of the name, and more partitions are noticed; others' are not.

    One thread asks for both, and ends with the last of them.
    """
    names = [f"{topic}-a", f"{topic}-b"]
    cluster.create_topic(names[0], 2)
    woken = [threading.Event(), threading.Event()]
    properties = {"bootstrap.servers": broker.address}
    before = threading.active_count()
    with (
        watch({**properties, "client.id": "a"}, names[:1], woken[0].set) as first,
        watch({**properties, "client.id": "b"}, names[1:], woken[1].set) as second,
    ):
        assert threading.active_count() == before + 1
        eventually(lambda: first.answered and second.answered)
        assert first.latest(names) == {names[0]: {0: 0, 1: 0}}
        assert second.topics(names) == {}
        assert second.latest(names) == {}
        for each in woken:
            each.clear()

        produce(cluster, names[0], [Message(b"{}", partition=1)])
        assert woken[0].wait(30)
        assert first.latest(names) == {names[0]: {0: 0, 1: 1}}
        assert not woken[1].is_set()

        woken[0].clear()
        cluster.create_topic(names[1], 1)
        assert woken[1].wait(30)
        create_partitions(cluster, names[0], 3)
        assert woken[0].wait(30)
        eventually(lambda: first.latest(names), lambda at: at == {names[0]: {0: 0, 1: 1, 2: 0}})
        assert [*second.topics(names)] == names[1:]
    eventually(threading.active_count, lambda count: count == before)


def test_that_no_broker_answers_is_known_to_all_who_watch() -> None:
    """They need not ask for themselves, as they do when another one's topic may be the cause."""
    woken = threading.Event()
    with watch({"bootstrap.servers": "127.0.0.1:1"}, ["t"], woken.set) as watched:
        assert not woken.wait(1)
        assert not watched.answered
        assert woken.wait(30)
        assert watched.answered
        for _ in range(2):
            with pytest.raises(SluiceError, match=r"127\.0\.0\.1:1") as gone:
                watched.topics(["t"])
            assert gone.value.condition.name == "BROKER_UNREACHABLE"
