"""Flink's statements: its tables are checked and kept; jobs run them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import QUERY, TOPIC, Column, Table
from sluice.options.kafka import KAFKA as OPTIONS
from sluice.options.kafka import dialect_of
from sluice.planner.definitions import query_view_of
from sluice.planner.flink_tables import (
    CATALOG,
    check_new,
    own_table,
    relation_of,
    table_of,
)
from sluice.session import (
    databases,
    delta_tables,
    explaining,
    found_columns,
    job_list,
    jobs,
    snapshot,
    storing,
)
from sluice.session.ddl import new_name
from sluice.session.queries import known_database, names_like, texts
from sluice.sql import ir
from sluice.sql.core.name_patterns import like
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.engine.engine import Engine
    from sluice.formats.result import Result
    from sluice.session.context import Context
    from sluice.sql.relation import Relation


def create_table(context: Context, statement: ir.CreateTable) -> None:
    """CREATE TABLE; a temporary one is the session's."""
    engine, database = context.engine, context.database
    key = new_name(engine, statement, database)
    if key is None:
        return
    if not statement.columns and statement.like is None:
        statement = found_columns.flink(context, statement, key)
    table = table_of(engine.catalog, statement, key, database)
    if table.kind == TOPIC:
        with errors.at(statement.name.place):
            check_new(engine.config, table, statement.setting_places)
    else:
        delta_tables.check_new(engine, table, statement)
    engine.catalog.add(table)


def create_view(context: Context, statement: ir.CreateView) -> None:
    """CREATE VIEW: the query is checked and kept; a temporary one is the session's.

    Its names are those of the database it was made in, so it is kept with the view.
    """
    engine, database = context.engine, context.database
    key = new_name(engine, statement, database)
    if key is None:
        return
    settings = {"database": database} | ({"columns": True} if statement.columns else {})
    view = query_view_of(statement, key, "view", settings)
    columns = _view_columns(context, view, statement, statement.columns)
    engine.catalog.add(replace(view, columns=columns))


def alter_view(context: Context, statement: ir.AlterView) -> None:
    """ALTER VIEW … AS; a running job keeps the query it was started with until it resumes."""
    place = statement.name.place
    old = own_table(context.engine.catalog, statement.name, context.database)
    if old.kind != QUERY:
        raise errors.NOT_A_VIEW(table=old.full_name, hint="Use ALTER TABLE.", place=place)
    settings = {**old.settings, "database": context.database}
    new = replace(old, query=statement.query.text, settings=settings)
    named = old.columns if "columns" in old.settings else ()
    columns = _view_columns(context, new, statement, tuple((c.name, c.comment) for c in named))
    context.engine.catalog.replace(replace(new, columns=columns))


def _view_columns(
    context: Context,
    view: Table,
    statement: ir.CreateView | ir.AlterView,
    named: tuple[tuple[str, str], ...],
) -> tuple[Column, ...]:
    """The columns of a view's query, under the names and with the comments given, if there are."""
    from sluice.sql.flink import lower_query

    def resolve(name: ir.Name) -> Relation:
        table = own_table(context.engine.catalog, name, context.database)
        return replace(relation_of(view if table.uuid == view.uuid else table), stream=False)

    lowered = lower_query(statement.query, resolve)
    given = named or tuple((name, "") for name in lowered.columns)
    if len(given) != len(lowered.columns):
        raise errors.VIEW_COLUMN_COUNT(
            named=len(given), selected=len(lowered.columns), place=statement.name.place
        )
    return tuple(
        Column(name, type_ or m.Inferred(), comment=comment)
        for (name, comment), type_ in zip(given, lowered.types, strict=True)
    )


def show_create(context: Context, statement: ir.ShowCreate) -> Result:
    """SHOW CREATE TABLE."""
    engine, database = context.engine, context.database
    from sluice.sql.flink import show

    table = own_table(engine.catalog, statement.name, database)
    if table.kind == QUERY:
        text = show.create_view(show.view_from_catalog(table, named="columns" in table.settings))
    else:
        settings = OPTIONS.shown(table.settings, dialect_of(table.settings))
        text = show.create_table(show.from_catalog(table, settings))
    return texts(["result"], [(text,)], statement.format)


