"""From text to tokens and trees, with errors that name the place."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType, exp

from sluice import errors
from sluice.sql import ir
from sluice.sql.core import places
from sluice.sql.core.reading import NO_ITEM, Reader
from sluice.sql.flink.dialect import Flink, Parser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.sql.flink.cursor import Cursor

_PIECES = re.compile(
    r"""'(?:[^']|'')*' | `(?:[^`]|``)*` | --[^\n]* | //[^\n]* | /\*.*?\*/
      | (?P<stray>['"`]|/\*) | (?P<open>[(\[{<]) | (?P<close>[)\]}>])""",
    re.S | re.X,
)
_NO_ITEM = NO_ITEM | {
    TokenType.R_PAREN, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING,
    TokenType.ORDER_BY, TokenType.LIMIT, TokenType.UNION,
}  # fmt: skip
_STARTS = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES}
_QUOTES = {'"': "strings are written in '…' and names in `…`, not in double quotes"}
READER = Reader(Flink(), Parser, _PIECES, _NO_ITEM, quotes=_QUOTES)


def tokenize(text: str) -> list[Token]:
    """The tokens of a statement."""
    READER.check_quotes(text)
    tokens = READER.tokens(text)
    for token in tokens:
        if token.token_type == TokenType.HEX_STRING and text[token.start] == "0":
            reason = "a number is written with decimal digits, bytes as X'1F'"
            raise errors.SYNTAX_ERROR(reason=reason, place=places.of_token(text, token))
    return tokens


def _query(text: str, tokens: Sequence[Token]) -> exp.Expr:
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.text.upper() == "MATCH_RECOGNIZE" and token.token_type != TokenType.STRING:
            raise errors.UNSUPPORTED_CLAUSE(
                clause="MATCH_RECOGNIZE", hint="", place=places.of_token(text, token)
            )
        end = following is None or following.token_type in (TokenType.FROM, TokenType.R_PAREN)
        if token.token_type == TokenType.SELECT and end:
            place = places.of_token(text, following or token)
            raise errors.SYNTAX_ERROR(reason="SELECT needs columns", place=place)
    tree = READER.query(text, tokens)
    bad = tree if not isinstance(tree, exp.Query | exp.Values) else tree.find(exp.Command)
    if bad is not None:
        place = places.of_token(text, tokens[0])
        raise errors.UNSUPPORTED_CLAUSE(clause="This query", hint="Write SELECT …", place=place)
    return tree


def begins_query(cursor: Cursor) -> bool:
    """Whether a query begins here."""
    return cursor.token is not None and cursor.token.token_type in _STARTS


def read_query(cursor: Cursor) -> ir.Query:
    """Read a query up to the end of the statement."""
    if not begins_query(cursor):
        raise cursor.wrong(reason="expected SELECT")
    tokens = list(cursor.tokens[cursor.index :])
    tree = _query(cursor.text, tokens)
    cursor.index = len(cursor.tokens)
    return ir.Query(tree, cursor.slice(tokens), "flink")  # type: ignore[arg-type]


@lru_cache(1024)
def parse_expression(text: str) -> exp.Expr:
    """The tree of one expression; not to be changed by the caller."""
    return READER.expression(text, tokenize(text))
