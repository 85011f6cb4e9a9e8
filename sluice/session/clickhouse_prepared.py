"""Queries made ready for a worker: parsed, checked, and their names resolved."""

from __future__ import annotations

import json
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard

from sluice import errors
from sluice.catalog import DICTIONARY, QUERY, STORED, Table, temporary
from sluice.catalog.system_tables import DATABASES, SystemTable, find_system
from sluice.clickhouse import allowed, json_rows, syntax
from sluice.clickhouse.data_files import NotReadable
from sluice.clickhouse.tokens import TOKEN
from sluice.clickhouse.trivial_count import counted, is_count
from sluice.clickhouse.used_columns import used
from sluice.clickhouse.view_calls import Merge, with_values
from sluice.engine.activity import LONG
from sluice.options import query_settings
from sluice.options.clickhouse_settings import is_passed
from sluice.options.query_settings import ENGINE, SCHEMA
from sluice.planner import view_graph
from sluice.planner.merging import merging_of
from sluice.planner.query_views import is_view
from sluice.planner.relations import Relations
from sluice.session import merge_tables, reads
from sluice.session.answer_schemas import without_files
from sluice.session.clickhouse_views import (
    Key,
    UseSpark,
    create_view,
    external_view,
    full_name,
    load,
    stored_view,
    system_view,
    view_of_query,
)
from sluice.session.context import ExternalTable
from sluice.sql.ir import Name
from sluice.system import clickhouse_columns
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sluice.catalog import SqlFunction
    from sluice.clickhouse.pool import Worker
    from sluice.clickhouse.tables import View
    from sluice.clickhouse.view_calls import Call
    from sluice.engine.engine import Engine
    from sluice.session.context import Context

_OWN = frozenset({ENGINE})
"""Settings of Sluice that may be those of a part of a query, for all of it."""

NATIVE = frozenset(
    {"one", "numbers", "numbers_mt", "zeros", "zeros_mt", *clickhouse_columns.NATIVE}
)
"""Tables of ClickHouse's own `system` that a query reads as they are: they never change."""

NOTHING: Mapping[str, View] = MappingProxyType({})
NO_FUNCTIONS: Mapping[str, SqlFunction] = MappingProxyType({})
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Ready:
    """A query that a worker can run: what it is made of, and the settings that it is run with."""

    worker: Worker
    query: syntax.Query
    settings: dict[str, str]

    @property
    def text(self) -> str:
        """What is run."""
        return self.query.text

    def described(self) -> list[tuple[str, str]]:
        """The names of the query's columns, with their types as texts."""
        return described(self.worker, self.text, self.settings)


def described(
    worker: Worker, text: str, settings: Mapping[str, str] = NO_SETTINGS
) -> list[tuple[str, str]]:
    """The names of a query's columns, with their types as texts."""
    how = settings_clause(settings)
    lines = worker.run(f"DESCRIBE TABLE ({text}){how}", lines=json_rows.PLAIN)
    return [tuple(json.loads(line)[:2]) for line in lines.splitlines()]


def prepared(
    context: Context,
    worker: Worker,
    text: str,
    own: Mapping[str, View] = NOTHING,
    *,
    quickly: bool = False,
) -> Ready:
    """Check a query, and let its names be the tables as they are now in a worker.

    Besides those of the catalog it may name the views of `own`. One that is run `quickly` takes
    columns that the worker has in memory, and nothing is read if it asks only how many rows a table
    has; tables are there without the columns that it does not use.

    Raises:
        UseSpark: if it reads something that only Spark can.
        SluiceError: ClickHouse's errors, and what is refused before it runs.
    """
    query = syntax.read(worker, text, context.parameters)
    parts = list(_parts(context, worker, query, context.database, own))
    dictionaries: dict[Key, Table] = {}
    for part in parts:
        reads.check_tables(context.access, part.found)
        reads.check_settings(context.access, part.query)
        dictionaries |= {key: each for key, each in part.found.items() if _is_dictionary(each)}
        dictionaries |= _dictionaries(context, part)
    known = _counted(context, parts) if quickly else None
    if known is None:
        load(context, worker, dictionaries)
        _prepare(context, worker, parts, own, quickly=quickly)
        for part in parts:
            _use(worker, part.database)
            reads.check_columns(context.access, worker, part.text(context), part.found)
        known = parts[-1].text(context)
    settings = _settings(context, query, reads=bool(parts[-1].found) or bool(own))
    return Ready(worker, replace(query, text=known), settings)


