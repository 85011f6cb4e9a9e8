"""Every option is declared once, is described, reads its own default, and is on the page."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from options.tables import DLI, FLINK, NEEDED, clickhouse, flink
from sluice import errors
from sluice.errors import SluiceError
from sluice.errors import docs as error_docs
from sluice.formats.registry import find_format, of_dialect
from sluice.options import client, docs
from sluice.options.delta import DELTA
from sluice.options.kafka import FAMILIES, KAFKA, POSITIONAL
from sluice.options.spark_settings import SPARK_SETTINGS, check
from sluice.parameters.kinds import DIALECTS
from sluice.parameters.option import BOTH, NO_EFFECT, REFUSED, SINK, SOURCE, STATES, Option
from sluice.planner.source import kafka_source
from sluice.planner.topic_source import flink_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from sluice.catalog import Table

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("option", [*KAFKA.options, *DELTA.options], ids=lambda o: o.key)
def test_an_option_is_complete(option: Option) -> None:
    assert option.doc.endswith(".")
    assert option.names
    assert set(option.names) <= set(DIALECTS)
    assert option.scope in (SOURCE, SINK, BOTH)
    assert option.status in STATES
    assert bool(option.why) == (option.status in (NO_EFFECT, REFUSED))
    if option.default is not None:
        dialect = next(iter(option.names))
        shown = docs.default_text(option)
        if not option.names[dialect].startswith("{format}.line"):
            assert option.kind.read(shown, dialect) == option.default


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_name_belongs_to_one_option(dialect: str) -> None:
    written = [n for o in KAFKA.options if dialect in o.names for n in o.written(dialect)]
    assert len(written) == len(set(written))


def test_settings_of_the_server() -> None:
    for option in SPARK_SETTINGS:
        assert option.doc.endswith(".")
        check({name: str(option.default) for name in option.names.values()})
    check({"spark.sluice.parquet.writer": "delta", "spark.executor.cores": "2"})
    with pytest.raises(SluiceError, match=r"parquet\.writer: one of 'sluice', 'delta' is expected"):
        check({"spark.sluice.parquet.writer": "arrow"})
    with pytest.raises(SluiceError) as caught:
        check({"spark.sluice.parquet.writers": "delta"})
    assert caught.value.condition is errors.UNKNOWN_SETTING
    assert "spark.sluice.parquet.writer" in str(caught.value.hint)


def test_positions_are_options() -> None:
    assert set(POSITIONAL) <= set(KAFKA.by_key)


SEEN = {
    "clickhouse": """
        kafka_broker_list kafka_topic_list kafka_group_name kafka_format kafka_row_delimiter
        kafka_security_protocol kafka_sasl_mechanism kafka_sasl_username kafka_sasl_password
        kafka_schema kafka_schema_registry_skip_bytes kafka_num_consumers kafka_max_block_size
        kafka_skip_broken_messages kafka_commit_every_batch kafka_client_id kafka_poll_timeout_ms
        kafka_poll_max_batch_size kafka_flush_interval_ms kafka_thread_per_consumer
        kafka_handle_error_mode kafka_commit_on_select kafka_max_rows_per_message
        kafka_compression_codec kafka_compression_level kafka_keeper_path kafka_replica_name
        kafka_autodetect_client_rack allow_experimental_kafka_offsets_storage_in_keeper
        input_format_skip_unknown_fields format_csv_delimiter date_time_input_format
        input_format_import_nested_json format_template_row format_regexp
        input_format_with_names_use_header format_avro_schema_registry_url
        output_format_avro_rows_in_file output_format_avro_confluent_subject
        """,
    "flink": """
        connector topic topic-pattern properties.bootstrap.servers properties.group.id format
        scan.startup.mode scan.startup.specific-offsets scan.startup.timestamp-millis
        scan.topic-partition-discovery.interval sink.partitioner sink.semantic key.format
        value.format key.fields key.fields-prefix value.fields-include scan.bounded.mode
        scan.bounded.specific-offsets scan.bounded.timestamp-millis scan.parallelism
        sink.delivery-guarantee sink.transactional-id-prefix sink.parallelism
        sink.buffer-flush.max-rows sink.buffer-flush.interval properties.sasl.jaas.config
        json.ignore-parse-errors key.json.ignore-parse-errors value.csv.null-literal
        avro.timestamp_mapping.legacy raw.charset debezium-json.schema-include
        canal-json.table.include maxwell-json.timestamp-format.standard
        ogg-json.map-null-key.mode avro-confluent.url debezium-avro-confluent.subject
        protobuf.message-class-name
        """,
    "dli": """
        connector.type connector.version connector.topic connector.properties.bootstrap.servers
        connector.startup-mode connector.specific-offsets connector.sink-partitioner
        connector.sink-partitioner-class connector.sink.ignore-retraction format.type
        format.field-delimiter format.ignore-parse-errors update-mode connector.table
        connector.properties.sasl.mechanism connector.properties.sasl.jaas.config
        connector.properties.security.protocol
        """,
}
"""Names that people have in their statements."""


@pytest.mark.parametrize("dialect", SEEN)
def test_names_that_people_have_are_known(dialect: str) -> None:
    assert [name for name in SEEN[dialect].split() if name not in KAFKA.named(dialect)] == []


@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("start", "group-offsets"),
        ("guarantee", "at-least-once"),
        ("semantic", "at-least-once"),
        ("ignore_retraction", False),
        ("csv.field-delimiter", ","),
        ("skip_broken_messages", 0),
        ("commit_every_batch", False),
        ("client_id", ""),
        ("thread_per_consumer", False),
        ("handle_error_mode", "default"),
        ("commit_on_select", False),
        ("max_rows_per_message", 1),
        ("compression_codec", ""),
        ("compression_level", -1),
        ("schema_registry_skip_bytes", 0),
    ],
)
def test_defaults_are_those_of_the_manuals(key: str, default: object) -> None:
    assert KAFKA.by_key[key].default == default


def test_where_a_default_differs_both_are_shown() -> None:
    assert KAFKA.by_key["flush_interval_ms"].theirs == {"clickhouse": "7500"}
    assert KAFKA.by_key["readers"].theirs == {"clickhouse": "1"}


def test_rows_have_every_option_once() -> None:
    rows = docs.rows()
    assert len(KAFKA.options) == sum(len(family) for family in FAMILIES.values())
    assert len(rows) == len(KAFKA.options) + len(DELTA.options)
    by_name = {row["name"]: row for row in rows}
    topic = by_name["topic"]
    assert (topic["clickhouse"], topic["flink"], topic["dli"]) == (
        "kafka_topic_list", "topic", "connector.topic",
    )  # fmt: skip
    assert by_name["sasl_password"]["secret"] is True
    assert by_name["commit_every_batch"]["why"]


def test_the_pages_are_fresh() -> None:
    assert (ROOT / "docs/OPTIONS.md").read_text("utf-8") == docs.page(), "python -m sluice.options"
    assert (ROOT / "docs/ERRORS.md").read_text("utf-8") == error_docs.page(), "python -m sluice.errors"  # fmt: skip  # noqa: E501


def test_the_pages_have_everything() -> None:
    page = docs.page()
    for option in KAFKA.options:
        assert all(f"`{name}`" in page for name in option.names.values())
    for key in client.CLIENT_KEYS:
        assert f"`{key.name}`" in page
    assert all(f"## {name}\n" in error_docs.page() for name in errors.conditions())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_formats_have_their_own_names(dialect: str) -> None:
    names = [each.name for each in of_dialect(dialect)]
    assert len(names) == len(set(names))
    for each in of_dialect(dialect):
        if not each.refused:
            assert find_format(each.name, dialect) is each


def test_a_client_key_is_one_row() -> None:
    for spelling in (client.JAVA, client.LIBRDKAFKA):
        own = [getattr(key, spelling) for key in client.CLIENT_KEYS if getattr(key, spelling)]
        assert len(own) == len(set(own)), spelling
    for name in client.FORBIDDEN:
        with pytest.raises(SluiceError, match="is refused"):
            client.find(name, client.JAVA, trusted=True)


def librdkafka_knows(name: str) -> bool:
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    settings: dict[str, str | int | float | bool] = {
        "bootstrap.servers": "127.0.0.1:1",
        "log_level": "0",
        name: "!",
    }
    try:
        AdminClient(settings, logger=logging.getLogger("quiet"))
    except KafkaException as error:
        return "No such configuration property" not in str(error)
    return True


def test_librdkafka_knows_the_names() -> None:
    names = [key.librdkafka for key in client.CLIENT_KEYS if key.librdkafka]
    assert not librdkafka_knows("no.such.name")
    assert [name for name in names if not librdkafka_knows(name)] == []


@pytest.mark.parametrize("secret", ["sasl.password", "ssl.key.password", "ssl.keystore.password"])
def test_secrets_of_the_clients_are_secrets(secret: str) -> None:
    key = client.find(secret, client.LIBRDKAFKA, trusted=True)
    assert "S3CR3T" not in repr(key.read("S3CR3T"))


def calls(work: Callable[[Table], object], table: Table) -> int:
    """How many functions are called: unlike time, it does not depend on what else runs."""
    count = 0

    def see(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(see)
    try:
        work(table)
    finally:
        sys.setprofile(None)
    return count


def test_reading_options_is_quick() -> None:
    columns = " ".join(f"c{at}" for at in range(25))
    tables = [clickhouse(NEEDED, columns), flink(FLINK, columns), flink(DLI, columns)]
    for table in tables:
        plan = kafka_source if table.dialect == "clickhouse" else flink_source
        plan(table)
        assert calls(plan, table) < 2000
