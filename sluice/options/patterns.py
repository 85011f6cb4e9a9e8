"""Users' regular expressions, matched by RE2 in linear time whatever they are."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


class BadPattern(ValueError):
    """A text that RE2 does not take for a regular expression; the message says why."""


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """The pattern, to be matched by `fullmatch` and `search`.

    Raises:
        BadPattern: for what is no regular expression, needs backtracking, or is too large.
    """
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as bad:
        said = bad.args[0] if bad.args else ""
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        reason = f"{why} (patterns are RE2's: no lookaround, no backreferences)"
        raise BadPattern(reason) from None


def fits(pattern: str, name: str) -> bool:
    """Whether a pattern matches a whole name."""
    return compiled(pattern).fullmatch(name) is not None
