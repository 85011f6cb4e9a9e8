"""What a statement answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sluice.types import Type

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of an answer."""

    name: str
    type: Type
    spelled: str = ""
    """The type as the dialect of the statement calls it, if that is not ClickHouse's."""

    @property
    def type_name(self) -> str:
        """The type as answers name it."""
        return self.spelled or str(self.type)


@dataclass(slots=True)
class Result:
    """Columns and rows; `format` is what the statement's FORMAT clause asked for.

    Values are plain Python: int, float, Decimal, bool, str, date, aware datetime, list, dict,
    tuple, None. A statement that answers nothing has no columns.
    """

    columns: tuple[ResultColumn, ...] = ()
    rows: Sequence[Row] = ()
    format: str | None = None

    def fetchall(self) -> list[Row]:
        """All rows."""
        return list(self.rows)

    def fetchone(self) -> Row | None:
        """The first row, or None."""
        return self.rows[0] if self.rows else None

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)
