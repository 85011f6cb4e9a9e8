"""Spark's error conditions as Sluice's: one row for each that a user's query can cause.

Every other one keeps its message, without Spark's settings, functions and classes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.engine import faults
from sluice.engine.spark.typed import from_spark
from sluice.errors import raised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.errors import SluiceError

    Params = Mapping[str, str]
    Make = Callable[[Params], SluiceError]

_PARSED = {
    "DATE": errors.CANNOT_PARSE_DATE,
    "TIMESTAMP": errors.CANNOT_PARSE_DATETIME,
}


def type_name(spark: str) -> str:
    """ClickHouse's name for a Spark type as Spark's errors write it."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import DataType

    named = _FAMILIES.get(spark.strip('"'))
    if named is not None:
        return named
    try:
        return str(from_spark(DataType.fromDDL(spark.strip('"'))))
    except (PySparkException, ValueError):
        return spark.strip('"').capitalize()


_FAMILIES = {
    "NUMERIC": "a number", "INTEGRAL": "an integer", "ARRAY": "Array", "MAP": "Map",
    "STRUCT": "Tuple", "VOID": "Nullable(Nothing)", "TIMESTAMP": "DateTime",
    "STRING": "String", "ANY": "any type", "BINARY": "String", "INTERVAL": "an interval",
}  # fmt: skip


def _column(text: str) -> str:
    """An expression as Spark quotes it; anything but a column would be Spark's own SQL."""
    found = re.fullmatch(r'"?(?:`?\w+`?\.)*`?([\w.]+?)`?"?', text)
    return f"Column {found[1]}" if found else "An expression"


def _unread(params: Params) -> SluiceError:
    target = params.get("targetType", "").strip('"')
    made = _PARSED.get(target, errors.CANNOT_PARSE_TEXT)
    return made(value=params.get("expression", ""), type=type_name(target))


def _mismatch(params: Params) -> SluiceError:
    given, wanted = params.get("inputType", ""), params.get("requiredType", "")
    if not given or not wanted:
        return _illegal(params)
    listed = re.findall(r'"([^"]+)"', wanted) or [wanted]
    expected = " or ".join(dict.fromkeys(map(type_name, listed)))
    reason = f"Illegal type {type_name(given)} of argument of a function or an operator"
    return errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=f"{expected} is expected there.")


def _illegal(params: Params) -> SluiceError:
    types = [
        params[key] for key in ("left", "right", "actualDataType", "dataType") if key in params
    ]
    shown = " and ".join(map(type_name, types))
    what = f"Illegal types {shown}" if len(types) > 1 else f"Illegal type {shown}".rstrip()
    reason = f"{what} of arguments of a function or an operator"
    hint = "Convert one of them with CAST."
    return errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint)


def _apart(params: Params) -> SluiceError:
    types = re.findall(r'"([^"]+)"', params.get("dataType", "") + params.get("left", ""))
    types += re.findall(r'"([^"]+)"', params.get("right", ""))
    shown = ", ".join(dict.fromkeys(map(type_name, types))) or "the values"
    return errors.NO_COMMON_TYPE(what=shown)


def _overflow(reason: str) -> Make:
    return lambda _: errors.DECIMAL_OVERFLOW(reason=reason)


