"""What the names of a query are in a worker: views of tables as they are now, and dictionaries."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors, system
from sluice.clickhouse import made_rows
from sluice.clickhouse.data_files import NotReadable
from sluice.clickhouse.tables import View, declaration, view_of, without_unused_states
from sluice.planner.dictionaries import definition, source_of
from sluice.planner.merging import merging_of
from sluice.planner.query_views import PARAMETERS
from sluice.planner.relations import Relations
from sluice.session import reads
from sluice.sql.ir import Name
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.catalog import Table
    from sluice.catalog.system_tables import SystemTable
    from sluice.clickhouse.data_files import Snapshot
    from sluice.clickhouse.pool import Worker
    from sluice.engine.engine import Engine
    from sluice.session.context import Context, ExternalTable

_SOURCES = "__sluice_sources"
"""Where a worker has the tables of dictionaries: all rows, under names that no query finds."""


class UseSpark(Exception):
    """A query has to be run by Spark, for this reason."""


Key = tuple[str, str]


def load(context: Context, worker: Worker, wanted: Mapping[Key, Table]) -> None:
    """Have these dictionaries in a worker, over their tables as they are now, and no others.

    Others would be read by whoever knows how to name them: a name may be computed.

    Raises:
        UseSpark: if ClickHouse cannot read a dictionary's table.
        SluiceError: ClickHouse's errors about a definition.
    """
    try:
        for key in worker.dictionaries.keys() - wanted.keys():
            worker.run(f"DROP DICTIONARY IF EXISTS {full_name(key)}")
            del worker.dictionaries[key]
        for key, table in wanted.items():
            _load(context, worker, key, table)
    except errors.SluiceError:
        worker.kill()
        raise


def _load(context: Context, worker: Worker, key: Key, table: Table) -> None:
    engine = context.engine
    within, name = source_of(table)
    source = Relations(engine.catalog, within).table(Name(name, within))
    snapshot = snapshot_of(engine, source)
    made = view_of(source, snapshot, merging_of(source), engine.deleted_rows.folder)
    if isinstance(made, NotReadable):
        raise UseSpark(made.reason)
    if worker.dictionaries.get(key) == (table, made):
        return
    if made.deletions:
        engine.deleted_rows.write(snapshot.folder, made.deletions)
    view = (_SOURCES, table.uuid)
    for database in {_SOURCES, key[0]} - worker.databases:
        worker.run(f"CREATE DATABASE IF NOT EXISTS {quote_name(database)} ENGINE = Memory")
        worker.databases.add(database)
    worker.run(create_view(view, made))
    if worker.views.pop(key, None) is not None:
        worker.run(f"DROP VIEW IF EXISTS {full_name(key)}")
    worker.run(f"DROP DICTIONARY IF EXISTS {full_name(key)}")
    lines = definition(table, view, lifetime="0")
    worker.run(f"CREATE DICTIONARY {full_name(key)} {' '.join(lines)}")
    worker.dictionaries[key] = (table, made)


def full_name(key: Key) -> str:
    """A name with its database, in quotes."""
    return f"{quote_name(key[0])}.{quote_name(key[1])}"


def create_view(key: Key, view: View) -> str:
    """The statement that makes a view in a worker."""
    columns = f" ({view.columns})" if view.columns else ""
    return f"CREATE OR REPLACE VIEW {full_name(key)}{columns} AS {view.query}"


def snapshot_of(engine: Engine, table: Table) -> Snapshot:
    """The newest version of a stored table.

    Raises:
        UseSpark: if ClickHouse cannot read it.
    """
    found = engine.snapshots.of(engine.store.path(table))
    if isinstance(found, NotReadable):
        raise UseSpark(found.reason)
    return found


def stored_view(
    context: Context,
    worker: Worker,
    key: Key,
    table: Table,
    names: frozenset[str] | None,
    *,
    quickly: bool = False,
) -> Iterator[str]:
    """The statements after which a name is a stored table as the user sees it.

    If only columns with these `names` are used, it is without states that ClickHouse cannot read,
    and `quickly` without any others, where the worker has those in memory.
    """
    engine = context.engine
    snapshot = snapshot_of(engine, table)
    merging, deleted = merging_of(table), engine.deleted_rows.folder
    made: View | NotReadable | None = None
    read = table
    if names is not None and not reads.row_filter(context.access, key, table.key):
        if quickly and names and merging is None:
            made = worker.kept.view(table, snapshot, names, deleted)
        read = without_unused_states(table, merging, names)
    made = made or view_of(read, snapshot, merging, deleted)
    if not isinstance(made, View):
        raise UseSpark(made.reason)
    if made.deletions:
        engine.deleted_rows.write(snapshot.folder, made.deletions)
    if (noted := engine.activity.current()) is not None:
        noted.to_read[table.uuid] = snapshot.rows() or 0
    yield from _filtered_view(context, worker, key, table, made)


def view_of_query(
    context: Context, worker: Worker, key: Key, table: Table, text: str, database: str
) -> Iterator[str]:
    """A view of the catalog, over the tables that it reads; its names are those of its database."""
    columns = ", ".join(map(declaration, table.columns))
    made = View("" if PARAMETERS in table.settings else columns, text)
    if worker.database != database:
        yield f"USE {quote_name(database)}"
        worker.database = database
    yield from _filtered_view(context, worker, key, table, made)


def _filtered_view(
    context: Context, worker: Worker, key: Key, table: Table, made: View
) -> Iterator[str]:
    """Create a view with the rows that the user sees, unless the worker has it."""
    if condition := reads.row_filter(context.access, key, table.key):
        made = replace(made, query=f"SELECT * FROM ({made.query}) WHERE {condition}")
    if worker.views.get(key) != made:
        yield create_view(key, made)
        worker.views[key] = made


def system_view(context: Context, worker: Worker, key: Key, table: SystemTable) -> Iterator[str]:
    """The same for a system table, whose rows are made now."""
    if system.frame_of(table) is not None:
        reason = f"{table.name} is read by Spark"
        raise UseSpark(reason)
    made = system.rows_of(table, context.engine, context.access)
    path = worker.folder / "rows" / f"{key[0]}.{key[1]}"
    if key in worker.views:
        made_rows.write(path, table.columns, made)
        return
    rows = made_rows.source(path, table.columns, made)
    own = [f"{quote_name(name)} {type_}" for name, type_ in table.columns]
    own += [f"{quote_name(name)} ALIAS {quote_name(of)}" for name, of in table.aliases]
    yield f"DROP TABLE IF EXISTS {full_name(key)}"
    yield f"CREATE VIEW {full_name(key)} ({', '.join(own)}) AS SELECT * FROM {rows}"
    worker.views[key] = rows


def external_view(context: Context, worker: Worker, key: Key, table: ExternalTable) -> str:
    """A table of the request: a view of its rows, which are there as long as the statement runs."""
    folder = Path(tempfile.mkdtemp(prefix="external-", dir=worker.folder / "rows"))
    if (noted := context.engine.activity.current()) is not None:
        noted.remove_at_end(folder)
    path = folder / "data"
    path.write_bytes(table.data)
    of = f"{quote_string(str(path))}, {quote_name(table.format)}, {quote_string(table.structure)}"
    given = ", ".join(f"{name} = {value}" for name, value in table.settings.items())
    settings = f" SETTINGS {given}" if given else ""
    worker.views[key] = table
    return f"CREATE OR REPLACE VIEW {full_name(key)} AS SELECT * FROM file({of}){settings}"
