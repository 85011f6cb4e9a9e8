"""What Flink's suites check about a table's options, by the ids of those checks."""
# ruff: noqa: E501 - texts of others are long

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from options.tables import DLI, FLINK, UPSERT, flink
from sluice.catalog import Column
from sluice.errors import Place, SluiceError
from sluice.options.client import PRODUCER
from sluice.planner.topic_sink import ensure_takes_changes, flink_sink
from sluice.planner.topic_source import flink_source
from sluice.planner.topics import ensure_supported, flink_options
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.planner.spec import KafkaSinkSpec, KafkaSource

Given = dict[str, Any]


def _settings(base: Mapping[str, Any], given: Given) -> Given:
    merged = {**base, **given}
    return {name: value for name, value in merged.items() if value is not None}


def source(
    given: Given | None = None, base: Mapping[str, Any] = FLINK, **table: Any
) -> KafkaSource:
    return flink_source(flink(_settings(base, given or {}), **table))


def sink(
    given: Given | None = None, base: Mapping[str, Any] = FLINK, **table: Any
) -> KafkaSinkSpec:
    return flink_sink(flink(_settings(base, given or {}), **table))


def refused(use: Any, says: str, given: Given | None = None, **more: Any) -> None:
    with pytest.raises(SluiceError) as caught:
        use(given, **more)
    assert says in caught.value.text()


def test_fl_01_topic_and_pattern() -> None:
    text = "Option 'topic' and 'topic-pattern' shouldn't be set together."
    refused(source, text, {"topic-pattern": "t.*"})
    refused(sink, text, {"topic-pattern": "t.*"})
    refused(source, "Either 'topic' or 'topic-pattern' must be set.", {"topic": None})


