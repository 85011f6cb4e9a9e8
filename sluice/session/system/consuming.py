"""What the pipelines do and did."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.catalog import STORED, VIEW
from sluice.pipelines import ledger, offsets
from sluice.session.system.model import EPOCH, system_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.catalog import Table
    from sluice.pipelines.living import Living
    from sluice.pipelines.status import Status
    from sluice.plan import KafkaSource
    from sluice.plan.spec import TopicSource
    from sluice.session.engine import Engine
    from sluice.session.system.model import Row

_QUERY = re.compile(r"([0-9a-f]{32})(-[0-9]+)?")
"""The id of a query of a job."""


@system_table(
    "kafka_consumers",
    """
    database String
    table String
    consumer_id String
    assignments.topic Array(String)
    assignments.partition_id Array(Int32)
    assignments.current_offset Array(Int64)
    assignments.intent_size Array(Nullable(Int64))
    assignments.end_offset Array(Int64)
    assignments.lag Array(UInt64)
    exceptions.time Array(DateTime)
    exceptions.text Array(String)
    last_poll_time DateTime
    num_messages_read UInt64
    last_commit_time DateTime
    num_commits UInt64
    last_rebalance_time DateTime
    num_rebalance_revocations UInt64
    num_rebalance_assignments UInt64
    is_currently_used UInt8
    last_used DateTime64(6)
    rdkafka_stat String
    group String
    state String
    last_error String
    next_retry Nullable(DateTime)
    lag UInt64
    lag_seconds Nullable(Float64)
    messages_per_second Float64
    catch_up_seconds Nullable(Float64)
    num_messages_skipped UInt64
    """,
)
def _kafka_consumers(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for pipeline in engine.supervisor.pipelines():
        yield _consumer(pipeline.status, pipeline.spec.source, used=not pipeline.spec.halted)
    for query in engine.jobs.running():
        for stream in query.streams:
            own = offsets.partitions(stream.generation.starts)
            yield _consumer(query.status, stream.source, own)


def _consumer(
    status: Status,
    source: KafkaSource | TopicSource,
    own: set[tuple[str, int]] | None = None,
    *,
    used: bool = True,
) -> Mapping[str, Any]:
    """A reader of topics; `own` are its partitions, if they are not all that the status tells."""
    position, ends = dict(status.position), dict(status.ends)
    parts = [
        (t, p)
        for t in sorted(position)
        for p in sorted(position[t])
        if own is None or (t, p) in own
    ]
    current = [position[t][p] for t, p in parts]
    end = [ends.get(t, {}).get(p, at) for (t, p), at in zip(parts, current, strict=True)]
    faults = list(status.exceptions)
    return {
        "database": source.table.database,
        "table": source.table.name,
        "consumer_id": source.connection.client_id,
        "assignments.topic": [t for t, _ in parts],
        "assignments.partition_id": [p for _, p in parts],
        "assignments.current_offset": current,
        "assignments.intent_size": [None for _ in parts],
        "assignments.end_offset": end,
        "assignments.lag": [max(0, e - c) for c, e in zip(current, end, strict=True)],
        "exceptions.time": [when for when, _ in faults],
        "exceptions.text": [text for _, text in faults],
        "last_poll_time": status.last_poll or EPOCH,
        "num_messages_read": status.messages,
        "last_commit_time": status.last_commit or EPOCH,
        "num_commits": status.commits,
        "last_rebalance_time": status.last_rebalance or EPOCH,
        "num_rebalance_revocations": status.revocations,
        "num_rebalance_assignments": status.assignments,
        "is_currently_used": int(used),
        "last_used": status.last_poll or EPOCH,
        "group": source.group,
        "state": status.state,
        "last_error": status.error.text() if status.error else "",
        "next_retry": status.next_retry,
        "lag": status.lag(),
        "lag_seconds": status.lag_seconds(),
        "messages_per_second": status.rates.per_second(),
        "catch_up_seconds": status.catch_up(),
        "num_messages_skipped": status.skipped,
    }


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
    lag_seconds Nullable(Float64)
    messages_per_second Float64
    catch_up_seconds Nullable(Float64)
    num_messages_read UInt64
    num_batches UInt64
    last_batch_time Nullable(DateTime)
    """,
)
def _pipelines(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for pipeline in engine.supervisor.pipelines():
        spec = pipeline.spec
        views = dict.fromkeys(plan.view.full_name for plan in spec.plans())
        yield _pipeline(pipeline, spec.source.table, list(views))
    for table, error in list(engine.supervisor.broken.values()):
        yield {
            "database": table.database,
            "table": table.name,
            "pipeline": table.uuid,
            "state": f"FAILED({error.condition.name})",
            "error_code": error.condition.name,
            "last_error": error.text(),
        }
    for query in engine.jobs.running():
        into = [output.table for output in query.spec.outputs]
        first = query.streams[0].source.table if query.streams else into[0]
        yield _pipeline(query, first, [table.full_name for table in into])


def _pipeline(living: Living, table: Table, views: list[str]) -> Mapping[str, Any]:
    """What reads a table, and what it feeds: views, or the tables that a job writes to."""
    status, error = living.status, living.status.error
    return {
        "database": table.database,
        "table": table.name,
        "pipeline": _uuid(living.id),
        "generation": status.generation,
        "state": status.state,
        "since": status.since,
        "error_code": error.condition.name if error else "",
        "last_error": error.text() if error else "",
        "next_retry": status.next_retry,
        "views": views,
        "lag": status.lag(),
        "lag_seconds": status.lag_seconds(),
        "messages_per_second": status.rates.per_second(),
        "catch_up_seconds": status.catch_up(),
        "num_messages_read": status.messages,
        "num_batches": status.commits,
        "last_batch_time": status.last_commit,
    }


def _uuid(pipeline: str) -> str:
    """The id of a Kafka table or a job; the queries of a job have its id with a number behind."""
    found = _QUERY.fullmatch(pipeline)
    return str(uuid.UUID(found[1])) if found else pipeline


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
        if table.kind != STORED or not engine.store.reachable(table):
            continue
        for record in engine.store.ledger(table).records():
            entry = record.entry
            when = datetime.fromtimestamp(record.committed_ms / 1000, UTC)
            for topic, partition, start, end in ledger.lines(entry):
                yield (
                    table.database,
                    table.name,
                    _who(entry, views),
                    _uuid(entry.pipeline),
                    entry.generation,
                    entry.batch,
                    topic,
                    partition,
                    start,
                    end,
                    record.version,
                    when,
                    record.rows,
                )


def _who(entry: ledger.Entry, views: Mapping[str, str]) -> str:
    """A view, or a job's INSERT by its number."""
    if _QUERY.fullmatch(entry.pipeline):
        return f"{entry.pipeline}/{entry.view}"
    return views.get(entry.view, entry.view)
