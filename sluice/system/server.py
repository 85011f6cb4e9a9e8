"""What this process does: metrics, events, errors, statements that run or ran."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import socket
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice.catalog import KAFKA, VIEW
from sluice.engine import statistics
from sluice.planner.source import MACROS
from sluice.system.registry import system_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sluice.engine.engine import Engine
    from sluice.system.registry import Row

_METRICS = {
    "KafkaAssignedPartitions": "Partitions assigned to Kafka tables",
    "KafkaBackgroundReads": "Running pipelines",
    "KafkaConsumers": "Kafka tables with a view or a job",
    "KafkaConsumersInUse": "Kafka tables with a running pipeline",
    "KafkaConsumersWithAssignment": "Kafka tables with assigned partitions",
    "KafkaLag": "Messages not yet read",
    "MemoryTracking": "Memory that the Python process has, in bytes",
    "Query": "Running statements",
    "TablesKafka": "Kafka tables",
    "TablesView": "Materialized views",
}

_EVENTS = {
    "FailedInsertQuery": "Failed INSERTs",
    "FailedQuery": "Failed statements",
    "FailedSelectQuery": "Failed SELECTs",
    "InsertQuery": "INSERTs",
    statistics.COMMITS: "Batches with committed offsets",
    statistics.FAULTS: "Errors of pipelines",
    statistics.MESSAGES: "Messages read by Kafka tables",
    "Query": "Statements",
    "QueryLogWriteErrors": "Statements that could not be written to the query log",
    "QueryTimeMicroseconds": "Execution time of statements",
    "SelectQuery": "SELECTs",
}


@system_table("metrics", "metric String\nvalue Int64\ndescription String\nname = metric")
def _metrics(engine: Engine) -> Iterable[Row]:
    pipelines = engine.supervisor.tables()
    states = [pipeline.status for pipeline in pipelines]
    tables = engine.catalog.tables()
    assigned = [
        0 if pipeline.spec.halted else sum(map(len, pipeline.status.position.values()))
        for pipeline in pipelines
    ]
    running = sum(status.state == "RUNNING" for status in states)
    values = {
        "KafkaAssignedPartitions": sum(assigned),
        "KafkaBackgroundReads": running,
        "KafkaConsumers": len(states),
        "KafkaConsumersInUse": running,
        "KafkaConsumersWithAssignment": sum(count > 0 for count in assigned),
        "KafkaLag": sum(status.lag() for status in states),
        "MemoryTracking": _memory(),
        "Query": len(engine.activity.running()),
        "TablesKafka": sum(table.kind == KAFKA for table in tables),
        "TablesView": sum(table.kind == VIEW for table in tables),
    }
    return ((name, values[name], doc) for name, doc in _METRICS.items())


def _memory() -> int:
    """Bytes of memory that this process has now."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@system_table("events", "event String\nvalue UInt64\ndescription String\nname = event")
def _events(engine: Engine) -> Iterable[Row]:
    counted = engine.statistics.counts() + engine.activity.counts
    return ((name, counted[name], doc) for name, doc in _EVENTS.items() if counted[name])


@system_table(
    "asynchronous_metrics", "metric String\nvalue Float64\ndescription String\nname = metric"
)
def _asynchronous_metrics(engine: Engine) -> Iterable[Row]:
    import resource

    states = [pipeline.status for pipeline in engine.supervisor.tables()]
    used = resource.getrusage(resource.RUSAGE_SELF)
    lags = [seconds for status in states if (seconds := status.lag_seconds()) is not None]
    rate = sum(status.rates.per_second() for status in states)
    yield ("KafkaMaxLagSeconds", max(lags, default=0.0), "Age of the oldest unread message")
    yield ("KafkaMessagesPerSecond", rate, "Messages read per second by all pipelines")
    yield ("LoadAverage1", os.getloadavg()[0], "Load average of the last minute")
    yield ("MaxResidentMemory", used.ru_maxrss * 1024.0, "Peak memory of the Python process")
    yield ("NumberOfDatabases", float(len(engine.catalog.databases())), "Databases")
    yield ("NumberOfTables", float(len(engine.catalog.tables())), "Tables and views")
    yield ("Uptime", engine.activity.uptime(), "Seconds since the server started")


