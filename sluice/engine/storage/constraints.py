"""CONSTRAINT … CHECK: a row that does not fulfil it stops the writing, whoever writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.engine.spark import typed
from sluice.errors.raised import EXPRESSION
from sluice.planner.relations import columns_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from sluice.catalog import Table
    from sluice.catalog.entities import Element


def checked(fitted: DataFrame, table: Table) -> DataFrame:
    """Rows with the columns of a table's files; one that violates a constraint is an error."""
    checks = [each for each in table.elements if each.check]
    if not checks:
        return fitted
    names = {column.name_in_files: column.name for column in table.stored_columns}
    rows = fitted.toDF(*(names.get(name, name) for name in fitted.columns))
    for each in checks:
        rows = rows.where(_fulfilled(table, each))
    return rows.toDF(*fitted.columns)


def _fulfilled(table: Table, check: Element) -> Column:
    condition, uses = _lowered(table, check)
    shown = [
        F.concat(F.lit(f"{name} = "), F.coalesce(typed.column(name).cast("string"), F.lit("NULL")))
        for name in sorted(uses)
    ]
    wrong = {
        "condition": F.lit("VIOLATED_CONSTRAINT"),
        "constraint": F.lit(check.name),
        "table": F.lit(table.full_name),
        "expression": F.lit(check.check),
        "values": F.concat_ws(", ", *shown),
    }
    what = F.to_json(F.struct(*(value.alias(key) for key, value in wrong.items())))
    error = F.raise_error(F.concat(F.lit(EXPRESSION), what)).cast("boolean")
    return F.when(F.expr(condition), F.lit(True)).otherwise(error)


def _lowered(table: Table, check: Element) -> tuple[str, frozenset[str]]:
    """Whether a condition is true, which NULL is not, and the columns that it uses."""
    from sluice.sql.clickhouse import lower_expression

    found = lower_expression(f"if({check.check}, 1, 0)", columns_of(table))
    return f"({found.sql}) = 1", found.uses
