"""Materialized views as definitions: the source, the columns and the target of a view's query.

A view outlives every session, so temporary tables are not visible here.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, STORED, VIEW, Column, temporary
from sluice.catalog.system_tables import DATABASES
from sluice.options import query_settings
from sluice.planner import definitions
from sluice.planner.lowered_views import LoweredViews, read_query
from sluice.planner.query_views import is_view
from sluice.planner.relations import Relations, find
from sluice.planner.schema_drift import check_carried, visible
from sluice.planner.sink import writable_columns
from sluice.planner.stored import key_of
from sluice.planner.table_engines import written_columns
from sluice.planner.view_changes import applies_changes, check_hidden
from sluice.planner.view_graph import check_cycle
from sluice.sql.clickhouse import lower_query
from sluice.sql.clickhouse.queries import leading_table, tables_in
from sluice.sql.relation import EVOLVED
from sluice.types import model as m
from sluice.types import quote_name

if TYPE_CHECKING:
    from sluice.catalog import Snapshot, Table
    from sluice.errors import Place
    from sluice.planner.relations import Known
    from sluice.planner.view_graph import Readers
    from sluice.sql import ir
    from sluice.sql.relation import Lowered, Relation


@temporary.seeing({})
def new_view(
    known: Snapshot,
    statement: ir.CreateMaterializedView,
    key: tuple[str, str],
    database: str,
    lowering: LoweredViews,
    readers: Readers,
) -> tuple[Table, ...]:
    """The view that a CREATE MATERIALIZED VIEW makes, with the table of one without TO.

    Raises:
        SluiceError: what is wrong with the query, or why the target cannot take its rows.
    """
    place, query = statement.name.place, statement.query
    view = definitions.view_of(statement, key, str(uuid.uuid4()), database)
    asked = replace(view, database=database)  # names in the query are those of the session
    source, lowered = _lowered(known, asked, query, place, lowering)
    if statement.target is None:
        written = statement.inner is not None and bool(statement.inner.columns)
        selected = columns_selected(lowered, place) if not written else ()
        inner = definitions.inner_of(statement, view, selected)
        definitions.check(inner, lambda _: place)
        target: Table | None = inner
    else:
        target = known.find(*(view.target or key))
    if target is not None:
        at = statement.target.place if statement.target is not None else place
        check_target(target, lowered.columns, at, place)
        with errors.at(at):
            _check_rows(known, asked, query, target, lowering, lowered)
    text = query.text if key[0] == database else qualified(known, query.text, database)
    columns = columns_written(target, lowered.columns)
    view = replace(view, source=source.key, columns=columns, query=text)
    check_cycle(known, view, readers, place)
    return (view, target) if target is not None and view.owns_target else (view,)


@temporary.seeing({})
def with_query(
    known: Snapshot,
    view: Table,
    query: ir.Query,
    lowering: LoweredViews,
    readers: Readers,
    place: Place | None,
) -> Table:
    """A view with another query.

    Raises:
        SluiceError: what is wrong with the query, or why the target cannot take its rows.
    """
    asked = replace(view, query=query.text)
    source, lowered = _lowered(known, asked, query, place, lowering)
    target = known.find(*view.target) if view.target else None
    if target is not None:
        check_target(target, lowered.columns, place, place)
        _check_rows(known, asked, query, target, lowering, lowered)
    columns = columns_written(target, lowered.columns) or view.columns
    new = replace(asked, source=source.key, columns=columns)
    check_cycle(known, new, readers, place)
    return new


def _lowered(
    known: Snapshot, view: Table, query: ir.Query, place: Place | None, lowering: LoweredViews
) -> tuple[Table, Lowered]:
    """The table or view in a view's FROM that feeds it, and its query in Spark SQL."""
    settings = query_settings.read(query.settings, query.setting_places)
    query_settings.check_view(settings, query.setting_places)
    source, feeder = _source(known, query, view.database, place)
    found = lowering.lower(known, view, feeder, query=query)
    if feeder.kind != KAFKA:
        with errors.at(place):
            found.relations.stored()
    return source, found.lowered


