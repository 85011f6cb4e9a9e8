"""The default of a column, and a text cast to its type, as Spark expressions.

Messages are decoded by the Java in `java/`. This is for texts that a query makes and a table
takes in: a text that does not fit becomes NULL here, and whoever asked says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats import json_texts
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m
from sluice.types.encoded import TYPES as ENCODED
from sluice.types.encoded import Encoded
from sluice.types.quoting import quote_string
from sluice.types.semistructured import Json, is_typed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

BFLOAT16 = "sluice_ch_bfloat16"
"""The function that gives the BFloat16 of a FLOAT."""

_EPOCH_SECONDS = (1 << 32) - 1


def default(type_: m.Type) -> str:
    """What a column holds where the message says nothing, as SQL."""
    inner = bare(type_)
    if is_nullable(type_) or isinstance(inner, m.AggregateState) or is_typed(inner):
        return f"CAST(NULL AS {spark_type(type_)})"
    match inner:
        case m.String() | m.Uuid() | m.FixedString() | m.Enum():
            return quote_string(_DEFAULT_TEXT[type(inner)](inner))
        case Encoded():
            return inner.zero
        case m.Date():
            return "DATE'1970-01-01'"
        case m.DateTime():
            return "timestamp_micros(0)"
        case Json():
            return json_texts.made_of("'{}'", inner) if inner.paths else "'{}'"
        case m.Array():
            return f"CAST(array() AS {spark_type(inner)})"
        case m.Map():
            return f"CAST(map() AS {spark_type(inner)})"
        case m.Tuple(items=items):
            return f"CAST(struct({', '.join(map(default, items))}) AS {spark_type(inner)})"
        case _:
            return f"CAST(0 AS {spark_type(inner)})"


def convert(raw: Column, type_: m.Type) -> Column:
    """`raw` as `type_`, NULL where it is not there or does not fit."""
    return _CONVERT[type(bare(type_))](raw, bare(type_))


def _int(raw: Column, type_: m.Int) -> Column:
    from pyspark.sql import functions as F

    target = spark_type(type_)
    number = raw.try_cast(target)
    if type_ == m.Int(64, signed=False):  # nearly all fit into a long, which is far cheaper to read
        short = raw.try_cast("bigint")
        whole = F.when(raw.rlike(r"^\d+$"), number)  # a DECIMAL would be rounded
        number = F.when(short >= 0, short.cast(target)).otherwise(whole)
    if not type_.signed:
        number = F.when(number.between(F.lit(0), F.lit(str(type_.high)).cast(target)), number)
    flag = F.when(raw == "true", F.lit(1)).when(raw == "false", F.lit(0)).cast(target)
    return F.coalesce(number, flag)


def _bool(raw: Column, _: m.Bool) -> Column:
    from pyspark.sql import functions as F

    return F.when(raw.isin("true", "True", "1"), F.lit(True)).when(
        raw.isin("false", "False", "0"), F.lit(False)
    )


def _fixed_string(raw: Column, type_: m.FixedString) -> Column:
    from pyspark.sql import functions as F

    size = F.octet_length(raw)
    fill = F.repeat(F.lit("\0"), F.lit(type_.length) - size)
    return F.when(size <= type_.length, F.concat(raw, fill))


_UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def _uuid(raw: Column, _: m.Uuid) -> Column:
    from pyspark.sql import functions as F

    lower = F.lower(raw)
    return F.when(lower.rlike(_UUID), lower)


def _date(raw: Column, _: m.Date) -> Column:
    from pyspark.sql import functions as F

    days = F.date_add(F.lit("1970-01-01").cast("date"), raw.try_cast("int"))
    return F.when(_is_calendar(raw), F.substring(raw, 1, 10).try_cast("date")).otherwise(days)


def _is_calendar(raw: Column) -> Column:
    from pyspark.sql import functions as F

    return F.substring(raw, 5, 1) == "-"


def _datetime(raw: Column, type_: m.DateTime) -> Column:
    """`YYYY-MM-DD[ hh:mm:ss[.f]]` in the column's zone, or seconds since the epoch."""
    from pyspark.sql import functions as F

    if type_.precision is None:
        full = _in_zone(raw.try_cast("timestamp"), type_)
        seconds = raw.try_cast("bigint")
        epoch = F.timestamp_seconds(F.when(seconds.between(0, _EPOCH_SECONDS), seconds))
        # No number of seconds has 19 digits, and the length in bytes costs nothing to know.
        size = F.octet_length(raw)
        return F.when(size == 19, full).otherwise(F.coalesce(epoch, F.when(size == 10, full)))
    no_zone = ~raw.rlike("[Zz]$|[+-]\\d\\d(:?\\d\\d)?$") | (F.octet_length(raw) == 10)
    calendar = _in_zone(F.when(no_zone, raw.try_cast("timestamp")), type_)
    micros = (raw.try_cast("decimal(38,18)") * F.lit(1_000_000)).try_cast("bigint")
    return F.when(_is_calendar(raw), calendar).otherwise(F.timestamp_micros(micros))


def _in_zone(instant: Column, type_: m.DateTime) -> Column:
    """What was read as if in UTC, read in the column's zone."""
    from pyspark.sql import functions as F

    return (
        F.to_utc_timestamp(instant, type_.zone) if type_.zone and type_.zone != "UTC" else instant
    )


def _enum(raw: Column, type_: m.Enum) -> Column:
    from pyspark.sql import functions as F

    names = [name for name, _ in type_.values]
    by_number = F.create_map(*(F.lit(x) for name, no in type_.values for x in (str(no), name)))
    return F.when(raw.isin(names), raw).otherwise(F.try_element_at(by_number, raw))


def _encoded(raw: Column, type_: Encoded) -> Column:
    from pyspark.sql import functions as F

    return F.call_function(encoder(type_), raw, F.lit(str(type_)))


def encoder(type_: Encoded) -> str:
    """The function that gives what is stored for a text, NULL for one that is none of the type."""
    return f"sluice_ch_encoded{'bytes' if type_.length else 'long'}"


def decoder(type_: Encoded) -> str:
    """The function that gives the text of what is stored."""
    return f"sluice_ch_textof{'bytes' if type_.length else 'long'}"


_CONVERT: dict[type[m.Type], Callable[[Column, Any], Column]] = {
    m.Int: _int,
    m.Bool: _bool,
    m.FixedString: _fixed_string,
    m.Uuid: _uuid,
    m.Date: _date,
    m.DateTime: _datetime,
    m.Enum: _enum,
    **dict.fromkeys(ENCODED, _encoded),
}

_DEFAULT_TEXT: dict[type[m.Type], Callable[[Any], str]] = {
    m.String: lambda t: "",
    m.Uuid: lambda t: "00000000-0000-0000-0000-000000000000",
    m.FixedString: lambda t: "\0" * t.length,
    m.Enum: lambda t: t.values[0][0],
}
