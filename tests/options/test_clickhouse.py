"""What ClickHouse's suite checks about a Kafka table's options, by the ids of those checks."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from options.tables import NEEDED, clickhouse
from sluice.config import Collection, Config, Layer
from sluice.errors import Place, SluiceError
from sluice.formats.registry import of_dialect
from sluice.options.client import CONSUMER, EVERY, PRODUCER
from sluice.parameters.secret import Secret
from sluice.planner.arguments import settings_of
from sluice.planner.sink import kafka_sink
from sluice.planner.source import check_create, kafka_source

if TYPE_CHECKING:
    from sluice.planner.spec import KafkaSource


Given = dict[str, str | Secret]


def source(**settings: Any) -> KafkaSource:
    return kafka_source(clickhouse({**NEEDED, **settings}))


def refused(says: str, **settings: Any) -> SluiceError:
    places = {name: Place(7, at) for at, name in enumerate(settings, start=1)}
    with pytest.raises(SluiceError) as caught:
        check_create(clickhouse({**NEEDED, **settings}), places)
    assert says in caught.value.text()
    return caught.value


@pytest.mark.parametrize("kind", ["DEFAULT", "MATERIALIZED", "EPHEMERAL"])
def test_ch_01_columns_without_defaults(kind: str) -> None:
    table = clickhouse(NEEDED)
    column = replace(table.columns[0], default="0", default_kind=kind)
    with pytest.raises(SluiceError) as caught:
        check_create(replace(table, columns=(column,)))
    assert caught.value.condition.clickhouse_code == 36
    text = "KafkaEngine doesn't support DEFAULT/MATERIALIZED/EPHEMERAL expressions for columns."
    assert text in caught.value.text()


def test_ch_02_an_alias_is_accepted() -> None:
    check_create(clickhouse(NEEDED, "a b=toString(a)"))


def test_ch_03_positions_with_a_row_delimiter() -> None:
    args = ["b:9092", "t", "g", "JSONEachRow", "\n"]
    merged = settings_of(args, {"kafka_commit_on_select": 1}, {}, None)
    made = kafka_source(clickhouse(merged))
    assert (made.topics, made.group, made.commit_on_select) == (("t",), "g", True)
    assert made.connection.client_id == "sluice-d.q"


def test_ch_04_settings_with_a_client_id() -> None:
    made = source(kafka_row_delimiter="\n", kafka_client_id="instance test 1234")
    assert made.connection.librdkafka()["client.id"] == "instance test 1234"


def test_ch_05_skipping_is_a_number() -> None:
    assert source(kafka_skip_broken_messages=3).tolerance == 3
    assert source().tolerance == 0
    stream = source(kafka_skip_broken_messages=3, kafka_handle_error_mode="stream")
    assert (stream.tolerance, stream.skips_bad) == (0, False)


def test_ch_06_macros_are_filled_in() -> None:
    made = source(
        kafka_topic_list="{database}_{table}_topic",
        kafka_group_name="{database}_{table}_group",
        kafka_client_id="{database}_{uuid}_{replica}",
    )
    assert (made.topics, made.group) == (("d_q_topic",), "d_q_group")
    assert made.connection.client_id == "d_u1_sluice"
    refused("No macro 'shard'", kafka_group_name="{shard}")


def test_ch_06_macros_of_the_configuration() -> None:
    config = Config(macros={"replica": "r7", "shard": "3"})
    table = clickhouse({**NEEDED, "kafka_group_name": "{shard}-{replica}"})
    assert kafka_source(table, config=config).group == "3-r7"


def test_ch_07_a_collection_and_overrides() -> None:
    collection = {"kafka_broker_list": "x:1", "kafka_topic_list": "c", "kafka_group_name": "cg", "note": "?"}  # fmt: skip  # noqa: E501
    own = {"kafka_format": "JSONEachRow", "kafka_topic_list": "own"}
    made = kafka_source(clickhouse(own), collection=collection)
    assert (made.connection.brokers, made.topics, made.group) == ("x:1", ("own",), "cg")


def test_ch_08_the_limit_of_consumers() -> None:
    limit = max(16, os.cpu_count() or 1)
    error = refused("The number of consumers can not be bigger than", kafka_num_consumers=limit + 1)
    assert error.condition.name == "TOO_MANY_CONSUMERS"
    assert error.place == Place(7, 1)
    many = clickhouse({**NEEDED, "kafka_num_consumers": limit + 1})
    lifted = check_create(many, settings={"kafka_disable_num_consumers_limit": 1})
    assert lifted.min_tasks == limit + 1
    assert check_create(clickhouse({**NEEDED, "kafka_num_consumers": limit})).min_tasks == limit
    refused("Number of consumers can not be lower than 1", kafka_num_consumers=0)


@pytest.mark.parametrize("name", NEEDED)
def test_ch_09_a_required_parameter_is_missing(name: str) -> None:
    left = {key: value for key, value in NEEDED.items() if key != name}
    with pytest.raises(SluiceError, match=f"Required parameter '{name}' for storage Kafka not spe"):
        kafka_source(clickhouse(left))


def test_ch_09_a_parameter_in_two_places() -> None:
    text = (
        "The argument №2 of storage Kafka and the parameter 'kafka_topic_list' in SETTINGS "
        "cannot be specified at the same time"
    )
    with pytest.raises(SluiceError, match=text):
        settings_of(["b", "t"], {"kafka_topic_list": "t"}, {}, None)


def test_ch_10_zero_is_the_default() -> None:
    """As in the engine's documented template; ClickHouse itself refuses it."""
    left = source(kafka_max_block_size=0, kafka_poll_max_batch_size=0)
    unset = source()
    assert (left.max_block, left.poll_records) == (unset.max_block, unset.poll_records)
    profile = Config(profiles={"default": {"max_insert_block_size": "77"}})
    table = clickhouse({**NEEDED, "kafka_max_block_size": 0})
    assert kafka_source(table, config=profile).max_block == 77


