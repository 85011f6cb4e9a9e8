"""Where in a query the cause of an error is that only running it has shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice.sql.clickhouse import functions
from sluice.sql.core import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sluice.errors import SluiceError

_DIVISIONS = ("intDiv", "modulo", "mod", "positiveModulo")


def located(error: SluiceError, tree: exp.Expr) -> SluiceError:
    """The error with the place of what it is about, where the query has just one such part."""
    find = _FINDERS.get(error.condition.name)
    if find is None or error.place is not None:
        return error
    found = {place for node in find(error, tree) if (place := places.of_node(node)) is not None}
    return error.at(found.pop()) if len(found) == 1 else error


def _constants(error: SluiceError, tree: exp.Expr) -> Iterator[exp.Expr]:
    """The texts that could not be parsed."""
    for node in tree.find_all(exp.Literal):
        if node.is_string and f"'{node.name}'" == error.params.get("value"):
            yield node


def _divisions(_: SluiceError, tree: exp.Expr) -> Iterator[exp.Expr]:
    yield from tree.find_all(exp.Mod, exp.IntDiv)
    yield from (node for node in tree.find_all(exp.Anonymous) if node.name in _DIVISIONS)


def _columns(error: SluiceError, tree: exp.Expr) -> Iterator[exp.Expr]:
    """The first column outside of aggregate functions; that of the name in the error, if any."""
    wanted = str(error.params.get("what", "")).removeprefix("Column ")
    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            for node in item.walk(
                prune=lambda part: isinstance(part, exp.Query) or is_aggregate_call(part)
            ):
                if isinstance(node, exp.Column) and wanted in ("A column", node.name):
                    yield node
                    return


def is_aggregate_call(node: exp.Expr) -> bool:
    """Whether a node is a call of an aggregate function."""
    if isinstance(node, exp.ParameterizedAgg):
        return True
    return isinstance(node, exp.Anonymous) and functions.is_aggregate(node.name)


_FINDERS: dict[str, Callable[[SluiceError, exp.Expr], Iterator[exp.Expr]]] = {
    "CANNOT_PARSE_TEXT": _constants,
    "CANNOT_PARSE_DATE": _constants,
    "CANNOT_PARSE_DATETIME": _constants,
    "CANNOT_PARSE_UUID": _constants,
    "UNKNOWN_ELEMENT_OF_ENUM": _constants,
    "ILLEGAL_DIVISION": _divisions,
    "NOT_AN_AGGREGATE": _columns,
}
