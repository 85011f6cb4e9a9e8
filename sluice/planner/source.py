"""From the options of ClickHouse's Kafka tables to what is read."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.config import check_urls
from sluice.formats import format_schemas
from sluice.formats.codec import SKIP_BYTES
from sluice.formats.registry import find_format, must_fit, must_work, of_dialect
from sluice.options.kafka import KAFKA
from sluice.options.patterns import SYNTAX, BadPattern, compiled
from sluice.options.sink import LEVELS
from sluice.parameters.kinds import CLICKHOUSE
from sluice.parameters.secret import Secret
from sluice.planner.connect import connection, offset_reset
from sluice.planner.schema_drift import check_format
from sluice.planner.source_transactions import transaction_parts
from sluice.planner.spec import KafkaSource, RowFormat
from sluice.planner.virtual_columns import read_metadata
from sluice.sql.relation import BY_KEY, FULL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place
    from sluice.kafka.properties import Connection
    from sluice.options.option_set import Values

REGISTRY = "format_avro_schema_registry_url"
"""The setting of a ClickHouse table that says where its schemas are."""

FORMATS = tuple(each.name for each in of_dialect(CLICKHOUSE) if each.reads)
"""Those that messages can be read as."""

LEAST_LIMIT = 16
"""So many consumers are allowed on any machine."""

MACROS = {"cluster": "default", "replica": "sluice"}
"""What is filled in besides a table's names, unless the configuration has others."""

_LOOK_MS, _LEAST_LOOK_MS = 250, 10
_POLL_RECORDS = 5000

_PROFILE = {
    "max_block_size": "max_insert_block_size",
    "flush_interval_ms": "stream_flush_interval_ms",
}
"""Options that a profile's setting is the default of."""


def check_create(
    table: Table,
    places: Mapping[str, Place] | None = None,
    *,
    config: Config | None = None,
    collection: Mapping[str, Any] | None = None,
    collection_name: str = "",
    settings: Mapping[str, Any] | None = None,
) -> KafkaSource:
    """Check a Kafka table that is about to be made; `settings` are the session's.

    Raises:
        SluiceError: what `kafka_source` raises, KAFKA_COLUMN_DEFAULT or TOO_MANY_CONSUMERS.
    """
    places = places or {}
    if any(column.default_kind for column in table.columns):
        raise errors.KAFKA_COLUMN_DEFAULT()
    source = kafka_source(
        table, places, config=config, collection=collection, collection_name=collection_name
    )
    name = "kafka_disable_num_consumers_limit"
    profile = config.settings() if config else {}
    asked = {**profile, **(settings or {}), **table.settings}.get(name, 0)
    limit = max(LEAST_LIMIT, os.cpu_count() or 1)
    if source.min_tasks > limit and str(asked).lower() not in ("1", "true"):
        place = places.get("kafka_num_consumers")
        raise errors.TOO_MANY_CONSUMERS(limit=limit, setting=name, place=place)
    return source


def kafka_source(
    table: Table,
    places: Mapping[str, Place] | None = None,
    *,
    config: Config | None = None,
    collection: Mapping[str, Any] | None = None,
    collection_name: str = "",
) -> KafkaSource:
    """Check a Kafka table's options and say what it reads.

    `collection` are the options of the named collection it was made with; its own come before them.

    Raises:
        SluiceError: UNKNOWN_SETTING, UNKNOWN_FORMAT, NOT_IMPLEMENTED, INVALID_OPTION_VALUE or
            MISSING_OPTION, naming the option.
    """
    places = places or {}
    values = read_table(table, places, collection)
    _check_together(values, places)
    format_ = find_format(values["format"], CLICKHOUSE, places.get("kafka_format"))
    check_format(values, format_, CLICKHOUSE, places)
    flavour = changelog_of(table, values["format"], places.get("kafka_format"))
    macros = {**MACROS, **(config.macros if config else {})}
    names = macros | {"database": table.database, "table": table.name, "uuid": table.uuid}
    topics = tuple(expand(topic, names) for topic in values["topic"])
    if not topics:
        raise errors.KAFKA_TOPIC_LIST_EMPTY()
    _check_patterns(topics, places.get("kafka_topic_list"))
    expand(values["replica_name"] or "", names)
    profile = config.settings() if config else {}
    client_id = expand(values["client_id"], names) or f"sluice-{table.full_name}"
    made = connection(values, topics, client_id, config, collection_name, _producer(values))
    return KafkaSource(
        table=table,
        changes=find_format(values["format"], CLICKHOUSE, places.get("kafka_format")).changes,
        connection=made,
        topics=topics,
        value=_value(table, values, config, places),
        metadata=read_metadata(table, values["handle_error_mode"], flavour),
        group=expand(values["group"], names),
        commits=bool(values["group"]),
        skip_broken=values["skip_broken_messages"],
        max_block=_default(values, "max_block_size", profile),
        flush_ms=_default(values, "flush_interval_ms", profile),
        min_tasks=values["readers"] or 1,
        error_mode=values["handle_error_mode"],
        commit_on_select=values["commit_on_select"],
        rows_per_message=values["max_rows_per_message"],
        offset_reset=_offset_reset(made),
        waits="flush_interval_ms" in values.given,
        look_ms=max(_LEAST_LOOK_MS, values["consumer_reschedule_ms"] or _LOOK_MS),
        poll_records=values["poll_max_batch_size"] or _POLL_RECORDS,
        on_data_loss=values["on_data_loss"],
        schema_drift=values["schema_drift"],
        shared_by=(values["brokers"], _shared_by(values, names)),
        **transaction_parts(values, values["format"], CLICKHOUSE, places),
    )


