"""From a statement to what the catalog keeps: pure, so that it can be tested on its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import KAFKA, STORED, VIEW, Column, Table
from sluice.plan import settings_of
from sluice.session import engines, merging
from sluice.session.relations import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sluice.errors import Place
    from sluice.sql import ir

Key = tuple[str, str]


def column_of(column: ir.ColumnDef) -> Column:
    """A column as the catalog keeps it."""
    return Column(
        column.name,
        column.type,
        column.alias,
        column.comment,
        column.default,
        column.default_kind,
        column.metadata,
        column.virtual,
        column.codec,
        column.ttl,
    )


def table_of(
    statement: ir.CreateTable,
    key: Key,
    uuid: str,
    like: Table | None = None,
    selected: Iterable[Column] = (),
) -> Table:
    """The table that a CREATE TABLE makes; `like` is the one behind AS.

    `selected` are the columns of one that has none written.

    Raises:
        SluiceError: for an engine, its arguments or its settings.
    """
    written = tuple(map(column_of, statement.columns)) or tuple(selected)
    columns = like.columns if like is not None else written
    head: dict[str, Any] = {
        "uuid": uuid,
        "database": key[0],
        "name": key[1],
        "created": datetime.now(UTC),
    }
    if not statement.engine.name and like is not None:
        if like.kind == VIEW:
            reason = f"{like.full_name} is a view: write the ENGINE of the new table"
            raise errors.BAD_ARGUMENTS(reason=reason, place=statement.name.place)
        comment = statement.comment or like.comment
        temporary = statement.temporary
        return replace(like, **head, attached=True, comment=comment, temporary=temporary)
    engine, name = engines.find_engine(statement.engine)
    parts: dict[str, Any] = _kafka(statement) if engine.kind == KAFKA else {}
    if engine.keyed and statement.order_by is None:
        reason = f"{name} needs an ORDER BY or a PRIMARY KEY"
        hint = "write ORDER BY tuple() for a table without a key"
        raise errors.BAD_ARGUMENTS(reason=f"{reason}; {hint}", place=statement.engine.place)
    if engine.kind == STORED:
        names = [column.name for column in columns]
        parts["engine_args"] = engines.arguments(statement.engine, engine, names)
        parts["settings"] = _stored_settings(statement.settings, statement.setting_places)
    return Table(
        **head,
        kind=engine.kind,
        columns=columns,
        engine=name,
        order_by=statement.order_by or (),
        partition_by=statement.partition_by,
        primary_key=statement.primary_key,
        sample_by=statement.sample_by,
        ttl=statement.ttl,
        comment=statement.comment,
        dialect=statement.dialect,
        temporary=statement.temporary,
        **parts,
    )


def _kafka(statement: ir.CreateTable) -> dict[str, Any]:
    given = statement.engine
    if given.collection is not None:
        args = (given.collection, dict(given.overrides))
        return {"settings": dict(statement.settings), "engine_args": args}
    places = statement.setting_places
    return {"settings": settings_of(given.args, statement.settings, places, given.place)}


def _stored_settings(given: Mapping[str, Any], places: Mapping[str, Place]) -> Mapping[str, Any]:
    for name in given:
        if name not in engines.STORED_SETTINGS:
            hint = errors.nearest(name, engines.STORED_SETTINGS)
            raise errors.UNKNOWN_SETTING(setting=name, hint=hint, place=places.get(name))
    return given


def view_of(statement: ir.CreateMaterializedView, key: Key, uuid: str, database: str) -> Table:
    """The view that a CREATE MATERIALIZED VIEW makes; what it reads is for the caller to add."""
    view = Table(
        uuid=uuid,
        database=key[0],
        name=key[1],
        kind=VIEW,
        columns=(),
        created=datetime.now(UTC),
        query=statement.query.text,
        comment=statement.comment,
    )
    target = statement.target
    place = (target.database or database, target.table) if target is not None else view.inner_key
    return replace(view, target=place)


def inner_of(statement: ir.CreateMaterializedView, view: Table, columns: Iterable[Column]) -> Table:
    """The table of a view without TO, whose id is made of the view's."""
    import uuid

    assert statement.inner is not None  # noqa: S101 - there is no TO
    own = uuid.uuid5(uuid.UUID(view.uuid), "inner")
    return table_of(statement.inner, view.inner_key, str(own), selected=columns)


