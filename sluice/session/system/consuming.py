"""What the pipelines do and did."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.catalog import STORED, VIEW
from sluice.pipelines import ledger
from sluice.session.system.model import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.session.engine import Engine
    from sluice.session.system.model import Row


@system_table(
    "kafka_consumers",
    """
    database String
    table String
    consumer_id String
    assignments.topic Array(String)
    assignments.partition_id Array(Int32)
    assignments.current_offset Array(Int64)
    assignments.end_offset Array(Int64)
    exceptions.time Array(DateTime)
    exceptions.text Array(String)
    last_poll_time Nullable(DateTime)
    num_messages_read UInt64
    last_commit_time Nullable(DateTime)
    num_commits UInt64
    is_currently_used Bool
    lag UInt64
    state String
    last_error String
    next_retry Nullable(DateTime)
    """,
)
def _kafka_consumers(engine: Engine) -> Iterable[Row]:
    for pipeline in engine.supervisor.pipelines():
        status, table = pipeline.status, pipeline.spec.source.table
        position, ends = dict(status.position), dict(status.ends)
        parts = [(t, p) for t in sorted(position) for p in sorted(position[t])]
        faults = list(status.exceptions)
        yield (
            table.database,
            table.name,
            pipeline.spec.source.connection.client_id,
            [t for t, _ in parts],
            [p for _, p in parts],
            [position[t][p] for t, p in parts],
            [ends.get(t, {}).get(p, position[t][p]) for t, p in parts],
            [when for when, _ in faults],
            [text for _, text in faults],
            status.last_poll,
            status.messages,
            status.last_commit,
            status.commits,
            True,
            status.lag(),
            status.state,
            status.error.text() if status.error else "",
            status.next_retry,
        )


@system_table(
    "pipelines",
    """
    database String
    table String
    pipeline UUID
    generation UInt64
    state String
    since DateTime
    error_code String
    last_error String
    next_retry Nullable(DateTime)
    views Array(String)
    lag UInt64
    """,
)
def _pipelines(engine: Engine) -> Iterable[Row]:
    for pipeline in engine.supervisor.pipelines():
        status, spec = pipeline.status, pipeline.spec
        error = status.error
        yield (
            spec.source.table.database,
            spec.source.table.name,
            spec.id,
            status.generation,
            status.state,
            status.since,
            error.condition.name if error else "",
            error.text() if error else "",
            status.next_retry,
            [plan.view.full_name for plan in spec.views],
            status.lag(),
        )


@system_table(
    "ledger",
    """
    database String
    table String
    view String
    pipeline UUID
    generation UInt64
    batch UInt64
    topic String
    partition Int32
    from_offset Int64
    until_offset Int64
    version UInt64
    committed DateTime64(3)
    rows UInt64
    """,
)
def _ledger(engine: Engine) -> Iterable[Row]:
    tables = engine.catalog.tables()
    views = {t.uuid: t.full_name for t in tables if t.kind == VIEW}
    for table in tables:
        if table.kind != STORED:
            continue
        for commit in engine.store.commits(table):
            entry = ledger.read(commit)
            if entry is None:
                continue
            metrics: Any = commit.get("operationMetrics") or {}
            when = datetime.fromtimestamp(int(str(commit["timestamp"])) / 1000, UTC)
            for topic, partition, start, end in ledger.lines(entry):
                yield (
                    table.database,
                    table.name,
                    views.get(entry.view, entry.view),
                    entry.pipeline,
                    entry.generation,
                    entry.batch,
                    topic,
                    partition,
                    start,
                    end,
                    commit["version"],
                    when,
                    int(metrics.get("numOutputRows", 0)),
                )