def taken(engine: Engine, stack: ExitStack) -> Worker:
    """A worker for the statement that runs, until the stack is closed; cancelling it kills it."""
    noted = engine.activity.current()
    short = noted is not None and noted.kind not in LONG
    worker = stack.enter_context(engine.workers.worker(short=short))
    if noted is not None:
        noted.on_cancel(worker.kill)
        stack.callback(noted.on_cancel, None)
        noted.watch(worker.progress)
        stack.callback(noted.watch, None)
        noted.check()
    return worker


def clauses(format_: str, settings: Mapping[str, str]) -> str:
    """What follows the output clause of a query; values of settings are as SQL has them."""
    return f"FORMAT {quote_name(format_)}{settings_clause(settings)}"


def settings_clause(settings: Mapping[str, str]) -> str:
    """SETTINGS after a query, if there are any."""
    listed = ", ".join(f"{name} = {value}" for name, value in settings.items())
    return f" SETTINGS {listed}" if listed else ""


def _check_settings(query: syntax.Query) -> None:
    """Refuse settings in a query's text that ClickHouse must not get from users.

    Raises:
        SluiceError: UNKNOWN_SETTING, SETTING_REFUSED or INVALID_OPTION_VALUE.
    """
    for given, ours in ((query.settings, SCHEMA), (query.inner, ())):
        read = {name: value.strip("'") for name, value in given.items()}
        query_settings.read(read, ours=ours)
    for name in query.inner:
        if name not in _OWN and not is_passed(name, reads=True):
            reason = "it cannot be set for a part of a query"
            raise errors.SETTING_REFUSED(setting=name, reason=reason)


def _settings(context: Context, query: syntax.Query, *, reads: bool) -> dict[str, str]:
    """The settings that a worker runs a query with, as SQL; those in its text count most."""
    given = {name: literal(v) for name, v in context.settings.items() if v is not None}
    every = without_files({**given, **query.settings})
    return {name: value for name, value in every.items() if is_passed(name, reads=reads)}


def literal(value: Any) -> str:
    """The value of a setting as SQL has it."""
    if isinstance(value, bool):
        return str(int(value))
    return str(value) if isinstance(value, int | float) else quote_string(str(value))


Found = dict[Key, "Table | SystemTable | ExternalTable"]


@dataclass(frozen=True, slots=True)
class _Part:
    """A query, or that of a view which is read: the database of its names, and what these are."""

    query: syntax.Query
    database: str
    found: Found
    view: Table | None = None
    functions: Mapping[str, SqlFunction] = field(default_factory=dict)

    def text(self, context: Context) -> str:
        """What is run: the user's name is in it, and the settings of a view."""
        settings = settings_clause(self.query.settings) if self.view is not None else ""
        uptime = context.engine.activity.uptime()
        return f"{reads.with_user(self.query.text, context.access, uptime=uptime)}{settings}"


def _parts(
    context: Context,
    worker: Worker,
    query: syntax.Query,
    database: str,
    own: Mapping[str, View],
    within: tuple[Table, ...] = (),
) -> Iterator[_Part]:
    """The queries of all views that a query reads, each before those that read it, then itself.

    Raises:
        UseSpark: for something that only Spark can do, or read.
        SluiceError: for what is not allowed, or not there; VIEW_READS_ITSELF.
    """
    is_own = all(map(allowed.is_allowed, query.functions))
    known = NO_FUNCTIONS if is_own else context.engine.catalog.functions()
    functions = called(worker, query.functions, known)
    if functions:
        query = _with_bodies(worker, query, functions)
    allowed.check(query, known)
    _check_settings(query)
    with nullcontext() if not within else temporary.seeing({}):
        names = (query.tables | query.perhaps) - own.keys()
        found = _resolved(context, query, names, database, asked=not within)
        for name, call in query.calls.items():
            if isinstance(call, Merge):
                describe = partial(described, worker)
                found[database, name] = merge_tables.of(context, describe, call, (database, name))
            else:
                found[database, name] = _called_view(context, worker, call, database)
    for table in found.values():
        if isinstance(table, Table) and table.kind == QUERY:
            view_graph.check_read(table, within)
            inner = _read_view(worker, table)
            of_view = (*within, table)
            yield from _parts(context, worker, inner, table.database, NOTHING, of_view)
    yield _Part(query, database, found, within[-1] if within else None, functions)


