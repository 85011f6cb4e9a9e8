"""CREATE: databases, tables, views and materialized views."""

from __future__ import annotations

from dataclasses import replace
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
    from sluice.errors import Place
    from sluice.sql.clickhouse.clauses import Clauses
    from sluice.sql.core.cursor import Cursor

_REFUSED = {
    "TEMPORARY": ("This CREATE TEMPORARY", "Supported: CREATE TEMPORARY TABLE"),
    "LIVE": ("CREATE LIVE VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
    "WINDOW": ("CREATE WINDOW VIEW", "Use CREATE MATERIALIZED VIEW … TO table AS SELECT …"),
}
_DATABASE_ENGINES = ("Atomic", "Ordinary", "Replicated", "Shared", "Memory", "Lazy")
"""Engines of databases whose tables are created one by one: here they are all the same."""
_CREATE, _OR_REPLACE, _REPLACE = "CREATE", "CREATE OR REPLACE", "REPLACE"


def create(cursor: Cursor) -> ir.Statement:
    """Read what follows CREATE."""
    place = places.of_token(cursor.text, cursor.tokens[0])
    if cursor.word("OR", "REPLACE"):
        return _replacing(cursor, _OR_REPLACE, place)
    for words, read in (
        (("DATABASE",), _database),
        (("TABLE",), _table),
        (("TEMPORARY", "TABLE"), _temporary),
        (("VIEW",), _view),
        (("MATERIALIZED", "VIEW"), _materialized_view),
        (("NAMED", "COLLECTION"), named.create),
    ):
        if cursor.word(*words):
            return read(cursor)
    word = cursor.token.text.upper() if cursor.token is not None else ""
    what, hint = _REFUSED.get(word, (f"CREATE {word}".strip(), _KINDS))
    raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)


_KINDS = (
    "Supported: CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE MATERIALIZED VIEW, "
    "CREATE DICTIONARY, CREATE FUNCTION, CREATE NAMED COLLECTION"
)


def replace_table(cursor: Cursor) -> ir.Statement:
    """Read what follows REPLACE."""
    return _replacing(cursor, _REPLACE, places.of_token(cursor.text, cursor.tokens[0]))


def _replacing(cursor: Cursor, mode: str, place: Place) -> ir.Statement:
    """What takes the place of a table or view of the same name."""
    if cursor.word("TABLE"):
        return _table(cursor, mode=mode)
    if cursor.word("TEMPORARY", "TABLE"):
        return _table(cursor, temporary=True, mode=mode)
    if mode == _OR_REPLACE and cursor.word("VIEW"):
        return _view(cursor, mode=mode)
    word = cursor.token.text.upper() if cursor.token is not None else ""
    word += " VIEW" if word == "MATERIALIZED" else ""
    hint = f"Supported: {mode} TABLE" + ("" if mode == _REPLACE else f", {mode} VIEW")
    raise errors.UNSUPPORTED_STATEMENT(what=f"{mode} {word}".strip(), hint=hint, place=place)


def _database(cursor: Cursor) -> ir.CreateDatabase:
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.identifier("a database's name")
    on_cluster(cursor)
    if cursor.word("ENGINE"):
        cursor.mark(TokenType.EQ)
        place, given = cursor.place(), engine(cursor)
        if given.name not in _DATABASE_ENGINES:
            raise errors.UNKNOWN_DATABASE_ENGINE(engine=given.name, place=place)
    comment = cursor.string() if cursor.word("COMMENT") else ""
    return ir.CreateDatabase(name, exists, comment)