def test_fl_02_a_timestamp_is_missing() -> None:
    text = "'scan.startup.timestamp-millis' is required in 'timestamp' startup mode but missing."
    refused(source, text, {"scan.startup.mode": "timestamp"})
    given = {"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "1655395200000"}
    assert source(given).start.timestamp_ms == 1655395200000


def test_fl_03_offsets_are_missing() -> None:
    text = (
        "'scan.startup.specific-offsets' is required in 'specific-offsets' startup mode "
        "but missing."
    )
    refused(source, text, {"scan.startup.mode": "specific-offsets"})


def test_fl_04_an_unknown_mode() -> None:
    text = (
        "Invalid value for option 'scan.startup.mode'. Supported values are [earliest-offset, "
        "latest-offset, group-offsets, specific-offsets, timestamp], but was: abc"
    )
    refused(source, text, {"scan.startup.mode": "abc"})
    for mode in ("earliest-offset", "latest-offset", "group-offsets"):
        assert source({"scan.startup.mode": mode}).start.mode == mode


def test_fl_05_specific_offsets() -> None:
    given = {
        "scan.startup.mode": "specific-offsets",
        "scan.startup.specific-offsets": "partition:0,offset:100;partition:1,offset:123",
    }
    assert source(given).start.offsets == {"t": {0: 100, 1: 123}}
    text = "Currently Kafka source only supports specific offset for single topic."
    refused(source, text, {**given, "topic": "a;b"})
    refused(source, text, {**given, "topic": None, "topic-pattern": "a.*"})
    wrong = {**given, "scan.startup.specific-offsets": "partition:0"}
    refused(source, "should follow the format 'partition:0,offset:42;partition:1,", wrong)


@pytest.mark.parametrize("name", ["abc", "java.lang.Runtime", "os.system"])
def test_fl_06_an_unknown_partitioner(name: str) -> None:
    text = f"Could not find and instantiate partitioner class '{name}'"
    refused(sink, text, {"sink.partitioner": name})
    assert source({"sink.partitioner": name}).topics == ("t",)  # only when it is written to


def test_fl_07_round_robin_and_keys() -> None:
    text = (
        "Currently 'round-robin' partitioner only works when option 'key.fields' is not specified."
    )
    given = {"sink.partitioner": "round-robin", "key.format": "json", "key.fields": "id"}
    refused(sink, text, given)
    assert sink({"sink.partitioner": "round-robin"}).partitioner == "round-robin"


def test_fl_08_semantics() -> None:
    text = (
        "Unsupported value 'xyz' for 'sink.semantic'. Supported values are "
        "['at-least-once', 'exactly-once', 'none']."
    )
    refused(sink, text, {"sink.semantic": "xyz"})
    for name in ("at-least-once", "exactly-once", "none"):
        assert sink({"sink.semantic": name}).guarantee == name
    assert sink({"sink.semantic": "at-lease-once"}).guarantee == "at-least-once"
    assert sink().guarantee == "at-least-once"


def test_fl_09_a_sink_has_one_topic() -> None:
    topics = "myTopic-1;myTopic-2;myTopic-3"
    text = (
        "Flink Kafka sink currently only supports single topic, but got 'topic': "
        "[myTopic-1, myTopic-2, myTopic-3]."
    )
    refused(sink, text, {"topic": topics})
    assert source({"topic": topics}).topics == ("myTopic-1", "myTopic-2", "myTopic-3")
    pattern = {"topic": None, "topic-pattern": r"myTopic-\d+"}
    refused(sink, r"but got 'topic-pattern': myTopic-\d+.", pattern)


def test_fl_10_exactly_once_needs_a_prefix() -> None:
    text = (
        "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE."
    )
    given = {"sink.delivery-guarantee": "exactly-once"}
    refused(sink, text, given)
    refused(sink, text, given, base=UPSERT, key="id")
    made = sink({**given, "sink.transactional-id-prefix": "p"})
    assert (made.guarantee, made.transactional_id_prefix) == ("exactly-once", "p")
    assert sink({"sink.semantic": "exactly-once"}).transactional_id_prefix == ""


@pytest.mark.parametrize("name", ["json", "csv", "avro"])
def test_fl_11_a_primary_key_needs_a_changelog(name: str) -> None:
    text = (
        f"The Kafka table 'd.t1' with '{name}' format doesn't support defining PRIMARY KEY "
        "constraint on the table, because it can't guarantee the semantic of primary key."
    )
    refused(source, text, {"format": name}, key="id")
    refused(sink, text, {"format": name}, key="id")


@pytest.mark.parametrize("name", ["debezium-json", "canal-json", "maxwell-json", "ogg-json"])
def test_fl_11_a_changelog_takes_a_primary_key(name: str) -> None:
    assert source({"format": name}, key="id").changes
    assert sink({"format": name}, key="id").changes


def test_fl_12_a_key_format_needs_fields() -> None:
    text = (
        "A key format 'key.format' requires the declaration of one or more of key fields using "
        "'key.fields'."
    )
    refused(source, text, {"key.format": "json"})
    other = "The option 'key.fields' can only be declared if a key format is defined using"
    refused(source, other, {"key.fields": "id"})


def test_fl_13_key_fields_are_columns() -> None:
    text = (
        "Could not find the field 'non_existing' in the table schema for usage in the key format. "
        "A key field must be a regular, physical column. The following columns can be selected in "
        "the 'key.fields' option:\n[id, name]"
    )
    given = {"key.format": "json", "key.fields": "non_existing"}
    refused(source, text, given, columns="id name ts@timestamp up=upper(name)")


def test_fl_14_keys_and_values() -> None:
    given = {
        "key.format": "json",
        "key.fields": "address; name",
        "value.fields-include": "EXCEPT_KEY",
    }
    made = source(given, columns="id name age address")
    assert made.key is not None
    assert made.key.columns == (("address", "address"), ("name", "name"))
    assert made.value.columns == (("id", "id"), ("age", "age"))
    everything = source({**given, "value.fields-include": "ALL"}, columns="id name age address")
    assert [name for name, _ in everything.value.columns] == ["id", "name", "age", "address"]


def test_fl_14_a_prefix_is_in_the_table_only() -> None:
    given = {
        "key.format": "json",
        "key.fields": "k_id",
        "key.fields-prefix": "k_",
        "value.fields-include": "EXCEPT_KEY",
    }
    made = source(given, columns="k_id id")
    assert made.key is not None
    assert made.key.columns == (("id", "k_id"),)
    text = "All fields in 'key.fields' must be prefixed with 'k_' when option 'key.fields-prefix'"
    refused(source, text, {**given, "key.fields": "id"}, columns="k_id id")
    text = "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'."
    refused(source, text, {**given, "value.fields-include": "ALL"}, columns="k_id id")


def test_fl_15_no_group_where_none_is_needed() -> None:
    made = source({"properties.group.id": None, "scan.startup.mode": "earliest-offset"})
    assert (made.group, made.commits) == ("", False)
    assert source().commits
    assert not source({"properties.commit.offsets.on.checkpoint": "false"}).commits


def test_fl_16_where_a_group_without_offsets_begins() -> None:
    for word in ("none", "earliest", "latest"):
        made = source({"properties.auto.offset.reset": word})
        assert made.offset_reset == word
        assert "kafka.auto.offset.reset" not in made.connection.spark()
    text = "auto.offset.reset can not be set to errorStrategy. Valid values: [latest,earliest,none]"
    refused(source, text, {"properties.auto.offset.reset": "errorStrategy"})


def test_fl_17_group_offsets_need_a_group() -> None:
    text = "Property group.id is required when using committed offset for offsets initializer"
    refused(source, text, {"properties.group.id": None})
    bounded = {"scan.startup.mode": "earliest-offset", "scan.bounded.mode": "group-offsets"}
    refused(source, text, {"properties.group.id": None, **bounded})


def test_fl_18_commits_need_a_group() -> None:
    text = "Property group.id is required when offset commit is enabled"
    given = {
        "properties.group.id": None,
        "scan.startup.mode": "earliest-offset",
        "properties.enable.auto.commit": "true",
    }
    refused(source, text, given)
    assert source({**given, "properties.group.id": "g"}).group == "g"


@pytest.mark.parametrize(
    ("given", "ms"), [("0", 0), ("1000 ms", 1000), ("5 min", 300_000), ("10s", 10_000)]
)
def test_fl_19_discovery_is_a_duration(given: str, ms: int) -> None:
    settings = {**FLINK, "scan.topic-partition-discovery.interval": given}
    assert flink_options(settings)["discovery"] == ms


def test_fl_19_a_wrong_duration() -> None:
    given = {"scan.topic-partition-discovery.interval": "1 fortnight"}
    text = "Time interval unit label 'fortnight' does not match any of the recognized units"
    refused(source, text, given)


def test_fl_20_subjects() -> None:
    given = {
        "format": None,
        "key.format": "avro-confluent",
        "key.fields": "id",
        "key.avro-confluent.url": "http://r",
        "value.format": "avro-confluent",
        "value.avro-confluent.schema-registry.url": "http://r",
    }
    made = sink(given)
    assert made.key is not None
    assert (made.key.options["subject"], made.value.options["subject"]) == ("t-key", "t-value")
    assert made.value.options["url"] == "http://r"
    own = sink({**given, "value.avro-confluent.subject": "mine"})
    assert own.value.options["subject"] == "mine"
    assert "subject" not in sink().value.options
    text = "Missing required options are:\n\nurl"
    refused(sink, text, {"format": "avro-confluent"})


def test_fl_21_bounded_modes() -> None:
    text = (
        "'scan.bounded.specific-offsets' is required in 'specific-offsets' bounded mode "
        "but missing."
    )
    refused(source, text, {"scan.bounded.mode": "specific-offsets"})
    text = "'scan.bounded.timestamp-millis' is required in 'timestamp' bounded mode but missing."
    refused(source, text, {"scan.bounded.mode": "timestamp"})
    for mode in ("unbounded", "latest-offset", "group-offsets"):
        assert source({"scan.bounded.mode": mode}).stop.mode == mode
    offsets = {
        "scan.bounded.mode": "specific-offsets",
        "scan.bounded.specific-offsets": "partition:0,offset:2",
    }
    assert source(offsets).stop.offsets == {"t": {0: 2}}
    assert source(offsets, base=UPSERT, key="id").stop.offsets == {"t": {0: 2}}
    time = {"scan.bounded.mode": "timestamp", "scan.bounded.timestamp-millis": "5"}
    assert source(time).stop.timestamp_ms == 5


def test_fl_22_parallelism() -> None:
    assert source({"scan.parallelism": "100"}).min_tasks == 100
    assert sink({"sink.parallelism": "100"}).writers == 100
    refused(sink, "Could not parse value 'many' for key", {"sink.parallelism": "many"})


@pytest.mark.parametrize("name", ["json", "csv", "debezium-json", "canal-json"])
def test_fl_23_wrong_flags(name: str) -> None:
    text = "Unrecognized option for boolean: abc. Expected either true or false(case insensitive)"
    refused(source, text, {"format": name, f"{name}.ignore-parse-errors": "abc"})
    made = source({"format": name, f"{name}.ignore-parse-errors": "TRUE"})
    assert made.value.options["ignore-parse-errors"] is True


@pytest.mark.parametrize("name", ["json", "debezium-json", "canal-json"])
@pytest.mark.parametrize("value", ["test", "iso-8601"])
def test_fl_24_standards_of_times(name: str, value: str) -> None:
    text = (
        f"Unsupported value '{value}' for timestamp-format.standard. Supported values are "
        "[SQL, ISO-8601]."
    )
    refused(source, text, {"format": name, f"{name}.timestamp-format.standard": value})


def test_fl_25_keys_that_are_null() -> None:
    text = (
        "Unsupported value 'invalid' for option map-null-key.mode. Supported values are "
        "[LITERAL, FAIL, DROP]."
    )
    refused(sink, text, {"json.map-null-key.mode": "invalid"})
    assert sink({"json.map-null-key.mode": "fail"}).value.options["map-null-key.mode"] == "FAIL"


def test_fl_26_strict_and_lenient() -> None:
    text = "fail-on-missing-field and ignore-parse-errors shouldn't both be true."
    given = {"json.fail-on-missing-field": "true", "json.ignore-parse-errors": "true"}
    refused(source, text, given)


def test_fl_27_a_schema_is_read_only() -> None:
    given = {"format": "debezium-json", "debezium-json.schema-include": "true"}
    assert source(given).value.options["schema-include"] is True
    text = (
        "Debezium JSON serialization doesn't support 'debezium-json.schema-include' option been "
        "set to true."
    )
    refused(sink, text, given)


def test_fl_28_quotes() -> None:
    text = "Format cannot define a quote character and disabled quote character at the same time."
    given = {"format": "csv", "csv.quote-character": "'", "csv.disable-quote-character": "true"}
    refused(source, text, given)
    text = "Option 'csv.quote-character' must be a string with single character, but was: abc"
    refused(source, text, {"format": "csv", "csv.quote-character": "abc"})


@pytest.mark.parametrize("tab", ["\t", r"\t"])
def test_fl_29_a_tab_in_two_ways(tab: str) -> None:
    made = source({"format": "csv", "csv.field-delimiter": tab})
    assert made.value.options["field-delimiter"] == "\t"


@pytest.mark.parametrize("use", [source, sink])
def test_fl_30_upsert_needs_a_primary_key(use: Any) -> None:
    text = (
        "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY "
        "specifies which columns should be read from or write to the Kafka message key. The "
        "PRIMARY KEY also defines records in the 'upsert-kafka' table should update or delete on "
        "which keys."
    )
    refused(use, text, base=UPSERT)


def test_fl_31_topics_are_split_at_semicolons() -> None:
    made = source({"topic": "Euro_x;Dollar_x; Yen_x;Dummy_x"})
    assert made.topics == ("Euro_x", "Dollar_x", "Yen_x", "Dummy_x")


def test_fl_32_a_buffer_needs_both() -> None:
    text = (
        "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater "
        "than zero together to enable sink buffer flushing."
    )
    zero = {"sink.buffer-flush.max-rows": "0", "sink.buffer-flush.interval": "1s"}
    refused(sink, text, zero, base=UPSERT, key="id")
    both = {"sink.buffer-flush.max-rows": "2", "sink.buffer-flush.interval": "1s"}
    made = sink(both, base=UPSERT, key="id")
    assert (made.buffer_rows, made.buffer_ms, made.last_only) == (2, 1000, True)


def test_fl_35_a_pattern_matches_the_whole_name() -> None:
    made = source({"topic": None, "topic-pattern": "pattern.*"})
    assert [name for name in ("topic1", "pattern-topic", "my-pattern") if made.reads(name)] == [
        "pattern-topic"
    ]
    refused(source, "for key 'topic-pattern'", {"topic": None, "topic-pattern": "a("})
    refused(source, "no lookaround", {"topic": None, "topic-pattern": r"(a)\1"})


def test_a_pattern_is_matched_in_linear_time() -> None:
    made = source({"topic": None, "topic-pattern": "(a+)+$"})
    assert not made.reads("a" * 201 + "b")
    assert made.reads("a" * 201)


def test_fl_36_descriptors() -> None:
    given = {
        "connector.startup-mode": "specific-offsets",
        "connector.specific-offsets": "partition:0,offset:42;partition:1,offset:300",
        "connector.properties.max.poll.records": "7",
    }
    made = source(given, base=DLI)
    assert made.start.offsets == {"t": {0: 42, 1: 300}}
    assert made.connection.spark()["kafka.max.poll.records"] == "7"
    assert (made.group, made.topics, made.value.name) == ("g", ("t",), "csv")
    custom = {"connector.sink-partitioner": "custom", "connector.sink-partitioner-class": "a.B"}
    refused(sink, "instantiate partitioner class 'a.B'", custom, base=DLI)
    text = "'connector.sink-partitioner-class' is required when 'connector.sink-partitioner' is"
    refused(sink, text, {"connector.sink-partitioner": "custom"}, base=DLI)
    text = "Invalid value for option 'connector.startup-mode'. Supported values are"
    refused(source, text, {"connector.startup-mode": "abc"}, base=DLI)


def test_fl_37_numbered_descriptors() -> None:
    given = {
        "connector.properties.bootstrap.servers": None,
        "connector.properties.group.id": None,
        "connector.properties.0.key": "bootstrap.servers",
        "connector.properties.0.value": "x:1",
        "connector.properties.1.key": "group.id",
        "connector.properties.1.value": "old",
        "connector.startup-mode": "specific-offsets",
        "connector.specific-offsets.0.partition": "0",
        "connector.specific-offsets.0.offset": "42",
        "connector.specific-offsets.1.partition": "1",
        "connector.specific-offsets.1.offset": "300",
        "update-mode": "append",
        "connector.sink-partitioner": "fixed",
    }
    made = source(given, base=DLI)
    assert (made.connection.brokers, made.group) == ("x:1", "old")
    assert made.start.offsets == {"t": {0: 42, 1: 300}}
    half = {"connector.properties.0.key": "group.id"}
    refused(source, "'connector.properties.0.value'", half, base=DLI)


def test_fl_38_partitioners() -> None:
    assert sink({"connector.sink-partitioner": "fixed"}, base=DLI).partitioner == "fixed"
    assert sink(base=DLI).partitioner == "default"
    assert sink().partitioner == "default"


def test_fl_39_upsert_of_the_older_keys() -> None:
    upsert = {"connector.type": "upsert-kafka", "connector.version": "0.11"}
    refused(sink, "require to define a PRIMARY KEY", upsert, base=DLI)
    made = sink(upsert, base=DLI, key="id")
    assert made.upsert
    assert not made.ignore_retraction
    assert made.key is not None
    assert made.key.columns == (("id", "id"),)
    silent = {**upsert, "connector.sink.ignore-retraction": "true"}
    assert sink(silent, base=DLI, key="id").ignore_retraction


def test_fl_39_update_modes() -> None:
    for mode in ("upsert", "retract"):
        text = f"'update-mode' = '{mode}' is not possible with 'connector.type' = 'kafka'"
        refused(sink, text, {"update-mode": mode}, base=DLI)
    assert not sink({"update-mode": "append"}, base=DLI).changes
    found = {}
    for given in (None, "upsert", "retract", "append"):
        options = {"connector.type": "upsert-kafka", "update-mode": given}
        made = sink(options, base=DLI, key="id")
        assert made.upsert
        found[given] = (made.changes, made.last_only)
    assert found == {
        None: (True, True),
        "upsert": (True, True),
        "retract": (True, False),
        "append": (False, False),
    }


def test_fl_39_an_upsert_table_is_partitioned_by_key() -> None:
    for given in ("fixed", "round-robin", None):
        options = {"connector.type": "upsert-kafka", "connector.sink-partitioner": given}
        assert sink(options, base=DLI, key="id").partitioner == "default"


def test_fl_62_upsert_reads_from_the_start() -> None:
    made = source(base=UPSERT, key="id")
    assert made.start.mode == "earliest-offset"
    assert (made.upsert, made.changelog, made.group) == (True, "upsert", "")
    assert made.key is not None
    assert (made.key.columns, made.value.columns) == (
        (("id", "id"),),
        (("id", "id"), ("name", "name")),
    )
    several: Given = {"topic": None, "topic-pattern": "t.*", "value.fields-include": "EXCEPT_KEY"}
    several |= {"scan.topic-partition-discovery.interval": "1 min", "scan.parallelism": "2"}
    made = source(several, base=UPSERT, key="id")
    assert (made.pattern, made.discovery_ms, made.min_tasks) == ("t.*", 60_000, 2)
    assert made.value.columns == (("name", "name"),)
    assert source({"topic": "a;b"}, base=UPSERT, key="id").topics == ("a", "b")


@pytest.mark.parametrize("half", ["key", "value"])
def test_upsert_takes_no_changelog(half: str) -> None:
    text = f"'upsert-kafka' connector doesn't support 'canal-json' as {half} format, because"
    refused(source, text, {f"{half}.format": "canal-json"}, base=UPSERT, key="id")


@pytest.mark.parametrize(
    "given",
    [
        {"key.fields": "id"},
        {"scan.startup.mode": "latest-offset"},
        {"format": "json"},
        {"sink.partitioner": "fixed"},
        {"sink.semantic": "exactly-once"},
    ],
)
def test_upsert_has_options_of_its_own(given: Given) -> None:
    text = "Unsupported options found for 'upsert-kafka'.\n\nUnsupported options:\n\n"
    refused(source, text + next(iter(given)), given, base=UPSERT, key="id")


def test_options_of_another_format_are_not_taken() -> None:
    text = "Unsupported options:\n\ncsv.field-delimiter"
    refused(source, text, {"csv.field-delimiter": ";"})


def test_unknown_names_have_neighbours() -> None:
    refused(source, "Did you mean scan.startup.mode", {"scan.startup.modus": "x"})
    refused(source, "Missing required options are:\n\nproperties.bootstrap.servers",
            {"properties.bootstrap.servers": None})  # fmt: skip
    refused(source, "Could not find required scan format 'value.format'.", {"format": None})
    refused(source, "Unknown format jsn. Did you mean json", {"format": "jsn"})
    refused(source, "a file format", {"format": "parquet"})


def test_metadata_when_read() -> None:
    columns = "id ts@timestamp h@headers p@partition! e@leader-epoch! o@offset! y@timestamp-type!"
    made = source(columns=columns)
    assert [m.key for m in made.metadata] == [
        "timestamp", "headers", "partition", "leader-epoch", "offset", "timestamp-type",
    ]  # fmt: skip
    assert [name for name, _ in made.value.columns] == ["id"]
    refused(source, "Invalid metadata key 'xyz' in column 'c' of table 'd.t1'.", columns="id c@xyz")


def test_metadata_of_a_format() -> None:
    columns = "id s@value.source.timestamp! topic@topic!"
    made = source({"format": "debezium-json"}, columns=columns)
    assert [m.key for m in made.metadata] == ["value.source.timestamp", "topic"]
    refused(source, "Invalid metadata key 'value.source.timestamp'", columns=columns)


def test_metadata_when_written() -> None:
    made = sink(columns="id ts@timestamp h@headers p@partition!")
    assert [m.column for m in made.metadata] == ["ts", "h"]
    text = "supports the following metadata keys for writing:\nheaders\ntimestamp"
    refused(sink, text, columns="id p@partition")


def test_a_raw_message_is_one_column() -> None:
    assert source({"format": "raw"}, columns="log").value.columns == (("log", "log"),)
    refused(source, "The 'raw' format only supports single physical column.", {"format": "raw"})


def test_columns_that_a_format_has_no_place_for() -> None:
    table = flink({**FLINK, "key.format": "raw", "key.fields": "id"})
    wide = replace(table, columns=(Column("id", parse_type("Map(Int32, String)")),))
    text = "JSON format doesn't support non-string as key type of map. The type is: MAP<INT, STRING NOT NULL>"
    for use in (flink_source, flink_sink):
        with pytest.raises(SluiceError, match=text):
            use(wide)
        with pytest.raises(
            SluiceError, match="The 'raw' format doesn't supports 'DATE' as column type"
        ):
            use(replace(table, columns=(Column("id", parse_type("Date")),)))


def test_changes_into_a_table_that_takes_none() -> None:
    with pytest.raises(SluiceError, match="doesn't support consuming update changes"):
        ensure_takes_changes(sink())
    ensure_takes_changes(sink(base=UPSERT, key="id"))


def test_formats_that_are_read_and_written() -> None:
    ensure_supported(source())
    ensure_supported(sink())
    for name in ("debezium-json", "canal-json", "maxwell-json", "ogg-json"):
        ensure_supported(source({"format": name}))
        ensure_supported(sink({"format": name}))
    ensure_supported(source(base=UPSERT, key="id"))
    ensure_supported(sink(base=UPSERT, key="id"))


JAAS = (
    'org.apache.kafka.common.security.scram.ScramLoginModule required username="me" '
    'password="p\\"w";'
)


def test_a_login_as_java_writes_it() -> None:
    given = {
        "properties.security.protocol": "SASL_SSL",
        "properties.sasl.mechanism": "SCRAM-SHA-512",
        "properties.sasl.jaas.config": JAAS,
    }
    made = source(given).connection
    assert made.librdkafka()["sasl.password"] == 'p"w'
    assert made.spark()["kafka.sasl.jaas.config"] == JAAS
    assert made.spark(PRODUCER)["kafka.sasl.jaas.config"] == JAAS
    older = {f"connector.{name}": value for name, value in given.items()}
    assert source(older, base=DLI).connection.spark()["kafka.sasl.jaas.config"] == JAAS
    assert sink(older, base=DLI).connection.librdkafka()["sasl.password"] == 'p"w'


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"properties.sasl.jaas.config": "com.sun.security.auth.module.JndiLoginModule required user=\"a\";"}, "sasl.jaas.config is not valid"),
        ({"properties.sasl.jaas.config": JAAS.replace(";", ' debug="true";')}, "nothing else"),
        ({"properties.config.providers": "d"}, "is refused"),
        ({"properties.config.providers.d.class": "x"}, "is refused"),
        ({"properties.interceptor.classes": "x"}, "is refused"),
        ({"properties.metric.reporters": "x"}, "is refused"),
        ({"properties.partitioner.class": "x"}, "is refused"),
        ({"properties.value.deserializer": "x"}, "is refused"),
        ({"properties.sasl.oauthbearer.token.endpoint.url": "file:///etc/passwd"}, "is refused"),
        ({"properties.ssl.truststore.location": "/etc/shadow"}, "is refused"),
        ({"properties.ssl.endpoint.identification.algorithm": ""}, "is refused"),
        ({"properties.sasl.login.callback.handler.class": "x"}, "is refused"),
        ({"properties.receive.buffer.bytes": "${d:/etc:hostname}"}, "not allowed"),
        ({"properties.fetch.min.byte": "1"}, "Did you mean properties.fetch.min.bytes"),
        ({"properties.nonsense": "1"}, "no property of a Kafka client"),
        ({"format": "avro-confluent", "avro-confluent.url": "file:///etc/passwd"}, "http://"),
    ],
)  # fmt: skip
def test_properties_come_from_a_list(given: Given, says: str) -> None:
    refused(source, says, given)