def _read_view(worker: Worker, view: Table) -> syntax.Query:
    """The query of a view, without parameters or with their values.

    Raises:
        SluiceError: VIEW_PARAMETER_MISSING.
    """
    try:
        return syntax.read(worker, view.query or "", {})
    except errors.SluiceError as bad:
        if bad.condition is not errors.UNKNOWN_QUERY_PARAMETER:
            raise
        name = bad.params["name"]
        raise errors.VIEW_PARAMETER_MISSING(name=name, view=view.full_name) from bad


def _called_view(context: Context, worker: Worker, call: Call, database: str) -> Table:
    """The view that a call names, with its arguments in the query.

    Raises:
        SluiceError: FUNCTION_NOT_ALLOWED for what is no view; NOT_ENOUGH_PRIVILEGES.
    """
    known = context.engine.catalog
    for within, name in _readings(call.view):
        table = known.find(within or database, name)
        if table is not None and table.attached and is_view(table):
            context.access.check_somewhere("SELECT", table.key)
            asked = {n: quote_string(value) for n, value in context.parameters.items()}
            given = {n: with_values(text, asked) for n, text in call.arguments.items()}
            text = syntax.in_canonical_form(worker, table.query or "")
            return replace(table, query=with_values(text, given))
    reason = "a query reads tables and views of the catalog, and rows that it makes itself"
    raise errors.FUNCTION_NOT_ALLOWED(function=f"The table function {call.view}", reason=reason)


def called(
    worker: Worker, names: Collection[str], known: Mapping[str, SqlFunction]
) -> dict[str, SqlFunction]:
    """Which functions of CREATE FUNCTION are called by these names, and by the expressions of such.

    Raises:
        SluiceError: INVALID_SQL_FUNCTION for one that reads rows, and what else is not allowed.
    """
    found: dict[str, SqlFunction] = {}
    waiting = sorted(known.keys() & set(names)) if known else []
    while waiting:
        function = known[waiting.pop()]
        if function.name in found:
            continue
        found[function.name] = function
        body = _body(worker, function)
        is_nested = "SELECT" in TOKEN.findall(body.text)[1:]
        if is_nested or body.table_functions or body.perhaps - {*function.parameters}:
            problem = "reads rows: a function is an expression of its arguments"
            hint = "Write the subquery where the function is called, or use a view."
            raise errors.INVALID_SQL_FUNCTION(function=function.name, problem=problem, hint=hint)
        allowed.check(body, known)
        waiting += sorted(known.keys() & body.functions)
    return found


def _body(worker: Worker, function: SqlFunction) -> syntax.Query:
    """What the expression of a function is made of."""
    return syntax.read(worker, f"SELECT {function.text}", {})


def _with_bodies(
    worker: Worker, query: syntax.Query, functions: Mapping[str, SqlFunction]
) -> syntax.Query:
    """A query with what the expressions of functions use, besides what it uses itself."""
    bodies = [_body(worker, function) for function in functions.values()]
    return replace(
        query,
        functions=query.functions.union(*(body.functions for body in bodies)),
        dictionaries=query.dictionaries.union(*(body.dictionaries for body in bodies)),
    )


def _resolved(
    context: Context, query: syntax.Query, names: Iterable[str], database: str, *, asked: bool
) -> Found:
    """The tables of the catalog that a query reads, by database and name.

    Only the query that was `asked` reads tables of the request and of the session.

    Raises:
        SluiceError: UNKNOWN_TABLE and the like.
        UseSpark: for a table that is neither stored nor a view.
    """
    relations = Relations(context.engine.catalog, database)
    found: Found = {}
    external = {table.name: table for table in context.external} if asked else {}
    for text in sorted(names):
        if text in external:
            found[database, text] = external[text]
            continue
        problem: errors.SluiceError | None = None
        for named, name in _readings(text):
            within = named or database
            if within == "system" and name in NATIVE:
                break
            if within in DATABASES and (made := find_system(within, name)) is not None:
                found[within, name] = made
                break
            try:
                if within in DATABASES:
                    relations.resolve(Name(name, within))  # tells which tables there are
                found[within, name] = _readable(relations.table(Name(name, named)))
                break
            except errors.SluiceError as bad:
                problem = problem or bad
        else:
            reserved = DATABASES.keys() & {db or database for db, _ in _readings(text)}
            is_column = text not in query.tables and not reserved
            if problem is not None and not is_column and text not in query.local:
                key = next(_readings(text))
                raise reads.hidden(context.access, problem, (key[0] or database, key[1]))
    return found


