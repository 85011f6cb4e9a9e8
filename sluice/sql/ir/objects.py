"""Statements about functions, named collections and catalogs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.sql.ir.nodes import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Value
    from sluice.errors import Place


@dataclass(frozen=True, slots=True)
class CreateFunction(Statement):
    """CREATE FUNCTION name AS (a, b) -> expression; `text` is what follows AS."""

    name: str
    text: str
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class DropFunction(Statement):
    """DROP FUNCTION."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateNamedCollection(Statement):
    """CREATE NAMED COLLECTION name AS key = value [[NOT] OVERRIDABLE], …."""

    name: str
    values: Mapping[str, Value] = field(repr=False)
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterNamedCollection(Statement):
    """ALTER NAMED COLLECTION name SET key = value, … DELETE key, …."""

    name: str
    values: Mapping[str, Value] = field(repr=False)
    delete: tuple[str, ...] = ()
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropNamedCollection(Statement):
    """DROP NAMED COLLECTION."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateCatalog(Statement):
    """CREATE CATALOG."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    if_not_exists: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class DropCatalog(Statement):
    """DROP CATALOG."""

    name: str
    if_exists: bool = False
