"""LIKE in statements that list names."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def like(pattern: str | None, *, any_case: bool = False) -> Callable[[str], bool]:
    """A test for SQL's LIKE patterns, or with `any_case` for those of ILIKE."""
    if pattern is None:
        return lambda name: True
    glob = "".join(
        {"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}.get(c, c) for c in pattern
    )
    if any_case:
        return lambda name: fnmatch.fnmatchcase(name.lower(), glob.lower())
    return lambda name: fnmatch.fnmatchcase(name, glob)
