"""Aggregate and window functions. Every aggregate also has its `…If` form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.sql.clickhouse import promotion
from sluice.sql.clickhouse.casts import to_string
from sluice.sql.clickhouse.functions import quantiles
from sluice.sql.clickhouse.functions.model import Aggregate, Core, aggregate, array_of, same
from sluice.sql.clickhouse.functions.quantiles import nan
from sluice.sql.clickhouse.functions.units import counted, restored
from sluice.sql.clickhouse.ordering import signed
from sluice.sql.clickhouse.values import DOUBLE, FLOAT, LONG, STRING, ULONG, Value
from sluice.sql.core.spark import ATOM, Sql
from sluice.sql.core.values import UNKNOWN
from sluice.types import is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.types import Type


_MODULUS = 1 << 64
_INFINITE = "double('Infinity')"


def _summed(args: Sequence[Value]) -> Type:
    return promotion.summed(args[0].kind) or UNKNOWN


def _own_number(args: Sequence[Value]) -> Type:
    return promotion.own_number(args[0].kind)


def _zero(_: Type) -> Sql:
    return Sql("0", rank=ATOM)


def _ones(type_: Type) -> Sql | None:
    """All bits set."""
    if not isinstance(type_, m.Int):
        return None
    return signed(-1 if type_.signed else type_.high)


def _never(_: Type) -> None:
    """Spark's own result over no rows is ClickHouse's."""


def _count(core: Any, **options: Any) -> Aggregate:
    """A number of rows, of which no table has 2^48."""
    options = {"returns": ULONG, **options}
    return aggregate(core, bounds=(0, 1 << 48), derives=False, empty=_never, **options)


_EXACT = "exact (ClickHouse estimates)"
_ROUGHLY = "off by about 1 %"

_DISTINCT = _count("count(DISTINCT :*)", most=None, doc=_EXACT)
_ESTIMATE = _count("approx_count_distinct(:0, 0.01)", doc=_ROUGHLY)


def _estimated(args: Sequence[Value], _: Sequence[Value]) -> Core:
    none = "nullif(:0, 0)" if is_nullable(args[0].type) else None
    return Core(("approx_count_distinct(:0, 0.01)",), none)


def _estimated_type(args: Sequence[Value]) -> Type:
    """Of Nullable values it is Nullable, unlike that of the other functions of its kind."""
    return promotion.nullable(ULONG) if is_nullable(args[0].type) else ULONG


_COMBINED = _count(_estimated, returns=_estimated_type, doc=_ROUGHLY)


def _wrapped(kind: Type) -> str | None:
    """A sum in BIGINT or DECIMAL as an integer of a type, whose higher bits are cut off."""
    if not isinstance(kind, m.Int):
        return None
    return f"sluice_int{kind.bits}(:0)" if kind.signed else f"pmod(:0, {1 << kind.bits})"


def _sum(kind: Type) -> str:
    """Signed numbers of 64 bits wrap around where they are added."""
    return "sluice_sum(:0#)" if kind == LONG else "sum(:0#)"


def _total(args: Sequence[Value], _: Sequence[Value]) -> Core:
    kind = args[0].kind
    return Core((_sum(kind),), _wrapped(kind) if kind == ULONG else None)


def _overflowing(args: Sequence[Value], _: Sequence[Value]) -> Core:
    """A sum in the type of what is summed."""
    kind = promotion.own_number(args[0].kind)
    if kind == FLOAT:
        return Core((_sum(kind),), "CAST(:0 AS FLOAT)")
    return Core((_sum(kind),), _wrapped(kind))


def _precise(args: Sequence[Value], _: Sequence[Value]) -> Core:
    """Integers and decimals are added exactly, others without a compensation."""
    kind = promotion.own_number(args[0].kind)
    if isinstance(kind, m.Decimal):
        return Core(("sum(:0)",))
    if isinstance(kind, m.Int):
        return Core(("sum(CAST(:0# AS DECIMAL(20,0)))",), "CAST(:0 AS DOUBLE)")
    return Core(("sum(CAST(:0# AS DOUBLE))",))


def _precise_type(args: Sequence[Value]) -> Type:
    return _summed(args) if args[0].is_a(m.Decimal) else DOUBLE


def _average(args: Sequence[Value], _: Sequence[Value]) -> Core:
    """The sum, as `sum` gives it, by the number of values; dates are rounded, to even ones."""
    kind = args[0].kind
    if isinstance(kind, m.Date | m.DateTime):
        mean = restored("rint(try_divide(:0, :1))", kind)
        return Core(("sum(:0)", "count(:0)"), mean, [counted(args[0])])
    if not isinstance(kind, m.Int | m.Decimal):
        return Core((f"avg({_FLOAT})",))
    total = (_wrapped(kind) if kind == ULONG else None) or ":0"
    return Core((_sum(kind), "count(:0)"), f"try_divide(CAST({total} AS DOUBLE), :1)")


def _average_type(args: Sequence[Value]) -> Type:
    return args[0].kind if args[0].is_a(m.Date, m.DateTime) else DOUBLE


_FLOAT = "CAST(:0# AS DOUBLE)"


def _in_float32(args: Sequence[Value]) -> bool:
    return all(arg.kind == FLOAT for arg in args)


def _float_type(args: Sequence[Value]) -> Type:
    return FLOAT if _in_float32(args) else DOUBLE


def _statistical(text: str, outer: str = ":0", takes: int = 1) -> Aggregate:
    """A statistic of numbers, of Float32 itself one."""

    def core(args: Sequence[Value], _: Sequence[Value]) -> Core:
        return Core((text,), f"CAST({outer} AS FLOAT)" if _in_float32(args) else outer)

    return aggregate(core, takes=takes, returns=_float_type, empty=nan)


def _pairs(function: str) -> Aggregate:
    return _statistical(f"{function}({_FLOAT}, CAST(:1# AS DOUBLE))", takes=2)


def _spread(function: str) -> Aggregate:
    """A variance; where it is infinite or no number ClickHouse has 0."""
    return _statistical(f"{function}({_FLOAT})", f"if(:0 >= {_INFINITE}, 0D, :0)")


def _greatest(args: Sequence[Value], _: Sequence[Value]) -> Core:
    """NaN is the greatest Float in Spark, and in ClickHouse none unless there is no other."""
    if args[0].is_a(m.Float):
        return Core(("max(if(isnan(:0), NULL, :0))", "max(:0)"), "coalesce(:0, :1)")
    return Core(("max(:0)",))


def _greatest_by(args: Sequence[Value], _: Sequence[Value]) -> Core:
    by = args[1]
    if by.is_a(m.Float):
        by = Value(Sql(f"if(isnan(:0), -{_INFINITE}, :0)", by.sql))
    return Core((_value_by("max_by", args),), None, [args[0], by])


def _least_by(args: Sequence[Value], _: Sequence[Value]) -> Core:
    return Core((_value_by("min_by", args),))


def _value_by(function: str, args: Sequence[Value]) -> str:
    """The value of the row that an order chooses; a row without a value is none."""
    return _KNOWN_BY.format(function) if is_nullable(args[0].type) else f"{function}(:0, :1)"


_KNOWN_BY = "{}(:0, if(:0 IS NULL, NULL, :1))"


def _different(args: Sequence[Value], params: Sequence[Value]) -> Core:
    """Spark has no sets of maps."""
    if not args[0].is_a(m.Map):
        return Core(("collect_set(:0)",), _CUT if params else None)
    found = "transform(:0, `_m` -> map_from_entries(`_m`))"
    core = ("collect_set(map_entries(:0))",)
    return Core(core, _CUT.replace(":0", found) if params else found)


_CUT = "slice(:0, 1, :1)"


def _all(_: Sequence[Value], params: Sequence[Value]) -> Core:
    return Core(("collect_list(:0)",), _CUT if params else None)


def _collected(core: Any) -> Aggregate:
    """An array of values, of at most so many if a parameter says so."""
    options: dict[str, Any] = {"returns": array_of(0), "empty": _never}
    return aggregate(core, limited=aggregate(core, params=(0,), **options), **options)


def _joined(args: Sequence[Value], params: Sequence[Value]) -> Core:
    """The texts with a delimiter between them; ClickHouse puts none after an empty beginning."""
    texts = "slice(:0, 1, :2)" if params else ":0"
    first = f"array_position(transform({texts}, `_s` -> `_s` <> ''), true)"
    rest = f"slice({texts}, CAST({first} AS INT), {_MANY})"
    delimiter = ":1" if params else "''"
    outer = (
        f"CASE WHEN size(:0) = 0 THEN NULL WHEN {first} = 0 THEN ''"
        f" ELSE array_join({rest}, {delimiter}) END"
    )
    return Core(("collect_list(:0)",), outer, [to_string(args[0])])


_MANY = (1 << 31) - 1


def _bits(function: str, **options: Any) -> Aggregate:
    """An operation on all bits, those of a UInt64 as those of an Int64."""

    def core(args: Sequence[Value], _: Sequence[Value]) -> Core:
        back = f"pmod(CAST(:0 AS DECIMAL(20,0)), {_MODULUS})" if args[0].kind == ULONG else None
        return Core((f"{function}(sluice_int64(:0#))",), back)

    return aggregate(core, returns=_own_number, **options)


def _frequent(args: Sequence[Value], _: Sequence[Value]) -> Core:
    """Spark counts NULL too, and has texts as characters: bytes go through its sketch as digits."""
    if args[0].is_a(m.Array, m.Map, m.Tuple):
        reason = f"Illegal type {args[0].type} of argument for aggregate function topK"
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="Write topK(toString(x)).")
    value, item = ":0", "`_t`.`item`"
    if args[0].is_a(m.String, m.FixedString):
        value, item = "hex(:0)", "CAST(unhex(`_t`.`item`) AS STRING)"
    if not is_nullable(args[0].type):
        return Core((f"approx_top_k({value}, :1)",), f"transform(:0, `_t` -> {item})")
    known = "filter(:0, `_t` -> `_t`.`item` IS NOT NULL)"
    outer = f"slice(transform({known}, `_t` -> {item}), 1, :1)"
    return Core((f"approx_top_k({value}, :1 + 1)",), outer)


def _neighbour(function: str, frame: str) -> Aggregate:
    return aggregate(
        f"{function}(:*)", most=3, window=True, frame=frame, returns=same(0), any_case=True
    )


FUNCTIONS: dict[str, Aggregate] = {
    "count": _count("count(:0)", takes=0, most=1, any_case=True),
    "sum": aggregate(_total, empty=_zero, returns=_summed, any_case=True),
    "sumKahan": aggregate(
        _precise, empty=_zero, returns=_precise_type, doc="without compensation of Floats"
    ),
    "sumWithOverflow": aggregate(_overflowing, returns=_own_number),
    "min": aggregate("min(:0)", ordered="min_by(:0, :1)", returns=same(0), any_case=True),
    "max": aggregate(_greatest, ordered="max_by(:0, :1)", returns=same(0), any_case=True),
    "avg": aggregate(_average, returns=_average_type, empty=nan, any_case=True),
    "any": aggregate("first(:0, true)", returns=same(0)),
    "anyLast": aggregate("last(:0, true)", returns=same(0)),
    "argMin": aggregate(_least_by, ordered=_KNOWN_BY.format("min_by"), takes=2, returns=same(0)),
    "argMax": aggregate(_greatest_by, ordered=_KNOWN_BY.format("max_by"), takes=2, returns=same(0)),
    "uniq": _DISTINCT,
    "uniqExact": _DISTINCT,
    "countDistinct": _DISTINCT,
    "uniqCombined": _COMBINED,
    "uniqCombined64": _COMBINED,
    "uniqHLL12": _ESTIMATE,
    "uniqTheta": _ESTIMATE,
    "groupArray": _collected(_all),
    "groupUniqArray": _collected(_different),
    "groupConcat": aggregate(
        _joined, returns=STRING, limited=aggregate(_joined, params=("", _MANY), returns=STRING)
    ),
    "groupBitAnd": _bits("bit_and", empty=_ones),
    "groupBitOr": _bits("bit_or"),
    "groupBitXor": _bits("bit_xor"),
    **quantiles.FUNCTIONS,
    "topK": aggregate(
        _frequent,
        params=(10,),
        returns=array_of(0),
        empty=_never,
        doc="the most frequent values, estimated",
    ),
    "stddevPop": _spread("stddev_pop"),
    "stddevSamp": _spread("stddev_samp"),
    "varPop": _spread("var_pop"),
    "varSamp": _spread("var_samp"),
    "skewPop": _statistical(f"skewness({_FLOAT})"),
    "corr": _pairs("corr"),
    "covarPop": _pairs("covar_pop"),
    "covarSamp": _pairs("covar_samp"),
    "first_value": aggregate("first(:0, true)", returns=same(0), any_case=True),
    "last_value": aggregate("last(:0, true)", returns=same(0), any_case=True),
    "row_number": _count("row_number()", takes=0, window=True, any_case=True),
    "rank": _count("rank()", takes=0, window=True, any_case=True),
    "dense_rank": _count("dense_rank()", takes=0, window=True, any_case=True),
    "percent_rank": aggregate(
        "percent_rank()", takes=0, window=True, returns=DOUBLE, any_case=True
    ),
    "ntile": _count("ntile(:0)", window=True, any_case=True),
    "nth_value": aggregate(
        "nth_value(:0, :1)", takes=2, window=True, returns=same(0), any_case=True
    ),
    "lag": _neighbour("lag", "any"),
    "lead": _neighbour("lead", "any"),
}
FUNCTIONS |= {
    "first_value_respect_nulls": aggregate("first(:0)", returns=same(0)),
    "last_value_respect_nulls": aggregate("last(:0)", returns=same(0)),
    "any_value": FUNCTIONS["any"],
    "lagInFrame": _neighbour("lag", "lag"),
    "leadInFrame": _neighbour("lead", "lead"),
    "STDDEV_POP": FUNCTIONS["stddevPop"],
    "STDDEV_SAMP": FUNCTIONS["stddevSamp"],
    "VAR_POP": FUNCTIONS["varPop"],
    "VAR_SAMP": FUNCTIONS["varSamp"],
    "COVAR_POP": FUNCTIONS["covarPop"],
    "COVAR_SAMP": FUNCTIONS["covarSamp"],
}
