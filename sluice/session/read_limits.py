"""How much a query on Spark may read: known from the logs of its tables before it runs."""

from __future__ import annotations

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

    Raises:
        SluiceError: TOO_MANY_ROWS or TOO_MANY_BYTES.
    """
    rows, size = int(settings.get(READ_ROWS) or 0), int(settings.get(READ_BYTES) or 0)
    if not rows and not size:
        return
    files = [
        file
        for table in tables
        if table.kind == STORED
        for file in engine.totals.files(engine.store.path(table)).values()
    ]
    found = sum(file.rows or 0 for file in files)
    if rows and found > rows:
        raise errors.TOO_MANY_ROWS(found=found, limit=rows)
    found = sum(file.size for file in files)
    if size and found > size:
        raise errors.TOO_MANY_BYTES(found=found, limit=size)
