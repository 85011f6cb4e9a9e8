"""CREATE: databases, tables and materialized views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import clauses, named, queries
from sluice.sql.clickhouse.clusters import on_cluster
from sluice.sql.clickhouse.columns import Columns
from sluice.sql.clickhouse.engines import engine
from sluice.sql.core import places

if TYPE_CHECKING:
    from sluice.sql.clickhouse.clauses import Clauses
    from sluice.sql.core.cursor import Cursor

_REFUSED = {
    "OR": ("CREATE OR REPLACE", "DROP the table first"),
    "TEMPORARY": ("This CREATE TEMPORARY", "CREATE TEMPORARY TABLE is there"),
    "VIEW": ("CREATE VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
    "LIVE": ("CREATE LIVE VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
    "WINDOW": ("CREATE WINDOW VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
    "FUNCTION": ("CREATE FUNCTION", ""),
}


def create(cursor: Cursor) -> ir.Statement:
    """Read what follows CREATE."""
    place = places.of_token(cursor.text, cursor.tokens[0])
    for words, read in (
        (("DATABASE",), _database),
        (("TABLE",), _table),
        (("TEMPORARY", "TABLE"), _temporary),
        (("MATERIALIZED", "VIEW"), _view),
        (("NAMED", "COLLECTION"), named.create),
    ):
        if cursor.word(*words):
            return read(cursor)
    word = cursor.token.text.upper() if cursor.token is not None else ""
    what, hint = _REFUSED.get(word, (f"CREATE {word}".strip(), _KINDS))
    raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)


_KINDS = (
    "CREATE DATABASE, CREATE TABLE, CREATE MATERIALIZED VIEW, CREATE DICTIONARY and CREATE NAMED "
    "COLLECTION are there"
)


def _database(cursor: Cursor) -> ir.CreateDatabase:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.identifier("a database's name")
    on_cluster(cursor)
    if cursor.word("ENGINE"):
        cursor.mark(TokenType.EQ)
        engine(cursor)
    if cursor.word("COMMENT"):
        cursor.string()
    return ir.CreateDatabase(name, exists)


def _table(cursor: Cursor, *, temporary: bool = False) -> ir.CreateTable:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name()
    if temporary and name.database is not None:
        raise errors.BAD_DATABASE_FOR_TEMPORARY_TABLE(table=str(name), place=name.place)
    on_cluster(cursor)
    columns = Columns(cursor)
    like: ir.Name | None = None
    if cursor.opens():
        columns.read()
    elif cursor.word("AS"):
        if cursor.is_word("SELECT") or cursor.is_word("WITH"):
            raise _as_select(cursor)
        like = cursor.name()
    else:
        raise cursor.wrong(reason="expected the columns in parentheses, or AS and another table")
    found = clauses.read(cursor)
    if cursor.is_word("AS"):
        raise _as_select(cursor)
    if found.engine is None and like is None and cursor.token is not None:
        raise cursor.wrong(reason="expected ENGINE = …")
    if found.engine is None and like is None and temporary:
        found.engine = ir.Engine("Memory")
    more = {"if_not_exists": exists, "comment": found.comment, "temporary": temporary}
    return _create(name, columns, found, like=like, **more)


def _temporary(cursor: Cursor) -> ir.CreateTable:
    """A table of the session, which is in no database; without an ENGINE it is Memory."""
    return _table(cursor, temporary=True)


def _create(
    name: ir.Name, columns: Columns, found: Clauses, *, like: ir.Name | None = None, **more: Any
) -> ir.CreateTable:
    """A CREATE TABLE, of its columns and clauses."""
    if found.engine is None and like is None:
        raise errors.ENGINE_REQUIRED(place=name.place)
    engine = found.engine or ir.Engine("")
    columns.check(engine)
    if columns.primary_key is not None:
        if found.primary_key is not None:
            raise errors.MULTIPLE_PRIMARY_KEYS(place=name.place)
        found.primary_key = columns.primary_key
    return ir.CreateTable(name, columns.defs(), engine, like, **found.storage(), **more)


def _as_select(cursor: Cursor) -> errors.SluiceError:
    hint = "Create the table with its columns, then INSERT INTO … SELECT …"
    return errors.UNSUPPORTED_CLAUSE(
        clause="CREATE TABLE … AS SELECT", hint=hint, place=cursor.place()
    )


def _view(cursor: Cursor) -> ir.CreateMaterializedView:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name("a view's name")
    on_cluster(cursor)
    columns = Columns(cursor)
    if cursor.opens():
        columns.read()
    if cursor.is_word("REFRESH"):
        hint = "A view runs with every batch of the table it reads"
        what = "REFRESH of a materialized view"
        raise errors.UNSUPPORTED_CLAUSE(clause=what, hint=hint, place=cursor.place())
    target = cursor.name() if cursor.word("TO") else None
    if cursor.opens():
        columns.read()
    found = clauses.read(cursor)
    if cursor.is_word("POPULATE"):
        hint = "Use INSERT INTO target SELECT … for the rows that are there already"
        raise errors.UNSUPPORTED_CLAUSE(clause="POPULATE", hint=hint, place=cursor.place())
    inner = _inner(cursor, name, target, columns, found)
    cursor.need("AS")
    comment = _trailing_comment(cursor) or found.comment
    query, _ = queries.read(cursor)
    return ir.CreateMaterializedView(name, target, query, exists, comment, inner)


def _inner(
    cursor: Cursor, name: ir.Name, target: ir.Name | None, columns: Columns, found: Clauses
) -> ir.CreateTable | None:
    """The table of a view that has one of its own."""
    if target is not None:
        if found.engine is not None or found.order_by is not None or found.settings:
            raise errors.VIEW_ENGINE_WITH_TARGET(place=name.place)
        return None
    if found.engine is None:
        hint = f"Write CREATE MATERIALIZED VIEW {name} TO target AS …, or … ENGINE = … AS …"
        what = "A materialized view without TO or ENGINE"
        raise errors.UNSUPPORTED_CLAUSE(clause=what, hint=hint, place=cursor.place())
    return _create(name, columns, found)


def _trailing_comment(cursor: Cursor) -> str:
    """Cut off `COMMENT 'text'` after the query."""
    ends = cursor.tokens[-2:]
    if len(ends) < 2 or ends[0].text.upper() != "COMMENT" or ends[1].token_type != TokenType.STRING:
        return ""
    cursor.tokens = cursor.tokens[:-2]
    return str(ends[1].text)
