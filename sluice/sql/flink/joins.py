"""Joins of streams: what Spark keeps for them, and which of them it cannot do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse.spark import Sql
from sluice.sql.flink import shapes, windows
from sluice.sql.flink.times import END, ROWTIME, START
from sluice.sql.relation import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.errors import Place
    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.scope import Source
    from sluice.sql.flink.times import Time

_WORDS = {"INNER": "InnerJoin", "LEFT": "LeftOuterJoin", "RIGHT": "RightOuterJoin",
          "FULL": "FullOuterJoin"}  # fmt: skip
_BOTH = frozenset({"<", ">"})
_BOUNDS: dict[type[exp.Expr], frozenset[str]] = {
    exp.LT: frozenset("<"), exp.LTE: frozenset("<"), exp.GT: frozenset(">"),
    exp.GTE: frozenset(">"), exp.EQ: _BOTH,
}  # fmt: skip
_TURNED = {"<": ">", ">": "<"}


@dataclass(frozen=True, slots=True)
class Joined:
    """A JOIN: what is to the left of it, and to the right."""

    side: str
    left: list[Source]
    right: Source
    place: Place | None
    on: exp.Expr | None


def conjuncts(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The conditions that all have to hold."""
    stack = [node] if node is not None else []
    while stack:
        found = stack.pop()
        if isinstance(found, exp.Paren):
            stack.append(found.this)
        elif isinstance(found, exp.And):
            stack += [found.expression, found.this]
        else:
            yield found


def shape(expressions: Expressions, left: Shape, joined: Joined, where: exp.Expr | None) -> Shape:
    """How the rows of a join behave.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT for a join that would take rows back, or that Spark has
            no state for.
    """
    right = joined.right.shape
    for each in (left, right):
        shapes.settled(each, "Join", joined.place)
    if not (left.stream or right.stream):
        return replace(left, stateful=True)
    if not (left.stream and right.stream):
        _check_stored(joined, left)
        return left if left.stream else right
    conditions = [*conjuncts(joined.on), *conjuncts(where if joined.side == "INNER" else None)]
    facts = [_fact(expressions, joined, each) for each in conditions]
    if not any("key" in fact for fact in facts):
        raise errors.UNSUPPORTED_STATEMENT(
            what="A join of streams without an equality between them",
            hint="Add one to ON, such as a.id = b.id.",
            place=joined.place,
        )
    timed = frozenset[str]().union(*facts) >= _BOTH or bool(same_window(expressions, joined))
    outer = joined.side != "INNER"
    if outer and not timed:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"Join(joinType=[{_WORDS[joined.side]}]) of streams without bounds of time",
            hint=(
                "Its rows change when a match comes later. Give both tables a WATERMARK, and the "
                "join a condition such as a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts."
            ),
            place=joined.place,
        )
    return Shape(
        stream=True,
        stateful=True,
        bounded_state=timed and left.bounded_state and right.bounded_state,
        closes=outer or left.closes or right.closes,
    )


def _check_stored(joined: Joined, left: Shape) -> None:
    """Rows of a stream find those of a table as it is now; the table's do not wait for a stream."""
    allowed = ("INNER", "LEFT") if left.stream else ("INNER", "RIGHT")
    if joined.side not in allowed:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"{joined.side} JOIN that keeps the rows of a stored table beside a stream",
            hint="Turn it round: the stream is the side whose rows are all kept.",
            place=joined.place,
        )


def _fact(expressions: Expressions, joined: Joined, node: exp.Expr) -> frozenset[str]:
    """What a condition does for a join: `key`, a bound of time to either side, or nothing."""
    if isinstance(node, exp.Between):
        low = _fact(expressions, joined, exp.GTE(this=node.this, expression=node.args["low"]))
        return low | _fact(
            expressions, joined, exp.LTE(this=node.this, expression=node.args["high"])
        )
    bounds = _BOUNDS.get(type(node))
    if bounds is None:
        return frozenset()
    one, other = (_sides(expressions, joined, side) for side in (node.this, node.expression))
    if {one, other} != {"left", "right"}:
        return frozenset()
    found = frozenset({"key"}) if isinstance(node, exp.EQ) else frozenset()
    times = [_attribute(expressions, side) for side in (node.this, node.expression)]
    if all(time is not None and time.role == ROWTIME and time.carried for time in times):
        found |= bounds if one == "left" else frozenset(_TURNED[bound] for bound in bounds)
    return found


def _sides(expressions: Expressions, joined: Joined, node: exp.Expr) -> str:
    """`left` or `right` if all columns are of that side."""
    found = set()
    for column in node.find_all(exp.Column):
        at = expressions.scope.find([part.name for part in column.parts], None)
        if at is not None:
            found.add("right" if at[0] is joined.right else "left")
    return found.pop() if len(found) == 1 else ""


def _attribute(expressions: Expressions, node: exp.Expr) -> Time | None:
    """The time attribute that an expression moves by an INTERVAL, if it is one."""
    columns = list(node.find_all(exp.Column))
    if len(columns) != 1 or not all(
        isinstance(each, exp.Column | exp.Identifier | exp.Add | exp.Sub | exp.Paren | exp.Interval
                   | exp.Literal | exp.Var | exp.IntervalSpan)
        for each in node.walk()
    ):  # fmt: skip
        return None
    return expressions.value(columns[0]).time


def same_window(expressions: Expressions, joined: Joined) -> list[Sql]:
    """A join of two windows: the columns that the watermark is held against are the same too."""
    pairs: dict[str, tuple[Time, Time]] = {}
    for node in conjuncts(joined.on):
        if isinstance(node, exp.EQ):
            times = [_attribute(expressions, side) for side in (node.this, node.expression)]
            one, other = times
            if one is not None and other is not None and one.role == other.role and one.window:
                flip = _sides(expressions, joined, node.this) == "right"
                pairs[one.role] = (other, one) if flip else (one, other)
    if not {START, END} <= set(pairs):
        return []
    left = windows.carrying(joined.left, pairs[END][0].window)
    right = windows.carrying([joined.right], pairs[END][1].window)
    if left is None or right is None:
        return []
    return [Sql(":0 = :1", left.sql, right.sql, rank=40)]
