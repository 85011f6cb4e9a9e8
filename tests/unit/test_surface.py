"""What others use is small, complete and described."""

from __future__ import annotations

import ast
import string
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sluice
from sluice import errors
from sluice.options.kafka import KAFKA, POSITIONAL

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2] / "sluice"


def test_the_public_names_are_sorted_complete_and_described() -> None:
    assert sluice.__all__ == sorted(sluice.__all__)
    for name in sluice.__all__:
        there = getattr(sluice, name)
        assert isinstance(there, str) or (there.__doc__ or "").strip(), name
    with pytest.raises(AttributeError):
        _ = sluice.nothing_of_that_name


def mentioned(condition: errors.Condition) -> set[str]:
    """The parameters that a condition's texts mention."""
    c = condition
    texts = (c.message, c.detail, c.hint, c.flink_message, c.flink_hint)
    return {name for t in texts for _, name, _, _ in string.Formatter().parse(t) if name}


def raised() -> Iterator[tuple[str, str, set[str], bool]]:
    """Every `errors.CONDITION(…)` of the source: where, which, its parameters, and `**more`."""
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="errors"), attr=name), keywords=given
                ) if name.isupper():
                    names = {keyword.arg for keyword in given if keyword.arg} - {"place", "dialect"}
                    more = any(keyword.arg is None for keyword in given)
                    yield f"{path.relative_to(ROOT.parent)}:{node.lineno}", name, names, more


def test_every_error_is_declared_and_gets_its_parameters() -> None:
    wrong = []
    for where, name, given, more in raised():
        condition = errors.conditions().get(name)
        if condition is None:
            wrong.append(f"{where}: {name} is not in conditions.toml")
        elif not more and given != mentioned(condition):
            wrong.append(f"{where}: {name} mentions {mentioned(condition)}, is given {given}")
    assert not wrong


@pytest.mark.parametrize("condition", errors.conditions().values(), ids=lambda c: c.name)
def test_conditions_are_well_formed(condition: errors.Condition) -> None:
    assert condition.kind in ("user", "transient", "indefinite", "terminal")
    assert 400 <= condition.http < 600
    assert len(condition.sqlstate) == 5
    given: dict[str, Any] = dict.fromkeys(mentioned(condition), "x")
    made = condition(**given)
    assert "{" not in made.text()


def test_every_option_is_described() -> None:
    for option in KAFKA.options:
        assert option.doc.endswith("."), option.key
    assert len({option.key for option in KAFKA.options}) == len(KAFKA.options)
    assert set(POSITIONAL) <= set(KAFKA.by_key)
