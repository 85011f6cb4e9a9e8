"""SELECT of the ClickHouse dialect, by ClickHouse itself.

The text is parsed by a worker, checked here, and run over views of the tables that it names: each
over the files of one version.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sluice import errors, system
from sluice.catalog import STORED
from sluice.catalog.system_tables import DATABASES, SystemTable, find_system
from sluice.clickhouse import allowed, json_rows, syntax
from sluice.clickhouse.data_files import NotReadable
from sluice.clickhouse.tables import View, view_of
from sluice.formats.result import Result, Stream
from sluice.planner.merging import merging_of
from sluice.planner.relations import Relations
from sluice.sql.ir import Name
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sluice.catalog import Table
    from sluice.clickhouse.pool import Stream as Bytes
    from sluice.clickhouse.pool import Worker
    from sluice.engine.engine import Engine
    from sluice.session.context import Context
    from sluice.sql import ir
    from sluice.types import Type

_CLUSTERS = frozenset({"cluster", "clusterAllReplicas"})
_OF_TABLES = frozenset({"FINAL", "PREWHERE", "SAMPLE"})
NATIVE = frozenset({"one", "numbers", "numbers_mt", "zeros", "zeros_mt"})
"""Tables of ClickHouse's own `system` that a query reads as they are."""

_OWN = frozenset({
    "readonly", "sluice_engine", "stream_like_engine_allow_direct_select",
    "kafka_disable_num_consumers_limit", "max_insert_block_size", "stream_flush_interval_ms",
    "stream_poll_timeout_ms", "timeout_overflow_mode",
})  # fmt: skip
"""Settings that mean something to Sluice, and nothing to a worker."""

_READING = ("input_format_", "engine_file_", "asterisk_include_", "use_hive_partitioning")


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
        if _CLUSTERS & query.table_functions or _OF_TABLES & query.words:
            reason = "it has a clause that views do not take, or names a cluster: this server"
            raise UseSpark(reason)
        allowed.check(query)
        _prepare(context, worker, _resolved(context, query), query)
        own = {name: value for name, value in query.settings.items() if _is_passed(name)}
        settings = _settings(context) | own
        if context.output:
            bytes_ = worker.stream(query.text, _output(context, settings))
            return Result(format=statement.format, stream=_stream(context, bytes_, stack.pop_all()))
        clauses = _clauses(json_rows.FORMAT, settings | json_rows.SETTINGS)
        bytes_ = worker.stream(query.text, clauses)
        stack.callback(bytes_.close)
        columns, rows = json_rows.read(bytes_)
        return Result(columns, rows, statement.format)


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
        bytes_ = worker.stream(f"SELECT * FROM {rows}", _output(context, {}))
        return Result(format=result.format, stream=_stream(context, bytes_, stack.pop_all()))


def _output(context: Context, settings: Mapping[str, str]) -> str:
    packed = f"COMPRESSION {quote_string(context.compression)} " if context.compression else ""
    return packed + _clauses(context.output, settings)


def _clauses(format_: str, settings: Mapping[str, str]) -> str:
    listed = ", ".join(f"{name} = {value}" for name, value in settings.items())
    return f"FORMAT {quote_name(format_)}" + (f" SETTINGS {listed}" if listed else "")


def _rows(
    worker: Worker, name: str, columns: Iterable[tuple[str, Type]], rows: Iterable[tuple[Any, ...]]
) -> str:
    """Rows made in Python, as a table function of the worker."""
    path = worker.folder / "rows" / f"{name}.json"
    with path.open("w", encoding="utf-8", errors="surrogateescape") as file:
        json_rows.write(file, rows)
    structure = ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)
    return f"file({quote_string(str(path))}, {json_rows.PLAIN}, {quote_string(structure)})"


def _stream(context: Context, bytes_: Bytes, held: ExitStack) -> Stream:
    """The bytes of a result; its worker is given back when they have been read."""
    activity = context.engine.activity
    noted = activity.current()
    done = activity.deferred(noted) if noted is not None else None
    held.callback(bytes_.close)

    def ended(fault: BaseException | None) -> None:
        held.close()
        if done is not None:
            done(fault)

    return Stream(iter(bytes_), ended, context.compression)


def _settings(context: Context) -> dict[str, str]:
    """The settings that a worker runs a query with, as SQL."""
    return {
        name: _literal(value)
        for name, value in context.settings.items()
        if _is_passed(name) and value is not None
    }


def _is_passed(name: str) -> bool:
    """Whether a setting is for the worker; how it reads files is not for users to say."""
    return name not in _OWN and not name.startswith(_READING)


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(value) if isinstance(value, int | float) else quote_string(str(value))


Found = dict[tuple[str, str], "Table | SystemTable"]


def _resolved(context: Context, query: syntax.Query) -> Found:
    """The tables of the catalog that a query reads, by database and name.

    Raises:
        SluiceError: UNKNOWN_TABLE and the like.
        UseSpark: for a table that is not stored.
    """
    relations = Relations(context.engine.catalog, context.database)
    found: Found = {}
    for text in sorted(query.tables | query.perhaps):
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
            column = text in query.words and text not in query.tables
            names_own = column and context.database not in DATABASES
            if problem is not None and not names_own and text not in query.local:
                raise problem
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
    engine = context.engine
    for database in sorted({context.database, *(key[0] for key in found)} - worker.databases):
        yield f"CREATE DATABASE IF NOT EXISTS {quote_name(database)} ENGINE = Memory"
        worker.databases.add(database)
    for key in [key for key in worker.views if key[1] in query.words and key not in found]:
        yield f"DROP VIEW IF EXISTS {_full(key)}"
        del worker.views[key]
    for key, table in found.items():
        if isinstance(table, SystemTable):
            yield from _system_view(engine, worker, key, table)
        else:
            yield from _stored_view(engine, worker, key, table)
    if worker.database != context.database:
        yield f"USE {quote_name(context.database)}"
        worker.database = context.database


def _full(key: tuple[str, str]) -> str:
    return f"{quote_name(key[0])}.{quote_name(key[1])}"


def _stored_view(
    engine: Engine, worker: Worker, key: tuple[str, str], table: Table
) -> Iterator[str]:
    path = engine.store.path(table)
    snapshot = engine.snapshots.of(path)
    if isinstance(snapshot, NotReadable):
        raise UseSpark(snapshot.reason)
    made = view_of(table, snapshot, merging_of(table), engine.deleted_rows.folder)
    if not isinstance(made, View):
        raise UseSpark(made.reason)
    if made.deletions:
        engine.deleted_rows.write(snapshot.folder, made.deletions)
    if worker.views.get(key) != made:
        yield f"CREATE OR REPLACE VIEW {_full(key)} ({made.columns}) AS {made.query}"
        worker.views[key] = made


def _system_view(
    engine: Engine, worker: Worker, key: tuple[str, str], table: SystemTable
) -> Iterator[str]:
    if system.frame_of(table) is not None:
        reason = f"{table.name} is read by Spark"
        raise UseSpark(reason)
    rows = _rows(worker, f"{key[0]}.{key[1]}", table.columns, system.rows_of(table, engine))
    if key in worker.views:
        return
    own = [f"{quote_name(name)} {type_}" for name, type_ in table.columns]
    own += [f"{quote_name(name)} ALIAS {quote_name(of)}" for name, of in table.aliases]
    yield f"DROP TABLE IF EXISTS {_full(key)}"
    yield f"CREATE VIEW {_full(key)} ({', '.join(own)}) AS SELECT * FROM {rows}"
    worker.views[key] = rows
