"""What the catalog holds: databases, tables and their parts, columns, views."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sluice.catalog import QUERY, STORED, VIEW
from sluice.catalog.system_tables import DATABASES, SYSTEM
from sluice.clickhouse.data_files import NotReadable, physical_name
from sluice.engine.storage import column_sizes
from sluice.engine.storage.column_sizes import Size
from sluice.engine.storage.partition_rows import Part
from sluice.errors import SluiceError
from sluice.planner import ddl_text
from sluice.planner.partitions import WHOLE, partition_key
from sluice.planner.stored import partitions_of
from sluice.planner.table_engines import engine_of
from sluice.system.registry import system_table
from sluice.types import bare
from sluice.types import model as m
from sluice.types.encoded import FineDateTime, WideDecimal, WideInt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sluice.catalog import Column, Table
    from sluice.engine.engine import Engine
    from sluice.engine.storage.totals import File
    from sluice.types import Type


@system_table(
    "databases",
    """
    name String
    engine String
    data_path String
    metadata_path String
    uuid UUID
    engine_full String
    comment String
    database = name
    """,
)
def _databases(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for name in all_databases(engine):
        kind = "Memory" if name in DATABASES else "Atomic"
        comment = engine.catalog.database_comment(name)
        yield {"name": name, "engine": kind, "engine_full": kind, "comment": comment}


@system_table(
    "tables",
    """
    database String
    name String
    uuid UUID
    engine String
    is_temporary UInt8
    data_paths Array(String)
    metadata_path String
    metadata_modification_time DateTime
    metadata_version Int32
    dependencies_database Array(String)
    dependencies_table Array(String)
    create_table_query String
    engine_full String
    as_select String
    partition_key String
    sorting_key String
    primary_key String
    sampling_key String
    storage_policy String
    total_rows Nullable(UInt64)
    total_bytes Nullable(UInt64)
    parts Nullable(UInt64)
    active_parts Nullable(UInt64)
    lifetime_rows Nullable(UInt64)
    lifetime_bytes Nullable(UInt64)
    comment String
    has_own_data UInt8
    loading_dependencies_database Array(String)
    loading_dependencies_table Array(String)
    loading_dependent_database Array(String)
    loading_dependent_table Array(String)
    definer String
    is_attached UInt8
    dialect String
    table = name
    """,
)
def _tables(engine: Engine) -> Iterable[Mapping[str, Any]]:
    tables = engine.catalog.tables()
    for table in tables:
        readers = [view.key for view in tables if view.source == table.key and view.attached]
        yield {
            "database": table.database,
            "name": table.name,
            "uuid": table.uuid,
            "engine": _engine_of(table),
            "is_temporary": int(table.temporary),
            "metadata_modification_time": table.created,
            "dependencies_database": [database for database, _ in readers],
            "dependencies_table": [name for _, name in readers],
            **_statement(table, tables),
            "as_select": table.query or "",
            "partition_key": table.partition_by or "",
            "sorting_key": ", ".join(table.order_by),
            "primary_key": ", ".join(table.primary_key or table.order_by),
            "sampling_key": table.sample_by or "",
            "storage_policy": "default" if engine_of(table).keyed else "",
            **totals_of(engine, table),
            "comment": table.comment,
            "has_own_data": int(table.kind == STORED),
            "is_attached": int(table.attached),
            "dialect": table.dialect,
        }
    for database, own in DATABASES.items():
        for name in own:
            yield {
                "database": database,
                "name": name if database != "INFORMATION_SCHEMA" else name.upper(),
                "engine": "System",
                "is_attached": 1,
                "dialect": "clickhouse",
            }


def _statement(table: Table, tables: list[Table]) -> dict[str, str]:
    """The CREATE statement with secrets hidden; Flink tables have SHOW CREATE instead."""
    if table.dialect != "clickhouse":
        return {"engine_full": _engine_of(table)}
    inner = next((t for t in tables if table.owns_target and t.key == table.target), None)
    text = " ".join(ddl_text.create_statement(table, inner).split())
    _, _, rest = text.partition("ENGINE = ")
    full = "" if table.kind in (VIEW, QUERY) else rest.partition(" COMMENT ")[0]
    return {"create_table_query": text, "engine_full": full}


def _files(engine: Engine, table: Table) -> Mapping[str, File] | None:
    """The files of a stored table, by their names; None if they cannot be reached."""
    if table.kind != STORED or not engine.store.reachable(table):
        return None
    return engine.totals.files(engine.store.path(table))


def totals_of(engine: Engine, table: Table) -> dict[str, int | None]:
    """How much a stored table holds, as its log tells; nothing for others."""
    files = _files(engine, table)
    if files is None:
        return {}
    rows = [file.rows for file in files.values()]
    return {
        "total_rows": None if None in rows else sum(row or 0 for row in rows),
        "total_bytes": sum(file.size for file in files.values()),
        "parts": len(files),
        "active_parts": len(files),
    }


PART = """
    partition String
    name String
    uuid UUID
    part_type String
    active UInt8
    rows UInt64
    bytes_on_disk UInt64
    data_compressed_bytes UInt64
    modification_time DateTime
    partition_id String
    database String
    table String
    engine String
    disk_name String