_FIRST = ["b:9092", "t", "g", "JSONEachRow", "", "", 2, 100, 3, 1, "me", 250]


def test_ch_11_all_arguments_of_the_deprecated_form() -> None:
    documented = settings_of([*_FIRST, 50, 700, 0, "stream", 1, 4], {}, {}, None)
    actual = settings_of([*_FIRST, 700, 0, "stream", 1, 4], {}, {}, None)
    assert documented.pop("kafka_poll_max_batch_size") == 50
    assert documented == actual
    assert list(actual.items())[6:] == [
        ("kafka_num_consumers", 2), ("kafka_max_block_size", 100),
        ("kafka_skip_broken_messages", 3),
        ("kafka_commit_every_batch", 1), ("kafka_client_id", "me"), ("kafka_poll_timeout_ms", 250),
        ("kafka_flush_interval_ms", 700), ("kafka_thread_per_consumer", 0),
        ("kafka_handle_error_mode", "stream"), ("kafka_commit_on_select", 1),
        ("kafka_max_rows_per_message", 4),
    ]  # fmt: skip
    assert kafka_source(clickhouse(documented)).error_mode == "stream"


def test_ch_11_arguments_whose_order_nothing_tells() -> None:
    with pytest.raises(SluiceError, match=r"№13 .* kafka_flush_interval_ms .* Write it in SETTIN"):
        settings_of([*_FIRST, 700], {}, {}, None)
    with pytest.raises(SluiceError, match=r"at most 18 arguments, 19 given.* Write the other"):
        settings_of(["x"] * 19, {}, {}, None)


def test_ch_82_rows_of_written_messages() -> None:
    """CH-82: as many as the table, the format's own setting, or a block of ClickHouse has."""

    def rows(format_: str, asked: dict[str, Any] | None = None, **more: Any) -> int:
        return kafka_sink(source(kafka_format=format_, **more), asked).rows_per_message

    avro: dict[str, Any] = {"output_format_avro_rows_in_file": 3}
    assert (rows("Avro"), rows("Avro", **avro), rows("Avro", avro)) == (1, 3, 3)
    assert rows("Avro", kafka_max_rows_per_message=2, **avro) == 2
    assert (rows("CSV", **avro), rows("CSV", kafka_max_rows_per_message=5)) == (1, 5)
    assert (rows("Native"), rows("Native", {"max_block_size": 7})) == (65_409, 7)


def test_ch_95_subjects_are_named_in_java() -> None:
    url = {"format_avro_schema_registry_url": "http://registry:8081"}
    known = kafka_sink(source(kafka_format="AvroConfluent", **url)).value
    told = json.loads(known.codec.settings())
    assert (told["subject"], told["subject.topic"]) == ("t-value", "t")
    assert "subject" not in kafka_sink(source(kafka_format="Avro")).value.options


def test_ch_12_topics_are_split_at_commas_and_trimmed() -> None:
    assert source(kafka_topic_list="a, b").topics == ("a", "b")


def test_ch_13_unknown_fields_are_skipped_unless_the_table_says_otherwise() -> None:
    for value in (True, False):
        given = source(input_format_skip_unknown_fields=int(value)).value.options
        assert given == {"input_format_skip_unknown_fields": value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format_csv_delimiter", "|"),
        ("format_template_row", "x"),
        ("format_regexp", "(.*)"),
        ("input_format_with_names_use_header", 1),
        ("date_time_input_format", "basic"),
        ("input_format_import_nested_json", 0),
        ("input_format_parallel_parsing", 0),
        ("output_format_json_quote_64bit_integers", 1),
    ],
)
def test_ch_14_format_settings_stand_in_the_table(name: str, value: Any) -> None:
    assert name in source(**{name: value}).value.options


