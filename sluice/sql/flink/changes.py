"""HAVING over groups that change: a row that once passed must not fail later."""

from __future__ import annotations

from sqlglot import exp

from sluice.sql.flink.joins import conjuncts
from sluice.sql.flink.shapes import NeedsChangelogError

_GROW = frozenset({"COUNT", "MAX", "APPROX_COUNT_DISTINCT"})
_FALL = frozenset({"MIN"})
_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GT, exp.LTE: exp.GTE, exp.GT: exp.LT, exp.GTE: exp.LTE,
}  # fmt: skip


def check_having(node: exp.Expr) -> None:
    """Make sure that a group which meets a condition now also meets it later.

    Raises:
        NeedsChangelogError: it may not.
    """
    if not all(map(_stays, conjuncts(node))):
        raise NeedsChangelogError


def _stays(node: exp.Expr) -> bool:
    """Whether a condition that is true stays true as rows come."""
    if not list(node.find_all(exp.Anonymous)):
        return True
    kind = type(node)
    if kind not in _TURNED:
        return False
    one, other = node.this, node.expression
    if isinstance(one, exp.Literal):
        kind, one, other = _TURNED[kind], other, one
    if not isinstance(one, exp.Anonymous) or not isinstance(other, exp.Literal):
        return False
    grows = one.name.upper() in _GROW and kind in (exp.GT, exp.GTE)
    return grows or (one.name.upper() in _FALL and kind in (exp.LT, exp.LTE))