"""
"""Columns of a part; a part is the rows of a partition in a file."""


@system_table("parts", PART)
def _parts(engine: Engine) -> Iterable[Mapping[str, Any]]:
    return (row for _, _, _, row in _every_part(engine))


def _every_part(engine: Engine) -> Iterator[tuple[Table, str, float, Mapping[str, Any]]]:
    """The rows of a partition in a file, each with its table, the file and its share of that."""
    for table in engine.catalog.tables():
        files = _files(engine, table) or {}
        by_file = _partitions(engine, table) if files else {}
        for name, file in files.items():
            whole = [Part("tuple()", WHOLE, file.rows or 0)]
            for part in by_file.get(unquote(name).rpartition("/")[2], whole):
                share = part.rows / (file.rows or 1) if by_file else 1.0
                size = round(file.size * share)
                row = {
                    "partition": part.partition,
                    "name": name.rpartition("/")[2],
                    "part_type": "Parquet",
                    "active": 1,
                    "rows": part.rows,
                    "bytes_on_disk": size,
                    "data_compressed_bytes": size,
                    "modification_time": datetime.fromtimestamp(file.modified_ms / 1000, UTC),
                    "partition_id": part.id,
                    "database": table.database,
                    "table": table.name,
                    "engine": table.engine,
                    "disk_name": "default",
                }
                yield table, unquote(name), share, row


@system_table(
    "parts_columns",
    f"""
    {PART.strip()}
    column String
    type String
    column_position UInt64
    default_kind String
    default_expression String
    column_bytes_on_disk UInt64
    column_data_compressed_bytes UInt64
    column_data_uncompressed_bytes UInt64
    column_marks_bytes UInt64
    """,
)
def _parts_columns(engine: Engine) -> Iterator[Mapping[str, Any]]:
    names_in_files: dict[str, Mapping[str, str]] = {}
    for table, name, share, row in _every_part(engine):
        path = engine.store.path(table) / name
        sizes = column_sizes.of_file(path) if isinstance(path, Path) else {}
        if (names := names_in_files.get(table.uuid)) is None:
            names = names_in_files[table.uuid] = _names_in_files(engine, table)
        for at, column in enumerate(table.columns, start=1):
            if column.alias is not None:
                continue
            kind, expression = ddl_text.default_of(column)
            size = sizes.get(names.get(column.name_in_files, column.name_in_files), Size())
            compressed, plain = round(size.compressed * share), round(size.plain * share)
            yield {
                **row,
                "column": column.name,
                "type": str(column.type),
                "column_position": at,
                "default_kind": kind,
                "default_expression": expression,
                "column_bytes_on_disk": compressed,
                "column_data_compressed_bytes": compressed,
                "column_data_uncompressed_bytes": plain,
            }


def _names_in_files(engine: Engine, table: Table) -> Mapping[str, str]:
    """What the columns of a table's files are called there, by the names that the table knows."""
    snapshot = engine.snapshots.of(engine.store.path(table))
    if isinstance(snapshot, NotReadable):
        return {}
    return {name: physical_name(field) for name, field in snapshot.fields.items()}


