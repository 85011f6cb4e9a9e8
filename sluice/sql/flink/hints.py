"""`/*+ OPTIONS('key' = 'value') */`: options for one use of a table."""

from __future__ import annotations

import re

from sluice import errors
from sluice.sql.core import places

_HINT = re.compile(r"\s*(?P<start>/\*\+)(?P<body>.*?)\*/", re.S)
_OPTIONS = re.compile(r"\s*OPTIONS\s*\((?P<pairs>.*)\)\s*", re.S | re.I)
_PAIR = re.compile(r"\s*'(?P<key>(?:[^']|'')*)'\s*=\s*'(?P<value>(?:[^']|'')*)'\s*(?:,|\Z)")


def options_at(text: str, offset: int) -> tuple[tuple[str, str], ...]:
    """The options of the hint that begins at an offset, nothing if there is none."""
    found = _HINT.match(text, offset)
    if found is None:
        return ()
    options = _OPTIONS.fullmatch(found["body"])
    pairs: list[tuple[str, str]] = []
    body, at = (options["pairs"], 0) if options else ("", 0)
    while at < len(body):
        pair = _PAIR.match(body, at)
        if pair is None:
            break
        pairs.append((_plain(pair["key"]), _plain(pair["value"])))
        at = pair.end()
    if not pairs or at < len(body):
        reason = "a hint behind a table is written /*+ OPTIONS('key' = 'value', …) */"
        raise errors.SYNTAX_ERROR(reason=reason, place=places.at_offset(text, found.start("start")))
    return tuple(pairs)


def _plain(body: str) -> str:
    return body.replace("''", "'")
