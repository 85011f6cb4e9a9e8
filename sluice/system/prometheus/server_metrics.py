"""The process: statements, connections, versions, and Spark's JVM."""

from __future__ import annotations

import platform
from collections import Counter
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from sluice.engine.lineage.emitter import OUTCOMES
from sluice.system.prometheus.family import (
    COUNTER,
    GAUGE,
    HISTOGRAM,
    SUMMARY,
    Family,
    buckets,
    one,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sluice.system.prometheus.family import Values
    from sluice.system.prometheus.scrape import Scrape


@cache
def _versions() -> tuple[str, ...]:
    return metadata.version("sluice"), metadata.version("pyspark"), platform.python_version()


def _running(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    kinds = Counter(each.kind for each in scrape.engine.activity.running() if each.kind)
    return (((kind,), count) for kind, count in kinds.items())


def _seconds(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    for kind, histogram in scrape.engine.activity.seconds.copy().items():
        yield (kind,), *buckets(histogram)


def _failed(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    return (((kind,), count) for kind, count in scrape.engine.activity.failed.copy().items())


def _rows(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    return scrape.engine.activity.rows.copy().items()


def _workers(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    return (((state,), len(each)) for state, each in scrape.engine.workers.memory().items())


def _workers_memory(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    return (((state,), sum(each)) for state, each in scrape.engine.workers.memory().items())


def _lineage(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
    lineage = scrape.engine.lineage
    return [] if lineage is None else [((each,), lineage.counts[each]) for each in OUTCOMES]


def _memory(what: str) -> Values:
    """A figure of each area of the JVM's memory that has it: an area need not have a maximum."""

    def values(scrape: Scrape) -> Iterable[tuple[Any, ...]]:
        for area, usage in scrape.jvm.get("memory", {}).items():
            if usage[what] >= 0:
                yield (area,), usage[what]

    return values


FAMILIES = (
    Family(
        GAUGE,
        "sluice_build_info",
        "1, with the versions of Sluice, Spark and Python",
        "version spark_version python_version",
        lambda scrape: [(_versions(), 1)],
    ),
    Family(
        HISTOGRAM,
        "sluice_query_duration_seconds",
        "Durations of statements, by kind",
        "kind",
        _seconds,
    ),
    Family(
        COUNTER,
        "sluice_queries_failed_total",
        "Statements that have failed, by kind",
        "kind",
        _failed,
    ),
    Family(
        COUNTER,
        "sluice_query_rows_total",
        "Rows of statements that have ended, by kind: read, in results, or written by INSERTs",
        "kind rows",
        _rows,
    ),
    Family(
        GAUGE,
        "sluice_queries_running",
        "Statements that run now, by kind",
        "kind",
        _running,
    ),
    Family(
        GAUGE,
        "sluice_query_workers",
        "Processes for SELECTs, by state: running or idle",
        "state",
        _workers,
    ),
    Family(
        GAUGE,
        "sluice_query_workers_memory_bytes",
        "Resident memory of the processes for SELECTs, by state",
        "state",
        _workers_memory,
    ),
    Family(
        GAUGE,
        "sluice_http_connections",
        "Open HTTP connections",
        "",
        one(lambda scrape: scrape.connections),
    ),
    Family(
        COUNTER,
        "sluice_lineage_events_total",
        "OpenLineage events: sent, failed, or dropped because too many waited",
        "outcome",
        _lineage,
    ),
    Family(
        GAUGE,
        "jvm_memory_used_bytes",
        "Memory that Spark's JVM uses",
        "area",
        _memory("used"),
    ),
    Family(
        GAUGE,
        "jvm_memory_committed_bytes",
        "Memory that Spark's JVM has reserved",
        "area",
        _memory("committed"),
    ),
    Family(
        GAUGE,
        "jvm_memory_max_bytes",
        "Memory that Spark's JVM may use",
        "area",
        _memory("max"),
    ),
    Family(
        GAUGE,
        "jvm_buffer_pool_used_bytes",
        "Memory of Spark's JVM outside of the heap, by pool",
        "pool",
        lambda scrape: (((pool,), used) for pool, used in scrape.jvm.get("buffers", {}).items()),
    ),
    Family(
        SUMMARY,
        "jvm_gc_collection_seconds",
        "Garbage collections of Spark's JVM",
        "gc",
        lambda scrape: (((gc,), *of) for gc, of in scrape.jvm.get("gc", {}).items()),
    ),
    Family(
        GAUGE,
        "jvm_threads_current",
        "Threads of Spark's JVM",
        "",
        one(lambda scrape: scrape.jvm.get("threads")),
    ),
)
