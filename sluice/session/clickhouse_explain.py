"""EXPLAIN and DESCRIBE of a query, by ClickHouse over the views of its tables; nothing is read."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.clickhouse import json_rows
from sluice.formats.result import Result, ResultColumn
from sluice.session.clickhouse_prepared import clauses, prepared, taken
from sluice.session.clickhouse_views import UseSpark
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.clickhouse.pool import Worker
    from sluice.clickhouse.syntax import Query
    from sluice.session.context import Context
    from sluice.sql import ir

    Row = tuple[Any, ...]

_TREE = (ResultColumn("explain", m.String()),)
_OF_THE_TEXT = ("AST", "SYNTAX")
"""What these show is in the query's own text, and nothing of the tables."""


def explain(context: Context, statement: ir.ExplainQuery) -> Result:
    """EXPLAIN of a SELECT, in ClickHouse's words; paths of files are left out.

    Raises:
        SluiceError: those of the query; EXPLAIN_ON_SPARK if Spark would run it.
    """
    options = ", ".join(f"{name} = {value}" for name, value in statement.options.items())
    try:
        with ExitStack() as stack:
            worker = taken(context.engine, stack)
            ready = prepared(context, worker, statement.query.text)
            if statement.kind not in _OF_THE_TEXT:
                _check_policies(context, worker, ready.query, statement.kind)
            text = f"EXPLAIN {statement.kind} {options} {ready.text}"
            if statement.kind == "AST":  # has no output clause
                tree = worker.run(text).splitlines()
                return Result(_TREE, [(line,) for line in tree], statement.format)
            columns, rows = _answer(worker, text, ready.settings)
            shown = list(_without_paths(rows, _folders(context, worker)))
            return Result(columns, shown, statement.format)
    except UseSpark as why:
        raise errors.EXPLAIN_ON_SPARK(kind=statement.kind, reason=why) from why


def describe(context: Context, statement: ir.DescribeQuery) -> Result:
    """DESCRIBE of what a query gives.

    Raises:
        UseSpark: if ClickHouse cannot run it.
        SluiceError: those of the query.
    """
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        ready = prepared(context, worker, statement.query.text)
        columns, rows = _answer(worker, f"DESCRIBE TABLE ({ready.text})", ready.settings)
        return Result(columns, rows, statement.format)


def _answer(worker: Worker, text: str, settings: dict[str, str]) -> tuple[Any, list[Any]]:
    found = worker.stream(text, clauses(json_rows.FORMAT, settings | json_rows.SETTINGS))
    try:
        return json_rows.read(found)
    finally:
        found.close()


def _check_policies(context: Context, worker: Worker, query: Query, kind: str) -> None:
    """Refuse to show the conditions of row policies to those they are about.

    Raises:
        SluiceError: EXPLAIN_SHOWS_ROW_POLICY.
    """
    for key in worker.views:
        if key[1] in query.words and context.access.row_filter(*key) is not None:
            raise errors.EXPLAIN_SHOWS_ROW_POLICY(kind=kind, table=".".join(key))


def _folders(context: Context, worker: Worker) -> list[str]:
    """The folders that views name: those of workers, of the tables, of deleted rows."""
    engine = context.engine
    tables = engine.catalog.tables()
    paths = [str(engine.store.path(each)) for each in tables if engine.store.reachable(each)]
    return sorted({str(engine.folder.path), str(worker.folder), *paths}, key=len, reverse=True)


def _without_paths(
    rows: Iterable[tuple[Any, ...]], folders: list[str]
) -> Iterator[tuple[Any, ...]]:

    spelled = {each for path in folders for each in (path, path.replace("/", "\\/"))}
    path = re.compile(rf"(?:{'|'.join(map(re.escape, spelled))})[^'\"\s,\])]*")
    for row in rows:
        yield tuple(path.sub("…", each) if isinstance(each, str) else each for each in row)
