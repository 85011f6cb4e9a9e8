"""ALTER TABLE, RENAME and EXCHANGE: a table stays what it is, by its id, whatever changes.

ClickHouse lets only the comments of a Kafka table be altered. Here its columns and settings can be
too, as long as every view on it stays valid: its pipeline restarts after its current batch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import DICTIONARY, KAFKA, QUERY, STORED, VIEW, Column, Table
from sluice.planner import definitions, flink_tables, merging, table_engines, views
from sluice.planner.named_collections import keeps_topics, source_of
from sluice.planner.query_views import is_view, with_database
from sluice.planner.relations import find
from sluice.session import column_rows, delta_tables, jobs, storing
from sluice.sql import ir
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.engine.engine import Engine
    from sluice.errors import Place
    from sluice.session.context import Context
    from sluice.types import Type


_EXISTING = ir.DropColumn | ir.ModifyColumn | ir.RenameColumn
"""Changes of a column that the table has, unless they are written with IF EXISTS."""


def alter_table(context: Context, statement: ir.AlterTable) -> None:
    """ALTER TABLE: all changes are tried on a copy, which then takes the table's place."""
    engine, database = context.engine, context.database
    key = (statement.name.database or database, statement.name.table)
    if statement.if_exists and engine.catalog.find(*key) is None:
        return
    old = find(engine.catalog, statement.name, database)
    if old.kind == DICTIONARY:
        hint = "CREATE OR REPLACE DICTIONARY changes it."
        kind = type(statement.changes[0]).__name__
        place = statement.name.place
        raise errors.UNSUPPORTED_ALTER(kind=kind, storage="Dictionary", hint=hint, place=place)
    new, places = old, _Places(statement)
    for change in statement.changes:
        if new.kind in (VIEW, QUERY) and old.dialect == "clickhouse":
            _check_view(new, change, statement.name.place)
        if isinstance(change, _EXISTING) and change.if_exists and not _meant(new, change):
            continue
        new = _CHANGES[type(change)](engine, new, change, statement.name.place)
    if new == old:
        return
    place = statement.name.place
    if old.dialect == flink_tables.DIALECT:
        new = flink_tables.check(engine.config, new, place)
        if old.kind == STORED:
            new = delta_tables.changed(engine, old, new, place)
        engine.catalog.replace(new)
        return
    if old.kind not in (VIEW, QUERY):
        definitions.check(new, places.of_column)
        if old.kind == KAFKA:
            _check_kafka(engine, old, new, places)
        views.check_views(engine.catalog.snapshot(), new, engine.planner.views, place)
    if old.kind == STORED:
        new = storing.change_columns(engine, old, new, place)
    engine.catalog.replace(new)
    engine.sync()


def _check_kafka(engine: Engine, old: Table, new: Table, places: _Places) -> None:
    before = source_of(engine.environment, old)
    with errors.at(places.name):
        after = source_of(engine.environment, new, places.settings, places.name)
    keeps_topics(engine.environment, before, after, places.name)


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
                case ir.AddElement():
                    self._columns[change.element.title] = change.place

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
    return any(column.name == name for column in table.whole.columns)


def _meant(table: Table, change: ir.DropColumn | ir.ModifyColumn | ir.RenameColumn) -> list[str]:
    """The columns that a change is about: DROP takes a whole Nested structure too."""
    if _has(table, change.name):
        return [change.name]
    return _parts(table, change.name) if isinstance(change, ir.DropColumn) else []


def _check_view(view: Table, change: Any, place: Place | None) -> None:
    """Refuse what only tables can be altered by."""
    kind = _FOR_TABLES.get(type(change))
    if isinstance(change, ir.ModifyColumn) and change.after is None:
        kind = "COMMENT_COLUMN" if change.changes.keys() == {"comment"} else kind
    elif isinstance(change, ir.ModifySetting) and change.reset:
        kind = "RESET_SETTING"
    if kind is not None:
        raise errors.UNSUPPORTED_ALTER(
            kind=kind,
            storage="MaterializedView" if view.kind == VIEW else view.engine,
            hint=_HINTS[view.kind],
            place=place,
        )


