"""How the parts of a query behave as streams, put together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice.plan.streaming import STILL, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence


def together(shapes: Sequence[Shape], *, joined: bool) -> Shape:
    """Several inputs as one: behind UNION ALL, or `joined`, which keeps the rows of streams."""
    streams = [shape for shape in shapes if shape.stream]
    if not streams:
        return STILL
    keeps = joined and len(streams) > 1
    updating = next((shape for shape in streams if shape.updating), None)
    alone = updating is not None and len(shapes) == 1
    return Shape(
        stream=True,
        stateful=keeps or any(shape.stateful for shape in streams),
        updating=updating is not None,
        key=updating.key if alone and updating else None,
        bounded_state=not keeps and all(shape.bounded_state for shape in streams),
        why=updating.why if updating else "",
    )


def grouped(shape: Shape, key: tuple[str, ...] | None, why: str, *, windowed: bool) -> Shape:
    """Behind an aggregation: a window's rows are final, those of other groups change."""
    if not shape.stream:
        return shape
    if windowed:
        return replace(shape, stateful=True)
    return replace(shape, stateful=True, updating=True, key=key, bounded_state=False, why=why)


def distinct(shape: Shape) -> Shape:
    """Behind DISTINCT: each row comes once, and is kept for ever."""
    return replace(shape, stateful=True, bounded_state=False) if shape.stream else shape
