"""Python functions that SQL may call, in a session of Spark's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from sluice.plan.functions import UserFunction


def register(spark: SparkSession, functions: Mapping[str, UserFunction]) -> None:
    """Let queries of a session call them. Rows go to them one by one, in Python's own processes."""
    if not functions:
        return
    from pyspark.sql import functions as f

    for each in functions.values():
        made = f.udf(each.call, returnType=spark_type(each.gives), useArrow=False)
        spark.udf.register(each.spark_name, made)