def _table(cursor: Cursor, *, temporary: bool = False, mode: str = _CREATE) -> ir.CreateTable:
    exists = mode == _CREATE and cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name()
    if temporary and name.database is not None:
        raise errors.BAD_DATABASE_FOR_TEMPORARY_TABLE(table=str(name), place=name.place)
    on_cluster(cursor)
    columns = Columns(cursor)
    like: ir.Name | None = None
    query: ir.Query | None = None
    if cursor.opens():
        columns.read()
    elif cursor.is_word("AS") and not _is_query(cursor):
        cursor.need("AS")
        like = _other(cursor)
    elif cursor.word("CLONE", "AS"):
        like = _other(cursor)
        query = queries.whole(like)
    elif not clauses.follow(cursor):
        raise cursor.wrong(reason="expected the columns in parentheses, or AS and another table")
    found = clauses.read(cursor)
    empty = cursor.word("EMPTY")
    if like is None and (empty or cursor.is_word("AS")):
        cursor.need("AS")
        found.comment = _trailing_comment(cursor) or found.comment
        query, _ = queries.read(cursor, lenient=cursor.lenient)
    if found.engine is None and query is not None and like is None:
        found.engine = ir.Engine("Memory" if temporary else "MergeTree")
        found.order_by = found.order_by if found.order_by is not None else found.primary_key or ()
    if found.engine is None and like is None and cursor.token is not None:
        raise cursor.wrong(reason="expected ENGINE = …")
    if found.engine is None and like is None and temporary:
        found.engine = ir.Engine("Memory")
    more = {"if_not_exists": exists, "comment": found.comment, "temporary": temporary}
    made = _create(name, columns, found, like=like, **more)
    return replace(made, query=query, empty=empty, mode=mode)


def _is_query(cursor: Cursor) -> bool:
    """Whether a query follows AS."""
    following = cursor.tokens[cursor.index + 1 : cursor.index + 2]
    return bool(following) and following[0].token_type in queries.STARTS


def _other(cursor: Cursor) -> ir.Name:
    """The table after AS."""
    name = cursor.name()
    if cursor.opens():
        hint = f"Write ENGINE = … AS SELECT, with {name}(…) in its FROM, or use CREATE VIEW"
        what = "A table that is a table function"
        raise errors.UNSUPPORTED_CLAUSE(clause=what, hint=hint, place=name.place)
    return name


def _temporary(cursor: Cursor) -> ir.CreateTable:
    """A table of the session, which is in no database; without an ENGINE it is Memory."""
    return _table(cursor, temporary=True)


def _view(cursor: Cursor, *, mode: str = _CREATE) -> ir.CreateView:
    exists = mode == _CREATE and cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name("a view's name")
    on_cluster(cursor)
    columns = Columns(cursor, typed=False)
    if cursor.opens():
        columns.read()
    security = _security(cursor)
    comment = cursor.string() if cursor.word("COMMENT") else ""
    cursor.need("AS")
    comment = _trailing_comment(cursor) or comment
    query, _ = queries.read(cursor, lenient=cursor.lenient)
    return ir.CreateView(
        name,
        query,
        comment=comment,
        if_not_exists=exists,
        declared=columns.defs(),
        security=security,
        mode=mode,
    )


def _security(cursor: Cursor) -> str:
    """`[DEFINER = user] [SQL SECURITY DEFINER | INVOKER | NONE]`, as it is written."""
    start = cursor.index
    while True:
        if cursor.word("DEFINER"):
            cursor.mark(TokenType.EQ)
            cursor.identifier("a user's name")
        elif cursor.word("SQL", "SECURITY"):
            if cursor.one_of("DEFINER", "INVOKER", "NONE") is None:
                raise cursor.wrong(reason="expected DEFINER, INVOKER or NONE")
        else:
            return cursor.slice(cursor.tokens[start : cursor.index])


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
    elements = sorted(columns.elements, key=lambda each: each.rank)
    more |= {"elements": tuple(elements), "element_places": columns.element_places}
    return ir.CreateTable(name, columns.defs(), engine, like, **found.storage(), **more)


def _materialized_view(cursor: Cursor) -> ir.CreateMaterializedView:
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
    _security(cursor)  # who creates it must have the rights that it needs
    found = clauses.read(cursor)
    populate = cursor.word("POPULATE")
    inner = _inner(cursor, name, target, columns, found)
    cursor.need("AS")
    comment = _trailing_comment(cursor) or found.comment
    query, _ = queries.read(cursor)
    return ir.CreateMaterializedView(name, target, query, exists, comment, inner, populate)


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
