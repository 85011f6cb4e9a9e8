"""CHECK TABLE: every file of a table's newest version is there, can be read, and is complete."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import STORED
from sluice.catalog.system_tables import DATABASES
from sluice.engine.storage.deletion_vectors import deleted_rows
from sluice.formats.result import Result, ResultColumn
from sluice.planner.relations import check_dialect
from sluice.session import partition_files
from sluice.session.clickhouse_prepared import taken
from sluice.session.clickhouse_views import UseSpark, snapshot_of
from sluice.session.storing import stored
from sluice.types import model as m
from sluice.types import quote_string

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sluice.catalog import Table
    from sluice.clickhouse.data_files import DataFile, Snapshot
    from sluice.clickhouse.pool import Worker
    from sluice.formats.result import Row
    from sluice.session.context import Context
    from sluice.sql import ir

_SINGLE = "check_query_single_value_result"
_PART = (
    ResultColumn("part_path", m.String()),
    ResultColumn("is_passed", m.Int(8, signed=False)),
    ResultColumn("message", m.String()),
)
_TABLE = (ResultColumn("database", m.String()), ResultColumn("table", m.String()))
_ONE = (ResultColumn("result", m.Int(8, signed=False)),)


@dataclass(frozen=True, slots=True)
class _Found:
    """A file, and what is wrong with it; nothing if it is as it has to be."""

    table: Table
    file: str
    problem: str

    def row(self, *, named: bool) -> Row:
        """As a row of the answer."""
        passed = (self.file, int(not self.problem), self.problem)
        return (self.table.database, self.table.name, *passed) if named else passed


def check_table(context: Context, statement: ir.CheckTable) -> Result:
    """CHECK TABLE and CHECK ALL TABLES.

    Raises:
        SluiceError: UNSUPPORTED_BY_STORAGE for a table without files of its own, or far away.
    """
    everything = statement.name is None
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        found = [
            each
            for table in _tables(context, statement)
            for each in _checked(context, worker, table, statement)
        ]
    if context.settings.get(_SINGLE):
        passed = not any(each.problem for each in found)
        return Result(_ONE, [(int(passed),)], statement.format)
    rows = [each.row(named=everything) for each in found]
    return Result((*_TABLE, *_PART) if everything else _PART, rows, statement.format)


def _tables(context: Context, statement: ir.CheckTable) -> Iterator[Table]:
    """Those that are to be checked: all that the user may check, if none is named."""
    engine, name = context.engine, statement.name
    if name is None:
        for each in engine.catalog.tables():
            local = isinstance(engine.store.path(each), Path)
            if each.kind == STORED and local and context.access.holds("CHECK", each.key):
                yield each
        return
    if (name.database or context.database) in DATABASES:
        raise errors.UNSUPPORTED_BY_STORAGE(
            operation="CHECK TABLE", table=name, storage="System", place=name.place
        )
    table = stored(engine, name, context.database, "CHECK TABLE")
    assert table is not None  # noqa: S101 - or it has raised
    check_dialect(table, name.place)
    if not table.keeps_rows:
        raise errors.UNSUPPORTED_BY_STORAGE(
            operation="CHECK TABLE", table=table.full_name, storage=table.engine, place=name.place
        )
    yield table


def _checked(
    context: Context, worker: Worker, table: Table, statement: ir.CheckTable
) -> Iterator[_Found]:
    place = statement.name.place if statement.name is not None else None
    try:
        snapshot = snapshot_of(context.engine, table)
    except UseSpark as why:
        storage = f"{table.engine}: {why}"
        raise errors.UNSUPPORTED_BY_STORAGE(
            operation="CHECK TABLE", table=table.full_name, storage=storage, place=place
        ) from why
    for file in _chosen(context, worker, table, snapshot, statement):
        yield _Found(table, _name(file), _problem(worker, snapshot, file))


def _chosen(
    context: Context,
    worker: Worker,
    table: Table,
    snapshot: Snapshot,
    statement: ir.CheckTable,
) -> Sequence[DataFile]:
    """The files that a statement means; of a partition also those that nobody can look into."""
    if statement.part is not None:
        return [file for file in snapshot.files if _name(file) == statement.part]
    if statement.partition is None or statement.partition.all:
        return snapshot.files
    place = statement.name.place if statement.name is not None else None
    return partition_files.of(context, worker, table, snapshot, statement.partition, place)


def _problem(worker: Worker, snapshot: Snapshot, file: DataFile) -> str:
    """What is wrong with a file."""
    path = snapshot.folder / file.path
    try:
        size = path.stat().st_size
    except OSError as gone:
        return f"The file cannot be read: {gone.strerror}"
    if size != file.size:
        return f"The file has {size} bytes, and {file.size} in the log of the table"
    try:
        rows = _rows(worker, path)
        if file.deletion is not None:
            deleted_rows(snapshot.folder, file.deletion)
    except (errors.SluiceError, OSError) as bad:
        if not worker.usable:
            raise
        return _masked(bad, path)
    if file.rows is not None and rows != file.rows:
        return f"The file has {rows} rows, and {file.rows} in the log of the table"
    return ""


def _rows(worker: Worker, path: Path) -> int:
    """The rows of a file, every value of which is read."""
    source = f"file({quote_string(str(path))}, Parquet)"
    return int(worker.run(f"SELECT count() FROM {source} WHERE NOT ignore(*)"))


def _masked(bad: errors.SluiceError | OSError, path: Path) -> str:
    """An error without the folders of the server."""
    text = bad.message if isinstance(bad, errors.SluiceError) else str(bad.strerror)
    return text.replace(f"{path.parent}/", "").replace(f"{path.parent}", "…")


def _name(file: DataFile) -> str:
    return file.path.rpartition("/")[2]
