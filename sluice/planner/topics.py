"""What reading and writing a Flink or DLI table have in common.

When a table is created, each option is checked by itself, and all together as far as reading and
writing share it: `check_together`. The rest is checked when a table is first used, where Flink
checks everything: see `topic_source` for one that is read and `topic_sink` for one that is written
to. DLI's keys are other names of the same options.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.config import check_urls
from sluice.formats import format_schemas, subjects
from sluice.formats.registry import find_format, must_fit, must_work
from sluice.kafka.logins import login_of
from sluice.options.kafka import KAFKA, dialect_of
from sluice.options.patterns import SYNTAX, BadPattern, compiled
from sluice.parameters.kinds import DLI, FLINK
from sluice.parameters.option import UPSERT
from sluice.parameters.secret import Secret
from sluice.planner.connect import connection
from sluice.planner.keys import Fields, columns_of, fields_of, key_columns, metadata_of
from sluice.planner.schema_drift import check_format
from sluice.planner.spec import KafkaSinkSpec, RowFormat
from sluice.planner.topic_formats import Chosen, formats_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place
    from sluice.options.option_set import Values
    from sluice.planner.spec import KafkaSource

_EARLIEST = "An upsert-kafka table is always read from the earliest offset."
_INSTEAD = {
    "format": "An upsert-kafka table has a key.format and a value.format.",
    "key_fields": "The key of an upsert-kafka table is its PRIMARY KEY.",
    "partitioner": "The key of a message decides its partition.",
    "start": _EARLIEST,
    "start_offsets": _EARLIEST,
    "start_timestamp": _EARLIEST,
}
"""Hints about options that an upsert-kafka table does not have."""

_FORMATS = ("format", "key_format", "value_format")
_PATTERNS = (".database.include", ".table.include")
_INDEXED = re.compile(r"(connector\.(?:properties|specific-offsets))\.([0-9]+)\.(\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Read:
    """A table's options, as far as reading and writing share them."""

    table: Table
    dialect: str
    values: Values
    value: Chosen
    key: Chosen | None
    places: Mapping[str, Place]

    @property
    def upsert(self) -> bool:
        """Whether a message is the newest row of its key."""
        return bool(self.values["connector"] == UPSERT)

    def name(self, key: str) -> str:
        """What an option is called in the table's dialect."""
        return KAFKA.by_key[key].names[self.dialect]

    def place(self, key: str) -> Place | None:
        """Where an option is written in the statement."""
        return self.places.get(self.name(key))


def flink_options(settings: Mapping[str, Any], places: Mapping[str, Place] | None = None) -> Values:
    """The values of a table's WITH options, each by itself.

    Raises:
        SluiceError: UNSUPPORTED_OPTIONS, OPTION_REFUSED, UNKNOWN_FORMAT,
            INVALID_OPTION_VALUE or MISSING_OPTION, naming the option.
    """
    dialect = dialect_of(settings)
    values = KAFKA.read(plain(settings) if dialect == DLI else settings, dialect, places)
    connector = values["connector"]
    for key in values.given:
        option = KAFKA.by_key[key]
        if not option.belongs_to(connector, dialect):
            name = option.names[dialect]
            hint = _INSTEAD.get(key, "") if connector == UPSERT else ""
            raise errors.UNSUPPORTED_OPTIONS(
                connector=connector, option=name, hint=hint, place=(places or {}).get(name)
            )
        if key in _FORMATS:
            format_ = find_format(values[key], dialect, (places or {}).get(option.names[dialect]))
            if key != "key_format":
                check_format(values, format_, dialect, places or {})
    patterns = {n: v for n, v in values.formats.items() if n.endswith(_PATTERNS)}
    for name, pattern in {"topic-pattern": values["topic_pattern"] or "", **patterns}.items():
        _check_pattern(name, pattern, (places or {}).get(name))
    if values["sasl_jaas"] is not None:
        login_of(values["sasl_jaas"])
    return values


def _check_pattern(option: str, pattern: str, place: Place | None) -> None:
    try:
        compiled(pattern)
    except BadPattern as error:
        raise errors.INVALID_OPTION_VALUE(
            option=option,
            value=f"'{pattern}'",
            reason=f"{error}. {SYNTAX}",
            place=place,
            dialect=FLINK,
        ) from None


def read_table(table: Table, use: str, places: Mapping[str, Place] | None) -> Read:
    """A table's options and formats, for a `scan` or a `sink`."""
    dialect = dialect_of(table.settings)
    values = flink_options(table.settings, places)
    value, key = formats_of(values, dialect, use, places or {})
    return Read(table, dialect, values, value, key, places or {})


def plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without the numbered keys that the oldest tables write lists with.

    Raises:
        SluiceError: MISSING_PROPERTY for an incomplete pair.
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
            raise errors.MISSING_PROPERTY(property=f"{name}.{at}.{missing}")
        if "key" in parts:
            made[f"{name}.{parts['key']}"] = parts["value"]
        else:
            offsets.append(f"partition:{parts['partition']},offset:{parts['offset']}")
    if offsets:
        made["connector.specific-offsets"] = ";".join(offsets)
    return made


def check_together(table: Table, places: Mapping[str, Place] | None = None) -> None:
    """Refuse a table whose options are wrong together, whether it is read or written to.

    One without a topic may be a template, which others complete with LIKE.

    Raises:
        SluiceError: what is wrong with its formats, its topics or its key.
    """
    values = flink_options(table.settings, places)
    if not values["topic"] and not values["topic_pattern"]:
        return
    read = read_table(table, "scan or sink", places)
    topics_of(read)
    _fields(read)


def topics_of(read: Read) -> tuple[tuple[str, ...], str]:
    """The topics, or the pattern of their names."""
    topics, pattern = read.values["topic"] or (), read.values["topic_pattern"] or ""
    if topics and pattern:
        raise errors.CONFLICTING_OPTIONS(
            option="topic", other="topic-pattern", place=read.place("topic_pattern")
        )
    if not topics and not pattern:
        raise errors.TOPIC_NOT_SET()
    return topics, pattern


def _check_urls(read: Read, config: Config | None) -> None:
    """Whether the table's formats may connect to the hosts that their options name.

    Raises:
        SluiceError: UNACCEPTABLE_URL.
    """
    for chosen in (read.value, read.key):
        url = chosen.options.get("url") if chosen is not None else None
        if url is not None:
            url = url.reveal() if isinstance(url, Secret) else url
            check_urls(url, config.hosts if config else None)


def _check_key(read: Read) -> None:
    """Whether a primary key is there where it must be and not where it means nothing."""
    value, key = read.value, read.key
    if not read.upsert:
        if read.table.primary_key and not value.format.changes:
            raise errors.PRIMARY_KEY_NOT_SUPPORTED(
                table=read.table.full_name, format=value.format.name
            )
        return
    for part, chosen in (("key", key), ("value", value)):
        if chosen is not None and chosen.format.changes:
            option = "format" if read.dialect == DLI else f"{part}_format"
            raise errors.UPSERT_FORMAT_NOT_INSERT_ONLY(
                format=chosen.format.name, part=part, place=read.place(option)
            )
    if not read.table.primary_key:
        raise errors.UPSERT_PRIMARY_KEY_MISSING()
    if key is None:
        raise errors.MISSING_OPTION(option="key.format", storage="Kafka", dialect=FLINK)


def _fields(read: Read) -> tuple[Fields, Fields]:
    """The fields of messages' keys and of their values."""
    _check_key(read)
    values = read.values
    return key_columns(
        columns_of(read.table),
        read.table.primary_key if read.upsert else values["key_fields"],
        values["key_prefix"],
        values["value_include"],
        named=read.key is not None,
    )


def common_parts(
    read: Read, topics: tuple[str, ...], config: Config | None, *, writes: bool
) -> dict[str, Any]:
    """The parts that `KafkaSource` and `KafkaSinkSpec` have in common.

    Raises:
        SluiceError: what is wrong with the table's key, a URL, a column or the connection.
    """
    keys, rest = _fields(read)
    _check_urls(read, config)
    if writes:  # schemas are registered under the topic's name unless a subject is given
        for chosen, part in ((read.value, "value"), (read.key, "key")):
            registers = chosen is not None and chosen.format.registry
            if chosen is not None and registers and subjects.SUBJECT not in chosen.options:
                chosen.options.update(subjects.of_topic(topics[0], part))
    table, values = read.table, read.values

    def row_format(chosen: Chosen, columns: Fields) -> RowFormat:
        folder = config.format_schemas if config else None
        options = format_schemas.found(chosen.format, chosen.options, folder)
        made = RowFormat(chosen.format.name, options, columns)
        must_fit(chosen.format, fields_of(table, made), made.options, writes=writes)
        return made

    client_id = values["client_id"] or f"sluice-{table.full_name}"
    return {
        "table": table,
        "topics": topics,
        "value": row_format(read.value, rest),
        "key": row_format(read.key, keys) if read.key is not None else None,
        "connection": connection(values, topics, client_id, config),
        "metadata": metadata_of(table, read.value.format.name, writing=writes),
        "upsert": read.upsert,
    }


def ensure_supported(spec: KafkaSource | KafkaSinkSpec) -> None:
    """Make sure that the engine can use a table's formats, to read or to write.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    for each in (spec.value, spec.key):
        if each is not None:
            must_work(find_format(each.name, FLINK), writes=isinstance(spec, KafkaSinkSpec))
