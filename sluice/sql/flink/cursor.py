"""Reads a Flink statement token by token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql.core.cursor import Cursor as Tokens
from sluice.sql.flink import hints
from sluice.sql.ir import Name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.errors import SluiceError

DEFAULT_CATALOG = "default_catalog"
"""The one catalog that is always there; in a name it means nothing."""


_VALUES = (TokenType.STRING, TokenType.NUMBER, TokenType.HEX_STRING)


class Cursor(Tokens):
    """A position in the tokens of one statement."""

    def __init__(self, text: str, tokens: Sequence[Token], index: int = 0) -> None:
        super().__init__(text, tokens)
        self.index = index

    def name(self, what: str = "a table's name") -> Name:
        """Read `table`, `database.table` or `catalog.database.table`, and a hint behind it."""
        place = self.place()
        parts = self.parts(what, 3)
        options = hints.options_at(self.text, self.tokens[self.index - 1].end + 1)
        catalog, database = ([None, None, *parts[:-1]])[-2:]
        catalog = None if catalog == DEFAULT_CATALOG else catalog
        return Name(parts[-1], database, place, catalog, options)

    def parts(self, what: str, most: int) -> list[str]:
        """Read a name of up to `most` parts with dots between."""
        found = [self.identifier(what)]
        while len(found) < most and self.mark(TokenType.DOT):
            found.append(self.identifier(what))
        return found

    def wrong(self, reason: str) -> SluiceError:
        """A syntax error at the next token, which is not said if it may be a secret.

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
