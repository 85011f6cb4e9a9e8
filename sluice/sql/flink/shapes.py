"""How the parts of a query behave as streams, put together; what cannot be is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.relation import STILL, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.errors import Place


class NeedsChangelogError(Exception):
    """Raised while a query over streams is lowered: its rows have to be retracted later."""


class NeedsNormalizeError(Exception):
    """Raised while a query over a changelog by key is lowered: it needs the rows replaced."""


def united(shapes: Sequence[Shape], place: Place | None) -> Shape:
    """UNION ALL: all of them are streams, or none is."""
    if len({shape.stream for shape in shapes}) > 1:
        what = "UNION of a stream with rows that end"
        hint = "Write the stored rows to the sink by an INSERT of their own."
        raise errors.UNSUPPORTED_ON_STREAM(operation=what, hint=hint, place=place)
    for shape in shapes:
        settled(shape)
    if not shapes[0].stream:
        return replace(STILL, stateful=any(shape.stateful for shape in shapes))
    return Shape(
        stream=True,
        stateful=any(shape.stateful for shape in shapes),
        bounded_state=all(shape.bounded_state for shape in shapes),
        closes=any(shape.closes for shape in shapes),
    )


def settled(shape: Shape) -> None:
    """Make sure that the rows which something reads do not change later.

    Raises:
        NeedsChangelogError: they do.
    """
    if shape.updating:
        raise NeedsChangelogError


def grouped(
    shape: Shape,
    key: tuple[str, ...] | None,
    why: str,
    *,
    windowed: bool,
    place: Place | None,
) -> Shape:
    """After an aggregation: a window's rows are final, those of other groups change."""
    settled(shape)
    shape = replace(shape, stateful=True)
    if not shape.stream:
        return shape
    if windowed:
        return replace(shape, closes=True)
    if shape.closes:
        name = why.partition("(")[0]
        what = f"{name} without a window, over rows that a window or join emits at its end"
        hint = (
            "After a window or an outer join every row is final; also group by window_start and "
            "window_end, or write to a table first."
        )
        raise errors.UNSUPPORTED_ON_STREAM(operation=what, hint=hint, place=place)
    return replace(shape, updating=True, key=key, bounded_state=False, why=why)


def distinct(shape: Shape, *, bounded: bool = False) -> Shape:
    """After DISTINCT: each row comes once, and is kept for ever unless its window ends."""
    settled(shape)
    keeps = shape.stream and not bounded
    return replace(shape, stateful=True, bounded_state=shape.bounded_state and not keeps)


def renamed(shape: Shape, names: Mapping[str, str]) -> Shape:
    """After a projection: the keys under their new names, those that are complete."""
    if not shape.keys:
        return shape
    found = [key for each in shape.keys if (key := _named(each, names)) is not None]
    return replace(shape, key=found[0] if found else None, also=tuple(found[1:]))


def _named(key: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...] | None:
    return tuple(names[n] for n in key) if all(name in names for name in key) else None


def must_end(shape: Shape, what: str, place: Place | None) -> None:
    """Refuse what has to see all rows first."""
    if shape.stream:
        hint = "A stream has no end; use a window, or set 'scan.bounded.mode' on the table."
        raise errors.UNSUPPORTED_ON_STREAM(
            operation=f"{what} on an unbounded stream", hint=hint, place=place
        )
