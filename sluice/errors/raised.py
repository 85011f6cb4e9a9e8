"""Conditions that are raised outside of Python: one line of JSON in the text of an exception.

Spark's expressions raise them with `raise_error`, our Java with `sluice.errors.ConditionException`.
Of a failure in a task, and of one in a streaming query, only text arrives here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

EXPRESSION = "SLUICE_RAISED"
"""The prefix of the JSON object that an expression raises."""

JAVA = "SLUICE_CONDITION"
"""The prefix of the one that our Java raises; the same as in `ConditionException`."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A condition by its name, with the parameters that its raiser knows."""

    name: str
    params: Mapping[str, Any]

    def error(self, **more: object) -> errors.SluiceError | None:
        """The error, with parameters that its raiser did not know; None if it has no such name."""
        condition = errors.conditions().get(self.name)
        return None if condition is None else condition(**{**more, **self.params})


def find(text: str, mark: str) -> Raised | None:
    """The first condition after a mark in a text."""
    found = told(text, mark)
    return None if found is None else Raised(found.pop("condition"), found)


def told(text: str, mark: str) -> dict[str, Any] | None:
    """The first JSON object after a mark in a text."""
    at = text.find(mark + "{")
    if at < 0:
        return None
    found: dict[str, Any] = json.JSONDecoder().raw_decode(text[at + len(mark) :])[0]
    return found
