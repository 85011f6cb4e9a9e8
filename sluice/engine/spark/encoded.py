"""Columns cast to and from what is stored of the types in `types.encoded`."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from sluice import errors
from sluice.formats.text_casts import decoder, encoder
from sluice.types import encoded as e
from sluice.types import model as m

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructField

    from sluice.types import Type

_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_LAST_ADDRESS = (1 << 32) - 1
_LAST_TIME = 3_599_999


def cast(column: Column, field: StructField, given: Type | None, type_: Type) -> Column:
    """A column of a type, or of what Spark says of it, as one of another; one of them is encoded.

    Raises:
        SluiceError: CANNOT_CONVERT_TYPE.
    """
    if isinstance(field.dataType, T.NullType):
        return column.cast(type_.stored if isinstance(type_, e.Encoded) else "string")
    if isinstance(given, e.Encoded):
        text = F.call_function(decoder(given), column, F.lit(str(given)))
        if isinstance(type_, m.String):
            return text
        if isinstance(given, e.FineDateTime) and isinstance(type_, e.FineDateTime):
            return _digits(column, type_.precision - given.precision)
        if isinstance(given, e.FineDateTime) and isinstance(type_, m.DateTime):
            digits = type_.precision or 0
            ticks = _digits(column, digits - given.precision)
            return F.timestamp_micros(_digits(ticks, 6 - digits))
        if isinstance(type_, e.Encoded) and (type(given), type(type_)) in _BY_TEXT:
            return _parsed(text, type_, field)
    elif isinstance(type_, e.Encoded):
        if (made := _of_spark(column, field.dataType, type_)) is not None:
            return made
        if isinstance(type_, e.FineDateTime) and isinstance(field.dataType, _NUMBERS):
            return _parsed(column.cast("string"), type_, field, "sluice_ch_encodednumber")
        if isinstance(field.dataType, _READ_AS_TEXT[type(type_)]):
            return _parsed(column.cast("string"), type_, field)
    shown = given if given is not None else field.dataType.simpleString()
    raise errors.CANNOT_CONVERT_TYPE(given=shown, type=type_, column=field.name)


def _digits(ticks: Column, more: int) -> Column:
    """A number of parts of a second with so many digits more, or without the last ones."""
    if more >= 0:
        return ticks * F.lit(10**more)
    return (ticks.cast("decimal(20,0)") / F.lit(Decimal(10**-more))).cast("bigint")


def _parsed(text: Column, type_: e.Encoded, field: StructField, by: str = "") -> Column:
    """What is stored for a text; one that is none of the type stops the writing."""
    read = F.call_function(by or encoder(type_), text, F.lit(str(type_)))
    wrong = F.concat(F.lit("Cannot parse '"), text, F.lit(f"' as {type_} for column {field.name}"))
    return F.when(text.isNull() | read.isNotNull(), read).otherwise(
        F.raise_error(wrong).cast(type_.stored)
    )


def _of_spark(column: Column, given: T.DataType, type_: e.Encoded) -> Column | None:
    """What is stored for values that Spark knows, where that is a calculation."""
    match type_, given:
        case e.FineDateTime(precision=precision), T.TimestampType():
            return F.unix_micros(column) * F.lit(10 ** (precision - 6))
        case e.IPv4(), T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            number = column.cast("bigint")
            text = F.concat(number.cast("string"), F.lit(" is no number of an IPv4 address"))
            fits = number.isNull() | number.between(0, _LAST_ADDRESS)
            return F.when(fits, number).otherwise(F.raise_error(text).cast("bigint"))
        case e.Time(
            precision=precision
        ), T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            last = F.lit(_LAST_TIME)
            seconds = F.greatest(-last, F.least(column.cast("bigint"), last))
            return F.when(column.isNotNull(), seconds * F.lit(10 ** (precision or 0)))
        case _:
            return None


_NUMBERS = (*_WHOLE, T.DecimalType)

_READ_AS_TEXT: dict[type[Type], tuple[type[T.DataType], ...]] = {
    e.WideInt: (T.StringType, *_WHOLE),
    e.WideDecimal: (T.StringType, *_NUMBERS),
    e.IPv4: (T.StringType,),
    e.IPv6: (T.StringType,),
    e.FineDateTime: (T.StringType, T.DateType),
    e.Time: (T.StringType,),
}
"""Spark's types whose texts are those of a type."""

_BY_TEXT = {
    (e.WideInt, e.WideInt), (e.WideDecimal, e.WideDecimal), (e.WideInt, e.WideDecimal),
    (e.IPv4, e.IPv6), (e.Time, e.Time),
}  # fmt: skip
"""Types of which the text of one is that of the other."""
