"""`INSERT INTO t SELECT … FROM input('structure') FORMAT name`: a query over data."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse import syntax
from sluice.clickhouse.tokens import TOKEN, unquoted
from sluice.session.clickhouse_data import reading_settings, structure
from sluice.session.clickhouse_prepared import taken
from sluice.session.context import ExternalTable
from sluice.types import model as m
from sluice.types import parse_type, quote_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.session.context import Context
    from sluice.sql import ir
    from sluice.types import Type

_FUNCTION = "input"
_HINT = "Write input('a Int32, b String'), or input('auto')."
_TABLE = "input()"
"""What the data is called in the query."""


def of(
    context: Context, statement: ir.Insert, query: ir.Query, filled: Sequence[tuple[str, Type]]
) -> tuple[Context, ir.Query]:
    """A query with a table in the place of `input('…')`, and a context that has the table.

    `input('auto')` has the columns that are `filled`.

    Raises:
        SluiceError: INVALID_TABLE_FUNCTION for a call that cannot be, UNKNOWN_TYPE and the like.
    """
    with ExitStack() as stack:
        text = syntax.in_canonical_form(taken(context.engine, stack), query.text)
    tokens = list(TOKEN.finditer(text))
    calls = [
        at
        for at, token in enumerate(tokens[:-1])
        if token[0].lower() == _FUNCTION and tokens[at + 1][0] == "("
    ]
    if len(calls) != 1:
        raise errors.INVALID_TABLE_FUNCTION(
            function=_FUNCTION, problem="can be used once in an INSERT", hint=_HINT
        )
    at = calls[0]
    inside = [token[0] for token in tokens[at + 2 : at + 4]]
    if len(inside) != 2 or inside[0][0] != "'" or inside[1] != ")":
        problem = "takes the structure of the data, and nothing else"
        raise errors.INVALID_TABLE_FUNCTION(function=_FUNCTION, problem=problem, hint=_HINT)
    asked = unquoted(inside[0])
    columns = structure(filled) if asked.lower() == "auto" else _columns(asked)
    end = tokens[at + 3].end()
    text = f"{text[: tokens[at].start()]}{quote_name(_TABLE)}{text[end:]}"
    data = (statement.data or "").encode("utf-8", "surrogateescape")
    settings = reading_settings(context)
    table = ExternalTable(_TABLE, statement.format or "", columns, data, settings)
    return replace(context, external=(*context.external, table)), replace(query, text=text)


def _columns(text: str) -> str:
    """The structure of data, of names and types alone: an expression in it would be computed."""
    read = parse_type(f"Tuple({text})")
    if not isinstance(read, m.Tuple) or read.names is None:
        problem = f"takes names and types of columns, not {text}"
        raise errors.INVALID_TABLE_FUNCTION(function=_FUNCTION, problem=problem, hint=_HINT)
    return structure(list(zip(read.names, read.items, strict=True)))
