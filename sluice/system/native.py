"""Tables of `system` that are those of the ClickHouse which runs the queries.

A query that it runs reads its own; these rows are for all others.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from sluice.system.clickhouse_columns import NATIVE
from sluice.system.registry import system_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.engine.engine import Engine
    from sluice.system.registry import Row


def _rows(name: str, engine: Engine) -> Iterator[Row]:
    with engine.workers.worker(inner=True) as worker:
        found = worker.run(f"SELECT * FROM system.{name}", lines="JSONCompactEachRow")  # noqa: S608
    return (tuple(json.loads(line)) for line in found.splitlines())


for _name in NATIVE:
    system_table(_name, "")(partial(_rows, _name))
