"""From the definitions in the catalog to the queries that run.

Nothing here knows the running process: the same catalog gives the same specifications.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, STORED, VIEW, temporary
from sluice.formats.registry import find_format, must_work
from sluice.parameters.kinds import CLICKHOUSE
from sluice.planner.lowered_views import LoweredViews, read_query
from sluice.planner.named_collections import source_of
from sluice.planner.query import Output, QuerySpec, block_name
from sluice.planner.schema_drift import check_carried, visible
from sluice.planner.sink import check_written, kafka_sink
from sluice.planner.view_changes import applies_changes
from sluice.planner.view_graph import check_cycle, fed_by, views_by_source
from sluice.planner.views import check_target, missing_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.catalog import Collection, Snapshot, Table
    from sluice.planner.environment import Environment
    from sluice.planner.spec import KafkaSinkSpec, KafkaSource

    Key = tuple[str, str]


@dataclass(slots=True)
class Plan:
    """The queries of all Kafka tables: those to run, those that nothing reads, and the broken."""

    active: list[QuerySpec] = field(default_factory=list)
    idle: list[QuerySpec] = field(default_factory=list)
    broken: list[tuple[Table, Exception]] = field(default_factory=list)


class Planner:
    """Plans the Kafka tables of a catalog with their views.

    Sources and lowered queries are kept until something changes that they depend on, so that a
    plan costs what has changed since the last one.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.views = LoweredViews()
        self._sources: dict[str, tuple[Table, Collection | None, KafkaSource]] = {}
        self._specs: dict[str, tuple[QuerySpec, frozenset[Key | None]]] = {}
        self._planned: Snapshot | None = None
        self._fed: tuple[int, dict[Key | None, list[Table]]] = (-1, {})

    @temporary.seeing({})
    def plan(self) -> Plan:
        """All Kafka tables; one that cannot be planned keeps no other from running."""
        known, found = self.environment.catalog.snapshot(), Plan()
        changed = self._changed(known)
        specs = {}
        for table in known.tables():
            if table.kind != KAFKA:
                continue
            kept = self._specs.get(table.uuid)
            if kept is None or changed is None or not kept[1].isdisjoint(changed):
                try:
                    spec = self._spec(known, table)
                except Exception as fault:  # noqa: BLE001 - reported by who runs the others
                    if table.attached:
                        found.broken.append((table, fault))
                    continue
                names = self._names(spec)
            else:
                spec, names = kept
            if names is not None:
                specs[table.uuid] = (spec, names)
            reads = table.attached and spec.outputs
            (found.active if reads else found.idle).append(spec)
        self._specs, self._planned = specs, known
        self._forget(known)
        return found

    def _changed(self, known: Snapshot) -> set[Key | None] | None:
        """The names that mean something else than in the last plan; None for all of them."""
        old = self._planned
        if old is None or old.databases() != known.databases():
            return None
        if old.collections() != known.collections():
            return None
        found: set[Key | None] = set()
        for one, other in ((old, known), (known, old)):
            for uuid, table in one.by_uuid.items():
                if other.by_uuid.get(uuid) is not table:
                    found.add(table.key)
                    if table.kind == VIEW:
                        found |= {table.source, table.target, fed_by(one, table)}
        return found

    def _names(self, spec: QuerySpec) -> frozenset[Key | None] | None:
        """The names that a plan depends on; None for all there are."""
        found: set[Key | None] = {spec.source.table.key}
        for output in spec.plans():
            view = output.view
            looked_up = self.views.dependencies(view.uuid)
            if looked_up is None:
                return None
            found |= {view.key, view.source, view.target, *looked_up}
        return frozenset(found)

    @temporary.seeing({})
    def spec(self, table: Table) -> QuerySpec:
        """A Kafka table with the attached views that its messages come to."""
        return self._spec(self.environment.catalog.snapshot(), table)

    def readers(self, known: Snapshot, key: Key | None) -> Iterator[tuple[Table, str]]:
        """The other Kafka tables that read what is written to a Kafka table, with the topic."""
        written = known.find(*key) if key is not None else None
        if written is None or written.kind != KAFKA:
            return
        try:
            sink = kafka_sink(self._source(known, written))
        except errors.SluiceError:  # nothing is written to one that cannot be planned
            return
        for table in known.tables():
            if table.kind == KAFKA and table.key != key and self._reads(known, table, sink):
                yield table, sink.topic

    def _reads(self, known: Snapshot, table: Table, sink: KafkaSinkSpec) -> bool:
        """Whether a Kafka table reads what a sink writes."""
        with suppress(errors.SluiceError):
            return self._source(known, table).reads_from(sink)
        return False

    @temporary.seeing({})
    def feeds(self, table: Table) -> tuple[Output, ...]:
        """The attached views that a table feeds, each with those downstream."""
        if table.temporary:
            return ()
        return self._feeds(self.environment.catalog.snapshot(), table, ())

    @temporary.seeing({})
    def output(self, draft: Snapshot, view: Table, source: Table) -> Output:
        """A view that a table would feed if the catalog were like this."""
        try:
            return self._output(draft, view, source, ())
        finally:
            self._fed = (-1, {})  # a draft has the version of the catalog that it is made of

    def _spec(self, known: Snapshot, table: Table) -> QuerySpec:
        return QuerySpec.of_table(self._source(known, table), self._feeds(known, table, ()))

    def _source(self, known: Snapshot, table: Table) -> KafkaSource:
        held = known.collection(table.collection) if table.collection is not None else None
        kept = self._sources.get(table.uuid)
        if kept is not None and kept[0] is table and kept[1] == held:
            return kept[2]
        source = source_of(self.environment, table, collection=held)
        self._sources[table.uuid] = (table, held, source)
        return source

    def _feeds(self, known: Snapshot, table: Table, via: tuple[str, ...]) -> tuple[Output, ...]:
        version, fed = self._fed
        if version != known.version:
            views = (t for t in known.tables() if t.kind == VIEW and t.attached)
            fed = views_by_source(known, views)
            self._fed = (known.version, fed)
        return tuple(self._output(known, view, table, via) for view in fed.get(table.key, ()))

    def _output(self, known: Snapshot, view: Table, source: Table, via: tuple[str, ...]) -> Output:
        target = known.find(*view.target) if view.target else None
        if target is not None and not target.attached:
            target = None
        block = block_name(via)
        evolves: tuple[str, ...] = ()
        try:
            if view.uuid in via:
                check_cycle(known, view, self.readers, None)
            found = self.views.lower(known, view, source, block)
            if target is not None:
                check_target(target, found.lowered.columns, None, None)
                computed = missing_columns(found.lowered.columns, target)
                changes = applies_changes(
                    known,
                    source,
                    target,
                    partial(read_query, view.query or ""),
                    found.lowered,
                    block=block,
                )
                if computed or changes:
                    found = self.views.lower(known, view, source, block, computed, changes=changes)
                if check_carried(found.lowered.columns, source.full_name, target):
                    evolves = visible(found.lowered.columns)
            reads = found.relations.stored()
            sink = self._sink(known, target, found.lowered.columns)
            if sink is not None and self._returns(known, source, via, sink):
                check_cycle(known, view, self.readers, None)
        except errors.SluiceError as fault:
            return Output(fault.text(), target, definition=view, fault=fault, block=block, via=via)
        downstream: tuple[Output, ...] = ()
        if target is not None and target.kind == STORED:
            downstream = self._feeds(known, target, (*via, view.uuid))
        return Output(
            found.lowered.sql,
            target,
            sink=sink,
            definition=view,
            block=block,
            reads=reads,
            via=via,
            feeds=downstream,
            uses=found.lowered.uses,
            evolves=evolves,
        )

    def _sink(
        self, known: Snapshot, target: Table | None, columns: tuple[str, ...]
    ) -> KafkaSinkSpec | None:
        """How a view writes to a Kafka table."""
        if target is None or target.kind != KAFKA:
            return None
        sink = kafka_sink(self._source(known, target))
        must_work(find_format(sink.value.name, CLICKHOUSE), writes=True)
        check_written(sink, columns)
        return sink

    def _returns(
        self, known: Snapshot, source: Table, via: tuple[str, ...], sink: KafkaSinkSpec
    ) -> bool:
        """Whether the Kafka table from which rows come reads what becomes of them."""
        first = fed_by(known, known.by_uuid[via[0]]) if via else source.key
        table = known.find(*first) if first is not None else None
        return table is not None and table.kind == KAFKA and self._reads(known, table, sink)

    def forget(self) -> None:
        """Plan every table anew: what else than the catalog they depend on has changed."""
        self._sources.clear()
        self._specs.clear()
        self._planned = None

    def _forget(self, known: Snapshot) -> None:
        """Forget what was kept of tables that were dropped."""
        self.views.forget(known.by_uuid)
        self._sources = {k: kept for k, kept in self._sources.items() if k in known.by_uuid}
