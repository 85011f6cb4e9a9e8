"""The tokens of a query's canonical text, and the lines of its tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*"
      | [^\W\d]\w* | \d[\w.]* | \S""",
    re.X | re.S,
)
_NODE = re.compile(r"(?P<indent> *)(?P<kind>\w+)(?: (?P<rest>.*?))?(?: ?\(children \d+\))?")
_ALIAS = re.compile(r" \(alias .*\)$")

_AFTER_CONDITION = frozenset({
    "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "SETTINGS",
    "UNION", "EXCEPT", "INTERSECT", "FETCH",
})  # fmt: skip


def clause_end(tokens: list[re.Match[str]], at: int) -> int:
    """Where what follows the token `at` ends: at the next clause, or bracket."""
    depth = 0
    for index in range(at + 1, len(tokens)):
        piece = tokens[index][0]
        depth += (piece in "([{") - (piece in ")]}")
        if depth < 0 or (not depth and piece in _AFTER_CONDITION):
            return index
    return len(tokens)


def next_comma(tokens: list[re.Match[str]], at: int) -> int:
    """Where the next comma is, outside of brackets; the end if there is none."""
    depth = 0
    for index in range(at, len(tokens)):
        piece = tokens[index][0]
        depth += (piece in "([{") - (piece in ")]}")
        if not depth and piece == ",":
            return index
    return len(tokens)


def next_argument(tokens: list[re.Match[str]], start: int) -> int:
    """Where an argument ends: at a comma or the bracket that closes the call."""
    depth = 0
    for at in range(start, next_comma(tokens, start)):
        depth += (tokens[at][0] in "([{") - (tokens[at][0] in ")]}")
        if depth < 0:
            return at
    return next_comma(tokens, start)


def unquoted(token: str) -> str:
    """A name without its quotes, or what a literal of a text says."""
    quote = token[0]
    if quote not in "`\"'":
        return token
    inner = token[1:-1].replace(quote * 2, quote)
    return re.sub(r"\\(.)", r"\1", inner)


def nodes(tree: str) -> Iterator[tuple[int, str, str]]:
    """Depth, kind and the rest of each line of a tree."""
    for line in tree.splitlines():
        if found := _NODE.fullmatch(line):
            yield len(found["indent"]), found["kind"], _ALIAS.sub("", found["rest"] or "")
