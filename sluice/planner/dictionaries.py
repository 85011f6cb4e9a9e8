"""Dictionaries: what their statements make of them, and how ClickHouse is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.catalog import Column, Table

SOURCE_DATABASE, SOURCE_TABLE = "source_database", "source_table"
_FLAGS = "flags "


def settings_of(
    source: tuple[str, str], parts: Mapping[str, str], flags: Mapping[str, str]
) -> dict[str, str]:
    """What the catalog keeps of a dictionary besides its columns and its key."""
    database, table = source
    own = {f"{_FLAGS}{name}": words for name, words in flags.items()}
    return {SOURCE_DATABASE: database, SOURCE_TABLE: table, **parts, **own}


def source_of(dictionary: Table) -> tuple[str, str]:
    """The database and the name of the table that it reads."""
    return (str(dictionary.settings[SOURCE_DATABASE]), str(dictionary.settings[SOURCE_TABLE]))


def layout_of(dictionary: Table) -> str:
    """The layout as `system.dictionaries` has it: HASHED_ARRAY() is HashedArray."""
    name = str(dictionary.settings["layout"]).partition("(")[0]
    return "".join(word.capitalize() for word in name.split("_"))


def lifetime_of(dictionary: Table) -> tuple[int, int]:
    """The least and the most seconds of LIFETIME; 0 if there is none."""
    numbers = [
        int(each) for each in re.findall(r"\d+", str(dictionary.settings.get("lifetime", "")))
    ]
    return (numbers[0], numbers[1]) if len(numbers) > 1 else (0, sum(numbers))


def definition(dictionary: Table, source: tuple[str, str], *, lifetime: str = "") -> Iterator[str]:
    """What follows the name in CREATE DICTIONARY, line by line, with this source."""
    given = dictionary.settings
    yield "("
    yield ",\n".join(f"    {_attribute(dictionary, column)}" for column in dictionary.columns)
    yield ")"
    yield f"PRIMARY KEY {', '.join(dictionary.primary_key)}"
    yield f"SOURCE(CLICKHOUSE(TABLE {quote_string(source[1])} DB {quote_string(source[0])}))"
    lifetime = lifetime or str(given.get("lifetime", ""))
    if lifetime:
        yield f"LIFETIME({lifetime})"
    yield f"LAYOUT({given['layout']})"
    if "range" in given:
        yield f"RANGE({given['range']})"


def _attribute(dictionary: Table, column: Column) -> str:
    parts = [quote_name(column.name), str(column.type)]
    if column.default is not None:
        parts.append(f"DEFAULT {column.default}")
    if words := dictionary.settings.get(f"{_FLAGS}{column.name}"):
        parts.append(str(words))
    return " ".join(parts)
