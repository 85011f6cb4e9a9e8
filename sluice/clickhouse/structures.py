"""Structures of rows, as table functions take them: `'a Int32, b String'`.

ClickHouse takes DEFAULT and the like in them too, and computes their expressions, which nobody has
looked at. So a structure has to be written out, with names and types alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse.tokens import TOKEN, next_argument, unquoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    Tokens = list[re.Match[str]]

PIECE = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*" | \w+ | .""", re.X | re.S
)
"""What a structure is made of."""
_EXPRESSIONS = frozenset({"default", "materialized", "alias", "ephemeral", "codec", "ttl"})
"""Words of a column after which an expression may follow."""

_AT: Mapping[str, int] = {"format": -2, "generaterandom": 0, "null": 0}
"""Where the structure of a table function is among its arguments."""
_PERHAPS = frozenset({"values", "sqlstandardvalues"})
"""Those whose first argument is one only if it is a text."""


def expression_in(structure: str) -> str:
    """The word after which an expression may follow in a structure; empty if there is none."""
    words = (piece for piece in PIECE.findall(structure) if piece.lower() in _EXPRESSIONS)
    return next(words, "")


def check(text: str, table_functions: Collection[str]) -> None:
    """Refuse a canonical query if a structure in it is computed, or has expressions.

    Raises:
        SluiceError: FUNCTION_NOT_ALLOWED.
    """
    called = {name.lower() for name in table_functions} & (_AT.keys() | _PERHAPS)
    if not called:
        return
    tokens = list(TOKEN.finditer(text))
    for at, token in enumerate(tokens[:-1]):
        name = unquoted(token[0]).lower()
        if name not in called or tokens[at + 1][0] != "(":
            continue
        given = _structure(name, _arguments(tokens, at))
        if given is None:
            continue
        first = given[0][0]
        is_text = len(given) == 1 and first[0] == "'"
        is_none = name in _PERHAPS or (len(given) == 1 and first.isdigit())
        if expression_in(unquoted(first)) if is_text else not is_none:
            reason = "its structure has to be a text with names and types of columns alone"
            function = f"The table function {unquoted(token[0])}"
            raise errors.FUNCTION_NOT_ALLOWED(function=function, reason=reason)


def _structure(name: str, arguments: list[Tokens]) -> Tokens | None:
    """The argument that is a structure; None if there is none."""
    if name == "format":
        return arguments[_AT[name]] if len(arguments) > 2 else None
    return arguments[_AT.get(name, 0)] if arguments else None


def _arguments(tokens: Tokens, at: int) -> list[Tokens]:
    """The arguments of the call whose name is the token `at`."""
    found, end = [], at + 1
    while end < len(tokens) and tokens[end][0] != ")":
        start, end = end + 1, next_argument(tokens, end + 1)
        if start == end:
            break
        found.append(tokens[start:end])
    return found
