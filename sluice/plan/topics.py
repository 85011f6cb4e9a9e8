"""What reading and writing a Flink or DLI table have in common.

Each option is checked by itself when a table is created, and what they are together, as in Flink,
when it is first used: see `topic_source` for one that is read and `topic_sink` for one that is
written to. DLI's keys are other names of the same options.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.config import check_url
from sluice.formats.flink import must_fit
from sluice.kafka.logins import login_of
from sluice.options.formats import find_format
from sluice.options.kafka import KAFKA, dialect_of
from sluice.options.kinds import DLI
from sluice.options.option import UPSERT, Values
from sluice.options.patterns import SYNTAX, BadPattern, compiled
from sluice.options.secret import Secret
from sluice.plan.connect import connection
from sluice.plan.keys import Fields, columns_of, fields_of, key_columns
from sluice.plan.spec import RowFormat
from sluice.plan.topic_formats import Chosen, Formats, formats_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place, SluiceError
    from sluice.kafka.properties import Connection

_NO_KEY = (
    "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies "
    "which columns should be read from or write to the Kafka message key. The PRIMARY KEY also "
    "defines records in the 'upsert-kafka' table should update or delete on which keys."
)
_FORMATS = ("format", "key_format", "value_format")
_INDEXED = re.compile(r"(connector\.(?:properties|specific-offsets))\.([0-9]+)\.(\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Read:
    """A table's options, as far as reading and writing share them."""

    table: Table
    dialect: str
    values: Values
    formats: Formats
    places: Mapping[str, Place]

    @property
    def upsert(self) -> bool:
        """Whether a message is the newest row of its key."""
        return bool(self.values["connector"] == UPSERT)

    def name(self, key: str) -> str:
        """What an option is called in the table's dialect."""
        return KAFKA.by_key[key].names[self.dialect]

    def bad(self, reason: str, key: str = "") -> SluiceError:
        """The error for the table, at the place of an option if one is to blame."""
        place = self.places.get(self.name(key)) if key else None
        return errors.BAD_ARGUMENTS(reason=reason, place=place)


def flink_options(settings: Mapping[str, Any], places: Mapping[str, Place] | None = None) -> Values:
    """The values of a table's WITH options, each by itself.

    Raises:
        SluiceError: UNSUPPORTED_OPTIONS, OPTION_REFUSED, UNKNOWN_FORMAT or BAD_ARGUMENTS, naming
            the option.
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
        if key in _FORMATS:
            find_format(values[key], dialect, (places or {}).get(option.names[dialect]))
    _check_pattern(values["topic_pattern"] or "", (places or {}).get("topic-pattern"))
    if values["sasl_jaas"] is not None:
        login_of(values["sasl_jaas"])
    return values


def _check_pattern(pattern: str, place: Place | None) -> None:
    try:
        compiled(pattern)
    except BadPattern as error:
        reason = f"Could not parse value '{pattern}' for key 'topic-pattern'. {error}. {SYNTAX}"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place) from None


def read_table(table: Table, use: str, places: Mapping[str, Place] | None) -> Read:
    """A table's options and formats, for a `scan` or a `sink`."""
    dialect = dialect_of(table.settings)
    values = flink_options(table.settings, places)
    formats = formats_of(values, dialect, use, places)
    return Read(table, dialect, values, formats, places or {})


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


def topics_of(read: Read) -> tuple[tuple[str, ...], str]:
    """The topics, or the pattern of their names."""
    topics, pattern = read.values["topic"] or (), read.values["topic_pattern"] or ""
    if topics and pattern:
        raise read.bad("Option 'topic' and 'topic-pattern' shouldn't be set together.")
    if not topics and not pattern:
        raise read.bad("Either 'topic' or 'topic-pattern' must be set.")
    if read.upsert and len(topics) > 1:
        raise read.bad(
            "The 'upsert-kafka' connector doesn't support topic list now. "
            "Please use single topic as the value of the parameter 'topic'."
        )
    return topics, pattern


def check_urls(read: Read, config: Config | None) -> None:
    """Whether the table's formats may connect to the hosts that their options name.

    Raises:
        SluiceError: UNACCEPTABLE_URL.
    """
    for chosen in (read.formats.value, read.formats.key):
        url = chosen.options.get("url") if chosen is not None else None
        if url is not None:
            check_url(
                url.reveal() if isinstance(url, Secret) else url, config.hosts if config else None
            )


def check_key(read: Read) -> None:
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


def halves_of(read: Read, *, writes: bool = False) -> tuple[RowFormat, RowFormat | None]:
    """The value's and the key's columns.

    Raises:
        SluiceError: BAD_ARGUMENTS, for those that a format cannot have too.
    """
    values = read.values
    fields = read.table.primary_key if read.upsert else values["key_fields"]
    named = read.formats.key is not None
    keys, rest = key_columns(
        columns_of(read.table), fields, values["key_prefix"], values["value_include"], named=named
    )

    def half(chosen: Chosen, columns: Fields) -> RowFormat:
        made = RowFormat(chosen.format.name, chosen.options, columns)
        must_fit(made.name, fields_of(read.table, made), made.options, writes=writes)
        return made

    value = half(read.formats.value, rest)
    return value, half(read.formats.key, keys) if read.formats.key is not None else None


def connection_of(read: Read, topics: tuple[str, ...], config: Config | None) -> Connection:
    """Who connects where."""
    client_id = read.values["client_id"] or f"sluice-{read.table.full_name}"
    return connection(read.values, topics, client_id, config)