def check(table: Table, place_of: Callable[[str], Place | None]) -> None:
    """Whether a table's parts fit together; `place_of` says where a column was written.

    Raises:
        SluiceError: naming what does not fit.
    """
    seen: set[str] = set()
    for column in table.columns:
        if column.name.casefold() in seen:
            raise errors.DUPLICATE_COLUMN(column=column.name, place=place_of(column.name))
        seen.add(column.name.casefold())
        _check_computed(table, column, place_of(column.name))
        for expression in (column.alias, column.default):
            if expression is not None:
                _computable(expression, table, place_of(column.name))
        _check_ttl(column.ttl, table, place_of(column.name))
    _check_clauses(table, place_of(""))
    merging.check(table, place_of(""))


def _check_computed(table: Table, column: Column, place: Place | None) -> None:
    if not column.default_kind:
        return
    if table.kind == KAFKA:
        from sluice.sql.clickhouse.columns import KAFKA_DEFAULTS

        raise errors.BAD_ARGUMENTS(reason=KAFKA_DEFAULTS, place=place)
    if column.default_kind == "EPHEMERAL":
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"EPHEMERAL of column {column.name}",
            hint="Compute the value in the SELECT of the view that fills the table",
            place=place,
        )


def _check_clauses(table: Table, place: Place | None) -> None:
    clauses = {
        "ORDER BY": table.order_by,
        "PRIMARY KEY": table.primary_key,
        "PARTITION BY": table.partition_by,
        "SAMPLE BY": table.sample_by,
        "TTL": table.ttl,
    }
    keyed = engines.engine_of(table).keyed
    for clause, value in clauses.items():
        if value and not keyed:
            reason = f"Engine {table.engine} doesn't support {clause} clause"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    one = filter(None, [table.partition_by, table.sample_by])
    for expression in (*table.order_by, *table.primary_key, *one):
        _check_key(expression, table, place)
    _check_ttl(table.ttl, table, place)
    prefix = table.order_by[: len(table.primary_key)]
    for at, (key, order) in enumerate(zip(table.primary_key, prefix, strict=False)):
        if key != order:
            reason = (
                "Primary key must be a prefix of the sorting key, but the column in the position "
                f"{at} is {order}, not {key}"
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    if len(table.primary_key) > len(table.order_by):
        reason = "Primary key must be a prefix of the sorting key, but its length is greater"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)


def _check_key(expression: str, table: Table, place: Place | None) -> None:
    from sluice.sql.clickhouse.lowering import check_key

    try:
        check_key(expression, columns_of(table))
    except errors.SluiceError as bad:
        raise _moved(bad, place) from bad


def _check_ttl(ttl: str, table: Table, place: Place | None) -> None:
    from sluice.sql.clickhouse.clauses import ttl_expressions

    try:
        expressions = ttl_expressions(ttl) if ttl else []
    except errors.SluiceError as bad:
        raise _moved(bad, place) from bad
    for expression in expressions:
        _computable(expression, table, place)


def _computable(expression: str, table: Table, place: Place | None) -> None:
    """Whether an expression over a table's columns can be computed; errors say `place`."""
    from sluice.sql.clickhouse import lower_scalar

    try:
        lower_scalar(expression, columns_of(table))
    except errors.SluiceError as bad:
        raise _moved(bad, place) from bad


def _moved(bad: errors.SluiceError, place: Place | None) -> errors.SluiceError:
    """An error found in a part of a statement, with its place in the whole."""
    return type(bad)(bad.condition, bad.params, place or bad.place)
