"""SELECT of the ClickHouse dialect, by ClickHouse itself.

The text is parsed by a worker, checked here, and run over views of the tables that it names: each
over the files of one version.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import errors, system
from sluice.catalog import STORED
from sluice.catalog.system_tables import DATABASES, SystemTable, find_system
from sluice.clickhouse import allowed, json_rows, made_rows, native, syntax
from sluice.clickhouse.data_files import NotReadable
from sluice.clickhouse.tables import View, view_of
from sluice.engine.activity import COUNTED
from sluice.formats.answers import DEFAULT
from sluice.formats.result import Result, Stream
from sluice.options import query_settings
from sluice.options.clickhouse_settings import is_passed, writes
from sluice.options.query_settings import ENGINE, ZONE
from sluice.planner.merging import merging_of
from sluice.planner.relations import Relations
from sluice.session import reads
from sluice.session.context import ExternalTable, Output
from sluice.sql.ir import Name
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.catalog import Table
    from sluice.clickhouse.pool import Stream as Bytes
    from sluice.clickhouse.pool import Worker
    from sluice.engine.activity import Statement as Noted
    from sluice.engine.engine import Engine
    from sluice.session.context import Context
    from sluice.sql import ir

_OWN = frozenset({ENGINE})
"""Settings of Sluice that may be those of a part of a query, for all of it."""
_FEW = 10_000
"""Rows that are handed over in memory."""
NATIVE = frozenset({"one", "numbers", "numbers_mt", "zeros", "zeros_mt"})
"""Tables of ClickHouse's own `system` that a query reads as they are."""


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
        query = syntax.read(worker, statement.query.text, context.parameters)
        allowed.check(query)
        _check_settings(query)
        found = _resolved(context, query)
        reads.check_tables(context.access, found)
        reads.check_settings(context.access, query)
        _prepare(context, worker, found, query)
        query = replace(query, text=reads.with_user(query.text, context.access))
        reads.check_columns(context.access, worker, query.text, found)
        settings = _settings(context, query, reads=bool(found))
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


def taken(engine: Engine, stack: ExitStack) -> Worker:
    """A worker for the statement that runs, until the stack is closed; cancelling it kills it."""
    noted = engine.activity.current()
    short = noted is not None and noted.kind not in COUNTED
    worker = stack.enter_context(engine.workers.worker(short=short))
    if noted is not None:
        noted.on_cancel(worker.kill)
        stack.callback(noted.on_cancel, None)
        noted.check()
    return worker


def written(context: Context, result: Result) -> Result:
    """The rows of a result as bytes, in whatever format is wanted."""
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        wanted = context.output or Output(result.format or DEFAULT)
        columns = [(column.name, column.type) for column in result.columns]
        query = made_rows.query(_place(context, worker, result), columns, result.rows)
        settings = {
            name: literal(value) for name, value in context.settings.items() if writes(name)
        }
        made = _streamed(worker, query, wanted, settings, context, stack)
        return replace(result, columns=(), rows=(), stream=made)


def _place(context: Context, worker: Worker, result: Result) -> Path:
    """The file for the rows of a result: on the disk if they are many, until they are read."""
    if len(result.rows) <= _FEW:
        return worker.folder / "rows" / "result"
    folder = Path(tempfile.mkdtemp(prefix="answer-", dir=context.engine.folder.path / "tmp"))
    noted = context.engine.activity.current()
    if noted is not None:
        noted.remove_at_end(folder)
    return folder / "rows"


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


def _count(noted: Noted | None, bytes_: Bytes) -> None:
    """Note how many rows a query has read and answered."""
    if noted is not None:
        noted.rows = bytes_.statistics.get("result_rows", 0)
        noted.read = bytes_.statistics.get("read_rows", 0)
        noted.read_bytes = bytes_.statistics.get("read_bytes", 0)
        noted.memory = bytes_.statistics.get("memory_usage", 0)


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
    given = {name: literal(v) for name, v in context.settings.items() if v is not None}
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


Found = dict[tuple[str, str], "Table | SystemTable | ExternalTable"]


def _resolved(context: Context, query: syntax.Query) -> Found:
    """The tables of the catalog that a query reads, by database and name.

    Raises:
        SluiceError: UNKNOWN_TABLE and the like.
        UseSpark: for a table that is not stored.
    """
    relations = Relations(context.engine.catalog, context.database)
    found: Found = {}
    external = {table.name: table for table in context.external}
    for text in sorted(query.tables | query.perhaps):
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
    if table.kind != STORED:
        reason = f"{table.full_name} is not stored"
        raise UseSpark(reason)
    return table


def _readings(text: str) -> Iterator[tuple[str | None, str]]:
    """What a name can mean: a dot may be part of it."""
    yield from ((text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == ".")
    yield None, text


def _prepare(context: Context, worker: Worker, found: Found, query: syntax.Query) -> None:
    """Let the query's names be the tables as they are now; a worker where that fails is ended."""
    try:
        for statement in _prepared(context, worker, found, query):
            worker.run(statement)
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
        else:
            yield from _stored_view(context, worker, key, table)
    if worker.database != context.database:
        yield f"USE {quote_name(context.database)}"
        worker.database = context.database


def _full(key: tuple[str, str]) -> str:
    return f"{quote_name(key[0])}.{quote_name(key[1])}"


def _stored_view(
    context: Context, worker: Worker, key: tuple[str, str], table: Table
) -> Iterator[str]:
    engine = context.engine
    path = engine.store.path(table)
    snapshot = engine.snapshots.of(path)
    if isinstance(snapshot, NotReadable):
        raise UseSpark(snapshot.reason)
    made = view_of(table, snapshot, merging_of(table), engine.deleted_rows.folder)
    if not isinstance(made, View):
        raise UseSpark(made.reason)
    if made.deletions:
        engine.deleted_rows.write(snapshot.folder, made.deletions)
    if condition := reads.row_filter(context.access, key, table.key):
        made = replace(made, query=f"SELECT * FROM ({made.query}) WHERE {condition}")
    if worker.views.get(key) != made:
        yield f"CREATE OR REPLACE VIEW {_full(key)} ({made.columns}) AS {made.query}"
        worker.views[key] = made


def _system_view(
    context: Context, worker: Worker, key: tuple[str, str], table: SystemTable
) -> Iterator[str]:
    if system.frame_of(table) is not None:
        reason = f"{table.name} is read by Spark"
        raise UseSpark(reason)
    made = system.rows_of(table, context.engine, context.access)
    path = worker.folder / "rows" / f"{key[0]}.{key[1]}"
    rows = made_rows.source(path, table.columns, made)
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
