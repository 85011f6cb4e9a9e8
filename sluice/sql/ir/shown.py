"""Statements that show what there is and what would be done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice.sql.ir.nodes import ReadOnly, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import SluiceError
    from sluice.sql.ir.nodes import Name, Query


@dataclass(frozen=True, slots=True)
class ShowDatabases(ReadOnly):
    """SHOW DATABASES."""

    like: str | None = None


@dataclass(frozen=True, slots=True)
class ShowTables(ReadOnly):
    """SHOW TABLES."""

    database: str | None = None
    like: str | None = None


@dataclass(frozen=True, slots=True)
class ShowCreate(ReadOnly):
    """SHOW CREATE TABLE, VIEW, DATABASE or NAMED COLLECTION."""

    kind: str
    name: Name


@dataclass(frozen=True, slots=True)
class ShowNamedCollections(ReadOnly):
    """SHOW NAMED COLLECTIONS."""

    like: str | None = None


@dataclass(frozen=True, slots=True)
class Show(ReadOnly):
    """SHOW of what is only a list: CATALOGS, VIEWS, FUNCTIONS, CURRENT DATABASE, …."""

    what: str
    like: str | None = None
    database: str | None = None


@dataclass(frozen=True, slots=True)
class ShowColumns(ReadOnly):
    """SHOW COLUMNS FROM table."""

    name: Name
    like: str | None = None


@dataclass(frozen=True, slots=True)
class ShowJobs(ReadOnly):
    """SHOW JOBS."""


@dataclass(frozen=True, slots=True)
class DescribeJob(ReadOnly):
    """DESCRIBE JOB 'id'."""

    job: str


@dataclass(frozen=True, slots=True)
class Describe(ReadOnly):
    """DESCRIBE TABLE: names and types alone if it is `compact`."""

    name: Name
    compact: bool = False


@dataclass(frozen=True, slots=True)
class DescribeQuery(ReadOnly):
    """DESCRIBE (SELECT …)."""

    query: Query


@dataclass(frozen=True, slots=True)
class ExplainQuery(ReadOnly):
    """EXPLAIN of a SELECT: AST, SYNTAX, QUERY TREE, PLAN, PIPELINE or ESTIMATE, with options."""

    query: Query
    kind: str = "PLAN"
    options: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explain(ReadOnly):
    """EXPLAIN of a query, an INSERT or a statement set; `details` are the words asked for."""

    statement: Statement
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainMigration(ReadOnly):
    """EXPLAIN MIGRATION: what becomes of a statement and of every option in it.

    `problems` are errors in its text that were passed over.
    """

    statement: Statement
    dialect: str = "clickhouse"
    problems: tuple[SluiceError, ...] = ()


@dataclass(frozen=True, slots=True)
class Exists(ReadOnly):
    """EXISTS TABLE, VIEW, DICTIONARY or DATABASE; a `temporary` table is one of the session."""

    kind: str
    name: Name
    temporary: bool = False
