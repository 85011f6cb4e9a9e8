"""Users' regular expressions, matched by RE2 in linear time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import re2

from sluice import errors

if TYPE_CHECKING:
    from sluice.errors import Place

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


SYNTAX = "Patterns are RE2's: no lookaround, no backreferences"


class BadPattern(ValueError):
    """A text that RE2 rejects as a regular expression; the message gives the reason."""


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """The pattern, to be matched by `fullmatch` and `search`.

    Raises:
        BadPattern: for what is no regular expression, needs backtracking, or is too large.
    """
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as bad:
        given = bad.args[0] if bad.args else ""
        why = given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given)
        raise BadPattern(why) from None


def checked(pattern: str, place: Place | None) -> Any:
    """The pattern that a statement has written out.

    Raises:
        SluiceError: CANNOT_COMPILE_REGEXP.
    """
    try:
        return compiled(pattern)
    except BadPattern as bad:
        raise errors.CANNOT_COMPILE_REGEXP(pattern=pattern, reason=bad, place=place) from None


def fits(pattern: str, name: str) -> bool:
    """Whether a pattern matches a whole name."""
    return compiled(pattern).fullmatch(name) is not None
