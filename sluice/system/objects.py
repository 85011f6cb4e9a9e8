"""What the catalog holds besides tables: their elements, collections, mutations, dictionaries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sluice.catalog import DICTIONARY
from sluice.catalog.entities import INDEX, PROJECTION
from sluice.planner import ddl_text, dictionaries
from sluice.sql.masking import masked
from sluice.system.registry import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.catalog import Table
    from sluice.catalog.entities import Element
    from sluice.engine.engine import Engine

_INDEX = re.compile(
    r"(?P<expr>.*?)\s+TYPE\s+(?P<full>(?P<type>\w+).*?)(?:\s+GRANULARITY\s+(?P<count>\d+))?",
    re.I | re.S,
)


@system_table(
    "data_skipping_indices",
    """
    database String
    table String
    name String
    type String
    type_full String
    expr String
    granularity UInt64
    data_compressed_bytes UInt64
    data_uncompressed_bytes UInt64
    marks_bytes UInt64
    """,
)
def _indices(engine: Engine) -> Iterator[Mapping[str, Any]]:
    for table, each in _elements(engine, INDEX):
        found = _INDEX.fullmatch(each.text)
        yield {
            "database": table.database,
            "table": table.name,
            "name": each.name,
            "type": found["type"] if found else "",
            "type_full": found["full"] if found else each.text,
            "expr": found["expr"] if found else "",
            "granularity": int(found["count"] or 1) if found else 1,
        }


@system_table(
    "projections",
    """
    database String
    table String
    name String
    query String
    """,
)
def _projections(engine: Engine) -> Iterator[Mapping[str, Any]]:
    for table, each in _elements(engine, PROJECTION):
        query = each.text.removeprefix("(").removesuffix(")").strip()
        place = {"database": table.database, "table": table.name}
        yield {**place, "name": each.name, "query": query}


def _elements(engine: Engine, kind: str) -> Iterator[tuple[Table, Element]]:
    for table in engine.catalog.tables():
        yield from ((table, each) for each in table.elements if each.kind == kind)


@system_table(
    "named_collections",
    """
    name String
    collection Map(String, String)
    source String
    create_query String
    """,
)
def _named_collections(engine: Engine) -> Iterable[tuple[Any, ...]]:
    for collection in engine.catalog.collections():
        text = ddl_text.collection_statement(collection)
        yield (collection.name, ddl_text.shown(collection), collection.source, text)


@system_table(
    "mutations",
    """
    database String
    table String
    mutation_id String
    command String
    create_time DateTime
    finish_time DateTime
    parts_in_progress_names Array(String)
    parts_to_do_names Array(String)
    parts_to_do Int64
    is_done UInt8 -- it has ended: done, or failed with latest_fail_reason and nothing changed
    is_killed UInt8
    latest_failed_part String
    latest_fail_time DateTime
    latest_fail_reason String
    latest_fail_error_code_name String
    """,
)
def _mutations(engine: Engine) -> Iterable[Mapping[str, Any]]:
    tables = {table.uuid: table for table in engine.catalog.tables()}
    for each in engine.mutations.all():
        if (table := tables.get(each.table_uuid)) is None:  # it was dropped
            continue
        row = {
            "database": table.database,
            "table": table.name,
            "mutation_id": each.id,
            "command": masked(each.command),
            "create_time": each.created,
            "is_done": int(each.finished is not None),
        }
        if each.finished is not None:
            row["finish_time"] = each.finished
        if each.fail_name:
            row["latest_fail_time"] = each.finished
            row["latest_fail_reason"] = each.fail_reason
            row["latest_fail_error_code_name"] = each.fail_name
            row["is_killed"] = int(each.fail_name == "QUERY_WAS_CANCELLED")
        yield row


@system_table(
    "dictionaries",
    """
    database String
    name String
    uuid UUID
    status String -- it is loaded by each process that runs queries, with the query that names it
    origin String
    type String
    key.names Array(String)
    key.types Array(String)
    attribute.names Array(String)
    attribute.types Array(String)
    bytes_allocated UInt64
    element_count UInt64
    source String
    lifetime_min UInt64
    lifetime_max UInt64
    last_exception String
    comment String
    """,
)
def _dictionaries(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for table in engine.catalog.tables():
        if table.kind != DICTIONARY or not table.attached:
            continue
        keys = [column for column in table.columns if column.name in table.primary_key]
        others = [column for column in table.columns if column not in keys]
        least, most = dictionaries.lifetime_of(table)
        yield {
            "database": table.database,
            "name": table.name,
            "uuid": table.uuid,
            "status": "LOADED",
            "origin": table.uuid,
            "type": dictionaries.layout_of(table),
            "key.names": [column.name for column in keys],
            "key.types": [str(column.type) for column in keys],
            "attribute.names": [column.name for column in others],
            "attribute.types": [str(column.type) for column in others],
            "source": f"ClickHouse: {'.'.join(dictionaries.source_of(table))}",
            "lifetime_min": least,
            "lifetime_max": most,
            "comment": table.comment,
        }
