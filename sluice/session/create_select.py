"""CREATE TABLE … AS SELECT: a table that appears together with its rows, or not at all."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, Column
from sluice.engine import failpoints
from sluice.formats.result import Result
from sluice.planner.query import QuerySpec
from sluice.planner.table_engines import written_columns
from sluice.session import ddl, queries, query_rows
from sluice.session.clickhouse_data import known_type
from sluice.session.defaults import with_defaults
from sluice.session.insert import write
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sluice.catalog import Table
    from sluice.session.context import Context
    from sluice.session.query_rows import Selected
    from sluice.sql import ir
    from sluice.types import Type


@contextmanager
def filled(context: Context, statement: ir.CreateTable) -> Iterator[Callable[..., Result | None]]:
    """The rows of a query in the files of a table that nobody knows yet.

    They are written while other statements run. What is given puts the table into the catalog; the
    files of one that is not put there are deleted, at the next start if the process dies before.
    """
    engine = context.engine
    assert statement.query is not None  # noqa: S101 - there is AS SELECT
    with engine.changes:
        if ddl.new_name(engine, statement, context.database) is None:
            yield lambda *_: None
            return
    if statement.empty:
        named = queries.described(context, statement.query)
        columns = [(name, known_type(text)) for name, text in named]
        yield partial(ddl.put_table, table=_table(context, statement, columns))
        return
    with query_rows.selected(context, statement.query) as selected:
        table = _table(context, statement, selected.columns)
        engine.catalog.reserve_rows(table.uuid)
        try:
            written = _fill(context, table, selected)
            yield partial(_put, table=table, written=written)
        finally:
            if not engine.catalog.has(table):
                ddl.delete_rows(engine, table)
        selected.commit()


def _table(
    context: Context, statement: ir.CreateTable, selected: Sequence[tuple[str, Type | None]]
) -> Table:
    """The table, with the columns of the query if the statement has none."""
    place = statement.name.place
    has_own = statement.columns or statement.like is not None
    columns = () if has_own else columns_of(selected, place)
    table = ddl.checked_table(context, statement, selected=columns)
    if table.kind == KAFKA and not statement.empty:
        raise errors.UNSUPPORTED_CLAUSE(
            clause="AS SELECT for a Kafka table",
            hint="Create it with its columns, then INSERT INTO it: a message cannot be taken back",
            place=place,
        )
    wanted = len(_filled(table))
    if not statement.empty and wanted != len(selected):
        raise errors.SELECT_COLUMN_COUNT(
            table=table.full_name, expected=wanted, given=len(selected), place=place
        )
    return table


def columns_of(
    selected: Sequence[tuple[str, Type | None]], place: errors.Place | None
) -> tuple[Column, ...]:
    """The columns of a query as those of a table or a view.

    Raises:
        SluiceError: COLUMN_TYPE_NOT_STORED.
    """
    for name, type_ in selected:
        if type_ is None or m.holds(type_, m.Nothing):
            raise errors.COLUMN_TYPE_NOT_STORED(column=name, place=place)
    return tuple(Column(name, type_) for name, type_ in selected if type_ is not None)


def _filled(table: Table) -> list[Column]:
    """The columns that rows of a query fill, in their order."""
    known = written_columns(table)
    return [column for column in table.columns if column.name in known]


def _put(context: Context, statement: ir.CreateTable, table: Table, written: Result) -> Result:
    """Put the table with its rows into the catalog."""
    ddl.put_table(context, statement, table=table)
    return written


def _fill(context: Context, table: Table, selected: Selected) -> Result:
    """Write the rows of a query; views that read the table's name get none of them."""
    columns = _filled(table)
    rows, count = selected.rows([column.type for column in columns])
    named = with_defaults(rows.toDF(*(column.name for column in columns)), table)
    written = write(context.engine, QuerySpec.of_rows(table, None, ()), named, table)
    failpoints.hit("create.after_rows")
    return Result(written=written.rows or count, written_bytes=written.bytes)
