"""Statements: a table from the words a statement begins with to the function that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import access, ir
from sluice.sql.core.lowering import placed
from sluice.sql.core.statements import Statements, check_one, read, trimmed, unknown
from sluice.sql.flink import reading
from sluice.sql.flink.alter import alter
from sluice.sql.flink.create import create, database_name, option_value
from sluice.sql.flink.cursor import Cursor
from sluice.sql.flink.insert import begin, execute, insert

if TYPE_CHECKING:
    from collections.abc import Callable


def parse(text: str) -> ir.Statement:
    """Read exactly one statement; every error has a place."""
    with placed():
        tokens = trimmed(reading.tokenize(text))
        cursor = Cursor(text, tokens)
        if not _is_set(cursor):
            check_one(text, tokens)
        return _statement(cursor)


def _is_set(cursor: Cursor) -> bool:
    explained = Cursor(cursor.text, cursor.tokens, 1) if cursor.is_word("EXPLAIN") else cursor
    if explained is not cursor and explained.is_word("STATEMENT", "SET"):
        return True
    return any(explained.is_word(*words) for words in SETS)


def _statement(cursor: Cursor) -> ir.Statement:
    if reading.begins_query(cursor):
        return ir.Select(reading.read_query(cursor))
    found = read(cursor, access.STATEMENTS) or read(cursor, STATEMENTS)
    if found is None:
        raise unknown(cursor, ["SELECT", *map(" ".join, STATEMENTS)], REFUSED)
    cursor.end()
    return found


def _drop(cursor: Cursor) -> ir.Statement:
    place = cursor.place()
    temporary = cursor.word("TEMPORARY")
    kind = cursor.one_of("TABLE", "VIEW", "DATABASE", "CATALOG")
    if kind is None or (temporary and kind in ("DATABASE", "CATALOG")):
        hint = "Supported: DROP TABLE, DROP VIEW, DROP DATABASE"
        raise errors.UNSUPPORTED_STATEMENT(what="This DROP", hint=hint, place=place)
    exists = cursor.word("IF", "EXISTS")
    if kind == "CATALOG":
        place = cursor.place()
        return ir.DropCatalog(cursor.identifier("a catalog's name"), exists, place=place)
    if kind == "DATABASE":
        name = database_name(cursor, cursor.place())
        cascade = cursor.word("CASCADE")
        if not cascade:
            cursor.word("RESTRICT")
        return ir.DropDatabase(name, exists, cascade)
    return ir.Drop(kind, cursor.name(f"a {kind.lower()}'s name"), exists, temporary)


def _use(cursor: Cursor) -> ir.Statement:
    if cursor.is_word("CATALOG") and len(cursor.tokens) > cursor.index + 1:
        cursor.need("CATALOG")
        place = cursor.place()
        return ir.UseCatalog(cursor.identifier("a catalog's name"), place=place)
    if cursor.is_word("MODULES"):
        raise errors.UNSUPPORTED_STATEMENT(what="USE MODULES", hint="", place=cursor.place())
    return ir.Use(database_name(cursor, cursor.place()))


def _like(cursor: Cursor) -> str | None:
    if cursor.is_word("NOT", "LIKE") or cursor.is_word("NOT", "ILIKE"):
        raise cursor.unsupported(clause="NOT LIKE in SHOW", hint="Use LIKE")
    return cursor.string("a pattern") if cursor.word("LIKE") else None


def _inside(cursor: Cursor) -> str | None:
    found = cursor.word("FROM") or cursor.word("IN")
    return database_name(cursor, cursor.place()) if found else None


def _show_tables(cursor: Cursor) -> ir.ShowTables:
    return ir.ShowTables(_inside(cursor), _like(cursor))


def _show_databases(cursor: Cursor) -> ir.ShowDatabases:
    _inside(cursor)
    return ir.ShowDatabases(_like(cursor))


def _show_create(cursor: Cursor) -> ir.ShowCreate:
    kind = cursor.one_of("TABLE", "VIEW")
    if kind is None:
        raise cursor.wrong(reason="expected TABLE or VIEW")
    return ir.ShowCreate(kind, cursor.name(f"a {kind.lower()}'s name"))


def _show_columns(cursor: Cursor) -> ir.ShowColumns:
    if not (cursor.word("FROM") or cursor.word("IN")):
        raise cursor.wrong(reason="expected FROM and a table's name")
    return ir.ShowColumns(cursor.name(), _like(cursor))


def _show(what: str, *, inside: bool = False) -> Callable[[Cursor], ir.Show]:
    def read(cursor: Cursor) -> ir.Show:
        database = _inside(cursor) if inside else None
        return ir.Show(what, _like(cursor), database)

    return read


def _describe(cursor: Cursor) -> ir.Statement:
    if cursor.is_word("JOB") and cursor.next_is(TokenType.STRING):
        cursor.need("JOB")
        place = cursor.place()
        return ir.DescribeJob(cursor.string("the job's id"), place=place)
    for word in ("CATALOG", "DATABASE", "FUNCTION"):
        if cursor.is_word(word) and len(cursor.tokens) > cursor.index + 1:
            what = f"DESCRIBE {word}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=cursor.place())
    if cursor.is_word("TABLE") and len(cursor.tokens) > cursor.index + 1:
        cursor.need("TABLE")
    return ir.Describe(cursor.name())


def _explain(cursor: Cursor) -> ir.Statement:
    if cursor.word("MIGRATION"):
        if cursor.token is None:
            raise cursor.wrong(reason="expected a statement to explain")
        return ir.ExplainMigration(_statement(cursor), dialect="flink")
    details: list[str] = []
    if not cursor.word("PLAN", "FOR"):
        while (word := cursor.one_of(*DETAILS)) is not None:
            details.append(word)
            if not cursor.mark(TokenType.COMMA):
                break
    place = cursor.place()
    if cursor.token is None:
        raise cursor.wrong(reason="expected a query or an INSERT to explain")
    statement = execute(cursor) if cursor.word("STATEMENT", "SET") else _statement(cursor)
    if not isinstance(statement, ir.Select | ir.Insert | ir.StatementSet):
        what = "EXPLAIN of anything but a query or an INSERT"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)
    return ir.Explain(statement, tuple(details))


def _set(cursor: Cursor) -> ir.Statement:
    """`SET 'k' = 'v'`, the older `SET k = v` without quotes, and SET alone."""
    if cursor.token is None:
        return ir.ShowSettings()
    if cursor.token.token_type == TokenType.STRING:
        name = cursor.string()
        cursor.need_mark(TokenType.EQ, "=")
        return ir.Set({name: option_value(cursor, name)})
    key = cursor.until(lambda at: at.token is not None and at.token.token_type == TokenType.EQ)
    if not key:
        raise cursor.wrong(reason="expected a setting's name")
    name = cursor.slice(key)
    cursor.need_mark(TokenType.EQ, "=")
    value = list(cursor.tokens[cursor.index :])
    if not value:
        raise cursor.wrong(reason=f"expected the value of {name}")
    cursor.index = len(cursor.tokens)
    quoted = len(value) == 1 and value[0].token_type == TokenType.STRING
    return ir.Set({name: value[0].text if quoted else cursor.slice(value)})


def _reset(cursor: Cursor) -> ir.Reset:
    if cursor.token is None:
        return ir.Reset()
    if cursor.token.token_type == TokenType.STRING:
        return ir.Reset(cursor.string())
    key = cursor.until(lambda _: False)
    if not key:
        raise cursor.wrong(reason="expected a setting's name")
    return ir.Reset(cursor.slice(key))


def _stop(cursor: Cursor) -> ir.StopJob:
    place = cursor.place()
    job = cursor.string("the job's id")
    savepoint = cursor.word("WITH", "SAVEPOINT")
    drain = cursor.word("WITH", "DRAIN")
    return ir.StopJob(job, savepoint, drain, place=place)


def _truncate(cursor: Cursor) -> ir.Truncate:
    cursor.need("TABLE")
    return ir.Truncate(cursor.name())


SETS: dict[tuple[str, ...], Callable[[Cursor], ir.StatementSet]] = {
    ("BEGIN", "STATEMENT", "SET"): begin,
    ("EXECUTE", "STATEMENT", "SET"): execute,
}
"""Statements that hold others, with a `;` after each."""

DETAILS = ("ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE")

STATEMENTS: Statements = {
    ("INSERT",): insert,
    **SETS,
    ("CREATE",): create,
    ("ALTER",): alter,
    ("DROP",): _drop,
    ("TRUNCATE",): _truncate,
    ("USE",): _use,
    ("SHOW", "TABLES"): _show_tables,
    ("SHOW", "DATABASES"): _show_databases,
    ("SHOW", "CREATE"): _show_create,
    ("SHOW", "COLUMNS"): _show_columns,
    ("SHOW", "JOBS"): lambda _: ir.ShowJobs(),
    ("SHOW", "VIEWS"): _show("VIEWS", inside=True),
    ("SHOW", "CATALOGS"): _show("CATALOGS"),
    ("SHOW", "FUNCTIONS"): _show("FUNCTIONS", inside=True),
    ("SHOW", "USER", "FUNCTIONS"): _show("USER FUNCTIONS", inside=True),
    ("SHOW", "CURRENT", "CATALOG"): _show("CURRENT CATALOG"),
    ("SHOW", "CURRENT", "DATABASE"): _show("CURRENT DATABASE"),
    ("DESCRIBE",): _describe,
    ("DESC",): _describe,
    ("EXPLAIN",): _explain,
    ("SET",): _set,
    ("RESET",): _reset,
    ("STOP", "JOB"): _stop,
}
"""Anything that begins otherwise, and is no query, is refused."""

REFUSED = {
    "UPDATE": "Tables change through INSERT",
    "DELETE": "Tables change through INSERT",
    "ADD": "Nothing is loaded into the JVM",
    "REMOVE": "Nothing is loaded into the JVM",
    "LOAD": "There are no modules",
    "UNLOAD": "There are no modules",
    "CALL": "There are no procedures",
    "COMPILE": "Plans are not kept",
    "ANALYZE": "There is no need of statistics",
}
