"""The columns beyond its own that the changes of a table are read with: `schema.drift` = evolve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.engine import row_kinds
from sluice.engine.spark import typed
from sluice.types.quoting import quote_string

if TYPE_CHECKING:
    from sluice.catalog import Column
    from sluice.types import Type

NEW = "__new"
"""The hidden column of columns that were discovered in a message."""


@dataclass(frozen=True, slots=True)
class Evolved:
    """Columns that a table does not declare and its target has, or is about to get.

    A message with a value for any other is bad: `refused` has the reasons by name, `reason` is the
    one for the rest. With `discovers` such columns are listed instead, with `ignores` they are
    ignored.
    """

    columns: tuple[Column, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    discovers: bool = False
    ignores: bool = False

    @property
    def fields(self) -> list[tuple[str, Type]]:
        """The columns as fields of a message."""
        return [(column.name, column.type) for column in self.columns]

    def envelope(self) -> dict[str, Any]:
        """What a decoder is told of them."""
        return {
            "envelope.evolve": not self.ignores,
            "envelope.discover": self.discovers,
            "envelope.evolved": [column.name for column in self.columns],
            "envelope.refused": [self.reason, *(text for pair in self.refused for text in pair)],
        }

    def sql(self, *, partial: bool) -> str:
        """The struct that queries carry, from the columns of `__row`."""
        names = [quote_string(column.name) for column in self.columns]
        unchanged = "CAST(NULL AS ARRAY<STRING>)"
        if partial and names:
            kept = f"array_intersect(__row.{row_kinds.UNCHANGED}, array({', '.join(names)}))"
            unchanged = f"if(__row.{row_kinds.UNCHANGED} IS NULL, NULL, {kept})"
        values = [f"__row.{typed.quoted(column.name)}" for column in self.columns]
        pairs = (part for pair in zip(names, values, strict=True) for part in pair)
        return f"named_struct({', '.join((quote_string('unchanged'), unchanged, *pairs))})"
