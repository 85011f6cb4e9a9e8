"""How the parts of a query behave as streams, put together; what cannot be is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.plan.streaming import STILL, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.errors import Place

_RETRACT = "Rows that were given out would have to be taken back, which cannot be done yet."


def united(shapes: Sequence[Shape], place: Place | None) -> Shape:
    """UNION ALL: all of them are streams, or none is."""
    if len({shape.stream for shape in shapes}) > 1:
        what = "UNION of a stream with rows that end"
        hint = "Write the stored rows to the sink by an INSERT of their own."
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)
    for shape in shapes:
        settled(shape, "UNION", place)
    if not shapes[0].stream:
        return replace(STILL, stateful=any(shape.stateful for shape in shapes))
    return Shape(
        stream=True,
        stateful=any(shape.stateful for shape in shapes),
        bounded_state=all(shape.bounded_state for shape in shapes),
        closes=any(shape.closes for shape in shapes),
    )


def settled(shape: Shape, consumer: str, place: Place | None) -> None:
    """Refuse what would read rows that change later, in Flink's words."""
    if shape.updating:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"{consumer} over update changes which is produced by node {shape.why}",
            hint=_RETRACT,
            place=place,
        )


def grouped(
    shape: Shape,
    key: tuple[str, ...] | None,
    why: str,
    *,
    windowed: bool,
    place: Place | None,
) -> Shape:
    """Behind an aggregation: a window's rows are final, those of other groups change."""
    settled(shape, why.partition("(")[0], place)
    shape = replace(shape, stateful=True)
    if not shape.stream:
        return shape
    if windowed:
        return replace(shape, closes=True)
    if shape.closes:
        what = f"{why.partition('(')[0]} without a window over rows that come when time is up"
        hint = (
            "Behind windows and outer joins Spark gives rows out once and for all; group by "
            "window_start and window_end too, or write to a table first."
        )
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=place)
    return replace(shape, updating=True, key=key, bounded_state=False, why=why)


def distinct(shape: Shape, place: Place | None, *, bounded: bool = False) -> Shape:
    """Behind DISTINCT: each row comes once, and is kept for ever unless its window ends."""
    settled(shape, "DISTINCT", place)
    keeps = shape.stream and not bounded
    return replace(shape, stateful=True, bounded_state=shape.bounded_state and not keeps)


def renamed(shape: Shape, names: Mapping[str, str]) -> Shape:
    """Behind a projection: the key under its new names, if all of it is there."""
    if shape.key is None:
        return shape
    there = all(name in names for name in shape.key)
    return replace(shape, key=tuple(names[n] for n in shape.key) if there else None)


def must_end(shape: Shape, what: str, place: Place | None) -> None:
    """Refuse what has to see all rows first."""
    if shape.stream:
        hint = "A stream has no end; use a window, or set 'scan.bounded.mode' on the table."
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"{what} on an unbounded stream", hint=hint, place=place
        )
