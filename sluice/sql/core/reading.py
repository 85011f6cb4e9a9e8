"""From tokens to sqlglot's trees, with errors that name the place."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError, TokenError

from sluice import errors
from sluice.errors import Place
from sluice.sql.core import places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlglot import Dialect, Parser

DEEPEST = 200
"""How deep parentheses and brackets may be nested."""

# sqlglot needs about 25 frames for a pair of parentheses; they live on the heap, not the C stack.
sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST * 40))

NO_ITEM = frozenset({TokenType.COMMA, TokenType.R_BRACKET})
"""What cannot follow a comma in any dialect."""

_OPENS = frozenset({
    TokenType.SELECT, TokenType.FROM, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.L_PAREN,
    TokenType.L_BRACKET,
})  # fmt: skip
_MISSING = re.compile(r"required keyword: '\w+' missing for <class '[\w.]*?(\w+)'>", re.I)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_BROKEN = (AttributeError, IndexError, KeyError, TypeError, ValueError, AssertionError)
"""What sqlglot's parser raises where it took for granted that another token follows."""


def too_deep(place: Place | None = None) -> errors.SluiceError:
    """The error for what is nested too deeply to be read."""
    reason = "the statement is too deeply nested"
    return errors.SYNTAX_ERROR(reason=reason, place=place or Place(1, 1))


@dataclass(frozen=True)
class Reader:
    """How a dialect is read.

    `pieces` matches strings, quoted names and comments, and names what is left of interest by its
    groups: `stray` (a quote or comment that is not closed), `open` and `close` (brackets).
    `no_item` are the tokens that cannot follow a comma, `quotes` tell why a quote is refused.
    """

    dialect: Dialect
    parser: type[Parser]
    pieces: re.Pattern[str]
    no_item: frozenset[TokenType]
    trailing_comma: bool = False
    quotes: Mapping[str, str] = field(default_factory=dict)

    def check(self, text: str) -> None:
        """Refuse what is nested too deeply."""
        depth = 0
        for found in self.pieces.finditer(text):
            depth = max(depth + bool(found["open"]) - bool(found["close"]), 0)
            if depth > DEEPEST:
                raise too_deep(places.at_offset(text, found.start()))

    def check_quotes(self, text: str) -> None:
        """Refuse quotes and comments that are not closed."""
        for found in self.pieces.finditer(text):
            if quote := found["stray"]:
                reason = self.quotes.get(quote, f"the {quote} is not closed")
                place = places.at_offset(text, found.start())
                raise errors.SYNTAX_ERROR(reason=reason, place=place)

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a statement."""
        self.check(text)
        try:
            return list(self.dialect.tokenize(text))
        except TokenError as bad:
            self.check_quotes(text)
            reason = _ESCAPES.sub("", str(bad.__cause__ or bad)).split("\n")[0]
            raise errors.SYNTAX_ERROR(reason=reason, place=Place(1, 1)) from bad

    def query(self, text: str, tokens: Sequence[Token]) -> exp.Expr:
        """The tree of a statement; `tokens` are those of it, `text` is what they are places in."""
        return self._parse(text, tokens, lambda parser: parser.parse(list(tokens), text))

    def expression(self, text: str, tokens: Sequence[Token]) -> exp.Expr:
        """The tree of the expression that these tokens are."""
        if not tokens:
            raise errors.SYNTAX_ERROR(reason="an expression is expected", place=Place(1, 1))

        def run(parser: Parser) -> list[exp.Expr | None]:
            return parser._parse(lambda own: own._parse_expression(), list(tokens), text)

        return self._parse(text, tokens, run)

    def _parse(
        self, text: str, tokens: Sequence[Token], run: Callable[[Parser], list[exp.Expr | None]]
    ) -> exp.Expr:
        first = places.of_token(text, tokens[0])
        self._check_commas(text, tokens)
        try:
            trees = run(self.parser(dialect=self.dialect, error_level=ErrorLevel.IMMEDIATE))
        except ParseError as bad:
            raise _parse_error(bad, first) from bad
        except RecursionError as bad:
            raise too_deep(first) from bad
        except _BROKEN as bad:
            reason = "the expression cannot be read; it may end too early"
            raise errors.SYNTAX_ERROR(reason=reason, place=first) from bad
        if len(trees) != 1 or trees[0] is None:
            raise errors.SYNTAX_ERROR(reason="one statement is expected", place=first)
        return trees[0]

    def _check_commas(self, text: str, tokens: Sequence[Token]) -> None:
        """Refuse a comma with nothing before or after it, which sqlglot passes over."""
        for token, following in pairwise(tokens):
            here, then = token.token_type, following.token_type
            if here == TokenType.COMMA and then in self.no_item:
                raise _nothing(text, token, "after")
            if here in _OPENS and then == TokenType.COMMA:
                raise _nothing(text, following, "before")
        if tokens[-1].token_type == TokenType.COMMA and not self.trailing_comma:
            raise _nothing(text, tokens[-1], "after")


def _nothing(text: str, comma: Token, side: str) -> errors.SluiceError:
    reason = f"something is missing {side} the comma"
    return errors.SYNTAX_ERROR(reason=reason, place=places.of_token(text, comma))


def _parse_error(bad: ParseError, first: Place) -> errors.SluiceError:
    found = bad.errors[0] if bad.errors else {}
    reason = _ESCAPES.sub("", str(found.get("description") or bad)).split("\n")[0].strip()
    reason = re.sub(r" but got <Token.*", "", reason)
    near = _ESCAPES.sub("", str(found.get("highlight") or "")).strip()
    if reason.startswith("Invalid expression / Unexpected token"):
        reason = f"{near!r} is not expected here" if near else "the statement ends too early"
    elif missing := _MISSING.match(reason):
        reason = f"an expression is expected after {near or missing[1].upper()}"
    elif near:
        reason = f"{reason[:1].lower()}{reason[1:]}, near {near!r}"
    line, end = found.get("line"), found.get("col")
    place = Place(line, max(end - len(near) + 1, 1)) if line and end else first
    return errors.SYNTAX_ERROR(reason=reason, place=place)
