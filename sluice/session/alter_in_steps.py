"""ALTER TABLE with changes of columns and of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.formats.result import Result
from sluice.session import changes, clickhouse_mutations, sql_functions
from sluice.sql import ir

if TYPE_CHECKING:
    from sluice.session.context import Context


def alter_in_steps(context: Context, statement: ir.AlterInSteps) -> Result:
    """Carry out one step after the other; what was done before one that fails stays."""
    for step in statement.steps:
        if isinstance(step, ir.Mutation):
            clickhouse_mutations.mutate(context, step)
        else:
            changes.apply(context, sql_functions.lasting(context.engine, step))
    return Result()
