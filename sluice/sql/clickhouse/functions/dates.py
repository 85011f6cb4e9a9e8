"""Dates and times. A DateTime is an instant; its type's zone decides what a clock shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice.sql.clickhouse.functions.conversions import cast, to_datetime
from sluice.sql.clickhouse.functions.model import Scalar, fill, special, template
from sluice.sql.clickhouse.spark import Sql, number, string
from sluice.sql.clickhouse.values import DATE, DATETIME, LONG, STRING, Value, instant
from sluice.types import model as m

if TYPE_CHECKING:
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

FUNCTIONS: dict[str, Scalar] = {
    "now": template("date_trunc('SECOND', current_timestamp())", returns=DATETIME, any_case=True),
    "now64": special(0, 2)(
        lambda call: cast(
            Value(Sql("current_timestamp()"), m.DateTime(6)),
            m.DateTime(
                call.literal(0, int) if call.count else 3,
                call.literal(1) if call.count > 1 else None,
            ),
        )
    ),
    "today": template("current_date()", returns=DATE),
    "yesterday": template("date_sub(current_date(), 1)", returns=DATE),
    "timeZone": template("'UTC'", returns=STRING),
    "toYear": template("year(:0@)", returns=LONG, zoned=True),
    "toQuarter": template("quarter(:0@)", returns=LONG, zoned=True),
    "toMonth": template("month(:0@)", returns=LONG, zoned=True),
    "toDayOfYear": template("dayofyear(:0@)", returns=LONG, zoned=True),
    "toDayOfMonth": template("dayofmonth(:0@)", returns=LONG, zoned=True),
    "toDayOfWeek": template("weekday(:0@) + 1", returns=LONG, doc="Monday is 1"),
    "toISOWeek": template("weekofyear(:0@)", returns=LONG, zoned=True),
    "toISOYear": template("extract(YEAROFWEEK FROM :0@)", returns=LONG, zoned=True),
    "toHour": template("hour(:0@)", returns=LONG, zoned=True),
    "toMinute": template("minute(:0@)", returns=LONG, zoned=True),
    "toSecond": template("second(:0@)", returns=LONG, zoned=True),
    "toMillisecond": template("CAST(date_format(:0, 'SSS') AS INT)", returns=LONG),
    "toYYYYMM": template("year(:0@) * 100 + month(:0@)", returns=LONG, zoned=True),
    "toYYYYMMDD": template(
        "year(:0@) * 10000 + month(:0@) * 100 + dayofmonth(:0@)", returns=LONG, zoned=True
    ),
    "toYYYYMMDDhhmmss": template(
        "CAST(date_format(:0@, 'yyyyMMddHHmmss') AS BIGINT)", returns=LONG, zoned=True
    ),
    "toMonday": template("CAST(date_trunc('WEEK', :0@) AS DATE)", returns=DATE, zoned=True),
    "toLastDayOfMonth": template("last_day(:0@)", returns=DATE, zoned=True),
    "toStartOfSecond": template("date_trunc('SECOND', :0)", returns=m.DateTime(3)),
    "toStartOfMinute": template("date_trunc('MINUTE', :0@)", zoned=True, back=True),
    "toStartOfHour": template("date_trunc('HOUR', :0@)", zoned=True, back=True),
    "toStartOfDay": template("date_trunc('DAY', :0@)", zoned=True, back=True),
    "toStartOfMonth": template("CAST(trunc(:0@, 'MONTH') AS DATE)", returns=DATE, zoned=True),
    "toStartOfQuarter": template("CAST(trunc(:0@, 'QUARTER') AS DATE)", returns=DATE, zoned=True),
    "toStartOfYear": template("CAST(trunc(:0@, 'YEAR') AS DATE)", returns=DATE, zoned=True),
    "toUnixTimestamp64Milli": template("unix_millis(:0)", returns=LONG),
    "toUnixTimestamp64Micro": template("unix_micros(:0)", returns=LONG),
    "fromUnixTimestamp64Milli": template(
        "timestamp_millis(CAST(:0 AS BIGINT))", returns=m.DateTime(3)
    ),
    "fromUnixTimestamp64Micro": template(
        "timestamp_micros(CAST(:0 AS BIGINT))", returns=m.DateTime(6)
    ),
    "makeDate": template("make_date(:0, :1, :2)", returns=DATE),
    "makeDateTime": template("make_timestamp(:0, :1, :2, :3, :4, :5)", returns=DATETIME),
    "monthName": template("date_format(:0@, 'MMMM')", returns=STRING),
    "toTimeZone": special(2)(
        lambda call: Value(
            call.arg(0).sql,
            m.DateTime(getattr(call.arg(0).kind, "precision", None), call.literal(1)),
        )
    ),
}


@special(1, 2, doc="mode 0 (the default) begins weeks on Sunday, mode 1 on Monday")
def _start_of_week(call: Call) -> Value:
    day = "CAST(:0@ AS DATE)"
    if call.count > 1 and call.literal(1, int) % 2:
        return Value(fill(f"CAST(date_trunc('WEEK', {day}) AS DATE)", call.args()), DATE)
    return Value(fill(f"date_sub({day}, dayofweek({day}) - 1)", call.args()), DATE)


FUNCTIONS["toStartOfWeek"] = _start_of_week


def _every(minutes: int) -> Scalar:
    return special(1, 2)(lambda call: _floor(call, call.arg(0), minutes, "MINUTE"))


for _name, _minutes in (
    ("FiveMinutes", 5),
    ("FiveMinute", 5),
    ("TenMinutes", 10),
    ("FifteenMinutes", 15),
):
    FUNCTIONS[f"toStartOf{_name}"] = _every(_minutes)


def unit_of(call: Call, text: str) -> str:
    """The unit that `text` means, such as `day`, `days`, `dd` or `DAY`."""
    unit = _SHORT.get(text, text.upper())
    if unit not in UNITS and unit.removesuffix("S") in UNITS:
        unit = unit.removesuffix("S")
    if unit not in UNITS:
        raise call.wrong(reason=f"Unknown unit {text}; known are {', '.join(UNITS).lower()}")
    return unit


def _floor(call: Call, value: Value, size: int, unit: str) -> Value:
    """`value` cut down to a multiple of `size` units since 1970 (weeks: since a Monday)."""
    if size < 1:
        raise call.wrong(reason="An interval must be at least 1")
    zone = _last_zone(call) or value.zone
    wall = value.wall(zone)
    if UNITS[unit] <= 12 and unit not in ("SECOND", "MINUTE"):
        months = number(size * UNITS[unit])
        since = "(year(:0) - 1970) * 12 + month(:0) - 1"
        text = f"add_months(DATE'1970-01-01', CAST(floor(({since}) / :1) * :1 AS INT))"
        return Value(Sql(text, wall, months), DATE)
    if unit in ("DAY", "WEEK"):
        days = number(size * UNITS[unit] // 86400)
        first = "4" if unit == "WEEK" else "0"  # the first Monday
        floor = f"floor((unix_date(CAST(:0 AS DATE)) - {first}) / :1) * :1"
        text = f"date_from_unix_date(CAST({floor} + {first} AS INT))"
        return Value(Sql(text, wall, days), DATE)
    text = "timestamp_seconds(floor(unix_seconds(CAST(:0 AS TIMESTAMP)) / :1) * :1)"
    cut = Sql(text, wall, number(size * UNITS[unit]))
    return Value(instant(cut, zone), m.DateTime(None, zone))


def _last_zone(call: Call) -> str | None:
    """The time zone that may stand behind the other arguments."""
    last = call.nodes[-1]
    return last.name if call.count > 1 and isinstance(last, exp.Literal) else None


@special(2, 3)
def _start_of_interval(call: Call) -> Value:
    interval = call.nodes[1]
    if not isinstance(interval, exp.Interval):
        raise call.wrong(
            reason="The second argument of toStartOfInterval is written INTERVAL 5 MINUTE"
        )
    size = interval.this.name
    if not size.isdecimal():
        raise call.wrong(
            reason="The interval of toStartOfInterval must be a whole number written out"
        )
    return _floor(call, call.arg(0), int(size), unit_of(call, interval.text("unit")))


FUNCTIONS["toStartOfInterval"] = _start_of_interval


def shift(value: Value, amount: Value, unit: str, *, back: bool = False) -> Value:
    """`value` plus (or minus) so many units; a Date stays one when the unit is a day or longer."""
    count = Sql("CAST(:0 AS INT)", amount.number())
    count = Sql("-:0", count) if back else count
    long = unit not in ("SECOND", "MINUTE", "HOUR")
    if value.is_a(m.Date) and long:
        months = unit in ("MONTH", "QUARTER", "YEAR")
        call = "add_months(:0, :1 * :2)" if months else "date_add(:0, :1 * :2)"
        size = UNITS[unit] if months else UNITS[unit] // 86400
        text = call if size > 1 else call.replace(" * :2", "")
        args = (value.sql, count, number(size)) if size > 1 else (value.sql, count)
        return Value(Sql(text, *args), value.type)
    if value.is_a(m.DateTime, m.Date):
        wall = instant(Sql(f"timestampadd({unit}, :1, :0)", value.wall(), count), value.zone)
        return Value(wall, DATETIME if value.is_a(m.Date) else value.type)
    value = to_datetime(value) if value.is_a(m.String) else value
    place = ["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"].index(
        "MONTH" if unit == "QUARTER" else unit
    )
    slots = ", ".join([*["0"] * place, ":1 * 3" if unit == "QUARTER" else ":1"])
    return Value(Sql(f":0 + make_interval({slots})", value.sql, count), value.type)


def _shifter(unit: str, *, back: bool) -> Scalar:
    return special(2)(lambda call: shift(call.arg(0), call.arg(1), unit, back=back))


for _unit in UNITS:
    FUNCTIONS[f"add{_unit.title()}s"] = _shifter(_unit, back=False)
    FUNCTIONS[f"subtract{_unit.title()}s"] = _shifter(_unit, back=True)


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


for _name in ("dateAdd", "date_add", "timestampAdd", "timestamp_add"):
    FUNCTIONS[_name] = _date_add(back=False)
for _name in ("dateSub", "date_sub", "timestampSub", "timestamp_sub"):
    FUNCTIONS[_name] = _date_add(back=True)


@special(3, 4, any_case=True, doc="counts the unit's borders between the two, as ClickHouse does")
def _date_diff(call: Call) -> Value:
    unit = _unit_argument(call)
    zone = call.literal(3) if call.count > 3 else None
    args = [to_datetime(call.arg(n)) if call.arg(n).is_a(m.String) else call.arg(n) for n in (1, 2)]
    # Clocks of all zones tick together: up to the hour it does not matter where they stand.
    mark = "" if unit in ("SECOND", "MINUTE", "HOUR") and not zone else "@"
    text = f"timestampdiff({unit}, date_trunc('{unit}', :0{mark}), date_trunc('{unit}', :1{mark}))"
    return Value(fill(text, args, zone), LONG)


for _name in ("dateDiff", "date_diff", "timestampDiff", "timestamp_diff"):
    FUNCTIONS[_name] = _date_diff


@special(3, doc="counts whole units")
def _age(call: Call) -> Value:
    text = f"timestampdiff({_unit_argument(call)}, :0, :1)"
    return Value(fill(text, [call.arg(1), call.arg(2)]), LONG)


FUNCTIONS["age"] = _age


@special(2, 3, any_case=True)
def _date_trunc(call: Call) -> Value:
    unit = _unit_argument(call)
    value = call.arg(1)
    zone = call.literal(2) if call.count > 2 else value.zone
    sql = Sql(f"date_trunc('{unit}', :0)", value.wall(zone))
    if unit in ("SECOND", "MINUTE", "HOUR", "DAY"):
        return Value(instant(sql, zone), m.DateTime(None, zone))
    return Value(Sql("CAST(:0 AS DATE)", sql), DATE)


FUNCTIONS["dateTrunc"] = FUNCTIONS["date_trunc"] = _date_trunc


@special(1, 2)
def _to_unix(call: Call) -> Value:
    value = call.arg(0)
    zone = call.literal(1) if call.count > 1 else value.zone
    if value.is_a(m.String):
        moment = instant(Sql("CAST(:0 AS TIMESTAMP)", value.sql), zone)
        return Value(Sql("unix_seconds(:0)", moment), LONG)
    return Value(Sql("unix_seconds(CAST(:0 AS TIMESTAMP))", value.plain()), LONG)


FUNCTIONS["toUnixTimestamp"] = _to_unix

PATTERNS = {
    "Y": "yyyy", "y": "yy", "m": "MM", "c": "MM", "d": "dd", "H": "HH", "I": "hh", "h": "hh",
    "i": "mm", "S": "ss", "s": "ss", "F": "yyyy-MM-dd", "T": "HH:mm:ss", "R": "HH:mm",
    "D": "MM/dd/yy", "r": "hh:mm a", "j": "DDD", "f": "SSSSSS", "p": "a", "a": "EEE", "W": "EEEE",
    "b": "MMM", "M": "MMMM", "Q": "q", "z": "xx", "n": "\n", "t": "\t", "%": "%",
}  # fmt: skip
"""What ClickHouse's `%` specifiers are in Spark's patterns."""

_LETTERS = re.compile(r"[^\W\d_]|[#\[\]{}']")


def pattern_of(call: Call, text: str) -> str:
    """A format of formatDateTime as a pattern of Spark."""
    out: list[str] = []
    for verbatim, specifier in re.findall(r"([^%]+)|%(.?)", text, re.S):
        if verbatim:
            out.append(
                "'" + verbatim.replace("'", "''") + "'" if _LETTERS.search(verbatim) else verbatim
            )
        elif specifier in PATTERNS:
            out.append(PATTERNS[specifier])
        else:
            known = ", ".join(f"%{known}" for known in PATTERNS)
            raise call.wrong(reason=f"%{specifier} is not a known specifier; known are {known}")
    return "".join(out)


@special(2, 3, doc="%M is the month's name and %i the minute, as in ClickHouse since 23.4")
def _format_datetime(call: Call) -> Value:
    zone = call.literal(2) if call.count > 2 else None
    pattern = string(pattern_of(call, call.literal(1)))
    return Value(Sql("date_format(:0, :1)", call.arg(0).wall(zone), pattern), STRING)


FUNCTIONS["formatDateTime"] = FUNCTIONS["DATE_FORMAT"] = _format_datetime

_FORMS = ("yyyyMMddHHmmss", "yyyyMMdd", "dd/MM/yyyy HH:mm:ss", "dd/MM/yyyy", "dd-MM-yyyy HH:mm:ss",
          "dd-MM-yyyy", "d MMM yyyy HH:mm:ss", "d MMM yyyy", "d MMM yyyy HH:mm:ss Z",
          "d MMM yyyy HH:mm:ss z")  # fmt: skip
_WEEKDAY = "regexp_replace(:0, '^[A-Z][a-z]{2}, *', '')"
_BEST = (
    "CASE WHEN :0 RLIKE '^[0-9]{9,10}$' THEN timestamp_seconds(CAST(:0 AS BIGINT))"
    " WHEN :0 RLIKE '^[0-9]{13}$' THEN timestamp_millis(CAST(:0 AS BIGINT))"
    " ELSE coalesce(try_cast(:0 AS TIMESTAMP), "
    + ", ".join(f"try_to_timestamp({_WEEKDAY}, '{form}')" for form in _FORMS)
    + "<last>) END"
)


def _best_effort(last: str) -> Scalar:
    text = f"date_trunc('SECOND', {_BEST.replace('<last>', last)})"
    doc = "ISO 8601, RFC 2822, day-first and Unix times"

    @special(1, 2, doc=doc)
    def build(call: Call) -> Value:
        zone = call.literal(1) if call.count > 1 else None
        return Value(instant(fill(text, call.args()[:1]), zone), m.DateTime(None, zone))

    return build


FUNCTIONS["parseDateTimeBestEffort"] = _best_effort(", CAST(:0 AS TIMESTAMP)")
FUNCTIONS["parseDateTimeBestEffortOrNull"] = _best_effort("")
FUNCTIONS["parseDateTimeBestEffortOrZero"] = _best_effort(", timestamp_seconds(0)")
FUNCTIONS["fromUnixTimestamp"] = special(1, 2, doc="with a format the result is text")(
    lambda call: Value(
        fill("timestamp_seconds(:0)", call.args()[:1]), DATETIME
    )
    if call.count == 1
    else Value(
        Sql("date_format(timestamp_seconds(:0), :1)", call.arg(0).sql,
            string(pattern_of(call, call.literal(1)))),
        STRING,
    )
)  # fmt: skip
