"""Schema evolution: columns that changes have and their table does not declare, for its targets.

The catalog comes first: a new column is `pending` there, with its type and its name in the files.
Then a batch adds it to the Delta table, in the commit that first has a value for it, and then it
is a column of the table like others. Whatever is killed in between, the files decide: a pending
column that they have is one, and a batch that runs again finds the pending ones with their types.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import VIEW, Column
from sluice.engine import failpoints
from sluice.engine.sinks.delta import DeltaSink
from sluice.engine.sources.decode import Decoder
from sluice.engine.sources.evolved import Evolved
from sluice.parameters.kinds import FLINK
from sluice.planner import schema_drift, views
from sluice.planner.lowered_views import LoweredViews
from sluice.planner.stored import free_name
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from sluice.catalog import Catalog, Table
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.sinks.fan_out import FanOut
    from sluice.engine.storage.tables import DeltaStore
    from sluice.planner.query import Output
    from sluice.planner.spec import KafkaSource
    from sluice.types import Type

ADDED = "COLUMN_ADDED"
"""The event of a column that was added to a table."""

_LISTED = 100
"""Refused columns of a batch whose reasons are told."""

_TRIED = 20
"""New columns of a batch that are tried one by one if a view cannot have them all."""

_WAIT = 0.2


class Evolution:
    """The targets of a query that get columns; used for every batch."""

    def __init__(self, query: RunningQuery, outputs: FanOut) -> None:
        self._query = query
        self._resources = query.resources
        self._targets = [
            (each.output, each.sink)
            for each in outputs.opened
            if each.output.evolves and isinstance(each.sink, DeltaSink)
        ]
        self._seeking: dict[str, tuple[Evolved, Decoder]] = {}
        self._refused: dict[str, dict[str, str]] = {}

    @classmethod
    def of(cls, query: RunningQuery, outputs: FanOut) -> Evolution | None:
        """That of a query; None if no target of it gets columns."""
        found = cls(query, outputs)
        return found if found._targets else None

    def discover(
        self, source: KafkaSource | None, messages: DataFrame, uses: Collection[str] = ()
    ) -> None:
        """Look for columns that a batch has and no target; they are pending from now on.

        Raises:
            SluiceError: QUERY_WAS_CANCELLED, if the query is to stop.
        """
        if source is None or source.schema_drift != schema_drift.EVOLVE:
            return
        key = source.table.uuid
        self._refused.pop(key, None)
        if any(table.pending for _, table in self._tables()):
            self.confirm(messages.sparkSession)
        seeking = replace(_known(source, self._tables(), every=True), discovers=True)
        kept = self._seeking.get(key)
        if kept is None or kept[0] != seeking:
            kept = self._seeking[key] = seeking, Decoder(source, messages, uses, evolved=seeking)
        found = kept[1].discovered(messages, 4 * schema_drift.MOST_COLUMNS)
        if found:
            self._refused[key] = self._announce(source, found, messages.sparkSession)

    def evolved(self, source: KafkaSource | None) -> Evolved | None:
        """What the changes of a batch are read with, once all its inputs were looked through."""
        if source is None or source.schema_drift != schema_drift.EVOLVE:
            return None
        tables = self._tables()
        for (_, sink), (_, table) in zip(self._targets, tables, strict=True):
            sink.take(table)
        refused = self._refused.get(source.table.uuid, {})
        return replace(
            _known(source, tables),
            refused=tuple(refused.items())[:_LISTED],
            reason=f"So are {len(refused)} of this batch." if len(refused) > _LISTED else "",
        )

    def _tables(self) -> list[tuple[Output, Table]]:
        """The targets as the catalog has them now."""
        now = self._resources.catalog.snapshot().by_uuid
        return [(output, now.get(output.table.uuid, output.table)) for output, _ in self._targets]

    def _announce(
        self, source: KafkaSource, found: Sequence[tuple[str, str]], spark: SparkSession
    ) -> dict[str, str]:
        """Note the columns that targets are about to get; the others, each with the reason."""
        refused: dict[str, str] = {}
        others = [column.name for column in source.table.columns]
        with self._changing():
            drafts: dict[str, _Draft] = {}
            for output, table in self._tables():
                files = _names(self._resources.store, spark, table)
                drafts.setdefault(table.uuid, _Draft(table, files)).filled.update(output.evolves)
            for name, declared in found:
                known = filter(None, (draft.has(name) for draft in drafts.values()))
                type_ = next((c.type for c in known), None)
                type_ = type_ or schema_drift.type_of(declared, source.table.dialect)
                lacking = [draft for draft in drafts.values() if draft.has(name) is None]
                reasons = [schema_drift.clash(name, others)]
                reasons += [schema_drift.refusal(name, draft.table, others) for draft in lacking]
                refused[name] = next(filter(None, reasons), "")
                if not refused[name]:
                    for draft in lacking:
                        draft.add(name, type_)
            for draft in drafts.values():
                refused |= self._breaking(draft)
            refused = {name: reason for name, reason in refused.items() if reason}
            changed = [draft.without(refused) for draft in drafts.values()]
            self._resources.catalog.replace(*(t for t in changed if t is not None))
        failpoints.hit("evolve.after_pending")
        return refused

    def _breaking(self, draft: _Draft) -> dict[str, str]:
        """The new columns that would break a view, which selects all columns of the table."""
        known, table = self._resources.catalog.snapshot(), draft.table
        if table.dialect == FLINK or not draft.new:
            return {}

        def fault(columns: Sequence[Column]) -> str:
            changed = replace(table, columns=(*table.columns, *columns), pending=())
            try:
                views.check_views(known, changed, LoweredViews(), None)
            except errors.SluiceError as broken:
                return f"{broken.message}."
            return ""

        every = fault(draft.new)
        if not every:
            return {}
        if len(draft.new) > _TRIED:
            return {column.name: every for column in draft.new}
        return {column.name: fault([column]) for column in draft.new}

    def confirm(self, spark: SparkSession) -> None:
        """Make columns of the pending ones that the files have; a query that stops leaves it."""
        pending = [table for _, table in self._tables() if table.pending]
        if not pending or self._query.stopping:
            return
        failpoints.hit("evolve.before_confirm")
        with self._changing():
            tables = {table.uuid: table for _, table in self._tables()}
            for table, column in confirm(
                self._resources.catalog, self._resources.store, spark, tables.values()
            ):
                spelled = summary(column.type) if table.dialect == FLINK else str(column.type)
                text = f"Column {column.name} {spelled} was added to {table.full_name}"
                self._query.note(ADDED, text)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Change the catalog, unless a statement does that is waiting for this query to end."""
        lock = self._resources.changes
        while not lock.acquire(timeout=_WAIT):
            if self._query.stopping:
                raise errors.QUERY_WAS_CANCELLED(reason=": it stops")
        try:
            yield
        finally:
            lock.release()


