"""Aggregate and window functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.functions.model import Aggregate, aggregate, same
from sluice.sql.flink.values import DOUBLE, LONG, STRING
from sluice.types import model as m
from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.sql.flink.values import Value
    from sluice.types import Type


def _summed(args: Sequence[Value]) -> Type:
    """Flink's SUM has the type of what it adds; a DECIMAL gets all digits."""
    kind = args[0].kind
    if isinstance(kind, m.Decimal):
        return m.Decimal(38, kind.scale)
    return kind if isinstance(kind, m.Int | m.Float) else UNKNOWN


_SPARE = 10
"""Digits that Spark's sums have more than what they add: no number of rows needs more."""


def _overflows(args: Sequence[Value]) -> bool:
    """Whether a sum may need more than 38 digits: Flink's is NULL then, Spark's an error."""
    kind = args[0].kind
    return isinstance(kind, m.Decimal) and kind.precision + _SPARE > 38


def _sum(args: Sequence[Value]) -> str:
    return "sluice_sum(:0)" if args[0].is_a(m.Int) or _overflows(args) else "sum(:0)"


def _averaged(args: Sequence[Value]) -> Type:
    kind = args[0].kind
    if isinstance(kind, m.Decimal):
        return m.Decimal(38, max(6, kind.scale))
    return kind if isinstance(kind, m.Int | m.Float) else UNKNOWN


def _average(args: Sequence[Value]) -> str:
    """The average of integers is an integer, cut off: enough digits to cut rightly."""
    if args[0].is_a(m.Int):
        return "avg(CAST(:0 AS DECIMAL(29,10)))"
    return "try_avg(:0)" if _overflows(args) else "avg(:0)"


def _cast_to(returns: Callable[[Sequence[Value]], Type]) -> Callable[[Sequence[Value]], str]:
    def outer(args: Sequence[Value]) -> str:
        type_ = returns(args)
        if isinstance(type_, m.Int):
            return f"sluice_int{type_.bits}(:0)"
        if type_ in (UNKNOWN, DOUBLE):
            return ":0"
        return f"{'try_cast' if _overflows(args) else 'CAST'}(:0 AS {spark_type(type_)})"

    return outer


def _list(args: Sequence[Value]) -> Type:
    return m.Array(m.Nullable(args[0].kind)) if args[0].kind != UNKNOWN else UNKNOWN


def _joined(args: Sequence[Value]) -> str:
    """With commas unless something else is given; NULL if there is nothing to join."""
    between = ":2" if len(args) > 1 else "','"
    return f"if(size(:0) = 0, NULL, array_join(:0, {between}))"


def _ranked(core: str) -> Aggregate:
    return aggregate(core, takes=0, window=True, returns=LONG)


FUNCTIONS: dict[str, Aggregate] = {
    "COUNT": aggregate("count(:0)", takes=0, most=1, returns=LONG),
    "SUM": aggregate(
        _sum,
        _cast_to(_summed),
        returns=_summed,
        doc="an integer wraps round, a DECIMAL of over 38 digits is NULL",
    ),
    "AVG": aggregate(_average, _cast_to(_averaged), returns=_averaged),
    "MIN": aggregate("min(:0)", returns=same()),
    "MAX": aggregate("max(:0)", returns=same()),
    "STDDEV_POP": aggregate("stddev_pop(:0)", returns=DOUBLE),
    "STDDEV_SAMP": aggregate("stddev_samp(:0)", returns=DOUBLE),
    "VAR_POP": aggregate("var_pop(:0)", returns=DOUBLE),
    "VAR_SAMP": aggregate("var_samp(:0)", returns=DOUBLE),
    "FIRST_VALUE": aggregate("first(:0, true)", returns=same(), doc="the first that is not NULL"),
    "LAST_VALUE": aggregate("last(:0, true)", returns=same(), doc="the last that is not NULL"),
    "LISTAGG": aggregate(
        "collect_list(CAST(:0 AS STRING))",
        _joined,
        most=2,
        returns=STRING,
        doc="in no certain order",
    ),
    "ARRAY_AGG": aggregate(
        "collect_list(struct(:0 AS v))", "transform(:0, `_e` -> `_e`.`v`)", returns=_list
    ),
    "APPROX_COUNT_DISTINCT": aggregate("approx_count_distinct(:0)", returns=LONG),
    "GROUPING": aggregate("grouping(:0)", returns=LONG),
    "ROW_NUMBER": _ranked("row_number()"),
    "RANK": _ranked("rank()"),
    "DENSE_RANK": _ranked("dense_rank()"),
    "PERCENT_RANK": aggregate("percent_rank()", takes=0, window=True, returns=DOUBLE),
    "CUME_DIST": aggregate("cume_dist()", takes=0, window=True, returns=DOUBLE),
    "NTILE": aggregate("ntile(:0)", window=True, returns=LONG),
    "LAG": aggregate("lag(:*)", takes=1, most=3, window=True, returns=same()),
    "LEAD": aggregate("lead(:*)", takes=1, most=3, window=True, returns=same()),
}
FUNCTIONS |= {
    "STDDEV": FUNCTIONS["STDDEV_SAMP"],
    "VARIANCE": FUNCTIONS["VAR_SAMP"],
}