def _source(
    known: Snapshot, query: ir.Query, database: str, place: Place | None
) -> tuple[Table, Table]:
    """What feeds a view: the Kafka table in its query, or the first table of its FROM.

    That may be another view, which stands for the table it writes to.

    Raises:
        SluiceError: VIEW_SOURCE_UNSUPPORTED if nothing could feed it, UNKNOWN_TABLE.
    """
    relations = Relations(known, database)
    names = [n for n in tables_in(query) if (n.database or database) not in DATABASES]
    tables = {table.key: table for table in map(relations.table, names)}
    kafka = [table for table in tables.values() if table.kind == KAFKA]
    first = leading_table(query)
    if len(kafka) > 1 or (first is None and not kafka):
        raise errors.VIEW_SOURCE_UNSUPPORTED(
            source="several Kafka tables" if kafka else "no table",
            hint="One table feeds a view; others may be joined.",
            place=place,
        )
    if kafka or first is None:
        return kafka[0], kafka[0]
    if (first.database or database) in DATABASES:
        full = f"{first.database or database}.{first.table}"
        raise errors.VIEW_SOURCE_UNSUPPORTED(source=full, hint="", place=place)
    feeder = relations.table(first)
    if is_view(feeder):
        raise errors.VIEW_SOURCE_UNSUPPORTED(
            source=f"the view {feeder.full_name}",
            hint="No rows arrive in it: read the table that it reads.",
            place=place,
        )
    if key_of(feeder):
        raise errors.VIEW_SOURCE_UNSUPPORTED(
            source=f"{feeder.full_name}, whose rows are kept by key,",
            hint="Its rows are replaced and deleted: read the table that they come from.",
            place=place,
        )
    return find(known, first, database), feeder


def missing_columns(columns: tuple[str, ...], target: Table) -> tuple[tuple[str, str], ...]:
    """The columns that a view leaves to its target's DEFAULTs, with their expressions."""
    return tuple(
        (column.name, column.default)
        for column in target.columns
        if column.default is not None and column.name not in columns
    )


def check_target(
    target: Table, columns: tuple[str, ...], place: Place | None, column_place: Place | None
) -> None:
    """Whether the columns that a view selects can be written to its target.

    Raises:
        SluiceError: VIEW_TARGET_UNSUPPORTED or UNKNOWN_COLUMN.
    """
    if target.kind not in (STORED, KAFKA) or target.dialect != "clickhouse":
        raise errors.VIEW_TARGET_UNSUPPORTED(target=target.full_name, place=place)
    known = written_columns(target) if target.kind == STORED else set(writable_columns(target))
    for name in visible(columns):
        if name not in known:
            hint = (
                errors.nearest(name, known)
                or f"{target.full_name} has no such column; name it with AS, or leave it out."
            )
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=column_place)


def _check_rows(
    known: Snapshot,
    view: Table,
    query: ir.Query,
    target: Table,
    lowering: LoweredViews,
    lowered: Lowered,
) -> None:
    """Whether a target can apply the changes of a view, and compute what that does not select.

    Raises:
        SluiceError: what `applies_changes` raises, CHANGES_NOT_ROW_BY_ROW,
            SCHEMA_DRIFT_NOT_TAKEN, or VIEW_DEFAULTS_INCOMPLETE, naming the missing column.
    """
    _, feeder = _source(known, query, view.database, None)
    check_carried(lowered.columns, feeder.full_name, target)
    if applies_changes(known, feeder, target, lambda: query, lowered):
        found = lowering.lower(known, view, feeder, query=query, changes=True)
        check_hidden(known, feeder, found.lowered, lowered)
    computed = missing_columns(lowered.columns, target)
    if not computed:
        return
    try:
        lowering.lower(known, view, feeder, computed=computed, query=query)
    except errors.SluiceError as bad:
        raise errors.VIEW_DEFAULTS_INCOMPLETE(target=target.full_name, reason=bad.message) from bad


