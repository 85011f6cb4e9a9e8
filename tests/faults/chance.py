"""Randomness of tests that inflict faults, which can be repeated."""

from __future__ import annotations

import os
import random
import threading


def seeded() -> random.Random:
    """A generator whose seed is printed; the variable SEED gives it again."""
    seed = int(os.environ.get("SEED") or random.randrange(1 << 32))  # noqa: S311 - no secret
    print(f"SEED={seed}")  # noqa: T201 - pytest shows it when the test fails
    return random.Random(seed)  # noqa: S311


def a_while(chance: random.Random, longest: float) -> None:
    """Let some time pass: what happens next has to be survived at any moment."""
    threading.Event().wait(chance.uniform(0, longest))