def test_ch_14_a_file_for_the_schema_is_refused() -> None:
    error = refused("it names files of the server", output_format_schema="made.proto")
    assert error.condition.name == "OPTION_REFUSED"
    source(output_format_schema="")


@pytest.mark.parametrize(
    ("format_", "setting"),
    [
        ("Protobuf", "format_protobuf_use_autogenerated_schema"),
        ("CapnProto", "format_capn_proto_use_autogenerated_schema"),
    ],
)
def test_ch_14_without_a_schema_one_is_made_unless_told_otherwise(
    format_: str, setting: str
) -> None:
    source(kafka_format=format_, **{setting: 1})
    refused(f"{format_} requires a schema", kafka_format=format_, **{setting: 0})


def test_ch_14_wrong_values_are_found() -> None:
    refused("'best_effort'", date_time_input_format="whatever")
    refused("an integer", input_format_csv_skip_first_lines="many")
    refused("a single character", format_csv_delimiter="||")
    refused("may not work correctly", kafka_format="CSV", format_csv_delimiter=" ")


def test_ch_15_no_header_is_guessed() -> None:
    given = source(input_format_csv_detect_header=1).value.options
    assert given == {"input_format_csv_detect_header": True}


LAYERS = (
    Layer(EVERY, "", {"compression.type": "lz4", "retry.backoff.ms": "1"}),
    Layer(PRODUCER, "", {"compression.type": "snappy"}),
)


def test_ch_16_the_statement_before_the_role_before_all() -> None:
    config = Config(LAYERS)
    table = clickhouse(NEEDED)

    def codec(**settings: Any) -> str:
        made = kafka_source(replace(table, settings={**NEEDED, **settings}), config=config)
        return made.connection.librdkafka(PRODUCER)["compression.type"]

    assert codec(kafka_compression_codec="gzip") == "gzip"
    assert codec() == "snappy"
    made = kafka_source(table, config=Config(LAYERS[:1]))
    assert made.connection.spark(PRODUCER)["kafka.compression.type"] == "lz4"


def test_ch_17_each_role_has_its_own() -> None:
    layers = (
        Layer(EVERY, "", {"retry.backoff.ms": "9"}),
        Layer(CONSUMER, "", {"session.timeout.ms": "6001"}),
        Layer(PRODUCER, "", {"transaction.timeout.ms": "60001"}),
    )
    made = kafka_source(clickhouse(NEEDED), config=Config(layers)).connection
    for read, write in (
        (made.librdkafka(), made.librdkafka(PRODUCER)),
        ({n.removeprefix("kafka."): v for n, v in made.spark().items()},
         {n.removeprefix("kafka."): v for n, v in made.spark(PRODUCER).items()}),
    ):  # fmt: skip
        assert read["session.timeout.ms"] == "6001"
        assert "session.timeout.ms" not in write
        assert write["transaction.timeout.ms"] == "60001"
        assert "transaction.timeout.ms" not in read
        assert read["retry.backoff.ms"] == write["retry.backoff.ms"] == "9"


SASL = {
    "kafka_security_protocol": "sasl_plaintext",
    "kafka_sasl_mechanism": "PLAIN",
    "kafka_sasl_username": "user",
    "kafka_sasl_password": "pw",
}


def test_ch_18_sasl_in_the_statement() -> None:
    settings = source(**SASL).connection.librdkafka()
    assert settings["security.protocol"] == "SASL_PLAINTEXT"
    assert (settings["sasl.username"], settings["sasl.password"]) == ("user", "pw")


def test_ch_19_sasl_of_the_statement_before_the_configuration() -> None:
    wrong: Given = {
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": "w",
        "sasl.password": Secret("w"),
    }
    config = Config((Layer(EVERY, "", wrong), Layer(CONSUMER, "", wrong)))
    made = kafka_source(clickhouse({**NEEDED, **SASL}), config=config).connection.librdkafka()
    assert made["sasl.mechanism"] == "PLAIN"
    assert (made["sasl.username"], made["sasl.password"]) == ("user", "pw")


def test_ch_19_sasl_of_the_configuration_alone() -> None:
    given: Given = {
        "security.protocol": "SASL_SSL",
        "sasl.username": "c",
        "sasl.password": Secret("s"),
    }
    made = kafka_source(clickhouse(NEEDED), config=Config((Layer(EVERY, "", given),))).connection
    assert made.librdkafka()["sasl.username"] == "c"
    assert 'username="c"' in made.spark()["kafka.sasl.jaas.config"]


