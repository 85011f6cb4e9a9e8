"""Nested structures as they are written and read: arrays that are equally long in each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.engine.spark import typed
from sluice.engine.spark.raising import required
from sluice.formats import text_casts
from sluice.planner.nested import structures
from sluice.types import model as m

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.catalog import Table
    from sluice.types import Type


def defaults(type_: Type, like: str) -> str:
    """As many defaults of an array's items as another array, in SQL, has items."""
    assert isinstance(type_, m.Array)  # noqa: S101 - `structures` has no others
    return f"transform({like}, _x -> {text_casts.default(type_.item)})"


def completed(rows: DataFrame, table: Table) -> DataFrame:
    """Rows with the arrays of a structure that they omit, if they have others of it."""
    given = set(rows.columns)
    for columns in structures(table).values():
        there = next((column for column in columns if column.name in given), None)
        if there is not None:
            like = typed.quoted(there.name)
            missing = [c for c in columns if c.name not in given and c.default is None]
            rows = rows.withColumns({c.name: F.expr(defaults(c.type, like)) for c in missing})
    return rows


def checked(fitted: DataFrame, table: Table) -> DataFrame:
    """Rows of a table's files; one with arrays of different lengths stops the writing."""
    for name, (first, *others) in structures(table).items():
        for other in others:
            one, two = (F.size(typed.column(each.name_in_files)) for each in (first, other))
            params = {"first": first.name, "second": other.name, "structure": name}
            told = {key: F.lit(value) for key, value in params.items()}
            fitted = fitted.where(required(one == two, "SIZES_OF_ARRAYS_DONT_MATCH", **told))
    return fitted