@dataclass(slots=True)
class _Draft:
    """A target with the columns that it is about to get; `files` are the columns of its files."""

    table: Table
    files: set[str]
    filled: set[str] = field(default_factory=set)
    new: list[Column] = field(default_factory=list)

    def has(self, name: str) -> Column | None:
        """The column of that name, if changes may fill it."""
        open_ = schema_drift.open_columns(self.table, self.filled)
        return next((column for column in open_ if column.name == name), None)

    def add(self, name: str, type_: Type) -> None:
        """Get a column."""
        stored = free_name(name, self.files)
        self.files.add(stored.casefold())
        column = Column(name, type_, stored="" if stored == name else stored)
        self.new.append(column)
        self.table = replace(self.table, pending=(*self.table.pending, column))

    def without(self, refused: Collection[str]) -> Table | None:
        """The table without columns that are refused after all; None if it has got none."""
        kept = [column for column in self.new if column.name not in refused]
        before = (column for column in self.table.pending if column not in self.new)
        return replace(self.table, pending=(*before, *kept)) if kept else None


def _names(store: DeltaStore, spark: SparkSession, table: Table) -> set[str]:
    """What columns are called in a table's files, also those that were dropped, in lower case."""
    own = [column.name_in_files for column in table.whole.stored_columns]
    found = [*own, *store.schemas.names(spark, table)] if store.exists(table) else own
    return {name.casefold() for name in found}


def known_columns(source: KafkaSource, outputs: Iterable[Output]) -> Evolved:
    """What changes are read with that add no columns: those that the targets have."""
    found = _known(source, [(output, output.table) for output in outputs if output.evolves])
    return replace(found, reason="Only new messages add columns.")


def _known(
    source: KafkaSource, tables: Sequence[tuple[Output, Table]], *, every: bool = False
) -> Evolved:
    """The columns of some target, or of `every` one, that changes fill.

    They are the same for each source of a query.
    """
    open_ = [schema_drift.open_columns(table, output.evolves) for output, table in tables]
    found: dict[str, Column] = {}
    for column in (column for columns in open_ for column in columns):
        found.setdefault(column.name.casefold(), column)
    shared = [{column.name for column in columns} for columns in open_]
    columns = [c for c in found.values() if not every or all(c.name in own for own in shared)]
    declared = {column.name.casefold() for column in source.table.columns}
    absent = frozenset(c.name for c in columns if c.name.casefold() in declared)
    return Evolved(tuple(columns), absent)


def confirm(
    catalog: Catalog, store: DeltaStore, spark: SparkSession, tables: Iterable[Table]
) -> list[tuple[Table, Column]]:
    """Make columns of the pending ones that the files have; which these were."""
    found: list[tuple[Table, Column]] = []
    for table in tables:
        if not table.pending or not store.reachable(table) or not store.exists(table):
            continue
        there = {*store.schemas.names(spark, table)}
        added = tuple(column for column in table.pending if column.name_in_files in there)
        if not added:
            continue
        left = tuple(column for column in table.pending if column not in added)
        new = [replace(table, columns=(*table.columns, *added), pending=left)]
        new += [
            replace(view, columns=(*view.columns, *added))
            for view in catalog.snapshot().tables()
            if view.kind == VIEW and view.owns_target and view.target == table.key
        ]
        catalog.replace(*new)
        found += [(table, column) for column in added]
    return found
