"""CREATE DICTIONARY: ClickHouse tells whether its definition is right; SELECTs load it."""

from __future__ import annotations

import uuid
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import DICTIONARY, STORED, Table
from sluice.planner import definitions, dictionaries
from sluice.planner.relations import Relations
from sluice.session.alter import check_new
from sluice.session.clickhouse_prepared import taken
from sluice.session.clickhouse_views import UseSpark, load

if TYPE_CHECKING:
    from sluice.session.context import Context
    from sluice.sql import ir


def create(context: Context, statement: ir.CreateDictionary) -> None:
    """CREATE [OR REPLACE] DICTIONARY."""
    engine, name = context.engine, statement.name
    key = (name.database or context.database, name.table)
    check_new(engine, name, key[0])
    there = engine.catalog.find(*key)
    if there is not None and not (statement.or_replace and there.kind == DICTIONARY):
        if statement.if_not_exists:
            return
        raise errors.TABLE_ALREADY_EXISTS(table=".".join(key), place=name.place)
    relations = Relations(engine.catalog, key[0])
    source = relations.table(statement.source)
    if source.kind != STORED:
        raise errors.DICTIONARY_SOURCE_UNSUPPORTED(
            source=source.full_name, reason="it stores no rows", place=statement.source.place
        )
    known = [column.name for column in source.columns]
    for column in statement.columns:
        if column.name not in known:
            hint = errors.nearest(column.name, known)
            raise errors.UNKNOWN_COLUMN(column=column.name, hint=hint, place=column.place)
    parts = dict(statement.parts)
    made = Table(
        str(uuid.uuid4()) if there is None else there.uuid,
        *key,
        DICTIONARY,
        tuple(map(definitions.column_of, statement.columns)),
        datetime.now(UTC),
        engine="Dictionary",
        comment=parts.pop("comment", ""),
        primary_key=statement.primary_key,
        settings=dictionaries.settings_of(source.key, parts, dict(statement.flags)),
    )
    with errors.at(name.place), ExitStack() as stack:
        worker = taken(engine, stack)
        try:
            load(context, worker, {key: replace(made, uuid=str(uuid.uuid4()))})
        except UseSpark as why:
            raise errors.DICTIONARY_SOURCE_UNSUPPORTED(source=source.full_name, reason=why) from why
    if there is None:
        engine.catalog.add(made)
    else:
        engine.catalog.replace(made)
