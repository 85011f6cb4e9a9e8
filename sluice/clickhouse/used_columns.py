"""Which columns of a table a query can use: at most those that its text names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.catalog import Table
    from sluice.clickhouse.syntax import Query

_ALL = re.compile(r"(?:Qualified)?(?:Asterisk|Columns\w*Matcher)")
"""Nodes of a tree that stand for columns without naming them."""


def uses_unnamed(tree: Sequence[tuple[int, str, str]], words: frozenset[str]) -> bool:
    """Whether a query may use columns that its text does not name; `count(*)` uses none."""
    if "NATURAL" in words:
        return True
    for at, (depth, kind, _) in enumerate(tree):
        is_counted = at > 1 and tree[at - 2] == (depth - 2, "Function", "count")
        if _ALL.fullmatch(kind) and not is_counted:
            return True
    return False


def used(query: Query, table: Table) -> frozenset[str] | None:
    """The columns of a table that a query names, and perhaps others; None for all of them.

    A name with a dot is also known by its parts.
    """
    if query.unnamed or query.parameters or query.perhaps or query.calls:
        return None
    names = (column.name for column in table.stored_columns)
    words = query.words
    return frozenset(n for n in names if n in words or ("." in n and words & {*n.split(".")}))
