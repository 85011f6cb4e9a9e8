"""Named collections, and the Kafka tables that take settings from them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Collection, Value
from sluice.planner.arguments import with_collection
from sluice.planner.source import check_create, kafka_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Catalog, Table
    from sluice.config import Config
    from sluice.errors import Place
    from sluice.planner.environment import Environment
    from sluice.planner.spec import KafkaSource


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
    environment: Environment,
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
        held = collection or find_collection(environment.catalog, table.collection, place)
        overrides = table.engine_args[1]
        settings = with_collection(held, overrides, table.settings, places, place)
        table = replace(table, settings=settings, engine_args=())
        name = held.name
    if session is not None:
        return check_create(
            table, places, config=environment.config, collection_name=name, settings=session
        )
    found = kafka_source(table, places, config=environment.config, collection_name=name)
    return replace(found, group=environment.instance.named(found.group, table.created))


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


def keeps_topics(
    environment: Environment, old: KafkaSource, new: KafkaSource, place: Place | None
) -> None:
    """Make sure that a table that has started to read keeps its topics.

    Raises:
        SluiceError: TOPICS_CHANGED.
    """
    if (
        old.topics != new.topics
        and environment.catalog.positions.generation(old.table.uuid) is not None
    ):
        raise errors.TOPICS_CHANGED(
            table=old.table.full_name,
            old=", ".join(old.topics),
            new=", ".join(new.topics),
            place=place,
        )
