"""HAVING over groups that change: a row that once passed must not fail later."""

from __future__ import annotations

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.flink.joins import conjuncts

_GROW = frozenset({"COUNT", "MAX", "APPROX_COUNT_DISTINCT"})
_FALL = frozenset({"MIN"})
_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GT, exp.LTE: exp.GTE, exp.GT: exp.LT, exp.GTE: exp.LTE,
}  # fmt: skip


def check_having(node: exp.Expr) -> None:
    """Refuse a condition that a group can meet now and not meet later.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT.
    """
    for each in conjuncts(node):
        if not _stays(each):
            raise errors.UNSUPPORTED_STATEMENT(
                what="HAVING that may be false again later, on an unbounded stream,",
                hint=(
                    "The row would have to be taken back. COUNT(…) > 1, MAX(…) > 1 and MIN(…) < 1 "
                    "stay true."
                ),
                place=places.of_node(each),
            )


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
