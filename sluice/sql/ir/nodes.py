"""What statements are made of: names, columns, queries, and the bases of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sluice.catalog.entities import ColumnParts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from sluice.errors import Place


@dataclass(frozen=True, slots=True)
class Name:
    """A table's name as it was written; the session fills in the database.

    `catalog` is there only if it is another than the default one. `options` are those of the
    hint after the name in the Flink dialect, for this use of the table alone.
    """

    table: str
    database: str | None = None
    place: Place | None = field(default=None, compare=False)
    catalog: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ".".join(part for part in (self.catalog, self.database, self.table) if part)


@dataclass(frozen=True, slots=True)
class ColumnDef(ColumnParts):
    """A column of a CREATE or an ALTER."""

    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT: the dialect's own tree (checked when it is lowered) and its canonical text.

    `settings` are those after it.
    """

    tree: exp.Expression = field(compare=False)
    text: str
    dialect: str = "clickhouse"
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Statement:
    """Base of everything `Session.execute` can run.

    `writes` tells whether running it can change anything: a GET request may only run those where it
    is false. `place` is that of the name of what has no `Name`, such as a catalog or a job.
    """

    writes: ClassVar[bool] = True
    place: Place | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ReadOnly(Statement):
    """A statement that changes nothing; `format` is that of its FORMAT clause."""

    writes: ClassVar[bool] = False
    format: str | None = field(default=None, kw_only=True)


class Word(str):
    """A name or an expression as it was written, where a string in quotes could stand too."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Engine:
    """`Kafka('b:9092', 'topic')`: a name, and literals or `Word`s; without a name it is left open.

    `Kafka(collection, key = value)` names a collection, and what is to replace its values.
    """

    name: str
    args: tuple[Any, ...] = ()
    place: Place | None = field(default=None, compare=False)
    collection: str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    override_places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Watermark:
    """WATERMARK FOR column AS delay."""

    column: str
    delay: str
