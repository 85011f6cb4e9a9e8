"""EXPLAIN MIGRATION in each dialect: what becomes of every option, without making anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.catalog.system_tables import SYSTEM
from sluice.cli.main import main
from sluice.options import docs

if TYPE_CHECKING:
    from pathlib import Path

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


def test_an_unknown_type_is_one_row_of_several(lab: Lab) -> None:
    text = (
        "EXPLAIN MIGRATION CREATE TABLE q (a Strng, b Array(Foo(1, (2))), c Int8) ENGINE = "
        "Kafka('b:1', 't', 'g', 'JSONEachRow') SETTINGS kafka_thread_per_consumer = 1, kafka_x = 1"
    )
    rows = lab.run(text)
    refused = [row[3] for row in rows if row[2] == "refused"]
    assert ["Strng" in refused[0], "Foo" in refused[1], "kafka_x" in refused[2]] == [True] * 3
    assert len(refused) == 3
    changed = [row[0] for row in rows if row[1] and row[2] == "changed"]
    assert changed == ["kafka_thread_per_consumer"]


@pytest.mark.parametrize(
    ("dialect", "statement", "outcome"),
    [
        ("clickhouse", "CREATE DATABASE d", "honoured"),
        ("clickhouse", "CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a", "honoured"),
        ("clickhouse", "CREATE TABLE t (a Int8) ENGINE = MergeTree", "refused"),
        ("clickhouse", "CREATE MATERIALIZED VIEW m TO kept AS SELECT a FROM queue", "honoured"),
        ("clickhouse", "CREATE MATERIALIZED VIEW m TO kept AS SELECT b FROM queue", "refused"),
        (
            "clickhouse",
            "CREATE MATERIALIZED VIEW m TO kept AS SELECT xxHash64(a) FROM q",
            "refused",
        ),
        ("clickhouse", "ALTER TABLE kept ADD COLUMN z String", "honoured"),
        ("clickhouse", "DROP TABLE nosuch", "refused"),
        ("clickhouse", "SELECT a FROM kept", "honoured"),
        ("clickhouse", "INSERT INTO kept SELECT nosuch FROM queue", "refused"),
        (
            "clickhouse",
            "CREATE TABLE n ENGINE = Memory AS SELECT a, soundex('x') FROM kept",
            "honoured",
        ),
        ("clickhouse", "CREATE TABLE n AS SELECT nosuch FROM kept", "refused"),
        ("clickhouse", "CREATE OR REPLACE TABLE kept (a Int8) ENGINE = Memory", "honoured"),
        ("clickhouse", "CREATE VIEW v AS SELECT a FROM kept", "honoured"),
        ("clickhouse", "CREATE VIEW v AS SELECT a FROM queue", "honoured"),
        ("flink", "CREATE VIEW v AS SELECT 1 AS a", "honoured"),
        ("flink", "CREATE VIEW v AS SELECT a FROM nosuch", "refused"),
        ("flink", "CREATE DATABASE e", "honoured"),
    ],
)
def test_every_statement_is_tried(lab: Lab, dialect: str, statement: str, outcome: str) -> None:
    lab.run(
        "CREATE TABLE queue (a Int8) ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow')",
        "CREATE TABLE kept (a Int8) ENGINE = MergeTree ORDER BY a",
    )
    before = lab.version()
    rows = lab.session.execute(f"EXPLAIN MIGRATION {statement}", dialect=dialect).fetchall()
    whole = {row[2] for row in rows if row[0] == "(the statement)"}
    assert whole == {outcome}, rows
    assert lab.version() == before


SCRIPT = """
CREATE DATABASE shop; USE shop;
CREATE TABLE q (a Int8) ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow');
CREATE TABLE kept (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 8192;
CREATE MATERIALIZED VIEW m TO kept AS SELECT a FROM q;
"""
FLINK = """
CREATE TABLE o (id INT) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json',
  'properties.bootstrap.servers' = 'b:9092', 'sink.parallelism' = '2');
INSERT INTO o VALUES (1);
"""


def test_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "script.sql"
    file.write_text(SCRIPT, "utf-8")
    assert main(["migrate", str(file)]) == 0
    shown = capsys.readouterr().out
    assert f"{file}:4: changed: CREATE TABLE kept" in shown
    assert "    index_granularity = 8192: changed: kept" in shown
    assert shown.endswith("5 statements: 4 honoured, 1 changed, 0 refused\n")
    file.write_text(f"{SCRIPT}SELECT a, b FROM kept;\nGRANT x", "utf-8")
    assert main(["migrate", str(file)]) == 1
    shown = capsys.readouterr().out
    assert f"{file}:6: refused: SELECT a, b" in shown
    assert shown.endswith("7 statements: 4 honoured, 1 changed, 2 refused\n")
    file.write_text(FLINK, "utf-8")
    assert main(["migrate", "--dialect", "flink", str(file)]) == 0
    assert "can only be written" in capsys.readouterr().out


def test_every_option_is_a_row_of_system_options(lab: Lab) -> None:
    rows = {row[0]: row for row in lab.system("options")}
    assert rows["topic"][1:4] == ("kafka_topic_list", "topic", "connector.topic")
    columns = [name for name, _ in SYSTEM["options"].columns]
    assert columns == list(docs.rows()[0])
