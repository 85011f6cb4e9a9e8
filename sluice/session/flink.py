"""Flink's statements: its tables are checked and kept; jobs run them."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import QUERY, STORED, TOPIC, Column, Table
from sluice.errors import Place
from sluice.options import job_settings
from sluice.options.kafka import KAFKA as OPTIONS
from sluice.options.kafka import dialect_of
from sluice.plan.stored import check_stored
from sluice.plan.topic_sink import check_partitioner
from sluice.plan.topics import flink_options
from sluice.session import (
    definitions,
    delta_tables,
    explaining,
    job_list,
    jobs,
    snapshot,
    storing,
    system,
)
from sluice.session.queries import answer
from sluice.session.relations import find
from sluice.session.result import Result
from sluice.sql import ir
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.session.engine import Engine
    from sluice.sql.relation import Relation

DIALECT = "flink"
CATALOG = "default_catalog"
CONNECTORS = {"kafka": TOPIC, "upsert-kafka": TOPIC, "delta": STORED, "": STORED}
"""A connector and what it makes of a table; a table without one is stored here."""

_TEXT = m.String()


def create_table(engine: Engine, statement: ir.CreateTable, database: str) -> Result:
    """CREATE TABLE; a temporary one is the session's."""
    from sluice.session.ddl import new_name

    key = new_name(engine, statement, database)
    if key is None:
        return Result()
    table = table_of(engine, statement, key, database)
    if table.kind == TOPIC:
        try:
            _check_options(engine, table, statement.setting_places)
        except errors.SluiceError as bad:
            raise bad.at(statement.name.place) from bad
    else:
        delta_tables.check_new(engine, table, statement)
    engine.catalog.add(table)
    return Result()


def create_view(engine: Engine, statement: ir.CreateView, database: str) -> Result:
    """CREATE VIEW: the query is checked and kept; a temporary one is the session's.

    Its names are those of the database it was made in, so it is kept with the view.
    """
    from sluice.session.ddl import new_name
    from sluice.sql.flink import lower_query

    key = new_name(engine, statement, database)
    if key is None:
        return Result()

    def resolve(name: ir.Name) -> Relation:
        return replace(relation_of(own_table(engine, name, database)), stream=False)

    lowered = lower_query(statement.query, resolve)
    given = statement.columns or tuple((name, "") for name in lowered.columns)
    if len(given) != len(lowered.columns):
        reason = f"The view names {len(given)} columns, its query has {len(lowered.columns)}"
        raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)
    columns = tuple(
        Column(name, type_ or m.Inferred(), comment=comment)
        for (name, comment), type_ in zip(given, lowered.types, strict=True)
    )
    view = Table(
        uuid=str(uuid.uuid4()),
        database=key[0],
        name=key[1],
        kind=QUERY,
        columns=columns,
        created=datetime.now(UTC),
        engine="view",
        settings={"database": database} | ({"columns": True} if statement.columns else {}),
        comment=statement.comment,
        query=statement.query.text,
        dialect=DIALECT,
        temporary=statement.temporary,
    )
    engine.catalog.add(view)
    return Result()


def alter_view(engine: Engine, statement: ir.AlterView, database: str) -> Result:
    """ALTER VIEW … AS; a job that runs keeps the query it was started with until it goes on."""
    from sluice.sql.flink import lower_query

    place = statement.name.place
    old = own_table(engine, statement.name, database)
    if old.kind != QUERY:
        raise errors.BAD_ARGUMENTS(reason=f"{old.full_name} is a table, not a view", place=place)
    named = "columns" in old.settings
    settings = {**old.settings, "database": database}
    new = replace(old, query=statement.query.text, settings=settings)

    def resolve(name: ir.Name) -> Relation:
        table = own_table(engine, name, database)
        found = relation_of(new if table.uuid == new.uuid else table)
        return replace(found, stream=False)

    lowered = lower_query(statement.query, resolve)
    if named and len(lowered.columns) != len(old.columns):
        reason = f"The view names {len(old.columns)} columns, its query has {len(lowered.columns)}"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    names = [column.name for column in old.columns] if named else lowered.columns
    columns = tuple(
        Column(name, type_ or m.Inferred())
        for name, type_ in zip(names, lowered.types, strict=True)
    )
    engine.catalog.replace(replace(new, columns=columns))
    return Result()


