"""Calls of functions: the arguments are counted, then the table says what the call is in Spark."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from sluice import errors
from sluice.sql.core import calls
from sluice.sql.core.functions import returned
from sluice.sql.core.spark import ATOM, Sql
from sluice.sql.flink import casts, functions, intervals, windows
from sluice.sql.flink.functions.model import Aggregate, Call, Scalar
from sluice.sql.flink.values import Value, literal

if TYPE_CHECKING:
    from sluice.sql.core.calls import Written
    from sluice.sql.flink.expressions import Expressions


def call(expressions: Expressions, node: exp.Expr) -> Value:
    """Lower a call, with its OVER and FILTER clauses."""
    written = calls.written(node)
    upper = written.name.upper()
    if written.nulls:
        raise expressions.refused(node, written.nulls)
    if written.star and upper != "COUNT":
        raise expressions.refused(node, f"* as an argument of {upper}")
    made = Call(upper, tuple(written.args), expressions, written.place)
    if upper in ("CAST", "TRY_CAST") and written.plain:
        return casts.cast(made)
    if written.plain and (found := windows.grouped(expressions, made)) is not None:
        return found
    function = functions.find(written.name, written.place)
    if isinstance(function, Aggregate):
        return _aggregate(expressions, written, function)
    if not written.plain:
        raise calls.not_aggregate(written)
    for arg in written.args:
        if isinstance(arg, exp.Kwarg) and upper not in ("JSON_VALUE", "JSON_QUERY"):
            raise expressions.refused(node, f"{arg.name} => in {upper}")
    function.check(upper, made.count, written.place)
    return cast("Scalar", function).build(made)


def _aggregate(expressions: Expressions, written: Written, function: Aggregate) -> Value:
    calls.check_over(written, function)
    function.check(written.name, len(written.args), written.place)
    if expressions.accumulators is not None and written.over is None:
        return expressions.accumulators.value(expressions, written, function)
    expressions.aggregates |= written.over is None
    expressions.whole |= written.over is not None
    if written.over is not None and expressions.streams:
        what = f"{written.name.upper()} … OVER on an unbounded stream"
        hint = "Supported: ROW_NUMBER in a Top-N query, and windowing table-valued functions."
        raise errors.UNSUPPORTED_ON_STREAM(operation=what, hint=hint, place=written.place)
    if written.distinct and expressions.streams:
        function = functions.distinct(written.name.upper(), function, written.place)
        written = replace(written, distinct=False)
    if expressions.arrival is not None:
        function = functions.by_arrival(written.name.upper(), function, distinct=written.distinct)
    args = [expressions.value(arg) for arg in written.args]
    if not args and function.core == "count(:0)":
        args = [literal(1)]
    text = function.core(args) if callable(function.core) else function.core
    if written.distinct:
        text = text.replace("(", "(DISTINCT ", 1)
    if expressions.arrival is not None:
        text = text.replace(functions.ARRIVAL, str(expressions.arrival))
    core = Sql(text, *(arg.sql for arg in args))
    core = calls.filtered(core, [expressions.condition(each) for each in written.filters])
    if written.over is not None:
        window = calls.named_window(expressions, written.over)
        frame = calls.window_frame(window.args.get("spec"), lambda node: intervals.lower(node).sql)
        over = calls.over_clause(expressions, window, frame)
        core = Sql(":0 OVER (:1)", core, over, rank=ATOM, wrap=False)
    if function.outer is not None:
        outer = function.outer(args) if callable(function.outer) else function.outer
        core = core if outer == ":0" else Sql(outer, core, *(arg.sql for arg in args))
    return Value(core, returned(function.returns, args))
