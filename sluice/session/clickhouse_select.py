"""SELECT of the ClickHouse dialect, by ClickHouse itself, and its writer of answers.

The text is parsed by a worker, checked here, and run over views of the tables that it names: each
over the files of one version.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sluice import errors
from sluice.clickhouse import json_rows, made_rows, native
from sluice.formats.answers import DEFAULT
from sluice.formats.result import Result, Stream
from sluice.options.clickhouse_settings import writes
from sluice.options.query_settings import ZONE
from sluice.session.answer_schemas import of_answer, without_files
from sluice.session.clickhouse_prepared import clauses, described, literal, prepared, taken
from sluice.session.context import Output

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sluice.clickhouse.pool import Stream as Bytes
    from sluice.clickhouse.pool import Worker
    from sluice.engine.activity import Statement as Noted
    from sluice.session.context import Context
    from sluice.sql import ir

_UNKNOWN = "UNKNOWN_IDENTIFIER"
_FEW = 10_000
"""Rows that are handed over in memory."""


def select(context: Context, statement: ir.Select) -> Result:
    """Run a query; the result is streamed if the context wants bytes.

    Raises:
        UseSpark: if it reads something that only Spark can.
        SluiceError: ClickHouse's errors, and what is refused before it runs.
    """
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        asked = statement.query.text
        ready = prepared(context, worker, asked, quickly=True)
        try:
            if context.output is not None:
                settings, output = ready.settings, context.output
                made = _streamed(worker, ready.text, output, settings, context, stack, asked)
                zone = context.settings.get(ZONE) or "UTC"
                return Result(format=statement.format, stream=made, zone=zone)
            how = clauses(json_rows.FORMAT, ready.settings | json_rows.SETTINGS)
            bytes_ = worker.stream(ready.text, how)
            stack.callback(bytes_.close)
            columns, rows = json_rows.read(bytes_)
        except errors.SluiceError as bad:
            raise _with_hints(context, worker, asked, bad) from None
        _count(context.engine.activity.current(), bytes_.statistics)
        return Result(columns, rows, statement.format)


def _with_hints(
    context: Context, worker: Worker, text: str, bad: errors.SluiceError
) -> errors.SluiceError:
    """What a query failed with; of a name that is not known, with those of all columns near it."""
    if bad.condition.name != _UNKNOWN or not worker.usable:
        return bad
    try:
        worker.run(f"EXPLAIN QUERY TREE {prepared(context, worker, text).text}")
    except errors.SluiceError as better:
        return better
    return bad


def written(context: Context, result: Result) -> Result:
    """The rows of a result as bytes, in whatever format is wanted."""
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        wanted = context.output or Output(result.format or DEFAULT)
        columns = [(column.name, column.type) for column in result.columns]
        query = made_rows.query(_place(context, worker, result), columns, result.rows)
        given = without_files(context.settings)
        settings = {name: literal(value) for name, value in given.items() if writes(name)}
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
    asked: str | None = None,
) -> Stream:
    """The bytes of a query's answer; its worker is given back when they have been read.

    Errors are those of the text that was `asked`.
    """
    schema = {name: literal(v) for name, v in of_answer(context, output.format).items()}
    how = clauses(output.format, {**settings, **schema})
    if output.format.lower() != "native" or not output.revision:
        bytes_ = worker.stream(query, how)
        told = _told(context, worker, iter(bytes_), asked)
        return _stream(context, bytes_, told, stack.pop_all())
    columns = described(worker, query)
    marked = native.Marked.of(columns, output.revision)
    bytes_ = worker.stream(marked.query(query), how)
    blocks = _told(context, worker, marked.blocks(bytes_), asked)
    return _stream(context, bytes_, blocks, stack.pop_all())


def _told(
    context: Context, worker: Worker, chunks: Iterator[bytes], asked: str | None
) -> Iterator[bytes]:
    try:
        yield from chunks
    except errors.SluiceError as bad:
        raise (bad if asked is None else _with_hints(context, worker, asked, bad)) from None


def _count(noted: Noted | None, told: Mapping[str, int]) -> None:
    """Note how much a query has read and answered; what Spark has read, it has told."""
    if noted is None:
        return
    noted.rows = told.get("result_rows", 0)
    noted.answered_bytes = told.get("result_bytes", 0)
    noted.memory = told.get("memory_usage", 0)
    if not noted.on_spark:
        noted.count_read(told)


def _stream(context: Context, bytes_: Bytes, chunks: Iterator[bytes], held: ExitStack) -> Stream:
    """The bytes of a result; its worker is given back when they have been read."""
    activity = context.engine.activity
    noted = activity.current()
    done = activity.deferred(noted) if noted is not None else None
    held.callback(bytes_.close)

    def ended(fault: BaseException | None) -> None:
        held.close()
        _count(noted, bytes_.statistics)
        if done is not None:
            done(fault)

    def told() -> Iterator[bytes]:
        try:
            yield from chunks
        except errors.SluiceError:
            if noted is not None:
                noted.check()  # what has ended the worker says more
            raise

    return Stream(told(), ended)