def _readable(table: Table) -> Table:
    if table.kind not in (STORED, QUERY, DICTIONARY):
        reason = f"{table.full_name} is not stored"
        raise UseSpark(reason)
    return table


def _readings(text: str) -> Iterator[tuple[str | None, str]]:
    """What a name can mean: a dot may be part of it."""
    yield from ((text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == ".")
    yield None, text


def _prepare(
    context: Context,
    worker: Worker,
    parts: Sequence[_Part],
    own: Mapping[str, View],
    *,
    quickly: bool,
) -> None:
    """Let the names of queries be the tables as they are now; a worker that fails is ended."""
    try:
        for statement in _prepared(context, worker, parts, quickly=quickly):
            worker.run(statement)
        for name, view in own.items():
            worker.run(create_view((context.database, name), view))
            worker.views[context.database, name] = view
    except errors.SluiceError:
        worker.kill()
        raise


def _use(worker: Worker, database: str) -> None:
    """Let names without a database be those of one that the worker has."""
    if worker.database != database:
        worker.run(f"USE {quote_name(database)}")
        worker.database = database


def _prepared(
    context: Context, worker: Worker, parts: Sequence[_Part], *, quickly: bool
) -> Iterator[str]:
    """The statements after which the names of queries are the tables as they are now."""
    worker.kept.begin()
    for function in (each for part in parts for each in part.functions.values()):
        if worker.functions.get(function.name) != function:
            yield f"CREATE OR REPLACE FUNCTION {quote_name(function.name)} AS {function.text}"
            worker.functions[function.name] = function
    found = {key for part in parts for key in part.found}
    words = {word for part in parts for word in part.query.words}
    wanted = {*(part.database for part in parts), *(key[0] for key in found)}
    for database in sorted(wanted - worker.databases):
        yield f"CREATE DATABASE IF NOT EXISTS {quote_name(database)} ENGINE = Memory"
        worker.databases.add(database)
    for key in [key for key in worker.views if key[1] in words and key not in found]:
        yield f"DROP VIEW IF EXISTS {full_name(key)}"
        del worker.views[key]
    views = {(part.view.key, part.view.query): part for part in parts if part.view is not None}
    made: set[Key] = set()
    for part in parts:
        for key, table in part.found.items():
            if key in made:
                continue
            made.add(key)
            if isinstance(table, ExternalTable):
                yield external_view(context, worker, key, table)
            elif isinstance(table, SystemTable):
                yield from system_view(context, worker, key, table)
            elif table.kind == QUERY:
                part_of = views[table.key, table.query]
                of_view = (part_of.text(context), part_of.database)
                yield from view_of_query(context, worker, key, table, *of_view)
            elif table.kind != DICTIONARY:
                names = _used(parts, key, table)
                yield from stored_view(context, worker, key, table, names, quickly=quickly)


def _used(parts: Sequence[_Part], key: Key, table: Table) -> frozenset[str] | None:
    """The columns that queries use of a table, and perhaps others; None for all of them."""
    found: frozenset[str] = frozenset()
    for part in parts:
        if key in part.found:
            names = None if part.functions else used(part.query, table)
            if names is None:
                return None
            found |= names
    return found


def _counted(context: Context, parts: Sequence[_Part]) -> str | None:
    """A query that asks only how many rows a table has, answered from its log; None for others.

    The user must see all of its columns and rows, and none may be merged with others.
    """
    (*views, part) = parts
    if views or len(part.found) != 1 or not is_count(part.query.text):
        return None
    ((key, table),) = part.found.items()
    if not isinstance(table, Table) or table.kind != STORED or merging_of(table) is not None:
        return None
    if not context.access.holds("SELECT", key) or reads.row_filter(context.access, key, table.key):
        return None
    snapshot = context.engine.snapshots.of(context.engine.store.path(table))
    return None if isinstance(snapshot, NotReadable) else counted(part.query.text, snapshot)


def _is_dictionary(table: object) -> TypeGuard[Table]:
    return isinstance(table, Table) and table.kind == DICTIONARY


def _dictionaries(context: Context, part: _Part) -> dict[Key, Table]:
    """The dictionaries that functions of a query name; what is none is left to ClickHouse.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES.
    """
    found: dict[Key, Table] = {}
    for text in sorted(part.query.dictionaries):
        for database, name in _readings(text):
            key = (database or part.database, name)
            table = context.engine.catalog.find(*key)
            if table is not None and table.kind == DICTIONARY and table.attached:
                context.access.check("dictGet", key)
                found[key] = table
                break
    return found
