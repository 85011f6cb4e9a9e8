"""Scripts: several statements in one text."""

from __future__ import annotations

import re

VERTICAL = " FORMAT Vertical"
"""What `\\G` stands for."""

_REST = r" | (?P<end> ; | \\G (?!\w) ) | (?P<space> \s+ ) | (?P<word> \w+ ) | (?P<other> . )"
_PIECES = {
    "clickhouse": re.compile(
        r"""
        (?P<quoted> '(?:[^'\\]|\\.|'')*' | `(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*"
                  | (?P<tag>\$\w*\$).*?(?P=tag) )
      | (?P<comment> --[^\n]* | \#[!\ ][^\n]* | /\*.*?\*/ )
        """
        + _REST,
        re.S | re.X,
    ),
    "flink": re.compile(
        r"(?P<quoted> '(?:[^']|'')*' | `(?:[^`]|``)*` )"
        r" | (?P<comment> --[^\n]* | //[^\n]* | /\*.*?\*/ )" + _REST,
        re.S | re.X,
    ),
}

_SETS = (
    ["BEGIN", "STATEMENT", "SET"],
    ["EXECUTE", "STATEMENT", "SET"],
    ["EXPLAIN", "STATEMENT", "SET"],
    ["EXPLAIN", "EXECUTE", "STATEMENT"],
)


def split(text: str, dialect: str = "clickhouse") -> list[str]:
    r"""Split a script at each `;` that is not inside a string, a quoted name or a comment.

    `\G` in the place of a `;` asks for the format Vertical, as in ClickHouse's client.

    A statement keeps its text, comments too; what holds only blanks and comments is left out. A
    statement set of the Flink dialect is one statement, up to its END. An unclosed quote does not
    stop the splitting: the parser reports it.
    """
    found: list[str] = []
    start = 0
    first: list[str] = []
    words: list[str] = []
    for piece in _PIECES[dialect].finditer(text):
        if piece["end"]:
            if first in _SETS and words != ["END"]:
                words = []
                continue
            if words:
                form = VERTICAL if piece["end"] != ";" else ""
                found.append(text[start : piece.start()].strip() + form)
            start, first, words = piece.end(), [], []
        elif not piece["comment"] and not piece["space"]:
            words = [*words, piece[0].upper()] if len(words) < 3 else words
            first = [*first, piece[0].upper()] if len(first) < 3 else first
    if words or first:
        found.append(text[start:].strip())
    return found
