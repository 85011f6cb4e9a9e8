"""JSON in text: a path of keys and positions (from 1, or from the end) leads to a value.

`JSON…` functions parse the whole document; `simpleJSON…` look for the first `"key":` and take what
follows it, which must be without blanks. Both do so in Java (`JsonPaths`, `SimpleJson`).
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.formats.described import describe
from sluice.sql.clickhouse.casts import to_string
from sluice.sql.clickhouse.functions.conversions import type_named
from sluice.sql.clickhouse.promotion import derived, uncoded
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, STRING, ULONG, Value
from sluice.sql.core.functions import special
from sluice.sql.core.spark import ATOM, Sql, string
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.sql.clickhouse.functions.model import Call, Scalar
    from sluice.types import Type

_TEXTS = m.Array(STRING)


def path_of(call: Call, last: int) -> Sql:
    """The arguments from the second up to `last` as a path: `k` and a key, `i` and a position."""
    steps: list[Sql] = []
    for n in range(1, last):
        step = call.arg(n)
        if isinstance(step.literal, str | int):
            mark = "k" if isinstance(step.literal, str) else "i"
            steps.append(string(f"{mark}{step.literal}"))
        elif step.is_a(m.Int):
            steps.append(Sql("concat('i', CAST(:0 AS STRING))", step.sql))
        elif step.is_a(m.String, m.FixedString):
            steps.append(Sql("concat('k', :0)", to_string(step).sql))
        else:
            reason = f"Argument {n + 1} of {call.name} must be a key or a position"
            raise call.wrong(reason=reason)
    path = Sql("array(:*)", *steps) if steps else Sql("CAST(array() AS ARRAY<STRING>)")
    for n in range(1, last):
        if is_nullable(call.arg(n).type):
            path = Sql("if(:0 IS NULL, NULL, :1)", call.arg(n).sql, path)
    return path


def _result(call: Call, sql: Sql, type_: Type, *, logical: bool = False) -> Value:
    """A result that is Nullable if an argument is, and never LowCardinality."""
    plain = [replace(arg, type=uncoded(arg.type)) for arg in call.args()]
    return Value(sql, derived(type_, plain), logical=logical)


def _extractor(function: str, type_: Type, *, logical: bool = False) -> Scalar:
    def build(call: Call) -> Value:
        text = call.arg(0)
        if isinstance(type_, m.Array) and is_nullable(text.type):
            raise _array_of_null(call, type_)
        sql = Sql(f"sluice_ch_{function}(:0, :1)", text.sql, path_of(call, call.count))
        return _result(call, sql, type_, logical=logical)

    return special(1, None, derives=False)(build)


def _array_of_null(call: Call, type_: Type) -> errors.SluiceError:
    reason = f"{call.name} of a Nullable text: {type_} cannot be inside Nullable"
    hint = f"Give it a text that is never NULL: {call.name}(ifNull(x, ''), …)."
    return errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint, place=call.place)


def _simple(function: str, type_: Type, *, logical: bool = False) -> Scalar:
    def build(call: Call) -> Value:
        key = string(call.literal(1))
        sql = Sql(f"sluice_ch_{function}(:0, :1)", call.arg(0).sql, key)
        return Value(sql, type_, logical=logical)

    return special(2, doc="JSON without blanks; the key is written out")(build)


_RESULTS: dict[str, tuple[Type, bool]] = {
    "String": (STRING, False),
    "Int": (LONG, False),
    "UInt": (ULONG, False),
    "Float": (DOUBLE, False),
    "Bool": (BYTE, True),
    "Raw": (STRING, False),
}
"""What can be extracted: its type, and whether Spark has a BOOLEAN for it."""

FUNCTIONS: dict[str, Scalar] = {
    **{
        f"JSONExtract{name}": _extractor(f"json{name.lower()}", type_, logical=logical)
        for name, (type_, logical) in _RESULTS.items()
    },
    **{
        f"simpleJSONExtract{name}": _simple(f"simple{name.lower()}", type_, logical=logical)
        for name, (type_, logical) in _RESULTS.items()
    },
    "simpleJSONHas": _simple("simplehas", BYTE, logical=True),
    "JSONHas": _extractor("jsonhas", BYTE, logical=True),
    "JSONLength": _extractor("jsonlength", ULONG),
    "JSONExtractKeys": _extractor("jsonkeys", _TEXTS),
    "JSONExtractArrayRaw": _extractor("jsonarrayraw", _TEXTS),
    "isValidJSON": special(1, derives=False)(
        lambda call: _result(
            call, Sql("sluice_ch_jsonisvalid(:0)", call.arg(0).sql), BYTE, logical=True
        )
    ),
}
FUNCTIONS |= {
    f"visitParam{name.removeprefix('simpleJSON')}": function
    for name, function in FUNCTIONS.items()
    if name.startswith("simpleJSON")
}

_EXTRACTED = (
    m.String, m.FixedString, m.Int, m.Float, m.Bool, m.Decimal, m.Date, m.DateTime, m.Enum, m.Uuid,
    m.Array, m.Map, m.Tuple,
)  # fmt: skip


def _refused(type_: Type) -> Type | None:
    """A part of a type that cannot be extracted, None if there is none."""
    kind = bare(type_)
    match kind:
        case m.Array(item):
            return _refused(item)
        case m.Map(key, value):
            return _refused(value) if isinstance(bare(key), m.String) else kind
        case m.Tuple(items):
            return next((bad for item in items if (bad := _refused(item))), None)
        case _:
            return None if isinstance(kind, _EXTRACTED) else kind


@special(
    2,
    None,
    derives=False,
    doc="the last argument is a type; what is missing or does not fit is its default",
)
def _extract(call: Call) -> Value:
    type_ = type_named(call, call.literal(call.count - 1))
    if bad := _refused(type_):
        reason = f"JSONExtract cannot extract a {bad}"
        hint = "Extract a String and convert it."
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint, place=call.place)
    if isinstance(bare(type_), m.Array | m.Map | m.Tuple) and is_nullable(call.arg(0).type):
        raise _array_of_null(call, type_)
    args = call.arg(0).sql, path_of(call, call.count - 1), string(json.dumps(describe(type_)))
    row = string(f"`v` {spark_type(type_)}")
    sql = Sql("sluice_ch_jsonextract(:0, :1, :2, :3).`v`", *args, row, rank=ATOM)
    return _result(call, sql, type_)


FUNCTIONS["JSONExtract"] = _extract
