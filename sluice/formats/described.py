"""Types as our Java reads them: one row of the table for each type."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sluice.types import bare, is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Columns = Sequence[tuple[str, m.Type]]


def columns(given: Columns) -> str:
    """A table's columns, for a decoder."""
    return json.dumps([{"column": name, "type": describe(type_)} for name, type_ in given])


def describe(type_: m.Type) -> dict[str, Any]:
    """A type with its name for errors."""
    inner = bare(type_)
    parts = {"name": str(inner), "nullable": is_nullable(type_)}
    return parts | _DESCRIBE[type(inner)](inner)


def _whole(type_: m.Int) -> dict[str, Any]:
    if type_.high >= 1 << 63:
        return {"kind": "unsigned64"}
    bits = type_.bits if type_.signed else 2 * type_.bits  # what Spark holds it in
    return {"kind": "whole", "bits": bits, "low": type_.low, "high": type_.high}


def _parts(type_: m.Tuple) -> dict[str, Any]:
    return {"kind": "parts", "items": [describe(i) for i in type_.items], "names": type_.names}


_DESCRIBE: dict[type[m.Type], Callable[[Any], dict[str, Any]]] = {
    m.Int: _whole,
    m.Float: lambda t: {"kind": "floating", "bits": t.bits},
    m.Decimal: lambda t: {"kind": "exact", "precision": t.precision, "scale": t.scale},
    m.Bool: lambda t: {"kind": "bool"},
    m.String: lambda t: {"kind": "text"},
    m.FixedString: lambda t: {"kind": "fixed", "length": t.length},
    m.Uuid: lambda t: {"kind": "uuid"},
    m.Date: lambda t: {"kind": "day"},
    m.DateTime: lambda t: {
        "kind": "instant",
        "precision": -1 if t.precision is None else t.precision,
        "zone": t.zone,
    },
    m.Enum: lambda t: {"kind": "choice", "values": t.values},
    m.Array: lambda t: {"kind": "items", "item": describe(t.item)},
    m.Map: lambda t: {"kind": "pairs", "key": describe(t.key), "value": describe(t.value)},
    m.Tuple: _parts,
}