def test_ch_19_those_that_write_may_have_a_login_of_their_own() -> None:
    both: Given = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}
    reader: Given = {"sasl.username": "r", "sasl.password": Secret("rp")}
    writer: Given = {"sasl.username": "w", "sasl.password": Secret("wp")}
    layers = (Layer(EVERY, "", both), Layer(CONSUMER, "", reader), Layer(PRODUCER, "", writer))
    made = kafka_source(clickhouse(NEEDED), config=Config(layers)).connection
    assert made.librdkafka()["sasl.username"] == "r"
    assert made.librdkafka(PRODUCER)["sasl.password"] == "wp"
    assert 'username="w"' in made.spark(PRODUCER)["kafka.sasl.jaas.config"]
    assert "rp" not in repr(made)
    assert "wp" not in repr(made)
    own = kafka_source(clickhouse({**NEEDED, **SASL}), config=Config(layers)).connection
    assert own.librdkafka(PRODUCER)["sasl.username"] == "user"


def test_ch_20_every_server_has_a_dead_letter_queue() -> None:
    """CH-20: nothing has to be configured for it."""
    for mode in ("default", "stream", "dead_letter_queue"):
        assert source(kafka_handle_error_mode=mode).error_mode == mode


@pytest.mark.parametrize(
    ("codec", "level"), [("none", -1), ("gzip", 7), ("snappy", 0), ("lz4", 12), ("zstd", 11)]
)
def test_ch_21_codecs_and_levels(codec: str, level: int) -> None:
    made = source(kafka_compression_codec=codec, kafka_compression_level=level).connection
    assert made.librdkafka(PRODUCER)["compression.type"] == codec
    java = made.spark(PRODUCER)
    if codec in ("gzip", "lz4", "zstd"):
        assert java[f"kafka.compression.{codec}.level"] == str(level)
    assert "compression.type" not in made.librdkafka()


def test_ch_21_levels_have_a_range_for_each_codec() -> None:
    assert "compression.type" not in source().connection.librdkafka(PRODUCER)
    refused("gzip takes 0 to 9", kafka_compression_codec="gzip", kafka_compression_level=10)
    refused("snappy takes 0 to 0", kafka_compression_codec="snappy", kafka_compression_level=1)
    refused("'zstd'", kafka_compression_codec="brotli")


def test_ch_23_both_keeper_settings_or_none() -> None:
    both = {
        "kafka_keeper_path": "/clickhouse/{database}/{uuid}",
        "kafka_replica_name": "{replica}",
        "allow_experimental_kafka_offsets_storage_in_keeper": 1,
    }
    assert source(**both).group == "g"
    refused("Either specify both kafka_keeper_path and kafka_replica_name", kafka_keeper_path="/x")
    refused("is refused", kafka_partition_shard_num=1)
    refused("is refused", kafka_shard_count=2)


def test_ch_24_no_cloud_is_asked() -> None:
    refused("is refused", kafka_autodetect_client_rack="MSK")
    assert source(kafka_autodetect_client_rack="").connection == source().connection


def test_ch_46_an_empty_group_is_a_table() -> None:
    assert check_create(clickhouse({**NEEDED, "kafka_group_name": ""})).group == ""


OURS = of_dialect("clickhouse")


def test_what_no_message_is_is_refused() -> None:
    """As a format that is only written, one that is neither is known; why is part of its error."""
    written = [each.name for each in OURS if each.writes and not each.reads]
    assert {"XML", "Vertical", "SQLInsert"} <= set(written)
    for name in written:
        assert source(kafka_format=name).value.name == name
    for each in OURS:
        assert bool(each.refused) == (not each.reads and not each.writes)
        if each.refused:
            assert refused("is refused", kafka_format=each.name).text().count(each.refused) == 1


def test_a_profile_is_the_default_of_batches() -> None:
    profile = {"max_insert_block_size": "500", "stream_flush_interval_ms": "7500"}
    config = Config(profiles={"default": profile})
    made = kafka_source(clickhouse(NEEDED), config=config)
    assert (made.max_block, made.flush_ms) == (500, 7500)
    own = kafka_source(clickhouse({**NEEDED, "kafka_max_block_size": 7}), config=config)
    assert (own.max_block, own.flush_ms) == (7, 7500)


def test_a_collection_of_the_configuration_has_properties_of_its_own() -> None:
    named = Collection({}, (Layer(EVERY, "", {"fetch.min.bytes": "2"}),))
    config = Config((Layer(EVERY, "", {"fetch.min.bytes": "1"}),), {"k": named})
    made = kafka_source(clickhouse(NEEDED), config=config, collection_name="k").connection
    assert made.librdkafka()["fetch.min.bytes"] == "2"


def test_where_a_group_without_offsets_begins() -> None:
    config = Config((Layer(CONSUMER, "", {"auto.offset.reset": "earliest"}),))
    made = kafka_source(clickhouse(NEEDED), config=config)
    assert made.offset_reset == "earliest"
    assert "kafka.auto.offset.reset" not in made.connection.spark()
