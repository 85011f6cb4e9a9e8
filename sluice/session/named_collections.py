"""CREATE, ALTER and DROP NAMED COLLECTION."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import Collection, Value
from sluice.planner.named_collections import find_collection, keeps_topics, source_of, users

if TYPE_CHECKING:
    from sluice.errors import Place
    from sluice.session.context import Context
    from sluice.sql import ir


def create(context: Context, statement: ir.CreateNamedCollection) -> None:
    """CREATE NAMED COLLECTION."""
    engine = context.engine
    if engine.catalog.collection(statement.name) is not None:
        if statement.if_not_exists:
            return
        raise errors.NAMED_COLLECTION_ALREADY_EXISTS(
            collection=statement.name, place=statement.place
        )
    engine.catalog.put_collection(Collection(statement.name, statement.values))


def alter(context: Context, statement: ir.AlterNamedCollection) -> None:
    """ALTER NAMED COLLECTION: the tables that use it restart with its new values."""
    engine = context.engine
    old = engine.catalog.collection(statement.name)
    if old is None and statement.if_exists:
        return
    old = old or find_collection(engine.catalog, statement.name, statement.place)
    _check_changeable(old, statement.place)
    kept = dict(old.values)
    for key, value in statement.values.items():
        overridable = value.overridable
        if overridable is None and key in kept:
            overridable = kept[key].overridable
        kept[key] = Value(value.value, overridable)
    for key in statement.delete:
        if key not in kept:
            raise errors.NAMED_COLLECTION_KEY_MISSING(
                key=key, collection=old.name, place=statement.place
            )
        del kept[key]
    new = Collection(old.name, kept)
    for table in users(engine.catalog, old.name):
        try:
            before = source_of(engine.environment, table, collection=old)
            after = source_of(engine.environment, table, collection=new)
            keeps_topics(engine.environment, before, after, statement.place)
        except errors.SluiceError as bad:
            raise errors.NAMED_COLLECTION_BREAKS_TABLE(
                table=table.full_name, reason=bad.message, place=statement.place
            ) from bad
    engine.catalog.put_collection(new)
    engine.sync()


def drop(context: Context, statement: ir.DropNamedCollection) -> None:
    """DROP NAMED COLLECTION, if no table uses it."""
    engine = context.engine
    if engine.catalog.collection(statement.name) is None and statement.if_exists:
        return
    found = find_collection(engine.catalog, statement.name, statement.place)
    _check_changeable(found, statement.place)
    used = ", ".join(table.full_name for table in users(engine.catalog, statement.name))
    if used:
        raise errors.NAMED_COLLECTION_IS_USED(
            collection=statement.name, tables=used, place=statement.place
        )
    engine.catalog.remove_collection(statement.name)


def _check_changeable(collection: Collection, place: Place | None) -> None:
    if collection.source != "SQL":
        raise errors.NAMED_COLLECTION_IS_IMMUTABLE(collection=collection.name, place=place)
