"""Rows of the function tables, as far as the dialects share them."""

from __future__ import annotations

import re

SLOT = re.compile(r":(\d+|\*)([?@#]?)")
"""Where an argument goes in a template: its number, or `*` for the rest, and how it is shown."""

LONGEST = 1_000_000
"""The longest string that `repeat` and similar functions may build, in repetitions."""


def arity(text: str) -> tuple[int, int | None]:
    """How many arguments a template takes, at least and at most."""
    slots = [slot for slot, _ in SLOT.findall(text)]
    named = max((int(slot) for slot in slots if slot != "*"), default=-1) + 1
    return named, None if "*" in slots else named
