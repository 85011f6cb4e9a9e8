"""CREATE VIEW of the ClickHouse dialect: a query under a name, with the rights of its reader."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import Column, Table, temporary
from sluice.clickhouse import syntax, view_calls
from sluice.planner.definitions import query_view_of
from sluice.planner.query_views import DECLARED, PARAMETERS, SECURITY, views_in, with_database
from sluice.session import clickhouse_prepared, ddl, queries
from sluice.session.clickhouse_data import known_type
from sluice.session.clickhouse_views import UseSpark
from sluice.session.create_select import columns_of
from sluice.sql.clickhouse.queries import in_shape
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    view = query_view_of(statement, key, "View", {**declared, **security})
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
        if (shape := in_shape(query)) is not None:
            _check_cycle(context, view, shape)
        elif view.database != context.database:
            queries.for_spark(context, query)  # which says what cannot be read
        context = replace(context, external=(), parameters={})
        parameters: Mapping[str, str] = {}
        try:
            selected = queries.described(context, query)
        except errors.SluiceError as bad:
            if bad.condition is not errors.UNKNOWN_QUERY_PARAMETER:
                raise
            selected, parameters = _with_examples(context, query)
    columns = columns_of([(name, known_type(text)) for name, text in selected], place)
    text = query.text
    if view.database != context.database:
        text = with_database(text, context.database)
    if parameters and declared:
        hint = "Leave the columns out: they are those of the query"
        raise errors.UNSUPPORTED_CLAUSE(
            clause="A view with parameters and a list of columns", hint=hint, place=place
        )
    if parameters:
        view = replace(view, settings={**view.settings, PARAMETERS: dict(parameters)})
    return replace(view, query=text, columns=_columns(declared, columns) or columns)


_OF_VALUES = re.compile(
    "CANNOT_PARSE_.*|ARGUMENT_OUT_OF_BOUND|ILLEGAL_DIVISION|BAD_ARGUMENTS|INCORRECT_DATA|"
    "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO|VALUE_IS_OUT_OF_RANGE.*|ILLEGAL_COLUMN|INVALID_.*"
)
"""Errors that may be those of an example of a value, and not of the query."""


def _with_examples(
    context: Context, query: ir.Query
) -> tuple[list[tuple[str, str]], Mapping[str, str]]:
    """The columns of a query with parameters, as far as they can be told, and its parameters.

    They are told with the default of each parameter's type, with which the query may not run.

    Raises:
        SluiceError: what is wrong with it whatever the values are.
    """
    with ExitStack() as stack:
        worker = clickhouse_prepared.taken(context.engine, stack)
        text = syntax.in_canonical_form(worker, query.text)
        parameters = view_calls.parameters(text)
        if view_calls.IDENTIFIER in parameters.values():
            return [], parameters
        tried = view_calls.with_values(text, view_calls.examples(text))
        try:
            return clickhouse_prepared.prepared(context, worker, tried).described(), parameters
        except UseSpark as why:
            hint = "Filter when it is read: SELECT … FROM view WHERE …"
            what = f"A view with parameters where {why}"
            raise errors.UNSUPPORTED_CLAUSE(clause=what, hint=hint) from why
        except errors.SluiceError as bad:
            if not _OF_VALUES.fullmatch(bad.condition.name):
                raise
            return [], parameters


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
    if (shape := in_shape(query)) is not None:
        ddl.refuse_temporary(shape)


def _check_cycle(context: Context, view: Table, query: ir.Query) -> None:
    known = context.engine.catalog
    old = known.find(*view.key)
    within = (replace(view, uuid=old.uuid),) if old is not None else ()
    for _ in views_in(known, query, context.database, within):
        pass
