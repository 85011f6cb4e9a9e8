"""Statements that create, drop and rename tables, views and dictionaries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sluice.sql.ir.nodes import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog.entities import Element
    from sluice.errors import Place
    from sluice.sql.ir.nodes import ColumnDef, Engine, Name, Query, Watermark
    from sluice.sql.ir.rows import Partition


@dataclass(frozen=True, slots=True)
class CreateTable(Statement):
    """CREATE TABLE; ClickHouse's `AS other` fills `like` instead of `columns`, Flink's LIKE adds.

    `order_by`, `partition_by` and the like are expression texts; `settings` maps names to Python
    literals (for Flink they are the options of WITH), and `setting_places` says where each was
    written. With AS SELECT it has the rows of `query`, or none if it is `empty`; the columns may be
    left to the query. `mode` is CREATE, CREATE OR REPLACE or REPLACE.
    """

    name: Name
    columns: tuple[ColumnDef, ...]
    engine: Engine
    like: Name | None = None
    order_by: tuple[str, ...] | None = None
    partition_by: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting_places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    comment: str = ""
    if_not_exists: bool = False
    dialect: str = "clickhouse"
    primary_key: tuple[str, ...] = ()
    sample_by: str | None = None
    ttl: str = ""
    watermark: Watermark | None = None
    like_options: tuple[str, ...] = ()
    temporary: bool = False
    query: Query | None = None
    empty: bool = False
    mode: str = "CREATE"
    elements: tuple[Element, ...] = ()
    element_places: Mapping[str, Place] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class CreateMaterializedView(Statement):
    """CREATE MATERIALIZED VIEW; its name, where it writes, what it selects.

    Without a `target` it has a table of its own, `inner`, whose columns are those of the view if
    they were written, else those of the query. With `populate` it begins with the rows that its
    source has already.
    """

    name: Name
    target: Name | None
    query: Query
    if_not_exists: bool = False
    comment: str = ""
    inner: CreateTable | None = None
    populate: bool = False


@dataclass(frozen=True, slots=True)
class CreateView(Statement):
    """CREATE VIEW: a query under a name; `columns` are names and comments, if they were written.

    Those of the ClickHouse dialect are `declared`, with types; `security` is the clause that says
    with whose rights it reads, and with the `mode` CREATE OR REPLACE it may replace a view.
    """

    name: Name
    query: Query
    columns: tuple[tuple[str, str], ...] = ()
    comment: str = ""
    if_not_exists: bool = False
    temporary: bool = False
    declared: tuple[ColumnDef, ...] = ()
    security: str = ""
    mode: str = "CREATE"


@dataclass(frozen=True, slots=True)
class AlterView(Statement):
    """ALTER VIEW … AS: another query under the same name."""

    name: Name
    query: Query


@dataclass(frozen=True, slots=True)
class CreateDictionary(Statement):
    """CREATE DICTIONARY: the rows of a table by a key.

    `parts` are texts: the layout, the lifetime, the range of a key, the comment; `flags` the words
    after attributes, by name.
    """

    name: Name
    columns: tuple[ColumnDef, ...]
    primary_key: tuple[str, ...]
    source: Name
    parts: Mapping[str, str]
    flags: Mapping[str, str] = field(default_factory=dict)
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class Drop(Statement):
    """DROP TABLE, VIEW or DICTIONARY; `kind` is the word used.

    With `if_empty` tables with rows are refused.
    """

    kind: str
    name: Name
    if_exists: bool = False
    temporary: bool = False
    more: tuple[Name, ...] = ()
    if_empty: bool = False

    @property
    def names(self) -> tuple[Name, ...]:
        """All that is dropped."""
        return (self.name, *self.more)


@dataclass(frozen=True, slots=True)
class Detach(Statement):
    """DETACH TABLE or VIEW."""

    kind: str
    name: Name
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Attach(Statement):
    """ATTACH TABLE or VIEW."""

    kind: str
    name: Name
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameTables(Statement):
    """RENAME TABLE a TO b, …; each pair sees what those before it have done."""

    pairs: tuple[tuple[Name, Name], ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ExchangeTables(Statement):
    """EXCHANGE TABLES a AND b."""

    first: Name
    second: Name


@dataclass(frozen=True, slots=True)
class Truncate(Statement):
    """TRUNCATE TABLE."""

    name: Name
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Optimize(Statement):
    """OPTIMIZE TABLE [PARTITION …] [FINAL]."""

    name: Name
    final: bool = False
    partition: Partition | None = None
