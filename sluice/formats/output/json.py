"""The JSON family."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sluice.formats.output import value_text
from sluice.formats.output.escapes import json_quoted, raw
from sluice.types import bare
from sluice.types import model as m
from sluice.types.semistructured import OPAQUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.formats.output.value_text import Writer
    from sluice.formats.result import Result, ResultColumn


def typed(type_: m.Type, depth: int | None = None) -> Writer:
    """Numbers as numbers, arrays as arrays; `depth` tabs of indentation, or all on one line."""
    inner = bare(type_)
    if type(inner) in _NESTED:
        write = _NESTED[type(inner)](inner, depth)
    elif isinstance(inner, m.Float):
        write = _finite(value_text.scalar_text(inner))
    elif value_text.is_textual(inner):
        text = value_text.scalar_text(inner)
        write = json_quoted if text is raw else lambda value: json_quoted(text(value))
    else:
        write = value_text.scalar_text(inner)
    return lambda value: "null" if value is None else write(value)


def as_string(type_: m.Type, depth: int | None = None) -> Writer:
    """Every value as a JSON string that holds its text."""
    text = value_text.writer(type_, value_text.SHOWN)
    return lambda value: json_quoted(text(value))


def document(table: Result, *, compact: bool = False, strings: bool = False) -> Iterator[str]:
    """One object with `meta`, `data` and `rows`."""
    yield '{\n\t"meta":\n\t[\n' + ",\n".join(map(_meta, table.columns)) + "\n\t],\n\n"
    yield '\t"data":\n\t[\n'
    make = as_string if strings else typed
    row_text = _compact_row(table, make) if compact else _indented_row(table, make)
    before = "\t\t"
    for row in table.rows:
        yield before + row_text(row)
        before = ",\n\t\t"
    yield f'\n\t],\n\n\t"rows": {len(table.rows)}\n}}\n'


def each_row(table: Result, *, strings: bool = False) -> Iterator[str]:
    """One object per line."""
    make = as_string if strings else typed
    fields = [(json_quoted(c.name) + ":", make(c.type)) for c in table.columns]
    for row in table.rows:
        yield "{" + ",".join([n + w(v) for (n, w), v in zip(fields, row, strict=True)]) + "}\n"


def compact_each_row(
    table: Result, *, strings: bool = False, names: bool = False, types: bool = False
) -> Iterator[str]:
    """One array per line, with the names and the types of the columns above when asked."""
    if names:
        yield "[" + ", ".join(json_quoted(c.name) for c in table.columns) + "]\n"
    if types:
        yield "[" + ", ".join(json_quoted(c.type_name) for c in table.columns) + "]\n"
    row_text = _compact_row(table, as_string if strings else typed)
    for row in table.rows:
        yield row_text(row) + "\n"


def _meta(column: ResultColumn) -> str:
    name, type_ = json_quoted(column.name), json_quoted(column.type_name)
    return f'\t\t{{\n\t\t\t"name": {name},\n\t\t\t"type": {type_}\n\t\t}}'


def _compact_row(table: Result, make: Callable[[m.Type], Writer]) -> Callable[[Any], str]:
    writers = [make(c.type) for c in table.columns]
    return lambda row: "[" + ", ".join([w(v) for w, v in zip(writers, row, strict=True)]) + "]"


def _indented_row(table: Result, make: Callable[[m.Type, int], Writer]) -> Callable[[Any], str]:
    fields = [(f"\t\t\t{json_quoted(c.name)}: ", make(c.type, 3)) for c in table.columns]
    return lambda row: (
        "{\n" + ",\n".join([n + w(v) for (n, w), v in zip(fields, row, strict=True)]) + "\n\t\t}"
    )


def _finite(write: Writer) -> Writer:
    """JSON has no word for infinity and not-a-number."""
    return lambda value: write(value) if math.isfinite(value) else "null"


def _wrapper(opening: str, closing: str, depth: int | None) -> Callable[[list[str]], str]:
    if depth is None:
        return lambda parts: opening + ",".join(parts) + closing
    inside, outside = "\n" + "\t" * (depth + 1), "\n" + "\t" * depth
    between = "," + inside
    return lambda parts: (
        opening + inside + between.join(parts) + outside + closing if parts else opening + closing
    )


def _deeper(depth: int | None) -> int | None:
    return None if depth is None else depth + 1


def _array(type_: m.Array, depth: int | None) -> Writer:
    item, wrap = typed(type_.item, _deeper(depth)), _wrapper("[", "]", depth)
    return lambda items: wrap([item(v) for v in items])


def _map(type_: m.Map, depth: int | None) -> Writer:
    key, value = as_string(type_.key), typed(type_.value, _deeper(depth))
    wrap, colon = _wrapper("{", "}", depth), ":" if depth is None else ": "
    return lambda pairs: wrap([key(k) + colon + value(v) for k, v in pairs.items()])


def _tuple(type_: m.Tuple, depth: int | None) -> Writer:
    """A tuple with names is an object, one without is an array."""
    items = [typed(item, _deeper(depth)) for item in type_.items]
    colon = ":" if depth is None else ": "
    names = [json_quoted(n) + colon for n in type_.names] if type_.names else [""] * len(items)
    wrap = _wrapper("{", "}", depth) if type_.names else _wrapper("[", "]", depth)
    fields = list(zip(names, items, strict=True))
    return lambda row: wrap([n + w(v) for (n, w), v in zip(fields, row, strict=True)])


def _multiset(type_: m.Multiset, depth: int | None) -> Writer:
    return _map(m.Map(type_.item, m.Int(32)), depth)


def _own(_: m.Type, depth: int | None) -> Writer:
    """A value that has a type of its own, on one line."""
    return lambda v: json_quoted(v) if isinstance(v, str) else value_text.document(v)


_NESTED: dict[type[m.Type], Callable[[Any, int | None], Writer]] = {
    m.Array: _array,
    m.Map: _map,
    m.Tuple: _tuple,
    m.Multiset: _multiset,
    **dict.fromkeys(OPAQUE, _own),
}
