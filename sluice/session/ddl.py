"""Statements that change the catalog. Each is all or nothing: it checks first, then writes once."""

from __future__ import annotations

import shutil
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, STORED, VIEW, Column, Table
from sluice.plan import check_create, settings_of
from sluice.session.relations import Relations, columns_of, find
from sluice.session.result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.session.engine import Engine
    from sluice.sql import ir

ENGINES = {"kafka": (KAFKA, "Kafka"), "mergetree": (STORED, "MergeTree")}
_STORED_SETTINGS = frozenset({"index_granularity", "min_bytes_for_wide_part", "storage_policy"})


def create_database(engine: Engine, statement: ir.CreateDatabase, _: str) -> Result:
    """CREATE DATABASE."""
    if statement.name in (*engine.catalog.databases(), "system"):
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
    for table in engine.catalog.tables():
        if table.database == statement.name:
            _drop(engine, table)
    engine.catalog.remove_database(statement.name)
    engine.sync()
    return Result()


def create_table(engine: Engine, statement: ir.CreateTable, database: str) -> Result:
    """CREATE TABLE: a Kafka table or a stored one."""
    key = _new_name(engine, statement, database)
    if key is None:
        return Result()
    kind, name = _engine(statement)
    columns = _columns(engine, statement, database)
    table = Table(
        uuid=str(uuid.uuid4()),
        database=key[0],
        name=key[1],
        kind=kind,
        columns=columns,
        created=datetime.now(UTC),
        engine=name,
        settings=_settings(statement, kind),
        order_by=statement.order_by,
        partition_by=statement.partition_by,
        comment=statement.comment,
    )
    if kind == KAFKA:
        check_create(table, statement.setting_places, config=engine.config)
    _check_columns(table, statement)
    engine.catalog.add(table)
    engine.sync()
    return Result()


def create_view(engine: Engine, statement: ir.CreateMaterializedView, database: str) -> Result:
    """CREATE MATERIALIZED VIEW … TO …: from here on the source is read."""
    from sluice.sql.clickhouse import lower_query

    key = _new_name(engine, statement, database)
    if key is None:
        return Result()
    relations = Relations(engine.catalog, database)
    lowered = lower_query(statement.query, relations.resolve, database=database)
    source = _source(relations, statement)
    target = (statement.target.database or database, statement.target.table)
    stored = engine.catalog.find(*target)
    if stored is not None:
        _check_target(stored, lowered.columns, statement)
    view = Table(
        uuid=str(uuid.uuid4()),
        database=key[0],
        name=key[1],
        kind=VIEW,
        columns=_view_columns(stored, lowered.columns),
        created=datetime.now(UTC),
        query=statement.query.text,
        source=source.key,
        target=target,
        comment=statement.comment,
    )
    engine.catalog.add(view)
    engine.sync()
    return Result()


def drop(engine: Engine, statement: ir.Drop, database: str) -> Result:
    """DROP TABLE or VIEW."""
    table = _existing(engine, statement.name, database, optional=statement.if_exists)
    if table is None:
        return Result()
    _expect_kind(table, statement.kind, statement.name)
    _drop(engine, table)
    engine.sync()
    return Result()


def detach(engine: Engine, statement: ir.Detach, database: str) -> Result:
    """DETACH: it does not take part until it is attached again, also after a restart."""
    table = _existing(engine, statement.name, database, optional=statement.if_exists)
    if table is None:
        return Result()
    if not table.attached:
        raise errors.NOT_ATTACHED(table=table.full_name, place=statement.name.place)
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


def reset_offsets(engine: Engine, statement: ir.ResetOffsets, database: str) -> Result:
    """SYSTEM RESET OFFSETS: a new generation that begins elsewhere."""
    table = find(engine.catalog, statement.name, database)
    if table.kind != KAFKA:
        reason = f"{table.full_name} is not a Kafka table: it has no offsets"
        raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)
    try:
        engine.supervisor.reset(engine.spec(table), statement.to)
    finally:
        engine.sync()
    return Result()


def _new_name(
    engine: Engine, statement: ir.CreateTable | ir.CreateMaterializedView, database: str
) -> tuple[str, str] | None:
    """The name for something new; None if it is there and IF NOT EXISTS was said."""
    name = statement.name
    within = name.database or database
    if within == "system":
        raise errors.BAD_ARGUMENTS(reason="Nothing can be made in system", place=name.place)
    known = engine.catalog.databases()
    if within not in known:
        hint = errors.nearest(within, known)
        raise errors.UNKNOWN_DATABASE(database=within, hint=hint, place=name.place)
    if engine.catalog.find(within, name.table) is None:
        return (within, name.table)
    if statement.if_not_exists:
        return None
    raise errors.TABLE_ALREADY_EXISTS(table=f"{within}.{name.table}", place=name.place)


