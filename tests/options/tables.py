"""Tables to try options on, without a parser and without a catalog."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.catalog import KAFKA, Column, Table
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping

CREATED = datetime(2024, 1, 1, tzinfo=UTC)

NEEDED = {
    "kafka_broker_list": "b:9092",
    "kafka_topic_list": "t",
    "kafka_group_name": "g",
    "kafka_format": "JSONEachRow",
}

FLINK = {
    "connector": "kafka",
    "topic": "t",
    "properties.bootstrap.servers": "b:9092",
    "properties.group.id": "g",
    "format": "json",
}

UPSERT = {
    "connector": "upsert-kafka",
    "topic": "t",
    "properties.bootstrap.servers": "b:9092",
    "key.format": "json",
    "value.format": "json",
}

DLI = {
    "connector.type": "kafka",
    "connector.version": "0.10",
    "connector.topic": "t",
    "connector.properties.bootstrap.servers": "b:9092",
    "connector.properties.group.id": "g",
    "format.type": "csv",
}


def column(text: str) -> Column:
    """`name`, `name@key` if metadata, `name@key!` if that is virtual, `name=expr` if computed."""
    name, _, alias = text.partition("=")
    name, _, key = name.partition("@")
    return Column(
        name,
        parse_type("String"),
        alias=alias or None,
        metadata=key.rstrip("!") or None,
        virtual=key.endswith("!"),
    )


def clickhouse(settings: Mapping[str, Any], columns: str = "a", **more: Any) -> Table:
    made = tuple(column(text) for text in columns.split())
    return Table("u1", "d", "q", KAFKA, made, CREATED, engine="Kafka", settings=settings, **more)


def flink(
    settings: Mapping[str, Any], columns: str = "id name", key: str = "", **more: Any
) -> Table:
    made = tuple(column(text) for text in columns.split())
    return Table(
        "u1", "d", "t1", KAFKA, made, CREATED,
        settings=settings, dialect="flink", primary_key=tuple(key.split()), **more,
    )  # fmt: skip
