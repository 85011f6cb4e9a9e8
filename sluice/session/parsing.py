"""A statement's text: what it means, and what it says about settings and its answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats.answers import find_answer
from sluice.options import query_settings
from sluice.session import migration
from sluice.sql import ir
from sluice.sql.clickhouse.queries import Unread
from sluice.sql.core.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

DIALECTS = ("clickhouse", "flink")

_SELECTS: Recent[ir.Select] = Recent(most=128, longest=1 << 11)
"""Queries as they were parsed; a tree takes hundreds of times the memory of its text."""


def parse(sql: str, dialect: str) -> ir.Statement:
    """The statement that a text is.

    Raises:
        SluiceError: SYNTAX_ERROR and the like, with the place; UNKNOWN_DIALECT.
    """
    if dialect == "clickhouse" and (known := _SELECTS.get(sql)) is not None:
        return known
    read = _parser(dialect)
    if migration.is_explain(sql):
        statement, problems = migration.read(read, sql)
        if not isinstance(statement, ir.ExplainMigration):
            raise problems[-1]
        return replace(statement, problems=problems)
    statement = read(sql)
    if dialect == "clickhouse" and isinstance(statement, ir.Select) and _is_read(statement.query):
        _SELECTS.keep(sql, statement)
    return statement


def _parser(dialect: str) -> Callable[[str], ir.Statement]:
    if dialect == "flink":
        from sluice.sql import flink

        return flink.parse
    if dialect == "clickhouse":
        from sluice.sql import clickhouse

        return partial(clickhouse.parse, lenient=True)
    raise errors.UNKNOWN_DIALECT(dialect_name=dialect, known=" and ".join(DIALECTS))


def _is_read(query: ir.Query) -> bool:
    """Whether a query has a tree: an error in its place gets to know who has asked."""
    return not isinstance(query.tree, Unread)


def schema_settings(statement: ir.Statement) -> Collection[str]:
    """The settings that name the schema of data or of an answer: Sluice finds its file itself."""
    has_format = isinstance(statement, ir.Select) or (
        isinstance(statement, ir.Insert) and statement.data is not None
    )
    return query_settings.SCHEMA if has_format else ()


def own_settings(statement: ir.Statement, dialect: str) -> dict[str, Any]:
    """The settings in the text of a statement, checked."""
    if dialect == "flink":
        return {}
    if isinstance(statement, ir.Mutation | ir.AlterInSteps | ir.CheckTable):
        return query_settings.read(statement.settings, statement.setting_places)
    if not isinstance(statement, ir.Select | ir.Insert | ir.CreateTable):
        return {}
    query = statement.query
    where = query.setting_places if query is not None else {}
    if isinstance(statement, ir.CreateTable):  # its own settings are those of the table
        return query_settings.read(query.settings, where) if query is not None else {}
    return query_settings.read(statement.settings, where, ours=schema_settings(statement))


def answer_format(statement: ir.Statement) -> str | None:
    """The format that a statement asks for; an unknown one is refused before it runs.

    Raises:
        SluiceError: UNKNOWN_FORMAT.
    """
    wanted: str | None = getattr(statement, "format", None)
    if wanted is None or isinstance(statement, ir.Insert):  # that one's is of its data
        return None
    find_answer(wanted)
    return wanted
