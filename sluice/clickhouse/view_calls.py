"""Calls of views with parameters: `FROM v(x = 1)` is a table function for ClickHouse's parser.

Such a call is taken out of the text, and a name put in its place: that of a view whose query has
the values. The parameters of a view are in its query as `{x:Type}`. The table function `merge` is
taken out in the same way.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse.tokens import TOKEN, next_argument, nodes, unquoted
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from sluice.clickhouse.pool import Worker

    Tokens = list[re.Match[str]]

IDENTIFIER = "Identifier"
"""The type of a parameter that is a name."""


@dataclass(frozen=True, slots=True)
class Call:
    """A view's name as it was written, and the texts of its arguments, which are constants."""

    view: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Merge:
    """The texts of the arguments of `merge`: a database, unless it is left out, and a pattern."""

    view = "merge"
    arguments: tuple[str, ...]


def taken_out(
    worker: Worker, text: str, tree: str, functions: frozenset[str]
) -> tuple[str, str, dict[str, Call | Merge]]:
    """A query with names in the place of calls of views, its tree, and the calls by these names.

    `functions` are table functions that are none.
    """
    calls: dict[str, Call | Merge] = {}
    names = {
        name
        for name, is_call in _called(tree)
        if name == Merge.view or (is_call and name.lower() not in functions)
    }
    if not names:
        return text, tree, calls
    for at in range(len(tokens := list(TOKEN.finditer(text))) - 1, -1, -1):
        # Backwards: a change leaves what stands before it as it was.
        is_call = at + 1 < len(tokens) and tokens[at + 1][0] == "("
        if not is_call or unquoted(tokens[at][0]) not in names:
            continue
        now = list(TOKEN.finditer(text))
        found = _call(text, now, at)
        if found is None:
            continue
        call, end = found
        written = text[now[at].start() : now[end].end()]
        name = f"{call.view}(#{hashlib.sha256(written.encode()).hexdigest()[:16]})"
        changed = f"{text[: now[at].start()]}{quote_name(name)}{text[now[end].end() :]}"
        explained = worker.run(f"EXPLAIN AST {changed}")
        if len(list(_called(explained))) == len(list(_called(tree))) - 1:
            text, tree, calls[name] = changed, explained, call
    return text, tree, calls


def _called(tree: str) -> Iterator[tuple[str, bool]]:
    """The table functions of a query, and whether each has the form of a call of a view."""
    found = list(nodes(tree))
    for at, (depth, kind, rest) in enumerate(found):
        if kind == "Function" and at and found[at - 1][1] == "TableExpression":
            arguments = []
            for level, *node in found[at + 1 :]:
                if level <= depth:
                    break
                if level == depth + 2:
                    arguments.append(tuple(node))
            yield rest, all(each == ("Function", "equals") for each in arguments)


def _merge(text: str, tokens: Tokens, at: int) -> tuple[Merge, int] | None:
    """The call of `merge` at a token, and where it ends; None for one of a view of that name."""
    arguments, end = [], at + 1
    while tokens[end][0] != ")":
        start, end = end + 1, next_argument(tokens, end + 1)
        if start == end or tokens[start + 1][0] == "=":
            return None
        arguments.append(text[tokens[start].start() : tokens[end - 1].end()])
    return (Merge(tuple(arguments)), end) if 0 < len(arguments) < 3 else None


def _call(text: str, tokens: Tokens, at: int) -> tuple[Call | Merge, int] | None:
    """The call whose name is the token `at`, and where it ends.

    Raises:
        SluiceError: CONSTANT_REQUIRED for an argument that is no constant.
    """
    view, arguments, end = unquoted(tokens[at][0]), {}, at + 1
    if view == Merge.view and (merge := _merge(text, tokens, at)) is not None:
        return merge
    while tokens[end][0] != ")":
        start, end = end + 1, next_argument(tokens, end + 1)
        if start == end:
            break
        if end - start < 3 or tokens[start + 1][0] != "=":
            return None
        name = unquoted(tokens[start][0])
        if not _is_constant(tokens, start + 2, end):
            what = f"The argument {name} of the view {view}"
            raise errors.CONSTANT_REQUIRED(what=what, type="a")
        arguments[name] = text[tokens[start + 2].start() : tokens[end - 1].end()]
    return Call(view, arguments), end


def _is_constant(tokens: Tokens, start: int, end: int) -> bool:
    """Whether only literals, operators and calls of functions stand there."""
    depth = 0
    for at in range(start, end):
        piece = tokens[at][0]
        depth += (piece == "{") - (piece == "}")
        if depth:  # a parameter of the request
            continue
        is_word = piece[0] in '`"_' or piece[0].isalpha()
        is_called = at + 1 < end and tokens[at + 1][0] == "("
        if is_word and not is_called and piece.upper() not in _WORDS:
            return False
        if piece.upper() in ("SELECT", "WITH"):
            return False
    return True


_WORDS = frozenset({
    "NULL", "TRUE", "FALSE", "INF", "NAN", "AND", "OR", "NOT", "INTERVAL", "SECOND", "MINUTE",
    "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR",
})  # fmt: skip
"""Words of constants."""


def parameters(text: str) -> dict[str, str]:
    """The parameters `{name:Type}` in a canonical text, with their types."""
    return {name: type_ for name, type_, _, _ in _parameters(text)}


def _parameters(text: str) -> Iterator[tuple[str, str, int, int]]:
    tokens = list(TOKEN.finditer(text))
    for at in range(len(tokens) - 3):
        is_name = tokens[at + 1][0].isidentifier()
        if tokens[at][0] == "{" and is_name and tokens[at + 2][0] == ":":
            end = next(to for to in range(at, len(tokens)) if tokens[to][0] == "}")
            type_ = text[tokens[at + 3].start() : tokens[end - 1].end()]
            yield tokens[at + 1][0], type_, tokens[at].start(), tokens[end].end()


def with_values(text: str, values: Mapping[str, str]) -> str:
    """A query with values, each a text of SQL, in the place of the parameters that have one."""
    for name, type_, start, end in reversed(list(_parameters(text))):
        if name in values:
            value = values[name]
            as_name = type_ == IDENTIFIER
            made = quote_name(unquoted(value)) if as_name else _cast(value, type_)
            text = f"{text[:start]}{made}{text[end:]}"
    return text


def _cast(value: str, type_: str) -> str:
    return f"_CAST({value}, {quote_string(type_)})"


def examples(text: str) -> dict[str, str]:
    """A value for each parameter: the default of its type."""
    found = parameters(text).items()
    return {name: f"defaultValueOfTypeName({quote_string(type_)})" for name, type_ in found}
