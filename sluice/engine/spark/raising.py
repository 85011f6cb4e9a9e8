"""Conditions that an expression of Spark raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from sluice.errors.raised import EXPRESSION

if TYPE_CHECKING:
    from pyspark.sql import Column


def required(holds: Column, condition: str, **params: Column) -> Column:
    """True where something holds; a row for which it does not raises a condition."""
    parts = [F.lit(condition).alias("condition"), *(c.alias(key) for key, c in params.items())]
    error = F.raise_error(F.concat(F.lit(EXPRESSION), F.to_json(F.struct(*parts))))
    return F.when(holds, F.lit(True)).otherwise(error.cast("boolean"))