_HINTS = {
    VIEW: "A view can be altered with MODIFY QUERY and MODIFY COMMENT.",
    QUERY: "A view can be altered with MODIFY COMMENT, and replaced with CREATE OR REPLACE VIEW.",
}

_FOR_TABLES = {
    ir.AddColumn: "ADD_COLUMN",
    ir.DropColumn: "DROP_COLUMN",
    ir.ModifyColumn: "MODIFY_COLUMN",
    ir.RenameColumn: "RENAME_COLUMN",
    ir.ModifySetting: "MODIFY_SETTING",
    ir.ModifyTtl: "MODIFY_TTL",
    ir.AddElement: "ADD",
    ir.DropElement: "DROP",
}


def _placed(table: Table, column: Column, after: str | None, at: int, place: Place | None) -> Table:
    """The table with a column at the place that FIRST or AFTER says, else at `at`."""
    others = [c for c in table.columns if c.name != column.name]
    if after == "":
        at = 0
    elif after is not None:
        at = _at(replace(table, columns=tuple(others)), after, place) + 1
    return replace(table, columns=(*others[:at], column, *others[at:]))


def _add(engine: Engine, table: Table, change: ir.AddColumn, place: Place | None) -> Table:
    column, at = definitions.column_of(change.column), change.column.place
    if _has(table, column.name) or _parts(table, column.name):
        if change.if_not_exists:
            return table
        raise errors.DUPLICATE_COLUMN(column=column.name, place=at)
    after = change.after
    for each in column.flattened():
        if _has(table, each.name):
            raise errors.DUPLICATE_COLUMN(column=each.name, place=at)
        is_stored = table.kind == STORED and each.alias is None
        each = replace(each, stored=storing.NEW) if is_stored else each
        table = _placed(table, each, after, len(table.columns), at)
        after = after if after is None else each.name
    return table


def _parts(table: Table, name: str) -> list[str]:
    """The columns of a Nested structure, if the table has one of that name."""
    return [c.name for c in table.columns if c.name.startswith(f"{name}.")]


def _drop(engine: Engine, table: Table, change: ir.DropColumn, place: Place | None) -> Table:
    gone = _meant(table, change) or [table.columns[_at(table, change.name, change.place)].name]
    for name in gone:
        _check_not_fixed(table, name, "DROP COLUMN", change.place)
    if len(table.columns) == len(gone):
        raise errors.LAST_COLUMN(place=change.place)
    return replace(table, columns=tuple(c for c in table.columns if c.name not in gone))


def _modify(engine: Engine, table: Table, change: ir.ModifyColumn, place: Place | None) -> Table:
    at = _at(table, change.name, change.place)
    parts: dict[str, Any] = dict(change.changes)
    if parts.get("default_kind") and "default" not in parts:
        parts["default"] = None
    column = replace(table.columns[at], **parts)
    new = _placed(table, column, change.after, at, change.place)
    if not _orders_alike(table.columns[at].type, column.type) and not _is_version(new, column.name):
        _check_not_fixed(table, column.name, "MODIFY COLUMN", change.place)
    return new


def _check_not_fixed(table: Table, name: str, verb: str, place: Place | None) -> None:
    """Refuse to change a column that rows of a table are sorted, merged or divided by.

    Raises:
        SluiceError: ALTER_OF_COLUMN_IS_FORBIDDEN.
    """
    if table.kind == STORED and table.dialect == "clickhouse" and name in column_rows.fixed(table):
        raise errors.ALTER_OF_COLUMN_IS_FORBIDDEN(verb=verb, column=name, place=place)


def _orders_alike(old: Type, new: Type) -> bool:
    """Whether values stay what they are for a key: another time zone, or more names of an Enum."""
    match old, new:
        case m.Enum(), m.Enum():
            return old.bits == new.bits and set(old.values) <= set(new.values)
        case m.DateTime(), m.DateTime():
            return old.precision == new.precision
        case _:
            return old == new


