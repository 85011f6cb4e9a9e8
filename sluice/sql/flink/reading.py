"""From text to tokens and trees, with errors that say where."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError, TokenError

from sluice import errors
from sluice.errors import Place
from sluice.sql.clickhouse import places
from sluice.sql.clickhouse.reading import DEEPEST, NO_ITEM, check_commas, too_deep
from sluice.sql.flink.dialect import Flink, Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_DIALECT = Flink()
_PIECE = re.compile(
    r"""'(?:[^']|'')*' | `(?:[^`]|``)*` | --[^\n]* | //[^\n]* | /\*.*?\*/
      | (?P<stray>['"`]|/\*) | (?P<open>[(\[{<]) | (?P<close>[)\]}>])""",
    re.S | re.X,
)
_NO_ITEM = NO_ITEM | {
    TokenType.R_PAREN, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING,
    TokenType.ORDER_BY, TokenType.LIMIT, TokenType.UNION,
}  # fmt: skip
"""What cannot follow a comma."""
_MISSING = re.compile(r"required keyword: '\w+' missing for <class '[\w.]*?(\w+)'>", re.I)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_DOUBLE = "strings are written in '…' and names in `…`, not in double quotes"
_BROKEN = (AttributeError, IndexError, KeyError, TypeError, ValueError, AssertionError)
"""What sqlglot's parser runs into where a statement is broken in a way it did not think of."""


def tokenize(text: str) -> list[Token]:
    """The tokens of a statement."""
    _check(text)
    try:
        tokens = list(_DIALECT.tokenize(text))
    except TokenError as bad:
        reason = _ESCAPES.sub("", str(bad.__cause__ or bad)).split("\n")[0]
        raise errors.SYNTAX_ERROR(reason=reason, place=Place(1, 1)) from bad
    for token in tokens:
        if token.token_type == TokenType.HEX_STRING and text[token.start] == "0":
            reason = "a number is written with decimal digits, bytes as X'1F'"
            raise errors.SYNTAX_ERROR(reason=reason, place=places.of_token(text, token))
    return tokens


def _check(text: str) -> None:
    """Refuse quotes that are not closed, double quotes, and what is nested too deeply."""
    depth = 0
    for found in _PIECE.finditer(text):
        if found["stray"]:
            mark = found["stray"]
            reason = _DOUBLE if mark == '"' else f"the {mark} is not closed"
            raise errors.SYNTAX_ERROR(reason=reason, place=places.at_offset(text, found.start()))
        depth = max(depth + bool(found["open"]) - bool(found["close"]), 0)
        if depth > DEEPEST:
            raise too_deep(places.at_offset(text, found.start()))


def parse_query(text: str, tokens: Sequence[Token]) -> exp.Expr:
    """The tree of a query; `tokens` are those of the query, `text` is the whole statement."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.text.upper() == "MATCH_RECOGNIZE" and token.token_type != TokenType.STRING:
            raise errors.UNSUPPORTED_STATEMENT(
                what="MATCH_RECOGNIZE", hint="", place=places.of_token(text, token)
            )
        end = following is None or following.token_type in (TokenType.FROM, TokenType.R_PAREN)
        if token.token_type == TokenType.SELECT and end:
            place = places.of_token(text, following or token)
            raise errors.SYNTAX_ERROR(reason="SELECT needs columns", place=place)
    tree = _parse(text, tokens, lambda parser: parser.parse(list(tokens), text))
    bad = tree if not isinstance(tree, exp.Query | exp.Values) else tree.find(exp.Command)
    if bad is not None:
        place = places.of_token(text, tokens[0])
        raise errors.UNSUPPORTED_STATEMENT(what="This query", hint="Write SELECT …", place=place)
    return tree


@lru_cache(1024)
def parse_expression(text: str) -> exp.Expr:
    """The tree of one expression; not to be changed by the caller."""
    return parse_tokens(text, tokenize(text))


def parse_tokens(text: str, tokens: Sequence[Token]) -> exp.Expr:
    """The tree of the expression that these tokens are."""
    if not tokens:
        raise errors.SYNTAX_ERROR(reason="an expression is expected", place=Place(1, 1))
    return _parse(text, tokens, lambda parser: parser.parse_one_expression(list(tokens), text))


def _parse(
    text: str, tokens: Sequence[Token], run: Callable[[Parser], list[exp.Expr | None]]
) -> exp.Expr:
    first = places.of_token(text, tokens[0])
    check_commas(text, tokens, _NO_ITEM)
    if tokens[-1].token_type == TokenType.COMMA:
        place = places.of_token(text, tokens[-1])
        raise errors.SYNTAX_ERROR(reason="something is missing after the comma", place=place)
    try:
        trees = run(Parser(dialect=_DIALECT, error_level=ErrorLevel.IMMEDIATE))
    except ParseError as bad:
        raise _parse_error(bad, first) from bad
    except RecursionError as bad:
        raise too_deep(first) from bad
    except _BROKEN as bad:
        reason = "the statement cannot be read from here on"
        raise errors.SYNTAX_ERROR(reason=reason, place=first) from bad
    if len(trees) != 1 or trees[0] is None:
        raise errors.SYNTAX_ERROR(reason="one statement is expected", place=first)
    return trees[0]


def _parse_error(bad: ParseError, first: Place) -> errors.SluiceError:
    found = bad.errors[0] if bad.errors else {}
    reason = _ESCAPES.sub("", str(found.get("description") or bad)).split("\n")[0].strip()
    reason = re.sub(r" but got <Token.*", "", reason)
    near = _ESCAPES.sub("", str(found.get("highlight") or "")).strip()
    if reason.startswith("Invalid expression / Unexpected token"):
        reason = f"{near!r} is not expected here" if near else "the statement ends too early"
    elif missing := _MISSING.match(reason):
        reason = f"something is missing after {near or missing[1].upper()}"
    elif near:
        reason = f"{reason[:1].lower()}{reason[1:]}, near {near!r}"
    line, end = found.get("line"), found.get("col")
    place = Place(line, max(end - len(near) + 1, 1)) if line and end else first
    return errors.SYNTAX_ERROR(reason=reason, place=place)
