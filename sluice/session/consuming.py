"""SYSTEM statements about reading: stop and start it, one cycle of it, begin elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA
from sluice.planner.relations import find
from sluice.planner.reset import read_reset

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.engine.engine import Engine
    from sluice.session.context import Context
    from sluice.sql import ir

STOPPED, PAUSED = "STOPPED", "PAUSED"

HALTED = {"STOP": STOPPED, "PAUSE": PAUSED, "START": "", "RESUME": ""}
"""The state of a table after each of the statements; the others leave it as it is."""


def reset_offsets(context: Context, statement: ir.ResetOffsets) -> None:
    """SYSTEM RESET OFFSETS: a new generation that begins elsewhere."""
    engine, database = context.engine, context.database
    table = _kafka_table(engine, statement.name, database)
    with errors.at(statement.place):
        reset = read_reset(statement.to, statement.value)
    try:
        engine.supervisor.reset(engine.planner.spec(table), reset)
    except errors.UserError as bad:
        raise bad.at(statement.place or statement.name.place) from bad
    finally:
        engine.sync()


def consume(context: Context, statement: ir.Consume) -> None:
    """SYSTEM STOP, PAUSE, START and RESUME are remembered; REFRESH runs a single cycle.

    A pause lets messages that wait for a batch to fill be the last batch; a stop leaves them. There
    is nothing that CANCEL could end without it beginning again at once.
    """
    engine, database = context.engine, context.database
    tables = (
        [_kafka_table(engine, statement.name, database)]
        if statement.name is not None
        else [t for t in engine.catalog.tables() if t.kind == KAFKA and t.attached]
    )
    if statement.action == "REFRESH":
        for table in tables:
            for query in engine.supervisor.queries(table.uuid):
                query.refresh()
    elif statement.action in HALTED:
        halted = HALTED[statement.action]
        changed = [table for table in tables if table.halted != halted]
        for table in changed if halted == PAUSED else ():
            for query in engine.supervisor.queries(table.uuid):
                query.finish()
        engine.catalog.replace(*(replace(table, halted=halted) for table in changed))
        engine.sync()


def _kafka_table(engine: Engine, name: ir.Name, database: str) -> Table:
    table = find(engine.catalog, name, database)
    if table.kind != KAFKA:
        raise errors.NOT_A_KAFKA_TABLE(table=table.full_name, what="offsets", place=name.place)
    return table
