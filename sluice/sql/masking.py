"""A statement's text without what may be a secret in it."""

from __future__ import annotations

import re

from sluice.options.option_set import looks_secret
from sluice.parameters.kinds import hide_in_url
from sluice.parameters.secret import HIDDEN

_PIECES = re.compile(
    r"""
      (?P<comment>--[^\n]*|\#[ !][^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<string>'(?:[^'\\]|\\.|'')*(?:'|\Z)|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
    | (?P<quoted>"(?:[^"\\]|\\.|"")*(?:"|\Z)|`(?:[^`\\]|\\.|``)*(?:`|\Z))
    | (?P<word>[\w.$-]+)
    | (?P<mark>\S)
    | (?P<space>\s+)
    """,
    re.VERBOSE | re.DOTALL,
)
_LOGIN_WORDS = ("WITH", "BY")
_SECRET_SHAPE = re.compile("BEGIN|LoginModule", re.I)
"""Keys and certificates, and Java's logins, are secrets wherever they stand."""


def masked(text: str, *, understood: bool = True) -> str:
    """The text as it may be stored and shown: without comments, secrets as [HIDDEN].

    Of a text that was not understood no string and no number is kept: a password may stand in the
    wrong place.
    """
    kept: list[str] = []
    name, before = "", ""  # the last name, and the mark between it and what comes now
    login = False  # whether IDENTIFIED came: what follows each BY is a password
    for piece in _PIECES.finditer(text):
        kind, part = piece.lastgroup, piece[0]
        if kind == "tag":
            kind = "string"
        if kind == "comment":
            kept.append(" ")
            continue
        if kind == "space":
            kept.append(part)
            continue
        value = kind == "string" or (kind == "word" and part[0].isdigit())
        if kind == "string":
            part = _string(part, name if before in ("=", "BY") else "", understood=understood)
        elif value and not understood:
            part = "?"
        elif before in ("=", "BY") and kind in ("word", "quoted") and _secret(name):
            part = part if part.upper() in _LOGIN_WORDS else HIDDEN
        kept.append(part)
        if kind == "mark":
            before = part
        elif kind == "word" and part.upper() == "IDENTIFIED":
            name, before, login = "password", "BY", True
        elif kind == "word" and part.upper() in ("BY", "SALT") and login:
            name, before = "password", "BY"
        else:
            name, before = piece[0].strip("'\"`"), ""
    return "".join(kept).strip()


def _string(part: str, name: str, *, understood: bool) -> str:
    if not understood or _secret(name) or _SECRET_SHAPE.search(part):
        return f"'{HIDDEN}'"
    return hide_in_url(part)


def _secret(name: str) -> bool:
    return bool(name) and looks_secret(name)
