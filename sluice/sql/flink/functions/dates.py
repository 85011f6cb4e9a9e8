"""Functions of days, times and moments. The session's time zone is UTC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice.sql.core.functions import Function, special
from sluice.sql.core.spark import Sql, string
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.functions.model import Call, Scalar, template
from sluice.sql.flink.functions.numbers import rounded
from sluice.sql.flink.times import CLOCK
from sluice.sql.flink.values import (
    DATE,
    INSTANT,
    INT,
    LONG,
    STRING,
    TEXTS,
    TIMESTAMP,
    Value,
    cast_sql,
)
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.types import Type

_QUOTED = re.compile(r"'[^']*'")
_UNKNOWN_LETTER = re.compile(r"[^GuyYDMLdQqgwWEecFaBhKkHmsSAnNVvzOXxZp\[\]\W\d_]|[{}#]")
"""What Java's DateTimeFormatter has no meaning for."""
FULL = "yyyy-MM-dd HH:mm:ss"
_FIRST = "-9223372036854775808L"

_PARTS = {
    "YEAR": "year(:0)", "QUARTER": "quarter(:0)", "MONTH": "month(:0)", "WEEK": "weekofyear(:0)",
    "DAY": "day(:0)", "DOY": "dayofyear(:0)", "DOW": "dayofweek(:0)",
    "ISODOW": "weekday(:0) + 1", "ISOYEAR": "extract(YEAROFWEEK FROM :0)", "HOUR": "hour(:0)",
    "MINUTE": "minute(:0)", "SECOND": "second(:0)", "EPOCH": "unix_timestamp(:0)",
    "DECADE": "year(:0) DIV 10", "CENTURY": "(year(:0) + 99) DIV 100",
    "MILLENNIUM": "(year(:0) + 999) DIV 1000",
}  # fmt: skip

_NAMED_PARTS = ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")
"""Parts that are functions of the same name."""

_TRUNCATED = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND")
_ADDED = (
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND",
    "MICROSECOND",
)  # fmt: skip
_OF_DAYS = _ADDED[:5]
_PREFIX = "SQL_TSI_"


def _moment(call: Call, n: int) -> Sql:
    """A day or a moment; a text is read as one, NULL if it is none."""
    value = call.arg(n)
    if value.is_a(*TEXTS):
        return Sql("try_cast(:0 AS TIMESTAMP_NTZ)", value.sql)
    return value.sql


@special(2, doc="an integer; the day of the week is 1 on Sunday")
def _extract(call: Call) -> Value:
    unit = call.nodes[0].name
    if unit not in _PARTS:
        raise call.wrong(reason=f"EXTRACT of {unit} is not supported")
    return _part(unit, _moment(call, 1))


def _part(unit: str, moment: Sql) -> Value:
    return Value(Sql(f"CAST({_PARTS[unit]} AS BIGINT)", moment), LONG)


def _part_of(unit: str) -> Scalar:
    return Scalar(1, 1, build=lambda call: _part(unit, _moment(call, 0)))


def _unit(call: Call, known: tuple[str, ...]) -> str:
    """The unit that is the first argument of TIMESTAMPADD and TIMESTAMPDIFF."""
    unit = call.nodes[0].name.upper().removeprefix(_PREFIX)
    if unit not in known:
        raise call.wrong(reason=f"{call.name} takes one of {', '.join(known)} as its unit")
    return unit


@special(3)
def _timestamp_add(call: Call) -> Value:
    unit = _unit(call, _ADDED)
    value = call.arg(2)
    sql = Sql(f"timestampadd({unit}, :0, :1)", call.arg(1).sql, _moment(call, 2))
    if value.is_a(m.Date) and unit in _OF_DAYS:
        return Value(cast_sql(sql, DATE), DATE)
    return Value(sql, _moments(value))


def _moments(value: Value) -> Type:
    return value.kind if value.is_a(m.LocalDateTime, m.DateTime) else UNKNOWN


@special(3)
def _timestamp_diff(call: Call) -> Value:
    unit = _unit(call, _ADDED)
    sql = Sql(f"timestampdiff({unit}, :0, :1)", _moment(call, 1), _moment(call, 2))
    return Value(cast_sql(sql, INT), INT)


def _truncated(call: Call) -> Value:
    """`FLOOR(x TO DAY)`, `CEIL(x TO DAY)`; a number is rounded."""
    up = call.name != "FLOOR"
    if call.count == 1:
        return rounded(call, "ceil" if up else "floor")
    value, unit = call.arg(0), call.nodes[1].name
    if unit not in _TRUNCATED:
        raise call.wrong(reason=f"{call.name} TO {unit} is not supported")
    if value.is_a(m.TimeOfDay) or not value.is_a(m.Date, m.LocalDateTime, m.DateTime):
        raise call.wrong(reason=f"{call.name} … TO {unit} takes a DATE or a TIMESTAMP; use CAST")
    cut = cast_sql(Sql(f"date_trunc('{unit}', :0)", value.sql), value.kind)
    if not up:
        return Value(cut, value.kind)
    more = cast_sql(Sql(f"timestampadd({unit}, 1, :0)", cut), value.kind)
    return Value(Sql("if(:0 = :1, :0, :2)", value.sql, cut, more), value.kind)


