"""The two ways from a tree of ClickHouse to text of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.parameters.kinds import Flag
from sluice.sql.clickhouse.expressions import Expressions
from sluice.sql.clickhouse.functions import HASHES
from sluice.sql.clickhouse.reading import parse_expression
from sluice.sql.clickhouse.scope import Context, Env, Output, Scope, Source
from sluice.sql.clickhouse.select import Queries
from sluice.sql.clickhouse.values import is_known
from sluice.sql.core import places
from sluice.sql.core.lowering import ROW, deep, no_query, no_tables, placed
from sluice.sql.ir import Query
from sluice.sql.relation import Lowered, LoweredExpression, RelationColumn, Resolver

if TYPE_CHECKING:
    from collections.abc import Sequence


_JOIN_NULLS = "join_use_nulls"


def lower_query(
    query: Query | exp.Expression,
    resolve: Resolver,
    *,
    database: str = "default",
    join_nulls: bool = False,
) -> Lowered:
    """A SELECT in Spark SQL.

    Tables are found by `resolve` alone, functions in the table of `functions` alone, and what the
    tree holds besides is refused. `database` is what `currentDatabase()` says, `join_nulls` what
    join_use_nulls does.
    """
    tree = query.tree if isinstance(query, Query) else query
    if isinstance(query, Query) and _JOIN_NULLS in query.settings:
        join_nulls = Flag().read(query.settings[_JOIN_NULLS])
    context = Context(resolve, database, join_nulls=join_nulls)
    with placed(tree):
        table = Queries(context).query(tree, Env())
        sql = str(table.sql)
    names = tuple(column.name for column in table.columns)
    types = tuple(c.type if is_known(c.type) else None for c in table.columns)
    return Lowered(sql, names, tuple(context.tables), context.uses(), types)


def lower_expression(
    expression: str | exp.Expr, columns: Sequence[RelationColumn] = ()
) -> LoweredExpression:
    """An expression over the columns of one row; it cannot hold a query."""
    tree = parse_expression(expression) if isinstance(expression, str) else expression
    outputs = {c.name: Output(c.name, c.type, c.alias, c.virtual) for c in columns}
    row = Source("", frozenset(), outputs, view=ROW)
    scope, context = Scope(sources=[row] if columns else []), Context(no_tables)
    with deep():
        value = Expressions(scope, context, no_query).value(tree)
        if scope.laterals:
            raise errors.UNSUPPORTED_EXPRESSION(
                expression="arrayJoin in a single expression", hint="", place=places.of_node(tree)
            )
        type_ = value.type if is_known(value.type) else None
        return LoweredExpression(str(value.plain()), type_, context.uses().get(ROW, frozenset()))


def check_key(expression: str, columns: Sequence[RelationColumn]) -> None:
    """Whether an expression can stand in ORDER BY or a clause like it, where nothing computes it.

    So ClickHouse's own hashes may stand there too.

    Raises:
        SluiceError: for a column or a function that is not there.
    """
    lower_expression(parse_expression(expression).transform(_unhashed), columns)


def _unhashed(node: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.Anonymous) or node.name not in HASHES:
        return node
    texts = [exp.Anonymous(this="toString", expressions=[arg]) for arg in node.expressions]
    return exp.Anonymous(
        this="length", expressions=[exp.Anonymous(this="concat", expressions=texts)]
    )


def hashed(expression: str) -> list[exp.Expr]:
    """What has to be the same for a key to be the same: what is hashed, not its hash."""
    tree = parse_expression(expression)
    if isinstance(tree, exp.Anonymous) and tree.name in HASHES:
        return list(tree.expressions)
    return [tree]
