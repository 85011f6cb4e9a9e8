"""Types as our Java reads them: one row of the table for each type."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from sluice.types import bare, encoded, is_nullable
from sluice.types import model as m
from sluice.types.semistructured import Dynamic, Json, Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    Columns = Sequence[tuple[str, m.Type]]
    Optional = Collection[str]
    Spelling = Callable[[m.Type], str]
    Describe = Callable[[m.Type], dict[str, Any]]


def columns(given: Columns, spell: Spelling = str, optional: Optional = ()) -> str:
    """A table's columns, for a decoder; `spell` gives types their names for errors.

    Those that are `optional` are NULL where nothing is given for them. One that may be NULL itself
    is wrapped in a struct, to tell the two apart.
    """
    return json.dumps([_column(name, type_, spell, name in optional) for name, type_ in given])


def _column(name: str, type_: m.Type, spell: Spelling, optional: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"column": name, "type": describe(type_, spell)}
    if optional and is_nullable(type_):
        found["wrapped"] = True
    elif optional:
        found["type"] |= {"nullable": True, "required": True}
    return found


def describe(type_: m.Type, spell: Spelling = str) -> dict[str, Any]:
    """A type with its name for errors; one of the ClickHouse dialect as it is declared, too."""
    inner = bare(type_)
    parts = {"name": spell(inner), "nullable": is_nullable(type_)}
    if spell is str:
        parts["declared"] = str(type_)
    return parts | _DESCRIBE[type(inner)](inner, partial(describe, spell=spell))


def _whole(type_: m.Int, _: Describe) -> dict[str, Any]:
    if type_.high >= 1 << 63:
        return {"kind": "unsigned64"}
    bits = type_.bits if type_.signed else 2 * type_.bits  # what Spark holds it in
    return {"kind": "whole", "bits": bits, "low": type_.low, "high": type_.high}


def _parts(type_: m.Tuple, of: Describe) -> dict[str, Any]:
    return {"kind": "parts", "items": [of(i) for i in type_.items], "names": type_.names}


def _json(type_: Json, of: Describe) -> dict[str, Any]:
    paths = [(path, of(inner)) for path, inner in type_.paths]
    parts = {"skipped": type_.skipped, "patterns": type_.patterns}
    return {"kind": "json", "paths": paths, **parts}


def _typed(type_: m.Type, _: Describe) -> dict[str, Any]:
    """What is stored of it is a text, which its own type is needed for."""
    return {"kind": "text", "nullable": True, "typed": str(type_)}


def _interval(type_: m.Interval, _: Describe) -> dict[str, Any]:
    return {"kind": "interval", "months": type_.fields.startswith(("YEAR", "MONTH"))}


_DESCRIBE: dict[type[m.Type], Callable[[Any, Describe], dict[str, Any]]] = {
    m.Int: _whole,
    m.Float: lambda t, _: (
        {"kind": "bfloat16"} if t.bits == 16 else {"kind": "floating", "bits": t.bits}
    ),
    m.Decimal: lambda t, _: {"kind": "exact", "precision": t.precision, "scale": t.scale},
    m.Bool: lambda t, _: {"kind": "bool"},
    m.String: lambda t, _: {"kind": "text"},
    m.Text: lambda t, _: {"kind": "text"},
    m.FixedString: lambda t, _: {"kind": "fixed", "length": t.length},
    m.Bytes: lambda t, _: {"kind": "bytes"},
    m.Uuid: lambda t, _: {"kind": "uuid"},
    m.Date: lambda t, _: {"kind": "day", "wide": t.wide},
    m.TimeOfDay: lambda t, _: {"kind": "clock", "precision": t.precision},
    m.DateTime: lambda t, _: {
        "kind": "instant",
        "precision": -1 if t.precision is None else t.precision,
        "zone": t.zone,
    },
    m.LocalDateTime: lambda t, _: {"kind": "local", "precision": t.precision},
    m.Interval: _interval,
    m.Enum: lambda t, _: {"kind": "choice", "bits": t.bits, "values": t.values},
    m.Array: lambda t, of: {"kind": "items", "item": of(t.item)},
    m.Map: lambda t, of: {"kind": "pairs", "key": of(t.key), "value": of(t.value)},
    m.Multiset: lambda t, of: {
        "kind": "pairs",
        "key": of(t.item),
        "value": of(m.Nullable(m.Int(32))),
    },
    m.Tuple: _parts,
    m.Nothing: lambda t, _: {"kind": "nothing"},
    Json: _json,
    Variant: _typed,
    Dynamic: _typed,
    **dict.fromkeys(encoded.TYPES, lambda t, _: {"kind": "encoded", "type": str(t)}),
}