def _is_version(table: Table, name: str) -> bool:
    """Whether a column is no key, and rows can be merged by what it is now."""
    try:
        merging.check(table, None)
    except errors.SluiceError:
        return False
    return column_rows.fixed(table).get(name) == "special"


def _rename(engine: Engine, table: Table, change: ir.RenameColumn, place: Place | None) -> Table:
    at = _at(table, change.name, change.place)
    structures = [name.partition(".")[:2] for name in (change.name, change.to)]
    if structures[0] != structures[1] and all(dot for _, dot in structures):
        problem = f"Column {change.name} cannot be renamed from one Nested structure to another"
        raise errors.INVALID_ENGINE_COLUMN(problem=problem, place=change.place)
    if _has(table, change.to):
        raise errors.DUPLICATE_COLUMN(column=change.to, place=change.place)
    _check_not_fixed(table, change.name, "RENAME COLUMN", change.place)
    column = replace(table.columns[at], name=change.to)
    if table.kind == STORED and column.alias is None:
        column = replace(column, stored=table.columns[at].name_in_files)
    return replace(table, columns=(*table.columns[:at], column, *table.columns[at + 1 :]))


def _setting(engine: Engine, table: Table, change: ir.ModifySetting, place: Place | None) -> Table:
    settings = dict(table.settings) | dict(change.settings)
    if table.kind == STORED and table.dialect != flink_tables.DIALECT:
        table_engines.check_settings(change.settings, change.places)
        for name in {*change.settings, *change.reset} & {table_engines.KEPT_BY_KEY}:
            reason = "existing rows may have equal keys; create another table"
            raise errors.OPTION_REFUSED(option=name, reason=reason, place=change.places.get(name))
    for name in change.reset:
        if name not in settings:
            hint = errors.nearest(name, settings)
            raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=change.places.get(name))
        del settings[name]
    return replace(table, settings=settings)


def _query(engine: Engine, table: Table, change: ir.ModifyQuery, place: Place | None) -> Table:
    if table.kind != VIEW:
        raise errors.UNSUPPORTED_ALTER(
            kind="MODIFY_QUERY",
            storage=table.engine,
            hint="It is for materialized views; another view is replaced: CREATE OR REPLACE VIEW.",
            place=place,
        )
    known, planner = engine.catalog.snapshot(), engine.planner
    return views.with_query(known, table, change.query, planner.views, planner.readers, place)


def _comment(engine: Engine, table: Table, change: ir.ModifyComment, _: Place | None) -> Table:
    return replace(table, comment=change.comment)


def _ttl(engine: Engine, table: Table, change: ir.ModifyTtl, place: Place | None) -> Table:
    if table.kind != STORED or table.dialect == flink_tables.DIALECT:
        hint = "It is for tables of the MergeTree family."
        raise errors.UNSUPPORTED_ALTER(
            kind="MODIFY_TTL", storage=table.engine, hint=hint, place=place
        )
    return replace(table, ttl=change.ttl)


def _add_element(engine: Engine, table: Table, change: ir.AddElement, place: Place | None) -> Table:
    new = change.element
    if _element(table, new.kind, new.name) is not None:
        if change.if_not_exists:
            return table
        raise errors.ELEMENT_EXISTS(kind=new.kind.lower(), name=new.name, place=change.place)
    at = len(table.elements)
    if change.after is not None:
        after = _element(table, new.kind, change.after) if change.after else -1
        if after is None:
            raise errors.UNKNOWN_ELEMENT(
                kind=new.kind.lower(), name=change.after, place=change.place
            )
        at = after + 1
    return replace(table, elements=(*table.elements[:at], new, *table.elements[at:]))


def _drop_element(
    engine: Engine, table: Table, change: ir.DropElement, place: Place | None
) -> Table:
    at = _element(table, change.kind, change.element)
    if at is None and not change.if_exists:
        kind = change.kind.lower()
        raise errors.UNKNOWN_ELEMENT(kind=kind, name=change.element, place=change.place)
    if at is None or change.verb != "DROP":  # an index has no data of its own
        return table
    return replace(table, elements=table.elements[:at] + table.elements[at + 1 :])


