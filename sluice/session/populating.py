"""CREATE MATERIALIZED VIEW … POPULATE: a view that begins with the rows its source has already.

They are one block. Until the view is in the catalog nothing else writes to the source: pipelines
that do are stopped after their batches, and INSERTs wait. So each row comes to the view once.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import KAFKA
from sluice.engine import failpoints, faults
from sluice.engine.sinks.fan_out import write_rows
from sluice.planner.query import SOURCE_VIEW, Input, QuerySpec
from sluice.planner.view_graph import fed_by
from sluice.session.frames import guarded
from sluice.session.running import executing, planning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.catalog import Table
    from sluice.engine.engine import Engine


@contextmanager
def populated(
    engine: Engine, place: errors.Place | None, view: Table, *inner: Table
) -> Iterator[None]:
    """The rows of a new view, in its target, or in the table that it has for itself.

    Files of its own table are deleted if it is not put into the catalog, at the next start if the
    process dies before.

    Raises:
        SluiceError: CANNOT_POPULATE if there is nothing to read but a topic; what the view says.
    """
    known = engine.catalog.snapshot()
    draft = known.with_tables([*known.tables(), view, *inner])
    source = draft.find(*(fed_by(draft, view) or view.key))
    assert source is not None  # noqa: S101 - it is checked
    if source.kind == KAFKA:
        raise errors.CANNOT_POPULATE(view=view.full_name, source=source.full_name, place=place)
    for table in inner:
        engine.catalog.reserve_rows(table.uuid)
    try:
        with engine.feeding.closed(source):
            engine.supervisor.stop(*_writers(engine, source))
            output = engine.planner.output(draft, view, source)
            spec = QuerySpec("", (Input(SOURCE_VIEW, source),), (output,))
            _fill(engine, source, spec)
            failpoints.hit("create.after_rows")
            yield
            engine.sync()
    finally:
        if not engine.catalog.has(view):
            for table in inner:
                engine.store.remove(table)
                engine.catalog.forget_temporary_rows(table.uuid)
            engine.sync()


def _writers(engine: Engine, table: Table) -> list[str]:
    """The Kafka tables whose messages come to a table."""
    return [
        query.id
        for query in engine.supervisor.tables()
        if any(plan.target and plan.target.uuid == table.uuid for plan in query.spec.plans())
    ]


def _fill(engine: Engine, source: Table, spec: QuerySpec) -> None:
    if not engine.store.exists(source):
        return
    named = partial(faults.classify, table=source.full_name, brokers="")
    target = spec.outputs[0].target

    def write() -> None:
        spark = engine.spark().newSession()
        with planning(engine):
            rows = engine.store.read(spark, source)
            if target is not None and target.keeps_rows:
                engine.store.ensure(spark, target)
        with executing(engine, rows):
            write_rows(engine.store, named, spec, rows)

    guarded(write)
