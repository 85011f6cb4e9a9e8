"""DELETE, UPDATE, DROP PARTITION and REPLACE PARTITION: rows that a stored table has are changed.

ClickHouse finds the rows, in one version of the table, and computes their new values. They are
marked by deletion vectors and the new ones added in one commit. Batches that append are not delayed
by it; if a file of those rows was replaced meanwhile, everything is looked up again.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog.system_tables import DATABASES
from sluice.clickhouse import tables
from sluice.clickhouse.data_files import NotReadable
from sluice.clickhouse.tables import FILE, KEY, ROW, View
from sluice.engine.spark import typed
from sluice.engine.spark.projection import Select
from sluice.formats.result import Result
from sluice.planner import partitions
from sluice.planner.merging import WRITTEN_AT, WRITTEN_ROW, merging_of
from sluice.planner.relations import check_dialect
from sluice.session import clickhouse_data, column_rows, reads
from sluice.session.clickhouse_prepared import prepared, taken
from sluice.session.clickhouse_views import UseSpark, snapshot_of
from sluice.session.frames import guarded
from sluice.session.running import executing, planning
from sluice.session.storing import stored
from sluice.types import model as m
from sluice.types import quote_name, quote_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pyroaring import BitMap64
    from pyspark.sql import DataFrame

    from sluice.catalog import Column, Table
    from sluice.clickhouse.data_files import DataFile, Snapshot
    from sluice.clickhouse.pool import Worker
    from sluice.session.context import Context
    from sluice.sql import ir
    from sluice.types import Type

    Columns = Sequence[tuple[str, Type]]

_ATTEMPTS = 5
"""How often rows are looked up whose files are replaced meanwhile; the last time nobody may."""

_SOURCE, _PARTS = "__sluice_source", "__sluice_parts"
"""Views of the rows that a condition sees, and of those that were written."""

_HIDDEN: Columns = [(WRITTEN_AT, m.Int(64)), (WRITTEN_ROW, m.Int(64))]
_PLACE: Columns = [(FILE, m.String()), (ROW, m.Int(64))]
_VALUE = "__sluice_value_"
_SCOPE = re.compile(r":? [Ii]n (?:the )?scope .*", re.S)


@dataclass(frozen=True, slots=True)
class _Change:
    """The rows to delete, by their files, and those to add."""

    gone: Sequence[tuple[DataFile, BitMap64]]
    added: DataFrame | None = None


def mutate(context: Context, statement: ir.Mutation) -> Result:
    """Change the rows that a statement chooses, in one commit.

    Each of several changes is a commit of its own, which sees what those before it have done. They
    are all analyzed before the first is carried out.
    """
    given = ((each, checked(context, each)) for each in (statement, *statement.more))
    changes = [
        (change, table)
        for each, table in given
        if table is not None and (change := column_rows.as_update(table, each)) is not None
    ]
    if len(changes) > 1:
        for change, table in changes:
            _Search(context, change, table).check()
    for change, table in changes:
        _noted(context, change, table)
    return Result()


def _noted(context: Context, statement: ir.Mutation, table: Table) -> None:
    """Carry out a change, which `system.mutations` shows if it has a condition."""
    mutations, command = context.engine.mutations, statement.command
    noted = mutations.running(table.uuid, table.key, command, context.query_id)
    with noted if statement.condition else nullcontext():
        _mutate(context, statement, table)


def checked(context: Context, statement: ir.Mutation) -> Table | None:
    """The table whose rows a statement changes; None if it need not exist, and does not.

    Raises:
        SluiceError: what is wrong with the statement, as far as that is known without its rows.
    """
    name, place = statement.name, statement.name.place
    if (name.database or context.database) in DATABASES:
        raise errors.SYSTEM_DATABASE_READ_ONLY(place=place)
    verb = f"ALTER TABLE … {statement.verb}" if statement.verb != "DELETE" else "DELETE"
    table = stored(context.engine, name, context.database, verb, optional=statement.if_exists)
    if table is None:
        return None
    check_dialect(table, place)
    if not table.keeps_rows:
        raise errors.UNSUPPORTED_BY_STORAGE(
            operation=verb, table=table.full_name, storage=table.engine, place=place
        )
    _check_assignments(table, statement.assignments)
    return table


def _mutate(context: Context, statement: ir.Mutation, table: Table) -> None:
    engine = context.engine
    for left in reversed(range(_ATTEMPTS)):
        lock = engine.store.writing(table)
        with nullcontext() if left else lock:
            found = _Search(context, statement, table).found()
            if not found.gone and found.added is None:
                return
            if found.added is not None and not engine.store.exists(table):
                with planning(engine):
                    engine.store.ensure(engine.spark(), table)
            with lock if left else nullcontext():
                if _committed(context, table, found):
                    return
    raise errors.MUTATION_CONFLICT(table=table.full_name)


def _committed(context: Context, table: Table, change: _Change) -> bool:
    engine = context.engine
    spark = engine.spark()
    how = planning(engine) if change.added is None else executing(engine, change.added)
    with how:
        return guarded(lambda: engine.store.commits.change(spark, table, change.gone, change.added))


def _check_assignments(table: Table, assignments: Iterable[ir.Assignment]) -> None:
    """Check that an UPDATE assigns columns whose values may change.

    Raises:
        SluiceError: NO_SUCH_COLUMN_IN_TABLE, CANNOT_UPDATE_COLUMN, MULTIPLE_ASSIGNMENTS_TO_COLUMN.
    """
    columns = {column.name: column for column in table.columns}
    fixed = column_rows.fixed(table)
    seen: set[str] = set()
    for each in assignments:
        name, place = each.column, each.place
        if name not in columns:
            hint = errors.nearest(name, columns)
            raise errors.NO_SUCH_COLUMN_IN_TABLE(
                column=name, table=table.full_name, hint=hint, place=place
            )
        if name in seen:
            raise errors.MULTIPLE_ASSIGNMENTS_TO_COLUMN(column=name, place=place)
        seen.add(name)
        kind = "ALIAS" if columns[name].alias is not None else fixed.get(name, "")
        kind = kind or ("MATERIALIZED" if columns[name].default_kind == "MATERIALIZED" else "")
        if kind:
            raise errors.CANNOT_UPDATE_COLUMN(kind=kind, column=name, place=place)


class _Search:
    """Finds the rows that a statement changes, in the newest version of a table."""

    def __init__(self, context: Context, statement: ir.Mutation, table: Table) -> None:
        self._context = context
        self._statement = statement
        known = context.engine.store.current(table)
        self._table = known if statement.assignments else _without_states(known)
        self._merging = merging_of(table)
        self._folder = clickhouse_data.folder_of(context)

    def found(self) -> _Change:
        """The rows.

        Raises:
            SluiceError: ClickHouse's errors; MUTATION_UNSUPPORTED if it cannot read the table.
        """
        with ExitStack() as stack:
            worker = taken(self._context.engine, stack)
            try:
                if self._statement.source is not None:
                    return self._replaced(worker, self._statement.source)
                snapshot = snapshot_of(self._context.engine, self._table)
                self._table = _with_pending(self._table, snapshot)
                _check_written(self._table)
                if self._statement.condition and self._is_merged:
                    return self._by_key(worker, snapshot)
                return self._by_place(worker, snapshot)
            except UseSpark as why:
                name = self._table.full_name
                raise errors.MUTATION_UNSUPPORTED(table=name, reason=str(why)) from why

    def check(self) -> None:
        """Let ClickHouse analyze the condition and the expressions.

        Raises:
            SluiceError: ClickHouse's errors.
        """
        if not self._statement.condition:
            return
        columns = [(c.name, c.type) for c in self._table.stored_columns]
        listed = ", ".join(f"{quote_name(name)} {type_}" for name, type_ in columns)
        nothing = f"SELECT * FROM null({quote_string(listed)})"
        view = View(listed, nothing)
        with ExitStack() as stack, _in_users_words():
            worker = taken(self._context.engine, stack)
            prepared(self._context, worker, self._query(columns), {_SOURCE: view}).described()

    @property
    def _is_merged(self) -> bool:
        """Whether a row that is seen stands for all that have its key."""
        return self._merging is not None and not self._merging.versioned

    @property
    def _hidden(self) -> Columns:
        return _HIDDEN if self._merging is not None and self._merging.ordered else ()

    def _by_place(self, worker: Worker, snapshot: Snapshot) -> _Change:
        """The rows that a condition meets, or that are in a partition."""
        source = self._located(snapshot, self._table, shown=bool(self._statement.condition))
        path = self._folder / "rows.parquet"
        columns = self._written(worker, {_SOURCE: source}, _PLACE, path)
        return _Change(_rows(path, snapshot), self._added(path, columns))

    def _by_key(self, worker: Worker, snapshot: Snapshot) -> _Change:
        """All rows with the keys of merged rows that a condition meets."""
        assert self._merging is not None  # noqa: S101 - it is merged
        deleted = self._context.engine.deleted_rows.folder
        merged = tables.keyed(self._table, snapshot, self._merging, deleted)
        source = self._view(merged, snapshot, self._table)
        parts = self._located(snapshot, self._table)
        path, places = self._folder / "rows.parquet", self._folder / "places.parquet"
        columns = self._written(worker, {_SOURCE: source, _PARTS: parts}, [(KEY, m.String())], path)
        file = f"file({quote_string(str(path))}, Parquet, '{KEY} String')"
        keys = f"SELECT {KEY} FROM {file}"
        database = quote_name(self._context.database)
        which = f"(SELECT {FILE}, {ROW} FROM {database}.{_PARTS} WHERE {KEY} IN ({keys}))"
        clickhouse_data.write(worker, which, _PLACE, {}, places)
        return _Change(_rows(places, snapshot), self._added(path, columns))

    def _replaced(self, worker: Worker, name: ir.Name) -> _Change:
        """The rows of a partition, and those that take their place."""
        engine, context = self._context.engine, self._context
        source = stored(engine, name, context.database, "REPLACE PARTITION")
        assert source is not None  # noqa: S101 - or it has raised
        check_dialect(source, name.place)
        if _structure(source) != _structure(self._table):
            raise errors.TABLES_HAVE_DIFFERENT_STRUCTURE(
                table=self._table.full_name, source=source.full_name, place=name.place
            )
        snapshot = snapshot_of(engine, self._table)
        own = self._located(snapshot, self._table)
        rows = self._located(snapshot_of(engine, source), source)
        path, places = self._folder / "rows.parquet", self._folder / "places.parquet"
        self._written(worker, {_SOURCE: own}, _PLACE, places)
        columns = [*self._hidden, *((c.name, c.type) for c in self._table.stored_columns)]
        self._run(worker, {_SOURCE: rows}, columns, path)
        return _Change(_rows(places, snapshot), self._frame(path, columns))

    def _located(self, snapshot: Snapshot, table: Table, *, shown: bool = False) -> View:
        deleted = self._context.engine.deleted_rows.folder
        made = tables.located(table, snapshot, self._merging, deleted, shown=shown)
        return self._view(made, snapshot, table)

    def _view(self, made: View | NotReadable, snapshot: Snapshot, table: Table) -> View:
        """A view of the rows that the user sees."""
        if isinstance(made, NotReadable):
            raise UseSpark(made.reason)
        self._context.engine.deleted_rows.write(snapshot.folder, made.deletions)
        if condition := reads.row_filter(self._context.access, table.key):
            return replace(made, query=f"SELECT * FROM ({made.query}) WHERE {condition}")
        return made

    def _written(
        self, worker: Worker, views: Mapping[str, View], first: Columns, path: Path
    ) -> Columns:
        """Write the rows that are chosen: the columns `first`, and the new values of an UPDATE."""
        values: Columns = ()
        if self._statement.assignments:
            values = [(c.name, c.type) for c in self._table.stored_columns]
            first = [*first, *self._hidden]
        columns = [*first, *values]
        self._run(worker, views, columns, path)
        return columns

    def _run(self, worker: Worker, views: Mapping[str, View], columns: Columns, path: Path) -> None:
        with _in_users_words():
            ready = prepared(self._context, worker, self._query(columns), views)
            clickhouse_data.write(worker, f"({ready.text})", columns, ready.settings, path)

    def _query(self, columns: Columns) -> str:
        """The columns of the rows that the statement chooses, with their new values."""
        alias = quote_name(self._table.name)
        new = {each.column: each.expression for each in self._statement.assignments}
        types = dict(columns)

        def value(name: str) -> str:
            if name not in new:
                return f"{alias}.{quote_name(name)}"
            return f"CAST((\n{new[name]}\n), {quote_string(str(types[name]))})"

        # An alias that is called like a column would take its place in the other expressions.
        inner = ", ".join(f"{value(name)} AS {_VALUE}{at}" for at, name in enumerate(types))
        outer = ", ".join(f"{_VALUE}{at} AS {quote_name(name)}" for at, name in enumerate(types))
        query = f"SELECT {outer} FROM (SELECT {inner} FROM {_SOURCE} AS {alias} {self._where()})"
        computed = ", ".join(
            f"CAST(({c.default}), {quote_string(str(c.type))}) AS {quote_name(c.name)}"
            for c in _recomputed(self._table, new)
        )
        return f"SELECT * REPLACE ({computed}) FROM ({query})" if computed else query

    def _where(self) -> str:
        given = self._statement
        conditions = [f"(\n{given.condition}\n)"] if given.condition else []
        if given.partition is not None:
            place = given.name.place
            conditions.append(partitions.condition(self._table, given.partition, place))
        return f"WHERE {' AND '.join(conditions)}" if conditions else ""

    def _added(self, path: Path, columns: Columns) -> DataFrame | None:
        return self._frame(path, columns) if self._statement.assignments else None

    def _frame(self, path: Path, columns: Columns) -> DataFrame | None:
        """Rows of a file as rows of the table's files; None for no rows."""
        import pyarrow.parquet as pq

        if not pq.read_metadata(path).num_rows:
            return None
        rows = clickhouse_data.frame(self._context, path, columns)
        named = [(c.name, c.name_in_files, c.type) for c in self._table.stored_columns]
        hidden = [typed.column(name) for name, _ in self._hidden]
        return guarded(lambda: Select([*typed.fitted(rows.schema, named), *hidden])(rows))


