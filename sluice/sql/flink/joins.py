"""Joins of streams: what Spark keeps for them, and which of them it cannot do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core.spark import COMPARE, Sql
from sluice.sql.flink import shapes, windows
from sluice.sql.flink.times import END, ROWTIME, START
from sluice.sql.relation import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.errors import Place
    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.scope import Source
    from sluice.sql.flink.times import Time
    from sluice.sql.flink.values import Value

WORDS = {"INNER": "InnerJoin", "LEFT": "LeftOuterJoin", "RIGHT": "RightOuterJoin",
          "FULL": "FullOuterJoin"}  # fmt: skip
"""Kinds of joins as Flink's plans show them."""

_BOTH = frozenset({"<", ">"})
_BOUNDS: dict[type[exp.Expr], frozenset[str]] = {
    exp.LT: frozenset("<"), exp.LTE: frozenset("<"), exp.GT: frozenset(">"),
    exp.GTE: frozenset(">"), exp.EQ: _BOTH,
}  # fmt: skip
_TURNED = {"<": ">", ">": "<"}


@dataclass(frozen=True, slots=True)
class Joined:
    """A JOIN: what is to the left of it, and to the right; `equal` are the columns of USING."""

    side: str
    left: list[Source]
    right: Source
    place: Place | None
    on: exp.Expr | None = None
    equal: tuple[tuple[Value, Value], ...] = ()


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
        SluiceError: UNSUPPORTED_ON_STREAM for a join that Spark has no state for.
        NeedsChangelogError: rows of the join have to be retracted.
    """
    right = joined.right.shape
    for each in (left, right):
        shapes.settled(each)
    if not (left.stream or right.stream):
        return replace(left, stateful=True)
    if not (left.stream and right.stream):
        check_stored(joined, left)
        return left if left.stream else right
    conditions = [*conjuncts(joined.on), *conjuncts(where if joined.side == "INNER" else None)]
    facts = [_fact(expressions, joined, each) for each in conditions]
    facts += [
        frozenset({"key"}) | _timed(one.time, other.time, _BOTH) for one, other in joined.equal
    ]
    if not any("key" in fact for fact in facts):
        raise errors.UNSUPPORTED_ON_STREAM(
            operation="A join of streams without an equality between them",
            hint="Add one to ON, such as a.id = b.id, or write USING (id).",
            place=joined.place,
        )
    timed = frozenset[str]().union(*facts) >= _BOTH or bool(same_window(expressions, joined))
    outer = joined.side != "INNER"
    if outer and not timed:
        raise shapes.NeedsChangelogError
    return Shape(
        stream=True,
        stateful=True,
        bounded_state=timed and left.bounded_state and right.bounded_state,
        closes=outer or left.closes or right.closes,
    )


def check_stored(joined: Joined, left: Shape) -> None:
    """Rows of a stream find those of a table as it is now; the table's do not wait for a stream."""
    allowed = ("INNER", "LEFT") if left.stream else ("INNER", "RIGHT")
    if joined.side not in allowed:
        raise errors.UNSUPPORTED_ON_STREAM(
            operation=f"{joined.side} JOIN that keeps the rows of a stored table beside a stream",
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
    one, other = (sides_of(expressions, joined, side) for side in (node.this, node.expression))
    if {one, other} != {"left", "right"}:
        return frozenset()
    found = frozenset({"key"}) if isinstance(node, exp.EQ) else frozenset()
    turned = bounds if one == "left" else frozenset(_TURNED[bound] for bound in bounds)
    times = (_attribute(expressions, node.this), _attribute(expressions, node.expression))
    return found | _timed(times[0], times[1], turned)


def _timed(one: Time | None, other: Time | None, bounds: frozenset[str]) -> frozenset[str]:
    """The bounds of time of a comparison: none unless both sides are rowtime attributes."""
    sides = (one, other)
    both = all(time is not None and time.role == ROWTIME and time.carried for time in sides)
    return bounds if both else frozenset()


def sides_of(expressions: Expressions, joined: Joined, node: exp.Expr) -> str:
    """`left` or `right` if all columns are of that side."""
    found = set()
    for column in node.find_all(exp.Column):
        if len(column.parts) == 1 and column.name in expressions.scope.merged:
            return ""  # a column of USING is one of both sides
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
    """A join of two windows: the columns that carry the watermark are equal too."""
    equal = [(left.time, right.time) for left, right in joined.equal]
    for node in conjuncts(joined.on):
        if isinstance(node, exp.EQ):
            flip = sides_of(expressions, joined, node.this) == "right"
            sides = (node.expression, node.this) if flip else (node.this, node.expression)
            equal.append((_attribute(expressions, sides[0]), _attribute(expressions, sides[1])))
    pairs: dict[str, tuple[Time, Time]] = {}
    for one, other in equal:
        if one is not None and other is not None and one.role == other.role and one.window:
            pairs[one.role] = (one, other)
    if not {START, END} <= set(pairs):
        return []
    before = windows.carrying(joined.left, pairs[END][0].window)
    after = windows.carrying([joined.right], pairs[END][1].window)
    if before is None or after is None:
        return []
    return [Sql(":0 = :1", before.sql, after.sql, rank=COMPARE)]