def _element(table: Table, kind: str, name: str) -> int | None:
    """Where an element is among those of a table."""
    found = (n for n, e in enumerate(table.elements) if (e.kind, e.name) == (kind, name))
    return next(found, None)


def _key(engine: Engine, table: Table, change: ir.ModifyKey, place: Place | None) -> Table:
    if change.add and table.primary_key:
        raise errors.ALREADY_DEFINED(what="primary key", place=place)
    return replace(table, primary_key=change.columns)


def _watermark(
    engine: Engine, table: Table, change: ir.ModifyWatermark, place: Place | None
) -> Table:
    if change.add and table.watermark:
        raise errors.ALREADY_DEFINED(what="watermark", place=place)
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
    ir.ModifyTtl: _ttl,
    ir.AddElement: _add_element,
    ir.DropElement: _drop_element,
    ir.ModifyKey: _key,
    ir.ModifyWatermark: _watermark,
}


def rename_tables(context: Context, statement: ir.RenameTables) -> None:
    """RENAME TABLE: views find tables by name, so they follow the name, not the table."""
    engine, database = context.engine, context.database
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


def exchange_tables(context: Context, statement: ir.ExchangeTables) -> None:
    """EXCHANGE TABLES: only the names change hands."""
    engine, database = context.engine, context.database
    draft = {table.key: table for table in engine.catalog.tables()}
    first = _named(engine, draft, statement.first, database)
    second = _named(engine, draft, statement.second, database)
    if first.key != second.key:
        engine.catalog.replace(
            _moved(engine, first, second.key, statement.first.place),
            _moved(engine, second, first.key, statement.second.place),
        )
        engine.sync()


def check_new(engine: Engine, name: ir.Name, within: str) -> None:
    """Whether something new can be made in a database.

    Raises:
        SluiceError: UNKNOWN_DATABASE or SYSTEM_DATABASE_READ_ONLY.
    """
    if within == "system":
        raise errors.SYSTEM_DATABASE_READ_ONLY(place=name.place)
    known = engine.catalog.databases()
    if within not in known:
        hint = errors.nearest(within, known)
        raise errors.UNKNOWN_DATABASE(database=within, hint=hint, place=name.place)


def _named(
    engine: Engine, draft: dict[tuple[str, str], Table], name: ir.Name, database: str
) -> Table:
    """A table by the name it has by now."""
    known = engine.catalog.snapshot().with_tables(draft.values())
    table = find(known, name, database)
    check_lasts(table, "RENAME", name.place)
    views.check_own(known, table, name.place)
    return table


def check_lasts(table: Table, what: str, place: Place | None) -> None:
    """Make sure that a table is none of the session's in ClickHouse's dialect, which has one name.

    Raises:
        SluiceError: TEMPORARY_TABLE_UNSUPPORTED.
    """
    if table.temporary and table.dialect == "clickhouse":
        raise errors.TEMPORARY_TABLE_UNSUPPORTED(what=what, table=table.full_name, place=place)


def _moved(engine: Engine, table: Table, key: tuple[str, str], place: Place | None) -> Table:
    """The table under another name; a running job would not find it any more."""
    jobs.check_unused(engine, [table], place)
    new = replace(table, database=key[0], name=key[1])
    if table.kind == KAFKA:
        before = source_of(engine.environment, table)
        keeps_topics(engine.environment, before, source_of(engine.environment, new), place)
    if table.kind == VIEW and key[0] != table.database:
        if table.owns_target:
            raise errors.UNSUPPORTED_VIEW_MOVE(view=table.full_name, place=place)
        query = views.qualified(engine.catalog, table.query or "", table.database)
        new = replace(new, query=query)
    if is_view(table) and key[0] != table.database:
        new = replace(new, query=with_database(table.query or "", table.database))
    return new