def relation_of(table: Table, place: Place | None = None) -> Relation:
    """A table as a query reads it: its view in Spark has the computed columns too."""
    from sluice.sql.flink import parse
    from sluice.sql.flink.watermarks import delay_of
    from sluice.sql.relation import Relation, RelationColumn

    columns = tuple(
        RelationColumn(c.name, c.type, clock=(c.alias or "").upper() == "PROCTIME()")
        for c in table.columns
    )
    if table.kind == QUERY:
        statement = parse(table.query or "")
        query = statement.query if isinstance(statement, ir.Select) else None
        return Relation("", columns, query=query, database=table.settings.get("database"))
    view, mark = f"sluice_{table.uuid.replace('-', '')}", table.watermark
    watermark = (mark[0], delay_of(*mark, place)) if mark else None
    return Relation(view, columns, watermark, stream=table.kind == TOPIC)


def table_of(
    engine: Engine, statement: ir.CreateTable, key: tuple[str, str], database: str
) -> Table:
    """The table that a CREATE TABLE makes; its options are not checked.

    Raises:
        SluiceError: for a connector or an expression that is wrong.
    """
    from sluice.sql.flink.computed import typed
    from sluice.sql.flink.like import merge
    from sluice.sql.flink.show import from_catalog

    if statement.like is not None:
        base = own_table(engine, statement.like, database)
        statement = merge(statement, from_catalog(base, base.settings))
    statement = typed(statement)
    return Table(
        uuid=str(uuid.uuid4()),
        database=key[0],
        name=key[1],
        kind=_kind(statement),
        columns=tuple(map(definitions.column_of, statement.columns)),
        created=datetime.now(UTC),
        engine=statement.engine.name or "delta",
        settings=dict(statement.settings),
        partition_by=statement.partition_by,
        comment=statement.comment,
        dialect=DIALECT,
        primary_key=statement.primary_key,
        watermark=(statement.watermark.column, statement.watermark.delay)
        if statement.watermark
        else None,
        temporary=statement.temporary,
    )


def _check_options(engine: Engine, table: Table, places: Mapping[str, Place] | None = None) -> None:
    """Check each option by itself; what names a class to be run is not left to its first use."""
    values = flink_options(table.settings, places)
    allowed = engine.config.partitioners if engine.config else ()
    check_partitioner(values, dialect_of(table.settings), allowed, places)


def check(engine: Engine, table: Table, place: Place | None) -> Table:
    """A table that was changed, checked as if it were new."""
    from sluice.sql.flink.computed import typed
    from sluice.sql.flink.show import from_catalog

    try:
        made = typed(from_catalog(table, table.settings))
        if table.kind == TOPIC:
            _check_options(engine, table)
        elif table.kind == STORED:
            check_stored(table, lambda _: place)
    except errors.SluiceError as bad:
        raise bad.at(place) from bad
    in_files = {c.name: (c.stored, c.late) for c in table.columns}
    columns = [
        replace(column, stored=in_files[column.name][0], late=in_files[column.name][1])
        for column in map(definitions.column_of, made.columns)
    ]
    return replace(table, columns=tuple(columns))


def _kind(statement: ir.CreateTable) -> str:
    given = statement.engine.name
    if given not in CONNECTORS:
        names = [name for name in CONNECTORS if name]
        raise errors.UNKNOWN_CONNECTOR(
            connector=given,
            known=", ".join(sorted(names)),
            hint=errors.nearest(given, names),
            place=statement.engine.place,
        )
    return CONNECTORS[given]


def own_table(engine: Engine, name: ir.Name, database: str) -> Table:
    """A table of this dialect."""
    _check_catalog(name)
    table = find(engine.catalog, name, database)
    if table.dialect != DIALECT:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"{table.full_name}, which ClickHouse's dialect made, in a statement of Flink's",
            hint="Use the dialect it was made in.",
            place=name.place,
        )
    return table


def check_catalog(statement: ir.Statement) -> None:
    """There is one catalog, and what is said to be in another one is not there.

    Raises:
        SluiceError: UNKNOWN_DATABASE.
    """
    name = getattr(statement, "name", None)
    if isinstance(name, ir.Name):
        _check_catalog(name)


def _check_catalog(name: ir.Name) -> None:
    if name.catalog is not None:
        hint = f"There is one catalog, {CATALOG}."
        raise errors.UNKNOWN_DATABASE(database=name.catalog, hint=hint, place=name.place)


