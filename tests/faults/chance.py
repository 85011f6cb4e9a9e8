"""Randomness of tests that inflict faults, which can be repeated."""

from __future__ import annotations

import os
import random
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ALL = os.environ.get("KILLS") == "all"
"""Whether a test inflicts every fault that it knows; else it chooses some in each run."""


def seeded() -> random.Random:
    """A generator whose seed is printed; the variable SEED gives it again."""
    seed = int(os.environ.get("SEED") or random.randrange(1 << 32))  # noqa: S311 - no secret
    print(f"SEED={seed}")  # noqa: T201 - pytest shows it when the test fails
    return random.Random(seed)  # noqa: S311


def a_while(chance: random.Random, longest: float) -> None:
    """Let some time pass: what happens next has to be survived at any moment."""
    threading.Event().wait(chance.uniform(0, longest))


def some(chance: random.Random, faults: Sequence[str], most: int) -> list[str]:
    """Faults in a random order: `most` of them, or all with `KILLS=all` in the environment."""
    return chance.sample(list(faults), len(faults) if ALL else min(most, len(faults)))
