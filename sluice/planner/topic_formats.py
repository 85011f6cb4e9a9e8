"""Which formats a Flink or DLI table has for its keys and values, and whether their options fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats.registry import FORMAT_OPTIONS, find_format
from sluice.parameters.kinds import DLI, FLINK
from sluice.parameters.option import UPSERT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place
    from sluice.formats.descriptor import Format
    from sluice.options.option_set import Values

_OLDER = ("url", "subject", "schema")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A format of a table, with its options by their short names; `given` are those written."""

    format: Format
    options: dict[str, Any]
    given: frozenset[str]


def formats_of(
    values: Values, dialect: str, use: str, places: Mapping[str, Place]
) -> tuple[Chosen, Chosen | None]:
    """The value format and the key format that the options choose.

    `use` is what for: a `scan`, a `sink`, or `scan or sink` for what holds for both.

    Raises:
        SluiceError: MISSING_FORMAT, UNKNOWN_FORMAT, CONFLICTING_FORMAT_OPTIONS, or
            UNSUPPORTED_OPTIONS for an option of a format that the table does not have.
    """
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
            missing = "'value.format'" if connector == UPSERT else "'format'"
            raise errors.MISSING_FORMAT(use=use, option="value.format", missing=missing)
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
    return value, key


def _chosen(found: Format, values: Values, dialect: str, prefix: str, used: set[str]) -> Chosen:
    options: dict[str, Any] = {}
    given = set()
    for row in FORMAT_OPTIONS:
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
    found, options = chosen.format, chosen.options
    for needed in found.needs:
        if needed not in options:
            raise errors.MISSING_OPTION(option=needed, storage="Kafka", dialect=FLINK)
    problem = found.conflict(options, chosen.given, use) if found.conflict is not None else ""
    if problem:
        raise errors.CONFLICTING_FORMAT_OPTIONS(problem=problem)