def show_create(engine: Engine, statement: ir.ShowCreate, database: str) -> Result:
    """SHOW CREATE TABLE."""
    from sluice.sql.flink import show

    table = own_table(engine, statement.name, database)
    if table.kind == QUERY:
        text = show.create_view(show.view_from_catalog(table, named="columns" in table.settings))
    else:
        settings = OPTIONS.shown(table.settings, dialect_of(table.settings))
        text = show.create_table(show.from_catalog(table, settings))
    return answer([("result", _TEXT)], [(text,)], statement.format)


def describe(engine: Engine, statement: ir.Describe, database: str) -> Result:
    """DESCRIBE."""
    return _described(own_table(engine, statement.name, database), None, statement.format)


def show_columns(engine: Engine, statement: ir.ShowColumns, database: str) -> Result:
    """SHOW COLUMNS FROM."""
    return _described(own_table(engine, statement.name, database), statement.like, None)


def _described(table: Table, like: str | None, format_: str | None) -> Result:
    from sluice.sql.flink import show

    test = system.like(like)
    rows = [row for row in show.describe(show.from_catalog(table, {})) if test(row[0])]
    names = ("name", "type", "null", "key", "extras", "watermark", "comment")
    width = len(rows[0]) if rows else len(names)
    return answer([(name, _TEXT) for name in names[:width]], rows, format_)


def show_list(engine: Engine, statement: ir.Show, database: str) -> Result:
    """SHOW of what is only a list."""
    found = _LISTS.get(statement.what)
    if found is None:
        raise errors.UNSUPPORTED_STATEMENT(what=f"SHOW {statement.what}", hint="")
    test = system.like(statement.like)
    names = [name for name in found(engine, database) if test(name)]
    return answer([("name", _TEXT)], [(name,) for name in names], None)


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
}


def settings(given: Mapping[str, Any]) -> dict[str, str]:
    """What was set, checked."""
    return job_settings.read(given, Place(1, 1))


def setting_name(name: str) -> str:
    """The name that a setting is kept under."""
    return job_settings.first_name(name)


def use_catalog(engine: Engine, statement: ir.UseCatalog, _: str) -> Result:
    """USE CATALOG: there is one."""
    if statement.name != CATALOG:
        hint = f"There is one catalog, {CATALOG}."
        raise errors.UNKNOWN_DATABASE(database=statement.name, hint=hint, place=statement.place)
    return Result()


def drop_database(engine: Engine, statement: ir.DropDatabase, database: str) -> Result:
    """DROP DATABASE: with tables in it only if CASCADE was said."""
    from sluice.session import ddl

    tables = [t for t in engine.catalog.tables() if t.database == statement.name]
    if tables and not statement.cascade:
        reason = f"Database {statement.name} is not empty"
        raise errors.BAD_ARGUMENTS(reason=reason)
    return ddl.drop_database(engine, statement, database)


def truncate(engine: Engine, statement: ir.Truncate, database: str) -> Result:
    """TRUNCATE TABLE of a stored table; what jobs have read stays read."""
    own_table(engine, statement.name, database)
    return storing.truncate(engine, statement, database)


def refuse_catalog(engine: Engine, statement: Any, database: str) -> Result:
    """CREATE CATALOG and DROP CATALOG: there is one catalog, with databases in it."""
    words = "CREATE CATALOG" if isinstance(statement, ir.CreateCatalog) else "DROP CATALOG"
    raise errors.UNSUPPORTED_STATEMENT(
        what=words,
        hint=f"There is one catalog, {CATALOG}; CREATE DATABASE makes a database in it.",
        place=statement.place,
    )


CHANGES: Mapping[type[ir.Statement], Callable[[Engine, Any, str], Result]] = {
    ir.CreateTable: create_table,
    ir.DropDatabase: drop_database,
    ir.CreateView: create_view,
    ir.AlterView: alter_view,
    ir.CreateCatalog: refuse_catalog,
    ir.DropCatalog: refuse_catalog,
    ir.Truncate: truncate,
}
"""Statements that mean something else here than in ClickHouse's dialect, or are only here."""

READS: Mapping[type[ir.Statement], Callable[[Engine, Any, str], Result]] = {
    ir.Select: snapshot.select,
    ir.Insert: jobs.insert,
    ir.StatementSet: jobs.statement_set,
    ir.StopJob: jobs.stop_job,
    ir.Describe: describe,
    ir.ShowCreate: show_create,
    ir.ShowColumns: show_columns,
    ir.Show: show_list,
    ir.ShowJobs: job_list.show_jobs,
    ir.DescribeJob: job_list.describe_job,
    ir.Explain: explaining.explain,
    ir.UseCatalog: use_catalog,
}
