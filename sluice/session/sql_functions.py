"""CREATE and DROP FUNCTION, and their expressions in what outlives a statement."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import SqlFunction
from sluice.catalog.entities import CONSTRAINT
from sluice.clickhouse import allowed
from sluice.clickhouse.tokens import TOKEN, unquoted
from sluice.session.clickhouse_prepared import called, taken
from sluice.sql import ir
from sluice.sql.clickhouse.sql_functions import inlined, of_query
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.catalog.entities import Element
    from sluice.engine.engine import Engine
    from sluice.session.context import Context

    Inline = Callable[[str], str]


def create(context: Context, statement: ir.CreateFunction) -> None:
    """CREATE FUNCTION: ClickHouse reads its expression, and what that calls has to be allowed."""
    name, known = statement.name, context.engine.catalog.functions()
    with errors.at(statement.place):
        if allowed.is_allowed(name) or allowed.denied(name):
            hint = "Give it another name: functions of ClickHouse stay what they are."
            raise errors.FUNCTION_ALREADY_EXISTS(function=name, hint=hint)
        if name in known and statement.if_not_exists:
            return
        if name in known and not statement.or_replace:
            hint = "CREATE OR REPLACE FUNCTION replaces it, IF NOT EXISTS keeps it."
            raise errors.FUNCTION_ALREADY_EXISTS(function=name, hint=hint)
        context.engine.catalog.put_function(_checked(context, statement))


def drop(context: Context, statement: ir.DropFunction) -> None:
    """DROP FUNCTION: what it was written into when it was made, such as views, keeps it."""
    known = context.engine.catalog.functions()
    if statement.name in known:
        context.engine.catalog.remove_function(statement.name)
    elif allowed.is_allowed(statement.name):
        raise errors.CANNOT_DROP_FUNCTION(function=statement.name, place=statement.place)
    elif not statement.if_exists:
        hint = errors.nearest(statement.name, known)
        raise errors.UNKNOWN_FUNCTION(function=statement.name, hint=hint, place=statement.place)


def _checked(context: Context, statement: ir.CreateFunction) -> SqlFunction:
    """The function of a statement.

    Raises:
        SluiceError: ClickHouse's errors about its text; INVALID_SQL_FUNCTION, UNKNOWN_FUNCTION.
    """
    name = statement.name
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        text = quote_string(f"CREATE FUNCTION {quote_name(name)} AS {statement.text}")
        written = worker.run(f"SELECT formatQuerySingleLine({text})").rstrip("\n")
        made = _function(name, written)
        known = {**context.engine.catalog.functions(), name: made}
        called(worker, {name}, known)
        inlined(f"{quote_name(name)}({', '.join(map(quote_name, made.parameters))})", known)
    return made


def _function(name: str, written: str) -> SqlFunction:
    """The function of a statement as ClickHouse writes it: `CREATE FUNCTION name AS x -> …`."""
    tokens = list(TOKEN.finditer(written))
    start = next(at for at, token in enumerate(tokens) if token[0] == "AS") + 1
    arrow = next((at for at in range(start, len(tokens) - 1) if _is_arrow(tokens, at)), None)
    before = [token[0] for token in tokens[start:arrow]] if arrow is not None else ["+"]
    parameters = tuple(unquoted(each) for each in before if each not in "(),")
    if arrow is None or not all(each in "()," or _is_name(each) for each in before):
        raise errors.INVALID_SQL_FUNCTION(
            function=name, problem="is no lambda", hint="Write it as (x) -> x + 1."
        )
    twice = [each for at, each in enumerate(parameters) if each in parameters[:at]]
    if twice:
        problem = f"has two parameters {twice[0]}"
        raise errors.INVALID_SQL_FUNCTION(function=name, problem=problem, hint="")
    body = written[tokens[arrow + 1].end() :].strip()
    return SqlFunction(name, parameters, body, written[tokens[start].start() :])


def _is_arrow(tokens: list[Any], at: int) -> bool:
    return bool(tokens[at][0] == "-" and tokens[at + 1][0] == ">")


def _is_name(token: str) -> bool:
    return token[0] in '`"_' or token[0].isalpha()


def lasting(engine: Engine, statement: ir.Statement) -> ir.Statement:
    """A statement with the expressions of functions in the place of calls, if it outlives them.

    As in ClickHouse, a view or a column stays what it is when a function changes or goes. It needs
    the rights on what the expressions name.
    """
    if not isinstance(statement, _Lasting) or not (functions := engine.catalog.functions()):
        return statement
    rule = _LASTING[type(statement)]
    with errors.at(statement.name.place):
        changed: ir.Statement = rule(statement, lambda text: inlined(text, functions))
    return changed


def _column(column: ir.ColumnDef, inline: Inline) -> ir.ColumnDef:
    return replace(column, **_parts(column.parts(), inline))


def _parts(parts: Mapping[str, Any], inline: Inline) -> dict[str, Any]:
    """The parts of a column that are expressions."""
    return {name: inline(parts[name]) for name in ("default", "alias") if parts.get(name)}


def _element(element: Element, inline: Inline) -> Element:
    return replace(element, text=inline(element.text)) if element.kind == CONSTRAINT else element


def _table(statement: ir.CreateTable, inline: Inline) -> ir.CreateTable:
    columns = tuple(_column(column, inline) for column in statement.columns)
    elements = tuple(_element(element, inline) for element in statement.elements)
    return replace(statement, columns=columns, elements=elements)


def _view(statement: ir.CreateView, inline: Inline) -> ir.CreateView:
    return replace(statement, query=of_query(statement.query, inline))


def _materialized(
    statement: ir.CreateMaterializedView, inline: Inline
) -> ir.CreateMaterializedView:
    inner = statement.inner and _table(statement.inner, inline)
    return replace(statement, query=of_query(statement.query, inline), inner=inner)


def _altered(statement: ir.AlterTable, inline: Inline) -> ir.AlterTable:
    changes: list[ir.Alteration] = []
    for change in statement.changes:
        match change:
            case ir.AddColumn():
                change = replace(change, column=_column(change.column, inline))
            case ir.ModifyColumn():
                parts = {**change.changes, **_parts(change.changes, inline)}
                change = replace(change, changes=parts)
            case ir.ModifyQuery():
                change = replace(change, query=of_query(change.query, inline))
            case ir.AddElement():
                change = replace(change, element=_element(change.element, inline))
        changes.append(change)
    return replace(statement, changes=tuple(changes))


_Lasting = ir.CreateTable | ir.CreateView | ir.CreateMaterializedView | ir.AlterTable
_LASTING: Mapping[type[ir.Statement], Callable[[Any, Inline], ir.Statement]] = {
    ir.CreateTable: _table,
    ir.CreateView: _view,
    ir.CreateMaterializedView: _materialized,
    ir.AlterTable: _altered,
}
