"""The states of a pipeline that cannot run, and how it resumes when the cause is gone."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from quick import QUICK
from topics import delete_records
from waiting import eventually

from engine.lab import Lab, keys
from sluice.broker import Broker
from sluice.broker.settings import free_port
from sluice.errors import SluiceError
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def absent(tmp_path: Path) -> Iterator[Broker]:
    """A broker that is not there yet, at an address that is known."""
    broker = Broker(tmp_path / "broker", port=free_port(), java_options=QUICK)
    yield broker
    broker.stop()


def checkpoint(lab: Lab, folder: Path) -> Path:
    """Where the first generation of `q` keeps its progress."""
    mine = f"database = '{lab.database}' AND name = 'q'"
    ((uuid,),) = lab.sql(f"SELECT uuid FROM system.tables WHERE {mine}")
    return folder / "checkpoints" / str(uuid) / "1"


@pytest.mark.slow
def test_ch_35_kafka_unavailable(lab: Lab, topic: str, absent: Broker) -> None:
    """CH-35: tables are made while the broker is away; all rows arrive when it is there."""
    lab.queue("q", topic, kafka_broker_list=absent.address)
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    said = lab.becomes("WAITING(BROKER_UNREACHABLE)")
    assert absent.address in said
    assert lab.sql("SELECT count() FROM v") == [(0,)]
    with pytest.raises(SluiceError, match="No answer from the Kafka broker"):
        lab.sql("SELECT * FROM q")
    absent.start()
    there = Cluster({"bootstrap.servers": absent.address})
    try:
        Lab(lab.session, there, absent.address).produce(topic, *keys(20_000))
    finally:
        there.close()
    lab.counted("v", 20_000)
    lab.sql("DROP TABLE q")


def test_ch_37_missing_target(lab: Lab, topic: str) -> None:
    """CH-37: nothing is read while a target is missing, and that is said."""
    lab.produce(topic, {"key": 1}, {"key": 2})
    lab.queue("q", topic)
    lab.sql("CREATE TABLE v2 (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW m1 TO v1 AS SELECT * FROM q")
    lab.sql("CREATE MATERIALIZED VIEW m2 TO v2 AS SELECT * FROM q")
    said = lab.becomes("WAITING(TARGET_MISSING)")
    assert f"View {lab.database}.m1 writes to {lab.database}.v1, which does not exist" in said
    assert lab.sql("SELECT count() FROM v2") == [(0,)]
    assert lab.cluster.committed(topic, [topic]) == {}
    lab.sql("CREATE TABLE v1 (key UInt64) ENGINE = MergeTree ORDER BY key")
    for target in ("v1", "v2"):
        lab.arrives(f"SELECT key FROM {target} ORDER BY key", [(1,), (2,)])


def test_topic_missing(lab: Lab, topic: str) -> None:
    """A topic that is made later is read from its start."""
    lab.queue("q", topic)
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    assert topic in lab.becomes("WAITING(KAFKA_TOPIC_MISSING)")
    lab.produce(topic, *keys(3))
    lab.counted("v", 3)


def test_failing_view(lab: Lab, topic: str) -> None:
    """A view that fails holds the batch back, and says so; a right one in its place gets it."""
    lab.produce(topic, {"s": "1"}, {"s": "x"})
    lab.queue("q", topic, "s String")
    lab.sql("CREATE TABLE v (s String, n Int32) ENGINE = MergeTree ORDER BY s")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT s, toInt32(s) AS n FROM q")
    said = lab.becomes("WAITING(VIEW_FAILED)")
    assert f"View {lab.database}.m failed" in said
    assert lab.sql("SELECT count() FROM v") == [(0,)]
    assert lab.cluster.committed(topic, [topic]) == {}
    lab.sql("DROP VIEW m")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT s, toInt32OrZero(s) AS n FROM q")
    lab.arrives("SELECT * FROM v ORDER BY s", [("1", 1), ("x", 0)])


def test_topic_replaced(lab: Lab, topic: str) -> None:
    """A topic that was deleted and made again is another one: somebody has to decide."""
    lab.pipe(topic)
    lab.produce(topic, *keys(5))
    lab.counted("v", 5)
    lab.cluster.delete_topic(topic)
    lab.produce(topic, *keys(10, start=5))
    said = lab.becomes("FAILED(KAFKA_TOPIC_REPLACED)")
    assert f"SYSTEM RESET OFFSETS {lab.database}.q TO EARLIEST" in said
    assert lab.sql("SELECT count() FROM v") == [(5,)]
    lab.sql("SYSTEM RESET OFFSETS q TO EARLIEST")
    lab.counted("v", 15)


def test_checkpoint_deleted(lab: Lab, topic: str, folder: Path) -> None:
    """A missing checkpoint is reported; reading resumes at the group's committed offsets."""
    lab.pipe(topic)
    lab.produce(topic, *keys(5))
    lab.counted("v", 5)
    ends = lab.cluster.latest([topic])
    eventually(lambda: lab.cluster.committed(topic, [topic]), lambda at: at == ends)
    lab.sql("DETACH TABLE q")
    lab.produce(topic, *keys(5, start=5))
    shutil.rmtree(checkpoint(lab, folder))
    lab.sql("ATTACH TABLE q")
    said = lab.becomes("FAILED(CHECKPOINT_MISSING)")
    assert f"SYSTEM RESET OFFSETS {lab.database}.q TO GROUP" in said
    lab.sql("SYSTEM RESET OFFSETS q TO GROUP")
    lab.counted("v", 10)


