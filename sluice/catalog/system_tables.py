"""The tables of `system` and `information_schema`: their names and columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class SystemTable:
    """The schema of a table whose rows are computed when it is read; `aliases` are synonyms.

    There is one object for each table.
    """

    name: str
    columns: tuple[tuple[str, Type], ...]
    aliases: tuple[tuple[str, str], ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)


SYSTEM: dict[str, SystemTable] = {}
INFORMATION: dict[str, SystemTable] = {}

DATABASES: Mapping[str, Mapping[str, SystemTable]] = {
    "system": SYSTEM,
    "information_schema": INFORMATION,
    "INFORMATION_SCHEMA": INFORMATION,
}
"""Databases that every catalog has; `sluice.system` declares their tables."""


def find_system(database: str, name: str) -> SystemTable | None:
    """A table of one of those databases; the names of `information_schema` are in any case."""
    folded = name if database == "system" else name.lower()
    return DATABASES.get(database, {}).get(folded)
