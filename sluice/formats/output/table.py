"""What can be rendered: columns with types, and rows of plain Python values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.types import Type


class Column(Protocol):
    """A column's name and type."""

    @property
    def name(self) -> str:
        """As the answer calls it."""

    @property
    def type(self) -> Type:
        """What its values are."""

    @property
    def type_name(self) -> str:
        """The type as the answer calls it."""


class Table(Protocol):
    """Columns and rows, such as a session's result."""

    @property
    def columns(self) -> Sequence[Column]:
        """In order."""

    @property
    def rows(self) -> Sequence[tuple[Any, ...]]:
        """One value per column in each."""
