"""Scripts: several statements in one text."""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"""
    (?P<quoted> '(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*"
              | (?P<tag>\$\w*\$).*?(?P=tag) )
  | (?P<comment> --[^\n]* | \#[!\ ][^\n]* | /\*.*?\*/ )
  | (?P<end> ; )
  | (?P<space> \s+ )
  | (?P<other> . )
    """,
    re.S | re.X,
)


def split(text: str) -> list[str]:
    """Split a script at each `;` that is not inside a string, a quoted name or a comment.

    A statement keeps its text, comments too; what holds only blanks and comments is left out. An
    unclosed quote does not stop the splitting: the parser says where it is.
    """
    found: list[str] = []
    start, filled = 0, False
    for piece in _PIECE.finditer(text):
        if piece["end"]:
            if filled:
                found.append(text[start : piece.start()].strip())
            start, filled = piece.end(), False
        elif piece["quoted"] or piece["other"]:
            filled = True
    if filled:
        found.append(text[start:].strip())
    return found
