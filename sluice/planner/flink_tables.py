"""Flink's tables and views: what the catalog keeps of a statement, and what queries read."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import QUERY, STORED, TOPIC, Table
from sluice.options.kafka import dialect_of
from sluice.planner import definitions
from sluice.planner.relations import find
from sluice.planner.schema_drift import carried
from sluice.planner.stored import check_stored
from sluice.planner.topic_sink import check_partitioner
from sluice.planner.topics import check_together, flink_options
from sluice.sql import ir
from sluice.sql.relation import BY_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Catalog
    from sluice.config import Config
    from sluice.errors import Place
    from sluice.planner.query import Input
    from sluice.sql.relation import Relation

DIALECT = "flink"
CATALOG = "default_catalog"
CONNECTORS = {"kafka": TOPIC, "upsert-kafka": TOPIC, "delta": STORED, "": STORED}
"""A connector and what it makes of a table; a table without one is stored here."""


def table_of(
    catalog: Catalog, statement: ir.CreateTable, key: tuple[str, str], database: str
) -> Table:
    """The table that a CREATE TABLE makes; its options are not checked.

    Raises:
        SluiceError: for a connector or an expression that is wrong.
    """
    from sluice.sql.flink.computed import typed
    from sluice.sql.flink.like import merge
    from sluice.sql.flink.show import from_catalog

    if statement.like is not None:
        base = own_table(catalog, statement.like, database)
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


def check_new(
    config: Config | None, table: Table, places: Mapping[str, Place] | None = None
) -> None:
    """Check a table over topics that is about to be created.

    ALTER TABLE sets one option after the other, so that only each by itself is checked there.
    """
    check_options(config, table, places)
    check_together(table, places)


def check_options(
    config: Config | None, table: Table, places: Mapping[str, Place] | None = None
) -> None:
    """Check each option by itself; what names a class to be run is not left to its first use."""
    values = flink_options(table.settings, places)
    allowed = config.partitioners if config else ()
    check_partitioner(values, dialect_of(table.settings), allowed, places)


def check(config: Config | None, table: Table, place: Place | None) -> Table:
    """A table that was changed, with its columns and each of its options checked."""
    from sluice.sql.flink.computed import typed
    from sluice.sql.flink.show import from_catalog

    with errors.at(place):
        made = typed(from_catalog(table, table.settings))
        if table.kind == TOPIC:
            check_options(config, table)
        elif table.kind == STORED:
            check_stored(table, lambda _: place)
    columns = [
        replace(definitions.column_of(new), stored=old.stored, late=old.late)
        for old, new in zip(table.columns, made.columns, strict=True)
    ]
    return replace(table, columns=tuple(columns))


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


def with_changes(found: Relation, given: Input, *, written: bool = False) -> Relation:
    """A table as a query reads it, with its key and the changes that its messages are.

    A query that is `written` to a table carries columns that this one does not declare.
    """
    source = given.source
    if source is None:
        return replace(found, key=given.table.primary_key)
    omits = source.changelog == BY_KEY and source.value.codec.format.omits
    key = given.table.primary_key if source.changelog else ()
    more = carried(source.schema_drift) if written else ()
    columns = (*found.columns, *more)
    return replace(found, columns=columns, key=key, changelog=source.changelog, partial=omits)


def own_table(catalog: Catalog, name: ir.Name, database: str) -> Table:
    """A table of this dialect."""
    _check_catalog(name)
    table = find(catalog, name, database)
    if table.dialect != DIALECT:
        raise errors.OTHER_DIALECT(
            table=table.full_name, dialect_of_table="ClickHouse", place=name.place
        )
    return table


def check_catalog(statement: ir.Statement) -> None:
    """Refuse a name in another catalog: there is only one.

    Raises:
        SluiceError: UNKNOWN_CATALOG.
    """
    name = getattr(statement, "name", None)
    if isinstance(name, ir.Name):
        _check_catalog(name)


def _check_catalog(name: ir.Name) -> None:
    if name.catalog is not None:
        raise errors.UNKNOWN_CATALOG(name=name.catalog, catalog=CATALOG, place=name.place)
