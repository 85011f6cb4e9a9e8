"""Which formats a Flink or DLI table has for its keys and values, and whether their options fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.options.format_options import FORMAT_ROWS
from sluice.options.formats import find_format
from sluice.options.kinds import DLI, FLINK
from sluice.options.option import UPSERT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.errors import Place
    from sluice.options.formats import Format
    from sluice.options.option import Values

    Rule = Callable[[Mapping[str, Any], frozenset[str]], str]

_OLDER = ("url", "subject", "schema")
_NEEDED = {
    "avro-confluent": ("url",),
    "debezium-avro-confluent": ("url",),
    "protobuf": ("message-class-name",),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A format of a table, with its options by their short names; `given` are those written."""

    format: Format
    options: dict[str, Any]
    given: frozenset[str]


@dataclass(frozen=True, slots=True)
class Formats:
    """Those of a table's values and of its keys."""

    value: Chosen
    key: Chosen | None


def formats_of(
    values: Values, dialect: str, use: str, places: Mapping[str, Place] | None = None
) -> Formats:
    """The formats that the options choose, for a `scan` or a `sink`.

    Raises:
        SluiceError: BAD_ARGUMENTS, UNKNOWN_FORMAT, or UNSUPPORTED_OPTIONS for an option of a format
            that the table does not have.
    """
    places = places or {}
    used: set[str] = set()
    connector = values["connector"]

    def choose(key: str, name: str, prefix: str) -> Chosen:
        found = find_format(values[key], dialect, places.get(name))
        return _chosen(found, values, dialect, prefix, used)

    if dialect == DLI:
        value = choose("format", "format.type", "")
        key = value if connector == UPSERT else None
    else:
        if values["format"] is not None and connector != UPSERT:
            value = choose("format", "format", "")
        elif values["value_format"] is not None:
            value = choose("value_format", "value.format", "value.")
        else:
            reason = f"Could not find required {use} format 'value.format'."
            raise errors.BAD_ARGUMENTS(reason=reason)
        key = choose("key_format", "key.format", "key.") if values["key_format"] else None
    for name in values.formats:
        if name not in used:
            raise errors.UNSUPPORTED_OPTIONS(
                connector=connector,
                option=name,
                hint=f"The table's format is {value.format.name}.",
                place=places.get(name),
            )
    for chosen in (value, key):
        if chosen is not None:
            _check(chosen, use)
    return Formats(value, key)


def _chosen(found: Format, values: Values, dialect: str, prefix: str, used: set[str]) -> Chosen:
    options: dict[str, Any] = {}
    given = set()
    for row in FORMAT_ROWS:
        if row.formats and found.name not in row.formats:
            continue
        name = row.names.get(dialect, "")
        short = row.names.get(FLINK, name).removeprefix("{format}.")
        if dialect == FLINK:
            name = prefix + name.format(format=found.name)
        if name in values.formats:
            options[short] = values.formats[name]
            given.add(short)
            used.add(name)
        elif row.default is not None:
            options[short] = row.default
    for short in _OLDER:
        older = f"schema-registry.{short}"
        if older in options:
            options.setdefault(short, options.pop(older))
    return Chosen(found, options, frozenset(given))


def _check(chosen: Chosen, use: str) -> None:
    """Whether the options of a format fit together, in the words that Flink has for it."""
    name, options = chosen.format.name, chosen.options
    for needed in _NEEDED.get(name, ()):
        if needed not in options:
            reason = (
                "One or more required options are missing.\n\n"
                f"Missing required options are:\n\n{needed}"
            )
            raise errors.BAD_ARGUMENTS(reason=reason)
    for rule in _RULES.get(name, ()):
        reason = rule(options, chosen.given)
        if reason:
            raise errors.BAD_ARGUMENTS(reason=reason)
    if use == "sink" and options.get("schema-include"):
        reason = (
            "Debezium JSON serialization doesn't support 'debezium-json.schema-include' "
            "option been set to true."
        )
        raise errors.BAD_ARGUMENTS(reason=reason)


def _strict_or_not(options: Mapping[str, Any], _: frozenset[str]) -> str:
    both = options["fail-on-missing-field"] and options["ignore-parse-errors"]
    text = "fail-on-missing-field and ignore-parse-errors shouldn't both be true."
    return text if both else ""


def _quotes(options: Mapping[str, Any], given: frozenset[str]) -> str:
    both = options["disable-quote-character"] and "quote-character" in given
    text = "Format cannot define a quote character and disabled quote character at the same time."
    return text if both else ""


_RULES: dict[str, tuple[Rule, ...]] = {"json": (_strict_or_not,), "csv": (_quotes,)}
