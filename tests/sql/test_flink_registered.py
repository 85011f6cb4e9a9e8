"""Functions that were registered from Python, in queries of Flink's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sluice import errors
from sluice.sql.core.user_functions import using
from sluice.sql.flink import lower_expression
from sluice.sql.flink.functions import read_functions
from sluice.sql.relation import RelationColumn
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = [RelationColumn("i", m.Int(32)), RelationColumn("s", m.String())]


@pytest.fixture(autouse=True)
def greet() -> Iterator[None]:
    found = read_functions({"greet": (lambda s, n: s * n, ["STRING", "BIGINT"], "DECIMAL(10, 2)")})
    with using(found):
        yield


def test_it_is_called_with_the_types_it_takes() -> None:
    sql = lower_expression("Greet(s, i)", COLUMNS).sql
    assert sql == "sluice_user_greet(`s`, CAST(`i` AS BIGINT))"
    assert lower_expression("GREET(s, i) + 1", COLUMNS).type == m.Decimal(13, 2)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("GREET(s)", "WRONG_ARGUMENT_COUNT"),
        ("GREAT(s, i)", "UNKNOWN_FUNCTION"),
        ("sluice_user_greet(s, i)", "UNKNOWN_FUNCTION"),
    ],
)
def test_nothing_else_is_called(text: str, condition: str) -> None:
    with pytest.raises(errors.SluiceError) as caught:
        lower_expression(text, COLUMNS)
    assert caught.value.condition.name == condition


@pytest.mark.parametrize(
    "given",
    [
        {"upper": (str.upper, ["STRING"], "STRING")},
        {"tumble": (str.upper, ["STRING"], "STRING")},
        {"a b": (str.upper, ["STRING"], "STRING")},
        {"f": ("no function", ["STRING"], "STRING")},
        {"f": (str.upper, ["STRING x"], "STRING")},
        {"f": (str.upper, ["TEXT"], "STRING")},
    ],
)
def test_what_cannot_be_registered(given: dict[str, Any]) -> None:
    with pytest.raises(errors.SluiceError):
        read_functions(given)
