"""`information_schema`: the standard's views of the catalog, for tools that ask for those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.catalog import QUERY, STORED, VIEW
from sluice.catalog.system_tables import INFORMATION
from sluice.planner import ddl_text
from sluice.system.definitions import all_databases, sizes, totals_of
from sluice.system.registry import system_table
from sluice.types import is_nullable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.catalog import Table
    from sluice.engine.engine import Engine


def _standard(columns: str) -> str:
    """The columns, and their names in upper case beside them."""
    names = [line.split()[0] for line in columns.strip().splitlines()]
    return "\n".join([columns.strip(), *(f"{name.upper()} = {name}" for name in names)])


@system_table(
    "schemata",
    _standard(
        """
    catalog_name String
    schema_name String
    schema_owner String
    default_character_set_name Nullable(String)
    """
    ),
    of=INFORMATION,
)
def _schemata(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for name in all_databases(engine):
        yield {"catalog_name": name, "schema_name": name, "schema_owner": "default"}


@system_table(
    "tables",
    _standard(
        """
    table_catalog String
    table_schema String
    table_name String
    table_type String
    table_rows Nullable(UInt64)
    data_length Nullable(UInt64)
    table_collation Nullable(String)
    table_comment Nullable(String)
    """
    ),
    of=INFORMATION,
)
def _tables(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for table in engine.catalog.tables():
        yield {
            "table_catalog": table.database,
            "table_schema": table.database,
            "table_name": table.name,
            "table_type": _kind(table),
            "table_rows": (totals := totals_of(engine, table)).get("total_rows"),
            "data_length": totals.get("total_bytes"),
            "table_comment": table.comment,
        }


def _kind(table: Table) -> str:
    if table.kind in (VIEW, QUERY):
        return "VIEW"
    if table.temporary:
        return "LOCAL TEMPORARY"
    return "BASE TABLE" if table.kind == STORED else "FOREIGN TABLE"


@system_table(
    "columns",
    _standard(
        """
    table_catalog String
    table_schema String
    table_name String
    column_name String
    ordinal_position UInt64
    column_default String
    is_nullable String
    data_type String
    character_maximum_length Nullable(UInt64)
    character_octet_length Nullable(UInt64)
    numeric_precision Nullable(UInt64)
    numeric_precision_radix Nullable(UInt64)
    numeric_scale Nullable(UInt64)
    datetime_precision Nullable(UInt64)
    column_comment String
    column_type String
    """
    ),
    of=INFORMATION,
)
def _columns(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for table in engine.catalog.tables():
        for at, column in enumerate(table.columns, start=1):
            yield {
                "table_catalog": table.database,
                "table_schema": table.database,
                "table_name": table.name,
                "column_name": column.name,
                "ordinal_position": at,
                "column_default": ddl_text.default_of(column)[1],
                "is_nullable": "YES" if is_nullable(column.type) else "NO",
                "data_type": str(column.type),
                "column_comment": column.comment,
                "column_type": str(column.type),
                **sizes(column.type),
            }


@system_table(
    "views",
    _standard(
        """
    table_catalog String
    table_schema String
    table_name String
    view_definition String
    check_option String
    is_updatable Enum8('NO' = 0, 'YES' = 1)
    is_insertable_into Enum8('NO' = 0, 'YES' = 1)
    """
    ),
    of=INFORMATION,
)
def _views(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for table in engine.catalog.tables():
        if table.kind in (VIEW, QUERY):
            yield {
                "table_catalog": table.database,
                "table_schema": table.database,
                "table_name": table.name,
                "view_definition": table.query or "",
                "check_option": "NONE",
            }


@system_table(
    "key_column_usage",
    _standard(
        """
    constraint_catalog String
    constraint_schema String
    constraint_name Nullable(String)
    table_catalog String
    table_schema String
    table_name String
    column_name Nullable(String)
    ordinal_position UInt32
    position_in_unique_constraint Nullable(UInt32)
    referenced_table_schema Nullable(String)
    referenced_table_name Nullable(String)
    referenced_column_name Nullable(String)
    """
    ),
    of=INFORMATION,
)
def _key_columns(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for table in engine.catalog.tables():
        for at, name in enumerate(table.primary_key or table.order_by or (), start=1):
            yield {
                "constraint_catalog": "def",
                "constraint_schema": table.database,
                "constraint_name": "PRIMARY",
                "table_catalog": "def",
                "table_schema": table.database,
                "table_name": table.name,
                "column_name": name,
                "ordinal_position": at,
            }


@system_table(
    "referential_constraints",
    _standard(
        """
    constraint_catalog String
    constraint_schema String
    constraint_name Nullable(String)
    unique_constraint_catalog String
    unique_constraint_schema String
    unique_constraint_name Nullable(String)
    match_option String
    update_rule String
    delete_rule String
    table_name String
    referenced_table_name String
    """
    ),
    of=INFORMATION,
)
def _references(engine: Engine) -> Iterable[Mapping[str, Any]]:
    """There are none."""
    return ()


@system_table("statistics", "", of=INFORMATION)
def _statistics(engine: Engine) -> Iterable[Mapping[str, Any]]:
    """There are none."""
    return ()
