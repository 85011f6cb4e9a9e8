"""What every way from a tree to Spark SQL has around it: places for errors, and no tables."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.errors import Place
from sluice.sql.core import places
from sluice.sql.core.reading import too_deep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from sluice.sql.ir import Name
    from sluice.sql.relation import Relation


ROW = "row"
"""The view that stands for the columns of one row."""


@contextmanager
def deep() -> Iterator[None]:
    """Report what is nested too deeply to be lowered."""
    try:
        yield
    except RecursionError as bad:
        raise too_deep() from bad


@contextmanager
def placed(tree: exp.Expr | None = None) -> Iterator[None]:
    """Give errors a place: that of the tree, else the beginning of the text."""
    try:
        with deep():
            yield
    except errors.SluiceError as bad:
        if bad.place is None:
            raise bad.at(places.of_node(tree) or Place(1, 1)) from bad
        raise


def no_tables(table: Name) -> Relation:
    """The resolver of an expression that stands alone."""
    raise errors.UNKNOWN_TABLE(table=str(table), hint="", place=table.place)


def no_query(node: exp.Expr, *_: Any) -> Any:
    """Refuse a query inside an expression that stands alone."""
    raise errors.UNSUPPORTED_EXPRESSION(
        expression="A query inside a single expression", hint="", place=places.of_node(node)
    )
