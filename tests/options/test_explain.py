"""EXPLAIN MIGRATION: what becomes of each option of the statements people have."""
# ruff: noqa: E501 - a row is a line

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from options.tables import FLINK, NEEDED, UPSERT, clickhouse, flink
from sluice.catalog import KAFKA, Column, Table
from sluice.planner.arguments import settings_of
from sluice.planner.explain import Explained, explain
from sluice.sql import ir
from sluice.sql.clickhouse import parse

H, C, R = "honoured", "changed", "refused"

BEHAVIOUR = flink(
    {
        "connector": "kafka",
        "topic": "user_behavior",
        "properties.bootstrap.servers": "localhost:9092",
        "properties.group.id": "testGroup",
        "format": "csv",
        "scan.startup.mode": "earliest-offset",
    },
    "user_id item_id category_id behavior ts",
)
CARS = {
    "connector.type": "kafka",
    "connector.version": "0.10",
    "connector.topic": "test-topic",
    "connector.properties.bootstrap.servers": "xx.xx.xx.xx:9092",
    "connector.sink-partitioner": "round-robin",
    "format.type": "csv",
}
UPSERTED = {name: value for name, value in CARS.items() if "partitioner" not in name} | {
    "connector.type": "upsert-kafka",
    "connector.version": "0.11",
}
COLUMNS = "car_id car_owner car_brand car_speed"

GITHUB = """
CREATE TABLE github_queue (file_time DateTime, actor_login LowCardinality(String))
ENGINE = Kafka()
SETTINGS kafka_broker_list='<host>:<port>',
         kafka_topic_list='github',
         kafka_group_name='clickhouse',
         kafka_format = 'JSONEachRow',
         kafka_thread_per_consumer = 0,
         kafka_num_consumers = 1,
         kafka_security_protocol='sasl_ssl',
         kafka_sasl_mechanism = 'PLAIN',
         kafka_sasl_username = '<username>',
         kafka_sasl_password = '<password>'
"""
QUEUE = """
CREATE TABLE queue (timestamp UInt64, level String, message String)
ENGINE = Kafka('localhost:9092', 'topic', 'group1', 'JSONEachRow')
"""


def parsed(sql: str) -> Table:
    statement = parse(sql)
    assert isinstance(statement, ir.CreateTable)
    settings = settings_of(statement.engine.args, statement.settings, {}, None)
    columns = tuple(Column(c.name, c.type) for c in statement.columns)
    created = datetime(2024, 1, 1, tzinfo=UTC)
    return Table("u", "default", statement.name.table, KAFKA, columns, created, settings=settings)


CASES: dict[str, tuple[Table, dict[str, str]]] = {
    "Flink's Kafka table": (BEHAVIOUR, {
        "connector": H, "topic": H, "properties.bootstrap.servers": H, "properties.group.id": H,
        "format": H, "scan.startup.mode": H, "scan.bounded.mode": H, "sink.semantic": H,
        "sink.partitioner": H, "csv.field-delimiter": H,
    }),
    "DLI's Kafka table": (flink(CARS, COLUMNS), {
        "connector.type": H, "connector.version": C, "connector.topic": H,
        "connector.properties.bootstrap.servers": H, "connector.sink-partitioner": H,
        "format.type": H, "(as a source)": R, "connector.startup-mode": H, "format.field-delimiter": H,
    }),
    "DLI's upsert table": (flink(UPSERTED, COLUMNS, "car_id"), {
        "connector.type": H, "connector.version": C, "connector.topic": H,
        "connector.properties.bootstrap.servers": H, "format.type": H,
        "connector.sink.ignore-retraction": H, "connector.sink-partitioner": H,
    }),
    "ClickHouse's table with a login": (parsed(GITHUB), {
        "kafka_broker_list": H, "kafka_topic_list": H, "kafka_group_name": H, "kafka_format": H,
        "kafka_thread_per_consumer": H, "kafka_num_consumers": H, "kafka_security_protocol": H,
        "kafka_sasl_mechanism": H, "kafka_sasl_username": H, "kafka_sasl_password": H,
        "kafka_flush_interval_ms": C, "kafka_max_block_size": H,
    }),
    "ClickHouse's table with arguments": (parsed(QUEUE), {
        "kafka_broker_list": H, "kafka_topic_list": H, "kafka_group_name": H, "kafka_format": H,
        "kafka_num_consumers": C, "kafka_skip_broken_messages": H, "kafka_client_id": C,
    }),
}  # fmt: skip


def explained(table: Table) -> dict[str, Explained]:
    rows = explain(table)
    assert len({row.option for row in rows}) == len(rows)
    return {row.option: row for row in rows}


