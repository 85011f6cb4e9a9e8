"""Functions beside ClickHouse itself (chdb): the same calls over the same edge values.

Which calls agree is written down, and those that do not with the reason; and the functions that
have not been compared yet. `python -m engine.differential` compares everything anew.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from engine.differential import AGREEING, DIFFERING, UNCOMPARED
from engine.differential.cases import Case, cases
from engine.differential.compare import FILL, TABLE, clickhouse, differences
from sluice.sql.clickhouse.functions import FUNCTIONS, Aggregate

if TYPE_CHECKING:
    from sluice.session import Session


def _agreeing() -> list[str]:
    return AGREEING.read_text("utf-8").splitlines()


def test_every_function_is_in_a_list() -> None:
    """Rows that several names share are compared under one of them."""
    texts = [*_agreeing(), *(c for calls in _differing().values() for c in calls)]
    known = {case.text: case.function for case in cases()}
    compared = {id(FUNCTIONS[known[text]]) for text in texts if text in known}
    later = {id(FUNCTIONS[name]) for name in UNCOMPARED.read_text("utf-8").split()}
    assert not compared & later
    missing = {
        name
        for name, function in FUNCTIONS.items()
        if id(function) not in compared | later
        and not (isinstance(function, Aggregate) and function.window)
    }
    assert missing == set()
    assert all(len(reason) > 10 for reason in _differing())


def _differing() -> dict[str, list[str]]:
    return tomllib.loads(DIFFERING.read_text("utf-8"))


@pytest.mark.slow
def test_functions_answer_as_clickhouse_does(session: Session) -> None:
    session.execute(TABLE)
    session.execute(FILL)
    known = {case.text: case for case in cases()}
    expected = clickhouse([known.get(text, Case("", text)) for text in _agreeing()])
    assert len(expected) == len(_agreeing())
    assert [str(each) for each in differences(session, expected)] == []
