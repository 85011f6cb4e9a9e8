"""The columns beyond its own that the changes of a table are read with: `schema.drift` = evolve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice.engine import row_kinds
from sluice.engine.spark import typed
from sluice.types import spark_type
from sluice.types.quoting import quote_string

if TYPE_CHECKING:
    from sluice.catalog import Column
    from sluice.types import Type

NEW = "__new"
"""The hidden column of columns that were discovered in a message."""


@dataclass(frozen=True, slots=True)
class Evolved:
    """Columns that a table does not declare and its target has, or is about to get.

    `absent` are those for which its changes have no values: it declares columns of these names,
    which the query writes elsewhere. They are NULL: both sides of a UNION ALL have the same ones.
    A message with a value for any other is bad: `refused` has the reasons by name, `reason` is the
    one for the rest. With `discovers` such columns are listed instead, with `ignores` they are
    ignored.
    """

    columns: tuple[Column, ...] = ()
    absent: frozenset[str] = frozenset()
    refused: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    discovers: bool = False
    ignores: bool = False

    @property
    def fields(self) -> list[tuple[str, Type]]:
        """The columns as fields of a message."""
        return [(c.name, c.type) for c in self.columns if c.name not in self.absent]

    def envelope(self) -> dict[str, Any]:
        """What a decoder is told of them."""
        return {
            "envelope.evolve": not self.ignores,
            "envelope.discover": self.discovers,
            "envelope.evolved": [name for name, _ in self.fields],
            "envelope.refused": [self.reason, *(text for pair in self.refused for text in pair)],
        }

    def sql(self, *, partial: bool) -> str:
        """The struct that queries carry, from the columns of `__row`."""
        names = [quote_string(name) for name, _ in self.fields]
        unchanged = "CAST(NULL AS ARRAY<STRING>)"
        if partial and names:
            kept = f"array_intersect(__row.{row_kinds.UNCHANGED}, array({', '.join(names)}))"
            unchanged = f"if(__row.{row_kinds.UNCHANGED} IS NULL, NULL, {kept})"
        parts = [quote_string("unchanged"), unchanged]
        for column in self.columns:
            read = f"__row.{typed.quoted(column.name)}"
            nothing = f"CAST(NULL AS {spark_type(column.type)})"
            parts += [quote_string(column.name), nothing if column.name in self.absent else read]
        return f"named_struct({', '.join(parts)})"