@system_table(
    "errors",
    """
    name String
    code Int32
    value UInt64
    last_error_time DateTime
    last_error_message String
    last_error_format_string String
    last_error_trace Array(UInt64)
    remote UInt8
    query_id String
    """,
)
def _errors(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for each in engine.statistics.errors():
        yield {
            "name": each.condition.name,
            "code": each.condition.clickhouse_code,
            "value": each.count,
            "last_error_time": each.last,
            "last_error_message": each.text,
            "last_error_format_string": each.condition.message,
            "query_id": each.query_id,
        }


_KINDS = {
    "Attach": "Create", "CheckGrant": "Check", "Consume": "System", "Detach": "Drop",
    "Exchange": "Rename", "Invalid": "", "Kill": "KillQuery", "Mutation": "Alter",
    "Redrive": "System", "Reset": "Set", "ResetOffsets": "System", "StatementSet": "Insert",
    "Stop": "System", "Truncate": "Drop",
}  # fmt: skip
"""ClickHouse's kinds of statements, by the word that ours begin with where that is another one."""


def _kind(statement: str) -> str:
    """ClickHouse's kind of a statement: the first word of `CreateTable` is one."""
    first = re.match(r"[A-Z][a-z]*", statement)
    word = first[0] if first else ""
    return _KINDS.get(statement, _KINDS.get(word, word))


def _address(text: str) -> str:
    """An address as IPv6, as ClickHouse shows it; nothing for one in this process."""
    return f"::ffff:{text}" if text and ":" not in text else text or "::"


_TYPES = (
    "Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, "
    "'ExceptionWhileProcessing' = 4)"
)


@system_table(
    "query_log",
    f"""
    type {_TYPES}
    event_date Date
    event_time DateTime
    event_time_microseconds DateTime64(6)
    query_start_time DateTime
    query_start_time_microseconds DateTime64(6)
    query_duration_ms UInt64
    read_rows UInt64
    read_bytes UInt64
    written_rows UInt64
    written_bytes UInt64
    result_rows UInt64
    result_bytes UInt64
    memory_usage UInt64
    current_database String
    query String
    query_kind String
    exception_code Int32
    exception String
    is_initial_query UInt8
    user String
    query_id String
    address String
    initial_query_id String
    initial_user String
    initial_address String
    interface UInt8
    client_name String
    http_method UInt8
    http_user_agent String
    dialect String
    hostname LowCardinality(String)
    initial_query_start_time DateTime
    normalized_query_hash UInt64
    formatted_query String
    databases Array(LowCardinality(String))
    tables Array(LowCardinality(String))
    columns Array(LowCardinality(String))
    partitions Array(LowCardinality(String))
    projections Array(LowCardinality(String))
    views Array(LowCardinality(String))
    stack_trace String
    os_user LowCardinality(String)
    client_hostname LowCardinality(String)
    port UInt16
    http_referer String
    forwarded_for String
    quota_key String
    log_comment String
    thread_ids Array(UInt64)
    peak_threads_usage UInt64
    ProfileEvents Map(LowCardinality(String), UInt64)
    Settings Map(LowCardinality(String), LowCardinality(String))
    used_aggregate_functions Array(LowCardinality(String))
    used_functions Array(LowCardinality(String))
    used_table_functions Array(LowCardinality(String))
    used_storages Array(LowCardinality(String))
    used_formats Array(LowCardinality(String))
    is_internal UInt8
    """,
)
def _query_log(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for entry in engine.activity.log():
        ended = datetime.fromtimestamp(entry["ended"], UTC)
        started = datetime.fromtimestamp(entry["started"], UTC)
        yield {
            "type": entry["type"],
            "event_date": ended.date(),
            "event_time": ended,
            "event_time_microseconds": ended,
            "query_start_time": started,
            "query_start_time_microseconds": started,
            "query_duration_ms": entry["duration_ms"],
            "read_rows": entry.get("read_rows", 0),
            "read_bytes": entry.get("read_bytes", 0),
            "written_rows": entry.get("written_rows", 0),
            "written_bytes": entry.get("written_bytes", 0),
            "result_rows": entry.get("result_rows", entry.get("rows", 0)),
            "result_bytes": entry.get("result_bytes", 0),
            "memory_usage": entry.get("memory", 0),
            "current_database": entry["database"],
            "query": entry["query"],
            "query_kind": _kind(entry["kind"]),
            "exception_code": entry.get("exception_code", 0),
            "exception": entry.get("exception", ""),
            "is_initial_query": 1,
            "user": entry.get("user", "default"),
            "query_id": entry["query_id"],
            "address": _address(entry.get("address", "")),
            "initial_query_id": entry["query_id"],
            "initial_user": entry.get("user", "default"),
            "initial_address": _address(entry.get("address", "")),
            "interface": entry.get("interface", 0),
            "client_name": entry.get("client", ""),
            "http_method": entry.get("http_method", 0),
            "http_user_agent": entry.get("agent", ""),
            "dialect": entry["dialect"],
            "hostname": socket.gethostname(),
            "initial_query_start_time": started,
        }


@system_table(
    "processes",
    """
    is_initial_query UInt8
    user String
    query_id String
    address String
    initial_user String
    initial_query_id String
    initial_address String
    elapsed Float64
    is_cancelled UInt8
    read_rows UInt64
    read_bytes UInt64
    total_rows_approx UInt64
    written_rows UInt64
    written_bytes UInt64
    memory_usage Int64
    interface UInt8
    client_name String
    http_user_agent String
    query String
    query_kind String
    current_database String
    """,
)
def _processes(engine: Engine) -> Iterable[Mapping[str, Any]]:
    for statement in engine.activity.running():
        progress = statement.progress()
        yield {
            "is_initial_query": 1,
            "user": statement.user,
            "query_id": statement.id,
            "address": _address(statement.address),
            "initial_user": statement.user,
            "initial_query_id": statement.id,
            "initial_address": _address(statement.address),
            "elapsed": statement.seconds(),
            "is_cancelled": int(statement.cancelled is not None),
            "read_rows": progress["read_rows"],
            "read_bytes": progress["read_bytes"],
            "total_rows_approx": progress["total_rows_to_read"],
            "interface": statement.client.interface,
            "client_name": statement.client.name,
            "http_user_agent": statement.client.agent,
            "query": statement.shown(),
            "query_kind": _kind(statement.kind),
            "current_database": statement.database,
        }


@system_table(
    "clusters",
    """
    cluster String
    shard_num UInt32
    shard_name String
    shard_weight UInt32
    internal_replication UInt8
    replica_num UInt32
    host_name String
    host_address String
    port UInt16
    is_local UInt8
    user String
    default_database String
    errors_count UInt32
    estimated_recovery_time UInt32
    name = cluster
    """,
)
def _clusters(engine: Engine) -> Iterable[Mapping[str, Any]]:
    yield {
        "cluster": "default",
        "shard_num": 1,
        "shard_weight": 1,
        "replica_num": 1,
        "host_name": "localhost",
        "host_address": "127.0.0.1",
        "is_local": 1,
        "user": "default",
    }


@system_table("macros", "macro String\nsubstitution String")
def _macros(engine: Engine) -> Iterable[Row]:
    configured = engine.config.macros if engine.config else {}
    return sorted({**MACROS, **configured}.items())


@system_table("build_options", "name String\nvalue String")
def _build_options(engine: Engine) -> Iterable[Row]:
    for package in ("sluice", "pyspark", "confluent-kafka", "sqlglot"):
        yield (f"VERSION_{package.upper().replace('-', '_')}", metadata.version(package))
    yield ("VERSION_PYTHON", platform.python_version())
    with engine.workers.worker(inner=True) as worker:  # those of the ClickHouse that runs queries
        asked = "SELECT name, value FROM system.build_options WHERE name LIKE 'VERSION%'"
        found = worker.run(asked, lines="JSONCompactEachRow")
    yield from (tuple(json.loads(line)) for line in found.splitlines())


_DISK = "default"


@system_table(
    "disks",
    """
    name String
    path String
    free_space UInt64
    total_space UInt64
    unreserved_space UInt64
    keep_free_space UInt64
    type String
    is_encrypted UInt8
    is_read_only UInt8
    is_remote UInt8
    is_broken UInt8
    """,
)
def _disks(engine: Engine) -> Iterable[Mapping[str, Any]]:
    """The disk that the data folder is on; a store of objects has no size."""
    found = shutil.disk_usage(engine.folder.path)
    yield {
        "name": _DISK,
        "free_space": found.free,
        "total_space": found.total,
        "unreserved_space": found.free,
        "type": "Local",
    }


@system_table(
    "storage_policies",
    """
    policy_name String
    volume_name String
    volume_priority UInt64
    disks Array(String)
    volume_type Enum8('JBOD' = 0, 'SINGLE_DISK' = 1, 'UNKNOWN' = 2)
    max_data_part_size UInt64
    move_factor Float32
    """,
)
def _storage_policies(engine: Engine) -> Iterable[Mapping[str, Any]]:
    yield {
        "policy_name": _DISK,
        "volume_name": _DISK,
        "volume_priority": 1,
        "disks": [_DISK],
        "volume_type": "JBOD",
    }
