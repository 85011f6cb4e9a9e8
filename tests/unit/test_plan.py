from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sluice.catalog import KAFKA, Collection, Column, Table, Value
from sluice.errors import Place, SluiceError
from sluice.planner.arguments import settings_of, with_collection
from sluice.planner.query import QuerySpec
from sluice.planner.source import kafka_source
from sluice.types import parse_type

NEEDED = {
    "kafka_broker_list": "b:9092",
    "kafka_topic_list": "t",
    "kafka_group_name": "g",
    "kafka_format": "JSONEachRow",
}


def table(**settings: Any) -> Table:
    columns = (Column("a", parse_type("Int8")),)
    created = datetime(2024, 1, 1, tzinfo=UTC)
    return Table("u1", "d", "q", KAFKA, columns, created, settings={**NEEDED, **settings})


def test_what_a_source_reads() -> None:
    source = kafka_source(table(kafka_skip_broken_messages=1, kafka_num_consumers=4))
    assert source.topics == ("t",)
    assert (source.group, source.value.name) == ("g", "JSONEachRow")
    assert source.skip_broken
    assert source.min_tasks == 4
    assert source.connection.client_id == "sluice-d.q"
    assert QuerySpec.of_table(source, ()).id == "u1"


def test_topics_are_split_and_trimmed() -> None:
    assert kafka_source(table(kafka_topic_list=" a, b ,,c")).topics == ("a", "b", "c")
    with pytest.raises(SluiceError, match="names no topic"):
        kafka_source(table(kafka_topic_list=" , "))


def test_names_are_filled_in() -> None:
    source = kafka_source(table(kafka_group_name="{database}-{table}", kafka_client_id="c-{uuid}"))
    assert source.group == "d-q"
    assert source.connection.client_id == "c-u1"


def test_formats_are_known_in_any_case() -> None:
    assert kafka_source(table(kafka_format="jsoneachrow")).value.name == "JSONEachRow"
    with pytest.raises(SluiceError, match="JSONEachRow") as unknown:
        kafka_source(table(kafka_format="JSONEachRoww"), {"kafka_format": Place(1, 2)})
    assert unknown.value.place == Place(1, 2)


def test_keeper_settings_come_together() -> None:
    with pytest.raises(SluiceError, match="or none of them"):
        kafka_source(table(kafka_keeper_path="/x"))
    kafka_source(table(kafka_keeper_path="/x", kafka_replica_name="r"))


def test_a_user_without_sasl_is_refused() -> None:
    with pytest.raises(SluiceError, match="SASL"):
        kafka_source(table(kafka_sasl_username="u", kafka_sasl_password="p"))  # noqa: S106


def test_arguments_become_settings() -> None:
    merged = settings_of(["b:1", "t", "g", "JSONEachRow"], {"kafka_num_consumers": 2}, {}, None)
    assert merged == {
        "kafka_broker_list": "b:1",
        "kafka_topic_list": "t",
        "kafka_group_name": "g",
        "kafka_format": "JSONEachRow",
        "kafka_num_consumers": 2,
    }


def test_an_argument_and_a_setting_do_not_go_together() -> None:
    places = {"kafka_topic_list": Place(5, 6)}
    with pytest.raises(SluiceError, match="№2") as both:
        settings_of(["b:1", "t"], {"kafka_topic_list": "t"}, places, None)
    assert both.value.place == Place(5, 6)


def test_a_collection_and_what_replaces_its_values() -> None:
    """CH-07: the collection, what stands in the parentheses, SETTINGS: the later one wins."""
    collection = Collection(
        "c", {"kafka_format": Value("CSV"), "host": Value("x"), "format_csv_delimiter": Value("|")}
    )
    merged = with_collection(collection, {"kafka_format": "TSV", "kafka_schema": "s"}, {})
    assert merged == {"kafka_format": "TSV", "kafka_schema": "s", "format_csv_delimiter": "|"}
    assert with_collection(collection, merged, {"kafka_format": "X"})["kafka_format"] == "X"


def test_a_value_that_must_stay() -> None:
    collection = Collection("c", {"kafka_format": Value("CSV", False)})
    places = {"kafka_format": Place(3, 4)}
    said: dict[str, Any] = {"kafka_format": "x"}
    for overrides, settings in ((said, {}), ({}, said)):
        with pytest.raises(SluiceError, match="Override not allowed for 'kafka_format'") as bad:
            with_collection(collection, overrides, settings, places)
        assert bad.value.place == Place(3, 4)


def test_too_many_arguments() -> None:
    with pytest.raises(SluiceError, match="at most") as many:
        settings_of(["x"] * 20, {}, {}, Place(1, 1))
    assert many.value.place == Place(1, 1)
