"""-State, -Merge, -MergeState and -SimpleState at the end of an aggregate function's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse.casts import default_of
from sluice.sql.clickhouse.functions import aggregates
from sluice.sql.clickhouse.functions.model import Call, Scalar, fill
from sluice.sql.clickhouse.functions.units import counted, from_number
from sluice.sql.clickhouse.values import FLOAT, Value
from sluice.sql.core.functions import special
from sluice.sql.core.spark import ATOM, Sql, number, part, string
from sluice.sql.core.values import UNKNOWN
from sluice.types import bare, is_nullable
from sluice.types import model as m
from sluice.types.states import SIMPLE, STATES, base, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.errors import Place
    from sluice.types import Type

STATE, MERGE, MERGE_STATE, SIMPLE_STATE = "State", "Merge", "MergeState", "SimpleState"


@dataclass(frozen=True, slots=True)
class Combined:
    """A function's name without its combinators; -If makes it `conditional`."""

    function: str
    combinator: str
    conditional: bool


def find(called: str) -> Combined | None:
    """The function and the combinator in a name; None if it has none of these."""
    rest = called.removesuffix("If")
    for combinator in (MERGE_STATE, SIMPLE_STATE, MERGE, STATE):
        function = rest.removesuffix(combinator)
        if function == rest:
            continue
        known = SIMPLE if combinator == SIMPLE_STATE else STATES
        if base(function) in known:
            conditional = rest != called or base(function) != function
            if combinator in (MERGE, MERGE_STATE):
                conditional = rest != called
            return Combined(base(function), combinator, conditional)
    return None


def lower(
    combined: Combined,
    called: str,
    args: Sequence[Value],
    params: Sequence[Value],
    place: Place | None,
) -> Value:
    """A call in Spark.

    Raises:
        SluiceError: for arguments that the function does not take.
    """
    function, state = combined.function, STATES[combined.function]
    takes = state.takes if combined.combinator == STATE else 1
    if len(args) != takes and not (takes == 0 and len(args) == 1):
        raise errors.WRONG_ARGUMENT_COUNT(
            function=called, expected=takes, given=len(args), place=place
        )
    literals = tuple(param.literal for param in params)
    if combined.combinator == STATE:
        type_: Type = m.AggregateState(function, literals, tuple(a.settled().type for a in args))
        given = [*args] or [Value(Sql("1", rank=ATOM))]
        build = state_of(function, [arg.type for arg in args]).build
        if state.numbers and args[0].is_a(m.Date):
            given = [counted(args[0])]
        return Value(_packed(function, fill(build, given)), type_)
    kind = args[0].kind
    if kind != UNKNOWN and not (
        isinstance(kind, m.AggregateState) and base(kind.function) == function
    ):
        reason = f"Illegal type {args[0].type} of argument for aggregate function {called}"
        hint = f"It takes a state of type AggregateFunction({function}, …)."
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint, place=place)
    known = kind.args if isinstance(kind, m.AggregateState) else ()
    merge = state_of(function, known).merge
    merged = fill(merge, [Value(part(args[0].sql, function))])
    if combined.combinator == MERGE_STATE:
        return Value(_packed(function, merged), args[0].type)
    return _final(function, merged, kind, params)


def _packed(function: str, kept: Sql) -> Sql:
    return Sql("named_struct(:0, :1)", string(function), kept)


def _final(function: str, kept: Sql, kind: Type, params: Sequence[Value]) -> Value:
    """The function's value; parameters that are not given are those of the state."""
    state, row = STATES[function], aggregates.FUNCTIONS[function]
    written = kind.params if isinstance(kind, m.AggregateState) else ()
    if not params:
        params = [Value(number(str(each))) for each in (written or state.params)]
    kept = Sql("(:0)", kept, rank=ATOM, wrap=False) if kept.rank < ATOM else kept
    args = kind.args if isinstance(kind, m.AggregateState) else ()
    type_ = row.result([Value(kept, each) for each in args]) if args or not state.takes else UNKNOWN
    final = _typed(state.final, type_) if state.numbers else state.final
    sql = fill(final, [Value(kept), *params])
    if type_ == UNKNOWN:
        none = row.empty(type_) if row.empty is not None else None
        return Value(Sql("coalesce(:0, :1)", sql, none) if none is not None else sql)
    default = None if is_nullable(type_) else (row.empty or default_of)(type_)
    full = Sql("coalesce(:0, :1)", sql, default) if default is not None else sql
    return Value(full, type_, bounds=row.bounds)


def _typed(final: str, type_: Type) -> str:
    """The text of a number, or of an array of numbers, that becomes a value of a type."""
    if isinstance(type_, m.Array):
        return f"transform({final}, `_q` -> {_typed('`_q`', type_.item)})"
    kind = bare(type_)
    return f"CAST({final} AS FLOAT)" if kind == FLOAT else from_number(final, kind)


def _finalize(call: Call) -> Value:
    """`finalizeAggregation(state)`: the value of a state."""
    state = call.arg(0)
    kind = state.kind
    if not isinstance(kind, m.AggregateState):
        raise call.wrong(reason=f"{call.name} takes a state of an aggregate function")
    function = base(kind.function)
    return _final(function, part(state.sql, function), kind, ())


FUNCTIONS: dict[str, Scalar] = {"finalizeAggregation": special(1)(_finalize)}
