"""ALTER TABLE, RENAME and EXCHANGE: a table stays what it is, by its id, whatever changes.

ClickHouse lets only the comments of a Kafka table be altered. Here its columns and settings can be
too, as long as every view on it can go on: its pipeline ends behind its batch and begins again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import KAFKA, STORED, VIEW, Column, Table
from sluice.session import (
    definitions,
    delta_tables,
    engines,
    flink,
    graph,
    jobs,
    named,
    storing,
    views,
)
from sluice.session.relations import find
from sluice.session.result import Result
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors import Place
    from sluice.session.engine import Engine


def alter_table(engine: Engine, statement: ir.AlterTable, database: str) -> Result:
    """ALTER TABLE: all changes are tried on a copy, which then takes the table's place."""
    key = (statement.name.database or database, statement.name.table)
    if statement.if_exists and engine.catalog.find(*key) is None:
        return Result()
    old = find(engine.catalog, statement.name, database)
    new, places = old, _Places(statement)
    for change in statement.changes:
        new = _CHANGES[type(change)](engine, new, change, statement.name.place)
    if new == old:
        return Result()
    place = statement.name.place
    if old.dialect == flink.DIALECT:
        new = flink.check(engine, new, place)
        if old.kind == STORED:
            new = delta_tables.changed(engine, old, new, place)
        engine.catalog.replace(new)
        return Result()
    if old.kind != VIEW:
        definitions.check(new, places.of_column)
        if old.kind == KAFKA:
            _check_kafka(engine, old, new, places)
        views.check_views(engine.catalog, new, place)
    if old.kind == STORED:
        new = storing.change_columns(engine, old, new, place)
    engine.catalog.replace(new)
    engine.sync()
    return Result()


def _check_kafka(engine: Engine, old: Table, new: Table, places: _Places) -> None:
    before = named.source_of(engine, old)
    try:
        after = named.source_of(engine, new, places.settings, places.name)
    except errors.SluiceError as bad:
        raise bad.at(places.name) from bad
    named.keeps_topics(engine, before, after, places.name)


class _Places:
    """Where the parts of an ALTER were written."""

    def __init__(self, statement: ir.AlterTable) -> None:
        self.name = statement.name.place
        self.settings: dict[str, Place] = {}
        self._columns: dict[str, Place | None] = {}
        for change in statement.changes:
            match change:
                case ir.ModifySetting():
                    self.settings |= change.places
                case ir.AddColumn():
                    self._columns[change.column.name] = change.column.place
                case ir.ModifyColumn():
                    self._columns[change.name] = change.place
                case ir.RenameColumn():
                    self._columns[change.to] = change.place

    def of_column(self, name: str) -> Place | None:
        """Where a column was written, else where the table was."""
        return self._columns.get(name) or self.name


def _at(table: Table, name: str, place: Place | None) -> int:
    for at, column in enumerate(table.columns):
        if column.name == name:
            return at
    hint = errors.nearest(name, [column.name for column in table.columns])
    raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=place)


def _has(table: Table, name: str) -> bool:
    return any(column.name == name for column in table.columns)


def _no_view(table: Table, kind: str, place: Place | None) -> None:
    if table.kind == VIEW:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"Alter of type '{kind}' by storage MaterializedView",
            hint="A view can be altered with MODIFY QUERY and MODIFY COMMENT.",
            place=place,
        )


def _placed(table: Table, column: Column, after: str | None, at: int, place: Place | None) -> Table:
    """The table with a column at the place that FIRST or AFTER says, else at `at`."""
    others = [c for c in table.columns if c.name != column.name]
    if after == "":
        at = 0
    elif after is not None:
        at = _at(replace(table, columns=tuple(others)), after, place) + 1
    return replace(table, columns=(*others[:at], column, *others[at:]))


