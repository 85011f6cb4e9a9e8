"""What a statement runs with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.access import owner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.access import Access
    from sluice.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Output:
    """How an answer is written: a format, and the revision of the protocol for Native."""

    format: str
    revision: int = 0


@dataclass(frozen=True, slots=True)
class ExternalTable:
    """A table that a request brings along: rows in a format, of columns with these types.

    `settings` are those of how it is read, as SQL; others are those of the query.
    """

    name: str
    format: str
    structure: str
    data: bytes = field(repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """Who runs a statement, in which database and dialect, and with which settings.

    `access` is what the user may do.
    `settings` are those of the profile, the session, the request and the statement, each overriding
    the ones before it; `unasked` are the names of those that only the profile has. `text` is the
    statement as it was written. `output` is how an answer is wanted as bytes; None if rows are.
    `parameters` have values for `{name:Type}`, `external` are tables that came with the request.
    """

    engine: Engine
    database: str
    dialect: str = "clickhouse"
    settings: Mapping[str, Any] = field(default_factory=dict)
    access: Access = field(default_factory=owner)
    unasked: frozenset[str] = frozenset()
    query_id: str = ""
    text: str = ""
    output: Output | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    external: Sequence[ExternalTable] = ()

    @property
    def asked(self) -> Mapping[str, Any]:
        """The settings that the user has chosen."""
        return {name: v for name, v in self.settings.items() if name not in self.unasked}

    @property
    def principal(self) -> str:
        """The name of the user."""
        return self.access.user
