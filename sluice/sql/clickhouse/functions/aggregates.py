"""Aggregate and window functions. Every aggregate also has its `…If` form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.sql.clickhouse import promotion
from sluice.sql.clickhouse.functions.conversions import default_of
from sluice.sql.clickhouse.functions.model import Aggregate, aggregate, array_of, same
from sluice.sql.clickhouse.ordering import signed
from sluice.sql.clickhouse.spark import ATOM, Sql
from sluice.sql.clickhouse.values import DOUBLE, STRING, ULONG, UNKNOWN
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.sql.clickhouse.values import Value
    from sluice.types import Type


def _summed(args: Sequence[Value]) -> Type:
    return promotion.summed(args[0].kind) or UNKNOWN


def _zero(_: Type) -> Sql:
    return Sql("0", rank=ATOM)


def _nan(type_: Type) -> Sql | None:
    return Sql("double('NaN')") if isinstance(type_, m.Float) else default_of(type_)


def _ones(type_: Type) -> Sql | None:
    """All bits set."""
    if not isinstance(type_, m.Int):
        return None
    return signed(-1 if type_.signed else type_.high)


def _never(_: Type) -> None:
    """Spark's own result over no rows is ClickHouse's."""


def _count(core: str, **options: Any) -> Aggregate:
    """A number of rows, of which no table has 2^48."""
    return aggregate(
        core, returns=ULONG, bounds=(0, 1 << 48), derives=False, empty=_never, **options
    )


_EXACT = "exact (ClickHouse estimates)"

_DISTINCT = _count("count(DISTINCT :*)", most=None, doc=_EXACT)
_ESTIMATE = _count("approx_count_distinct(:0, 0.01)", doc="off by about 1 %")
_FLOAT = "CAST(:0# AS DOUBLE)"
_QUANTILE = aggregate(
    f"percentile({_FLOAT}, :1)", params=(0.5,), returns=DOUBLE, empty=_nan, doc=_EXACT
)
_QUANTILES = aggregate(
    f"percentile({_FLOAT}, array(:*))",
    "coalesce(:0, transform(array(:*), `_q` -> double('NaN')))",
    rest=True,
    returns=m.Array(DOUBLE),
    empty=_never,
    doc=_EXACT,
)
_NTH = "get(array_sort(:0), CAST(least(floor(:1 * size(:0)), size(:0) - 1) AS INT))"


def _pairs(function: str) -> Aggregate:
    core = f"{function}({_FLOAT}, CAST(:1# AS DOUBLE))"
    return aggregate(core, takes=2, returns=DOUBLE, empty=_nan)


def _statistic(function: str) -> Aggregate:
    return aggregate(f"{function}({_FLOAT})", returns=DOUBLE, empty=_nan)


def _extreme(function: str) -> Aggregate:
    by = f"{function}_by(:0, :1)"
    return aggregate(f"{function}(:0)", ordered=by, returns=same(0), any_case=True)


def _collected(core: str) -> Aggregate:
    """An array of values, of at most so many if a parameter says so."""
    options: dict[str, Any] = {"returns": array_of(0), "empty": _never}
    limited = aggregate(core, "slice(:0, 1, :1)", params=(0,), **options)
    return aggregate(core, limited=limited, **options)


def _neighbour(function: str, frame: str) -> Aggregate:
    return aggregate(
        f"{function}(:*)", most=3, window=True, frame=frame, returns=same(0), any_case=True
    )


def _extreme_by(function: str) -> Aggregate:
    by = f"{function}_by(:0, :1)"
    return aggregate(by, ordered=by, takes=2, returns=same(0))


FUNCTIONS: dict[str, Aggregate] = {
    "count": _count("count(:0)", takes=0, most=1, any_case=True),
    "sum": aggregate("sum(:0#)", empty=_zero, returns=_summed, any_case=True),
    "sumKahan": aggregate("sum(CAST(:0# AS DOUBLE))", empty=_zero, returns=DOUBLE),
    "sumWithOverflow": aggregate("sum(:0#)", empty=_zero, returns=_summed),
    "min": _extreme("min"),
    "max": _extreme("max"),
    "avg": aggregate(f"avg({_FLOAT})", returns=DOUBLE, empty=_nan, any_case=True),
    "any": aggregate("first(:0, true)", returns=same(0)),
    "anyLast": aggregate("last(:0, true)", returns=same(0)),
    "argMin": _extreme_by("min"),
    "argMax": _extreme_by("max"),
    "uniq": _DISTINCT,
    "uniqExact": _DISTINCT,
    "countDistinct": _DISTINCT,
    "uniqCombined": _ESTIMATE,
    "uniqCombined64": _ESTIMATE,
    "uniqHLL12": _ESTIMATE,
    "uniqTheta": _ESTIMATE,
    "groupArray": _collected("collect_list(:0)"),
    "groupUniqArray": _collected("collect_set(:0)"),
    "groupConcat": aggregate(
        "collect_list(CAST(:0 AS STRING))",
        "array_join(:0, '')",
        returns=STRING,
        limited=aggregate(
            "collect_list(CAST(:0 AS STRING))", "array_join(:0, :1)", params=(0,), returns=STRING
        ),
    ),
    "groupBitAnd": aggregate("bit_and(CAST(:0# AS BIGINT))", returns=same(0), empty=_ones),
    "groupBitOr": aggregate("bit_or(CAST(:0# AS BIGINT))", returns=same(0)),
    "groupBitXor": aggregate("bit_xor(CAST(:0# AS BIGINT))", returns=same(0)),
    "quantile": _QUANTILE,
    "median": _QUANTILE,
    "quantileTDigest": _QUANTILE,
    "quantileTiming": _QUANTILE,
    "quantiles": _QUANTILES,
    "quantilesTDigest": _QUANTILES,
    "quantilesTiming": _QUANTILES,
    "quantileExact": aggregate(
        "collect_list(:0)", _NTH, params=(0.5,), returns=same(0), empty=_nan
    ),
    "medianExact": aggregate("collect_list(:0)", _NTH, params=(0.5,), returns=same(0), empty=_nan),
    "topK": aggregate(
        "approx_top_k(:0, :1)",
        "transform(:0, `_t` -> `_t`.`item`)",
        params=(10,),
        returns=array_of(0),
        empty=_never,
        doc="the most frequent values, estimated",
    ),
    "stddevPop": _statistic("stddev_pop"),
    "stddevSamp": _statistic("stddev_samp"),
    "varPop": _statistic("var_pop"),
    "varSamp": _statistic("var_samp"),
    "skewPop": _statistic("skewness"),
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
    "lagInFrame": _neighbour("lag", "start"),
    "leadInFrame": _neighbour("lead", "end"),
    "STDDEV_POP": FUNCTIONS["stddevPop"],
    "STDDEV_SAMP": FUNCTIONS["stddevSamp"],
    "VAR_POP": FUNCTIONS["varPop"],
    "VAR_SAMP": FUNCTIONS["varSamp"],
    "COVAR_POP": FUNCTIONS["covarPop"],
    "COVAR_SAMP": FUNCTIONS["covarSamp"],
}