def changelog_of(table: Table, format_: str, place: Place | None = None) -> str:
    """The flavour of the changes that the messages of a format are; empty if they are rows.

    Raises:
        SluiceError: UNKNOWN_FORMAT, or ENGINE_CLAUSE_NOT_SUPPORTED for rows with a key.
    """
    if find_format(format_, CLICKHOUSE, place).changes:
        return BY_KEY if table.primary_key else FULL
    if table.primary_key:
        raise errors.ENGINE_CLAUSE_NOT_SUPPORTED(engine=table.engine, clause="PRIMARY KEY")
    return ""


def read_table(
    table: Table,
    places: Mapping[str, Place] | None = None,
    collection: Mapping[str, Any] | None = None,
) -> Values:
    """The values of a ClickHouse table's options, each by itself.

    Raises:
        SluiceError: what `OptionSet.read` raises, naming the option.
    """
    known = KAFKA.named(CLICKHOUSE)
    shared = {name: value for name, value in (collection or {}).items() if name in known}
    return KAFKA.read({**shared, **table.settings}, CLICKHOUSE, places)


def expand(text: str, names: Mapping[str, str]) -> str:
    """The text with `{database}` and the like filled in.

    Raises:
        SluiceError: UNKNOWN_MACRO.
    """

    def one(match: re.Match[str]) -> str:
        if match[1] not in names:
            raise errors.UNKNOWN_MACRO(macro=match[1], text=text)
        return names[match[1]]

    return re.sub(r"\{(\w+)\}", one, text)


def _check_together(values: Values, places: Mapping[str, Place]) -> None:
    if (values["keeper_path"] is None) != (values["replica_name"] is None):
        raise errors.OPTIONS_BELONG_TOGETHER(option="kafka_keeper_path", other="kafka_replica_name")
    codec, level = values["compression_codec"], values["compression_level"]
    if level == -1 or not codec:
        return
    low, high = LEVELS.get(codec, (0, 0))
    if not low <= level <= high:
        name = "kafka_compression_level"
        reason = f"{codec} takes {low} to {high}, or -1"
        raise errors.INVALID_OPTION_VALUE(
            option=name, value=level, reason=reason, place=places.get(name)
        )


def _check_patterns(topics: Iterable[str], place: Place | None) -> None:
    for topic in topics:
        if topic.startswith("^"):
            try:
                compiled(topic)
            except BadPattern as bad:
                reason = f"it is not a valid regular expression: {bad}. {SYNTAX}"
                raise errors.INVALID_OPTION_VALUE(
                    option="kafka_topic_list", value=f"'{topic}'", reason=reason, place=place
                ) from None


def _shared_by(values: Values, names: Mapping[str, str]) -> str:
    """What tables have in common that share partitions: a path, if they have one, or the group."""
    path = expand(values["keeper_path"] or "", names)
    return f"path {path}" if path else f"group {expand(values['group'], names)}"


def _producer(values: Values) -> dict[str, str | Secret]:
    """What the options say about compression, for the client that writes."""
    given: dict[str, str | Secret] = {}
    if values["compression_codec"]:
        given["compression.type"] = values["compression_codec"]
    if values["compression_level"] != -1:
        given["compression.level"] = str(values["compression_level"])
    return given


def _default(values: Values, key: str, profile: Mapping[str, str]) -> int:
    """An option's value; if it was not given, the profile's setting that is its default.

    A block of 0 messages is the default too: the engine's documented template is written so.
    """
    if key in values.given and (values[key] or key != "max_block_size"):
        return int(values[key])
    setting = profile.get(_PROFILE[key], "")
    if setting.isascii() and setting.isdigit() and int(setting):
        return int(setting)
    return int(KAFKA.by_key[key].default)


def _offset_reset(made: Connection) -> str:
    """Where a group without offsets begins: at the oldest message, unless that is configured."""
    found = offset_reset(made)
    return found if found in ("latest", "none") else "earliest"


def _value(
    table: Table, values: Values, config: Config | None, places: Mapping[str, Place]
) -> RowFormat:
    """The format of messages with its settings, as far as the table or the profile sets them."""
    place = places.get("kafka_format")
    found = find_format(values["format"], CLICKHOUSE, place)
    must_work(found, place, writes=found.writes and not found.reads)
    columns = [(column.name, column.type) for column in table.columns if column.alias is None]
    settings = _format_settings(values, config.settings() if config else {})
    if values["schema"]:
        settings[format_schemas.GIVEN] = values["schema"]
    with errors.at(places.get("kafka_schema")):
        settings = format_schemas.found(found, settings, config.format_schemas if config else None)
    must_fit(found, columns, settings, place)
    if found.registry:
        check_urls(_text(settings[REGISTRY]), config.hosts if config else None)
    return RowFormat(found.name, settings, tuple((name, name) for name, _ in columns), CLICKHOUSE)


def _format_settings(values: Values, profile: Mapping[str, str]) -> dict[str, Any]:
    """The format settings that hold."""
    known = KAFKA.named(CLICKHOUSE)
    found = find_format(values["format"], CLICKHOUSE)
    given = {
        name: known[name].kind.read(value)
        for name, value in profile.items()
        if name in known and known[name].part
    } | values.formats
    if values[SKIP_BYTES]:
        given[SKIP_BYTES] = values[SKIP_BYTES]
    if found.registry and not _text(given.get(REGISTRY)):
        url = values["registry_url"]
        if not _text(url):
            raise errors.MISSING_OPTION(option=REGISTRY, storage="Kafka")
        given[REGISTRY] = url
    return given


def _text(given: str | Secret | None) -> str:
    return given.reveal() if isinstance(given, Secret) else given or ""
