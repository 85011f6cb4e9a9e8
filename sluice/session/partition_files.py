"""The files of a stored table that have rows of a partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse.tables import View
from sluice.planner import partitions
from sluice.session.clickhouse_prepared import prepared
from sluice.sql.clickhouse.reading import names_in
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.catalog import Table
    from sluice.clickhouse.data_files import DataFile, Snapshot
    from sluice.clickhouse.pool import Worker
    from sluice.errors import Place
    from sluice.session.context import Context
    from sluice.sql import ir

_PROBE = "__sluice_probe"


def of(
    context: Context,
    worker: Worker,
    table: Table,
    snapshot: Snapshot,
    partition: ir.Partition,
    place: Place | None,
) -> Sequence[DataFile]:
    """The files of a version with rows of a partition, and those that nobody can look into.

    Raises:
        SluiceError: INVALID_PARTITION_VALUE, and ClickHouse's errors about its values.
    """
    if partition.all:
        return snapshot.files
    id_ = _id(context, worker, table, partition, place)
    if not partitions.partition_key(table):
        return snapshot.files if id_ == partitions.WHOLE else []
    try:
        parts = context.engine.partition_rows.of(table, snapshot)
    except errors.SluiceError:
        return snapshot.files
    return [
        file
        for file in snapshot.files
        if _name(file) not in parts or any(part.id == id_ for part in parts[_name(file)])
    ]


def _id(
    context: Context, worker: Worker, table: Table, partition: ir.Partition, place: Place | None
) -> str:
    """The id of a partition, of which the values of its key may be given."""
    if partition.id is not None:
        return partition.id
    wanted = partitions.wanted_id(table, partition, place)
    key = partitions.partition_key(table)
    used = {name for each in key for name in names_in(each)}
    columns = ", ".join(
        f"defaultValueOfTypeName({quote_string(str(c.type))}) AS {quote_name(c.name)}"
        for c in table.stored_columns
        if c.name in used
    )
    view = View("", f"SELECT {columns or '1'}")
    asked = f"SELECT {wanted} FROM {_PROBE}"  # noqa: S608 - it is checked there
    ready = prepared(context, worker, asked, {_PROBE: view})
    return worker.run(ready.text).removesuffix("\n")


def _name(file: DataFile) -> str:
    return file.path.rpartition("/")[2]
