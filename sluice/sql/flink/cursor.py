"""Reads a Flink statement token by token."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.cursor import Cursor as Tokens
from sluice.sql.ir import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.errors import Place, SluiceError

DEFAULT_CATALOG = "default_catalog"
"""The one catalog that is always there; in a name it means nothing."""

_VALUES = (TokenType.STRING, TokenType.NUMBER, TokenType.HEX_STRING)
_HINT = re.compile(r"\s*(?P<start>/\*\+)(?P<body>.*?)\*/", re.S)
_OPTIONS = re.compile(r"\s*OPTIONS\s*\((?P<pairs>.*)\)\s*", re.S | re.I)
_PAIR = re.compile(r"\s*'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'\s*(?:,|\Z)")


class Cursor(Tokens):
    """A position in the tokens of one statement."""

    def __init__(self, text: str, tokens: Sequence[Token], index: int = 0) -> None:
        super().__init__(text, tokens)
        self.index = index

    def name(self, what: str = "a table's name") -> Name:
        """Read `table`, `database.table` or `catalog.database.table`, and its hint."""
        place = self.place()
        parts = self.parts(what, 3)
        options = hint_at(self.text, self.tokens[self.index - 1].end + 1)
        catalog, database = ([None, None, *parts[:-1]])[-2:]
        catalog = None if catalog == DEFAULT_CATALOG else catalog
        return Name(parts[-1], database, place, catalog, options)

    def parts(self, what: str, most: int) -> list[str]:
        """Read a name of up to `most` parts with dots between."""
        found = [self.identifier(what)]
        while len(found) < most and self.mark(TokenType.DOT):
            found.append(self.identifier(what))
        return found

    def enclosed(self, item: Callable[[], object]) -> None:
        """Read `(a, b, …)`; unlike in `listed` no comma may follow the last item."""
        self.need_mark(TokenType.L_PAREN, "(")
        item()
        while not self.mark(TokenType.R_PAREN):
            self.need_mark(TokenType.COMMA, "a comma or )")
            item()

    def columns(self, what: str) -> tuple[tuple[str, ...], tuple[Place, ...]]:
        """Read `(a, b, …)`, the columns of something, with their places."""
        found = self.listed(lambda: (self.place(), self.identifier("a column's name")))
        if not found:
            raise self.wrong(reason=f"expected the columns of {what}")
        return tuple(name for _, name in found), tuple(place for place, _ in found)

    def wrong(self, reason: str) -> SluiceError:
        """A syntax error at the next token, which is not shown if it may be a secret.

        An option's value that was put in the wrong place would be shown to everybody else.
        """
        if self.token is None or self.token.token_type not in _VALUES:
            return super().wrong(reason)
        what = "a number" if self.token.token_type == TokenType.NUMBER else "a string"
        return errors.SYNTAX_ERROR(reason=f"{reason}, found {what}", place=self.place())

    def end(self) -> None:
        """Nothing may follow."""
        if self.token is not None and self.token.token_type in _VALUES:
            raise self.wrong(reason="expected the end")
        super().end()

    def canonical(self, tokens: Sequence[Token]) -> str:
        """The text of tokens without comments and line breaks."""
        found: list[str] = []
        for n, token in enumerate(tokens):
            if n and token.start > tokens[n - 1].end + 1:
                found.append(" ")
            found.append(self.text[token.start : token.end + 1])
        return "".join(found)


def hint_at(text: str, offset: int) -> tuple[tuple[str, str], ...]:
    """The options of the hint `/*+ OPTIONS('key' = 'value') */` at an offset, if there is one."""
    found = _HINT.match(text, offset)
    if found is None:
        return ()
    options = _OPTIONS.fullmatch(found["body"])
    body, at = options["pairs"] if options else "", 0
    pairs: list[tuple[str, str]] = []
    while pair := _PAIR.match(body, at):
        key, value = (part.replace("''", "'") for part in pair.groups())
        pairs.append((key, value))
        at = pair.end()
    if not pairs or at < len(body):
        reason = "a hint after a table's name is written /*+ OPTIONS('key' = 'value', …) */"
        raise errors.SYNTAX_ERROR(reason=reason, place=places.at_offset(text, found.start("start")))
    return tuple(pairs)
