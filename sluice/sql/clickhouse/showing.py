"""SHOW statements that are queries of system tables, as ClickHouse runs them too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice.sql.clickhouse import queries, reading
from sluice.sql.clickhouse.queries import format_clause
from sluice.sql.core.cursor import Cursor
from sluice.types import quote_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql import ir

FIRST = ("FULL", "EXTENDED", "TEMPORARY", "COLUMNS", "FIELDS")
"""Words after SHOW that begin a list of tables or columns."""

_COLUMNS = """
    name AS field, type, if(startsWith(type, 'Nullable('), 'YES', 'NO') AS `null`,
    trim(concat(if(is_in_primary_key, 'PRI', ''), if(is_in_sorting_key, ' SOR', ''))) AS key,
    if(default_kind = '', NULL, default_expression) AS `default`, '' AS extra
"""
_FULL = ", CAST(NULL, 'Nullable(String)') AS collation, comment, '' AS privileges"


def tables(cursor: Cursor) -> ir.Select:
    """`SHOW [FULL] [TEMPORARY] TABLES [FROM database] [LIKE …]`, from the word after SHOW on."""
    shown = "name, engine" if cursor.word("FULL") else "name"
    temporary = cursor.word("TEMPORARY")
    cursor.need("TABLES")
    where = f"is_temporary = {int(temporary)}"
    where += "" if temporary else f" AND database = {_database(cursor)}"
    return _query(cursor, shown, "system.tables", where, "name")


def columns(cursor: Cursor) -> ir.Select:
    """`SHOW [EXTENDED] [FULL] COLUMNS FROM table [FROM database] [LIKE …]`."""
    cursor.word("EXTENDED")
    more = _FULL if cursor.word("FULL") else ""
    if not cursor.word("COLUMNS"):
        cursor.need("FIELDS")
    if not cursor.word("FROM"):
        cursor.need("IN")
    name = cursor.name()
    within = quote_string(name.database) if name.database else _database(cursor)
    where = f"database = {within} AND table = {quote_string(name.table)}"
    return _query(cursor, _COLUMNS + more, "system.columns", where, "field")


def described(cursor: Cursor) -> ir.Select:
    """`SHOW FULL | EXTENDED | TEMPORARY | COLUMNS | FIELDS …`: tables, or columns of one."""
    cursor.index -= 1
    words = {token.text.upper() for token in cursor.tokens[cursor.index : cursor.index + 3]}
    return columns(cursor) if words & {"COLUMNS", "FIELDS"} else tables(cursor)


def listed(table: str, shown: str = "*") -> Callable[[Cursor], ir.Select]:
    """A reader of `SHOW … [LIKE …]` for the rows of a system table."""
    return lambda cursor: _query(cursor, shown, f"system.{table}", "1", "name")


def is_plain(cursor: Cursor) -> bool:
    """Whether nothing follows that only a query can do."""
    words = {token.text.upper() for token in cursor.tokens[cursor.index :]}
    return words.isdisjoint({"NOT", "ILIKE", "WHERE", "LIMIT"})


def _database(cursor: Cursor) -> str:
    inside = cursor.word("FROM") or cursor.word("IN")
    return quote_string(cursor.identifier("a database's name")) if inside else "currentDatabase()"


def _query(cursor: Cursor, shown: str, table: str, where: str, named: str) -> ir.Select:
    """The query that the statement stands for; what is left of it are conditions and a format."""
    negated = "NOT " if cursor.word("NOT") else ""
    how = next((word for word in ("LIKE", "ILIKE") if cursor.word(word)), None)
    if how is not None:
        where += f" AND {named} {negated}{how} {quote_string(cursor.string('a pattern'))}"
    if cursor.word("WHERE"):
        condition = cursor.until(lambda at: at.is_word("LIMIT") or at.is_word("FORMAT"))
        where += f" AND ({cursor.slice(condition)})"
    limit = f" LIMIT {int(cursor.literal('a number'))}" if cursor.word("LIMIT") else ""
    form = format_clause(cursor)
    text = f"SELECT {shown} FROM {table} WHERE {where} ORDER BY ALL{limit}"  # noqa: S608 - quoted
    found = queries.select(Cursor(text, reading.tokenize(text), lenient=True))
    return replace(found, format=form)