SAME = frozenset({"MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "APPROX_COUNT_DISTINCT"})
"""Functions for which DISTINCT makes no difference."""


def _sum_of_set(args: Sequence[Value]) -> str:
    type_ = spark_type(_summed(args)) if _summed(args) != UNKNOWN else "DOUBLE"
    more = "sluice_add(`_a`, `_b`)" if args[0].is_a(m.Int) else f"CAST(`_a` + `_b` AS {type_})"
    if _overflows(args):
        more = f"try_cast(sluice_add(`_a`, `_b`) AS {type_})"
    return f"if(size(:0) = 0, NULL, aggregate(:0, CAST(0 AS {type_}), (`_a`, `_b`) -> {more}))"


DISTINCT: dict[str, Aggregate] = {
    "COUNT": aggregate("collect_set(:0)", "CAST(size(:0) AS BIGINT)", returns=LONG),
    "SUM": aggregate("collect_set(:0)", _sum_of_set, returns=_summed),
    "LISTAGG": aggregate("collect_set(CAST(:0 AS STRING))", _joined, most=2, returns=STRING),
    "ARRAY_AGG": aggregate(
        "collect_set(struct(:0 AS v))", "transform(:0, `_e` -> `_e`.`v`)", returns=_list
    ),
}
"""Functions of different values with a set of them as their state: exact, as Flink's are."""

ARRIVAL = "`__seq`"
"""The column by which rows are in the order of their arrival."""


def _in_order(text: str) -> str:
    """The values of rows in the order of their arrival, those that arrived at once by value."""
    return f"transform(array_sort({text}), `_e` -> `_e`.`v`)"


def _joined_in_order(args: Sequence[Value]) -> str:
    return _joined(args).replace("array_join(:0", f"array_join({_in_order(':0')}")


def _joined_sorted(args: Sequence[Value]) -> str:
    return _joined(args).replace("array_join(:0", "array_join(array_sort(:0)")


BY_ARRIVAL: dict[str, Aggregate] = {
    "FIRST_VALUE": aggregate(
        f"min_by(:0, if(:0 IS NULL, NULL, struct({ARRIVAL}, :0)))", returns=same()
    ),
    "LAST_VALUE": aggregate(
        f"max_by(:0, if(:0 IS NULL, NULL, struct({ARRIVAL}, :0)))", returns=same()
    ),
    "LISTAGG": aggregate(
        f"collect_list(if(:0 IS NULL, NULL, struct({ARRIVAL} AS s, CAST(:0 AS STRING) AS v)))",
        _joined_in_order,
        most=2,
        returns=STRING,
    ),
    "ARRAY_AGG": aggregate(
        f"collect_list(struct({ARRIVAL} AS s, :0 AS v))", _in_order(":0"), returns=_list
    ),
}
"""Functions whose result depends on the order of rows.

Rows may have arrived at once, so values are a part of the order: a result has to be the same when
it is computed again over the same rows.
"""

SORTED: dict[str, Aggregate] = {
    "LISTAGG": aggregate(
        "collect_list(CAST(:0 AS STRING))", _joined_sorted, most=2, returns=STRING
    ),
    "ARRAY_AGG": aggregate(
        "collect_list(struct(:0 AS v))",
        "transform(array_sort(:0), `_e` -> `_e`.`v`)",
        returns=_list,
    ),
}
"""Such functions of different values, which have no order of arrival."""
