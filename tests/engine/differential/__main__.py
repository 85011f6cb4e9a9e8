"""`python -m engine.differential`: find out anew which calls agree with ClickHouse (minutes).

It writes `agreeing.txt`, the calls that the test compares, and `differing.toml`, those that differ
with the reason. Look at the diff: a call that moves from the first to the second is a regression.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from pathlib import Path

import sluice
from engine.differential import AGREEING, DIFFERING, UNCOMPARED
from engine.differential.cases import Case, cases
from engine.differential.compare import FILL, TABLE, Difference, Expected, clickhouse, differences
from sluice.sql.clickhouse.functions import FUNCTIONS, Aggregate

MOST = 12
"""How many calls of one function are compared, evenly taken from all that ClickHouse answers."""

_RANGE = (
    "Dates and times outside of a type's range are kept as they are; ClickHouse wraps them around "
    "or takes the nearest one it has"
)
REASONS: tuple[tuple[str, str, str], ...] = (
    ("", (r"^(now|now64|today|yesterday|rand|rand32|randCanonical|generateUUIDv4|version|hostName"
         r"|FQDN|user|currentUser|timezone|timeZone|serverTimezone)\("), "It tells of the server"),
    ("", r"^(uniq|groupUniqArray|any|topK|quantile|median|groupConcat)", ("Rows have no order, and "
     "estimates are others")),
    ("type", "", "The values agree; the type that is shown is one that holds them"),
    ("refused", "", "It is not supported for arguments of these types"),
    ("error", "", "It is refused when it runs, with an error that says why"),
    ("", (r"\b(d32|t3|nt)\b|^(add|subtract|date|toStartOf|toMonday|plus|minus|age|toUnix|fromUnix"
         r"|make|parse|toDate|toLastDay|greatest|least|if|multiIf)"), _RANGE),
    ("", r"\braw\b", "Bytes that are no UTF-8 are not kept by Spark's functions of letters"),
    ("", r"^(replaceRegexp|extract|match|splitByRegexp)", "Java's regular expressions"),
    ("", r"^(JSON|isValidJSON|simpleJSON)", ("What is no valid JSON, or of another type, is read "
     "more strictly")),
    ("value", "", "Not mended yet: an edge case in which the values differ"),
)  # fmt: skip


def sampled(expected: list[Expected]) -> list[Expected]:
    """At most so many calls of each function."""
    groups: dict[str, list[Expected]] = defaultdict(list)
    for each in expected:
        if "Nothing" not in each.type and "Variant" not in each.type:
            groups[each.case.function].append(each)
    return [
        group[n * len(group) // min(MOST, len(group))]
        for group in groups.values()
        for n in range(min(MOST, len(group)))
    ]


def reason_of(difference: Difference) -> str:
    """Why a call differs."""
    for kind, pattern, reason in REASONS:
        if kind in ("", difference.kind) and re.search(pattern, difference.case.text):
            return reason
    return REASONS[-1][2]


def write(expected: list[Expected], found: list[Difference]) -> None:
    """Write both files."""
    worst: dict[Case, Difference] = {}
    for difference in found:
        if difference.case not in worst or worst[difference.case].kind == "type":
            worst[difference.case] = difference
    agreeing = [each.case.text for each in expected if each.case not in worst]
    AGREEING.write_text("\n".join(agreeing) + "\n", "utf-8")
    compared = {id(FUNCTIONS[each.case.function]) for each in expected}
    left = [
        name
        for name, function in FUNCTIONS.items()
        if id(function) not in compared
        and not (isinstance(function, Aggregate) and function.window)
    ]
    UNCOMPARED.write_text("\n".join(sorted(left)) + "\n", "utf-8")
    by: dict[str, list[str]] = defaultdict(list)
    for case, difference in worst.items():
        by[reason_of(difference)].append(case.text)
    parts = []
    for reason, calls in sorted(by.items()):
        lines = "\n".join(f"  {_quoted(call)}," for call in sorted(calls))
        parts.append(f'"{reason}" = [\n{lines}\n]\n')
    DIFFERING.write_text("\n".join(parts), "utf-8")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main() -> None:
    """Compare every call."""
    expected = sampled(clickhouse(cases()))
    with tempfile.TemporaryDirectory() as folder, sluice.connect(Path(folder)) as session:
        session.start()
        session.execute(TABLE)
        session.execute(FILL)
        write(expected, differences(session, expected))


if __name__ == "__main__":
    main()