def _add(engine: Engine, table: Table, change: ir.AddColumn, place: Place | None) -> Table:
    _no_view(table, "ADD_COLUMN", place)
    column = definitions.column_of(change.column)
    if _has(table, column.name):
        if change.if_not_exists:
            return table
        raise errors.DUPLICATE_COLUMN(column=column.name, place=change.column.place)
    if table.kind == STORED and column.alias is None:
        column = replace(column, stored=storing.NEW)
    at = change.column.place
    return _placed(table, column, change.after, len(table.columns), at)


def _drop(engine: Engine, table: Table, change: ir.DropColumn, place: Place | None) -> Table:
    _no_view(table, "DROP_COLUMN", place)
    if change.if_exists and not _has(table, change.name):
        return table
    at = _at(table, change.name, change.place)
    if len(table.columns) == 1:
        reason = "Cannot drop or clear all columns"
        raise errors.BAD_ARGUMENTS(reason=reason, place=change.place)
    return replace(table, columns=table.columns[:at] + table.columns[at + 1 :])


def _modify(engine: Engine, table: Table, change: ir.ModifyColumn, place: Place | None) -> Table:
    only_comment = change.changes.keys() == {"comment"} and change.after is None
    _no_view(table, "COMMENT_COLUMN" if only_comment else "MODIFY_COLUMN", place)
    if change.if_exists and not _has(table, change.name):
        return table
    at = _at(table, change.name, change.place)
    parts: dict[str, Any] = dict(change.changes)
    if parts.get("default_kind") and "default" not in parts:
        parts["default"] = None
    return _placed(table, replace(table.columns[at], **parts), change.after, at, change.place)


def _rename(engine: Engine, table: Table, change: ir.RenameColumn, place: Place | None) -> Table:
    _no_view(table, "RENAME_COLUMN", place)
    if change.if_exists and not _has(table, change.name):
        return table
    at = _at(table, change.name, change.place)
    if _has(table, change.to):
        raise errors.DUPLICATE_COLUMN(column=change.to, place=change.place)
    column = replace(table.columns[at], name=change.to)
    if table.kind == STORED and column.alias is None:
        column = replace(column, stored=table.columns[at].name_in_files)
    return replace(table, columns=(*table.columns[:at], column, *table.columns[at + 1 :]))


def _setting(engine: Engine, table: Table, change: ir.ModifySetting, place: Place | None) -> Table:
    _no_view(table, "RESET_SETTING" if change.reset else "MODIFY_SETTING", place)
    settings = dict(table.settings) | dict(change.settings)
    if table.kind == STORED and table.dialect != flink.DIALECT:
        for name in change.settings:
            if name not in engines.STORED_SETTINGS:
                hint = errors.nearest(name, engines.STORED_SETTINGS)
                at = change.places.get(name)
                raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=at)
    for name in change.reset:
        if name not in settings:
            hint = errors.nearest(name, settings)
            raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=change.places.get(name))
        del settings[name]
    return replace(table, settings=settings)


def _query(engine: Engine, table: Table, change: ir.ModifyQuery, place: Place | None) -> Table:
    if table.kind != VIEW:
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"Alter of type 'MODIFY_QUERY' by storage {table.engine}",
            hint="It is for materialized views.",
            place=place,
        )
    lowered, source = views.plan(engine.catalog, change.query, table.database, place)
    target = engine.catalog.find(*table.target) if table.target else None
    if target is not None:
        views.check_target(target, lowered.columns, place, place)
        views.check_computed(engine.catalog, change.query, table.database, target)
    new = replace(
        table,
        query=change.query.text,
        source=source.key,
        columns=views.columns_written(target, lowered.columns) or table.columns,
    )
    graph.check_cycle(engine.catalog, new, place)
    return new


def _comment(engine: Engine, table: Table, change: ir.ModifyComment, _: Place | None) -> Table:
    return replace(table, comment=change.comment)


def _key(engine: Engine, table: Table, change: ir.ModifyKey, place: Place | None) -> Table:
    if change.add and table.primary_key:
        reason = "The base table already has a primary key"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    return replace(table, primary_key=change.columns)


