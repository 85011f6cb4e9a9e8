"""Reads a statement token by token, and remembers where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql.core import places
from sluice.sql.ir import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.errors import Place

OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_QUOTED = {TokenType.IDENTIFIER}
_VALUES = {TokenType.STRING, TokenType.NUMBER, TokenType.HEREDOC_STRING, TokenType.RAW_STRING}

_LARGEST = 1e300

T = TypeVar("T")


class Cursor:
    """A position in the tokens of one statement.

    A `lenient` one takes queries that only another parser may understand.
    """

    def __init__(self, text: str, tokens: Sequence[Token], *, lenient: bool = False) -> None:
        self.text = text
        self.tokens = tokens
        self.lenient = lenient
        self.index = 0

    @property
    def token(self) -> Token | None:
        """The next token, None at the end."""
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def place(self) -> Place:
        """Where the next token (at the end: the end) is."""
        if self.token is not None:
            return places.of_token(self.text, self.token)
        end = self.tokens[-1].end + 1 if self.tokens else len(self.text)
        return places.at_offset(self.text, end)

    def is_word(self, *words: str) -> bool:
        """Whether these keywords follow."""
        return self._span(words) > 0

    def word(self, *words: str) -> bool:
        """Read these keywords if they follow."""
        span = self._span(words)
        self.index += span
        return span > 0

    def one_of(self, *words: str) -> str | None:
        """Read one of these keywords if it follows."""
        return next((word for word in words if self.word(word)), None)

    def _span(self, words: Sequence[str]) -> int:
        """How many tokens these keywords take, 0 if they do not follow; `ORDER BY` is one token."""
        at, left = self.index, list(words)
        while left:
            token = self.tokens[at] if at < len(self.tokens) else None
            if token is None or token.token_type in _QUOTED | _VALUES:
                return 0
            found = token.text.upper().split()
            if left[: len(found)] != found:
                return 0
            left = left[len(found) :]
            at += 1
        return at - self.index

    def next_is(self, kind: TokenType) -> bool:
        """Whether the token after the next one is of a kind."""
        following = self.index + 1
        return following < len(self.tokens) and self.tokens[following].token_type == kind

    def need(self, *words: str) -> None:
        """Read these keywords, or say that they are missing."""
        if not self.word(*words):
            raise self.wrong(reason=f"expected {' '.join(words)}")

    def mark(self, kind: TokenType) -> bool:
        """Read a mark such as a comma if it follows."""
        found = self.token is not None and self.token.token_type == kind
        self.index += found
        return found

    def need_mark(self, kind: TokenType, shown: str) -> None:
        """Read a mark, or say that it is missing."""
        if not self.mark(kind):
            raise self.wrong(reason=f"expected {shown}")

    def wrong(self, reason: str) -> errors.SluiceError:
        """A syntax error at the next token."""
        return errors.SYNTAX_ERROR(reason=f"{reason}, found {self._shown()}", place=self.place())

    def unsupported(self, clause: str, hint: str = "") -> errors.SluiceError:
        """The error for a clause that is not supported, at the next token."""
        return errors.UNSUPPORTED_CLAUSE(clause=clause, hint=hint, place=self.place())

    def _shown(self) -> str:
        """The next token for a message; what stands in quotes may be a secret."""
        if self.token is None:
            return "the end"
        if self.token.token_type in _VALUES - {TokenType.NUMBER}:
            return "a string"
        return "a quoted name" if self.token.token_type in _QUOTED else repr(self.token.text)

    def identifier(self, what: str = "a name") -> str:
        """Read a name, quoted or not; keywords may be names too."""
        token = self.token
        if (
            token is None
            or token.token_type in _VALUES
            or not (token.token_type in _QUOTED or _is_name(token.text))
            or token.text == ""
            or "\0" in token.text
        ):
            raise self.wrong(reason=f"expected {what}")
        self.index += 1
        return str(token.text)

    def name(self, what: str = "a table's name") -> Name:
        """Read `table` or `database.table`."""
        place = self.place()
        first = self.identifier(what)
        if not self.mark(TokenType.DOT):
            return Name(first, None, place)
        return Name(self.identifier(what), first, place)

    def opens(self) -> bool:
        """Whether a parenthesis follows."""
        return self.token is not None and self.token.token_type == TokenType.L_PAREN

    def string(self, what: str = "a string") -> str:
        """Read a string literal."""
        token = self.token
        if token is None or token.token_type not in _VALUES - {TokenType.NUMBER}:
            raise self.wrong(reason=f"expected {what} in quotes")
        self.index += 1
        return str(token.text)

    def listed(self, item: Callable[[], T]) -> list[T]:
        """Read `(a, b, …)`; a comma may follow the last item."""
        self.need_mark(TokenType.L_PAREN, "(")
        found: list[T] = []
        while not self.mark(TokenType.R_PAREN):
            if found:
                self.need_mark(TokenType.COMMA, "a comma or )")
                if self.mark(TokenType.R_PAREN):
                    break
            found.append(item())
        return found

    def until(self, stop: Callable[[Cursor], bool]) -> list[Token]:
        """Read up to a top-level comma, an unopened closing bracket, or where `stop` says."""
        start, depth = self.index, 0
        while (token := self.token) is not None:
            if not depth and (token.token_type in CLOSING | {TokenType.COMMA} or stop(self)):
                break
            depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
            self.index += 1
        return list(self.tokens[start : self.index])

    def slice(self, tokens: Sequence[Token]) -> str:
        """The text that tokens were made from."""
        return self.text[tokens[0].start : tokens[-1].end + 1] if tokens else ""

    def literal(self, what: str) -> Any:
        """Read a constant: a string, a number, true or false."""
        negative = self.mark(TokenType.DASH)
        token = self.token
        if token is None:
            raise self.wrong(reason=f"expected {what}")
        if token.token_type == TokenType.NUMBER:
            number = _number(token.text)
            if abs(number) > _LARGEST:
                raise self.wrong(reason=f"expected {what}, a number that is not too large")
            self.index += 1
            return -number if negative else number
        if not negative and token.token_type in (TokenType.TRUE, TokenType.FALSE):
            self.index += 1
            return token.token_type == TokenType.TRUE
        if negative:
            raise self.wrong(reason="expected a number")
        return self.string(what)

    def end(self) -> None:
        """Nothing may follow."""
        if self.token is not None:
            reason = f"{self._shown()} is not expected here"
            raise errors.SYNTAX_ERROR(reason=reason, place=self.place())


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _is_name(text: str) -> bool:
    if not text:
        return False
    if (text[0].isalpha() or text[0] == "_") and text.replace("$", "_").isidentifier():
        return True
    return all(letter.isalnum() or letter == "_" for letter in text) and not text.isdecimal()
