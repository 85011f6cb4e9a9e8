"""From text to tokens and trees, with errors that say where."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError, TokenError

from sluice import errors
from sluice.errors import Place
from sluice.sql.clickhouse import places
from sluice.sql.clickhouse.dialect import ClickHouse, Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEEPEST = 200
"""How deep parentheses and brackets may be nested."""

# sqlglot needs about 25 frames for a pair of parentheses; they live on the heap, not the C stack.
sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST * 40))

_DIALECT = ClickHouse()
_STUMBLES = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What sqlglot's parser raises where it took for granted that there is one more token."""

_BRACKET = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.)*` | "(?:[^"\\]|\\.)*" | --[^\n]* | /\*.*?\*/
      | [(\[{] | [)\]}]""",
    re.S | re.X,
)
_STRAY = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.)*` | "(?:[^"\\]|\\.)*" | --[^\n]* | /\*.*?\*/
      | (?P<stray>['"`]|/\*)""",
    re.S | re.X,
)
NO_ITEM = frozenset({TokenType.COMMA, TokenType.R_BRACKET})
"""What cannot follow a comma; one before `)`, FROM or the end is ClickHouse's trailing comma."""
_OPENS = frozenset({
    TokenType.SELECT, TokenType.FROM, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.L_PAREN,
    TokenType.L_BRACKET,
})  # fmt: skip
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def too_deep(place: Place | None = None) -> errors.SluiceError:
    """The error for what is nested too deeply to be read."""
    return errors.SYNTAX_ERROR(
        reason="the statement is too deeply nested", place=place or Place(1, 1)
    )


def tokenize(text: str) -> list[Token]:
    """The tokens of a statement."""
    _check_depth(text)
    try:
        tokens = list(_DIALECT.tokenize(text))
    except TokenError as bad:
        raise _token_error(text, bad) from bad
    if _BYTE.search(text):
        for token in tokens:
            if token.token_type == TokenType.STRING:
                _with_bytes(text, token)
    return tokens


_BYTE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([89a-fA-F][0-9a-fA-F])")


def _with_bytes(text: str, token: Token) -> None:
    r"""Make bytes of `\xff`, which sqlglot has for a letter; a lone surrogate stands for one."""
    raw = text[token.start : token.end + 1]
    if _BYTE.search(raw):
        marked = _BYTE.sub(lambda found: f"{found[1]}{chr(0xDC00 + int(found[2], 16))}", raw)
        token.text = next(iter(_DIALECT.tokenize(marked))).text


def _check_depth(text: str) -> None:
    depth = 0
    for found in _BRACKET.finditer(text):
        letter = found[0]
        depth += 1 if letter in "([{" else -1 if letter in ")]}" else 0
        if depth > DEEPEST:
            raise too_deep(places.at_offset(text, found.start()))


def _token_error(text: str, bad: TokenError) -> errors.SluiceError:
    """What cannot be made tokens of is, as a rule, a quote or a comment that never ends."""
    for found in _STRAY.finditer(text):
        if found["stray"]:
            reason = f"the {found['stray']} is not closed"
            return errors.SYNTAX_ERROR(reason=reason, place=places.at_offset(text, found.start()))
    reason = _ESCAPES.sub("", str(bad.__cause__ or bad))
    return errors.SYNTAX_ERROR(reason=reason, place=Place(1, 1))


def check_commas(text: str, tokens: Sequence[Token], no_item: frozenset[TokenType]) -> None:
    """Refuse a comma with nothing before or after it, which sqlglot passes over."""
    for token, following in pairwise(tokens):
        here, then = token.token_type, following.token_type
        if here == TokenType.COMMA and then in no_item:
            reason, place = "something is missing after the comma", places.of_token(text, token)
            raise errors.SYNTAX_ERROR(reason=reason, place=place)
        if here in _OPENS and then == TokenType.COMMA:
            place = places.of_token(text, following)
            raise errors.SYNTAX_ERROR(reason="something is missing before the comma", place=place)


def parse_query(text: str, tokens: Sequence[Token]) -> exp.Expr:
    """The tree of a SELECT; `tokens` are those of the query, `text` is the whole statement."""
    tree = _parse(text, tokens, lambda parser: parser.parse(list(tokens), text))
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        place = places.of_token(text, tokens[0])
        raise errors.UNSUPPORTED_STATEMENT(what="This query", hint="Write SELECT …", place=place)
    return tree


@lru_cache(1024)
def parse_expression(text: str) -> exp.Expr:
    """The tree of one expression; not to be changed by the caller."""
    tokens = tokenize(text)
    return parse_tokens(text, tokens)


def names_in(text: str) -> set[str]:
    """The columns that an expression is made of."""
    return {
        ".".join(part.name for part in column.parts)
        for column in parse_expression(text).find_all(exp.Column)
    }


def parse_tokens(text: str, tokens: Sequence[Token]) -> exp.Expr:
    """The tree of the expression that these tokens are."""
    if not tokens:
        raise errors.SYNTAX_ERROR(reason="an expression is expected", place=Place(1, 1))
    return _parse(text, tokens, lambda parser: parser.parse_one_expression(list(tokens), text))


def _parse(
    text: str, tokens: Sequence[Token], run: Callable[[Parser], list[exp.Expr | None]]
) -> exp.Expr:
    first = places.of_token(text, tokens[0])
    check_commas(text, tokens, NO_ITEM)
    try:
        trees = run(Parser(dialect=_DIALECT, error_level=ErrorLevel.IMMEDIATE))
    except ParseError as bad:
        raise _parse_error(text, bad, first) from bad
    except RecursionError as bad:
        raise too_deep(first) from bad
    except _STUMBLES as bad:
        reason = "the expression cannot be read; it may end too early"
        raise errors.SYNTAX_ERROR(reason=reason, place=first) from bad
    if len(trees) != 1 or trees[0] is None:
        raise errors.SYNTAX_ERROR(reason="one statement is expected", place=first)
    return trees[0]


def _parse_error(text: str, bad: ParseError, first: Place) -> errors.SluiceError:
    found = bad.errors[0] if bad.errors else {}
    reason = _ESCAPES.sub("", str(found.get("description") or bad)).split("\n")[0].strip()
    reason = re.sub(r" but got <Token.*", "", reason)
    if reason.startswith("Required keyword"):  # a field of its own classes that stayed empty
        reason = "An expression is expected"
    near = _ESCAPES.sub("", str(found.get("highlight") or "")).strip()
    if reason.startswith("Invalid expression / Unexpected token"):
        reason = f"{near!r} is not expected here" if near else "the statement ends too early"
    elif near:
        reason = f"{reason[:1].lower()}{reason[1:]}, near {near!r}"
    line, end = found.get("line"), found.get("col")
    place = Place(line, max(end - len(near) + 1, 1)) if line and end else first
    return errors.SYNTAX_ERROR(reason=reason, place=place)
