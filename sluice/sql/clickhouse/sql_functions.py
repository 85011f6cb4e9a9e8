"""CREATE and DROP FUNCTION, and calls of such functions replaced by their expressions.

A ClickHouse query calls them as they are. What outlives a statement (the query of a view, the
expressions of columns) and what Spark runs has their expressions in the place of the calls.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import TokenType

from sluice import errors
from sluice.sql import ir
from sluice.sql.clickhouse import queries, reading
from sluice.sql.clickhouse.clusters import on_cluster
from sluice.sql.core.cursor import CLOSING, OPENING, Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlglot import Token

    from sluice.catalog import SqlFunction

_LITERALS = {TokenType.STRING, TokenType.NUMBER, TokenType.HEREDOC_STRING, TokenType.RAW_STRING}
_LONGEST = 1 << 20
"""What a text may grow to: functions that call others multiply."""


def create(cursor: Cursor) -> ir.CreateFunction:
    """Read what follows CREATE FUNCTION."""
    return _created(cursor, or_replace=False)


def create_or_replace(cursor: Cursor) -> ir.CreateFunction:
    """Read what follows CREATE OR REPLACE FUNCTION."""
    return _created(cursor, or_replace=True)


def _created(cursor: Cursor, *, or_replace: bool) -> ir.CreateFunction:
    exists = not or_replace and cursor.word("IF", "NOT", "EXISTS")
    place, name = cursor.place(), cursor.identifier("a function's name")
    on_cluster(cursor)
    cursor.need("AS")
    tokens = list(cursor.tokens[cursor.index :])
    if not any(token.token_type == TokenType.ARROW for token in tokens):
        raise cursor.wrong(reason="expected a lambda, such as (x) -> x + 1")
    cursor.index = len(cursor.tokens)
    return ir.CreateFunction(name, cursor.slice(tokens), exists, or_replace, place=place)


def drop(cursor: Cursor) -> ir.DropFunction:
    """Read what follows DROP FUNCTION."""
    exists = cursor.word("IF", "EXISTS")
    place, name = cursor.place(), cursor.identifier("a function's name")
    on_cluster(cursor)
    return ir.DropFunction(name, exists, place=place)


def inlined(text: str, functions: Mapping[str, SqlFunction]) -> str:
    """An expression or a query with the expressions of functions in the place of their calls.

    Raises:
        SluiceError: INVALID_SQL_FUNCTION for one that calls itself, or whose expression cannot
            take what it is called with; WRONG_ARGUMENT_COUNT.
    """
    if not any(name in text for name in functions):
        return text
    return _inlined(text, functions, ())


def of_query(query: ir.Query, inline: Callable[[str], str]) -> ir.Query:
    """A query whose text is another, as far as `inline` changes it; its settings stay."""
    text = inline(query.text)
    if text == query.text:
        return query
    made, _ = queries.read(Cursor(text, reading.tokenize(text)), lenient=True)
    return replace(query, tree=made.tree, text=text)


def _inlined(text: str, functions: Mapping[str, SqlFunction], within: tuple[str, ...]) -> str:
    while (call := _last_call(tokens := reading.tokenize(text), functions)) is not None:
        function = functions[tokens[call].text]
        if function.name in within:
            problem = f"calls itself: {' -> '.join((*within, function.name))}"
            raise errors.INVALID_SQL_FUNCTION(function=function.name, problem=problem, hint="")
        arguments, end = _arguments(text, tokens, call + 1)
        made = _inlined(_applied(function, arguments), functions, (*within, function.name))
        text = f"{text[: tokens[call].start]}{_as_one(made)}{text[tokens[end].end + 1 :]}"
        if len(text) > _LONGEST:
            problem = f"makes an expression of more than {_LONGEST:,} letters"
            raise errors.INVALID_SQL_FUNCTION(function=function.name, problem=problem, hint="")
    return text


def _last_call(tokens: Sequence[Token], functions: Mapping[str, SqlFunction]) -> int | None:
    """Where the name stands of the call that begins last: nothing in it has to be replaced."""
    for at in range(len(tokens) - 2, -1, -1):
        opens = tokens[at + 1].token_type == TokenType.L_PAREN
        if opens and tokens[at].text in functions and _is_name(tokens, at):
            return at
    return None


def _is_name(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token is a name of its own, and no text or part of a name."""
    after_dot = at > 0 and tokens[at - 1].token_type == TokenType.DOT
    return tokens[at].token_type not in _LITERALS and not after_dot


def _arguments(text: str, tokens: Sequence[Token], opening: int) -> tuple[list[str], int]:
    """The texts of the arguments in a parenthesis, and where it closes."""
    depth, start, found = 0, opening + 1, []
    for at in range(opening, len(tokens)):
        kind = tokens[at].token_type
        depth += (kind in OPENING) - (kind in CLOSING)
        if not depth or (depth == 1 and kind == TokenType.COMMA):
            if start < at:
                found.append(text[tokens[start].start : tokens[at - 1].end + 1])
            start = at + 1
        if not depth:
            return found, at
    raise errors.SYNTAX_ERROR(reason="a parenthesis is not closed")


def _applied(function: SqlFunction, arguments: Sequence[str]) -> str:
    """The expression of a function with these arguments in the place of its parameters."""
    if len(arguments) != len(function.parameters):
        given, expected = len(arguments), len(function.parameters)
        raise errors.WRONG_ARGUMENT_COUNT(function=function.name, given=given, expected=expected)
    values = dict(zip(function.parameters, arguments, strict=True))
    body = function.body
    tokens = reading.tokenize(body)
    own = _parameters_within(tokens)
    names = {token.text for each in arguments for token in reading.tokenize(each)}
    if taken := own & (names | values.keys()):
        raise errors.INVALID_SQL_FUNCTION(
            function=function.name,
            problem=f"has a lambda with a parameter {min(taken)}, which is also a name outside",
            hint="Give the parameter of the lambda inside another name.",
        )
    for at in range(len(tokens) - 1, -1, -1):
        token = tokens[at]
        if token.text in values and _is_name(tokens, at):
            value = _as_one(values[token.text])
            body = f"{body[: token.start]}{value}{body[token.end + 1 :]}"
    return body


def _as_one(text: str) -> str:
    """An expression that stays one wherever it stands: in parentheses, unless it needs none."""
    tokens = reading.tokenize(text)
    opening = next((at for at, t in enumerate(tokens) if t.token_type == TokenType.L_PAREN), 2)
    if opening < 2 and (not opening or tokens[0].token_type == TokenType.VAR):
        is_whole = _arguments(text, tokens, opening)[1] == len(tokens) - 1
    else:
        is_whole = len(tokens) == 1
    return text if is_whole else f"({text})"


def _parameters_within(tokens: Sequence[Token]) -> set[str]:
    """The parameters of the lambdas in an expression."""
    found: set[str] = set()
    for at, token in enumerate(tokens):
        if token.token_type != TokenType.ARROW or not at:
            continue
        first = at - 1
        while (
            tokens[at - 1].token_type == TokenType.R_PAREN
            and first
            and (tokens[first].token_type != TokenType.L_PAREN)
        ):
            first -= 1
        found |= {each.text for each in tokens[first:at]} - {"(", ")", ","}
    return found
