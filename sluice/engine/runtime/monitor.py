"""Looking after a running query: its brokers, its lag, and whether its partitions changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.engine import offsets
from sluice.engine.runtime.worker import Superseded
from sluice.errors import SluiceError, Terminal

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.catalog import Offsets
    from sluice.engine.runtime.query import RunningQuery
    from sluice.kafka.watch import Watch

_SHORTEST = 0.1
"""Seconds between two looks for new topics and partitions."""


def look(
    query: RunningQuery,
    asked: Watch | None = None,
    *,
    spark_query: StreamingQuery | None = None,
    warning: SluiceError | None = None,
) -> None:
    """Ask the brokers. That they do not answer is shown; Spark itself retries for minutes."""
    try:
        if query.positions.superseded(query):
            raise Superseded
        for stream in query.streams:
            stream.check_topics(asked)
        query.transform.look(spark_query)
        measure(query, asked)
        for stream in query.streams:
            stream.check_transactions(query.status.position, query.status.ends)
    except Terminal:
        raise
    except SluiceError as fault:
        query.status.waiting(fault, None)
        return
    if warning is not None:
        query.status.waiting(warning, None)
    else:
        query.status.running()


def measure(query: RunningQuery, asked: Watch | None = None) -> None:
    """Measure the lag."""
    ends: Offsets = {}
    for stream in query.streams:
        ends = offsets.merged(ends, stream.latest(asked))
    query.status.looked(ends)
    found = [stream.oldest_ms(query.status.position, ends) for stream in query.streams]
    query.status.oldest_ms = min((each for each in found if each is not None), default=None)


def drained(query: RunningQuery) -> bool:
    """Whether every partition was read to its end, and none ends before that."""
    at = query.status.position
    return all(
        end == at.get(topic, {}).get(partition, 0)
        for topic, parts in query.status.ends.items()
        for partition, end in parts.items()
    )


def intervals(query: RunningQuery) -> list[float]:
    """Seconds between two looks for new topics and partitions, of each stream that has them."""
    return [
        max(stream.source.discovery_ms / 1000, _SHORTEST)
        for stream in query.streams
        if stream.source.discovery_ms is not None
    ]