@pytest.mark.parametrize(
    "name", ["zookeeper.connect", "flink.partition-discovery.interval-millis", "group.instance.id"]
)
def test_properties_that_change_nothing_here(name: str) -> None:
    made = source({f"properties.{name}": "x"}).connection
    assert "x" not in (*made.spark().values(), *made.librdkafka().values())


def test_source_transactions_need_debezium() -> None:
    given = {"debezium.transactions": "server.transaction"}
    made = source({**given, "format": "debezium-json", "debezium.transactions.timeout": "5 s"})
    assert (made.transactions, made.transactions_timeout_ms) == ("server.transaction", 5000)
    made = source({**given, "format": "debezium-json"})
    assert made.transactions_timeout_ms == 60_000
    assert source({"format": "debezium-json"}).transactions == ""
    text = "A Debezium format is needed, and the table's format is"
    refused(source, f"{text} json", given)
    refused(source, f"{text} canal-json", {**given, "format": "canal-json"})
    avro = {"format": "debezium-avro-confluent", "debezium-avro-confluent.url": "http://r"}
    assert source({**given, **avro}).transactions == "server.transaction"


def test_a_long_value_is_cut_in_an_error() -> None:
    with pytest.raises(SluiceError) as caught:
        source({"scan.startup.mode": "x" * 100_000})
    assert len(caught.value.text()) < 1000