def columns_written(target: Table | None, names: tuple[str, ...]) -> tuple[Column, ...]:
    """The columns of its target that a view fills."""
    if target is None:
        return ()
    return tuple(column for column in target.columns if column.name in names)


def columns_selected(lowered: Lowered, place: Place | None) -> tuple[Column, ...]:
    """The columns of the table that a view without TO gets.

    Raises:
        SluiceError: VIEW_COLUMN_TYPE_UNKNOWN for one whose type cannot be inferred.
    """
    found = []
    for name, type_ in zip(lowered.columns, lowered.types, strict=True):
        if name == EVOLVED:
            continue
        if type_ is None or m.holds(type_, m.Nothing):
            raise errors.VIEW_COLUMN_TYPE_UNKNOWN(column=name, place=place)
        found.append(Column(name, type_))
    return tuple(found)


@temporary.seeing({})
def qualified(known: Known, text: str, database: str) -> str:
    """A query with the database in front of every table that had none.

    Raises:
        SluiceError: for a table that is not there.
    """
    relations, found = Relations(known, database), set()

    def resolve(name: ir.Name) -> Relation:
        if name.database is None and name.place is not None:
            found.add((name.place.line, name.place.column))
        return relations.resolve(name)

    lower_query(read_query(text), resolve, database=database)
    lines = text.split("\n")
    for line, column in sorted(found, reverse=True):
        before = lines[line - 1]
        at = column - 1
        lines[line - 1] = f"{before[:at]}{quote_name(database)}.{before[at:]}"
    return "\n".join(lines)


def fault(known: Snapshot, view: Table, lowering: LoweredViews) -> errors.SluiceError | None:
    """Why a view could not run; one that waits for a table to be created can."""
    query = read_query(view.query or "")
    try:
        _, lowered = _lowered(known, view, query, None, lowering)
        target = known.find(*view.target) if view.target else None
        if target is not None:
            check_target(target, lowered.columns, None, None)
            _check_rows(known, view, query, target, lowering, lowered)
    except errors.SluiceError as bad:
        return bad
    return None


def check_own(known: Known, table: Table, place: Place | None) -> None:
    """Whether a table is nobody's but the user's.

    Raises:
        SluiceError: TABLE_OWNED_BY_VIEW.
    """
    for view in known.tables():
        if view.owns_target and view.target == table.key:
            raise errors.TABLE_OWNED_BY_VIEW(
                table=table.full_name, view=view.full_name, place=place
            )


@temporary.seeing({})
def check_views(
    known: Snapshot, changed: Table, lowering: LoweredViews, place: Place | None
) -> None:
    """No view that could run may be one that cannot once a table has changed.

    Raises:
        SluiceError: VIEW_WOULD_FAIL.
    """
    draft = (changed if t.uuid == changed.uuid else t for t in known.tables())
    _check_draft(known, known.with_tables(draft), changed, lowering, place)


@temporary.seeing({})
def check_replaced(
    known: Snapshot, old: Table, new: Table, lowering: LoweredViews, place: Place | None
) -> None:
    """The same once another table has taken the name of one.

    Raises:
        SluiceError: VIEW_WOULD_FAIL.
    """
    draft = (new if t.uuid == old.uuid else t for t in known.tables())
    _check_draft(known, known.with_tables(draft), new, lowering, place)


def _check_draft(
    known: Snapshot, draft: Snapshot, changed: Table, lowering: LoweredViews, place: Place | None
) -> None:
    for view in draft.tables():
        if view.kind != VIEW:
            continue
        if view.target != changed.key and lowering.unaffected(draft, view):
            continue
        after = fault(draft, view, lowering)
        if after is not None and fault(known, view, lowering) is None:
            raise errors.VIEW_WOULD_FAIL(view=view.full_name, reason=after.message, place=place)
