"""What a view selects, and whether its target can take it.

A view outlives every session, so temporary tables are not seen here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, STORED, VIEW, Column, temporary
from sluice.options import query_settings
from sluice.plan.sink import writable_columns
from sluice.session.engines import written_columns
from sluice.session.relations import Relations, find
from sluice.types import model as m
from sluice.types import quote_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.catalog import Catalog, Collection, Table
    from sluice.errors import Place
    from sluice.session.relations import Known
    from sluice.sql import ir
    from sluice.sql.relation import Lowered, Relation


class Draft:
    """The catalog as it would be with other tables."""

    def __init__(self, known: Known, tables: Iterable[Table]) -> None:
        self._known = known
        self._databases = known.databases()
        self._tables = list(tables)
        self._by_key = {table.key: table for table in self._tables}

    def databases(self) -> list[str]:
        """All databases."""
        return self._databases

    def tables(self) -> list[Table]:
        """All tables, as they would be."""
        return self._tables

    def find(self, database: str, name: str) -> Table | None:
        """A table as it would be."""
        return self._by_key.get((database, name))

    def collection(self, name: str) -> Collection | None:
        """A named collection, as it is."""
        return self._known.collection(name)


@temporary.seeing({})
def plan(
    known: Known, query: ir.Query, database: str, place: Place | None
) -> tuple[Lowered, Table]:
    """What a view selects, and the table or view that feeds it.

    That is the Kafka table in it, or the first table of its FROM.

    Raises:
        SluiceError: for the query, or UNSUPPORTED_STATEMENT if nothing could feed it.
    """
    from sluice.sql.clickhouse import lower_query
    from sluice.sql.clickhouse.queries import leading_table

    query_settings.read(query.settings, query.setting_places)
    relations = Relations(known, database)
    lowered = lower_query(query, relations.resolve, database=database)
    kafka = [table for table in relations.found.values() if table.kind == KAFKA]
    first = leading_table(query)
    if len(kafka) > 1 or (first is None and not kafka):
        what = "A materialized view that reads " + ("several Kafka tables" if kafka else "no table")
        raise errors.UNSUPPORTED_STATEMENT(
            what=what, hint="One table feeds a view; others may be joined.", place=place
        )
    if kafka or first is None:
        return lowered, kafka[0]
    try:
        relations.stored()
    except errors.SluiceError as bad:
        raise bad.at(place) from bad
    return lowered, find(known, first, database)


def completed(query: ir.Query, columns: tuple[str, ...], target: Table | None) -> ir.Query:
    """A view's query with the columns that its target computes, where it does not give them."""
    from sluice.sql.clickhouse.queries import with_columns

    missing = {
        column.name: column.default
        for column in (target.columns if target is not None else ())
        if column.default is not None and column.name not in columns
    }
    return with_columns(query, missing) if missing else query


def check_target(
    target: Table, columns: tuple[str, ...], place: Place | None, column_place: Place | None
) -> None:
    """Whether the columns that a view selects can be written to its target.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT or UNKNOWN_COLUMN.
    """
    if target.kind not in (STORED, KAFKA) or target.dialect != "clickhouse":
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"A view that writes to {target.full_name}, which is no table that takes rows,",
            hint="Give it a table with ENGINE = MergeTree or Kafka as its target.",
            place=place,
        )
    known = written_columns(target) if target.kind == STORED else set(writable_columns(target))
    for name in columns:
        if name not in known:
            hint = (
                errors.nearest(name, known)
                or f"{target.full_name} has no such column; name it with AS, or leave it out."
            )
            raise errors.UNKNOWN_COLUMN(column=name, hint=hint, place=column_place)


@temporary.seeing({})
def check_computed(known: Known, query: ir.Query, database: str, target: Table) -> None:
    """Whether what its target computes can be computed from what a view selects.

    Raises:
        SluiceError: naming the column that is missing for it.
    """
    from sluice.sql.clickhouse import lower_query

    resolve = Relations(known, database).resolve
    selected = lower_query(query, resolve, database=database).columns
    try:
        lower_query(completed(query, selected, target), resolve, database=database)
    except errors.SluiceError as bad:
        reason = f"The DEFAULTs of {target.full_name} need more than the view selects"
        raise errors.BAD_ARGUMENTS(reason=f"{reason}: {bad.message}") from bad


def columns_written(target: Table | None, names: tuple[str, ...]) -> tuple[Column, ...]:
    """The columns of its target that a view fills."""
    if target is None:
        return ()
    return tuple(column for column in target.columns if column.name in names)


def columns_selected(lowered: Lowered, place: Place | None) -> tuple[Column, ...]:
    """The columns of the table that a view without TO gets.

    Raises:
        SluiceError: BAD_ARGUMENTS for one whose type only Spark could tell, or that no value has.
    """
    found = []
    for name, type_ in zip(lowered.columns, lowered.types, strict=True):
        if type_ is None or m.holds(type_, m.Nothing):
            reason = f"The type of column {name} cannot be told from the query; write the columns"
            raise errors.BAD_ARGUMENTS(reason=f"{reason} behind the view's name", place=place)
        found.append(Column(name, type_))
    return tuple(found)


def read_query(text: str) -> ir.Query:
    """A view's query, read again."""
    from sluice.sql.clickhouse import parse
    from sluice.sql.ir import Select

    statement = parse(text)
    assert isinstance(statement, Select)  # noqa: S101 - it was one when the view was made
    return statement.query


@temporary.seeing({})
def qualified(known: Known, text: str, database: str) -> str:
    """A query with the database in front of every table that had none.

    Raises:
        SluiceError: for a table that is not there.
    """
    from sluice.sql.clickhouse import lower_query

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


def fault(known: Known, view: Table) -> errors.SluiceError | None:
    """Why a view could not run; one that waits for a table to be created can."""
    try:
        lowered, _ = plan(known, read_query(view.query or ""), view.database, None)
        target = known.find(*view.target) if view.target else None
        if target is not None:
            check_target(target, lowered.columns, None, None)
            check_computed(known, read_query(view.query or ""), view.database, target)
    except errors.SluiceError as bad:
        return bad
    return None


def check_own(known: Known, table: Table, place: Place | None) -> None:
    """Whether a table is nobody's but the user's.

    Raises:
        SluiceError: BAD_ARGUMENTS for the table that a view has for itself.
    """
    for view in known.tables():
        if view.owns_target and view.target == table.key:
            reason = f"{table.full_name} belongs to the materialized view {view.full_name}"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)


def check_views(catalog: Catalog, changed: Table, place: Place | None) -> None:
    """No view that could run may be one that cannot once a table has changed.

    Raises:
        SluiceError: BAD_ARGUMENTS naming the view.
    """
    tables = catalog.tables()
    draft = Draft(catalog, [changed if t.uuid == changed.uuid else t for t in tables])
    for view in tables:
        if view.kind != VIEW:
            continue
        after = fault(draft, view)
        if after is not None and fault(catalog, view) is None:
            reason = f"The view {view.full_name} could not go on: {after.message}"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)
