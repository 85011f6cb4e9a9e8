"""JSON in text: a path of keys and (from 1) positions leads to a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.clickhouse.functions.conversions import default_of, type_named
from sluice.sql.clickhouse.functions.model import Scalar, special
from sluice.sql.clickhouse.spark import Sql, string
from sluice.sql.clickhouse.values import BOOL, BYTE, DOUBLE, LONG, STRING, Value
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.clickhouse.functions.model import Call


def path_of(call: Call, last: int) -> Sql:
    """The arguments from the second up to `last` as a path."""
    steps: list[str] = []
    for n in range(1, last):
        step = call.arg(n).literal
        if isinstance(step, int) and step > 0:
            steps.append(f"[{step - 1}]")
        elif isinstance(step, str) and not set(step) & set("'\\]"):
            steps.append(f"['{step}']")
        else:
            what = "a key, or a position from 1, that is written out"
            raise call.wrong(reason=f"Argument {n + 1} of {call.name} must be {what}")
    return string("$" + "".join(steps))


def _text(call: Call, last: int | None = None) -> Sql:
    path = path_of(call, call.count if last is None else last)
    return Sql("get_json_object(:0, :1)", call.arg(0).sql, path)


def _part(call: Call) -> Sql:
    """The value as a VARIANT, NULL if it is not there."""
    text = "try_variant_get(try_parse_json(:0), :1, 'variant')"
    return Sql(text, call.arg(0).sql, path_of(call, call.count))


def _raw(call: Call) -> Sql:
    return Sql("coalesce(to_json(:0), '')", _part(call))


def _extractor(build: Callable[[Sql], Sql], type_: m.Type) -> Scalar:
    return special(1, None)(lambda call: Value(build(_text(call)), type_))


_UINT = m.Int(64, signed=False)
_EXTRACT: dict[str, Scalar] = {
    "String": _extractor(lambda text: Sql("coalesce(:0, '')", text), STRING),
    "Int": _extractor(lambda text: Sql("coalesce(try_cast(:0 AS BIGINT), 0L)", text), LONG),
    "UInt": _extractor(
        lambda text: Sql("coalesce(greatest(try_cast(:0 AS DECIMAL(20,0)), 0), 0)", text), _UINT
    ),
    "Float": _extractor(lambda text: Sql("coalesce(try_cast(:0 AS DOUBLE), 0D)", text), DOUBLE),
    "Bool": _extractor(lambda text: Sql("coalesce(:0 = 'true', false)", text), BOOL),
}

_ITEMS = "try_variant_get(:0, '$', 'array<variant>')"

FUNCTIONS: dict[str, Scalar] = {
    **{f"JSONExtract{name}": function for name, function in _EXTRACT.items()},
    **{f"simpleJSONExtract{name}": function for name, function in _EXTRACT.items()},
    **{f"visitParamExtract{name}": function for name, function in _EXTRACT.items()},
    "JSONExtractRaw": special(1, None)(lambda call: Value(_raw(call), STRING)),
    "JSONHas": special(1, None)(
        lambda call: Value(Sql(":0 IS NOT NULL", _part(call)), BYTE, logical=True)
    ),
    "JSONLength": special(1, None)(lambda call: Value(_length(call), LONG)),
    "JSONExtractKeys": special(1, None)(
        lambda call: Value(
            Sql("coalesce(json_object_keys(:0), array())", _raw(call)), m.Array(STRING)
        )
    ),
    "JSONExtractArrayRaw": special(1, None)(
        lambda call: Value(
            Sql(f"coalesce(transform({_ITEMS}, `_i` -> to_json(`_i`)), array())", _part(call)),
            m.Array(STRING),
        )
    ),
    "isValidJSON": special(1)(
        lambda call: Value(
            Sql("try_parse_json(:0) IS NOT NULL", call.arg(0).sql), BYTE, logical=True
        )
    ),
}
for _prefix in ("simpleJSON", "visitParam"):
    FUNCTIONS[f"{_prefix}Has"] = FUNCTIONS["JSONHas"]
    FUNCTIONS[f"{_prefix}ExtractRaw"] = FUNCTIONS["JSONExtractRaw"]


def _length(call: Call) -> Sql:
    text = "coalesce(json_array_length(:0), size(json_object_keys(:0)), 0)"
    return Sql(text, Sql("nullif(:0, '')", _raw(call)))


@special(2, None, doc="the last argument is a type; what is missing or does not fit is its default")
def _extract(call: Call) -> Value:
    type_ = type_named(call, call.literal(call.count - 1))
    if isinstance(
        bare(type_), m.String | m.Int | m.Float | m.Bool | m.Decimal | m.Date | m.DateTime
    ):
        found = Sql(f"try_cast(:0 AS {spark_type(type_)})", _text(call, call.count - 1))
        default = None if is_nullable(type_) else default_of(type_)
        return Value(Sql("coalesce(:0, :1)", found, default) if default else found, type_)
    schema = string(spark_type(type_))
    return Value(Sql("from_json(:0, :1)", _text(call, call.count - 1), schema), type_)


FUNCTIONS["JSONExtract"] = _extract