@contextmanager
def _in_users_words() -> Iterator[None]:
    """ClickHouse's errors without the query around the user's condition."""
    try:
        yield
    except errors.SluiceError as bad:
        if isinstance(text := bad.params.get("text"), str):
            bad.params["text"] = _SCOPE.sub("", text)
        raise


def _with_pending(table: Table, snapshot: Snapshot) -> Table:
    """A table with the columns that a pipeline has added to the files, and not to the catalog yet.

    A row that is written anew keeps what it has there.
    """
    there = [column for column in table.pending if column.name_in_files in snapshot.fields]
    return replace(table, columns=(*table.columns, *there)) if there else table


def _check_written(table: Table) -> None:
    """Whether ClickHouse can write the columns: it has states of aggregates in a form of its own.

    Raises:
        UseSpark: if it cannot.
    """
    for column in table.stored_columns:
        if m.holds(column.type, m.AggregateState):
            reason = f"column {column.name} is {column.type}"
            raise UseSpark(reason)


def _without_states(table: Table) -> Table:
    """A table without states of aggregates, of which no row is chosen."""
    kept = [c for c in table.columns if not m.holds(c.type, m.AggregateState)]
    return replace(table, columns=tuple(kept))


def _recomputed(table: Table, changed: Mapping[str, str]) -> list[Column]:
    """The MATERIALIZED columns that are made of columns which change."""
    from sluice.sql.clickhouse.reading import names_in

    return [
        column
        for column in table.stored_columns
        if column.default_kind == "MATERIALIZED"
        and column.default is not None
        and changed.keys() & names_in(column.default)
    ]


def _structure(table: Table) -> tuple[object, ...]:
    """What two tables need to have in common for one to take rows of the other as they are."""
    columns = [(c.name, str(c.type)) for c in table.stored_columns]
    engine = (table.engine.removeprefix("Replicated"), table.engine_args)
    return (columns, engine, table.order_by, partitions.partition_key(table))


def _rows(path: Path, snapshot: Snapshot) -> list[tuple[DataFile, BitMap64]]:
    """The rows in a file of places, by the files of a snapshot."""
    import pyarrow.parquet as pq
    from pyroaring import BitMap64

    files = {file.path.rpartition("/")[2]: file for file in snapshot.files}
    places = pq.read_table(path, columns=[FILE, ROW], read_dictionary=[FILE])
    listed = places.group_by(FILE).aggregate([(ROW, "list")])
    return [
        (files[str(name)], BitMap64(numbers.values.to_numpy()))
        for name, numbers in zip(listed[FILE], listed[f"{ROW}_list"], strict=True)
    ]
