"""Statements about the session, and about what runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.sql.ir.nodes import ReadOnly, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place
    from sluice.sql.ir.nodes import Name, Query


@dataclass(frozen=True, slots=True)
class Use(ReadOnly):
    """USE: the current database from here on."""

    database: str


@dataclass(frozen=True, slots=True)
class UseCatalog(ReadOnly):
    """USE CATALOG."""

    name: str


@dataclass(frozen=True, slots=True)
class Set(ReadOnly):
    """SET name = value; `defaults` are those that get their defaults again."""

    settings: Mapping[str, Any]
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    defaults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reset(ReadOnly):
    """RESET 'name', or of everything that was set."""

    name: str | None = None


@dataclass(frozen=True, slots=True)
class ShowSettings(ReadOnly):
    """SET without a name: what was set."""


@dataclass(frozen=True, slots=True)
class ResetOffsets(Statement):
    """SYSTEM RESET OFFSETS t TO EARLIEST | LATEST | GROUP | TIMESTAMP '…' | OFFSETS '…'.

    `value` is what stands in the quotes.
    """

    name: Name
    to: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Consume(Statement):
    """SYSTEM STOP, START, PAUSE, RESUME, CANCEL or REFRESH of a Kafka table, or of all of them."""

    action: str
    name: Name | None


@dataclass(frozen=True, slots=True)
class KillQuery(Statement):
    """KILL QUERY: `query` chooses from system.processes; `mode` is ASYNC, SYNC or TEST."""

    query: Query
    mode: str = "ASYNC"
    format: str | None = None


@dataclass(frozen=True, slots=True)
class KillMutation(KillQuery):
    """KILL MUTATION: `query` chooses from system.mutations."""


@dataclass(frozen=True, slots=True)
class System(Statement):
    """A SYSTEM statement that there is nothing to do for, as `SYSTEM RELOAD CONFIG`."""

    action: str
    name: Name | None = None


@dataclass(frozen=True, slots=True)
class StopJob(Statement):
    """STOP JOB 'id' [WITH SAVEPOINT] [WITH DRAIN]."""

    job: str
    savepoint: bool = False
    drain: bool = False
