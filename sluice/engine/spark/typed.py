"""Columns with their type as metadata.

Spark knows a UInt32 as BIGINT and an Enum as STRING. Each column that comes out of a table carries
its type as metadata, which Spark keeps wherever a query passes the column on unchanged. So an
answer can show a column as what it is, and a target need not check again what it already has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from sluice import errors
from sluice.engine.spark import encoded
from sluice.engine.spark.projection import Named
from sluice.formats import json_texts, text_casts
from sluice.formats.fields import nested
from sluice.types import bare, is_nullable, parse_type, spark_type
from sluice.types import model as m
from sluice.types.encoded import is_encoded
from sluice.types.semistructured import Json, is_opaque
from sluice.types.states import base

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructField, StructType

    from sluice.types import Type

_KEY = "sluice.type"


def quoted(name: str) -> str:
    """A column's name for Spark, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def column(name: str) -> Column:
    """A column by its name, whatever characters are in it."""
    return F.col(quoted(name))


def mark(column: Column, name: str, type_: Type) -> Column:
    """The column under a name, with its type as metadata."""
    return column.alias(name, metadata={_KEY: str(type_)})


def marked(sql: str, name: str, type_: Type) -> Named:
    """The same for a column that is a text of SQL."""
    return Named(sql, name, {_KEY: str(type_)})


def type_of(field: StructField) -> Type:
    """The type in a column's metadata, or the one that fits Spark's best."""
    declared = field.metadata.get(_KEY)
    return parse_type(declared) if declared else from_spark(field.dataType, nullable=field.nullable)


def as_stored(column: str, spark: DataType, type_: Type) -> str:
    """A column in SQL, cast to what Spark stores for a type; a state is a text of JSON."""
    if isinstance(type_, m.AggregateState):
        return f"to_json({column})"
    stored = spark_type(type_)
    if isinstance(bare(type_), m.Nothing) or _spelled(stored) == _spelled(spark.simpleString()):
        return column
    return f"CAST({column} AS {stored})"


def _spelled(spark: str) -> str:
    return spark.replace(" ", "").replace("`", "").lower()


def from_spark(spark: DataType, *, nullable: bool = False) -> Type:
    """The type that holds what Spark's type holds."""
    match spark:
        case T.ArrayType():
            return m.Array(from_spark(spark.elementType))
        case T.MapType():
            return m.Map(from_spark(spark.keyType), from_spark(spark.valueType))
        case T.StructType():
            items = tuple(from_spark(f.dataType) for f in spark.fields)
            return m.Tuple(items, tuple(spark.fieldNames()))
        case T.DecimalType(precision=20, scale=0):
            plain: Type = m.Int(64, signed=False)
        case T.DecimalType():
            plain = m.Decimal(spark.precision, spark.scale)
        case _:
            plain = _PLAIN.get(spark.typeName(), m.String())
    return m.Nullable(plain) if nullable else plain


_PLAIN: dict[str, Type] = {
    "byte": m.Int(8), "tinyint": m.Int(8), "short": m.Int(16), "smallint": m.Int(16),
    "integer": m.Int(32), "int": m.Int(32), "long": m.Int(64), "bigint": m.Int(64),
    "float": m.Float(32), "double": m.Float(64), "boolean": m.Bool(), "date": m.Date(),
    "timestamp": m.DateTime(6), "timestamp_ntz": m.LocalDateTime(6), "string": m.String(),
    "binary": m.Bytes(),
}  # fmt: skip


def fitted(given: StructType, columns: Sequence[tuple[str, str, Type]]) -> list[Column | Named]:
    """Exactly a table's columns from rows of a schema, each checked to be of its type.

    Columns have a name, what they are to be called, and a type. They are matched by name; one that
    is missing takes its type's default. A value that does not fit stops the writing: nothing is cut
    off or wrapped around.
    """
    fields = {field.name: field for field in given.fields}
    return [
        _fitted(fields[name], called, type_)
        if name in fields
        else Named(text_casts.default(type_), called)
        for name, called, type_ in columns
    ]


def _fitted(field: StructField, called: str, type_: Type) -> Column | Named:
    declared = field.metadata.get(_KEY)
    if is_opaque(type_) or (declared is not None and is_opaque(parse_type(declared))):
        return _opaque(field, called, type_)
    default = "" if is_nullable(type_) else text_casts.default(type_)
    name = quoted(field.name)
    if declared is not None and bare(parse_type(declared)) == bare(type_):
        return Named(f"coalesce({name}, {default})" if default else name, called)
    known = bare(parse_type(declared)) if declared is not None else None
    if is_encoded(known) or is_encoded(type_):
        given = encoded.cast(F.col(name), field, known, bare(type_))
    else:
        given = _converted(F.col(name), field, type_)
    return (F.coalesce(given, F.expr(default)) if default else given).alias(called, metadata={})


