"""Strings and identifiers as SQL writes them."""

from __future__ import annotations


def quote_string(text: str) -> str:
    """A string literal, as ClickHouse and Spark read it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def quote_name(name: str) -> str:
    """An identifier in back-quotes, as SHOW CREATE writes them."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def quote_if_needed(name: str) -> str:
    """An identifier, in back-quotes only if it is no plain word, as ClickHouse shows grants."""
    return name if name.isascii() and name.isidentifier() else quote_name(name)
