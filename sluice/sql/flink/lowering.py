"""The ways from a tree of Flink to text of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.errors import Place
from sluice.sql.core import places
from sluice.sql.core.reading import too_deep
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink import ranks, select
from sluice.sql.flink.expressions import Expressions
from sluice.sql.flink.reading import parse_expression
from sluice.sql.flink.scope import Context, Env, Output, Scope, Source, Table
from sluice.sql.ir import Name, Query
from sluice.sql.relation import Lowered, Relation, RelationColumn, Resolver
from sluice.types import bare
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from sluice.sql.flink.values import Value
    from sluice.types import Type


def lower_query(query: Query | exp.Expression, resolve: Resolver) -> Lowered:
    """A query in Spark SQL.

    Tables are found by `resolve` alone, functions in the table of `functions` alone, and what the
    tree holds besides is refused. Windows of time are Spark's, and listed in the answer.
    """
    tree = query.tree if isinstance(query, Query) else query
    context = Context(resolve)
    try:
        table = ranks.check(select.query(context, tree, {}, None))
        _check_results(table)
        sql = str(table.sql)
    except RecursionError as bad:
        raise too_deep() from bad
    except errors.SluiceError as bad:
        if bad.place is None:
            raise bad.at(places.of_node(tree) or Place(1, 1)) from bad
        raise
    names = tuple(column.name for column in table.columns)
    types = tuple(None if c.type == UNKNOWN else c.type for c in table.columns)
    return Lowered(sql, names, tuple(context.tables), types, tuple(context.windows),
                   table.shape, tuple(context.steps))  # fmt: skip


def _check_results(table: Table) -> None:
    """A length of time can be added to a moment, and is no column of a result."""
    for column in table.columns:
        if isinstance(bare(column.type), m.Interval):
            raise errors.UNSUPPORTED_STATEMENT(
                what=f"{summary(column.type)} as the column {column.name} of a result",
                hint="Add it to a TIMESTAMP, or give a number with TIMESTAMPDIFF or EXTRACT",
            )


def lower_scalar(expression: str | exp.Expression, columns: Sequence[RelationColumn] = ()) -> str:
    """An expression over the columns of one row in Spark SQL; it cannot hold a query."""
    return str(_scalar(expression, columns).sql)


def scalar_type(
    expression: str | exp.Expression, columns: Sequence[RelationColumn] = ()
) -> Type | None:
    """The type of an expression over the columns of one row, None if only Spark can tell."""
    found = _scalar(expression, columns).type
    return None if found == UNKNOWN else found


def _scalar(expression: str | exp.Expression, columns: Sequence[RelationColumn]) -> Value:
    tree = parse_expression(expression) if isinstance(expression, str) else expression
    outputs = {c.name: Output(c.name, c.type, c.alias, c.virtual) for c in columns}
    scope = Scope({}, None, [Source("", frozenset(), outputs)] if columns else [])
    try:
        return Expressions(scope, Context(_no_tables), _no_query).value(tree)
    except RecursionError as bad:
        raise too_deep() from bad


def _no_tables(table: Name) -> Relation:
    raise errors.UNKNOWN_TABLE(table=str(table), hint="", place=table.place)


def _no_query(node: exp.Expr, _: Env, __: Scope | None) -> Table:
    what = "A query inside a single expression"
    raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
