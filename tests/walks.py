"""The walk of a statement or a batch through the packages: which module calls which."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sluice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ROOT = str(Path(sluice.__file__).parent) + "/"

LAYERS = (
    "cli", "server", "session", "system", "engine", "clickhouse", "planner", "sql", "access",
    "catalog", "config", "kafka", "options", "formats", "parameters", "types", "errors",
)  # fmt: skip
"""The packages; each may import, and call, those after it."""

Walk = list[tuple[str, str]]
"""Calls from a file of Sluice into another one, in their order."""


@contextmanager
def walked(walk: Walk) -> Iterator[None]:
    """Note the calls that this thread makes meanwhile; what libraries do in between is left out."""

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not (to := frame.f_code.co_filename).startswith(ROOT):
            return
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(ROOT):
            caller = caller.f_back
        if caller is not None and (before := caller.f_code.co_filename) != to:
            walk.append((before.removeprefix(ROOT), to.removeprefix(ROOT)))

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


def upwards(walk: Walk) -> set[tuple[str, str]]:
    """The calls into a package above that of the caller."""
    level = {package: at for at, package in enumerate(LAYERS)}

    def of(path: str) -> int:
        return level.get(path.partition("/")[0], len(LAYERS))

    return {(before, to) for before, to in walk if of(to) < of(before)}
