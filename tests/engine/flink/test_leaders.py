"""A topic whose only broker is away, in a cluster that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from nodes import SecondBroker, create_on_second, keep_inner_topics
from quick import QUICK

from engine.flink.flink_lab import FlinkLab
from sluice.broker import Broker
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def two(flink: FlinkLab, tmp_path: Path) -> Iterator[tuple[FlinkLab, SecondBroker]]:
    """A lab with two brokers; `near` is a topic of the first, `away-…` are the second's."""
    with Broker(tmp_path / "first", java_options=QUICK) as first:
        keep_inner_topics(first, "near")
        with SecondBroker(tmp_path / "second", first) as second:
            for topic in ("away-in", "away-out"):
                create_on_second(first, topic)
            cluster = Cluster({"bootstrap.servers": first.address})
            lab = FlinkLab(flink.session, cluster, first.address)
            yield lab, second
            lab.stop_all()
            cluster.close()


def send(lab: FlinkLab, topic: str, *numbers: int) -> None:
    lab.produce(topic, *(Message(str(n).encode()) for n in numbers))


@pytest.mark.slow
def test_fl_58_no_leader(two: tuple[FlinkLab, SecondBroker]) -> None:
    """FL-58: jobs from and into it report that it has no leader, and resume with every row."""
    lab, second = two
    once = {
        "format": "raw",
        "properties__isolation__level": "read_committed",
        "sink__delivery_guarantee": "exactly-once",
        "sink__transactional_id_prefix": "leaders",
    }
    for name, topic in (("i", "away-in"), ("o", "away-out"), ("n", "near")):
        lab.table(name, "p STRING", topic, **once)
    lab.sql("CREATE TABLE t (p STRING)")
    send(lab, "away-in", 1, 2)
    send(lab, "near", 1, 2)
    jobs = {
        "away-in": lab.start("INSERT INTO t SELECT p FROM i"),
        "away-out": lab.start("INSERT INTO o SELECT p FROM n"),
    }

    def arrived(last: int) -> None:
        wanted: list[tuple[str, ...]] = [(str(n),) for n in range(1, last + 1)]
        for table in ("t", "o"):
            lab.arrives(f"SELECT p FROM {table} ORDER BY CAST(p AS INT)", wanted)
        for job in jobs.values():
            lab.job_becomes(job, "RUNNING")

    arrived(2)
    second.stop()
    send(lab, "near", 3, 4)
    for topic, job in jobs.items():
        said = lab.job_says(job, "WAITING(KAFKA_NO_LEADER)")
        assert f"Topic {topic} has no leader for partition 0" in said
    # and a job that begins meanwhile
    jobs["begun"] = lab.start("INSERT INTO t SELECT CAST(CAST(p AS INT) + 4 AS STRING) FROM i")
    assert "Topic away-in has no leader" in lab.job_says(jobs["begun"], "WAITING(KAFKA_NO_LEADER)")
    lab.sql(f"STOP JOB '{jobs.pop('begun')}'")
    second.start()
    send(lab, "away-in", 3, 4)
    arrived(4)
    send(lab, "near", 5)
    send(lab, "away-in", 5)
    arrived(5)
