"""How much a query on Spark may read: known from the logs of its tables before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import STORED
from sluice.options.query_settings import READ_BYTES, READ_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.catalog import Table
    from sluice.engine.engine import Engine


def check(engine: Engine, tables: Iterable[Table], settings: Mapping[str, Any]) -> None:
    """Make sure that the stored tables of a query have no more rows and bytes than it may read.

    How many rows they have is noted, but for tables in an object store, whose logs are far away.

    Raises:
        SluiceError: TOO_MANY_ROWS or TOO_MANY_BYTES.
    """
    limits = [int(settings.get(name) or 0) for name in (READ_ROWS, READ_BYTES)]
    files = {
        table.uuid: engine.totals.files(path).values()
        for table in tables
        if table.kind == STORED
        and (isinstance(path := engine.store.path(table), Path) or any(limits))
    }
    rows = {id_: sum(file.rows or 0 for file in found) for id_, found in files.items()}
    if (noted := engine.activity.current()) is not None:
        noted.to_read = rows
    limit, found = limits[0], sum(rows.values())
    if limit and found > limit:
        raise errors.TOO_MANY_ROWS(found=found, limit=limit)
    limit, found = limits[1], sum(file.size for each in files.values() for file in each)
    if limit and found > limit:
        raise errors.TOO_MANY_BYTES(found=found, limit=limit)
