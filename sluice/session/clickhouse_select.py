"""SELECT of the ClickHouse dialect, by ClickHouse itself.

The text is parsed by a worker, checked here, and run over views of the tables that it names: each
over the files of one version.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard

from sluice import errors, system
from sluice.catalog import DICTIONARY, STORED, Table
from sluice.catalog.system_tables import DATABASES, SystemTable, find_system
from sluice.clickhouse import allowed, json_rows, native, syntax
from sluice.clickhouse.data_files import NotReadable
from sluice.clickhouse.tables import View, view_of
from sluice.formats.result import Result, Stream
from sluice.options import query_settings
from sluice.options.clickhouse_settings import is_passed
from sluice.options.query_settings import ENGINE, ZONE
from sluice.planner.dictionaries import definition, source_of
from sluice.planner.merging import merging_of
from sluice.planner.relations import Relations
from sluice.session import reads
from sluice.session.context import ExternalTable, Output
from sluice.sql.ir import Name
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.clickhouse.data_files import Snapshot
    from sluice.clickhouse.pool import Stream as Bytes
    from sluice.clickhouse.pool import Worker
    from sluice.engine.activity import Statement as Noted
    from sluice.engine.engine import Engine
    from sluice.session.context import Context
    from sluice.sql import ir
    from sluice.types import Type

_CLUSTERS = frozenset({"cluster", "clusterAllReplicas"})
_OF_TABLES = frozenset({"FINAL", "PREWHERE", "SAMPLE"})
_OWN = frozenset({ENGINE})
"""Settings of Sluice that may be those of a part of a query, for all of it."""
_SOURCES = "__sluice_sources"
"""Where a worker has the tables of dictionaries: all rows, under names that no query finds."""

NATIVE = frozenset({"one", "numbers", "numbers_mt", "zeros", "zeros_mt"})
"""Tables of ClickHouse's own `system` that a query reads as they are."""


NOTHING: Mapping[str, View] = MappingProxyType({})


class UseSpark(Exception):
    """A query has to be run by Spark, for this reason."""


def select(context: Context, statement: ir.Select) -> Result:
    """Run a query; the result is streamed if the context wants bytes.

    Raises:
        UseSpark: if it reads something that only Spark can.
        SluiceError: ClickHouse's errors, and what is refused before it runs.
    """
    engine = context.engine
    with ExitStack() as stack:
        worker = taken(engine, stack)
        query, settings = prepared(context, worker, statement.query.text)
        if context.output is not None:
            made = _streamed(worker, query.text, context.output, settings, context, stack)
            zone = context.settings.get(ZONE) or "UTC"
            return Result(format=statement.format, stream=made, zone=zone)
        how = clauses(json_rows.FORMAT, settings | json_rows.SETTINGS)
        bytes_ = worker.stream(query.text, how)
        stack.callback(bytes_.close)
        columns, rows = json_rows.read(bytes_)
        _count(engine.activity.current(), bytes_)
        return Result(columns, rows, statement.format)


def prepared(
    context: Context, worker: Worker, text: str, own: Mapping[str, View] = NOTHING
) -> tuple[syntax.Query, dict[str, str]]:
    """A query that the user may run, and the settings to run it with; its tables are views now.

    Besides those of the catalog it may name the views of `own`.

    Raises:
        UseSpark: if it reads something that only Spark can.
        SluiceError: ClickHouse's errors, and what is refused before it runs.
    """
    query = syntax.read(worker, text, context.parameters)
    if _CLUSTERS & query.table_functions or _OF_TABLES & query.words:
        reason = "it has a clause that views do not take, or names a cluster: this server"
        raise UseSpark(reason)
    allowed.check(query)
    _check_settings(query)
    found = _resolved(context, query, own)
    reads.check_tables(context.access, found)
    reads.check_settings(context.access, query)
    named = {key: table for key, table in found.items() if _is_dictionary(table)}
    load(context, worker, named | _dictionaries(context, query))
    _prepare(context, worker, found, query, own)
    query = replace(query, text=reads.with_user(query.text, context.access))
    reads.check_columns(context.access, worker, query.text, found)
    return query, _settings(context, query, reads=bool(found) or bool(own))


