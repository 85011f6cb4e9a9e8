"""Which views a table feeds, and which ones are behind those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA, STORED, VIEW
from sluice.options.formats import find_format, must_write
from sluice.options.kinds import CLICKHOUSE
from sluice.plan import ViewPlan, block_name
from sluice.plan.sink import check_written
from sluice.session.relations import Relations
from sluice.session.views import Draft, check_target, completed, read_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.plan import KafkaSource
    from sluice.session.relations import Known

    Sources = Callable[[Table], KafkaSource]


def feeds(
    known: Known, table: Table, source_of: Sources, via: tuple[str, ...] = ()
) -> tuple[ViewPlan, ...]:
    """The attached views that a table feeds, each with those behind it.

    `source_of` says how a Kafka table is written to.
    """
    return tuple(
        _plan(known, view, table, source_of, via)
        for view in known.tables()
        if view.kind == VIEW and view.attached and fed_by(known, view) == table.key
    )


def _plan(
    known: Known, view: Table, source: Table, source_of: Sources, via: tuple[str, ...]
) -> ViewPlan:
    from sluice.sql.clickhouse import lower_query

    target = known.find(*view.target) if view.target else None
    if target is not None and not target.attached:
        target = None
    block = block_name(via)
    relations = Relations(known, view.database, batch=source, block=block)
    query = read_query(view.query or "")
    try:
        if view.uuid in via:
            check_cycle(known, view, None)
        lowered = lower_query(query, relations.resolve, database=view.database)
        if target is not None:
            check_target(target, lowered.columns, None, None)
            query = completed(query, lowered.columns, target)
            lowered = lower_query(query, relations.resolve, database=view.database)
        reads = relations.stored()
        sink = source_of(target) if target is not None and target.kind == KAFKA else None
        if sink is not None:
            must_write(find_format(sink.format, CLICKHOUSE), CLICKHOUSE)
            check_written(sink, lowered.columns)
    except errors.SluiceError as fault:
        return ViewPlan(view, fault.text(), target, fault=fault, block=block, via=via)
    behind: tuple[ViewPlan, ...] = ()
    if target is not None and target.kind == STORED:
        behind = feeds(known, target, source_of, (*via, view.uuid))
    return ViewPlan(view, lowered.sql, target, reads, block=block, sink=sink, via=via, feeds=behind)


def fed_by(known: Known, view: Table) -> tuple[str, str] | None:
    """The table whose rows feed a view; a view in its FROM stands for the table that one fills."""
    key, seen = view.source, {view.key}
    while key is not None and key not in seen:
        seen.add(key)
        table = known.find(*key)
        if table is None or table.kind != VIEW:
            return key
        key = table.target
    return key


def check_cycle(known: Known, view: Table, place: Place | None) -> None:
    """No row may come back to where it was.

    Raises:
        SluiceError: BAD_ARGUMENTS naming the tables on the way.
    """
    tables = [t for t in known.tables() if t.uuid != view.uuid]
    known = Draft(known, [*tables, view])
    others = [t for t in tables if t.kind == VIEW]
    start = fed_by(known, view)
    ways = [[view.target]]
    while ways:
        way = ways.pop()
        if way[-1] == start:
            listed = " -> ".join(".".join(key or ()) for key in [start, *way])
            reason = f"The view {view.full_name} would feed itself: {listed}"
            raise errors.BAD_ARGUMENTS(reason=reason, place=place)
        ways += [
            [*way, other.target]
            for other in others
            if other.target not in way and fed_by(known, other) == way[-1]
        ]
