"""Where in the text a part of the tree was written, and the error for one not supported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
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
    """The place of a node, or of the part of it that was written first."""
    if node is None:
        return None
    if "line" in node.meta:
        return _from_meta(node.meta)
    metas = [part.meta for part in node.walk() if "line" in part.meta]
    return _from_meta(min(metas, key=lambda meta: meta["start"])) if metas else None


def unsupported(node: exp.Expr | None, clause: str, hint: str = "") -> errors.SluiceError:
    """The error for a clause that is not supported, at the place of its node."""
    return errors.UNSUPPORTED_CLAUSE(clause=clause, hint=hint, place=of_node(node))


def _from_meta(meta: dict[str, Any]) -> Place:
    return Place(meta["line"], meta["col"] - (meta["end"] - meta["start"]))
