"""Statements that change the catalog. Each is all or nothing: it checks first, then writes once."""

from __future__ import annotations

import uuid
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import DICTIONARY, KAFKA, QUERY, STORED, VIEW, temporary
from sluice.engine import failpoints
from sluice.engine.storage.store_path import remove
from sluice.formats.registry import must_work
from sluice.planner import definitions, views
from sluice.planner.named_collections import source_of
from sluice.planner.relations import check_dialect, find
from sluice.session import format_schemas, found_columns, jobs
from sluice.session.alter import check_lasts, check_new
from sluice.session.populating import populated
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sluice.catalog import Column, Table
    from sluice.engine.engine import Engine
    from sluice.errors import Place
    from sluice.session.context import Context


def create_table(context: Context, statement: ir.CreateTable) -> None:
    """CREATE TABLE: a Kafka table or a stored one."""
    if new_name(context.engine, statement, context.database) is not None:
        put_table(context, statement, checked_table(context, statement))


def checked_table(
    context: Context, statement: ir.CreateTable, selected: Sequence[Column] = ()
) -> Table:
    """The table that a CREATE TABLE makes; `selected` are the columns of its query.

    Raises:
        SluiceError: what is wrong with it.
    """
    engine, database = context.engine, context.database
    key = (statement.name.database or database, statement.name.table)
    if statement.temporary:
        key = (temporary.NO_DATABASE, statement.name.table)
    like = find(engine.catalog, statement.like, database) if statement.like is not None else None
    places = {**{c.name: c.place for c in statement.columns}, **statement.element_places}
    with errors.at(statement.name.place):
        table = definitions.table_of(statement, key, str(uuid.uuid4()), like, selected)
        if table.kind == KAFKA:
            if not table.columns:
                table = found_columns.clickhouse(context, table, statement)
            given = {**statement.engine.override_places, **statement.setting_places}
            source = source_of(
                engine.environment, table, given, statement.engine.place, session=context.settings
            )
            format_schemas.check(engine, source)
        definitions.check(table, lambda name: places.get(name) or statement.name.place)
        if table.temporary and not table.keeps_rows:
            raise errors.TEMPORARY_TABLE_ENGINE(engine=table.engine)
    return table


def put_table(context: Context, statement: ir.CreateTable | ir.CreateView, table: Table) -> None:
    """Let a new table or view be known, in the place of the one that it replaces.

    Raises:
        SluiceError: TABLE_ALREADY_EXISTS and the like; why the old one cannot be replaced.
    """
    engine, place = context.engine, statement.name.place
    if new_name(engine, statement, context.database) is None:
        return
    old = engine.catalog.find(*table.key) if statement.mode != "CREATE" else None
    if old is None:
        engine.catalog.add(table)
        engine.sync()
        return
    if (old.kind in _TABLES) != (table.kind in _TABLES) or old.kind == VIEW:
        kind = "table" if old.kind in _TABLES else "view"
        kind = "materialized view" if old.kind == VIEW else kind
        what = f"{statement.mode} {'TABLE' if table.kind in _TABLES else 'VIEW'}"
        raise errors.REPLACES_OTHER_KIND(name=old.full_name, kind=kind, statement=what, place=place)
    check_dialect(old, place)
    views.check_own(engine.catalog, old, place)
    jobs.check_unused(engine, [old], place)
    views.check_replaced(engine.catalog.snapshot(), old, table, engine.planner.views, place)
    _release(engine, old)
    engine.catalog.add(table, instead_of=old)
    failpoints.hit("create.after_replacing")
    _delete(engine, old)
    engine.sync()


_TABLES = frozenset({STORED, KAFKA})


def create_materialized_view(context: Context, statement: ir.CreateMaterializedView) -> None:
    """CREATE MATERIALIZED VIEW: from here on the source is read."""
    engine, database = context.engine, context.database
    key = new_name(engine, statement, database)
    if key is None:
        return
    refuse_temporary(statement.query, *([statement.target] if statement.target else []))
    known, planner = engine.catalog.snapshot(), engine.planner
    made = views.new_view(known, statement, key, database, planner.views, planner.readers)
    source = known.find(*made[0].source) if made[0].source else None
    _check_read(engine, source, statement.name.place)
    with populated(engine, statement.name.place, *made) if statement.populate else nullcontext():
        engine.catalog.add(*made)
    engine.sync()


