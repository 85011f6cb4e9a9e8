"""From the options of a Flink or DLI table to what is read and what is written.

As in Flink, a table is checked when it is first used: `flink_source` for one that is read,
`flink_sink` for one that is written to. DLI's keys are other names of the same options.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options.formats import find_format, must_read, must_write
from sluice.options.kafka import KAFKA
from sluice.options.kinds import DLI, FLINK
from sluice.options.option import UPSERT, Values
from sluice.options.sink import PARTITIONERS
from sluice.plan.connect import connection
from sluice.plan.keys import columns_of, key_columns, metadata_of
from sluice.plan.spec import Point, RowFormat, TopicSink, TopicSource
from sluice.plan.topic_formats import Chosen, Formats, formats_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place, SluiceError
    from sluice.kafka.properties import Connection

SCAN, SINK = "scan", "sink"
REGISTRY_FORMATS = ("avro-confluent", "debezium-avro-confluent")

_NO_GROUP = "Property group.id is required when using committed offset for offsets initializer"
_NO_COMMIT_GROUP = "Property group.id is required when offset commit is enabled"
_NO_KEY = (
    "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies "
    "which columns should be read from or write to the Kafka message key. The PRIMARY KEY also "
    "defines records in the 'upsert-kafka' table should update or delete on which keys."
)
_FLUSH = (
    "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater than "
    "zero together to enable sink buffer flushing."
)
_INDEXED = re.compile(r"(connector\.(?:properties|specific-offsets))\.([0-9]+)\.(\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Read:
    """A table's options, as far as reading and writing share them."""

    table: Table
    dialect: str
    values: Values
    formats: Formats
    places: Mapping[str, Place]

    @property
    def upsert(self) -> bool:
        return bool(self.values["connector"] == UPSERT)

    def name(self, key: str) -> str:
        """What an option is called in the table's dialect."""
        return KAFKA.by_key[key].names[self.dialect]

    def bad(self, reason: str, key: str = "") -> SluiceError:
        place = self.places.get(self.name(key)) if key else None
        return errors.BAD_ARGUMENTS(reason=reason, place=place)


def dialect_of(settings: Mapping[str, Any]) -> str:
    """DLI's keys all begin with words of their own."""
    return DLI if any(name.startswith("connector.") for name in settings) else FLINK


def flink_options(settings: Mapping[str, Any], places: Mapping[str, Place] | None = None) -> Values:
    """The values of a table's WITH options, each by itself.

    Raises:
        SluiceError: UNSUPPORTED_OPTIONS, OPTION_REFUSED or BAD_ARGUMENTS, naming the option.
    """
    dialect = dialect_of(settings)
    values = KAFKA.read(plain(settings) if dialect == DLI else settings, dialect, places)
    connector = values["connector"]
    for key in values.given:
        option = KAFKA.by_key[key]
        if connector not in option.connectors and not (dialect == DLI and key == "format"):
            name = option.names[dialect]
            raise errors.UNSUPPORTED_OPTIONS(
                connector=connector, option=name, hint="", place=(places or {}).get(name)
            )
    return values


def flink_source(
    table: Table, places: Mapping[str, Place] | None = None, *, config: Config | None = None
) -> TopicSource:
    """Check a table that is read and say what it reads.

    Raises:
        SluiceError: in Flink's words.
    """
    read = _read(table, SCAN, places)
    values = read.values
    topics, pattern = _topics(read)
    start, stop = _start(read, topics), _stop(read, topics)
    group = values["group"] or ""
    _check_group(read, start, stop, group)
    _check_key(read)
    value, key = _halves(read)
    return TopicSource(
        table=table,
        connection=_connection(read, topics, config),
        topics=topics,
        pattern=pattern,
        group=group,
        start=start,
        stop=stop,
        value=value,
        key=key,
        metadata=metadata_of(table, value.name, writing=False),
        upsert=read.upsert,
        changes=read.upsert or read.formats.value.format.changes,
        offset_reset=values["offset_reset"] or "",
        readers=values["readers"],
    )


def flink_sink(
    table: Table, places: Mapping[str, Place] | None = None, *, config: Config | None = None
) -> TopicSink:
    """Check a table that is written to and say what it writes.

    Raises:
        SluiceError: in Flink's words.
    """
    read = _read(table, SINK, places)
    values = read.values
    topics, pattern = _topics(read)
    topic = _one_topic(read, topics, pattern)
    partitioner = _partitioner(read)
    guarantee = _guarantee(read)
    rows, interval = values["buffer_rows"], values["buffer_interval"]
    if (rows > 0) != (interval > 0):
        raise read.bad(_FLUSH)
    _check_mode(read)
    _check_key(read)
    _subjects(read.formats, topic)
    value, key = _halves(read)
    return TopicSink(
        table=table,
        connection=_connection(read, (topic,), config),
        topic=topic,
        value=value,
        key=key,
        metadata=metadata_of(table, value.name, writing=True),
        upsert=read.upsert,
        changes=read.upsert or read.formats.value.format.changes,
        partitioner=partitioner,
        guarantee=guarantee,
        transactional_id_prefix=values["transactional_id_prefix"] or "",
        writers=values["writers"],
        buffer_rows=rows,
        buffer_ms=interval,
        ignore_retraction=values["ignore_retraction"],
    )


