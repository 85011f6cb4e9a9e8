"""Dates and times. A DateTime is an instant; its type's zone decides what a clock shows."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice.sql.clickhouse import scalars
from sluice.sql.clickhouse.casts import cast, converted, to_datetime, try_cast
from sluice.sql.clickhouse.functions.model import Scalar, fill, same, template
from sluice.sql.clickhouse.values import (
    DATE,
    DATETIME,
    LONG,
    STRING,
    ULONG,
    Value,
    in_zone,
    instant,
)
from sluice.sql.core.functions import of_values, special
from sluice.sql.core.spark import Sql, number, string
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.sql.clickhouse.functions.model import Call

UNITS = {
    "SECOND": 1,
    "MINUTE": 60,
    "HOUR": 3600,
    "DAY": 86400,
    "WEEK": 604800,
    "MONTH": 1,
    "QUARTER": 3,
    "YEAR": 12,
}
"""Units with their length, in seconds or (from MONTH on) in months."""

_SHORT = {"ss": "SECOND", "s": "SECOND", "mi": "MINUTE", "n": "MINUTE", "hh": "HOUR", "h": "HOUR",
          "dd": "DAY", "d": "DAY", "ww": "WEEK", "wk": "WEEK", "mm": "MONTH", "m": "MONTH",
          "qq": "QUARTER", "q": "QUARTER", "yyyy": "YEAR", "yy": "YEAR"}  # fmt: skip

UINT8, UINT16, UINT32 = (m.Int(bits, signed=False) for bits in (8, 16, 32))

LAST_DAY, LAST_SECOND = (1 << 16) - 1, (1 << 32) - 1
"""The last ones that a Date and a DateTime have room for."""


def _day(sql: Sql) -> Value:
    """A Date; days before the first and after the last one are those."""
    text = f"date_from_unix_date(CAST(sluice_ch_clamp(unix_date(:0), 0, {LAST_DAY}) AS INT))"
    return Value(Sql(text, sql), DATE)


def _second(sql: Sql, source: Value, zone: str | None) -> Value:
    """A DateTime that was cut from a value; of one that is no DateTime it may be out of range."""
    kind = source.kind
    if not isinstance(kind, m.DateTime) or kind.precision is not None:
        seconds = f"sluice_ch_clamp(unix_seconds(CAST(:0 AS TIMESTAMP)), 0, {LAST_SECOND})"
        sql = Sql(f"timestamp_seconds({seconds})", sql)
    return Value(sql, m.DateTime(None, zone))


def _zone(call: Call, n: int) -> str | None:
    """The time zone that may be an argument, else that of the first one."""
    zone: str | None = call.option(n, default=call.arg(0).zone)
    return zone


def _part(text: str, type_: m.Int) -> Scalar:
    """A part of a date or a time, as the clock of its zone shows it."""
    return template(text, returns=type_, zoned=True)


def _first(text: str) -> Scalar:
    """A day, found from what the clock shows."""
    return special(1, 2)(lambda call: _day(fill(text, [call.arg(0)], _zone(call, 1))))


def _every(size: int, unit: str) -> Scalar:
    """`toStartOfHour` and its like."""
    return special(1, 2)(lambda call: _floor(call, size, unit, _zone(call, 1)))


_DAY_OF_WEEK = ("weekday(:0@) + 1", "weekday(:0@)", "dayofweek(:0@) - 1", "dayofweek(:0@)")


@special(1, 3, doc="mode 0 (the default) counts from Monday 1, 1 from Monday 0, 2 from Sunday 0")
def _day_of_week(call: Call) -> Value:
    mode = call.option(1, int, 0)
    return Value(fill(_DAY_OF_WEEK[mode % 4], [call.arg(0)], _zone(call, 2)), UINT8)


@special(1, 3, doc="mode 0 (the default) begins weeks on Sunday, mode 1 on Monday")
def _start_of_week(call: Call) -> Value:
    text = "date_sub(CAST(:0@ AS DATE), dayofweek(:0@) - 1)"
    if call.option(1, int, 0) % 2:
        text = "CAST(date_trunc('WEEK', :0@) AS DATE)"
    return _day(fill(text, [call.arg(0)], _zone(call, 2)))


@special(0, 2)
def _now64(call: Call) -> Value:
    now = Value(Sql("current_timestamp()"), m.DateTime(6))
    return cast(now, m.DateTime(call.option(0, int, 3), call.option(1)))


def _from_unix(made: str, precision: int) -> Scalar:
    @special(1, 2)
    def build(call: Call) -> Value:
        return Value(Sql(made, cast(call.arg(0), LONG).sql), m.DateTime(precision, call.option(1)))

    return build


def _in_range(args: Sequence[Sql], ranges: Sequence[tuple[int, int]], made: Sql, zero: str) -> Sql:
    """What is made of numbers that are all in range, else the first day or second there is."""
    slots = range(len(args))
    tests = " AND ".join(f":{n} BETWEEN {ranges[n][0]} AND {ranges[n][1]}" for n in slots)
    there = " AND ".join(f":{n} IS NOT NULL" for n in slots)
    last = len(args)
    text = f"CASE WHEN {tests} THEN :{last} WHEN {there} THEN {zero} END"
    return Sql(text, *args, made)


_DAY_RANGES = ((1970, 2149), (1, 12), (1, 31))
_CLOCK_RANGES = ((0, 99), (0, 99), (0, 99))


@special(2, 3, doc="of a year with a month and a day, or a day of the year")
def _make_date(call: Call) -> Value:
    """A day beyond the end of its month is one of the next month."""
    args = [cast(arg, LONG).sql for arg in call.args()]
    if call.count == 2:
        made = Sql("date_add(make_date(CAST(:0 AS INT), 1, 1), CAST(:1 AS INT) - 1)", *args)
        ranges: Sequence[tuple[int, int]] = (_DAY_RANGES[0], (1, 365))
    else:
        made = Sql(_MAKE_DATE, *args)
        ranges = _DAY_RANGES
    made = Sql(f"if(unix_date(:0) <= {LAST_DAY}, :0, DATE'1970-01-01')", made)
    return Value(_in_range(args, ranges, made, "DATE'1970-01-01'"), DATE)


_MAKE_DATE = "date_add(make_date(CAST(:0 AS INT), CAST(:1 AS INT), 1), CAST(:2 AS INT) - 1)"


@special(6, 7)
def _make_datetime(call: Call) -> Value:
    """Up to 99 hours, minutes and seconds are added to the day."""
    zone = call.option(6)
    args = [cast(call.arg(n), LONG).sql for n in range(6)]
    start = instant(Sql(f"CAST({_MAKE_DATE} AS TIMESTAMP)", *args[:3]), zone)
    clock = "unix_seconds(:0) + :1 * 3600 + :2 * 60 + :3"
    seconds = f"timestamp_seconds(sluice_ch_clamp({clock}, 0, {LAST_SECOND}))"
    made = Sql(seconds, start, *args[3:])
    late = Sql(f"if(:0 > 2106, timestamp_seconds({LAST_SECOND}), :1)", args[0], made)
    ranges = ((1970, 65535), *_DAY_RANGES[1:], *_CLOCK_RANGES)
    return Value(_in_range(args, ranges, late, "timestamp_seconds(0)"), m.DateTime(None, zone))


def unit_of(call: Call, text: str) -> str:
    """The unit that `text` means, such as `day`, `days`, `dd` or `DAY`."""
    unit = _SHORT.get(text, text.upper())
    if unit not in UNITS and unit.removesuffix("S") in UNITS:
        unit = unit.removesuffix("S")
    if unit not in UNITS:
        raise call.wrong(reason=f"Unknown unit {text}; known are {', '.join(UNITS).lower()}")
    return unit


def _floor(call: Call, size: int, unit: str, zone: str | None, value: Value | None = None) -> Value:
    """A value (the first argument) cut down to a multiple of `size` units.

    Seconds, minutes and days are counted since 1970, weeks since a Monday, months since January
    1970, years since the year 0, hours since midnight.
    """
    if size < 1:
        raise call.wrong(reason="An interval must be at least 1")
    value = value or call.arg(0)
    wall, count = value.wall(zone), number(size * UNITS[unit])
    if unit == "YEAR":
        year = "make_date(CAST(year(:0) - year(:0) % :1 AS INT), 1, 1)"
        return _day(Sql(year, wall, number(size)))
    if unit in ("MONTH", "QUARTER"):
        since = "(year(:0) - 1970) * 12 + month(:0) - 1"
        text = f"add_months(DATE'1970-01-01', CAST({since} - pmod({since}, :1) AS INT))"
        return _day(Sql(text, wall, count))
    if (size, unit) == (1, "DAY"):
        return _second(instant(Sql("date_trunc('DAY', :0)", wall), zone), value, zone)
    if unit in ("DAY", "WEEK"):
        days = number(size * UNITS[unit] // 86400)
        first = "4" if unit == "WEEK" else "0"  # the first Monday
        since = f"unix_date(CAST(:0 AS DATE)) - {first}"
        text = f"date_from_unix_date(CAST({since} - pmod({since}, :1) + {first} AS INT))"
        day = Sql(text, wall, days)
        if unit == "WEEK":
            return _day(day)
        return _second(instant(Sql("CAST(:0 AS TIMESTAMP)", day), zone), value, zone)
    moment = value.sql if value.is_a(m.DateTime) else Sql("CAST(:0 AS TIMESTAMP)", value.sql)
    if unit != "HOUR":
        text = "timestamp_seconds(unix_seconds(:0) - pmod(unix_seconds(:0), :1))"
        return _second(Sql(text, moment, count), value, zone)
    if size == 1:  # an hour that the clock shows twice is two hours
        text = "timestamp_seconds(unix_seconds(:0) - pmod(unix_seconds(:1), 3600))"
        return _second(Sql(text, moment, wall), value, zone)
    text = "timestamp_seconds(unix_seconds(:0) - pmod(pmod(unix_seconds(:0), 86400), :1))"
    return _second(instant(Sql(text, wall, count), zone), value, zone)


@special(2, 3)
def _start_of_interval(call: Call) -> Value:
    interval = call.nodes[1]
    if not isinstance(interval, exp.Interval):
        raise call.wrong(
            reason="The second argument of toStartOfInterval is written INTERVAL 5 MINUTE"
        )
    size = interval.this.name
    if not size.isdecimal():
        raise call.wrong(reason="The interval of toStartOfInterval must be an integer constant")
    return _floor(call, int(size), unit_of(call, interval.text("unit")), _zone(call, 2))


def shift(value: Value, amount: Value, unit: str, *, back: bool = False) -> Value:
    """`value` plus (or minus) so many units; a Date stays one when the unit is a day or longer."""
    scalars.check("INTERVAL", (value, amount), None)
    count = Sql("CAST(:0 AS INT)", amount.number())
    count = Sql("-:0", count) if back else count
    if value.is_a(m.String):
        value = cast(value, m.DateTime(3))
    clock = unit in ("SECOND", "MINUTE", "HOUR")
    if value.is_a(m.Date) and not clock:
        months = unit in ("MONTH", "QUARTER", "YEAR")
        call = "add_months(:0, :1 * :2)" if months else "date_add(:0, :1 * :2)"
        size = UNITS[unit] if months else UNITS[unit] // 86400
        text = call if size > 1 else call.replace(" * :2", "")
        args = (value.sql, count, number(size)) if size > 1 else (value.sql, count)
        return Value(Sql(text, *args), value.type)
    if value.is_a(m.Date):
        type_ = m.DateTime(3) if value.kind == m.Date(wide=True) else DATETIME
        return Value(Sql(f"timestampadd({unit}, :1, :0)", value.sql, count), type_)
    if value.is_a(m.DateTime) and clock:  # so much later, whatever the clock shows
        return Value(Sql(f"timestampadd({unit}, :1, :0)", value.sql, count), value.type)
    if value.is_a(m.DateTime):
        wall = Sql(f"timestampadd({unit}, :1, :0)", value.wall(), count)
        return Value(instant(wall, value.zone), value.type)
    place = ["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"].index(
        "MONTH" if unit == "QUARTER" else unit
    )
    slots = ", ".join([*["0"] * place, ":1 * 3" if unit == "QUARTER" else ":1"])
    return Value(Sql(f":0 + make_interval({slots})", value.sql, count), value.type)


def _shifter(unit: str, *, back: bool) -> Scalar:
    return of_values(partial(shift, unit=unit, back=back), 2)


def _unit_argument(call: Call) -> str:
    """A unit as the first argument: `'day'` or the bare word `DAY`."""
    return unit_of(call, call.nodes[0].name)


def _date_add(*, back: bool) -> Scalar:
    @special(2, 3, any_case=True, doc="date_add(unit, n, x) or date_add(x, INTERVAL n unit)")
    def build(call: Call) -> Value:
        if call.count == 3:
            return shift(call.arg(2), call.arg(1), _unit_argument(call), back=back)
        interval = call.nodes[1]
        unit = unit_of(call, interval.text("unit"))
        return shift(call.arg(0), call.lowerer.value(interval.this), unit, back=back)

    return build


@special(3, 4, any_case=True, doc="counts the unit's borders between the two, as ClickHouse does")
def _date_diff(call: Call) -> Value:
    unit = _unit_argument(call)
    zone = call.option(3)
    args = [_instant(call.arg(n)) for n in (1, 2)]
    # Clocks of all zones tick together: up to the hour it does not matter where they stand.
    mark = "" if unit in ("SECOND", "MINUTE", "HOUR") and not zone else "@"
    text = f"timestampdiff({unit}, date_trunc('{unit}', :0{mark}), date_trunc('{unit}', :1{mark}))"
    return Value(fill(text, args, zone), LONG)


def _instant(value: Value) -> Value:
    """A date or a time; text is one, too."""
    return to_datetime(value) if value.is_a(m.String) else value


@special(3, 4, doc="counts whole units")
def _age(call: Call) -> Value:
    unit = _unit_argument(call)
    mark = "" if unit in ("SECOND", "MINUTE", "HOUR") else "@"
    text = f"timestampdiff({unit}, :0{mark}, :1{mark})"
    return Value(fill(text, [_instant(call.arg(n)) for n in (1, 2)], call.option(3)), LONG)


@special(2, 3, any_case=True)
def _date_trunc(call: Call) -> Value:
    unit = _unit_argument(call)
    value = call.arg(1)
    zone = call.option(2, default=value.zone)
    kind = value.kind
    wide = kind == m.Date(wide=True) or (
        isinstance(kind, m.DateTime) and kind.precision is not None
    )
    if unit in ("SECOND", "MINUTE", "HOUR", "DAY"):
        moment = Value(Sql("TIMESTAMP(:0)", value.sql), m.DateTime(None, zone)) if wide else value
        made = _floor(call, 1, unit, zone, moment)
        return Value(made.sql, m.DateTime(0 if wide else None, zone))
    sql = Sql(f"date_trunc('{unit}', :0)", value.wall(zone))
    day = Sql("CAST(:0 AS DATE)", sql)
    return Value(day, m.Date(wide=True)) if wide else _day(day)


@special(1, 2)
def _to_unix(call: Call) -> Value:
    value = call.arg(0)
    if value.is_a(m.String):
        value = converted(value, m.DateTime(None, call.option(1)))
    if value.is_a(m.Date):
        return cast(Value(Sql("CAST(unix_date(:0) AS BIGINT) * 86400", value.sql), LONG), UINT32)
    return cast(cast(value, LONG), UINT32)


PATTERNS = {
    "Y": "yyyy", "y": "yy", "m": "MM", "c": "MM", "d": "dd", "e": "d", "H": "HH", "k": "HH",
    "I": "hh", "h": "hh", "l": "hh", "i": "mm", "S": "ss", "s": "ss", "F": "yyyy-MM-dd",
    "T": "HH:mm:ss", "R": "HH:mm", "D": "MM/dd/yy", "r": "hh:mm a", "j": "DDD", "f": "SSSSSS",
    "p": "a", "a": "EEE", "W": "EEEE", "b": "MMM", "M": "MMMM", "Q": "q", "n": "\n", "t": "\t",
    "%": "%",
}  # fmt: skip
"""What ClickHouse's `%` specifiers are in Spark's patterns."""

EXPRESSIONS = {
    "u": "CAST(weekday(:0) + 1 AS STRING)",
    "w": "CAST(dayofweek(:0) - 1 AS STRING)",
    "V": "lpad(CAST(weekofyear(:0) AS STRING), 2, '0')",
    "G": "lpad(CAST(extract(YEAROFWEEK FROM :0) AS STRING), 4, '0')",
    "g": "lpad(CAST(extract(YEAROFWEEK FROM :0) % 100 AS STRING), 2, '0')",
    "C": "lpad(CAST(year(:0) DIV 100 AS STRING), 2, '0')",
    "z": "sluice_ch_offset(unix_seconds(TIMESTAMP(:0)) - unix_seconds(TIMESTAMP(:1)))",
}
"""Those that are none, of what the clock shows and of the instant."""

_LETTERS = re.compile(r"[^\W\d_]|[#\[\]{}']")


def formatted(call: Call, value: Value, text: str, zone: str | None) -> Value:
    """A date or a time as text, by a format of formatDateTime."""
    wall, parts, pattern = value.wall(zone), list[Sql](), ""

    def flush() -> None:
        nonlocal pattern
        if pattern:
            parts.append(Sql("date_format(:0, :1)", wall, string(pattern)))
        pattern = ""

    for verbatim, specifier in re.findall(r"([^%]+)|%(.?)", text, re.S):
        if verbatim:
            letters = _LETTERS.search(verbatim)
            pattern += "'" + verbatim.replace("'", "''") + "'" if letters else verbatim
        elif specifier in PATTERNS:
            pattern += PATTERNS[specifier]
        elif specifier in EXPRESSIONS:
            flush()
            parts.append(Sql(EXPRESSIONS[specifier], wall, value.sql))
        else:
            known = ", ".join(f"%{known}" for known in (*PATTERNS, *EXPRESSIONS))
            raise call.wrong(reason=f"%{specifier} is not a known specifier; known are {known}")
    flush()
    if not parts:
        return Value(Sql("if(:0 IS NULL, NULL, '')", value.sql), STRING)
    return Value(parts[0] if len(parts) == 1 else Sql("concat(:*)", *parts), STRING)


@special(2, 3, doc="%M is the month's name and %i the minute, as in ClickHouse since 23.4")
def _format_datetime(call: Call) -> Value:
    return formatted(call, call.arg(0), call.literal(1), _zone(call, 2))


def _best_effort(suffix: str) -> Scalar:
    @special(1, 2, doc="ISO 8601, RFC 2822, day-first and Unix times")
    def build(call: Call) -> Value:
        type_ = m.DateTime(None, call.option(1))
        if not suffix:
            return converted(call.arg(0), type_)
        return try_cast(call.arg(0), type_, zero=suffix == "OrZero", freely=True)

    return build


@special(1, 3, doc="with a format the result is text")
def _from_unix_time(call: Call) -> Value:
    time = to_datetime(call.arg(0))
    return time if call.count == 1 else formatted(call, time, call.literal(1), call.option(2))


FUNCTIONS: dict[str, Scalar] = {
    "now": template("date_trunc('SECOND', current_timestamp())", returns=DATETIME, any_case=True),
    "now64": _now64,
    "today": template("current_date()", returns=DATE),
    "yesterday": template("date_sub(current_date(), 1)", returns=DATE),
    "timeZone": template("'UTC'", returns=STRING),
    "toYear": _part("year(:0@)", UINT16),
    "toQuarter": _part("quarter(:0@)", UINT8),
    "toMonth": _part("month(:0@)", UINT8),
    "toDayOfYear": _part("dayofyear(:0@)", UINT16),
    "toDayOfMonth": _part("dayofmonth(:0@)", UINT8),
    "toDayOfWeek": _day_of_week,
    "toISOWeek": _part("weekofyear(:0@)", UINT8),
    "toISOYear": _part("extract(YEAROFWEEK FROM :0@)", UINT16),
    "toHour": _part("hour(:0@)", UINT8),
    "toMinute": _part("minute(:0@)", UINT8),
    "toSecond": _part("second(:0@)", UINT8),
    "toMillisecond": _part("CAST(date_format(:0@, 'SSS') AS INT)", UINT16),
    "toYYYYMM": _part("year(:0@) * 100 + month(:0@)", UINT32),
    "toYYYYMMDD": _part("year(:0@) * 10000 + month(:0@) * 100 + dayofmonth(:0@)", UINT32),
    "toYYYYMMDDhhmmss": _part("CAST(date_format(:0@, 'yyyyMMddHHmmss') AS BIGINT)", ULONG),
    "toMonday": _first("CAST(date_trunc('WEEK', :0@) AS DATE)"),
    "toLastDayOfMonth": _first("last_day(:0@)"),
    "toStartOfSecond": template("date_trunc('SECOND', :0)", returns=same(0)),
    "toStartOfMinute": _every(1, "MINUTE"),
    "toStartOfFiveMinutes": _every(5, "MINUTE"),
    "toStartOfFiveMinute": _every(5, "MINUTE"),
    "toStartOfTenMinutes": _every(10, "MINUTE"),
    "toStartOfFifteenMinutes": _every(15, "MINUTE"),
    "toStartOfHour": _every(1, "HOUR"),
    "toStartOfDay": _every(1, "DAY"),
    "toStartOfWeek": _start_of_week,
    "toStartOfMonth": _first("CAST(trunc(:0@, 'MONTH') AS DATE)"),
    "toStartOfQuarter": _first("CAST(trunc(:0@, 'QUARTER') AS DATE)"),
    "toStartOfYear": _first("CAST(trunc(:0@, 'YEAR') AS DATE)"),
    "toUnixTimestamp64Milli": template("unix_micros(:0) DIV 1000", returns=LONG),
    "toUnixTimestamp64Micro": template("unix_micros(:0)", returns=LONG),
    "fromUnixTimestamp64Milli": _from_unix("timestamp_millis(:0)", 3),
    "fromUnixTimestamp64Micro": _from_unix("timestamp_micros(:0)", 6),
    "makeDate": _make_date,
    "makeDateTime": _make_datetime,
    "monthName": template("date_format(:0@, 'MMMM')", returns=STRING),
    "toTimeZone": special(2)(lambda call: in_zone(call.arg(0), call.literal(1))),
    "toStartOfInterval": _start_of_interval,
    **{f"add{unit.title()}s": _shifter(unit, back=False) for unit in UNITS},
    **{f"subtract{unit.title()}s": _shifter(unit, back=True) for unit in UNITS},
    **dict.fromkeys(
        ("dateAdd", "date_add", "timestampAdd", "timestamp_add"), _date_add(back=False)
    ),
    **dict.fromkeys(("dateSub", "date_sub", "timestampSub", "timestamp_sub"), _date_add(back=True)),
    **dict.fromkeys(("dateDiff", "date_diff", "timestampDiff", "timestamp_diff"), _date_diff),
    **dict.fromkeys(("dateTrunc", "date_trunc"), _date_trunc),
    **dict.fromkeys(("formatDateTime", "DATE_FORMAT"), _format_datetime),
    "age": _age,
    "toUnixTimestamp": _to_unix,
    "fromUnixTimestamp": _from_unix_time,
    **{
        f"parseDateTimeBestEffort{suffix}": _best_effort(suffix)
        for suffix in ("", "OrNull", "OrZero")
    },
}
