"""What happened to pipelines that somebody may have to know later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.session.system.model import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.session.engine import Engine
    from sluice.session.system.model import Row


@system_table(
    "pipeline_events",
    """
    event_time DateTime64(3)
    database String
    table String
    event String
    message String
    ranges.topic Array(String)
    ranges.partition_id Array(Int32)
    ranges.from_offset Array(Int64)
    ranges.until_offset Array(Int64)
    """,
)
def _pipeline_events(engine: Engine) -> Iterable[Row]:
    for event in engine.catalog.events():
        flat = [(t, p, *r) for t, parts in event.ranges.items() for p, r in parts.items()]
        columns = [list(column) for column in zip(*flat, strict=True)] or [[], [], [], []]
        yield (event.time, event.database, event.table, event.kind, event.message, *columns)
