"""What the pipelines do and did: progress, the ledger, events, dead letters."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.catalog import STORED, VIEW
from sluice.engine import offsets
from sluice.engine.sinks.dead_letters import QUEUE, DeadLetters
from sluice.system.registry import EPOCH, system_frame, system_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from sluice.engine.engine import Engine
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.runtime.status import Status
    from sluice.engine.sources.stream import Stream
    from sluice.engine.storage.ledger import Entry
    from sluice.system.registry import Row

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
    for query in engine.supervisor.running():
        for stream in query.streams:
            yield _consumer(query, stream)


def _consumer(query: RunningQuery, stream: Stream) -> Mapping[str, Any]:
    """A reader of topics, with the partitions that it owns."""
    status, source = query.status, stream.source
    position, ends = stream.owned(dict(status.position)), dict(status.ends)
    parts = sorted(offsets.partitions(position))
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
        "last_commit_time": status.last_commit or EPOCH,
        "num_commits": status.commits,
        "last_rebalance_time": status.last_rebalance or EPOCH,
        "num_rebalance_revocations": status.revocations,
        "num_rebalance_assignments": status.assignments,
        "is_currently_used": int(not query.spec.halted),
        "last_used": status.last_poll or EPOCH,
        "group": source.group,
        "num_messages_skipped": status.skipped,
        **_progress(status),
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
    yield from map(_pipeline, engine.supervisor.running())
    for table, error in list(engine.supervisor.broken_tables.values()):
        yield {
            "database": table.database,
            "table": table.name,
            "pipeline": table.uuid,
            "state": f"FAILED({error.condition.name})",
            "error_code": error.condition.name,
            "last_error": error.text(),
        }


def _pipeline(query: RunningQuery) -> Mapping[str, Any]:
    """A query: the table it reads first, and the views or the tables that it writes to."""
    status, error, outputs = query.status, query.status.error, query.spec.outputs
    table = query.streams[0].source.table if query.streams else outputs[0].table
    return {
        "database": table.database,
        "table": table.name,
        "pipeline": _uuid(query.id),
        "generation": status.generation,
        "since": status.since,
        "error_code": error.condition.name if error else "",
        "views": list(dict.fromkeys(each.name for each in query.spec.plans())),
        "num_batches": status.commits,
        "last_batch_time": status.last_commit,
        **_progress(status),
    }


def _progress(status: Status) -> dict[str, Any]:
    """The columns that consumers and pipelines have in common."""
    return {
        "state": status.state,
        "last_error": status.error.text() if status.error else "",
        "next_retry": status.next_retry,
        "lag": status.lag(),
        "lag_seconds": status.lag_seconds(),
        "messages_per_second": status.rates.per_second(),
        "catch_up_seconds": status.catch_up(),
        "num_messages_read": status.messages,
    }


def _uuid(pipeline: str) -> str:
    """The id of a Kafka table or a job; a query of a job has the job's id and a number."""
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
    transaction String
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
            for topic, partition, (start, end) in sorted(offsets.each(entry.ranges)):
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
                    entry.transaction,
                )


def _who(entry: Entry, views: Mapping[str, str]) -> str:
    """A view, or a job's INSERT by its number."""
    if _QUERY.fullmatch(entry.pipeline):
        return f"{entry.pipeline}/{entry.view}"
    return views.get(entry.view, entry.view)


@system_table(
    "pipeline_events",
    """
    event_time DateTime64(3)
    database String
    table String
    event String
    message String
    ranges.topic Array(String)
    ranges.partition_id Array(Int32)
    ranges.from_offset Array(Int64)
    ranges.until_offset Array(Int64)
    """,
)
def _pipeline_events(engine: Engine) -> Iterable[Row]:
    for event in engine.catalog.events.all():
        flat = [(topic, partition, *of) for topic, partition, of in offsets.each(event.ranges)]
        columns = [list(column) for column in zip(*flat, strict=True)] or [[], [], [], []]
        yield (event.time, event.database, event.table, event.kind, event.message, *columns)


def _dead_letter_queue(engine: Engine, spark: SparkSession) -> DataFrame:
    return DeadLetters(engine.store).read(spark)


system_frame("dead_letter_queue", QUEUE.items(), _dead_letter_queue)
