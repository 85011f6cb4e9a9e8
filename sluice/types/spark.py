"""What Spark stores for each type, as DDL text (no Spark is imported here)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice.types import encoded
from sluice.types import model as m
from sluice.types.semistructured import Json, is_typed
from sluice.types.states import STATES, base

if TYPE_CHECKING:
    from collections.abc import Callable


def spark_type(type_: m.Type) -> str:
    """The Spark SQL type that holds every value of `type_`.

    Unsigned numbers take the next wider signed type, UInt64 takes DECIMAL(20,0); their ranges are
    checked where values come in. A time of day is its text, `12:30:00` with as many digits of a
    second as its type has, so that it is ordered and compared rightly. Values that have types of
    their own, and what holds such, are a text that ClickHouse makes of them.
    """
    return "STRING" if is_typed(type_) else _SPARK[type(type_)](type_)


def _state(type_: m.AggregateState) -> str:
    """What Spark stores for a state."""
    function = base(type_.function)
    state = STATES[function]
    kept = state.kept([spark_type(each) for each in type_.args] or [""])
    return f"STRUCT<`{function}`: {kept}>"


_INTS = {8: "TINYINT", 16: "SMALLINT", 32: "INT", 64: "BIGINT"}
_UNSIGNED = {8: "SMALLINT", 16: "INT", 32: "BIGINT", 64: "DECIMAL(20,0)"}


def _interval(t: m.Interval) -> str:
    first, *last = re.sub(r"\(.*?\)", "", t.fields).split(" TO ")
    return f"INTERVAL {first} TO {last[0]}" if last else f"INTERVAL {first}"


def _struct(t: m.Tuple) -> str:
    fields = (f"`{name.replace('`', '``')}`: {spark_type(type_)}" for name, type_ in t.struct)
    return f"STRUCT<{', '.join(fields)}>"


_SPARK: dict[type[m.Type], Callable[[Any], str]] = {
    m.Int: lambda t: (_INTS if t.signed else _UNSIGNED)[t.bits],
    m.Float: lambda t: "DOUBLE" if t.bits == 64 else "FLOAT",
    m.Decimal: lambda t: f"DECIMAL({t.precision},{t.scale})",
    m.Bool: lambda t: "BOOLEAN",
    m.String: lambda t: "STRING",
    m.FixedString: lambda t: "STRING",
    m.Uuid: lambda t: "STRING",
    m.Date: lambda t: "DATE",
    m.DateTime: lambda t: "TIMESTAMP",
    m.LocalDateTime: lambda t: "TIMESTAMP_NTZ",
    m.TimeOfDay: lambda t: "STRING",
    m.Interval: _interval,
    m.Text: lambda t: "STRING",
    m.Bytes: lambda t: "BINARY",
    m.Enum: lambda t: "STRING",
    m.Array: lambda t: f"ARRAY<{spark_type(t.item)}>",
    m.Map: lambda t: f"MAP<{spark_type(t.key)}, {spark_type(t.value)}>",
    m.Multiset: lambda t: f"MAP<{spark_type(t.item)}, INT>",
    m.Tuple: _struct,
    m.Nothing: lambda t: "VOID",
    m.Nullable: lambda t: spark_type(t.item),
    m.LowCardinality: lambda t: spark_type(t.item),
    m.SimpleAggregate: lambda t: spark_type(t.item),
    m.AggregateState: _state,
    Json: lambda t: "STRING",
    **dict.fromkeys(encoded.TYPES, lambda t: t.stored),
}
