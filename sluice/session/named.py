"""Named collections: settings that Kafka tables share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Collection, Value
from sluice.plan import check_create, kafka_source, with_collection
from sluice.session.result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Catalog, Table
    from sluice.config import Config
    from sluice.errors import Place
    from sluice.plan import KafkaSource
    from sluice.session.engine import Engine
    from sluice.sql import ir


def find_collection(catalog: Catalog, name: str, place: Place | None = None) -> Collection:
    """A named collection.

    Raises:
        SluiceError: NAMED_COLLECTION_DOESNT_EXIST with the nearest names.
    """
    found = catalog.collection(name)
    if found is None:
        hint = errors.nearest(name, [known.name for known in catalog.collections()])
        raise errors.NAMED_COLLECTION_DOESNT_EXIST(collection=name, hint=hint, place=place)
    return found


def source_of(
    engine: Engine,
    table: Table,
    places: Mapping[str, Place] | None = None,
    place: Place | None = None,
    *,
    collection: Collection | None = None,
    session: Mapping[str, Any] | None = None,
) -> KafkaSource:
    """What a Kafka table reads, its collection's settings with its own.

    With `collection` it is what it would read if that were its collection. With `session`, what the
    session has SET, the table is about to be made: that is checked more strictly.

    Raises:
        SluiceError: for a setting that is wrong, a collection that is not there.
    """
    name = ""
    if table.collection is not None:
        held = collection or find_collection(engine.catalog, table.collection, place)
        overrides = table.engine_args[1]
        settings = with_collection(held, overrides, table.settings, places, place)
        table = replace(table, settings=settings, engine_args=())
        name = held.name
    if session is not None:
        return check_create(
            table, places, config=engine.config, collection_name=name, settings=session
        )
    found = kafka_source(table, places, config=engine.config, collection_name=name)
    return replace(found, group=engine.instance.named(found.group, table.created))


def configured(config: Config | None) -> list[Collection]:
    """The named collections of the configuration files."""
    found = config.collections if config is not None else {}
    return [
        Collection(name, {key: Value(value, None) for key, value in held.options.items()}, "CONFIG")
        for name, held in found.items()
    ]


def users(catalog: Catalog, name: str) -> list[Table]:
    """The tables that take settings from a collection, attached or not."""
    return [table for table in catalog.tables() if table.collection == name]


def keeps_topics(engine: Engine, old: KafkaSource, new: KafkaSource, place: Place | None) -> None:
    """A table that has begun to read stays with its topics.

    Raises:
        SluiceError: BAD_ARGUMENTS.
    """
    if old.topics != new.topics and engine.catalog.generation(old.table.uuid) is not None:
        reason = (
            f"{old.table.full_name} has read from {', '.join(old.topics)} and would read from "
            f"{', '.join(new.topics)}; drop it and create it again, the group keeps its position"
        )
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)


def create(engine: Engine, statement: ir.CreateNamedCollection, _: str) -> Result:
    """CREATE NAMED COLLECTION."""
    if engine.catalog.collection(statement.name) is not None:
        if statement.if_not_exists:
            return Result()
        raise errors.NAMED_COLLECTION_ALREADY_EXISTS(
            collection=statement.name, place=statement.place
        )
    engine.catalog.put_collection(Collection(statement.name, _values(statement.values)))
    return Result()


def alter(engine: Engine, statement: ir.AlterNamedCollection, _: str) -> Result:
    """ALTER NAMED COLLECTION: the tables that use it go on with what it holds now."""
    old = engine.catalog.collection(statement.name)
    if old is None and statement.if_exists:
        return Result()
    old = old or find_collection(engine.catalog, statement.name, statement.place)
    _check_changeable(old, statement.place)
    kept = dict(old.values)
    for key, value in _values(statement.values).items():
        said = value.overridable
        word = kept[key].overridable if said is None and key in kept else said
        kept[key] = Value(value.value, word)
    for key in statement.delete:
        if key not in kept:
            reason = f"Cannot delete {key} from named collection {old.name}: it does not hold it"
            raise errors.BAD_ARGUMENTS(reason=reason, place=statement.place)
        del kept[key]
    new = Collection(old.name, kept)
    for table in users(engine.catalog, old.name):
        try:
            before = source_of(engine, table, collection=old)
            after = source_of(engine, table, collection=new)
            keeps_topics(engine, before, after, statement.place)
        except errors.SluiceError as bad:
            reason = f"{table.full_name} could not use it any more: {bad.message}"
            raise errors.BAD_ARGUMENTS(reason=reason, place=statement.place) from bad
    engine.catalog.put_collection(new)
    engine.sync()
    return Result()


def drop(engine: Engine, statement: ir.DropNamedCollection, _: str) -> Result:
    """DROP NAMED COLLECTION, if no table uses it."""
    if engine.catalog.collection(statement.name) is None and statement.if_exists:
        return Result()
    found = find_collection(engine.catalog, statement.name, statement.place)
    _check_changeable(found, statement.place)
    used = ", ".join(table.full_name for table in users(engine.catalog, statement.name))
    if used:
        raise errors.NAMED_COLLECTION_IS_USED(
            collection=statement.name, tables=used, place=statement.place
        )
    engine.catalog.remove_collection(statement.name)
    return Result()


def _check_changeable(collection: Collection, place: Place | None) -> None:
    if collection.source != "SQL":
        raise errors.NAMED_COLLECTION_IS_IMMUTABLE(collection=collection.name, place=place)


def _values(given: Mapping[str, ir.CollectionValue]) -> dict[str, Value]:
    return {key: Value(entry.value, entry.overridable) for key, entry in given.items()}
