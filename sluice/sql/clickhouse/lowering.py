"""The two ways from a tree of ClickHouse to text of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.errors import Place
from sluice.options.kinds import Flag
from sluice.sql.clickhouse import select
from sluice.sql.clickhouse.expressions import Expressions
from sluice.sql.clickhouse.functions import HASHES
from sluice.sql.clickhouse.reading import parse_expression
from sluice.sql.clickhouse.scope import Context, Env, Output, Scope, Source, Table
from sluice.sql.clickhouse.values import is_known
from sluice.sql.core import places
from sluice.sql.core.reading import too_deep
from sluice.sql.ir import Name, Query
from sluice.sql.relation import Lowered, Relation, RelationColumn, Resolver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.types import Type


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
    try:
        table = select.query(context, tree, Env())
        sql = str(table.sql)
    except RecursionError as bad:
        raise too_deep() from bad
    except errors.SluiceError as bad:
        if bad.place is None:
            raise bad.at(places.of_node(tree) or Place(1, 1)) from bad
        raise
    names = tuple(column.name for column in table.columns)
    types = tuple(c.type if is_known(c.type) else None for c in table.columns)
    return Lowered(sql, names, tuple(context.tables), types)


def lower_scalar(expression: str | exp.Expr, columns: Sequence[RelationColumn] = ()) -> str:
    """An expression over the columns of one row in Spark SQL; it cannot hold a query."""
    tree = parse_expression(expression) if isinstance(expression, str) else expression
    outputs = {c.name: Output(c.name, c.type, c.alias, c.virtual) for c in columns}
    scope = Scope(sources=[Source("", frozenset(), outputs)] if columns else [])
    try:
        value = Expressions(scope, Context(_no_tables), _no_query).value(tree)
        if scope.laterals:
            what = "arrayJoin in a single expression"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(tree))
        return str(value.plain())
    except RecursionError as bad:
        raise too_deep() from bad


def check_key(expression: str, columns: Sequence[RelationColumn]) -> None:
    """Whether an expression can stand in ORDER BY or a clause like it, where nothing computes it.

    So ClickHouse's own hashes may stand there too.

    Raises:
        SluiceError: for a column or a function that is not there.
    """
    lower_scalar(parse_expression(expression).transform(_unhashed), columns)


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


def _no_tables(table: Name) -> Relation:
    raise errors.UNKNOWN_TABLE(table=str(table), hint="", place=table.place)


def _no_query(node: exp.Expr, _: Env) -> Table:
    what = "A query inside a single expression"
    raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))


def scalar_type(expression: str, columns: Sequence[RelationColumn]) -> Type | None:
    """The type of an expression over the columns of one row, None if only Spark can tell."""
    outputs = {c.name: Output(c.name, c.type, c.alias, c.virtual) for c in columns}
    scope = Scope(sources=[Source("", frozenset(), outputs)])
    value = Expressions(scope, Context(_no_tables), _no_query).value(parse_expression(expression))
    return value.type if is_known(value.type) else None
