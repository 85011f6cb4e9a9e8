"""LIKE in statements that list names."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def like(pattern: str | None) -> Callable[[str], bool]:
    """A test for SQL's LIKE patterns."""
    if pattern is None:
        return lambda name: True
    glob = "".join(
        {"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}.get(c, c) for c in pattern
    )
    return lambda name: fnmatch.fnmatchcase(name, glob)
