"""Columns that changes add, through servers that are killed while they add them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from faults.chance import seeded, some
from faults.server import Server
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

POINTS = [
    "evolve.after_pending=kill9@1",
    "delta.before_commit=kill9@1",
    "delta.after_commit=kill9@1",
    "evolve.before_confirm=kill9@1",
    "delta.after_commit=kill9@2",
    "evolve.before_confirm=kill9@2",
    "commit.before_log=kill9@1",
]
"""Before the commit that adds a column, and between that and the catalog, in both dialects."""

CHOSEN = 4
"""Kills in a run."""


def create(server: Server, address: str, topic: str) -> None:
    """A keyed table of each dialect, and a ReplacingMergeTree, fed by one topic."""
    server.sql(
        "CREATE TABLE s (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', "
        f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{address}', "
        "'format' = 'debezium-json', 'schema.drift' = 'evolve', "
        "'scan.startup.mode' = 'earliest-offset')",
        "flink",
    )
    server.sql("CREATE TABLE kept (id BIGINT, PRIMARY KEY (id) NOT ENFORCED)", "flink")
    server.sql("INSERT INTO kept SELECT * FROM s", "flink")
    server.sql(
        f"CREATE TABLE q (id Int64) ENGINE = Kafka('{address}', '{topic}', 'g', 'DebeziumJSON') "
        "SETTINGS kafka_schema_drift = 'evolve'"
    )
    server.sql(
        "CREATE TABLE live (id Int64, v UInt64, gone UInt8) "
        "ENGINE = ReplacingMergeTree(v, gone) ORDER BY id"
    )
    server.sql(
        "CREATE MATERIALIZED VIEW m TO live AS SELECT *, _version AS v, _is_deleted AS gone FROM q"
    )


def changes(number: int) -> list[Message]:
    """A row with a column of its own, and the row of before with a value in the same column."""
    rows: list[Any] = [{"id": number, f"c{number}": number * 10}]
    if number:
        before = {"id": number - 1, f"c{number - 1}": (number - 1) * 10}
        rows.append(before | {f"c{number}": number * 10 + 1})
    events = [{"before": {"id": r["id"]} if n else None, "after": r, "op": "cu"[n]}
              for n, r in enumerate(rows)]  # fmt: skip
    return [Message(json.dumps(each).encode(), b"%d" % each["after"]["id"]) for each in events]


@pytest.mark.slow
def test_each_column_is_added_once(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """Each server dies while it adds a column; in the end all are there once, with their values."""
    cluster.create_topic(topic, 1)
    data = tmp_path / "data"
    points = some(seeded(), POINTS, CHOSEN)
    for number, point in enumerate(points):
        with Server(data, failpoints=point) as server:
            if server.await_ready() and number == 0:
                create(server, broker.address, topic)
            produce(cluster, topic, changes(number))
            assert server.await_end() == -9, point
    names = [f"c{n}" for n in range(len(points))]
    last = len(points) - 1
    wanted = []
    for n in range(len(points)):
        values = {f"c{n}": n * 10} | ({f"c{n + 1}": (n + 1) * 10 + 1} if n < last else {})
        wanted.append([str(each) for each in (n, *(values.get(name) for name in names))])
    with Server(data) as server:
        assert server.await_ready()
        for table, dialect in (("kept", "flink"), ("live", "clickhouse")):
            query = f"SELECT id, {', '.join(names)} FROM {table} ORDER BY id"
            eventually(lambda: _answer(server, query, dialect), lambda rows: rows == wanted, 300)  # noqa: B023
            described = [row[0] for row in server.sql(f"DESCRIBE {table}", dialect)]
            own = {"kept": ["id"], "live": ["id", "v", "gone"]}[table]
            assert described == [*own, *names]
        assert server.stop() == 0
    found = {tuple(sorted(_columns(log))) for log in data.glob("tables/*/_delta_log")}
    hidden = ("__sluice_at", "__sluice_row")
    assert found == {(*names, "id"), (*hidden, *names, "gone", "id", "v")}


def _answer(server: Server, query: str, dialect: str) -> list[list[str]]:
    """Rows as texts; none while a column is not there yet."""
    try:
        return [[str(value) for value in row] for row in server.sql(query, dialect)]
    except AssertionError:
        return []


def _columns(log: Path) -> list[str]:
    """The columns of a Delta table, by its newest metadata."""
    for commit in sorted(log.glob("*.json"), reverse=True):
        for line in commit.read_text().splitlines():
            found = json.loads(line).get("metaData")
            if found:
                return [field["name"] for field in json.loads(found["schemaString"])["fields"]]
    return []
