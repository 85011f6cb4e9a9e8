"""Statements that change what a stored table has in its files.

A table's files are made when it is first written to or read. Until then a change is one of the
catalog alone; with files there it needs Spark, and is refused as long as that is not built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import STORED, VIEW
from sluice.session.relations import find
from sluice.session.result import Result

if TYPE_CHECKING:
    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.session.engine import Engine
    from sluice.sql import ir


def has_files(engine: Engine, table: Table) -> bool:
    """Whether there are files that a change would have to reach."""
    return (engine.store.path(table) / "_delta_log").exists()


def change_columns(engine: Engine, old: Table, new: Table, place: Place | None) -> None:
    """Bring a stored table's files to its new columns, before the catalog has them.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT for a table that has files, or may get some meanwhile.
    """
    if _stored_columns(old) == _stored_columns(new):
        return
    writer = _writer(engine, old)
    if has_files(engine, old) or writer is not None:
        why = f"that {writer.full_name} writes to" if writer is not None else "that has rows"
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"Changing the columns of {old.full_name}, a stored table {why},",
            hint="Create a table with the new columns and fill it with INSERT INTO … SELECT ….",
            place=place,
        )


def _writer(engine: Engine, table: Table) -> Table | None:
    """A view that may write to the table at any time: it and its source are attached."""
    tables = engine.catalog.tables()
    attached = {t.key for t in tables if t.attached}
    for view in tables:
        if view.attached and view.target == table.key and view.source in attached:
            return view
    return None


def _stored_columns(table: Table) -> list[tuple[str, object]]:
    return [(c.name, c.type) for c in table.columns if c.alias is None]


def truncate(engine: Engine, statement: ir.Truncate, database: str) -> Result:
    """TRUNCATE TABLE."""
    table = _stored(engine, statement.name, database, "TRUNCATE", optional=statement.if_exists)
    if table is not None:
        _without_files(engine, table, "TRUNCATE", statement.name.place)
    return Result()


def optimize(engine: Engine, statement: ir.Optimize, database: str) -> Result:
    """OPTIMIZE TABLE [FINAL]."""
    table = _stored(engine, statement.name, database, "OPTIMIZE")
    if table is not None:
        _without_files(engine, table, "OPTIMIZE", statement.name.place)
    return Result()


def _without_files(engine: Engine, table: Table, verb: str, place: Place | None) -> None:
    """A table without files is empty and in order as it is."""
    if has_files(engine, table):
        what = f"{verb} of {table.full_name}, which has rows,"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)


def _stored(
    engine: Engine, name: ir.Name, database: str, verb: str, *, optional: bool = False
) -> Table | None:
    """The stored table of that name, or the one that a view has for itself."""
    try:
        table = find(engine.catalog, name, database)
    except errors.UserError:
        if optional:
            return None
        raise
    if table.owns_target and table.target is not None:
        return engine.catalog.find(*table.target)
    if table.kind != STORED:
        kind = "MaterializedView" if table.kind == VIEW else table.engine
        raise errors.UNSUPPORTED_STATEMENT(
            what=f"{verb} of {table.full_name} by storage {kind}",
            hint="It keeps no rows of its own.",
            place=name.place,
        )
    return table
