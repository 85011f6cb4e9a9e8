"""SYSTEM statements about reading: stop and start it, one cycle of it, begin elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA
from sluice.plan.reset import read_reset
from sluice.session.relations import find
from sluice.session.result import Result

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.session.engine import Engine
    from sluice.sql import ir

STOPPED, PAUSED = "STOPPED", "PAUSED"

HALTED = {"STOP": STOPPED, "PAUSE": PAUSED, "START": "", "RESUME": ""}
"""What a table is behind each of the statements; the others leave it as it is."""


def reset_offsets(engine: Engine, statement: ir.ResetOffsets, database: str) -> Result:
    """SYSTEM RESET OFFSETS: a new generation that begins elsewhere."""
    table = _kafka_table(engine, statement.name, database)
    try:
        reset = read_reset(statement.to, statement.value)
    except errors.SluiceError as bad:
        raise bad.at(statement.place) from bad
    try:
        engine.supervisor.reset(engine.spec(table), reset)
    except errors.UserError as bad:
        raise bad.at(statement.place or statement.name.place) from bad
    finally:
        engine.sync()
    return Result()


def consume(engine: Engine, statement: ir.Consume, database: str) -> Result:
    """SYSTEM STOP, PAUSE, START and RESUME are remembered; REFRESH runs a single cycle.

    A pause lets messages that wait for a batch to fill be the last batch; a stop leaves them. There
    is nothing that CANCEL could end without it beginning again at once.
    """
    tables = (
        [_kafka_table(engine, statement.name, database)]
        if statement.name is not None
        else [t for t in engine.catalog.tables() if t.kind == KAFKA and t.attached]
    )
    if statement.action == "REFRESH":
        for table in tables:
            engine.supervisor.refresh(table.uuid)
    elif statement.action in HALTED:
        halted = HALTED[statement.action]
        changed = [table for table in tables if table.halted != halted]
        if halted == PAUSED:
            engine.supervisor.finish([table.uuid for table in changed])
        engine.catalog.replace(*(replace(table, halted=halted) for table in changed))
        engine.sync()
    return Result()


def _kafka_table(engine: Engine, name: ir.Name, database: str) -> Table:
    table = find(engine.catalog, name, database)
    if table.kind != KAFKA:
        reason = f"{table.full_name} is not a Kafka table: it has no offsets"
        raise errors.BAD_ARGUMENTS(reason=reason, place=name.place)
    return table
