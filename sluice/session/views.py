"""CREATE VIEW of the ClickHouse dialect: a query under a name, with the rights of its reader."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import QUERY, Column, Table, temporary
from sluice.planner.query_views import DECLARED, SECURITY, views_in, with_database
from sluice.session import ddl, queries
from sluice.session.clickhouse_data import known_type
from sluice.session.create_select import columns_of
from sluice.sql.clickhouse.queries import Unread
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.session.context import Context
    from sluice.sql import ir


def create_view(context: Context, statement: ir.CreateView) -> None:
    """CREATE VIEW: the query is checked, and kept with the types of its columns."""
    key = ddl.new_name(context.engine, statement, context.database)
    if key is None:
        return
    _check_lasting(statement.query)
    declared = {DECLARED: True} if statement.declared else {}
    security = {SECURITY: statement.security} if statement.security else {}
    view = Table(
        uuid=str(uuid.uuid4()),
        database=key[0],
        name=key[1],
        kind=QUERY,
        columns=(),
        created=datetime.now(UTC),
        engine="View",
        settings={**declared, **security},
        comment=statement.comment,
        query=statement.query.text,
    )
    view = with_query(context, view, statement.query, statement.declared, statement.name.place)
    ddl.put_table(context, statement, view)


def with_query(
    context: Context,
    view: Table,
    query: ir.Query,
    declared: tuple[ir.ColumnDef, ...],
    place: errors.Place | None,
) -> Table:
    """A view with a query, whose names are those of the session's database.

    Raises:
        SluiceError: what is wrong with the query.
    """
    with temporary.seeing({}), errors.at(place):
        if not isinstance(query.tree, Unread):
            _check_cycle(context, view, query)
        elif view.database != context.database:
            raise query.tree.problem
        try:
            selected = queries.described(replace(context, external=(), parameters={}), query)
        except errors.SluiceError as bad:
            if bad.condition is not errors.UNKNOWN_QUERY_PARAMETER:
                raise
            hint = "Filter when it is read: SELECT … FROM view WHERE …"
            raise errors.UNSUPPORTED_CLAUSE(clause="A view with parameters", hint=hint) from bad
    columns = columns_of([(name, known_type(text)) for name, text in selected], place)
    text = query.text
    if view.database != context.database:
        text = with_database(text, context.database)
    return replace(view, query=text, columns=_columns(declared, columns) or columns)


def _columns(
    declared: tuple[ir.ColumnDef, ...], selected: tuple[Column, ...]
) -> tuple[Column, ...]:
    """The columns as they are declared, by their names in the query."""
    types = {column.name: column.type for column in selected}
    for column in declared:
        if column.name not in types:
            hint = errors.nearest(column.name, types) or "Name it in the query, with AS."
            raise errors.UNKNOWN_COLUMN(column=column.name, hint=hint, place=column.place)
    return tuple(
        Column(
            c.name, types[c.name] if isinstance(c.type, m.Inferred) else c.type, comment=c.comment
        )
        for c in declared
    )


def _check_lasting(query: ir.Query) -> None:
    """A view outlives the session, and is read without parameters.

    Raises:
        SluiceError: VIEW_USES_TEMPORARY_TABLE.
    """
    if not isinstance(query.tree, Unread):
        ddl.refuse_temporary(query)


def _check_cycle(context: Context, view: Table, query: ir.Query) -> None:
    known = context.engine.catalog
    old = known.find(*view.key)
    within = (replace(view, uuid=old.uuid),) if old is not None else ()
    for _ in views_in(known, query, context.database, within):
        pass
