"""Functions beside ClickHouse itself (chdb): the same calls over the same edge values.

Which calls agree is written down, and those that do not with the reason.
`python -m engine.differential` compares everything anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.differential import agreeing, comparable, differing
from engine.differential.cases import Case, cases
from engine.differential.compare import FILL, TABLE, clickhouse, differences
from sluice.sql.clickhouse.functions import MODULES

if TYPE_CHECKING:
    from sluice.session import Session

pytestmark = pytest.mark.usefixtures("on_spark")

PARTS = 4
"""All calls are compared in so many parts, of which a run takes two."""

ALONE = frozenset({"finalizeAggregation", "uniqTheta"})
"""Functions of aggregate states (tests/engine/test_engines.py), and what chdb is built without."""


@pytest.mark.parametrize("module", MODULES)
def test_every_function_is_in_a_list(module: str) -> None:
    calls = [*agreeing(module), *(call for calls in differing(module).values() for call in calls)]
    known = {case.text: case.function for case in cases()}
    compared = {known.get(call, call.partition("(")[0]) for call in calls}
    assert set(comparable(module)) - compared <= ALONE
    assert all(len(reason) > 10 for reason in differing(module))


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(PARTS))
def test_functions_answer_as_clickhouse_does(session: Session, part: int) -> None:
    """A part has every fourth call, so that nearly every function is in each of them."""
    session.execute(TABLE)
    session.execute(FILL)
    known = {case.text: case for case in cases()}
    agree = [call for module in MODULES for call in agreeing(module)][part::PARTS]
    expected = clickhouse([known.get(text, Case("", text)) for text in agree])
    assert len(expected) == len(agree)
    assert [str(each) for each in differences(session, expected)] == []