def taken(engine: Engine, stack: ExitStack) -> Worker:
    """A worker for the statement that runs, until the stack is closed; cancelling it kills it."""
    worker = stack.enter_context(engine.workers.worker())
    noted = engine.activity.current()
    if noted is not None:
        noted.on_cancel(worker.kill)
        stack.callback(noted.on_cancel, None)
        noted.check()
    return worker


def written(context: Context, result: Result) -> Result:
    """Rows of another statement in a format that only ClickHouse can write."""
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        columns = [(column.name, column.type) for column in result.columns]
        rows = _rows(worker, "result", columns, result.rows)
        wanted = context.output or Output(result.format or "")
        query = f"SELECT * FROM {rows}"
        made = _streamed(worker, query, wanted, {}, context, stack)
        return replace(result, columns=(), rows=(), stream=made)


def _streamed(
    worker: Worker,
    query: str,
    output: Output,
    settings: Mapping[str, str],
    context: Context,
    stack: ExitStack,
) -> Stream:
    """The bytes of a query's answer; its worker is given back when they have been read."""
    how = clauses(output.format, settings)
    if output.format.lower() != "native" or not output.revision:
        bytes_ = worker.stream(query, how)
        return _stream(context, bytes_, iter(bytes_), stack.pop_all())
    described = worker.run(f"DESCRIBE TABLE ({query})", lines=json_rows.PLAIN)
    columns = [tuple(json.loads(line)[:2]) for line in described.splitlines()]
    marked = native.Marked.of(columns, output.revision)
    bytes_ = worker.stream(marked.query(query), how)
    return _stream(context, bytes_, marked.blocks(bytes_), stack.pop_all())


def clauses(format_: str, settings: Mapping[str, str]) -> str:
    """What follows the output clause of a query; values of settings are as SQL has them."""
    listed = ", ".join(f"{name} = {value}" for name, value in settings.items())
    return f"FORMAT {quote_name(format_)}" + (f" SETTINGS {listed}" if listed else "")


def _rows(
    worker: Worker,
    name: str,
    columns: Iterable[tuple[str, Type | str]],
    rows: Iterable[tuple[Any, ...]],
) -> str:
    """Rows made in Python, as a table function of the worker."""
    path = worker.folder / "rows" / f"{name}.json"
    with path.open("w", encoding="utf-8", errors="surrogateescape") as file:
        json_rows.write(file, rows)
    structure = ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)
    return f"file({quote_string(str(path))}, {json_rows.PLAIN}, {quote_string(structure)})"


def _in_utc(types: Iterable[tuple[str, Type]]) -> Iterator[tuple[str, str]]:
    """Columns with the time zone that their texts are in, whatever the session's is."""
    return ((name, json_rows.ZONELESS.sub(json_rows.in_utc, str(type_))) for name, type_ in types)


def _count(noted: Noted | None, bytes_: Bytes) -> None:
    """Note how many rows a query has read and answered."""
    if noted is not None:
        noted.rows = bytes_.statistics.get("result_rows", 0)
        noted.read = bytes_.statistics.get("read_rows", 0)


def _stream(context: Context, bytes_: Bytes, chunks: Iterator[bytes], held: ExitStack) -> Stream:
    """The bytes of a result; its worker is given back when they have been read."""
    activity = context.engine.activity
    noted = activity.current()
    done = activity.deferred(noted) if noted is not None else None
    held.callback(bytes_.close)

    def ended(fault: BaseException | None) -> None:
        held.close()
        _count(noted, bytes_)
        if done is not None:
            done(fault)

    def told() -> Iterator[bytes]:
        try:
            yield from chunks
        except errors.SluiceError:
            if noted is not None:
                noted.check()  # what has ended the worker says more
            raise

    return Stream(told(), ended, bytes_.statistics)


def _check_settings(query: syntax.Query) -> None:
    """Refuse settings in a query's text that ClickHouse must not get from users.

    Raises:
        SluiceError: UNKNOWN_SETTING, SETTING_REFUSED or INVALID_OPTION_VALUE.
    """
    for given in (query.settings, query.inner):
        query_settings.read({name: value.strip("'") for name, value in given.items()})
    for name in query.inner:
        if name not in _OWN and not is_passed(name, reads=True):
            reason = "it cannot be set for a part of a query"
            raise errors.SETTING_REFUSED(setting=name, reason=reason)


