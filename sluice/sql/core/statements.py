"""Statements: a table from the words a statement begins with to the function that reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqlglot import Token, TokenType

from sluice import errors
from sluice.sql.core.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from sluice.sql.core.reading import Reader
    from sluice.sql.ir import Statement

Statements = Mapping[tuple[str, ...], Callable[[Any], "Statement"]]


def trimmed(tokens: list[Token]) -> list[Token]:
    """The tokens of a statement without a `;` at the end."""
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        raise errors.SYNTAX_ERROR(reason="the statement is empty", place=errors.Place(1, 1))
    return tokens


def check_one(text: str, tokens: Sequence[Token]) -> None:
    """Refuse a second statement."""
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            reason = "one statement at a time is expected, and more follows this ;"
            raise errors.SYNTAX_ERROR(reason=reason, place=Cursor(text, [token]).place())


def read(cursor: Cursor, table: Statements) -> Statement | None:
    """Read the statement that follows, None if the table has no such statement."""
    for words, reader in table.items():
        if cursor.word(*words):
            return reader(cursor)
    return None


def unknown(
    cursor: Cursor, known: Sequence[str], refused: Mapping[str, str] | None = None
) -> errors.SluiceError:
    """The error for a statement that is not in the table, with those that come closest."""
    words = [token.text.upper() for token in cursor.tokens[cursor.index : cursor.index + 2]]
    if not words:
        return errors.SYNTAX_ERROR(reason="a statement is expected", place=cursor.place())
    alike = [name for name in known if name.split()[0] == words[0]]
    what = f"The statement {words[0]}"
    if words[0] in (refused or {}):
        hint = (refused or {})[words[0]]
    elif alike:
        what, hint = f"The statement {' '.join(words)}", f"Supported: {', '.join(alike)}"
    else:
        first = dict.fromkeys(name.split()[0] for name in known)
        hint = errors.nearest(words[0], known) or f"Statements begin with {', '.join(first)}"
    return errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=cursor.place())


def value(cursor: Cursor, reader: Reader) -> exp.Expression:
    """Read one value of a row of VALUES."""
    tokens = cursor.until(lambda _: False)
    if not tokens:
        raise cursor.wrong(reason="expected a value")
    return reader.expression(cursor.text, tokens)  # type: ignore[return-value]


def row(cursor: Cursor, reader: Reader) -> tuple[exp.Expression, ...]:
    """Read a row of VALUES in parentheses."""
    found = tuple(cursor.listed(lambda: value(cursor, reader)))
    if not found:
        raise cursor.wrong(reason="expected a value")
    return found
