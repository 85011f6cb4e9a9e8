"""EXPLAIN of a query, and DESCRIBE of what a query or a table function gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import clauses, queries, reading
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from sluice.errors import Place

_KINDS = ("AST", "SYNTAX", "QUERY TREE", "PLAN", "PIPELINE", "ESTIMATE")
_REFUSED = {
    "TABLE OVERRIDE": "It is about tables of another server, of which there are none",
    "CURRENT TRANSACTION": "There are no transactions",
}


def explain(cursor: Cursor) -> ir.ExplainQuery:
    """Read what follows EXPLAIN: `[kind] [name = number, …] query`."""
    place = cursor.place()
    for words, hint in _REFUSED.items():
        if cursor.word(*words.split()):
            raise errors.UNSUPPORTED_STATEMENT(what=f"EXPLAIN {words}", hint=hint, place=place)
    kind = next((each for each in _KINDS if cursor.word(*each.split())), "PLAN")
    places: dict[str, Place] = {}
    found: dict[str, int] = {}
    if cursor.next_is(TokenType.EQ):
        for name, value in clauses.settings(cursor, places).items():
            if not isinstance(value, int):
                raise errors.SYNTAX_ERROR(reason=f"{name} is a number", place=places[name])
            found[name] = int(value)
    if cursor.token is not None and cursor.token.token_type not in queries.STARTS:
        hint = "EXPLAIN is for SELECT; EXPLAIN MIGRATION shows what becomes of any statement"
        what = f"EXPLAIN {kind} of {cursor.token.text.upper()}"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=cursor.place())
    query, form = queries.read(cursor, lenient=True)
    return ir.ExplainQuery(query, kind, found, format=form)


def described(cursor: Cursor) -> ir.DescribeQuery | None:
    """Read a query or a table function after DESCRIBE; None if a table's name follows."""
    if cursor.token is not None and cursor.token.token_type in queries.STARTS:
        query, form = queries.read(cursor, lenient=True)
        return ir.DescribeQuery(query, format=form)
    if not cursor.next_is(TokenType.L_PAREN):
        return None
    select = "SELECT * FROM "
    call = Cursor(select + cursor.slice(cursor.tokens[cursor.index :]), [])
    call.tokens = reading.tokenize(call.text)
    query, form = queries.read(call, lenient=True)
    cursor.index = len(cursor.tokens)
    return ir.DescribeQuery(query, format=form)
