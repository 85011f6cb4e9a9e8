"""The names ClickHouse gives to columns without an alias: `count()`, `plus(a, 1)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice.types import quote_string

if TYPE_CHECKING:
    from collections.abc import Callable

_BINARY: dict[type[exp.Expr], str] = {
    exp.Add: "plus",
    exp.Sub: "minus",
    exp.Mul: "multiply",
    exp.Div: "divide",
    exp.Mod: "modulo",
    exp.IntDiv: "intDiv",
    exp.EQ: "equals",
    exp.NEQ: "notEquals",
    exp.LT: "less",
    exp.LTE: "lessOrEquals",
    exp.GT: "greater",
    exp.GTE: "greaterOrEquals",
    exp.And: "and",
    exp.Or: "or",
    exp.Like: "like",
    exp.ILike: "ilike",
    exp.DPipe: "concat",
    exp.RegexpLike: "match",
    exp.NullSafeEQ: "isNotDistinctFrom",
    exp.NullSafeNEQ: "isDistinctFrom",
}


def column_name(node: exp.Expr) -> str:
    """The name of the column that an expression makes."""
    if isinstance(node, exp.Alias):
        return node.alias
    if type(node) in _BINARY:
        return _call(_operator(node), node.this, node.expression)
    named = _NAMES.get(type(node))
    return named(node) if named else node.sql("clickhouse")


def _operator(node: exp.Expr) -> str:
    name = _BINARY[type(node)]
    return f"not{name[0].upper()}{name[1:]}" if node.args.get("negate") else name


def _call(name: str, *args: exp.Expr) -> str:
    return f"{name}({', '.join(column_name(arg) for arg in args)})"


def _column(node: exp.Column) -> str:
    return ".".join(part.name for part in node.parts)


def _literal(node: exp.Literal) -> str:
    return quote_string(node.name) if node.is_string else node.name


def _function(node: exp.Anonymous) -> str:
    args = [arg for arg in node.expressions if not isinstance(arg, exp.Star)]
    if len(args) == 1 and isinstance(args[0], exp.Distinct):
        name = "uniqExact" if node.name.lower() == "count" else f"{node.name}Distinct"
        return _call(name, *args[0].expressions)
    return _call(node.name, *args)


def _parameterized(node: exp.ParameterizedAgg) -> str:
    params = ", ".join(column_name(param) for param in node.expressions)
    args = ", ".join(column_name(arg) for arg in node.args["params"])
    return f"{node.name}({params})({args})"


def _not(node: exp.Not) -> str:
    inner = node.this
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return _call("isNotNull", inner.this)
    if isinstance(inner, exp.In):
        return "notIn" + _in(inner).removeprefix("in")
    return _call("not", inner)


def _in(node: exp.In) -> str:
    if node.args.get("query"):
        return f"in({column_name(node.this)}, _subquery1)"
    items = ", ".join(column_name(item) for item in node.expressions)
    return f"in({column_name(node.this)}, tuple({items}))"


def _between(node: exp.Between) -> str:
    this = column_name(node.this)
    low, high = column_name(node.args["low"]), column_name(node.args["high"])
    return f"and(greaterOrEquals({this}, {low}), lessOrEquals({this}, {high}))"


def _case(node: exp.Case) -> str:
    parts = [part for pair in node.args["ifs"] for part in (pair.this, pair.args["true"])]
    name = "caseWithExpression" if node.this else "multiIf"
    first = [node.this] if node.this else []
    return _call(name, *first, *parts, node.args.get("default") or exp.Null())


def _window(node: exp.Window) -> str:
    over = node.sql("clickhouse")
    return column_name(node.this) + over[over.rfind(" OVER ") :] if " OVER " in over else over


def _neg(node: exp.Neg) -> str:
    inner = node.this
    return f"-{inner.name}" if isinstance(inner, exp.Literal) else _call("negate", inner)


def _lambda(node: exp.Lambda) -> str:
    names = ", ".join(part.name for part in node.expressions)
    names = names if len(node.expressions) == 1 else f"({names})"
    return f"{names} -> {column_name(node.this)}"


def _dot(node: exp.Dot) -> str:
    return f"tupleElement({column_name(node.this)}, {_field(node.expression)})"


def _field(node: exp.Expr) -> str:
    return node.name if isinstance(node, exp.Literal) else quote_string(node.name)


_NAMES: dict[type[exp.Expr], Callable[[Any], str]] = {
    exp.Column: _column,
    exp.Identifier: lambda node: str(node.name),
    exp.Literal: _literal,
    exp.RawString: lambda node: quote_string(node.name),
    exp.Anonymous: _function,
    exp.ParameterizedAgg: _parameterized,
    exp.Paren: lambda node: column_name(node.this),
    exp.Not: _not,
    exp.In: _in,
    exp.Is: lambda node: _call("isNull", node.this),
    exp.Between: _between,
    exp.Case: _case,
    exp.If: lambda node: _call("if", node.this, node.args["true"], node.args["false"]),
    exp.Neg: _neg,
    exp.Null: lambda node: "NULL",
    exp.Boolean: lambda node: "true" if node.this else "false",
    exp.Array: lambda node: f"[{', '.join(column_name(item) for item in node.expressions)}]",
    exp.Tuple: lambda node: _call("tuple", *node.expressions),
    exp.Bracket: lambda node: _call("arrayElement", node.this, *node.expressions),
    exp.Dot: _dot,
    exp.Subquery: lambda node: "_subquery1",
    exp.Window: _window,
    exp.Filter: lambda node: column_name(node.this),
    exp.Lambda: _lambda,
    exp.Interval: lambda node: f"toInterval{node.text('unit').title()}({node.this.name})",
}
