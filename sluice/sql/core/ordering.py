"""ORDER BY, which both dialects write alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.spark import Sql

if TYPE_CHECKING:
    from sqlglot import exp


def ordered(node: exp.Ordered, by: Sql) -> Sql:
    """An item of ORDER BY: NULLs come last unless asked for first, whatever the direction."""
    extra = [
        key for key, arg in node.args.items() if arg and key not in ("this", "desc", "nulls_first")
    ]
    if extra:
        what = f"{extra[0].replace('_', ' ').upper()} in ORDER BY"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
    direction = "DESC" if node.args.get("desc") else "ASC"
    nulls = "FIRST" if node.args.get("nulls_first") else "LAST"
    return Sql(f":0 {direction} NULLS {nulls}", by, wrap=False)
