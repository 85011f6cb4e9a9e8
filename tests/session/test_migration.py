"""EXPLAIN MIGRATION in each dialect: what becomes of every option, without making anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.options import docs
from sluice.session import system

if TYPE_CHECKING:
    from session.lab import Lab

QUEUE = """
CREATE TABLE queue (timestamp UInt64, level String, message String)
ENGINE = Kafka('localhost:9092', 'topic', 'group1', 'JSONEachRow')
SETTINGS kafka_num_consumers = 2, kafka_flush_interval_ms = 500, kafka_thread_per_consumer = 1
"""
CARS = """
CREATE TABLE cars (car_id STRING) WITH (
  'connector.type' = 'kafka', 'connector.version' = '0.10', 'connector.topic' = 't',
  'connector.properties.bootstrap.servers' = 'localhost:9092', 'format.type' = 'csv')
"""


def explained(lab: Lab, sql: str, dialect: str = "clickhouse") -> dict[str, tuple[str, ...]]:
    rows = lab.session.execute(f"EXPLAIN MIGRATION {sql}", dialect=dialect).fetchall()
    return {row[0]: row[1:] for row in rows}


def test_clickhouse(lab: Lab) -> None:
    rows = explained(lab, QUEUE)
    assert rows["kafka_broker_list"][:2] == ("localhost:9092", "honoured")
    assert rows["kafka_flush_interval_ms"][:2] == ("500", "honoured")
    assert rows["kafka_thread_per_consumer"][1] == "changed"
    assert rows["kafka_max_block_size"][0] == ""  # not given: the default applies
    assert rows["kafka_max_block_size"][3] != ""
    assert lab.session.execute("SHOW TABLES").fetchall() == []


def test_a_named_collection_is_part_of_it(lab: Lab) -> None:
    lab.run(
        "CREATE NAMED COLLECTION c AS kafka_broker_list = 'b:1', kafka_topic_list = 't', "
        "kafka_group_name = 'g', kafka_sasl_password = 'c4nary'"
    )
    rows = explained(lab, "CREATE TABLE q (a Int8) ENGINE = Kafka(c, kafka_format = 'JSONEachRow')")
    assert rows["kafka_topic_list"][:2] == ("t", "honoured")
    assert "c4nary" not in repr(rows)


def test_dli(lab: Lab) -> None:
    rows = explained(lab, CARS, "flink")
    assert rows["connector.topic"][0] == "t"
    assert lab.session.execute("SHOW TABLES", dialect="flink").fetchall() == []


@pytest.mark.parametrize(
    "statement", ["CREATE DATABASE d", "CREATE TABLE t (a Int8) ENGINE = Memory"]
)
def test_only_tables_that_read_a_topic(lab: Lab, statement: str) -> None:
    with pytest.raises(SluiceError, match="EXPLAIN MIGRATION"):
        explained(lab, statement)


def test_every_option_is_a_row_of_system_options(lab: Lab) -> None:
    rows = {row[0]: row for row in lab.system("options")}
    assert rows["topic"][1:4] == ("kafka_topic_list", "topic", "connector.topic")
    columns = [name for name, _ in system.TABLES["options"].columns]
    assert columns == list(docs.rows()[0])
