"""Tables of Flink's that take their columns from a registry, a real one, or from messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from engine.registered import ROW, framed, order, register

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab


def test_flink(flink: FlinkLab, topic: str, registry: str) -> None:
    """Flink's table has the columns of the schema; what it writes has the subject it is told."""
    id_ = register(registry, f"{topic}-value", ROW)
    options = (
        f"'connector' = 'kafka', 'topic' = '{topic}', 'scan.startup.mode' = 'earliest-offset', "
        f"'properties.bootstrap.servers' = '{flink.brokers}', 'format' = 'avro-confluent', "
        f"'avro-confluent.url' = '{registry}'"
    )
    flink.make_topic(topic)
    flink.produce(topic, framed(id_, ROW, order(5)))
    flink.sql(f"CREATE TABLE t WITH ({options})")
    text = flink.sql("SHOW CREATE TABLE t")[0][0]
    for column in (
        "`id` BIGINT NOT NULL",
        "`name` STRING",
        "`at` TIMESTAMP(3) NOT NULL",
        "`tags` ARRAY<STRING NOT NULL> NOT NULL",
        "`place` ROW<`x` INT NOT NULL> NOT NULL",
    ):
        assert column in text
    assert flink.sql("SELECT id, place.x FROM t") == [(5, 5)]
    strategy = "'avro-confluent.subject.name.strategy' = 'TopicRecordNameStrategy'"
    flink.sql(
        f"CREATE TABLE w (id BIGINT) WITH ({options.replace(topic, topic + '-w')}, {strategy})"
    )
    flink.make_topic(f"{topic}-w")
    flink.sql("INSERT INTO w VALUES (7)")
    assert flink.sql("SELECT id FROM w") == [(7,)]
    subjects = httpx.get(f"{registry}/subjects").json()
    assert f"{topic}-w-org.apache.flink.avro.generated.record" in subjects


def test_flink_columns_of_a_sample(flink: FlinkLab, topic: str) -> None:
    flink.make_topic(topic)
    flink.produce(topic, {"a": 1, "b": {"c": "x", "d": [1.5]}}, {"e": True, "f": "2020-01-01"})
    flink.sql(
        f"CREATE TABLE t WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json', "
        f"'properties.bootstrap.servers' = '{flink.brokers}', "
        "'scan.startup.mode' = 'earliest-offset')"
    )
    text = flink.sql("SHOW CREATE TABLE t")[0][0]
    for column in ("`a` BIGINT", "`b` ROW<", "`e` BOOLEAN", "`f` STRING"):
        assert column in text
    assert flink.sql("SELECT b.c FROM t WHERE a = 1") == [("x",)]
