"""The statements that change the catalog, in each dialect."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sluice.session import (
    access_statements,
    alter,
    consuming,
    create_select,
    databases,
    ddl,
    dictionaries,
    flink,
    jobs,
    named_collections,
    redrive,
    sql_functions,
    storing,
    views,
)
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.formats.result import Result
    from sluice.session.context import Context

    Handler = Callable[[Context, Any], Result | None]

_CLICKHOUSE: Mapping[type[ir.Statement], Handler] = {
    ir.CreateDatabase: databases.create,
    ir.AlterDatabase: databases.alter,
    ir.DropDatabase: databases.drop,
    ir.RenameDatabase: databases.rename,
    ir.TruncateDatabase: databases.truncate,
    ir.TruncateTables: databases.truncate_tables,
    ir.CreateTable: ddl.create_table,
    ir.CreateView: views.create_view,
    ir.CreateDictionary: dictionaries.create,
    ir.CreateMaterializedView: ddl.create_materialized_view,
    ir.CreateFunction: sql_functions.create,
    ir.DropFunction: sql_functions.drop,
    ir.Drop: ddl.drop,
    ir.Detach: ddl.detach,
    ir.Attach: ddl.attach,
    ir.ResetOffsets: consuming.reset_offsets,
    ir.Consume: consuming.consume,
    ir.CreateNamedCollection: named_collections.create,
    ir.AlterNamedCollection: named_collections.alter,
    ir.DropNamedCollection: named_collections.drop,
    ir.AlterTable: alter.alter_table,
    ir.RenameTables: alter.rename_tables,
    ir.ExchangeTables: alter.exchange_tables,
    ir.Truncate: storing.truncate,
    ir.Optimize: storing.optimize,
    ir.System: ddl.system,
    ir.Redrive: redrive.redrive,
    **access_statements.CHANGES,
}

CHANGES: Mapping[str, Mapping[type[ir.Statement], Handler]] = {
    "clickhouse": _CLICKHOUSE,
    "flink": {**_CLICKHOUSE, **flink.CHANGES},
}
"""Statements that change the catalog, by dialect; they run one at a time."""


def apply(context: Context, statement: ir.Statement) -> Result | None:
    """Carry out a statement that changes the catalog, alone; jobs that lacked it start again."""
    handler = CHANGES[context.dialect][type(statement)]
    with ExitStack() as stack:
        if isinstance(statement, ir.CreateTable) and statement.query is not None:
            handler = stack.enter_context(create_select.filled(context, statement))
        stack.enter_context(context.engine.changes)
        result = handler(context, statement)
        jobs.revive(context.engine)
        return result
