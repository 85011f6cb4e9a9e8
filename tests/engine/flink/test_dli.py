"""Tables with DLI's keys: the documents' own statements, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab

SOURCE = """
create table kafkaSource(
  car_id STRING,
  car_owner STRING,
  car_brand STRING,
  car_speed INT)
with (
  'connector.type' = 'kafka',
  'connector.version' = '0.11',
  'connector.topic' = '{topic}',
  'connector.properties.bootstrap.servers' = '{brokers}',
  'connector.properties.group.id' = '{topic}',
  {start},
  'format.type' = 'csv',
  'format.field-delimiter' = ';'
);
"""

SINK = """
create table kafkaSink(
  car_id STRING,
  car_owner STRING,
  car_brand STRING,
  car_speed INT)
with (
  'connector.type' = 'kafka',
  'connector.version' = '0.10',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = '{brokers}',
  'connector.sink-partitioner' = 'round-robin',
  'format.type' = 'csv'
);
"""

NUMBERED = (
    "'connector.startup-mode' = 'specific-offsets', 'connector.specific-offsets.0.partition' = "
    "'0', 'connector.specific-offsets.0.offset' = '1', 'connector.properties.0.key' = "
    "'isolation.level', 'connector.properties.0.value' = 'read_uncommitted'"
)


def test_fl_36_fl_37_fl_38_cars(flink: FlinkLab, topic: str) -> None:
    """FL-36, FL-37, FL-38: a job from one to the other, in append mode."""
    cars = [f"{n};owner {n};brand;{n * 10}".encode() for n in range(5)]
    flink.produce(topic, *map(Message, cars))
    flink.make_topic("test-topic", 2)
    flink.sql(SOURCE.format(topic=topic, brokers=flink.brokers, start=NUMBERED))
    assert flink.sql("SELECT car_id, car_owner, car_brand, car_speed FROM kafkaSource")[0] == (
        "1", "owner 1", "brand", 10,
    )  # fmt: skip
    flink.sql(SINK.format(brokers=flink.brokers))
    flink.start(
        "INSERT INTO kafkaSink SELECT car_id, car_owner, car_brand, car_speed FROM kafkaSource"
    )
    wanted = sorted(f'{n},"owner {n}",brand,{n * 10}'.encode() for n in range(1, 5))
    eventually(
        lambda: sorted(m.value or b"" for m in flink.consume("test-topic")), lambda v: v == wanted
    )
    assert {m.partition for m in flink.consume("test-topic")} == {0, 1}
    flink.group_at(topic, 5)
    flink.sql("CREATE TABLE changing WITH ('update-mode' = 'retract') LIKE kafkaSink")
    with pytest.raises(SluiceError, match="'update-mode' = 'retract' is not possible"):
        flink.sql("INSERT INTO changing SELECT * FROM kafkaSource")
    with pytest.raises(SluiceError, match="doesn't support consuming update changes"):
        flink.sql(
            "INSERT INTO kafkaSink SELECT car_id, 'x', 'y', CAST(COUNT(*) AS INT) FROM kafkaSource "
            "GROUP BY car_id"
        )
