"""The tables of the `system` database: each is a row of `TABLES`."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.catalog import STORED, VIEW
from sluice.pipelines import ledger
from sluice.session import show
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sluice.session.engine import Engine
    from sluice.types import Type

Row = tuple[Any, ...]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SystemTable:
    """A table that is made up when it is read."""

    columns: tuple[tuple[str, Type], ...]
    rows: Callable[[Engine], Iterable[Row]]


TABLES: dict[str, SystemTable] = {}


def _table(name: str, columns: str) -> Callable[[Callable[[Engine], Iterable[Row]]], None]:
    """Add a table; `columns` has one `name Type` in each line."""
    pairs = [line.strip().split(" ", 1) for line in columns.strip().splitlines()]

    def add(rows: Callable[[Engine], Iterable[Row]]) -> None:
        TABLES[name] = SystemTable(tuple((n, parse_type(t)) for n, t in pairs), rows)

    return add


@_table("one", "dummy UInt8")
def _one(engine: Engine) -> Iterable[Row]:
    yield (0,)


@_table("databases", "name String")
def _databases(engine: Engine) -> Iterable[Row]:
    return [(name,) for name in all_databases(engine)]


@_table(
    "tables",
    """
    database String
    name String
    uuid UUID
    engine String
    is_attached Bool
    sorting_key String
    comment String
    metadata_modification_time DateTime
    """,
)
def _tables(engine: Engine) -> Iterable[Row]:
    for table in engine.catalog.tables():
        yield (
            table.database,
            table.name,
            table.uuid,
            engine_of(table.kind, table.engine),
            table.attached,
            ", ".join(table.order_by),
            table.comment,
            table.created,
        )
    for name in TABLES:
        yield (
            "system",
            name,
            "00000000-0000-0000-0000-000000000000",
            "System",
            True,
            "",
            "",
            _EPOCH,
        )


@_table(
    "columns",
    """
    database String
    table String
    name String
    type String
    position UInt64
    default_kind String
    default_expression String
    comment String
    compression_codec String
    """,
)
def _columns(engine: Engine) -> Iterable[Row]:
    for table in engine.catalog.tables():
        for at, c in enumerate(table.columns, start=1):
            kind, expression = show.default_of(c)
            place = (table.database, table.name, c.name, str(c.type), at)
            yield (*place, kind, expression, c.comment, f"CODEC({c.codec})" if c.codec else "")


@_table(
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


@_table(
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


@_table(
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


@_table(
    "options",
    """
    name String
    clickhouse String
    flink String
    dli String
    family String
    type String
    default String
    scope String
    status String
    why String
    secret Bool
    description String
    """,
)
def _options(engine: Engine) -> Iterable[Row]:
    from sluice.options import docs

    return (tuple(row.values()) for row in docs.rows())


@_table(
    "named_collections",
    """
    name String
    collection Map(String, String)
    source String
    create_query String
    """,
)
def _named_collections(engine: Engine) -> Iterable[Row]:
    for collection in engine.catalog.collections():
        text = show.collection_statement(collection)
        yield (collection.name, show.shown(collection), collection.source, text)


@_table("functions", "name String\nis_aggregate Bool\ndescription String")
def _functions(engine: Engine) -> Iterable[Row]:
    from sluice.sql.clickhouse.functions import FUNCTIONS

    for name, function in sorted(FUNCTIONS.items()):
        yield (
            name,
            bool(getattr(function, "aggregate", False)),
            getattr(function, "doc", "") or "",
        )


def all_databases(engine: Engine) -> list[str]:
    """The databases a user sees."""
    return sorted([*engine.catalog.databases(), "system"])


def engine_of(kind: str, engine: str) -> str:
    """What the engine column shows."""
    return "MaterializedView" if kind == VIEW else engine.partition("(")[0]


def like(pattern: str | None) -> Callable[[str], bool]:
    """A test for SQL's LIKE patterns."""
    if pattern is None:
        return lambda name: True
    glob = "".join(
        {"%": "*", "_": "?", "*": "[*]", "?": "[?]", "[": "[[]"}.get(c, c) for c in pattern
    )
    return lambda name: fnmatch.fnmatchcase(name, glob)