def _watermark(
    engine: Engine, table: Table, change: ir.ModifyWatermark, place: Place | None
) -> Table:
    if change.add and table.watermark:
        reason = "The base table already has a watermark"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    made = change.watermark
    return replace(table, watermark=(made.column, made.delay) if made else None)


_CHANGES: dict[type, Callable[[Engine, Table, Any, Place | None], Table]] = {
    ir.AddColumn: _add,
    ir.DropColumn: _drop,
    ir.ModifyColumn: _modify,
    ir.RenameColumn: _rename,
    ir.ModifySetting: _setting,
    ir.ModifyQuery: _query,
    ir.ModifyComment: _comment,
    ir.ModifyKey: _key,
    ir.ModifyWatermark: _watermark,
}


def rename_tables(engine: Engine, statement: ir.RenameTables, database: str) -> Result:
    """RENAME TABLE: views find tables by name, so they follow the name, not the table."""
    draft = {table.key: table for table in engine.catalog.tables()}
    moved: dict[str, Table] = {}
    for old, new in statement.pairs:
        key = (new.database or database, new.table)
        if statement.if_exists and (old.database or database, old.table) not in draft:
            continue
        source = _named(engine, draft, old, database)
        check_new(engine, new, key[0])
        if key in draft:
            raise errors.TABLE_ALREADY_EXISTS(table=".".join(key), place=new.place)
        table = _moved(engine, source, key, new.place)
        del draft[source.key]
        draft[key] = moved[table.uuid] = table
    engine.catalog.replace(*moved.values())
    engine.sync()
    return Result()


def exchange_tables(engine: Engine, statement: ir.ExchangeTables, database: str) -> Result:
    """EXCHANGE TABLES: only the names change hands."""
    draft = {table.key: table for table in engine.catalog.tables()}
    first = _named(engine, draft, statement.first, database)
    second = _named(engine, draft, statement.second, database)
    if first.key != second.key:
        engine.catalog.replace(
            _moved(engine, first, second.key, statement.first.place),
            _moved(engine, second, first.key, statement.second.place),
        )
        engine.sync()
    return Result()


def check_new(engine: Engine, name: ir.Name, within: str) -> None:
    """Whether something new can be made in a database.

    Raises:
        SluiceError: UNKNOWN_DATABASE or BAD_ARGUMENTS.
    """
    if within == "system":
        raise errors.BAD_ARGUMENTS(reason="Nothing can be made in system", place=name.place)
    known = engine.catalog.databases()
    if within not in known:
        hint = errors.nearest(within, known)
        raise errors.UNKNOWN_DATABASE(database=within, hint=hint, place=name.place)


def _named(
    engine: Engine, draft: dict[tuple[str, str], Table], name: ir.Name, database: str
) -> Table:
    """A table by the name it has by now."""
    known = views.Draft(engine.catalog, draft.values())
    table = find(known, name, database)
    check_lasts(table, "RENAME", name.place)
    views.check_own(known, table, name.place)
    return table


def check_lasts(table: Table, what: str, place: Place | None) -> None:
    """Make sure that a table is none of the session's in ClickHouse's dialect, which has one name.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT.
    """
    if table.temporary and table.dialect == "clickhouse":
        hint = "DROP it, and create another one."
        full = f"{what} of the temporary table {table.full_name}"
        raise errors.UNSUPPORTED_STATEMENT(what=full, hint=hint, place=place)


def _moved(engine: Engine, table: Table, key: tuple[str, str], place: Place | None) -> Table:
    """The table under another name; a running job would not find it any more."""
    jobs.check_unused(engine, [table], place)
    new = replace(table, database=key[0], name=key[1])
    if table.kind == KAFKA:
        before = named.source_of(engine, table)
        named.keeps_topics(engine, before, named.source_of(engine, new), place)
    if table.kind == VIEW and key[0] != table.database:
        if table.owns_target:
            what = f"Moving {table.full_name}, which has a table of its own, to another database"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)
        query = views.qualified(engine.catalog, table.query or "", table.database)
        new = replace(new, query=query)
    return new
