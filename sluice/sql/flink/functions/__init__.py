"""The functions Flink users may call: an allow-list with what each is in Spark.

A name that is in neither table is unknown, so no other function of Spark (`reflect`,
`java_method`, …) can be reached. Names are found in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sluice import errors
from sluice.sql.core.user_functions import known
from sluice.sql.flink.functions import aggregates, dates, numbers, strings, users

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place
    from sluice.sql.core.functions import Function
    from sluice.sql.core.user_functions import UserFunction
    from sluice.sql.flink.functions.model import Aggregate

FUNCTIONS: Final[Mapping[str, Function]] = {
    **strings.FUNCTIONS,
    **numbers.FUNCTIONS,
    **dates.FUNCTIONS,
    **aggregates.FUNCTIONS,
}

ARRIVAL: Final = aggregates.ARRIVAL
"""Stands for the column with a row's place in the order of arrival."""

WINDOWS: Final = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
"""What groups rows by time; `windows` lowers these and what belongs to them."""

UNSUPPORTED: Final[Mapping[str, str]] = {
    "COLLECT": "use ARRAY_AGG",
    "TYPEOF": "types are decided when the query is planned; use DESCRIBE",
    "CURRENT_WATERMARK": "a batch has no watermark of its own",
    "SOURCE_WATERMARK": "it stands in a WATERMARK definition alone",
    "CURRENT_DATABASE": "use SHOW CURRENT DATABASE",
    "TRUNCATE": "use FLOOR, CEIL or ROUND",
    "CHR": "use a string literal",
    "JSON_EXISTS": "use JSON_VALUE(…) IS NOT NULL",
    "JSON_OBJECT": "objects of JSON are not built yet",
    "JSON_ARRAY": "lists of JSON are not built yet",
    "JSON_STRING": "texts of JSON are not built yet",
    "JSON_OBJECTAGG": "objects of JSON are not built yet",
    "JSON_ARRAYAGG": "lists of JSON are not built yet",
    "PERCENTILE": "it is not built yet",
}


def find(name: str, place: Place | None) -> Function:
    """The function of that name."""
    found = FUNCTIONS.get(name.upper()) or users.find(name)
    if found is None:
        raise errors.UNKNOWN_FUNCTION(function=name, hint=_why(name.upper()), place=place)
    return found


def read_functions(given: Mapping[str, users.Given]) -> Mapping[str, UserFunction]:
    """Python functions that SQL may call, checked, by their names in capitals.

    Raises:
        SluiceError: BAD_ARGUMENTS.
    """
    taken = {**FUNCTIONS, **UNSUPPORTED, **dict.fromkeys((*WINDOWS, "CAST", "TRY_CAST"))}
    return users.read(given, taken)


def distinct(name: str, function: Aggregate, place: Place | None) -> Aggregate:
    """An aggregate function of different values over a stream, where Spark has no DISTINCT."""
    if name in aggregates.SAME:
        return function
    if name not in aggregates.DISTINCT:
        what = f"{name}(DISTINCT …) on an unbounded stream"
        raise errors.UNSUPPORTED_ON_STREAM(operation=what, hint="", place=place)
    return aggregates.DISTINCT[name]


def by_arrival(name: str, function: Aggregate, *, distinct: bool) -> Aggregate:
    """An aggregate function over rows that have their place in the order of arrival.

    Its result is then the same whenever it is computed over the same rows.
    """
    return (aggregates.SORTED if distinct else aggregates.BY_ARRIVAL).get(name, function)


def _why(name: str) -> str:
    if name in UNSUPPORTED:
        return f"{name} is known to Flink but not supported: {UNSUPPORTED[name]}"
    return errors.nearest(name, [*FUNCTIONS, *WINDOWS, *known()])
