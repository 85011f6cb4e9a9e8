"""Columns whose values Spark passes on without looking into them: where a query may use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import calls, places
from sluice.types.semistructured import OPAQUE, is_opaque, is_typed

if TYPE_CHECKING:
    from sluice.types import Type

_PASSING = frozenset({"any", "anyLast", "argMin", "argMax", "first_value", "last_value"})
"""Aggregate functions whose result is their first argument of one of the rows."""

_HINT = "SELECT from the table that the rows go to: ClickHouse answers that."


def check(type_: Type, node: exp.Expr) -> None:
    """Make sure that a name of an opaque type is passed on: selected, picked or unfolded.

    Raises:
        SluiceError: OPAQUE_TYPE.
    """
    if not is_opaque(type_) or _passes(node):
        return
    user = node.parent
    what = calls.written(user).name if isinstance(user, exp.Anonymous) else "An expression"
    place = places.of_node(node)
    raise errors.OPAQUE_TYPE(what=f"{what} over {node.sql()}", type=type_, hint=_HINT, place=place)


def check_part(type_: Type, part: str) -> None:
    """Refuse a part of a value.

    Raises:
        SluiceError: OPAQUE_TYPE.
    """
    if isinstance(type_, OPAQUE) or is_typed(type_):
        hint = "Take it out of a String with JSONExtract, or SELECT it from the target table."
        raise errors.OPAQUE_TYPE(what=f"The part {part} of a column", type=type_, hint=hint)


def _passes(node: exp.Expr) -> bool:
    user = node.parent
    while isinstance(user, exp.Paren | exp.Alias):
        node, user = user, user.parent
    if user is None:
        return True
    if isinstance(user, exp.Select):
        return node.arg_key == "expressions" and not user.args.get("distinct")
    if isinstance(user, exp.Join):
        return user.kind == "ARRAY"
    if isinstance(user, exp.Anonymous) and user.name in _PASSING:
        return node.index == 0 and _passes(user)
    return False
