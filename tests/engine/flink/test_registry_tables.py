"""Tables of Flink's that take their columns from a registry, a real one, or from messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from engine.registered import ROW, framed, order, register
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pathlib import Path

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


ORDER = """syntax = "proto3"; package shop; option java_package = "com.shop";
message Order { int64 id = 1; repeated string tags = 2; Place place = 3; }
message Place { int32 x = 1; optional string name = 2; }
"""


def test_flink_protobuf(flink: FlinkLab, topic: str, registry: str, folder: Path) -> None:
    """Protobuf by a Java class or the ids of a registry; JSON by its own names there."""
    common = (
        "'connector' = 'kafka', 'scan.startup.mode' = 'earliest-offset', "
        f"'properties.bootstrap.servers' = '{flink.brokers}', 'topic' = '{topic}"
    )
    (folder / "format_schemas").mkdir(exist_ok=True)
    (folder / "format_schemas" / "order.proto").write_text(ORDER)
    for name in ("", "-w", "-j", "-p"):
        flink.make_topic(f"{topic}{name}")
    record = b"\x08\x07\x12\x01a\x12\x01b\x1a\x02\x08\x05"
    flink.produce(topic, record)
    columns = "(id BIGINT, tags ARRAY<STRING>, place ROW<x INT, name STRING>)"
    plain = (
        "'format' = 'protobuf', 'protobuf.message-class-name' = 'com.shop.OrderOuterClass$Order'"
    )
    flink.sql(f"CREATE TABLE p {columns} WITH ({common}', {plain})")
    read = "SELECT id, tags[2], place.x, place.name FROM "
    assert flink.sql(f"{read}p") == [(7, "b", 5, "")]  # proto3: Flink has the default
    wrong = plain.replace("Order'", "Refund'")
    flink.sql(f"CREATE TABLE x {columns} WITH ({common}', {wrong})")
    with pytest.raises(SluiceError, match=r"no .proto file there has this message"):
        flink.sql(f"{read}x")

    given = {"schema": ORDER, "schemaType": "PROTOBUF"}
    answer = httpx.post(f"{registry}/subjects/{topic}-w-value/versions", json=given)
    id_ = int(answer.raise_for_status().json()["id"])
    flink.produce(f"{topic}-w", b"\0" + id_.to_bytes(4, "big") + b"\0" + record)
    url = f"'protobuf-confluent.url' = '{registry}'"
    flink.sql(f"CREATE TABLE w WITH ({common}-w', 'format' = 'protobuf-confluent', {url})")
    text = flink.sql("SHOW CREATE TABLE w")[0][0]
    for column in ("`id` BIGINT", "`tags` ARRAY<STRING>", "`place` ROW<`x` INT, `name` STRING>"):
        assert column in text
    assert flink.sql(f"{read}w") == [(7, "b", 5, None)]

    for name, format_ in (("j", "json-registry"), ("r", "proto-registry")):
        own = f"'format' = '{format_}', '{format_}.url' = '{registry}'"
        target = common + ("-j" if name == "j" else "-p")
        flink.sql(f"CREATE TABLE {name} {columns} WITH ({target}', {own})")
        flink.sql(f"INSERT INTO {name} VALUES (8, ARRAY['x', 'y'], ROW(6, 'n'))")
        assert flink.sql(f"{read}{name}") == [(8, "y", 6, "n")]
    kinds = [
        httpx.get(f"{registry}/subjects/{topic}-{name}-value/versions/latest").json()["schemaType"]
        for name in ("j", "p")
    ]
    assert kinds == ["JSON", "PROTOBUF"]
    own = f"'format' = 'json-registry', 'json-registry.url' = '{registry}'"
    flink.sql(f"CREATE TABLE found WITH ({common}-j', {own})")
    assert flink.sql(f"{read}found") == [(8, "y", 6, "n")]


def test_flink_keys(flink: FlinkLab, topic: str, registry: str, folder: Path) -> None:
    """Protobuf as the format of keys: by a Java class, and with the id of a registry."""
    (folder / "format_schemas").mkdir(exist_ok=True)
    (folder / "format_schemas" / "order.proto").write_text(ORDER)
    keys = {
        "protobuf": ("message-class-name", "com.shop.OrderOuterClass$Place"),
        "protobuf-confluent": ("url", registry),
    }
    for format_, (option, value) in keys.items():
        name = f"{topic}-{format_}"
        flink.make_topic(name)
        flink.sql(
            f"CREATE TABLE `{format_}` (x INT, name STRING, v STRING) WITH ("
            f"'connector' = 'kafka', 'topic' = '{name}', 'value.format' = 'raw', "
            f"'properties.bootstrap.servers' = '{flink.brokers}', "
            f"'key.format' = '{format_}', 'key.{format_}.{option}' = '{value}', "
            "'key.fields' = 'x;name', 'value.fields-include' = 'EXCEPT_KEY', "
            "'scan.startup.mode' = 'earliest-offset')"
        )
        flink.sql(f"INSERT INTO `{format_}` VALUES (5, 'n', 'a')")
        assert flink.sql(f"SELECT x, name, v FROM `{format_}`") == [(5, "n", "a")]
        (message,) = flink.consume(name)
        assert (message.key or b"")[-5:] == b"\x08\x05\x12\x01n"
    assert f"{topic}-protobuf-confluent-key" in httpx.get(f"{registry}/subjects").json()


PLACE = """{"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}},
"$defs": {"x": {"type": "integer"}}}"""
NAMED = """{"type": "object", "properties": {"id": {"$ref": "#/definitions/id"},
"place": {"$ref": "place.json"}}, "definitions": {"id": {"type": "integer"}}}"""


def test_flink_json_schema_with_references(flink: FlinkLab, topic: str, registry: str) -> None:
    """Columns whose types are elsewhere in the schema, and in another one of the registry."""
    subjects = f"{registry}/subjects/{topic}"
    given: dict[str, Any] = {"schema": PLACE, "schemaType": "JSON"}
    httpx.post(f"{subjects}-place/versions", json=given).raise_for_status()
    place = {"name": "place.json", "subject": f"{topic}-place", "version": 1}
    given = {"schema": NAMED, "schemaType": "JSON", "references": [place]}
    httpx.post(f"{subjects}-value/versions", json=given).raise_for_status()
    flink.make_topic(topic)
    flink.sql(
        f"CREATE TABLE t WITH ('connector' = 'kafka', 'topic' = '{topic}', "
        f"'properties.bootstrap.servers' = '{flink.brokers}', 'format' = 'json-registry', "
        f"'json-registry.url' = '{registry}', 'scan.startup.mode' = 'earliest-offset')"
    )
    text = flink.sql("SHOW CREATE TABLE t")[0][0]
    assert "`id` BIGINT" in text
    assert "`place` ROW<`x` BIGINT>" in text


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