_CONDITIONS: dict[str, Make] = {
    "CAST_INVALID_INPUT": _unread,
    "CANNOT_PARSE_TIMESTAMP": lambda p: errors.CANNOT_PARSE_DATETIME(
        value=p.get("inputString", p.get("value", "")), type="DateTime"
    ),
    "DIVIDE_BY_ZERO": lambda _: errors.ILLEGAL_DIVISION(),
    "REMAINDER_BY_ZERO": lambda _: errors.ILLEGAL_DIVISION(),
    "ARITHMETIC_OVERFLOW": _overflow("a number is too large"),
    "BINARY_ARITHMETIC_OVERFLOW": _overflow("a number is too large"),
    "NUMERIC_VALUE_OUT_OF_RANGE": lambda p: errors.DECIMAL_OVERFLOW(
        reason=f"{p.get('value', 'a number')} in Decimal"
        f"({p.get('precision', '?')}, {p.get('scale', '?')})"
    ),
    "CAST_OVERFLOW": lambda p: errors.VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE(
        reason=f"Value {p.get('value', '').rstrip('BDSL')} does not fit into "
        f"{type_name(p.get('targetType', ''))}"
    ),
    "MISSING_AGGREGATION": lambda p: errors.NOT_AN_AGGREGATE(what=_column(p.get("expression", ""))),
    "UNRESOLVED_COLUMN": lambda p: errors.NOT_AN_AGGREGATE(what=_column(p.get("objectName", ""))),
    "MISSING_GROUP_BY": lambda _: errors.NOT_AN_AGGREGATE(what="A column"),
    "NESTED_AGGREGATE_FUNCTION": lambda _: errors.ILLEGAL_AGGREGATION(),
    "INVALID_WHERE_CONDITION": lambda _: errors.ILLEGAL_AGGREGATION(),
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": lambda _: errors.INCORRECT_RESULT_OF_SCALAR_SUBQUERY(),
    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE": _mismatch,
    "DATATYPE_MISMATCH.DATA_DIFF_TYPES": _apart,
    "DATATYPE_MISMATCH.INCOMPATIBLE_TYPES": _apart,
    "DATATYPE_MISMATCH": _illegal,
    "UNEXPECTED_INPUT_TYPE": _mismatch,
    "EXPRESSION_TYPE_IS_NOT_ORDERABLE": _illegal,
    "INVALID_ORDERING": _illegal,
    "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE": _illegal,
    "DATA_SOURCE_TABLE_SCHEMA_MISMATCH": _illegal,
}
"""By Spark's name; `A.B` is looked for before `A`.

Every column of a lowered query is there: one that Spark does not find was lost in a GROUP BY.
"""


def known(fault: BaseException) -> SluiceError | None:
    """The condition that a fault of a query is an instance of, None if it is in no row."""
    text = "\n".join(faults.messages(fault))
    ours = raised.find(text, raised.EXPRESSION)
    if ours is not None:
        return ours.error()
    for condition, params in _found(fault, text):
        while condition:
            if condition in _CONDITIONS:
                return _CONDITIONS[condition](params)
            condition = condition.rpartition(".")[0]
    return None


def failed(fault: BaseException) -> SluiceError:
    """Any failure of a query as a `SluiceError`, with ClickHouse's message where it has one."""
    return _ours(fault) or known(fault) or unnamed(fault)


def _ours(fault: BaseException) -> SluiceError | None:
    """The error that our Java has raised, if it did."""
    found = faults.condition(fault)
    return None if found is None else found.error(table="")


def unnamed(fault: BaseException) -> SluiceError:
    """The error for a fault without a condition of its own, in any dialect."""
    reason = cleaned(faults.reason(fault))
    if reason.startswith(_BAD_VALUE):
        return errors.CANNOT_PARSE_VALUE(reason=reason)
    return errors.QUERY_FAILED(reason=reason)


_BAD_VALUE = "Cannot parse '"
"""How the JVM begins to tell of a value that data has, and that its column cannot take."""


def _found(fault: BaseException, text: str) -> list[tuple[str, Params]]:
    """The conditions in a fault, with their parameters where Spark hands them over."""
    found: list[tuple[str, Params]] = []
    for cause in faults.causes(fault):
        condition = getattr(cause, "getCondition", lambda: None)()
        if condition:
            given: Params | None = getattr(cause, "getMessageParameters", dict)()
            found.append((condition, given or {}))
    return [*found, *((name, _told(name, message)) for name, message in _CONDITION.findall(text))]


_CONDITION = re.compile(r"\[([A-Z_]+(?:\.[A-Z_]+)*)\] (.*)")
_TOLD = {
    "CAST_INVALID_INPUT": re.compile(
        r"The value (?P<expression>'.*?') of the type (?P<sourceType>\"\w+\") cannot be cast to "
        r"(?P<targetType>\"[^\"]+\")"
    ),
}
"""Parameters in a text: of an error in a task there is nothing else left."""


def _told(condition: str, text: str) -> Params:
    found = _TOLD[condition].search(text) if condition in _TOLD else None
    return found.groupdict() if found else {}


_ADVICE = re.compile(
    r"[^.;]*(?:\bspark\.|\btry_\w+|\bANSI\b|SQLSTATE|\bset\b[^.;]*\bto\s+\"?(?:false|true)\b)[^;\n]*",
    re.I,
)
_INSIDE = re.compile(r"\b(?:org\.apache|java|scala|py4j|io\.delta)\.[\w.$]+|Exception\b|Spark")


def cleaned(reason: str) -> str:
    """Spark's message without its settings, functions and classes."""
    left = _ADVICE.sub("", reason).strip(" .;,")
    if not left or _INSIDE.search(left):
        return "The query cannot be run as it is written; the server's log says more"
    return left
