"""Aggregate and window functions. Every aggregate also has its `…If` form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.sql.clickhouse import promotion
from sluice.sql.clickhouse.functions.model import Aggregate, aggregate, array_of, same
from sluice.sql.clickhouse.values import DOUBLE, STRING, ULONG, UNKNOWN
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.sql.clickhouse.values import Value
    from sluice.types import Type


def _summed(args: Sequence[Value]) -> Type:
    return promotion.summed(args[0].kind) or UNKNOWN


def _count(core: str, **options: Any) -> Aggregate:
    """A number of rows, of which no table has 2^48."""
    return aggregate(core, returns=ULONG, bounds=(0, 1 << 48), derives=False, **options)


NULLS = "over no rows it is NULL (ClickHouse: the type's default)"
_EXACT = "exact (ClickHouse estimates)"

_DISTINCT = _count("count(DISTINCT :*)", most=None, doc=_EXACT)
_ESTIMATE = _count("approx_count_distinct(:0, 0.01)", doc="off by about 1 %")
_FLOAT = "CAST(:0# AS DOUBLE)"
_QUANTILE = aggregate(f"percentile({_FLOAT}, :1)", params=(0.5,), returns=DOUBLE, doc=_EXACT)
_QUANTILES = aggregate(
    f"percentile({_FLOAT}, array(:*))", rest=True, returns=m.Array(DOUBLE), doc=_EXACT
)
_NTH = "get(array_sort(:0), CAST(least(floor(:1 * size(:0)), size(:0) - 1) AS INT))"


def _statistic(function: str) -> Aggregate:
    return aggregate(f"{function}({_FLOAT})", returns=DOUBLE)


FUNCTIONS: dict[str, Aggregate] = {
    "count": _count("count(:0)", takes=0, most=1, any_case=True),
    "sum": aggregate("sum(:0#)", zero=True, returns=_summed, any_case=True),
    "sumKahan": aggregate("sum(CAST(:0# AS DOUBLE))", zero=True, returns=DOUBLE),
    "sumWithOverflow": aggregate("sum(:0#)", zero=True, returns=_summed),
    "min": aggregate("min(:0)", returns=same(0), any_case=True, doc=NULLS),
    "max": aggregate("max(:0)", returns=same(0), any_case=True, doc=NULLS),
    "avg": aggregate(f"avg({_FLOAT})", returns=DOUBLE, any_case=True, doc=NULLS),
    "any": aggregate("first(:0, true)", returns=same(0), doc=NULLS),
    "anyLast": aggregate("last(:0, true)", returns=same(0), doc=NULLS),
    "argMin": aggregate("min_by(:0, :1)", takes=2, returns=same(0), doc=NULLS),
    "argMax": aggregate("max_by(:0, :1)", takes=2, returns=same(0), doc=NULLS),
    "uniq": _DISTINCT,
    "uniqExact": _DISTINCT,
    "countDistinct": _DISTINCT,
    "uniqCombined": _ESTIMATE,
    "uniqCombined64": _ESTIMATE,
    "uniqHLL12": _ESTIMATE,
    "uniqTheta": _ESTIMATE,
    "groupArray": aggregate(
        "collect_list(:0)",
        returns=array_of(0),
        limited=aggregate("collect_list(:0)", "slice(:0, 1, :1)", params=(0,), returns=array_of(0)),
    ),
    "groupUniqArray": aggregate(
        "collect_set(:0)",
        returns=array_of(0),
        limited=aggregate("collect_set(:0)", "slice(:0, 1, :1)", params=(0,), returns=array_of(0)),
    ),
    "groupConcat": aggregate(
        "collect_list(CAST(:0 AS STRING))",
        "array_join(:0, '')",
        returns=STRING,
        limited=aggregate(
            "collect_list(CAST(:0 AS STRING))", "array_join(:0, :1)", params=(0,), returns=STRING
        ),
    ),
    "groupBitAnd": aggregate("bit_and(CAST(:0# AS BIGINT))", returns=same(0)),
    "groupBitOr": aggregate("bit_or(CAST(:0# AS BIGINT))", returns=same(0)),
    "groupBitXor": aggregate("bit_xor(CAST(:0# AS BIGINT))", returns=same(0)),
    "quantile": _QUANTILE,
    "median": _QUANTILE,
    "quantileTDigest": _QUANTILE,
    "quantileTiming": _QUANTILE,
    "quantiles": _QUANTILES,
    "quantilesTDigest": _QUANTILES,
    "quantilesTiming": _QUANTILES,
    "quantileExact": aggregate("collect_list(:0)", _NTH, params=(0.5,), returns=same(0)),
    "medianExact": aggregate("collect_list(:0)", _NTH, params=(0.5,), returns=same(0)),
    "topK": aggregate(
        "approx_top_k(:0, :1)",
        "transform(:0, `_t` -> `_t`.`item`)",
        params=(10,),
        returns=array_of(0),
        doc="the most frequent values, estimated",
    ),
    "stddevPop": _statistic("stddev_pop"),
    "stddevSamp": _statistic("stddev_samp"),
    "varPop": _statistic("var_pop"),
    "varSamp": _statistic("var_samp"),
    "skewPop": _statistic("skewness"),
    "corr": aggregate("corr(CAST(:0# AS DOUBLE), CAST(:1# AS DOUBLE))", takes=2, returns=DOUBLE),
    "covarPop": aggregate(
        "covar_pop(CAST(:0# AS DOUBLE), CAST(:1# AS DOUBLE))", takes=2, returns=DOUBLE
    ),
    "covarSamp": aggregate(
        "covar_samp(CAST(:0# AS DOUBLE), CAST(:1# AS DOUBLE))", takes=2, returns=DOUBLE
    ),
    "first_value": aggregate("first(:0, true)", returns=same(0), any_case=True, doc=NULLS),
    "last_value": aggregate("last(:0, true)", returns=same(0), any_case=True, doc=NULLS),
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
    "lag": aggregate("lag(:*)", most=3, window=True, returns=same(0), any_case=True),
    "lead": aggregate("lead(:*)", most=3, window=True, returns=same(0), any_case=True),
}
FUNCTIONS |= {
    "first_value_respect_nulls": aggregate("first(:0)", returns=same(0), doc=NULLS),
    "last_value_respect_nulls": aggregate("last(:0)", returns=same(0), doc=NULLS),
    "any_value": FUNCTIONS["any"],
    "lagInFrame": FUNCTIONS["lag"],
    "leadInFrame": FUNCTIONS["lead"],
    "STDDEV_POP": FUNCTIONS["stddevPop"],
    "STDDEV_SAMP": FUNCTIONS["stddevSamp"],
    "VAR_POP": FUNCTIONS["varPop"],
    "VAR_SAMP": FUNCTIONS["varSamp"],
    "COVAR_POP": FUNCTIONS["covarPop"],
    "COVAR_SAMP": FUNCTIONS["covarSamp"],
}