def ensure_readable(source: TopicSource) -> None:
    """Make sure that the engine can read the table's formats.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    for half in (source.value, source.key):
        if half is not None:
            must_read(find_format(half.name, FLINK), FLINK)


def ensure_writable(sink: TopicSink) -> None:
    """Make sure that the engine can write the table's formats.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    for half in (sink.value, sink.key):
        if half is not None:
            must_write(find_format(half.name, FLINK), FLINK)


def ensure_takes_changes(sink: TopicSink) -> None:
    """Make sure that a query whose rows change later may be written to the table.

    Raises:
        SluiceError: BAD_ARGUMENTS.
    """
    if not sink.changes:
        reason = (
            f"Table sink '{sink.table.full_name}' doesn't support consuming update and delete "
            "changes"
        )
        raise errors.BAD_ARGUMENTS(reason=reason)


def _read(table: Table, use: str, places: Mapping[str, Place] | None) -> _Read:
    dialect = dialect_of(table.settings)
    values = flink_options(table.settings, places)
    formats = formats_of(values, dialect, use, places)
    return _Read(table, dialect, values, formats, places or {})


def plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without the numbered keys that the oldest tables write lists with.

    Raises:
        SluiceError: BAD_ARGUMENTS for a half of a pair.
    """
    made: dict[str, Any] = {}
    numbered: dict[tuple[str, str], dict[str, Any]] = {}
    for name, value in settings.items():
        found = _INDEXED.fullmatch(name)
        if found is None:
            made[name] = value
        else:
            numbered.setdefault((found[1], found[2]), {})[found[3]] = value
    offsets = []
    for (name, at), parts in sorted(numbered.items(), key=lambda each: int(each[0][1])):
        wanted = {"key", "value"} if name.endswith("properties") else {"partition", "offset"}
        if set(parts) != wanted:
            missing = ", ".join(sorted(wanted - set(parts)))
            reason = f"Could not find required property '{name}.{at}.{missing}'."
            raise errors.BAD_ARGUMENTS(reason=reason)
        if "key" in parts:
            made[f"{name}.{parts['key']}"] = parts["value"]
        else:
            offsets.append(f"partition:{parts['partition']},offset:{parts['offset']}")
    if offsets:
        made["connector.specific-offsets"] = ";".join(offsets)
    return made


def _topics(read: _Read) -> tuple[tuple[str, ...], str]:
    topics, pattern = read.values["topic"] or (), read.values["topic_pattern"] or ""
    if topics and pattern:
        raise read.bad("Option 'topic' and 'topic-pattern' shouldn't be set together.")
    if not topics and not pattern:
        raise read.bad("Either 'topic' or 'topic-pattern' must be set.")
    try:
        re.compile(pattern)
    except re.error as error:
        reason = f"Could not parse value '{pattern}' for key 'topic-pattern'. {error}"
        raise read.bad(reason, "topic_pattern") from None
    if read.upsert and len(topics) > 1:
        raise read.bad(
            "The 'upsert-kafka' connector doesn't support topic list now. "
            "Please use single topic as the value of the parameter 'topic'."
        )
    return topics, pattern


def _start(read: _Read, topics: tuple[str, ...]) -> Point:
    if read.upsert:
        return Point("earliest-offset")
    return _point(read, topics, "start", "startup")


def _stop(read: _Read, topics: tuple[str, ...]) -> Point:
    return _point(read, topics, "stop", "bounded")


def _point(read: _Read, topics: tuple[str, ...], key: str, title: str) -> Point:
    mode = read.values[key]
    needed = {"timestamp": f"{key}_timestamp", "specific-offsets": f"{key}_offsets"}.get(mode)
    if needed is None:
        return Point(mode)
    value = read.values[needed]
    if value is None:
        reason = f"'{read.name(needed)}' is required in '{mode}' {title} mode but missing."
        raise read.bad(reason, key)
    if mode == "timestamp":
        return Point(mode, timestamp_ms=value)
    if len(topics) != 1:
        raise read.bad("Currently Kafka source only supports specific offset for single topic.")
    return Point(mode, offsets=value)


def _check_group(read: _Read, start: Point, stop: Point, group: str) -> None:
    if group:
        return
    if "group-offsets" in (start.mode, stop.mode):
        raise read.bad(_NO_GROUP)
    if read.values["auto_commit"]:
        raise read.bad(_NO_COMMIT_GROUP, "auto_commit")


def _check_key(read: _Read) -> None:
    """Whether a primary key is there where it must be and not where it means nothing."""
    value, key = read.formats.value, read.formats.key
    if not read.upsert:
        if read.table.primary_key and not value.format.changes:
            raise read.bad(
                f"The Kafka table '{read.table.full_name}' with '{value.format.name}' format "
                "doesn't support defining PRIMARY KEY constraint on the table, because it can't "
                "guarantee the semantic of primary key."
            )
        return
    for half, chosen in (("key", key), ("value", value)):
        if chosen is not None and chosen.format.changes:
            name = chosen.format.name
            raise read.bad(
                f"'upsert-kafka' connector doesn't support '{name}' as {half} format, "
                f"because '{name}' is not in insert-only mode."
            )
    if not read.table.primary_key:
        raise read.bad(_NO_KEY)
    if key is None:
        raise read.bad(
            "One or more required options are missing.\n\n"
            "Missing required options are:\n\nkey.format"
        )


def _halves(read: _Read) -> tuple[RowFormat, RowFormat | None]:
    """The value's and the key's columns."""
    values = read.values
    fields = read.table.primary_key if read.upsert else values["key_fields"]
    named = read.formats.key is not None
    keys, rest = key_columns(
        columns_of(read.table), fields, values["key_prefix"], values["value_include"], named=named
    )
    value = _half(read.formats.value, rest)
    return value, _half(read.formats.key, keys) if read.formats.key is not None else None


def _half(chosen: Chosen, columns: tuple[tuple[str, str], ...]) -> RowFormat:
    if chosen.format.name == "raw" and len(columns) != 1:
        listed = ", ".join(column for _, column in columns)
        reason = (
            "The 'raw' format only supports single physical column. However the defined schema "
            f"contains multiple physical columns: [{listed}]"
        )
        raise errors.BAD_ARGUMENTS(reason=reason)
    return RowFormat(chosen.format.name, chosen.options, columns)


def _connection(read: _Read, topics: tuple[str, ...], config: Config | None) -> Connection:
    client_id = read.values["client_id"] or f"sluice-{read.table.full_name}"
    return connection(read.values, topics, client_id, config)


def _one_topic(read: _Read, topics: tuple[str, ...], pattern: str) -> str:
    if len(topics) == 1:
        return topics[0]
    got = f"'topic-pattern': {pattern}" if pattern else f"'topic': [{', '.join(topics)}]"
    raise read.bad(f"Flink Kafka sink currently only supports single topic, but got {got}.")


def _partitioner(read: _Read) -> str:
    given: str = read.values["partitioner"]
    if given == "custom" and read.dialect == DLI:
        given = read.values["partitioner_class"] or ""
        if not given:
            raise read.bad(
                f"'{read.name('partitioner_class')}' is required when "
                f"'{read.name('partitioner')}' is 'custom'.",
                "partitioner",
            )
    if not given:
        name = read.name("partitioner")
        raise read.bad(f"Option '{name}' should be a non-empty string.", "partitioner")
    if given not in PARTITIONERS:
        reason = f"Could not find and instantiate partitioner class '{given}'"
        raise read.bad(reason, "partitioner")
    if given == "round-robin" and read.values["key_fields"]:
        raise read.bad(
            "Currently 'round-robin' partitioner only works when option 'key.fields' is not "
            "specified.",
            "partitioner",
        )
    return given


def _guarantee(read: _Read) -> str:
    values = read.values
    if "semantic" in values.given:
        return str(values["semantic"])
    if values["guarantee"] == "exactly-once" and not values["transactional_id_prefix"]:
        raise read.bad(
            "sink.transactional-id-prefix must be specified when using "
            "DeliveryGuarantee.EXACTLY_ONCE.",
            "guarantee",
        )
    return str(values["guarantee"])


def _check_mode(read: _Read) -> None:
    mode = read.values["update_mode"]
    fits = ("append", "upsert") if read.upsert else ("append",)
    if mode not in fits:
        reason = (
            f"'update-mode' = '{mode}' does not fit 'connector.type' = "
            f"'{read.values['connector']}', which writes in the mode {fits[-1]}"
        )
        raise read.bad(reason, "update_mode")


def _subjects(formats: Formats, topic: str) -> None:
    """Schemas are registered under the topic's name unless another is given."""
    for chosen, half in ((formats.value, "value"), (formats.key, "key")):
        if chosen is not None and chosen.format.name in REGISTRY_FORMATS:
            chosen.options.setdefault("subject", f"{topic}-{half}")
