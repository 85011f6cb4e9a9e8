"""KILL QUERY."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.session.direct import Reading
from sluice.session.frames import collect
from sluice.session.queries import answer, lowered
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.session.engine import Engine
    from sluice.session.result import Result
    from sluice.sql import ir

PATIENCE_S = 30.0
"""How long KILL QUERY … SYNC waits for a query to end."""

_COLUMNS = [(name, m.String()) for name in ("kill_status", "query_id", "user", "query")]


def kill_query(engine: Engine, statement: ir.KillQuery, database: str) -> Result:
    """Cancel the queries that the condition chooses, other than this one."""
    with Reading(engine, statement.query, {}) as reading:
        found = collect(engine, lowered(engine, statement.query, database, reading), None)
    own = engine.activity.current()
    rows = [
        (_killed(engine, row[0], statement.mode), *row)
        for row in found.rows
        if own is None or row[0] != own.id
    ]
    return answer(_COLUMNS, rows, statement.format)


def _killed(engine: Engine, query_id: str, mode: str) -> str:
    """Cancel a query; what ClickHouse calls the state that it is in then."""
    if mode == "TEST":
        return "unknown_status"
    query = engine.activity.find(query_id)
    if query is None:
        return "finished"
    query.cancel(errors.QUERY_WAS_CANCELLED(reason=" by KILL QUERY"))
    return "finished" if mode == "SYNC" and query.join(PATIENCE_S) else "waiting"