def _partitions(engine: Engine, table: Table) -> Mapping[str, Sequence[Part]]:
    """The rows of each partition in the files of a table that has PARTITION BY."""
    if table.dialect != "clickhouse" or not partition_key(table):
        return {}
    snapshot = engine.snapshots.of(engine.store.path(table))
    if isinstance(snapshot, NotReadable):
        return {}
    with suppress(SluiceError):  # a key that is no expression ClickHouse may compute
        return engine.partition_rows.of(table, snapshot)
    return {}


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
    data_compressed_bytes UInt64
    data_uncompressed_bytes UInt64
    marks_bytes UInt64
    comment String
    is_in_partition_key UInt8
    is_in_sorting_key UInt8
    is_in_primary_key UInt8
    is_in_sampling_key UInt8
    compression_codec String
    character_octet_length Nullable(UInt64)
    numeric_precision Nullable(UInt64)
    numeric_precision_radix Nullable(UInt64)
    numeric_scale Nullable(UInt64)
    datetime_precision Nullable(UInt64)
    column = name
    """,
)
def _columns(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for table in engine.catalog.tables():
        for at, column in enumerate(table.columns, start=1):
            kind, expression = ddl_text.default_of(column)
            yield {
                "database": table.database,
                "table": table.name,
                "name": column.name,
                "type": str(column.type),
                "position": at,
                "default_kind": kind,
                "default_expression": expression,
                "comment": column.comment,
                "compression_codec": f"CODEC({column.codec})" if column.codec else "",
                **_keys(table, column),
                **sizes(column.type),
            }
    for name, own in SYSTEM.items():
        for at, (column_name, type_) in enumerate(own.columns, start=1):
            yield {
                "database": "system",
                "table": name,
                "name": column_name,
                "type": str(type_),
                "position": at,
                "comment": own.comments.get(column_name, ""),
                **sizes(type_),
            }


def _keys(table: Table, column: Column) -> dict[str, int]:
    """Which of the table's keys use the column, alone or inside an expression."""
    from sluice.sql.clickhouse.reading import names_in

    def names(*expressions: str | None) -> set[str]:
        if table.dialect == "flink":
            return {name for name in expressions if name}
        return {name for text in expressions if text for name in names_in(text)}

    keys = {
        "is_in_partition_key": names(*(partitions_of(table) or (table.partition_by,))),
        "is_in_sorting_key": names(*table.order_by),
        "is_in_primary_key": names(*(table.primary_key or table.order_by)),
        "is_in_sampling_key": names(table.sample_by),
    }
    return {flag: int(column.name in key) for flag, key in keys.items()}


def sizes(type_: Type) -> dict[str, int]:
    """Precision and length of a type, as in the standard's views."""
    match bare(type_):
        case m.Int(bits=bits) | WideInt(bits=bits):
            return {"numeric_precision": bits, "numeric_precision_radix": 2, "numeric_scale": 0}
        case m.Float(bits=bits):
            return {"numeric_precision": bits, "numeric_precision_radix": 2}
        case (
            m.Decimal(precision=precision, scale=scale)
            | WideDecimal(precision=precision, scale=scale)
        ):
            return {
                "numeric_precision": precision,
                "numeric_precision_radix": 10,
                "numeric_scale": scale,
            }
        case m.FixedString(length=length):
            return {"character_octet_length": length}
        case m.DateTime(precision=precision) | FineDateTime(precision=precision):
            return {"datetime_precision": precision or 0}
        case m.Date():
            return {"datetime_precision": 0}
        case _:
            return {}


@system_table(
    "views",
    """
    database String
    name String
    uuid UUID
    source_database String
    source_table String
    target_database String
    target_table String
    has_own_target UInt8
    query String
    is_attached UInt8
    state String
    last_error String
    """,
)
def _views(engine: Engine) -> Iterator[Mapping[str, Any]]:
    running = {p.spec.source.table.key: p.status for p in engine.supervisor.tables()}
    for view in engine.catalog.tables():
        if view.kind not in (VIEW, QUERY):
            continue
        source, target = view.source or ("", ""), view.target or ("", "")
        status = running.get(source) if view.attached else None
        yield {
            "database": view.database,
            "name": view.name,
            "uuid": view.uuid,
            "source_database": source[0],
            "source_table": source[1],
            "target_database": target[0],
            "target_table": target[1],
            "has_own_target": int(view.owns_target),
            "query": view.query or "",
            "is_attached": int(view.attached),
            "state": status.state if status else "",
            "last_error": status.error.text() if status and status.error else "",
        }


def all_databases(engine: Engine) -> list[str]:
    """The databases a user sees."""
    return sorted([*engine.catalog.databases(), *DATABASES])


def _engine_of(table: Table) -> str:
    views = {QUERY: "View", VIEW: "MaterializedView"}
    return views.get(table.kind) or table.engine.partition("(")[0]