def _settings(context: Context, query: syntax.Query, *, reads: bool) -> dict[str, str]:
    """The settings that a worker runs a query with, as SQL; those in its text count most."""
    given = {name: literal(v) for name, v in context.given.items() if v is not None}
    return {
        name: value
        for name, value in {**given, **query.settings}.items()
        if is_passed(name, reads=reads)
    }


def literal(value: Any) -> str:
    """The value of a setting as SQL has it."""
    if isinstance(value, bool):
        return str(int(value))
    return str(value) if isinstance(value, int | float) else quote_string(str(value))


Key = tuple[str, str]
Found = dict[Key, "Table | SystemTable | ExternalTable"]


def _resolved(context: Context, query: syntax.Query, own: Mapping[str, View]) -> Found:
    """The tables of the catalog that a query reads, by database and name.

    Raises:
        SluiceError: UNKNOWN_TABLE and the like.
        UseSpark: for a table that is not stored.
    """
    relations = Relations(context.engine.catalog, context.database)
    found: Found = {}
    external = {table.name: table for table in context.external}
    for text in sorted((query.tables | query.perhaps) - own.keys()):
        if text in external:
            found[context.database, text] = external[text]
            continue
        problem: errors.SluiceError | None = None
        for database, name in _readings(text):
            within = database or context.database
            if within == "system" and name in NATIVE:
                break
            if within in DATABASES and (made := find_system(within, name)) is not None:
                found[within, name] = made
                break
            try:
                if within in DATABASES:
                    relations.resolve(Name(name, within))  # tells which tables there are
                found[within, name] = _stored(relations.table(Name(name, database)))
                break
            except errors.SluiceError as bad:
                problem = problem or bad
        else:
            reserved = DATABASES.keys() & {db or context.database for db, _ in _readings(text)}
            is_column = text not in query.tables and not reserved
            if problem is not None and not is_column and text not in query.local:
                key = next(_readings(text))
                raise reads.hidden(context.access, problem, (key[0] or context.database, key[1]))
    return found


def _stored(table: Table) -> Table:
    if table.kind not in (STORED, DICTIONARY):
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
    found: Found,
    query: syntax.Query,
    own: Mapping[str, View],
) -> None:
    """Let the query's names be the tables as they are now; a worker where that fails is ended."""
    try:
        for statement in _prepared(context, worker, found, query):
            worker.run(statement)
        for name, view in own.items():
            worker.run(_create((context.database, name), view))
            worker.views[context.database, name] = view
    except errors.SluiceError:
        worker.kill()
        raise


def _prepared(context: Context, worker: Worker, found: Found, query: syntax.Query) -> Iterator[str]:
    """The statements after which the query's names are the tables as they are now."""
    for database in sorted({context.database, *(key[0] for key in found)} - worker.databases):
        yield f"CREATE DATABASE IF NOT EXISTS {quote_name(database)} ENGINE = Memory"
        worker.databases.add(database)
    for key in [key for key in worker.views if key[1] in query.words and key not in found]:
        yield f"DROP VIEW IF EXISTS {_full(key)}"
        del worker.views[key]
    for key, table in found.items():
        if isinstance(table, ExternalTable):
            yield _external_view(worker, key, table)
        elif isinstance(table, SystemTable):
            yield from _system_view(context, worker, key, table)
        elif table.kind != DICTIONARY:
            yield from _stored_view(context, worker, key, table)
    if worker.database != context.database:
        yield f"USE {quote_name(context.database)}"
        worker.database = context.database


def _is_dictionary(table: object) -> TypeGuard[Table]:
    return isinstance(table, Table) and table.kind == DICTIONARY


def _dictionaries(context: Context, query: syntax.Query) -> dict[Key, Table]:
    """The dictionaries that functions of a query name; what is none is left to ClickHouse.

    Raises:
        SluiceError: NOT_ENOUGH_PRIVILEGES.
    """
    found: dict[Key, Table] = {}
    for text in sorted(query.dictionaries):
        for database, name in _readings(text):
            key = (database or context.database, name)
            table = context.engine.catalog.find(*key)
            if table is not None and table.kind == DICTIONARY and table.attached:
                context.access.check("dictGet", key)
                found[key] = table
                break
    return found


