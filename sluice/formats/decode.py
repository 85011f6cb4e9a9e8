"""From messages to rows, by a decoder of ours that runs in the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats import described
from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, SparkSession

    from sluice.types import Type

    Columns = Sequence[tuple[str, Type]]

DECODERS = {"JSONEachRow": "JsonEachRow"}
"""A format and the class that reads it, in `sluice/jvm`."""


def decoded(spark: SparkSession, format_: str, columns: Columns, messages: Column) -> Column:
    """One row for each that a message holds: a struct of `__error` and the columns.

    A message that is NULL or blank gives a NULL. One with something wrong in it gives a single row,
    whose `__error` says what, and whose columns are NULL.
    """
    from pyspark.sql import Column
    from pyspark.sql import functions as F

    jvm: Any = spark._jvm
    decoder = getattr(jvm.sluice, DECODERS[format_])(described.columns(columns))
    value: Any = messages
    found = Column(jvm.sluice.Columns.decode(decoder, value._jc, _fields(columns)))
    # The outer form, because for the plain one Spark infers a filter that decodes everything twice.
    return F.explode_outer(found)


def _fields(columns: Columns) -> str:
    names = ["`" + name.replace("`", "``") + "`" for name, _ in columns]
    pairs = zip(names, columns, strict=True)
    fields = (f"{name} {spark_type(type_)}" for name, (_, type_) in pairs)
    return ", ".join(["__error STRING", *fields])