def _opaque(field: StructField, called: str, type_: Type) -> Named:
    """A value that is passed on as it is, or an object of JSON from its text."""
    given, name = type_of(field), quoted(field.name)
    wanted, own = bare(type_), bare(given)
    default = "" if is_nullable(type_) else text_casts.default(type_)
    if isinstance(wanted, Json) and own != wanted and isinstance(own, Json | m.String | m.Nothing):
        name = json_texts.made_of(name, wanted, called)
    elif own != wanted:
        what, hint = f"Column {field.name}", f"It is written to a column of type {type_}."
        raise errors.OPAQUE_TYPE(what=what, type=given, hint=hint)
    return Named(f"coalesce({name}, {default})" if default else name, called)


def _converted(column: Column, field: StructField, type_: Type) -> Column:
    inner = bare(type_)
    if isinstance(inner, m.AggregateState):
        _check_state(field, inner)
    if isinstance(inner, m.Enum):
        column = column.cast("string")  # its number is as good as its name
    if (isinstance(inner, m.Enum) or field.dataType.typeName() == "string") and isinstance(
        inner, _AS_TEXT
    ):
        read = text_casts.convert(column, inner)
        text = F.concat(
            F.lit("Cannot parse '"), column, F.lit(f"' as {inner} for column {field.name}")
        )
        return F.when(column.isNull() | read.isNotNull(), read).otherwise(
            F.raise_error(text).cast(spark_type(inner))
        )
    cast = _cut(column, field.dataType, inner).cast(spark_type(inner))
    if m.Float(16) in nested(inner):
        return _shortened(cast, inner)
    if isinstance(inner, m.Int) and not inner.signed:
        fits = cast.between(F.lit(0), F.lit(str(inner.high)).cast(spark_type(inner)))
        text = F.concat(
            cast.cast("string"), F.lit(f" does not fit into {inner} of column {field.name}")
        )
        return F.when(cast.isNull() | fits, cast).otherwise(
            F.raise_error(text).cast(spark_type(inner))
        )
    return cast


def _shortened(column: Column, type_: Type) -> Column:
    """Numbers of 32 bits as BFloat16, wherever they are in a value."""
    match bare(type_):
        case m.Float(bits=16):
            return F.call_function(text_casts.BFLOAT16, column)
        case m.Array(item=item):
            return F.transform(column, lambda each: _shortened(each, item))
        case m.Map(value=item):
            return F.transform_values(column, lambda _, each: _shortened(each, item))
        case m.Tuple() as inner:
            parts = (_shortened(column[name], item).alias(name) for name, item in inner.struct)
            return F.when(column.isNotNull(), F.struct(*parts))
        case _:
            return column


def _cut(column: Column, given: DataType, type_: Type) -> Column:
    """A number truncated to the scale, where Spark would round."""
    if not isinstance(type_, m.Decimal) and type_ != m.Int(64, signed=False):
        return column
    scale = type_.scale if isinstance(type_, m.Decimal) else 0

    def cut(exact: Column) -> Column:
        digits = F.lit(scale)
        return F.when(exact < 0, F.ceil(exact, digits)).otherwise(F.floor(exact, digits))

    match given:
        case T.DecimalType() if given.scale > scale:
            return cut(column)
        case T.FloatType() | T.DoubleType() if scale < _FRACTION:
            exact = column.try_cast(f"decimal(38,{_FRACTION})")
            return F.coalesce(cut(exact), column.cast(spark_type(type_)))
        case T.StringType():
            more = f"([.][0-9]{{{scale}}})[0-9]+$" if scale else "[.][0-9]*$"
            return F.regexp_replace(column, more, "$1" if scale else "")
        case _:
            return column


_FRACTION = 18
"""Fractional digits that floating point numbers are compared with; large ones have none."""


def _check_state(field: StructField, type_: m.AggregateState) -> None:
    """No other value, and no other function's state, is taken for a state."""
    names: list[str] = getattr(field.dataType, "names", [])
    if names != [base(type_.function)]:
        given = from_spark(field.dataType)
        raise errors.CANNOT_CONVERT_STATE(given=given, type=type_, column=field.name)


_AS_TEXT = (m.Enum, m.FixedString, m.Uuid, m.DateTime, m.Date, m.Int, m.Bool)
