"""Where in the text a part of the tree was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.errors import Place

if TYPE_CHECKING:
    from sqlglot import Token, exp


def at_offset(text: str, offset: int) -> Place:
    """The place of a letter."""
    line_start = text.rfind("\n", 0, offset) + 1
    return Place(text.count("\n", 0, offset) + 1, offset - line_start + 1)


def of_token(text: str, token: Token) -> Place:
    """The place where a token begins."""
    return at_offset(text, token.start)


def of_node(node: exp.Expr | None) -> Place | None:
    """The place of a node, or of the first part of it that has one."""
    if node is None:
        return None
    for part in node.walk():
        if "line" in part.meta:
            meta = part.meta
            return Place(meta["line"], meta["col"] - (meta["end"] - meta["start"]))
    return None