def describe(context: Context, statement: ir.Describe | ir.ShowColumns) -> Result:
    """DESCRIBE, and SHOW COLUMNS FROM."""
    from sluice.sql.flink import show

    table = own_table(context.engine.catalog, statement.name, context.database)
    test = like(statement.like if isinstance(statement, ir.ShowColumns) else None)
    rows = [row for row in show.describe(show.from_catalog(table, {})) if test(row[0])]
    names = show.DESCRIBED
    return texts(names[: len(rows[0])] if rows else names, rows, statement.format)


def show_list(context: Context, statement: ir.Show) -> Result:
    """SHOW of what is only a list."""
    access, within = context.access, statement.database or context.database
    if access.shows_database(within):
        known_database(context.engine, within)
    names = _LISTS[statement.what](context.engine, within)
    if statement.what == "VIEWS":
        names = [name for name in names if access.shows_table(within, name)]
    return names_like(names, statement.like)


def _functions(engine: Engine, database: str) -> list[str]:
    from sluice.sql.flink.functions import FUNCTIONS

    return sorted([*FUNCTIONS, *engine.functions])


def _views(engine: Engine, database: str) -> list[str]:
    tables = engine.catalog.tables()
    return [t.name for t in tables if t.kind == QUERY and t.database == database]


_LISTS: dict[str, Callable[[Engine, str], list[str]]] = {
    "CATALOGS": lambda engine, database: [CATALOG],
    "CURRENT CATALOG": lambda engine, database: [CATALOG],
    "CURRENT DATABASE": lambda engine, database: [database],
    "VIEWS": _views,
    "FUNCTIONS": _functions,
    "USER FUNCTIONS": lambda engine, database: sorted(engine.functions),
}


def use_catalog(context: Context, statement: ir.UseCatalog) -> None:
    """USE CATALOG: there is one."""
    if statement.name != CATALOG:
        raise errors.UNKNOWN_CATALOG(name=statement.name, catalog=CATALOG, place=statement.place)


def drop_database(context: Context, statement: ir.DropDatabase) -> None:
    """DROP DATABASE: one with tables needs CASCADE."""
    filled = any(t.database == statement.name for t in context.engine.catalog.tables())
    if filled and not statement.cascade:
        raise errors.DATABASE_NOT_EMPTY(database=statement.name)
    databases.drop(context, statement)


def truncate(context: Context, statement: ir.Truncate) -> Result:
    """TRUNCATE TABLE of a stored table; what jobs have read stays read."""
    engine, database = context.engine, context.database
    own_table(engine.catalog, statement.name, database)
    return storing.truncate(context, statement)


def refuse_catalog(context: Context, statement: Any) -> Result:
    """CREATE CATALOG and DROP CATALOG: there is one catalog, with databases in it."""
    words = "CREATE CATALOG" if isinstance(statement, ir.CreateCatalog) else "DROP CATALOG"
    raise errors.CATALOGS_NOT_SUPPORTED(statement=words, catalog=CATALOG, place=statement.place)


CHANGES: Mapping[type[ir.Statement], Callable[[Context, Any], Result | None]] = {
    ir.CreateTable: create_table,
    ir.DropDatabase: drop_database,
    ir.CreateView: create_view,
    ir.AlterView: alter_view,
    ir.CreateCatalog: refuse_catalog,
    ir.DropCatalog: refuse_catalog,
    ir.Truncate: truncate,
}
"""Statements that mean something else here than in ClickHouse's dialect, or are only here."""

READS: Mapping[type[ir.Statement], Callable[[Context, Any], Result | None]] = {
    ir.Select: snapshot.select,
    ir.Insert: jobs.start,
    ir.StatementSet: jobs.start,
    ir.StopJob: jobs.stop_job,
    ir.Describe: describe,
    ir.ShowCreate: show_create,
    ir.ShowColumns: describe,
    ir.Show: show_list,
    ir.ShowJobs: job_list.show_jobs,
    ir.DescribeJob: job_list.describe_job,
    ir.Explain: explaining.explain,
    ir.UseCatalog: use_catalog,
}
