"""How a value that arrived as text becomes a column of a type: one table for every text format.

Each row gives two Spark expressions over the raw value: what it means, and (for types that can be
wrong) when it is wrong. A raw NULL is a value that is not there: it becomes NULL for a Nullable
type and the type's default otherwise, as ClickHouse does. A value that is there but does not fit
its type is wrong; it never becomes NULL in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

_EPOCH_SECONDS = (1 << 32) - 1


def raw_type(type_: m.Type) -> str:
    """The Spark type a value of `type_` is read into before it is converted.

    Scalars come in as text. DECIMAL comes in as itself: through text, Spark's JSON reader would
    pass a fractional number through a double and lose digits.
    """
    inner = bare(type_)
    match inner:
        case m.Decimal():
            return spark_type(inner)
        case m.Array():
            return f"ARRAY<{raw_type(inner.item)}>"
        case m.Map():
            return f"MAP<STRING, {raw_type(inner.value)}>"
        case m.Tuple(names=None):
            return "ARRAY<STRING>"
        case m.Tuple(names=names, items=items):
            quoted = ["`" + name.replace("`", "``") + "`" for name in names or ()]
            fields = (f"{n}: {raw_type(i)}" for n, i in zip(quoted, items, strict=True))
            return f"STRUCT<{', '.join(fields)}>"
        case _:
            return "STRING"


def default(type_: m.Type) -> Column:
    """What a column holds where the message says nothing."""
    from pyspark.sql import functions as F

    if is_nullable(type_):
        return F.lit(None).cast(spark_type(type_))
    inner = bare(type_)
    match inner:
        case m.String() | m.Uuid() | m.FixedString() | m.Enum():
            return F.lit(_DEFAULT_TEXT[type(inner)](inner))
        case m.Date():
            return F.lit("1970-01-01").cast("date")
        case m.DateTime():
            return F.timestamp_micros(F.lit(0))
        case m.Array():
            return F.array().cast(spark_type(inner))
        case m.Map():
            return F.create_map().cast(spark_type(inner))
        case m.Tuple(items=items):
            return F.struct(*(default(i) for i in items)).cast(spark_type(inner))
        case _:
            return F.lit(0).cast(spark_type(inner))


def convert(raw: Column, type_: m.Type) -> Column:
    """`raw` as `type_`, NULL where it is not there or `wrong`."""
    return _CONVERT[type(bare(type_))](raw, bare(type_))


def filled(converted: Column, type_: m.Type) -> Column:
    """A converted value with the type's default where it is NULL and may not be."""
    from pyspark.sql import functions as F

    return converted if is_nullable(type_) else F.coalesce(converted, default(type_))


def value(raw: Column, type_: m.Type) -> Column:
    """`raw` as `type_` in one step."""
    return filled(convert(raw, type_), type_)


def wrong(raw: Column, converted: Column, type_: m.Type) -> Column | None:
    """True where `raw` is there and is no value of `type_`; None if that cannot be."""
    from pyspark.sql import functions as F

    inner = bare(type_)
    match inner:
        case m.String() | m.Decimal():
            return None  # text is always text, and the reader has refused a bad number already
        case m.Array():
            return _any_wrong(raw, inner.item)
        case m.Map():
            keys = _any_wrong(F.map_keys(raw), inner.key)
            return _any([keys, _any_wrong(F.map_values(raw), inner.value)])
        case m.Tuple():
            parts = [wrong(p, convert(p, item), item) for p, item in _parts(raw, inner)]
            if inner.names is None:
                parts.append(raw.isNotNull() & (F.size(raw) != len(inner.items)))
            return _any(parts)
        case _:
            return raw.isNotNull() & converted.isNull()


def _any(checks: list[Column | None]) -> Column | None:
    found: Column | None = None
    for check in checks:
        if check is not None:
            found = check if found is None else found | check
    return found


def _any_wrong(items: Column, type_: m.Type) -> Column | None:
    from pyspark.sql import functions as F

    if wrong(items, items, type_) is None:
        return None
    found = F.exists(items, lambda item: wrong(item, convert(item, type_), type_))  # type: ignore[arg-type, return-value]
    return F.coalesce(found, F.lit(False))


def _parts(raw: Column, type_: m.Tuple) -> list[tuple[Column, m.Type]]:
    from pyspark.sql import functions as F

    if type_.names is not None:
        return [(raw.getField(n), i) for n, i in zip(type_.names, type_.items, strict=True)]
    return [(F.get(raw, F.lit(at)), item) for at, item in enumerate(type_.items)]


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


def _float(raw: Column, type_: m.Float) -> Column:
    return raw.try_cast(spark_type(type_))


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


def _array(raw: Column, type_: m.Array) -> Column:
    from pyspark.sql import functions as F

    items = F.transform(raw, lambda item: value(item, type_.item))
    if isinstance(bare(type_.item), m.String):
        return F.when(F.size(raw) == 0, raw).otherwise(items)  # spares most rows the lambda
    return items


def _map(raw: Column, type_: m.Map) -> Column:
    from pyspark.sql import functions as F

    keys = F.transform(F.map_keys(raw), lambda key: value(key, type_.key))
    values = F.transform(F.map_values(raw), lambda item: value(item, type_.value))
    return F.map_from_arrays(keys, values)


def _tuple(raw: Column, type_: m.Tuple) -> Column:
    from pyspark.sql import functions as F

    parts = [value(part, item) for part, item in _parts(raw, type_)]
    return F.when(raw.isNotNull(), F.struct(*parts).cast(spark_type(type_)))


def _same(raw: Column, _: m.Type) -> Column:
    return raw


_CONVERT: dict[type[m.Type], Callable[[Column, Any], Column]] = {
    m.Int: _int,
    m.Float: _float,
    m.Decimal: _same,
    m.Bool: _bool,
    m.String: _same,
    m.FixedString: _fixed_string,
    m.Uuid: _uuid,
    m.Date: _date,
    m.DateTime: _datetime,
    m.Enum: _enum,
    m.Array: _array,
    m.Map: _map,
    m.Tuple: _tuple,
}

_DEFAULT_TEXT: dict[type[m.Type], Callable[[Any], str]] = {
    m.String: lambda t: "",
    m.Uuid: lambda t: "00000000-0000-0000-0000-000000000000",
    m.FixedString: lambda t: "\0" * t.length,
    m.Enum: lambda t: t.values[0][0],
}
