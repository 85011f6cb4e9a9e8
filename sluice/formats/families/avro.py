"""Avro: ClickHouse's, and Flink's with and without a schema registry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice.formats.descriptor import Format, honoured, option, settings
from sluice.formats.fields import CLOCK_DIGITS, SIMPLE, first_rare, inside, nested
from sluice.parameters.kinds import FLINK, Flag, Hidden, Text, Url
from sluice.parameters.option import NO_EFFECT, REFUSED, SINK
from sluice.types import model as m
from sluice.types.encoded import FineDateTime, IPv4, IPv6, WideDecimal, WideInt
from sluice.types.flink import summary
from sluice.types.semistructured import Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.formats.descriptor import Columns

_FILE = "only the server's configuration file may name files of the host"

STRATEGIES = Text(("TopicNameStrategy", "RecordNameStrategy", "TopicRecordNameStrategy"))

SETTINGS = settings(
    "avro",
    honoured("format_avro_schema_registry_url", "", "The schema registry, for AvroConfluent.", Url()),
    honoured("format_avro_schema_registry_connection_timeout", 1, "The timeout for connecting to the registry, in seconds."),
    honoured("format_avro_schema_registry_send_timeout", 1, "The timeout for sending a request to the registry, in seconds."),
    honoured("format_avro_schema_registry_receive_timeout", 1, "The timeout for receiving a response from the registry, in seconds."),
    honoured("format_avro_schema_registry_max_retries", 5, "The number of times that a request is repeated if the registry does not answer."),
    honoured("format_avro_schema_registry_retry_initial_backoff_ms", 100, "The time before the first repetition, in milliseconds; each later one waits twice as long."),
    honoured("input_format_avro_allow_missing_fields", False, "Whether a column may be missing in the schema."),
    honoured("input_format_avro_null_as_default", False, "Whether NULL becomes the column's default."),
    honoured("output_format_avro_codec", "", "The compression codec of files.", Text(("", "null", "deflate", "snappy", "zstd"))),
    honoured("output_format_avro_sync_interval", 16_384, "The number of bytes between sync markers."),
    honoured("output_format_avro_string_column_pattern", "", "A pattern of columns that are written as string instead of bytes."),
    honoured("output_format_avro_rows_in_file", 1, "The maximum number of rows in a file."),
    honoured("output_format_avro_confluent_subject", "", "The subject under which the schema is registered; <topic>-value if it is not set."),
    honoured("output_format_avro_confluent_subject_name_strategy", "TopicNameStrategy", "Sluice's own: what names the subject if it is not set: the topic, the record, or both.", STRATEGIES),
)  # fmt: skip

_LEGACY = option(
    "avro.timestamp_mapping.legacy",
    Flag(),
    "Whether TIMESTAMP is written as timestamp-millis, an instant.",
    True,
)
REGISTRY = (
    option("avro-confluent.url", Url(), "The schema registry; several addresses have commas between them."),
    option("avro-confluent.schema-registry.url", Url(), "The older name of url."),
    option("avro-confluent.subject", Text(), "The subject under which the sink's schema is registered; <topic>-value or <topic>-key if it is not set.", scope=SINK),
    option("avro-confluent.schema-registry.subject", Text(), "The older name of subject.", scope=SINK),
    option("avro-confluent.subject.name.strategy", STRATEGIES,
           "What names the subject if subject is not set: the topic, the record, or both.", scope=SINK),
    option("avro-confluent.auto.register.schemas", Flag(), "Whether a new schema is registered.", True, scope=SINK),
    option("avro-confluent.ssl.keystore.location", Text(), "The keystore file of the client.", status=REFUSED, why=_FILE),
    option("avro-confluent.ssl.keystore.password", Hidden(), "The password of that file.", status=REFUSED, why=_FILE),
    option("avro-confluent.ssl.truststore.location", Text(), "The truststore file.", status=REFUSED, why=_FILE),
    option("avro-confluent.ssl.truststore.password", Hidden(), "The password of that file.", status=REFUSED, why=_FILE),
    option("avro-confluent.basic-auth.credentials-source", Text(("USER_INFO", "URL")), "The source of the registry's user name and password."),
    option("avro-confluent.basic-auth.user-info", Hidden(), "The registry's user name and password, separated by a colon."),
    option("avro-confluent.bearer-auth.credentials-source", Text(("STATIC_TOKEN",)), "The source of the registry's token."),
    option("avro-confluent.bearer-auth.token", Hidden(), "The registry's token."),
)  # fmt: skip
"""The options of every format whose schemas a registry has."""

_REGISTRY = (
    _LEGACY, *REGISTRY,
    option("avro-confluent.schema", Text(), "The schema, instead of the one derived from the columns."),
    option("avro-confluent.schema-registry.schema", Text(), "The older name of schema."),
)  # fmt: skip


def _has_schema(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    """A schema is derived from the columns, so each needs a place in one."""
    for name, type_ in columns:
        reason = _name(name) or _type(type_, legacy=options["timestamp_mapping.legacy"])
        if reason:
            return reason
    return ""


def _name(name: str) -> str:
    return "" if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) else f"Illegal character in: {name}"


def _type(column: m.Type, *, legacy: bool) -> str:
    type_ = m.bare(column)
    reason = ""
    if isinstance(type_, m.Map | m.Multiset):
        key = m.bare(inside(type_)[0])
        if not isinstance(key, m.String | m.Text):
            reason = f"Avro format doesn't support non-string as key type of map. The key type is: {summary(key)}"
    elif isinstance(type_, m.TimeOfDay):
        reason = _precise("TIME", type_.precision)
    elif isinstance(type_, m.LocalDateTime):
        reason = _precise("TIMESTAMP", type_.precision)
    elif isinstance(type_, m.DateTime) and not legacy:
        reason = _precise("TIMESTAMP", type_.precision or 0)
    elif isinstance(type_, m.Tuple):
        reason = next(filter(None, map(_name, type_.names or ())), "")
    elif not isinstance(type_, (*SIMPLE, m.Array)) or isinstance(type_, m.DateTime):
        reason = f"Unsupported to derive Schema for type: {summary(type_)}"
    inner = (_type(each, legacy=legacy) for each in inside(type_))
    return reason or next(filter(None, inner), "")


_WRITTEN = (
    m.Int, m.Float, m.Decimal, m.Bool, m.String, m.FixedString, m.Uuid, m.Date, m.DateTime, m.Enum,
    m.Array, m.Map, m.Tuple, Variant, WideInt, WideDecimal, FineDateTime, IPv4, IPv6,
)  # fmt: skip


def _columns_fit(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    """ClickHouse: which columns get a schema; what is read is compared with that of each message."""
    rare = first_rare(columns)
    if rare is not None and not isinstance(rare, Variant):
        return f"Type {rare} is not supported for Avro {'output' if writes else 'input'}"
    for name, type_ in columns if writes else ():
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_.]*", name):
            return f"Invalid name: {name}"
        for each in nested(type_):
            if not isinstance(each, _WRITTEN):
                return f"Type {each} is not supported for Avro output: column {name}"
            for symbol, _ in each.values if isinstance(each, m.Enum) else ():
                if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", symbol):
                    return f"Invalid name: {symbol}: column {name}"
    return ""


def _precise(word: str, precision: int) -> str:
    """With more digits Flink writes milliseconds that it calls microseconds, if anything."""
    if precision <= CLOCK_DIGITS:
        return ""
    return f"Avro does not support {word} type with precision: {precision}, it only supports precision less than 3."


FORMATS = (
    Format("Avro", "avro", decoder="avro.AvroFileDecoder", encoder="avro.AvroFileEncoder", fits=_columns_fit, rows="output_format_avro_rows_in_file"),
    Format("AvroConfluent", "avro", decoder="avro.AvroConfluentDecoder", encoder="avro.AvroConfluentEncoder",
           fits=_columns_fit, registry=True),
    Format(
        "avro", "avro", dialect=FLINK, decoder="avro.AvroDecoder", encoder="avro.AvroEncoder", fits=_has_schema,
        options=(
            option("avro.encoding", Text(("binary", "json")), "The encoding of the records.", "binary"),
            option("avro.codec", Text(), "The compression codec of Avro files.", status=NO_EFFECT, why="a message is one record, not an Avro file"),
            _LEGACY,
        ),
    ),
    Format("avro-confluent", "avro", dialect=FLINK, decoder="avro.ConfluentAvro$Read", encoder="avro.ConfluentAvro$Write",
           fits=_has_schema, options=_REGISTRY, needs=("url",), registry=True),
    Format("debezium-avro-confluent", "avro", dialect=FLINK, changes=True, omits=True, decoder="changes.DebeziumAvro$Read", encoder="changes.DebeziumAvro$Write",
           fits=_has_schema, options=_REGISTRY, needs=("url",), registry=True),
)  # fmt: skip
