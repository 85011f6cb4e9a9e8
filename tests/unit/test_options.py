from __future__ import annotations

from typing import Any

import pytest

from sluice.errors import Place, SluiceError
from sluice.options.kafka import KAFKA
from sluice.options.option_set import OptionSet
from sluice.parameters.kinds import Flag, Hidden, Integer, Text
from sluice.parameters.option import Option
from sluice.parameters.secret import HIDDEN, Secret

NEEDED = {
    "kafka_broker_list": "b:9092",
    "kafka_topic_list": "t",
    "kafka_group_name": "g",
    "kafka_format": "JSONEachRow",
}


def test_an_unset_option_has_its_default() -> None:
    values = KAFKA.read(NEEDED, "clickhouse")
    assert values["brokers"] == "b:9092"
    assert values["max_block_size"] == 1_048_576
    assert values["skip_broken_messages"] == 0
    assert set(values) == {option.key for option in KAFKA.options if not option.part}


@pytest.mark.parametrize("name", NEEDED)
def test_a_required_option_is_missed(name: str) -> None:
    given = {key: value for key, value in NEEDED.items() if key != name}
    with pytest.raises(SluiceError, match=f"Required parameter '{name}' for storage Kafka"):
        KAFKA.read(given, "clickhouse")


def test_an_unknown_option_is_named_with_its_place() -> None:
    places = {"kafka_max_block": Place(3, 4)}
    with pytest.raises(SluiceError, match="kafka_max_block_size") as unknown:
        KAFKA.read({**NEEDED, "kafka_max_block": 1}, "clickhouse", places)
    assert unknown.value.condition.name == "UNKNOWN_SETTING"
    assert unknown.value.place == Place(3, 4)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("kafka_max_rows_per_message", 0, "can not be lower than 1"),
        ("kafka_max_block_size", "x", "an integer"),
        ("kafka_max_block_size", True, "an integer"),
        ("kafka_schema_registry_skip_bytes", 256, "a number from 0 to 255"),
        ("kafka_commit_every_batch", "maybe", "true, false, 1 or 0"),
        ("kafka_handle_error_mode", "nope", "'default'"),
        ("kafka_topic_list", 5, "a quoted string"),
        ("kafka_security_protocol", "telnet", "'sasl_ssl'"),
    ],
)
def test_a_wrong_value_names_the_accepted_ones(name: str, value: Any, said: str) -> None:
    with pytest.raises(SluiceError, match=said) as wrong:
        KAFKA.read({**NEEDED, name: value}, "clickhouse")
    assert name in wrong.value.text()


def test_a_secret_is_hidden_everywhere() -> None:
    given = {**NEEDED, "kafka_sasl_password": "canary"}
    assert KAFKA.shown(given, "clickhouse")["kafka_sasl_password"] == HIDDEN
    assert KAFKA.read(given, "clickhouse")["sasl_password"] == Secret("canary")
    with pytest.raises(SluiceError) as wrong:
        KAFKA.read({**NEEDED, "kafka_sasl_password": 12345}, "clickhouse")
    assert "12345" not in wrong.value.text()


def test_kinds_read_their_values() -> None:
    assert Integer().read("12") == 12
    assert Integer(-5).read("-3") == -3
    assert [Flag().read(value) for value in (1, "0", True, "FALSE")] == [True, False, True, False]
    assert Text(("PLAIN",)).read("plain") == "PLAIN"
    assert str(Hidden().read("x")) == "[HIDDEN]"


def test_an_option_has_a_name_in_each_dialect_it_is_in() -> None:
    one = Option("a", {"clickhouse": "kafka_a"}, Text(), "It.")
    other = Option("b", {"flink": "b"}, Text(), "It.")
    options = OptionSet("x", (one, other))
    assert options.named("clickhouse") == {"kafka_a": one}
    assert options.named("flink") == {"b": other}
