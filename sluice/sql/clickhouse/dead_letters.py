"""REDRIVE DEAD LETTERS: a statement of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice.sql import ir
from sluice.sql.clickhouse import clauses, reading
from sluice.sql.clickhouse.queries import format_clause

if TYPE_CHECKING:
    from sluice.errors import Place
    from sluice.sql.core.cursor import Cursor

_CLAUSES = (("USING",), ("SETTINGS",), ("DRY", "RUN"), ("FORMAT",))


def redrive(cursor: Cursor) -> ir.Redrive:
    """Read what follows REDRIVE DEAD LETTERS."""
    cursor.need("FROM")
    name = cursor.name()
    condition = None
    if cursor.word("WHERE"):
        place = cursor.place()
        tokens = cursor.until(lambda at: any(at.is_word(*words) for words in _CLAUSES))
        if not tokens:
            raise cursor.wrong(reason="expected a condition").at(place)
        condition = reading.READER.expression(cursor.text, tokens)
    format_ = cursor.string("a format's name") if cursor.word("USING") else None
    places: dict[str, Place] = {}
    settings = clauses.settings(cursor, places) if cursor.word("SETTINGS") else {}
    return ir.Redrive(
        name,
        _query(condition),
        format_,
        settings,
        places,
        dry=cursor.word("DRY", "RUN"),
        format=format_clause(cursor),
    )


def _query(condition: exp.Expr | None) -> ir.Query:
    """All letters of which the condition is true."""
    tree = exp.select(exp.Star()).from_(exp.table_("dead_letter_queue", db="system"))
    if condition is not None:
        tree = tree.where(condition)
    return ir.Query(tree, tree.sql(dialect="clickhouse"))
