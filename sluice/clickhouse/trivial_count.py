"""`SELECT count() FROM t`: the log of a table knows how many rows it has, without its files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.clickhouse.data_files import Snapshot

_NAME = r"(?:`(?:[^`\\]|\\.)+`|\w+)"
_COUNT = re.compile(
    rf"SELECT count\(\*?\)(?: AS (?P<alias>{_NAME}))? FROM (?:{_NAME}\.)?{_NAME}", re.ASCII
)


def is_count(text: str) -> bool:
    """Whether a query, as ClickHouse writes it, asks only how many rows a table has."""
    return _COUNT.fullmatch(text) is not None


def counted(text: str, snapshot: Snapshot) -> str | None:
    """The query with the number in the place of the table; None if it asks for more than that.

    The text is as ClickHouse writes it. A merging engine has fewer rows than its files.
    """
    found = _COUNT.fullmatch(text)
    rows = snapshot.rows() if found is not None else None
    if found is None or rows is None:
        return None
    return f"SELECT toUInt64({rows}) AS {found['alias'] or '`count()`'}"