def _engine(statement: ir.CreateTable) -> tuple[str, str]:
    given = statement.engine
    if given.name.lower() not in ENGINES:
        names = [name for _, name in ENGINES.values()]
        hint = errors.nearest(given.name, names) or f"Known are {' and '.join(names)}."
        raise errors.UNKNOWN_ENGINE(engine=given.name or "(none)", hint=hint, place=given.place)
    kind, name = ENGINES[given.name.lower()]
    if kind == STORED and given.args:
        reason = f"{name} takes no arguments; write ORDER BY behind it"
        raise errors.BAD_ARGUMENTS(reason=reason, place=given.place)
    return kind, name


def _settings(statement: ir.CreateTable, kind: str) -> Mapping[str, object]:
    if kind == KAFKA:
        places = statement.setting_places
        return settings_of(
            statement.engine.args, statement.settings, places, statement.engine.place
        )
    for name in statement.settings:
        if name not in _STORED_SETTINGS:
            hint = errors.nearest(name, _STORED_SETTINGS)
            place = statement.setting_places.get(name)
            raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=place)
    return statement.settings


def _columns(engine: Engine, statement: ir.CreateTable, database: str) -> tuple[Column, ...]:
    if statement.like is not None:
        return find(engine.catalog, statement.like, database).columns
    return tuple(Column(c.name, c.type, c.alias, c.comment) for c in statement.columns)


def _check_columns(table: Table, statement: ir.CreateTable) -> None:
    """Names are unique, and every expression is one we can compute."""
    from sluice.sql.clickhouse import lower_scalar

    places = {c.name: c.place for c in statement.columns}
    seen: dict[str, str] = {}
    for column in table.columns:
        folded = column.name.casefold()
        if folded in seen:
            raise errors.DUPLICATE_COLUMN(column=column.name, place=places.get(column.name))
        seen[folded] = column.name
        if column.alias is not None:
            lower_scalar(column.alias, columns_of(table))
    for expression in (*table.order_by, *filter(None, [table.partition_by])):
        lower_scalar(expression, columns_of(table))


def _source(relations: Relations, statement: ir.CreateMaterializedView) -> Table:
    kafka = [table for table in relations.found.values() if table.kind == KAFKA]
    if len(kafka) != 1:
        what = "A materialized view that does not read exactly one Kafka table"
        raise errors.UNSUPPORTED_STATEMENT(
            what=what,
            hint="Select from one table with ENGINE = Kafka; other tables may be joined.",
            place=statement.name.place,
        )
    return kafka[0]


def _check_target(
    target: Table, columns: tuple[str, ...], statement: ir.CreateMaterializedView
) -> None:
    if target.kind != STORED:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"A view that writes to {target.full_name}, which is no MergeTree table,",
            hint="Give it a table with ENGINE = MergeTree as its target.",
            place=statement.target.place,
        )
    known = {column.name for column in target.columns if column.alias is None}
    for name in columns:
        if name not in known:
            hint = (
                errors.nearest(name, known)
                or f"{target.full_name} has no such column; name it with AS, or leave it out."
            )
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=statement.name.place)


def _view_columns(target: Table | None, names: tuple[str, ...]) -> tuple[Column, ...]:
    if target is None:
        return ()
    return tuple(column for column in target.columns if column.name in names)


def _existing(engine: Engine, name: ir.Name, database: str, *, optional: bool) -> Table | None:
    try:
        return find(engine.catalog, name, database, detached=True)
    except errors.UserError:
        if optional:
            return None
        raise


def _expect_kind(table: Table, word: str, name: ir.Name) -> None:
    if word == "VIEW" and table.kind != VIEW:
        reason = f"{table.full_name} is a table, not a view; use DROP TABLE"
        raise errors.BAD_ARGUMENTS(reason=reason, place=name.place)


def _drop(engine: Engine, table: Table) -> None:
    """Stop what runs, forget the table, then delete its files: a crash leaves only files."""
    if table.kind == KAFKA:
        engine.supervisor.drop(engine.spec(table))
    engine.catalog.remove(table)
    if table.kind == STORED:
        engine.sync()
        engine.store.remove(table)
    if table.kind == KAFKA:
        shutil.rmtree(engine.folder.path / "checkpoints" / table.uuid, ignore_errors=True)
