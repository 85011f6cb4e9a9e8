"""A query as a statement or a part of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice.sql import ir
from sluice.sql.flink import reading

if TYPE_CHECKING:
    from sluice.sql.flink.cursor import Cursor

_STARTS = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES}


def starts(cursor: Cursor) -> bool:
    """Whether a query begins here."""
    return cursor.token is not None and cursor.token.token_type in _STARTS


def read(cursor: Cursor) -> ir.Query:
    """Read a query up to the end of the statement."""
    if not starts(cursor):
        raise cursor.wrong(reason="expected SELECT")
    tokens = list(cursor.tokens[cursor.index :])
    tree = reading.parse_query(cursor.text, tokens)
    cursor.index = len(cursor.tokens)
    return ir.Query(tree, cursor.slice(tokens), "flink")  # type: ignore[arg-type]
