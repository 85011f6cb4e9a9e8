"""Types that are others under a name of their own: Nested, and ClickHouse's geometric ones."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from sluice.types import model as m
from sluice.types.semistructured import Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

_NESTED = "Nested("


_FLATTENS: ContextVar[bool] = ContextVar("flatten_nested", default=True)


@contextmanager
def flattening(flattens: bool) -> Iterator[None]:
    """Let columns of type Nested be several arrays, or one array of tuples."""
    token = _FLATTENS.set(flattens)
    try:
        yield
    finally:
        _FLATTENS.reset(token)


def nested(items: m.Tuple) -> m.Array:
    """`Nested(a T, …)`: an array of tuples. A column of it is one array for each name."""
    return m.Array(items, f"{_NESTED}{items.elements})")


def flattened(name: str, type_: m.Type) -> dict[str, m.Type]:
    """The columns that a column of a type is stored as: `n.a`, `n.b` for one of type Nested."""
    if not isinstance(type_, m.Array) or not type_.alias.startswith(_NESTED):
        return {name: type_}
    assert isinstance(type_.item, m.Tuple)  # noqa: S101 - as `nested` makes them
    if not _FLATTENS.get():
        return {name: m.Array(type_.item)}
    return {f"{name}.{part}": m.Array(each) for part, each in type_.item.struct}


_POINT = m.Tuple((m.Float(64), m.Float(64)), alias="Point")
_RING, _LINE = m.Array(_POINT, "Ring"), m.Array(_POINT, "LineString")
_LINES, _POLYGON = m.Array(_LINE, "MultiLineString"), m.Array(_RING, "Polygon")

ALIASED: dict[str, m.Tuple | m.Array] = {
    type_.alias: type_
    for type_ in (_POINT, _RING, _LINE, _LINES, _POLYGON, m.Array(_POLYGON, "MultiPolygon"))
}
"""The geometric types, by their names."""

GEOMETRY = Variant(tuple(ALIASED[name] for name in sorted(ALIASED)), "Geometry")
