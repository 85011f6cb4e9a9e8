"""What only Spark can tell: whether a query's rows are of the sort that a table takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.plan.fitting import mismatch
from sluice.types import spark_type
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql.types import DataType, StructType

    from sluice.types import Type


def check(given: StructType, columns: Sequence[tuple[str, Type]], table: str) -> None:
    """Whether rows can become rows of these columns.

    Raises:
        SluiceError: BAD_ARGUMENTS for a column that is of another sort.
    """
    sorts = {field.name: field.dataType for field in given.fields}
    for at, (name, type_) in enumerate(columns):
        if name in sorts and not _casts(sorts[name], _parsed(spark_type(type_))):
            query = ", ".join(f"{n}: {sort.simpleString()}" for n, sort in sorts.items())
            sink = ", ".join(f"{n}: {summary(each)}" for n, each in columns)
            raise errors.BAD_ARGUMENTS(reason=mismatch(query, sink, table, name, at))


def _parsed(wanted: str) -> DataType:
    from pyspark.sql.types import DataType

    return DataType.fromDDL(wanted)


def _casts(given: DataType, wanted: DataType) -> bool:
    """Whether values of one type are taken for another without being asked to."""
    from pyspark.sql import types as T

    if isinstance(given, T.NullType):
        return True
    match wanted:
        case T.ArrayType():
            return isinstance(given, T.ArrayType) and _casts(given.elementType, wanted.elementType)
        case T.MapType():
            return (
                isinstance(given, T.MapType)
                and _casts(given.keyType, wanted.keyType)
                and _casts(given.valueType, wanted.valueType)
            )
        case T.StructType():
            return (
                isinstance(given, T.StructType)
                and len(given) == len(wanted)
                and all(
                    _casts(a.dataType, b.dataType)
                    for a, b in zip(given.fields, wanted.fields, strict=True)
                )
            )
        case T.NumericType():
            return isinstance(given, T.NumericType)
        case T.TimestampType() | T.TimestampNTZType():
            return isinstance(given, T.TimestampType | T.TimestampNTZType)
        case T.StringType() if isinstance(given, T.TimestampNTZType):
            return True  # a time of day
        case T.DateType():
            return isinstance(given, T.DateType | T.TimestampType | T.TimestampNTZType)
        case _:
            return type(given) is type(wanted)
