"""What a front end must know of a table to lower a query over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.plan.streaming import STILL, Shape, Step
from sluice.sql.ir import Name

if TYPE_CHECKING:
    from sluice.sql.ir import Query
    from sluice.types import Type


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column: `alias` is the expression text it stands for; `virtual` ones are not in `*`.

    `clock` is True for one that tells when a row is processed.
    """

    name: str
    type: Type
    alias: str | None = None
    virtual: bool = False
    clock: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A table as Spark will see it: the name of a temporary view and its columns.

    `stream` is True for one that never ends, and `watermark` names the column of its event times
    with the milliseconds that they may be late. A view of Flink's is the `query` it stands for,
    whose names are those of `database`.
    """

    view: str
    columns: tuple[RelationColumn, ...]
    watermark: tuple[str, int] | None = None
    stream: bool = False
    query: Query | None = None
    database: str | None = None


Resolver = Callable[[Name], Relation]
"""Finds a table by name in Sluice's catalog, or raises UNKNOWN_TABLE."""


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A window of time that a query groups by; lengths are milliseconds.

    `kind` is TUMBLE, HOP, CUMULATE or SESSION; `slide` is that of HOP and the step of CUMULATE, and
    `size` the gap of SESSION. `table` is True for one that stands in FROM.
    """

    kind: str
    column: str
    size: int
    slide: int | None = None
    table: bool = False


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query in Spark SQL, the names of its columns, and the tables it reads.

    `types` are those of the columns, None where only Spark can tell. `steps` come first, in order.
    """

    sql: str
    columns: tuple[str, ...]
    tables: tuple[Name, ...]
    types: tuple[Type | None, ...] = ()
    windows: tuple[TimeWindow, ...] = ()
    shape: Shape = STILL
    steps: tuple[Step, ...] = ()


__all__ = [
    "Lowered",
    "Relation",
    "RelationColumn",
    "Resolver",
    "Shape",
    "Step",
    "TimeWindow",
]
