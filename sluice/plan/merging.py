"""What becomes of the rows of a stored table that have the same key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SUM, ANY = "sum", "any"
"""How a column without a function of its own is merged."""


@dataclass(frozen=True, slots=True)
class Merging:
    """Rows with the same `keys` are one row for every reader.

    `keys` are Spark SQL over the table's columns. Either the `newest` row is kept, by the columns
    named there and then by when it was written, or each column outside the keys is made of all
    rows, in the way that `columns` says: SUM, ANY, or the name of an aggregate function whose
    states, or partial results, the column has. A row is not shown if the column `deleted` is 1 in
    it, or if all of `zeros` are 0.
    """

    keys: tuple[str, ...]
    newest: tuple[str, ...] | None = None
    deleted: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    zeros: tuple[str, ...] = ()

    @property
    def ordered(self) -> bool:
        """Whether it matters when a row was written."""
        return self.newest is not None or "anyLast" in self.columns.values()
