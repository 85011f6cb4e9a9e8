"""Patterns of SIMILAR TO as Java's regular expressions."""

from __future__ import annotations

import re

from sluice import errors
from sluice.options.patterns import BadPattern, compiled

_PIECE = re.compile(
    r"(?P<set>\[\^?[^\]\\]+\])|(?P<mark>[%_])|(?P<same>[|*+?(){}])|(?P<other>.)", re.S
)
_MARKS = {"%": ".*", "_": "."}


def java(pattern: str) -> str:
    """A regular expression that matches what the pattern matches: all of a text, not a part.

    Raises:
        SluiceError: CANNOT_COMPILE_REGEXP.
    """
    found = "".join(
        piece["set"]
        or _MARKS.get(piece["mark"] or "")
        or piece["same"]
        or re.escape(piece["other"])
        for piece in _PIECE.finditer(pattern)
    )
    try:
        compiled(found)
    except BadPattern as bad:
        raise errors.CANNOT_COMPILE_REGEXP(pattern=pattern, reason=bad) from bad
    return found
