"""Views that are named queries: what they read, and their queries in the place of their names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice.catalog import QUERY, temporary
from sluice.planner.view_graph import check_read
from sluice.sql import ir
from sluice.sql.clickhouse import parse
from sluice.sql.clickhouse.queries import casting, in_shape, tables_in
from sluice.types import quote_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.catalog import Table
    from sluice.planner.relations import Known

DECLARED = "declared"
"""The setting of a view whose columns were declared with types."""

SECURITY = "security"
"""The setting with the clause that says with whose rights a view reads."""


PARAMETERS = "parameters"
"""The setting of a view with parameters: their types by their names."""


def is_view(table: Table | None) -> bool:
    """Whether a table is a named query of the ClickHouse dialect."""
    return table is not None and table.kind == QUERY and table.dialect == "clickhouse"


def with_database(text: str, database: str) -> str:
    """A query with a database in front of every table that has none."""
    lines = text.split("\n")
    statement = parse(text, lenient=True)
    assert isinstance(statement, ir.Select)  # noqa: S101 - it was one when the view was made
    query = in_shape(statement.query) or _parsed(text)
    named = (name.place for name in tables_in(query) if name.database is None)
    for place in sorted(filter(None, named), key=lambda at: (at.line, at.column), reverse=True):
        before, at = lines[place.line - 1], place.column - 1
        lines[place.line - 1] = f"{before[:at]}{quote_name(database)}.{before[at:]}"
    return "\n".join(lines)


def _parsed(text: str) -> ir.Query:
    statement = parse(text)
    assert isinstance(statement, ir.Select)  # noqa: S101 - it was one when the view was made
    return statement.query


def query_of(view: Table) -> ir.Query:
    """The query of a view, with the database of every table in it.

    Raises:
        SluiceError: SYNTAX_ERROR for one that only ClickHouse's own parser understands.
    """
    query = _parsed(view.query or "")
    own = {each.alias for each in query.tree.find_all(exp.CTE)}
    for node in query.tree.find_all(exp.Table):
        if isinstance(node.this, exp.Identifier) and not node.db and node.name not in own:
            node.set("db", exp.to_identifier(view.database, quoted=True))
    return query


def views_in(
    known: Known, query: ir.Query, database: str, within: tuple[Table, ...] = ()
) -> Iterator[Table]:
    """The views that a query reads, and those that they read.

    Raises:
        SluiceError: VIEW_READS_ITSELF.
    """
    for name in tables_in(query):
        view = _find(known, name, database)
        if view is not None:
            check_read(view, within)
            yield view
            yield from views_in(known, query_of(view), view.database, (*within, view))


def expanded(known: Known, query: ir.Query, database: str) -> ir.Query:
    """A query with those of views in the place of their names, for an engine without views.

    Raises:
        SluiceError: VIEW_READS_ITSELF.
    """
    return query if not any(views_in(known, query, database)) else _expanded(known, query, database)


def _expanded(known: Known, query: ir.Query, database: str) -> ir.Query:
    tree = query.tree.copy()
    own = {each.alias for each in tree.find_all(exp.CTE)}
    for node in list(tree.find_all(exp.Table)):
        if not node.name or (not node.db and node.name in own):
            continue
        view = _find(known, ir.Name(node.name, node.db or None), database)
        if view is None:
            continue
        inner: exp.Expr = _expanded(known, query_of(view), view.database).tree
        if view.settings.get(DECLARED):
            inner = casting(inner, {column.name: column.type for column in view.columns})
        alias = exp.TableAlias(this=exp.to_identifier(node.alias_or_name, quoted=True))
        node.replace(exp.Subquery(this=inner, alias=alias))
    return replace(query, tree=tree)


def _find(known: Known, name: ir.Name, database: str) -> Table | None:
    if temporary.named(name.database, name.table) is not None:
        return None
    table = known.find(name.database or database, name.table)
    return table if is_view(table) and table is not None and table.attached else None
