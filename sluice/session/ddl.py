"""Statements that change the catalog. Each is all or nothing: it checks first, then writes once."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, QUERY, STORED, VIEW, temporary
from sluice.pipelines.store_path import remove
from sluice.session import definitions, graph, jobs, named, views
from sluice.session.alter import check_lasts, check_new
from sluice.session.relations import find
from sluice.session.result import Result
from sluice.session.system import DATABASES
from sluice.session.views import columns_selected
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.catalog import Table
    from sluice.session.engine import Engine


def create_database(engine: Engine, statement: ir.CreateDatabase, _: str) -> Result:
    """CREATE DATABASE."""
    if statement.name in (*engine.catalog.databases(), *DATABASES):
        if statement.if_not_exists:
            return Result()
        raise errors.DATABASE_ALREADY_EXISTS(database=statement.name)
    engine.catalog.add_database(statement.name)
    return Result()


def drop_database(engine: Engine, statement: ir.DropDatabase, database: str) -> Result:
    """DROP DATABASE, with everything in it."""
    known = engine.catalog.databases()
    if statement.name not in known:
        if statement.if_exists:
            return Result()
        hint = errors.nearest(statement.name, known)
        raise errors.UNKNOWN_DATABASE(database=statement.name, hint=hint)
    tables = [table for table in engine.catalog.tables() if table.database == statement.name]
    jobs.check_unused(engine, tables, None)
    owned = {table.target for table in tables if table.owns_target}
    for table in tables:
        if table.key not in owned:
            _drop(engine, table)
    engine.catalog.remove_database(statement.name)
    engine.sync()
    return Result()


def create_table(engine: Engine, statement: ir.CreateTable, database: str) -> Result:
    """CREATE TABLE: a Kafka table or a stored one."""
    key = new_name(engine, statement, database)
    if key is None:
        return Result()
    like = find(engine.catalog, statement.like, database) if statement.like is not None else None
    places = {c.name: c.place for c in statement.columns}
    try:
        table = definitions.table_of(statement, key, str(uuid.uuid4()), like)
        if table.kind == KAFKA:
            given = {**statement.engine.override_places, **statement.setting_places}
            named.source_of(engine, table, given, statement.engine.place, session=statement.session)
        definitions.check(table, lambda name: places.get(name) or statement.name.place)
        if table.temporary and not table.keeps_rows:
            what = f"A temporary table with ENGINE = {table.engine}"
            hint = "A temporary table keeps rows, in Memory or a MergeTree."
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint)
    except errors.SluiceError as bad:
        raise bad.at(statement.name.place) from bad
    engine.catalog.add(table)
    engine.sync()
    return Result()


def create_view(engine: Engine, statement: ir.CreateMaterializedView, database: str) -> Result:
    """CREATE MATERIALIZED VIEW: from here on the source is read."""
    key = new_name(engine, statement, database)
    if key is None:
        return Result()
    place = statement.name.place
    _refuse_temporary(statement)
    lowered, source = views.plan(engine.catalog, statement.query, database, place)
    view = definitions.view_of(statement, key, str(uuid.uuid4()), database)
    if statement.target is None:
        selected = columns_selected(lowered, place) if not _inner_columns(statement) else ()
        inner = definitions.inner_of(statement, view, selected)
        definitions.check(inner, lambda _: place)
        target: Table | None = inner
    else:
        target = engine.catalog.find(*(view.target or key))
    if target is not None:
        at = statement.target.place if statement.target is not None else place
        views.check_target(target, lowered.columns, at, place)
        try:
            views.check_computed(engine.catalog, statement.query, database, target)
        except errors.SluiceError as bad:
            raise bad.at(at) from bad
    query = statement.query.text
    if key[0] != database:
        query = views.qualified(engine.catalog, query, database)
    columns = views.columns_written(target, lowered.columns)
    view = replace(view, source=source.key, columns=columns, query=query)
    graph.check_cycle(engine.catalog, view, place)
    engine.catalog.add(view, *([target] if target is not None and view.owns_target else []))
    engine.sync()
    return Result()


def _refuse_temporary(statement: ir.CreateMaterializedView) -> None:
    """A view outlives the session, so that it cannot read or write a table of the session's."""
    from sluice.sql.clickhouse.queries import tables_in

    target = [statement.target] if statement.target is not None else []
    for name in (*target, *tables_in(statement.query)):
        if temporary.named(name.database, name.table) is not None:
            raise errors.UNSUPPORTED_STATEMENT(
                what=f"A materialized view that uses the temporary table {name.table}",
                hint="It outlives the session: use a table of a database, by its full name.",
                place=name.place,
            )