def test_an_error_knows_its_place() -> None:
    with pytest.raises(SluiceError) as caught:
        flink_source(
            flink({**FLINK, "scan.startup.mode": "abc"}), {"scan.startup.mode": Place(3, 9)}
        )
    assert caught.value.place == Place(3, 9)


def test_options_of_another_connector_have_a_hint() -> None:
    """What an upsert table has instead, and the name of an option in the table's own dialect."""
    hints = {
        "format": "An upsert-kafka table has a key.format and a value.format.",
        "scan.startup.mode": "An upsert-kafka table is always read from the earliest offset.",
        "key.fields": "The key of an upsert-kafka table is its PRIMARY KEY.",
        "sink.partitioner": "The key of a message decides its partition.",
    }
    values = {"format": "json", "scan.startup.mode": "latest-offset", "sink.partitioner": "fixed"}
    for name, hint in hints.items():
        text = f"Unsupported options found for 'upsert-kafka'.\n\nUnsupported options:\n\n{name}. {hint}"
        refused(source, text, {name: values.get(name, "id")}, base=UPSERT, key="id")
    refused(source, "topic. Did you mean connector.topic?", {"topic": "t"}, base=DLI)
    refused(source, "kafka_topic_list. Did you mean topic?", {"kafka_topic_list": "t"})
    refused(source, "found for 'upsert-kafka'", {"key.formt": "csv"}, base=UPSERT, key="id")


def test_hints_about_primary_keys() -> None:
    refused(source, "on which keys. Add PRIMARY KEY (columns) NOT ENFORCED.", base=UPSERT)
    without = (
        "semantic of primary key. Leave out the PRIMARY KEY, or set 'connector' = 'upsert-kafka'."
    )
    refused(source, without, key="id")
    changes = "Use a format such as json; for change events set 'connector' = 'kafka'."
    refused(source, changes, {"value.format": "debezium-json"}, base=UPSERT, key="id")
