"""Which function runs which statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.session import (
    access_statements,
    alter_in_steps,
    changes,
    clickhouse_checks,
    clickhouse_explain,
    clickhouse_mutations,
    flink,
    insert,
    migration,
    queries,
)
from sluice.sql import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.formats.result import Result
    from sluice.session.context import Context

    Handler = Callable[[Context, Any], Result | None]

READS: Mapping[type[ir.Statement], Handler] = {
    ir.Select: queries.select,
    ir.Insert: insert.insert,
    ir.Mutation: clickhouse_mutations.mutate,
    ir.AlterInSteps: alter_in_steps.alter_in_steps,
    ir.Describe: queries.describe,
    ir.DescribeQuery: queries.describe_query,
    ir.ExplainQuery: clickhouse_explain.explain,
    ir.Exists: queries.exists,
    ir.CheckTable: clickhouse_checks.check_table,
    ir.ShowDatabases: queries.show_databases,
    ir.ShowTables: queries.show_tables,
    ir.ShowCreate: queries.show_create,
    ir.ShowNamedCollections: queries.show_collections,
    ir.ExplainMigration: migration.explain_migration,
    ir.KillQuery: queries.kill_query,
    ir.KillMutation: queries.kill_mutation,
    **access_statements.READS,
}
"""Statements that run side by side."""

HANDLERS: Mapping[str, Mapping[type[ir.Statement], Handler]] = {
    "clickhouse": READS,
    "flink": {**READS, **flink.READS},
}


def run(context: Context, statement: ir.Statement) -> Result | None:
    """Run a statement that does not concern its session alone.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT, and what goes wrong.
    """
    if type(statement) in changes.CHANGES[context.dialect]:
        return changes.apply(context, statement)
    handler = HANDLERS[context.dialect].get(type(statement))
    if handler is None:
        what = f"The statement {type(statement).__name__}"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="")
    return handler(context, statement)
