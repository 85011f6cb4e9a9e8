"""Statements about whole databases."""

from __future__ import annotations

from dataclasses import dataclass

from sluice.sql.ir.nodes import Statement


@dataclass(frozen=True, slots=True)
class CreateDatabase(Statement):
    """CREATE DATABASE."""

    name: str
    if_not_exists: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class AlterDatabase(Statement):
    """ALTER DATABASE … MODIFY COMMENT."""

    name: str
    comment: str


@dataclass(frozen=True, slots=True)
class DropDatabase(Statement):
    """DROP DATABASE; without `cascade` (Flink's RESTRICT) only if it is empty."""

    name: str
    if_exists: bool = False
    cascade: bool = True


@dataclass(frozen=True, slots=True)
class RenameDatabase(Statement):
    """RENAME DATABASE."""

    name: str
    to: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class TruncateDatabase(Statement):
    """TRUNCATE DATABASE: the database stays, its tables are dropped."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class TruncateTables(Statement):
    """TRUNCATE ALL TABLES FROM a database, or those whose names are like, or `negated` unlike."""

    database: str
    if_exists: bool = False
    like: str | None = None
    negated: bool = False
    any_case: bool = False