@pytest.mark.parametrize("title", CASES)
def test_main_examples(title: str) -> None:
    table, outcomes = CASES[title]
    rows = explained(table)
    assert {option: rows[option].outcome for option in outcomes} == outcomes
    assert all(name in rows for name in table.settings)
    assert all(row.how for row in rows.values())
    given = [row.option for row in rows.values() if row.given]
    assert given == list(table.settings)


def test_absent_options_show_their_default() -> None:
    rows = explained(clickhouse(NEEDED))
    block = rows["kafka_max_block_size"]
    assert (block.given, block.outcome, block.default) == ("", H, "1048576")
    flush = rows["kafka_flush_interval_ms"]
    assert (flush.outcome, flush.default) == (C, "500")
    assert "7500" in flush.how


def one(settings: dict[str, Any], option: str) -> Explained:
    dialect = clickhouse if "kafka_format" in settings else flink
    return explained(dialect(settings))[option]


@pytest.mark.parametrize(
    ("base", "name", "value", "outcome", "how"),
    [
        (NEEDED, "kafka_commit_every_batch", 1, C, "without effect"),
        (NEEDED, "kafka_commit_every_batch", 0, H, "default"),
        (NEEDED, "kafka_compression_codec", "zstd", H, ""),
        (NEEDED, "kafka_shard_count", 2, R, "one pipeline reads all partitions"),
        (NEEDED, "kafka_formt", "x", R, "Did you mean kafka_format"),
        (NEEDED, "kafka_num_consumers", 100_000, R, "can not be bigger than"),
        (NEEDED, "kafka_num_consumers", "many", R, "an integer"),
        (NEEDED, "kafka_format", "Avro", H, ""),
        (NEEDED, "kafka_format", "Avroo", R, "Unknown format Avroo"),
        (NEEDED, "kafka_handle_error_mode", "stream", H, ""),
        (NEEDED, "format_binary_max_object_size", "9", H, ""),
        (NEEDED, "output_format_schema", "|", R, "it names files of the server"),
        (NEEDED, "input_format_parallel_parsing", 0, C, "without effect"),
        (FLINK, "properties.max.poll.records", "5", H, "passed to the Kafka clients"),
        (FLINK, "properties.group.instance.id", "5", C, "without effect"),
        (FLINK, "properties.interceptor.classes", "X", R, "it runs a class"),
        (FLINK, "properties.nonsense", "X", R, "Unknown setting nonsense"),
        (FLINK, "scan.startup.mode", "abc", R, "Supported values are"),
        (FLINK, "scan.startup.mode", "timestamp", R, "but missing"),
        (FLINK, "sink.partitioner", "a.B", R, "instantiate partitioner class 'a.B'"),
        (FLINK, "format", "parquet", R, "a file format"),
        (FLINK, "format", "xyz", R, "Unknown format xyz"),
        (FLINK, "scan.topic-partition-discovery.interval", "1 s", H, "new topics and partitions"),
        (FLINK, "csv.field-delimiter", ";", R, "Unsupported options"),
    ],
)
def test_outcomes(base: dict[str, Any], name: str, value: Any, outcome: str, how: str) -> None:
    row = one({**base, name: value}, name)
    assert (row.outcome, row.given) == (outcome, str(value))
    assert how in row.how
    assert "\n" not in row.how


def test_every_mistake_of_a_statement_is_told() -> None:
    table = clickhouse(
        {
            **NEEDED,
            "kafka_format": "Avroo",
            "kafka_handle_error_mode": "steam",
            "date_time_input_format": "whatever",
        }
    )
    rows = explained(table)
    assert [row.option for row in rows.values() if row.outcome == R] == [
        "kafka_format", "kafka_handle_error_mode", "date_time_input_format",
    ]  # fmt: skip


def test_what_no_single_option_is_to_blame_for() -> None:
    rows = explained(flink(UPSERT))
    assert "PRIMARY KEY" in rows["(as a source)"].how
    assert "PRIMARY KEY" in rows["(as a sink)"].how
    rows = explained(clickhouse({**NEEDED, "kafka_keeper_path": "/x"}))
    assert "or none of them" in rows["(the table)"].how


def test_a_collection_is_explained_with_the_table() -> None:
    given = {"kafka_format": "JSONEachRow", "kafka_topic_list": "t", "kafka_group_name": "g"}
    rows = {
        r.option: r for r in explain(clickhouse(given), collection={"kafka_broker_list": "b:1"})
    }
    assert rows["kafka_broker_list"].given == "b:1"
    assert not [row for row in rows.values() if row.outcome == R]
