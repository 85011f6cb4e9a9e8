"""From Flink's queries and expressions to Spark SQL."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.core.lowering import ROW, deep, no_query, no_tables, placed
from sluice.sql.core.spark import Sql, name
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink import changelog, ranks, shapes
from sluice.sql.flink.expressions import Expressions
from sluice.sql.flink.reading import parse_expression
from sluice.sql.flink.scope import Context, Env, Output, Scope, Source, Table
from sluice.sql.flink.select import Queries
from sluice.sql.ir import Query
from sluice.sql.relation import (
    AT,
    KIND,
    UNCHANGED,
    Lowered,
    LoweredExpression,
    RelationColumn,
    Resolver,
    Shape,
)
from sluice.types import bare
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def lower_query(
    query: Query | exp.Expression,
    resolve: Resolver,
    *,
    retracts: bool = False,
    normalizes: bool = True,
) -> Lowered:
    """A query in Spark SQL.

    Tables are found by `resolve` alone, functions in the table of `functions` alone, and what the
    tree holds besides is refused. Windows of time are Spark's, and listed in the answer.

    A query over changelogs, or one whose rows have to be retracted later, has the hidden columns
    after its own; with `retracts` every query over a stream does. Without `normalizes` a plain
    projection of a changelog by key stays one.
    """
    tree = query.tree if isinstance(query, Query) else query
    if not retracts:
        with suppress(shapes.NeedsChangelogError):
            return _lowered(Context(resolve), Queries, tree)
    if not normalizes:
        with suppress(shapes.NeedsNormalizeError):
            context = Context(resolve)
            context.normalizes = False
            return _lowered(context, changelog.ChangelogQueries, tree)
    context = Context(resolve)
    found = _lowered(context, changelog.ChangelogQueries, tree)
    if not context.normalized:
        return found
    context = Context(resolve)
    context.needed = found.uses
    return _lowered(context, changelog.ChangelogQueries, tree)


def _lowered(context: Context, queries: type[Queries], tree: exp.Expression) -> Lowered:
    with placed(tree):
        table = ranks.check(queries(context).query(tree, Env()))
        _check_results(table)
        sql = str(table.sql)
    names = tuple(column.name for column in table.columns)
    types = tuple(None if c.type == UNKNOWN else c.type for c in table.columns)
    windows, steps = tuple(context.windows), tuple(context.steps)
    shape = _shape(table, context)
    return Lowered(sql, names, tuple(context.tables), context.uses(), types, windows, shape, steps)


def for_columns(found: Lowered, names: Sequence[str]) -> Lowered:
    """A query whose result gets other names: columns without a value are listed by those."""
    pairs = list(zip(found.columns, names, strict=True))
    if not found.shape.partial or all(old == new for old, new in pairs):
        return found
    unchanged = changelog.renamed(name(UNCHANGED), pairs)
    shown = [*map(name, (*found.columns, KIND, AT)),
             Sql(":0 AS :1", unchanged, name(UNCHANGED), wrap=False)]  # fmt: skip
    head = Sql("SELECT :*", *shown, wrap=False)
    return replace(found, sql=f"{head} FROM ({found.sql})")


def _shape(table: Table, context: Context) -> Shape:
    """How the rows behave; whatever step of a changelog keeps state, the query does."""
    keeps = any(step.state is not None for step in context.steps)
    return replace(table.shape, stateful=True) if keeps else table.shape


def _check_results(table: Table) -> None:
    """A length of time can be added to a moment, and is no column of a result."""
    for column in table.columns:
        if isinstance(bare(column.type), m.Interval):
            raise errors.UNSUPPORTED_TYPE(
                type=f"{summary(column.type)} as the column {column.name} of a result",
                hint="Add it to a TIMESTAMP, or give a number with TIMESTAMPDIFF or EXTRACT",
            )


def lower_expression(
    expression: str | exp.Expression, columns: Sequence[RelationColumn] = ()
) -> LoweredExpression:
    """An expression over the columns of one row; it cannot hold a query."""
    tree = parse_expression(expression) if isinstance(expression, str) else expression
    outputs = {c.name: Output(c.name, c.type, c.alias, c.virtual) for c in columns}
    row = Source("", frozenset(), outputs, view=ROW)
    context = Context(no_tables)
    with deep():
        value = Expressions(Scope(sources=[row] if columns else []), context, no_query).value(tree)
        type_ = None if value.type == UNKNOWN else value.type
        return LoweredExpression(str(value.sql), type_, context.uses().get(ROW, frozenset()))
