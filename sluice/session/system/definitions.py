"""What the catalog holds: databases, tables, columns, named collections."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sluice.catalog import VIEW
from sluice.session import show
from sluice.session.system.model import TABLES, system_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.session.engine import Engine
    from sluice.session.system.model import Row

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@system_table("databases", "name String")
def _databases(engine: Engine) -> Iterable[Row]:
    return [(name,) for name in all_databases(engine)]


@system_table(
    "tables",
    """
    database String
    name String
    uuid UUID
    engine String
    is_attached Bool
    sorting_key String
    comment String
    metadata_modification_time DateTime
    """,
)
def _tables(engine: Engine) -> Iterable[Row]:
    for table in engine.catalog.tables():
        yield (
            table.database,
            table.name,
            table.uuid,
            engine_of(table.kind, table.engine),
            table.attached,
            ", ".join(table.order_by),
            table.comment,
            table.created,
        )
    for name in TABLES:
        yield (
            "system",
            name,
            "00000000-0000-0000-0000-000000000000",
            "System",
            True,
            "",
            "",
            _EPOCH,
        )


@system_table(
    "columns",
    """
    database String
    table String
    name String
    type String
    position UInt64
    default_kind String
    default_expression String
    comment String
    compression_codec String
    """,
)
def _columns(engine: Engine) -> Iterable[Row]:
    for table in engine.catalog.tables():
        for at, c in enumerate(table.columns, start=1):
            kind, expression = show.default_of(c)
            place = (table.database, table.name, c.name, str(c.type), at)
            yield (*place, kind, expression, c.comment, f"CODEC({c.codec})" if c.codec else "")


@system_table(
    "named_collections",
    """
    name String
    collection Map(String, String)
    source String
    create_query String
    """,
)
def _named_collections(engine: Engine) -> Iterable[Row]:
    for collection in engine.catalog.collections():
        text = show.collection_statement(collection)
        yield (collection.name, show.shown(collection), collection.source, text)


def all_databases(engine: Engine) -> list[str]:
    """The databases a user sees."""
    return sorted([*engine.catalog.databases(), "system"])


def engine_of(kind: str, engine: str) -> str:
    """What the engine column shows."""
    return "MaterializedView" if kind == VIEW else engine.partition("(")[0]
