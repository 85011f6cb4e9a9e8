"""`python -m engine.differential [MODULE …]`: compare the calls of some modules anew (a minute).

It writes their lists. Reasons are written by hand into `lists/MODULE.toml` and stay with their
calls; a call that newly differs is printed with both answers and is put under an empty reason,
which the test refuses: mend the function, or say there why it differs.
"""
# ruff: noqa: T201 - a program that prints

from __future__ import annotations

import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import sluice
from engine.differential import comparable, differing, write
from engine.differential.cases import ORDINARY, Case, cases
from engine.differential.compare import FILL, TABLE, Difference, Expected, clickhouse, differences
from sluice.sql.clickhouse.functions import MODULES

MOST = 24
"""How many calls of one function are compared, evenly taken from all that ClickHouse answers.

Those of ordinary values are all compared, beside them.
"""


def sampled(expected: list[Expected]) -> list[Expected]:
    """At most so many calls of each function."""
    groups: dict[str, list[Expected]] = defaultdict(list)
    found: list[Expected] = []
    for each in expected:
        if not ORDINARY.keys().isdisjoint(re.findall(r"\w+", each.case.text)):
            found.append(each)
        elif "Nothing" not in each.type and "Variant" not in each.type:
            groups[each.case.function].append(each)
    return [
        *(
            group[n * len(group) // min(MOST, len(group))]
            for group in groups.values()
            for n in range(min(MOST, len(group)))
        ),
        *found,
    ]


def listed(module: str, expected: list[Expected], found: list[Difference]) -> None:
    """Write a module's lists, and print what differs without a reason."""
    worst: dict[Case, Difference] = {}
    for difference in found:
        if difference.case not in worst or worst[difference.case].kind == "type":
            worst[difference.case] = difference
    agree = [each.case.text for each in expected if each.case not in worst]
    reasons = {call: reason for reason, calls in differing(module).items() for call in calls}
    by: dict[str, list[str]] = {"": [], **{reason: [] for reason in differing(module)}}
    for case, difference in worst.items():
        reason = reasons.get(case.text, "")
        by[reason].append(case.text)
        if not reason:
            print(difference)
    write(module, agree, {reason: calls for reason, calls in by.items() if calls})
    unasked = comparable(module).keys() - {each.case.function for each in expected}
    print(f"{module}: {len(agree)} agree, {len(worst)} differ, {len(by[''])} without a reason")
    print(f"{module}: ClickHouse answered no call of {sorted(unasked)}")


def main(modules: list[str]) -> None:
    """Compare every call of these modules."""
    with tempfile.TemporaryDirectory() as folder, sluice.connect(Path(folder)) as session:
        session.start()
        session.execute(TABLE)
        session.execute(FILL)
        for module in modules:
            names = comparable(module).keys()
            expected = sampled(clickhouse([case for case in cases() if case.function in names]))
            listed(module, expected, differences(session, expected))


if __name__ == "__main__":
    main(sys.argv[1:] or list(MODULES))