def _inner_columns(statement: ir.CreateMaterializedView) -> bool:
    return statement.inner is not None and bool(statement.inner.columns)


def drop(engine: Engine, statement: ir.Drop, database: str) -> Result:
    """DROP TABLE or VIEW."""
    table = _existing(engine, statement.name, database, optional=statement.if_exists)
    if table is None:
        return Result()
    if statement.temporary and not table.temporary:
        full = f"Temporary {table.full_name}"
        raise errors.UNKNOWN_TABLE(table=full, hint="", place=statement.name.place)
    _expect_kind(table, statement.kind, statement.name)
    views.check_own(engine.catalog, table, statement.name.place)
    jobs.check_unused(engine, [table], statement.name.place)
    _drop(engine, table)
    engine.sync()
    return Result()


def end_temporary(engine: Engine, tables: Iterable[Table]) -> None:
    """Forget a session's tables; rows that a running job uses are left to it."""
    for table in tables:
        with suppress(errors.SluiceError):
            jobs.check_unused(engine, [table], None)
            _drop(engine, table)


def detach(engine: Engine, statement: ir.Detach, database: str) -> Result:
    """DETACH: it does not take part until it is attached again, also after a restart."""
    table = _existing(engine, statement.name, database, optional=statement.if_exists)
    if table is None:
        return Result()
    if not table.attached:
        raise errors.NOT_ATTACHED(table=table.full_name, place=statement.name.place)
    check_lasts(table, "DETACH", statement.name.place)
    views.check_own(engine.catalog, table, statement.name.place)
    engine.catalog.set_attached(table, attached=False)
    engine.sync()
    return Result()


def attach(engine: Engine, statement: ir.Attach, database: str) -> Result:
    """ATTACH: it goes on where it stopped."""
    table = find(engine.catalog, statement.name, database, detached=True)
    if table.attached:
        if statement.if_not_exists:
            return Result()
        raise errors.TABLE_ALREADY_EXISTS(table=table.full_name, place=statement.name.place)
    engine.catalog.set_attached(table, attached=True)
    engine.sync()
    return Result()


def system(engine: Engine, statement: ir.System, database: str) -> Result:
    """A SYSTEM statement that there is nothing to do for; a table that it names must be there."""
    if statement.name is not None:
        find(engine.catalog, statement.name, database)
    return Result()


def new_name(
    engine: Engine,
    statement: ir.CreateTable | ir.CreateMaterializedView | ir.CreateView,
    database: str,
) -> tuple[str, str] | None:
    """The name for something new; None if it is there and IF NOT EXISTS was said."""
    name = statement.name
    hides = isinstance(statement, ir.CreateTable | ir.CreateView) and statement.temporary
    if hides and isinstance(statement, ir.CreateTable) and statement.dialect == "clickhouse":
        within, there = temporary.NO_DATABASE, temporary.named(None, name.table)
    else:
        within = name.database or database
        check_new(engine, name, within)
        there = engine.catalog.find(within, name.table)
    if there is None or (hides and not there.temporary):
        return (within, name.table)
    if statement.if_not_exists:
        return None
    full = f"{within}.{name.table}" if within else name.table
    raise errors.TABLE_ALREADY_EXISTS(table=full, place=name.place)


def _existing(engine: Engine, name: ir.Name, database: str, *, optional: bool) -> Table | None:
    try:
        return find(engine.catalog, name, database, detached=True)
    except errors.UserError:
        if optional:
            return None
        raise


def _expect_kind(table: Table, word: str, name: ir.Name) -> None:
    if word == "VIEW" and table.kind not in (VIEW, QUERY):
        reason = f"{table.full_name} is a table, not a view; use DROP TABLE"
        raise errors.BAD_ARGUMENTS(reason=reason, place=name.place)


def _drop(engine: Engine, table: Table) -> None:
    """Stop what runs, forget the table, then delete its files: a crash leaves only files."""
    if table.kind == KAFKA:
        with suppress(
            errors.SluiceError
        ):  # one that cannot be planned has no position to hand over
            engine.supervisor.drop(engine.spec(table))
    inner = engine.catalog.find(*table.target) if table.owns_target and table.target else None
    gone = [table, *([inner] if inner is not None else [])]
    engine.catalog.remove(*gone)
    for stored in gone:
        if stored.kind == STORED:
            engine.sync()
            engine.store.remove(stored)
            if stored.temporary:
                engine.catalog.forget_temporary_rows(stored.uuid)
    if table.kind == KAFKA:
        remove(engine.checkpoints / table.uuid)
