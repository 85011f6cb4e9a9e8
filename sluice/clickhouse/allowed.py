"""What a SELECT may call: functions that read and change nothing but their arguments.

`functions.txt` lists them, so that what a newer ClickHouse has in addition is refused until it was
looked at: `python -m sluice.clickhouse.allowed` writes it anew.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.clickhouse import structures
from sluice.clickhouse.tokens import TOKEN, unquoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sluice.clickhouse.syntax import Query

DENIED = {
    "it reads files of the server": "file filesystem\\w* showCertificate",
    "it calls services outside": "AI[A-Z]\\w* ai[A-Z]\\w*",
    "it shows the inside of the server process": """
        addressTo\\w* demangle logTrace tid trace getMacro getServerPort tcpPort
        getServerSetting getMergeTreeSetting getOSKernelVersion serverUUID zookeeper\\w*
        transaction\\w* getClientHTTPHeader currentRequestURL currentHandler connection_?[iI]d
        hasThreadFuzzer isMergeTreePartCoveredBy mergeTreePartInfo
    """,
    "there are no dictionaries of the server": "region\\w+ OS\\w+Hierarchy SE\\w+Hierarchy",
    "there are no tables with ENGINE = Join": "joinGet\\w*",
    "there are no models": "naiveBayesClassifier\\w* evalMLMethod catboostEvaluate",
    "it looks up names of tables in a text": "hasColumnInTable getMaxTableNameLengthForDatabase",
    "it is internal": "__\\w+ validateNestedArraySizes nested fuzzQuery generateSerialID",
}
"""Functions of ClickHouse that are refused, as patterns of names, by the reason."""

TABLE_FUNCTION_NAMES = (
    "numbers", "numbers_mt", "zeros", "zeros_mt", "generateSeries", "generate_series", "primes",
    "generateRandom", "values", "sqlStandardValues", "view", "null", "format", "dictionary",
)  # fmt: skip
"""Table functions that may be called: they make rows of their arguments."""
TABLE_FUNCTIONS = frozenset(map(str.lower, TABLE_FUNCTION_NAMES))
"""The same in lower case."""

SYNTAX = frozenset({"lambda", "exists", "untuple", "countdistinct", "grouping", "notexists"})
"""What the parser makes functions of, in lower case, and `system.functions` does not list."""

_COMBINATORS = re.compile(
    r"(?:If|Array|Map|SimpleState|State|Merge|MergeState|ForEach|Distinct|OrDefault|OrNull|"
    r"Resample|ArgMin|ArgMax|OrFill)$"
)


def check(query: Query, made: Collection[str] = ()) -> None:
    """Refuse a query that calls something else; `made` are functions of CREATE FUNCTION.

    Raises:
        SluiceError: FUNCTION_NOT_ALLOWED or UNKNOWN_FUNCTION.
    """
    for name in sorted(query.table_functions):
        if name.lower() not in TABLE_FUNCTIONS:
            reason = "a query reads tables of the catalog, and rows that it makes itself"
            if name.lower() == "input":
                reason = "it reads the data of INSERT INTO t SELECT … FROM input(…) FORMAT name …"
            raise errors.FUNCTION_NOT_ALLOWED(function=f"The table function {name}", reason=reason)
    structures.check(query.text, query.table_functions)
    for name in sorted(query.functions):
        if name not in made and not is_allowed(name):
            reason = denied(name)
            if reason:
                raise errors.FUNCTION_NOT_ALLOWED(function=f"The function {name}", reason=reason)
            if _is_alias(query, name) and not any(map(denied, _shorter(name))):
                continue  # ClickHouse has none of that name: it is a lambda of the query
            hint = errors.nearest(name, (*made, *functions()))
            raise errors.UNKNOWN_FUNCTION(function=name, hint=hint)


def _is_alias(query: Query, name: str) -> bool:
    """Whether a part of a query with lambdas has a name."""
    if "lambda" not in query.functions:
        return False
    tokens = TOKEN.findall(query.text)
    return any(word == "AS" and unquoted(other) == name for word, other in pairwise(tokens))


def is_allowed(name: str) -> bool:
    """Whether a function may be called, also one with combinators such as `sumIf`."""
    known = _known()
    return any(each.lower() in known for each in _shorter(name))


def _shorter(name: str) -> Iterator[str]:
    """A name, and what is left of it without combinators."""
    before = ""
    while name and name != before:
        yield name
        before, name = name, _COMBINATORS.sub("", name)


def denied(name: str) -> str:
    """Why a function is refused; empty if it is not."""
    for reason, patterns in DENIED.items():
        if any(re.fullmatch(each, name, re.I) for each in patterns.split()):
            return reason
    return ""


@cache
def functions() -> tuple[str, ...]:
    """The functions that may be called."""
    found = resources.files("sluice.clickhouse").joinpath("functions.txt")
    return tuple(found.read_text("utf-8").split())


@cache
def _known() -> frozenset[str]:
    return frozenset(name.lower() for name in functions()) | SYNTAX


def write() -> None:
    """Write the list anew, from what ClickHouse has."""
    import chdb

    ask: Any = chdb.query
    names = str(ask("SELECT name FROM system.functions ORDER BY name", "TSVRaw")).split()
    kept = (name for name in names if not denied(name))
    Path(__file__).with_name("functions.txt").write_text("\n".join(kept) + "\n", "utf-8")


if __name__ == "__main__":
    write()