def test_records_deleted_before_they_were_read(lab: Lab, topic: str, folder: Path) -> None:
    """Messages that Kafka deleted unread are named; nothing is skipped until somebody says so."""
    lab.pipe(topic)
    lab.produce(topic, *keys(10))
    lab.counted("v", 10)
    eventually((checkpoint(lab, folder) / "commits" / "0").exists)
    lab.sql("DETACH TABLE q")
    lab.produce(topic, *keys(10, start=10))
    delete_records(lab.cluster, {topic: {0: 15}})
    lab.sql("ATTACH TABLE q")
    assert f"{topic}/0: 10 to 14 are gone" in lab.becomes("FAILED(KAFKA_DATA_LOSS)")
    assert lab.sql("SELECT count() FROM v") == [(10,)]
    lab.sql("SYSTEM RESET OFFSETS q TO EARLIEST")
    lab.arrives("SELECT max(key), count() FROM v", [(19, 15)])


def test_records_deleted_after_they_were_read(lab: Lab, topic: str) -> None:
    """Messages that are in every target may go; that is no loss."""
    lab.pipe(topic)
    lab.produce(topic, *keys(10))
    lab.counted("v", 10)
    lab.sql("DETACH TABLE q")
    lab.produce(topic, *keys(10, start=10))
    delete_records(lab.cluster, {topic: {0: 10}})
    lab.sql("ATTACH TABLE q")
    eventually(lab.pipeline, lambda row: str(row[0]).startswith(("RUNNING", "FAILED(")))
    assert lab.pipeline() == ("RUNNING", "")
    lab.counted("v", 20)


def test_reset_to_latest(lab: Lab, topic: str) -> None:
    """TO LATEST passes over what is there."""
    lab.produce(topic, *keys(5))
    lab.queue("q", topic)
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("SYSTEM RESET OFFSETS q TO LATEST")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    lab.produce(topic, *keys(3, start=5))
    lab.arrives("SELECT key FROM v ORDER BY key", [(5,), (6,), (7,)])


def test_a_table_that_a_view_looks_up_goes_away(lab: Lab, topic: str) -> None:
    """Dropping what a view joins with stops that pipeline alone, and it heals."""
    lab.make_topic(topic)
    lab.queue("q", topic)
    names = "CREATE TABLE names (key UInt64, name String) ENGINE = MergeTree ORDER BY key"
    lab.sql(names)
    lab.sql("CREATE TABLE v (key UInt64, name String) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT key, name FROM q LEFT JOIN names USING key")
    lab.sql("DROP TABLE names")
    lab.sql("CREATE TABLE other (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.produce(topic, *keys(2))
    eventually(lab.pipeline, lambda row: str(row[0]).startswith("WAITING("))
    assert lab.cluster.committed(topic, [topic]) == {}
    lab.sql(names)
    lab.arrives("SELECT * FROM v ORDER BY key", [(0, ""), (1, "")])


def test_a_kafka_table_that_no_longer_fits_its_view(lab: Lab, topic: str) -> None:
    """A table made again with other columns does not take the server down with it."""
    lab.pipe(topic, "key UInt64, s String")
    lab.sql("DROP TABLE v")
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("DROP VIEW m")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT length(s) AS key FROM q")
    lab.sql("DROP TABLE q")
    lab.queue("q", topic, "key UInt64")
    lab.sql("CREATE TABLE other (key UInt64) ENGINE = MergeTree ORDER BY key")
    eventually(lab.pipeline, lambda row: str(row[0]).startswith(("WAITING(", "FAILED(")))
    lab.sql("DROP TABLE q")
    lab.queue("q", topic, "s String")
    lab.produce(topic, {"s": "four"})
    lab.arrives("SELECT * FROM v", [(4,)])