def _check_read(engine: Engine, source: Table | None, place: Place | None) -> None:
    """Make sure that the messages of a view's source can be read: some formats are only written.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    if source is not None and source.kind == KAFKA:
        format_ = source_of(engine.environment, source).value.codec.format
        must_work(format_, place, writes=False)


def refuse_temporary(query: ir.Query, *targets: ir.Name) -> None:
    """A view outlives the session, so that it cannot read or write a table of the session's.

    Raises:
        SluiceError: VIEW_USES_TEMPORARY_TABLE.
    """
    from sluice.sql.clickhouse.queries import tables_in

    for name in (*targets, *tables_in(query)):
        if temporary.named(name.database, name.table) is not None:
            raise errors.VIEW_USES_TEMPORARY_TABLE(table=name.table, place=name.place)


def drop(context: Context, statement: ir.Drop) -> None:
    """DROP TABLE or VIEW, of one or several."""
    engine = context.engine
    found = [_dropped(context, statement, name) for name in statement.names]
    if any(found):
        drop_tables(engine, *{table.uuid: table for table in found if table is not None}.values())
        engine.sync()


def _dropped(context: Context, statement: ir.Drop, name: ir.Name) -> Table | None:
    """A table or view that can be dropped.

    Raises:
        SluiceError: why it cannot.
    """
    engine, place = context.engine, name.place
    table = _existing(engine, name, context.database, optional=statement.if_exists)
    if table is None:
        return None
    if statement.temporary and not table.temporary:
        raise errors.UNKNOWN_TABLE(table=f"Temporary {table.full_name}", hint="", place=place)
    _expect_kind(table, statement.kind, name)
    views.check_own(engine.catalog, table, place)
    jobs.check_unused(engine, [table], place)
    if statement.if_empty and table.kind == STORED and engine.store.exists(table):
        files = engine.totals.files(engine.store.path(table))
        if any(file.rows != 0 for file in (files or {}).values()):
            raise errors.TABLE_NOT_EMPTY(table=table.full_name, place=place)
    return table


def end_temporary(engine: Engine, tables: Iterable[Table]) -> None:
    """Forget a session's tables; rows that a running job uses are left to it."""
    for table in tables:
        with suppress(errors.SluiceError):
            jobs.check_unused(engine, [table], None)
            drop_tables(engine, table)


def detach(context: Context, statement: ir.Detach) -> None:
    """DETACH: it does not take part until it is attached again, also after a restart."""
    engine, database = context.engine, context.database
    table = _existing(engine, statement.name, database, optional=statement.if_exists)
    if table is None:
        return
    if not table.attached:
        raise errors.NOT_ATTACHED(table=table.full_name, place=statement.name.place)
    _expect_kind(table, statement.kind, statement.name)
    check_lasts(table, "DETACH", statement.name.place)
    views.check_own(engine.catalog, table, statement.name.place)
    engine.catalog.replace(replace(table, attached=False))
    engine.sync()


def attach(context: Context, statement: ir.Attach) -> None:
    """ATTACH: consumption resumes at its position."""
    engine, database = context.engine, context.database
    table = find(engine.catalog, statement.name, database, detached=True)
    if table.attached:
        if statement.if_not_exists:
            return
        raise errors.TABLE_ALREADY_EXISTS(table=table.full_name, place=statement.name.place)
    engine.catalog.replace(replace(table, attached=True))
    engine.sync()


def system(context: Context, statement: ir.System) -> None:
    """A SYSTEM statement; most have nothing to do. A table that one names must be there."""
    engine, database = context.engine, context.database
    if statement.action in format_schemas.CACHES:
        format_schemas.drop_cache(engine)
    if statement.name is not None:
        find(engine.catalog, statement.name, database)


def new_name(
    engine: Engine,
    statement: ir.CreateTable | ir.CreateMaterializedView | ir.CreateView,
    database: str,
) -> tuple[str, str] | None:
    """The name of a new object; None if it exists and the statement has IF NOT EXISTS."""
    name = statement.name
    hides = isinstance(statement, ir.CreateTable | ir.CreateView) and statement.temporary
    if hides and isinstance(statement, ir.CreateTable) and statement.dialect == "clickhouse":
        within, there = temporary.NO_DATABASE, temporary.named(None, name.table)
    else:
        within = name.database or database
        check_new(engine, name, within)
        there = engine.catalog.find(within, name.table)
    mode = getattr(statement, "mode", "CREATE")
    if there is None and mode == "REPLACE":
        find(engine.catalog, name, within)
    if there is None or mode != "CREATE" or (hides and not there.temporary):
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
    if (word == "DICTIONARY") != (table.kind == DICTIONARY):
        instead = "TABLE" if word == "DICTIONARY" else "DICTIONARY"
        raise errors.IS_A_DICTIONARY(
            table=table.full_name,
            what="no dictionary" if word == "DICTIONARY" else "a dictionary",
            instead=instead,
            place=name.place,
        )
    if word == "VIEW" and table.kind not in (VIEW, QUERY):
        raise errors.NOT_A_VIEW(table=table.full_name, hint="Use DROP TABLE.", place=name.place)


def drop_tables(engine: Engine, *tables: Table) -> None:
    """Stop what runs, forget the tables, then delete their files: a crash leaves only files."""
    gone = list(tables)
    for table in tables:
        _release(engine, table)
        inner = engine.catalog.find(*table.target) if table.owns_target and table.target else None
        gone += [inner] if inner is not None else []
    engine.catalog.remove(*gone)
    _delete(engine, *gone)


def _release(engine: Engine, table: Table) -> None:
    """Stop reading what a Kafka table reads, and hand over its position."""
    if table.kind == KAFKA:
        with suppress(
            errors.SluiceError
        ):  # one that cannot be planned has no position to hand over
            engine.supervisor.drop(engine.planner.spec(table))


def _delete(engine: Engine, *tables: Table) -> None:
    """Delete the files of tables that nobody knows any more."""
    for table in tables:
        if table.kind == STORED:
            engine.sync()
            delete_rows(engine, table)
        if table.kind == KAFKA:
            remove(engine.checkpoints / table.uuid)


def delete_rows(engine: Engine, table: Table) -> None:
    """Delete the rows of a table that is in no catalog, or in that of a session alone."""
    engine.store.remove(table)
    engine.catalog.forget_temporary_rows(table.uuid)
