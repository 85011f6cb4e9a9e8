"""Rows of a query as rows of the table they go to, by Flink's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.pipelines import typed
from sluice.plan.fitting import mismatch
from sluice.types import is_nullable, spark_type
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType

    from sluice.types import Type


def fitted(given: StructType, columns: Sequence[tuple[str, Type]], table: str) -> list[Column]:
    """Exactly these columns, each of its type; one that is not given is NULL.

    A number that does not fit, or a NULL where none may be, stops the job when it comes.

    Raises:
        SluiceError: BAD_ARGUMENTS for a column that is of another sort.
    """
    from pyspark.sql import functions as F

    sorts = {field.name: field.dataType for field in given.fields}
    made = []
    for at, (name, type_) in enumerate(columns):
        wanted = spark_type(type_)
        if name in sorts:
            if not _casts(sorts[name], _parsed(wanted)):
                query = ", ".join(f"{n}: {sort.simpleString()}" for n, sort in sorts.items())
                sink = ", ".join(f"{n}: {summary(each)}" for n, each in columns)
                reason = mismatch(query, sink, table, name, at)
                raise errors.BAD_ARGUMENTS(reason=reason)
            value = F.col(typed.quoted(name)).cast(wanted)
        else:
            value = F.lit(None).cast(wanted)
        if not is_nullable(type_):
            value = F.coalesce(value, F.raise_error(F.lit(_NULL.format(name))).cast(wanted))
        made.append(value.alias(name, metadata={}))
    return made


_NULL = (
    "Column '{}' is NOT NULL, however, a null value is being written into it. You can leave such "
    "rows out with WHERE."
)


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
        case T.DateType():
            return isinstance(given, T.DateType | T.TimestampType | T.TimestampNTZType)
        case _:
            return type(given) is type(wanted)