@special(1, 2, doc="NULL for what is no number of seconds (0) or milliseconds (3)")
def _to_timestamp_ltz(call: Call) -> Value:
    value = call.arg(0)
    if value.is_a(*TEXTS):
        pattern = call.arg(1).sql if call.count > 1 else string(FULL)
        return Value(Sql("try_to_timestamp(:0, :1)", value.sql, pattern), INSTANT)
    precision = call.literal(1, int) if call.count > 1 else 3
    if precision not in (0, 3):
        raise call.wrong(reason="The precision of TO_TIMESTAMP_LTZ is 0 (seconds) or 3")
    function = "timestamp_millis" if precision else "timestamp_seconds"
    whole = value.sql if value.is_a(m.Int) else Sql("CAST(:0 AS BIGINT)", value.sql)
    return Value(Sql(f"{function}(:0)", whole), m.DateTime(precision))


@special(2, doc="with the patterns of Java's DateTimeFormatter")
def _date_format(call: Call) -> Value:
    pattern = call.arg(1)
    if isinstance(pattern.literal, str):
        unknown = _UNKNOWN_LETTER.search(_QUOTED.sub("", pattern.literal))
        if unknown is not None:
            reason = f"DATE_FORMAT has no pattern letter '{unknown[0]}'; text stands in '' … ''"
            raise call.wrong(reason=reason)
    moment = Sql("CAST(:0 AS TIMESTAMP_NTZ)", _moment(call, 0))
    return Value(Sql("sluice_date_format(:0, :1)", moment, pattern.sql), STRING)


@special(0, 2, doc="the smallest BIGINT for a text that is no moment")
def _unix_timestamp(call: Call) -> Value:
    if not call.count:
        return Value(Sql("unix_timestamp()"), LONG)
    pattern = call.arg(1).sql if call.count > 1 else string(FULL)
    seconds = "unix_timestamp(try_to_timestamp(:0, :1))"
    text = f"if(:0 IS NULL, NULL, coalesce({seconds}, {_FIRST}))"
    return Value(Sql(text, call.arg(0).sql, pattern), LONG)


def _written(type_: Type, spark: str) -> Scalar:
    """`DATE '2024-01-31'`: the text is checked by Spark."""

    @special(1)
    def build(call: Call) -> Value:
        found: Type = type_
        text = call.literal(0)
        if isinstance(type_, m.LocalDateTime):
            found = m.LocalDateTime(min(len(text.partition(".")[2]), 6))
        return Value(Sql(f"CAST(:0 AS {spark})", string(text)), found)

    return build


@special(1)
def _time(call: Call) -> Value:
    """A time of day is its text."""
    text = call.literal(0)
    return Value(string(text), m.TimeOfDay(len(text.partition(".")[2])))


@special(0, doc="the same for all rows of a batch")
def _proctime(call: Call) -> Value:
    return Value(Sql("current_timestamp()"), INSTANT, time=CLOCK)


def _now(text: str, type_: Type) -> Scalar:
    return template(text, returns=type_, doc="the same for all rows of a batch")


_NOW = _now("current_timestamp()", INSTANT)
_TIME_NOW = _now("date_format(current_timestamp(), 'HH:mm:ss')", m.TimeOfDay(0))

FUNCTIONS: dict[str, Function] = {
    "EXTRACT": _extract,
    **{unit: _part_of(unit) for unit in _NAMED_PARTS},
    "DAYOFYEAR": _part_of("DOY"),
    "DAYOFMONTH": _part_of("DAY"),
    "DAYOFWEEK": _part_of("DOW"),
    **dict.fromkeys(("FLOOR", "CEIL", "CEILING"), Scalar(1, 2, build=_truncated)),
    "TIMESTAMPADD": _timestamp_add,
    "TIMESTAMPDIFF": _timestamp_diff,
    "TO_DATE": template(
        "try_cast(:0 AS DATE)", "CAST(try_to_timestamp(:0, :1) AS DATE)", returns=DATE
    ),
    "TO_TIMESTAMP": template(
        "try_cast(:0 AS TIMESTAMP_NTZ)",
        "CAST(try_to_timestamp(:0, :1) AS TIMESTAMP_NTZ)",
        returns=TIMESTAMP,
        doc="NULL for a text that is no moment",
    ),
    "TO_TIMESTAMP_LTZ": _to_timestamp_ltz,
    "DATE_FORMAT": _date_format,
    "UNIX_TIMESTAMP": _unix_timestamp,
    "FROM_UNIXTIME": template("from_unixtime(:0)", "from_unixtime(:0, :1)"),
    "CONVERT_TZ": template(
        f"date_format(convert_timezone(:1, :2, try_cast(:0 AS TIMESTAMP_NTZ)), '{FULL}')"
    ),
    **dict.fromkeys(("NOW", "CURRENT_TIMESTAMP", "CURRENT_ROW_TIMESTAMP"), _NOW),
    "PROCTIME": _proctime,
    "LOCALTIMESTAMP": _now("localtimestamp()", TIMESTAMP),
    "CURRENT_DATE": _now("current_date()", DATE),
    **dict.fromkeys(("CURRENT_TIME", "LOCALTIME"), _TIME_NOW),
    "DATE": _written(DATE, "DATE"),
    "TIMESTAMP": _written(TIMESTAMP, "TIMESTAMP_NTZ"),
    "TIME": _time,
}

BARE = frozenset(
    {"CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME"}
)
"""Written without parentheses."""
