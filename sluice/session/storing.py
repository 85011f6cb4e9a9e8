"""Statements that change what a stored table has in its files.

A column that is dropped or renamed stays in the files as it is: the catalog alone says which of
them a table has, and what they are called. So each of these changes is one write to the catalog,
and only a new column needs the files, which have room for it before the catalog knows it.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import STORED, VIEW
from sluice.engine.runtime.status import RUNNING
from sluice.formats.result import Result
from sluice.planner import partitions
from sluice.planner.relations import find
from sluice.planner.stored import free_name
from sluice.session import partition_files
from sluice.session.clickhouse_prepared import taken
from sluice.session.clickhouse_views import UseSpark, snapshot_of
from sluice.types import bare, is_nullable, spark_type
from sluice.types.encoded import stored_alike
from sluice.types.semistructured import same_texts

if TYPE_CHECKING:
    from sluice.catalog import Column, Table
    from sluice.engine.engine import Engine
    from sluice.errors import Place
    from sluice.session.context import Context
    from sluice.sql import ir


NEW = "+"
"""Marks a column that has no name in the files yet."""


def change_columns(engine: Engine, old: Table, new: Table, place: Place | None) -> Table:
    """Make room in a stored table's files for its new columns; the table as the catalog keeps it.

    Raises:
        SluiceError: UNSUPPORTED_TYPE_CHANGE if the files would have to be rewritten.
    """
    if old.stored_columns == new.stored_columns:
        return new
    files = engine.store.exists(old) or (engine.runs_pipelines and _is_written(engine, old))
    before = {column.name_in_files: column for column in old.stored_columns}
    taken = {name.casefold() for name in before}
    taken |= {column.name_in_files.casefold() for column in old.pending}
    if files:
        taken |= {name.casefold() for name in engine.store.schemas.names(engine.spark(), old)}
    columns, added = [], []
    for column in new.columns:
        if column.alias is not None:
            columns.append(column)
        elif column.stored == NEW:
            stored = free_name(column.name, taken)
            taken.add(stored.casefold())
            added.append((stored, column.type))
            columns.append(replace(column, stored=stored, late=files))
        else:
            columns.append(_kept(before[column.name_in_files], column, place, files=files))
    if files and added:
        engine.store.schemas.add_columns(engine.spark(), old, added)
    return replace(new, columns=tuple(columns))


def _kept(old: Column, new: Column, place: Place | None, *, files: bool) -> Column:
    alike = (
        spark_type(old.type) == spark_type(new.type)
        and stored_alike(old.type, new.type)
        and same_texts(bare(old.type), bare(new.type))
    )
    if files and not alike:
        raise errors.UNSUPPORTED_TYPE_CHANGE(
            column=old.name, old=old.type, new=new.type, place=place
        )
    filled = files and is_nullable(old.type) and not is_nullable(new.type)
    return replace(new, late=new.late or filled)


def _is_written(engine: Engine, table: Table) -> bool:
    """Whether a job, or a view that is attached like its source, may write to it at any time."""
    tables = engine.catalog.tables()
    attached = {t.key for t in tables if t.attached}
    views = (t for t in tables if t.attached and t.target == table.key and t.source in attached)
    return any(views) or any(job.state == RUNNING for job in engine.catalog.jobs.all())


def truncate(context: Context, statement: ir.Truncate) -> Result:
    """TRUNCATE TABLE."""
    engine, database = context.engine, context.database
    table = stored(engine, statement.name, database, "TRUNCATE", optional=statement.if_exists)
    if table is not None and engine.store.exists(table):
        engine.store.truncate(engine.spark(), table)
    return Result()


def optimize(context: Context, statement: ir.Optimize) -> Result:
    """OPTIMIZE TABLE [PARTITION …] [FINAL]: all files, if some have rows of the partition."""
    engine, database = context.engine, context.database
    table = stored(engine, statement.name, database, "OPTIMIZE")
    if table is None or not _has_rows(context, table, statement):
        return Result()
    engine.store.compaction.merge_files(engine.spark(), table, final=statement.final)
    return Result()


def _has_rows(context: Context, table: Table, statement: ir.Optimize) -> bool:
    """Whether a table has files with rows of the partition that a statement names, if it does.

    Raises:
        SluiceError: INVALID_PARTITION_VALUE, and ClickHouse's errors about its values.
    """
    engine, partition = context.engine, statement.partition
    if partition is not None:
        partitions.condition(table, partition, statement.name.place)
    if not engine.store.exists(table):
        return False
    if partition is None:
        return True
    with ExitStack() as stack, suppress(UseSpark):
        snapshot = snapshot_of(engine, table)
        worker, place = taken(engine, stack), statement.name.place
        found = partition_files.of(context, worker, table, snapshot, partition, place)
        return bool(found)
    return True


def stored(
    engine: Engine, name: ir.Name, database: str, verb: str, *, optional: bool = False
) -> Table | None:
    """The stored table of that name, or the one that a view has for itself."""
    try:
        table = find(engine.catalog, name, database)
    except errors.UserError:
        if optional:
            return None
        raise
    if table.owns_target and table.target is not None:
        return engine.catalog.find(*table.target)
    if table.kind != STORED:
        kind = "MaterializedView" if table.kind == VIEW else table.engine
        raise errors.UNSUPPORTED_BY_STORAGE(
            operation=verb, table=table.full_name, storage=kind, place=name.place
        )
    return table
