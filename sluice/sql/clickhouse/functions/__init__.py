"""The functions ClickHouse users may call: an allow-list with what each is in Spark.

A name that is in neither table is unknown, so no other function of Spark (`reflect`,
`java_method`, …) can be reached. `system.functions` lists both tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sluice import errors
from sluice.sql.clickhouse.functions import (
    addresses,
    aggregates,
    arrays,
    conversions,
    dates,
    json,
    numbers,
    states,
    strings,
)
from sluice.sql.clickhouse.functions.model import Aggregate, Call, Scalar
from sluice.sql.core.functions import Function

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.errors import Place

MODULES: Final[Mapping[str, Mapping[str, Function]]] = {
    module.__name__.rpartition(".")[2]: module.FUNCTIONS
    for module in (
        *(conversions, dates, strings, numbers, json, arrays, aggregates, states, addresses),
    )
}
"""The functions by the module that has them."""

FUNCTIONS: Final[Mapping[str, Function]] = {
    name: function for rows in MODULES.values() for name, function in rows.items()
}

HASHES: Final = (
    "cityHash64", "sipHash64", "sipHash128", "xxHash32", "xxHash64", "murmurHash2_64",
    "murmurHash3_32", "murmurHash3_64", "murmurHash3_128", "farmHash64", "farmFingerprint64",
    "metroHash64", "intHash32", "intHash64", "halfMD5", "javaHash",
)  # fmt: skip
_HASHES = "its values are made by ClickHouse's own code; use MD5, SHA256 or CRC32"

UNSUPPORTED: Final[Mapping[str, str]] = {
    **dict.fromkeys(HASHES, _HASHES),
    **dict.fromkeys(
        ("reinterpret", "reinterpretAsInt32", "reinterpretAsUInt64", "reinterpretAsString"),
        "bytes are not reinterpreted; use toInt64, toString or hex",
    ),
    **dict.fromkeys(("sumMap", "minMap", "maxMap"), "use ARRAY JOIN and GROUP BY"),
    **dict.fromkeys(
        ("dictGet", "dictGetOrDefault", "dictGetOrNull", "dictGetAll", "dictHas", "dictGetString"),
        "views and queries on Spark do not read dictionaries: JOIN the table of the dictionary",
    ),
    **dict.fromkeys(("currentUser", "user", "currentRoles", "currentProfiles"),
                    "views, and what Spark runs, have no user"),
    **dict.fromkeys(("serverUUID", "uptime", "version", "buildId", "FQDN"),
                    "it tells about the server; use hostName"),
    **dict.fromkeys(("sleep", "sleepEachRow"), "it only waits"),
    **dict.fromkeys(("file", "url", "s3", "remote", "executable", "getOSKernelVersion"),
                    "statements may not reach outside of Sluice's tables"),
    "joinGet": "there are no Join tables; use JOIN",
    "runningDifference": "it depends on the order of blocks; use lagInFrame(x) OVER (ORDER BY …)",
    "neighbor": "it depends on the order of blocks; use lagInFrame(x) OVER (ORDER BY …)",
    "rowNumberInAllBlocks": "it depends on the order of blocks; use row_number() OVER (ORDER BY …)",
    "COLUMNS": "name the columns, or use * EXCEPT (…)",
    "windowFunnel": "it is not built yet",
    "retention": "it is not built yet",
}  # fmt: skip

ARRAY_JOIN: Final = Function(1, 1)
"""`arrayJoin`, which the SELECT around it lowers."""

_ANY_CASE = {name.lower(): name for name, function in FUNCTIONS.items() if function.any_case}


def find(name: str, place: Place | None) -> tuple[Function, bool]:
    """The function of that name, and whether it is the `…If` form of an aggregate."""
    found = FUNCTIONS.get(name) or FUNCTIONS.get(_ANY_CASE.get(name.lower(), ""))
    if found is not None:
        return found, False
    if name.endswith("If"):
        base = FUNCTIONS.get(name[:-2]) or FUNCTIONS.get(_ANY_CASE.get(name[:-2].lower(), ""))
        if isinstance(base, Aggregate) and not base.window:
            return base, True
    raise errors.UNKNOWN_FUNCTION(function=name, hint=_why(name), place=place)


def is_aggregate(name: str) -> bool:
    """Whether a name is that of an aggregate function, in whichever of its forms."""
    if states.find(name) is not None:
        return True
    try:
        return isinstance(find(name, None)[0], Aggregate)
    except errors.SluiceError:
        return False


def _why(name: str) -> str:
    if name in UNSUPPORTED:
        return f"{name} is known to ClickHouse but not supported: {UNSUPPORTED[name]}"
    for suffix in ("MergeState", "State", "Merge"):
        inner = name.removesuffix(suffix)
        if inner != name and isinstance(FUNCTIONS.get(inner), Aggregate):
            return f"The combinator -{suffix} is not there for {inner}: its states are not kept"
    return errors.nearest(name, FUNCTIONS)


__all__ = [
    "FUNCTIONS",
    "HASHES",
    "MODULES",
    "UNSUPPORTED",
    "Aggregate",
    "Call",
    "Function",
    "Scalar",
    "find",
    "is_aggregate",
]
