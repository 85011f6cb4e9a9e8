"""From text to tokens and trees, with errors that name the place."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType, exp

from sluice import errors
from sluice.sql.clickhouse.dialect import ClickHouse, Parser
from sluice.sql.core import places
from sluice.sql.core.reading import NO_ITEM, Reader

if TYPE_CHECKING:
    from collections.abc import Sequence

_PIECES = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.)*` | "(?:[^"\\]|\\.)*" | --[^\n]* | /\*.*?\*/
      | (?P<stray>['"`]|/\*) | (?P<open>[(\[{]) | (?P<close>[)\]}])""",
    re.S | re.X,
)
READER = Reader(ClickHouse(), Parser, _PIECES, NO_ITEM, trailing_comma=True)
_BYTE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([89a-fA-F][0-9a-fA-F])")


def tokenize(text: str) -> list[Token]:
    """The tokens of a statement."""
    tokens = READER.tokens(text)
    if _BYTE.search(text):
        for token in tokens:
            if token.token_type == TokenType.STRING:
                _with_bytes(text, token)
    return tokens


def _with_bytes(text: str, token: Token) -> None:
    r"""Make bytes of `\xff`, which sqlglot has for a letter; a lone surrogate stands for one."""
    raw = text[token.start : token.end + 1]
    if _BYTE.search(raw):
        marked = _BYTE.sub(lambda found: f"{found[1]}{chr(0xDC00 + int(found[2], 16))}", raw)
        token.text = READER.tokens(marked)[0].text


def parse_query(text: str, tokens: Sequence[Token]) -> exp.Expr:
    """The tree of a SELECT; `tokens` are those of the query, `text` is the whole statement."""
    tree = READER.query(text, tokens)
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        place = places.of_token(text, tokens[0])
        raise errors.UNSUPPORTED_STATEMENT(what="This query", hint="Write SELECT …", place=place)
    return tree


@lru_cache(1024)
def parse_expression(text: str) -> exp.Expr:
    """The tree of one expression; not to be changed by the caller."""
    return READER.expression(text, tokenize(text))


def names_in(text: str) -> set[str]:
    """The columns that an expression is made of."""
    return {
        ".".join(part.name for part in column.parts)
        for column in parse_expression(text).find_all(exp.Column)
    }
