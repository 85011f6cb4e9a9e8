"""What a front end must know of a table to lower a query over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.sql.ir import Name

if TYPE_CHECKING:
    from sluice.types import Type


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column: `alias` is the expression text it stands for; `virtual` ones are not in `*`."""

    name: str
    type: Type
    alias: str | None = None
    virtual: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A table as Spark will see it: the name of a temporary view and its columns."""

    view: str
    columns: tuple[RelationColumn, ...]


Resolver = Callable[[Name], Relation]
"""Finds a table by name in Sluice's catalog, or raises UNKNOWN_TABLE."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query in Spark SQL, the names of its columns, and the tables it reads.

    `types` are those of the columns, None where only Spark can tell.
    """

    sql: str
    columns: tuple[str, ...]
    tables: tuple[Name, ...]
    types: tuple[Type | None, ...] = ()
