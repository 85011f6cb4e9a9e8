"""How text is quoted and escaped in each family of formats."""

from __future__ import annotations

import re

_TSV = {
    "\\": "\\\\", "'": "\\'", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f",
    "\0": "\\0",
}  # fmt: skip
_JSON = {chr(code): f"\\u{code:04X}" for code in range(32)} | {
    '"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
    "\t": "\\t", "\u2028": "\\u2028", "\u2029": "\\u2029",
}  # fmt: skip

_TSV_TABLE = str.maketrans(_TSV)
_TSKV_NAME_TABLE = str.maketrans(_TSV | {"=": "\\="})
_JSON_TABLE = str.maketrans(_JSON)
_TSV_SPECIAL = re.compile("[" + re.escape("".join(_TSV)) + "]")
_JSON_SPECIAL = re.compile("[" + re.escape("".join(_JSON)) + "]")


def raw(text: str) -> str:
    """The text as it is."""
    return text


def tab_escaped(text: str) -> str:
    """For TabSeparated: no tab or line feed is left in it."""
    return text.translate(_TSV_TABLE) if _TSV_SPECIAL.search(text) else text


def tskv_name(text: str) -> str:
    """A column's name for TSKV, where `=` ends it."""
    return text.translate(_TSKV_NAME_TABLE)


def single_quoted(text: str) -> str:
    """A SQL string literal, as in Values and inside arrays, maps and tuples."""
    return f"'{tab_escaped(text)}'"


def csv_quoted(text: str) -> str:
    """A CSV field; a quote in it is doubled."""
    return '"' + text.replace('"', '""') + '"'


def json_quoted(text: str) -> str:
    """A JSON string, with `/` escaped so that it is safe inside a script element."""
    return '"' + (text.translate(_JSON_TABLE) if _JSON_SPECIAL.search(text) else text) + '"'