def load(context: Context, worker: Worker, wanted: Mapping[Key, Table]) -> None:
    """Have these dictionaries in a worker, over their tables as they are now, and no others.

    Others would be read by whoever knows how to name them: a name may be computed.

    Raises:
        UseSpark: if ClickHouse cannot read a dictionary's table.
        SluiceError: ClickHouse's errors about a definition.
    """
    try:
        for key in worker.dictionaries.keys() - wanted.keys():
            worker.run(f"DROP DICTIONARY IF EXISTS {_full(key)}")
            del worker.dictionaries[key]
        for key, table in wanted.items():
            _load(context, worker, key, table)
    except errors.SluiceError:
        worker.kill()
        raise


def _load(context: Context, worker: Worker, key: Key, table: Table) -> None:
    engine = context.engine
    within, name = source_of(table)
    source = Relations(engine.catalog, within).table(Name(name, within))
    snapshot = snapshot_of(engine, source)
    made = view_of(source, snapshot, merging_of(source), engine.deleted_rows.folder)
    if isinstance(made, NotReadable):
        raise UseSpark(made.reason)
    if worker.dictionaries.get(key) == (table, made):
        return
    if made.deletions:
        engine.deleted_rows.write(snapshot.folder, made.deletions)
    view = (_SOURCES, table.uuid)
    for database in {_SOURCES, key[0]} - worker.databases:
        worker.run(f"CREATE DATABASE IF NOT EXISTS {quote_name(database)} ENGINE = Memory")
        worker.databases.add(database)
    worker.run(_create(view, made))
    if worker.views.pop(key, None) is not None:
        worker.run(f"DROP VIEW IF EXISTS {_full(key)}")
    worker.run(f"DROP DICTIONARY IF EXISTS {_full(key)}")
    lines = definition(table, view, lifetime="0")
    worker.run(f"CREATE DICTIONARY {_full(key)} {' '.join(lines)}")
    worker.dictionaries[key] = (table, made)


def _full(key: tuple[str, str]) -> str:
    return f"{quote_name(key[0])}.{quote_name(key[1])}"


def _create(key: tuple[str, str], view: View) -> str:
    return f"CREATE OR REPLACE VIEW {_full(key)} ({view.columns}) AS {view.query}"


def snapshot_of(engine: Engine, table: Table) -> Snapshot:
    """The newest version of a stored table.

    Raises:
        UseSpark: if ClickHouse cannot read it.
    """
    found = engine.snapshots.of(engine.store.path(table))
    if isinstance(found, NotReadable):
        raise UseSpark(found.reason)
    return found


def _stored_view(
    context: Context, worker: Worker, key: tuple[str, str], table: Table
) -> Iterator[str]:
    engine = context.engine
    snapshot = snapshot_of(engine, table)
    made = view_of(table, snapshot, merging_of(table), engine.deleted_rows.folder)
    if not isinstance(made, View):
        raise UseSpark(made.reason)
    if made.deletions:
        engine.deleted_rows.write(snapshot.folder, made.deletions)
    if condition := reads.row_filter(context.access, key, table.key):
        made = replace(made, query=f"SELECT * FROM ({made.query}) WHERE {condition}")
    if worker.views.get(key) != made:
        yield _create(key, made)
        worker.views[key] = made


def _system_view(
    context: Context, worker: Worker, key: tuple[str, str], table: SystemTable
) -> Iterator[str]:
    if system.frame_of(table) is not None:
        reason = f"{table.name} is read by Spark"
        raise UseSpark(reason)
    columns = _in_utc(table.columns)
    made = system.rows_of(table, context.engine, context.access)
    rows = _rows(worker, f"{key[0]}.{key[1]}", columns, made)
    if key in worker.views:
        return
    own = [f"{quote_name(name)} {type_}" for name, type_ in table.columns]
    own += [f"{quote_name(name)} ALIAS {quote_name(of)}" for name, of in table.aliases]
    yield f"DROP TABLE IF EXISTS {_full(key)}"
    yield f"CREATE VIEW {_full(key)} ({', '.join(own)}) AS SELECT * FROM {rows}"
    worker.views[key] = rows


def _external_view(worker: Worker, key: tuple[str, str], table: ExternalTable) -> str:
    """A table of the request: a view of its rows, which the next query of the worker replaces."""
    path = worker.folder / "rows" / f"external.{len(worker.views)}"
    path.write_bytes(table.data)
    of = f"{quote_string(str(path))}, {quote_name(table.format)}, {quote_string(table.structure)}"
    worker.views[key] = table
    return f"CREATE OR REPLACE VIEW {_full(key)} AS SELECT * FROM file({of})"
