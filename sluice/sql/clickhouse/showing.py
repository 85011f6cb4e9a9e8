"""SHOW statements that are queries of system tables, as ClickHouse runs them too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import TokenType

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
    where = _of_table(cursor)
    return _query(cursor, _COLUMNS + more, "system.columns", where, "field")


def _of_table(cursor: Cursor) -> str:
    """The condition that `FROM table [FROM database]` stands for."""
    if not cursor.word("FROM"):
        cursor.need("IN")
    name = cursor.name()
    within = quote_string(name.database) if name.database else _database(cursor)
    return f"database = {within} AND table = {quote_string(name.table)}"


def described(cursor: Cursor) -> ir.Select:
    """`SHOW FULL | EXTENDED | TEMPORARY | COLUMNS | FIELDS …`: tables, or columns of one."""
    cursor.index -= 1
    words = {token.text.upper() for token in cursor.tokens[cursor.index : cursor.index + 3]}
    return columns(cursor) if words & {"COLUMNS", "FIELDS"} else tables(cursor)


def listed(
    table: str, shown: str = "*", where: str = "1", named: str = "name"
) -> Callable[[Cursor], ir.Select]:
    """A reader of `SHOW … [LIKE …]` for the rows of a system table."""
    return lambda cursor: _query(cursor, shown, f"system.{table}", where, named)


_MERGED = """
    table, database, 0. AS estimate_complete, elapsed, progress, is_mutation,
    '' AS size_compressed, '' AS memory_usage
"""
MERGES = (_MERGED, "1", "table")
"""What SHOW MERGES shows."""

INDICES = ("INDEX", "INDEXES", "INDICES", "KEYS")
"""Words after SHOW for the keys and indices of a table."""

_KEYS = """(
    SELECT database, table, 'PRIMARY' AS key_name, toUInt32(number) AS seq_in_index,
        trimBoth(part) AS pk_col, 'A' AS collation, 'PRIMARY' AS index_type, '' AS expression
    FROM (SELECT database, name AS table, primary_key FROM system.tables WHERE primary_key != '')
    ARRAY JOIN splitByString(', ', primary_key) AS part,
        arrayEnumerate(splitByString(', ', primary_key)) AS number
    UNION ALL
    SELECT database, table, name, 1, '', NULL, upper(type), expr
    FROM system.data_skipping_indices
)"""
_INDEX_COLUMNS = """
    table, toUInt8(1) AS non_unique, key_name, seq_in_index, pk_col AS column_name, collation,
    toUInt8(0) AS cardinality, NULL AS sub_part, NULL AS packed, NULL AS `null`, index_type,
    '' AS comment, '' AS index_comment, 'YES' AS visible, expression
"""


def indices(cursor: Cursor) -> ir.Select:
    """`SHOW INDEX | INDEXES | KEYS FROM table [FROM database]`."""
    where = _of_table(cursor)
    return _query(cursor, _INDEX_COLUMNS, _KEYS, where, "key_name")


def dictionaries(cursor: Cursor) -> ir.Select:
    """`SHOW DICTIONARIES [FROM database] [LIKE …]`."""
    where = f"database = {_database(cursor)}"
    return _query(cursor, "name", "system.dictionaries", where, "name")


def setting(cursor: Cursor) -> ir.Select:
    """`SHOW SETTING name`."""
    name = quote_string(cursor.identifier("a setting's name"))
    return _query(cursor, "value", "system.settings", f"name = {name}", "name")


def cluster(cursor: Cursor) -> ir.Select:
    """`SHOW CLUSTER 'name'`."""
    is_text = cursor.token is not None and cursor.token.token_type == TokenType.STRING
    name = cursor.string() if is_text else cursor.identifier("a cluster's name")
    shown = "cluster, shard_num, replica_num, host_name, host_address, port"
    return _query(cursor, shown, "system.clusters", f"cluster = {quote_string(name)}", "cluster")


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
