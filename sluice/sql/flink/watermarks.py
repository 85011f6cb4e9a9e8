"""`WATERMARK FOR ts AS ts - INTERVAL '5' SECOND`: how late an event may come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.flink.intervals import milliseconds
from sluice.sql.flink.reading import parse_expression

if TYPE_CHECKING:
    from sluice.errors import Place


def delay_of(column: str, expression: str, place: Place | None = None) -> int:
    """The milliseconds between the latest event and the watermark.

    Raises:
        SluiceError: UNSUPPORTED_CLAUSE for anything but the column itself, or less an INTERVAL.
    """
    tree = parse_expression(expression)
    if _is(tree, column):
        return 0
    if isinstance(tree, exp.Sub) and _is(tree.this, column):
        delay = milliseconds(tree.expression, "WATERMARK", signed=True)
        if delay >= 0:
            return delay
    raise errors.UNSUPPORTED_CLAUSE(
        clause=f"WATERMARK FOR {column} AS {expression}",
        hint=f"Write {column}, or {column} - INTERVAL '5' SECOND",
        place=place,
    )


def _is(node: exp.Expr, column: str) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    return isinstance(node, exp.Column) and ".".join(p.name for p in node.parts) == column
