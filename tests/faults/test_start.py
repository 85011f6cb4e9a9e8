"""Nothing that the catalog holds keeps a server from starting."""

from __future__ import annotations

import json
import sqlite3
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from faults.server import Server
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.broker import Broker
    from sluice.kafka.cluster import Cluster

PATIENCE = 300.0
PATTERN = "(a+)+$"
"""A backtracking engine tries 2^200 ways to match the second topic with it."""
TOPICS = ("a" * 201, "a" * 200 + "b")


def create(server: Server, address: str, topic: str) -> None:
    """Tables over patterns, and jobs and views that will no longer be planned."""
    other = f"ENGINE = Kafka('{address}', '{topic}'"
    statements = f"""
        CREATE TABLE q (key UInt64) ENGINE = Kafka('{address}', '^{PATTERN}', 'q', 'JSONEachRow');
        CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key;
        CREATE MATERIALIZED VIEW m TO v AS SELECT key FROM q;
        CREATE TABLE names (key UInt64, name String) ENGINE = MergeTree ORDER BY key;
        INSERT INTO names VALUES (1, 'one');
        CREATE TABLE joined (key UInt64, name String) ENGINE = MergeTree ORDER BY key;
        CREATE TABLE damaged (key UInt64) {other}, 'damaged', 'JSONEachRow');
        CREATE MATERIALIZED VIEW mj TO joined AS
            SELECT d.key AS key, n.name AS name FROM damaged AS d JOIN names AS n ON d.key = n.key;
        CREATE TABLE removed (key UInt64) {other}, 'removed', 'JSONEachRow');
        CREATE MATERIALIZED VIEW mr TO v AS SELECT abs(key) AS key FROM removed
    """
    for statement in statements.split(";\n"):
        server.sql(statement)
    connector = f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{address}'"
    read = "'format' = 'json', 'scan.startup.mode' = 'earliest-offset'"
    for statement in (
        f"CREATE TABLE f (key BIGINT) WITH ({connector}, 'topic-pattern' = '{PATTERN}', {read})",
        "CREATE TABLE s (key BIGINT)",
        "CREATE TABLE gone (key BIGINT)",
        "INSERT INTO s SELECT key FROM f",
        "INSERT INTO gone SELECT ABS(key) FROM f",
    ):
        server.sql(statement, "flink")


def break_catalog(data: Path) -> None:
    """Let functions be gone, as in another version, and a table's log be damaged, as by a disk."""
    with sqlite3.connect(data / "catalog.sqlite") as db:
        kept = "SELECT uuid FROM tables WHERE name = 'names'"
        (uuid,) = db.execute(kept).fetchone()
        for change in (
            "UPDATE jobs SET statement = replace(statement, 'ABS(', 'NO_SUCH(')",
            "UPDATE tables SET definition = replace(definition, 'abs(', 'noSuch(')",
        ):
            db.execute(change)
    db.close()
    for commit in (data / "tables" / uuid / "_delta_log").glob("*.json"):
        commit.write_text('{"commitInfo"')
    for sum_ in (data / "tables" / uuid / "_delta_log").glob(".*.crc"):
        sum_.unlink()


def pinged(server: Server) -> bytes:
    with urllib.request.urlopen(f"{server.url}/ping", timeout=60) as answer:  # noqa: S310
        return bytes(answer.read())


def arrive(server: Server, count: int) -> None:
    """Wait until what reads by pattern has so many messages, of the first topic alone."""

    def counts() -> list[Any]:
        ours = server.sql("SELECT toUInt32(count()) FROM v")
        return [*ours[0], *map(int, server.sql("SELECT COUNT(*) FROM s", "flink")[0])]

    eventually(counts, lambda found: found == [count, count], PATIENCE)


@pytest.mark.slow
def test_a_server_starts_whatever_is_in_its_catalog(
    tmp_path: Path, broker: Broker, cluster: Cluster, topic: str
) -> None:
    """Patterns that others hang on, statements of another version, and damaged files."""
    data = tmp_path / "data"

    def send(key: int) -> None:
        for name in TOPICS:
            produce(cluster, name, [Message(json.dumps({"key": key}).encode())])

    for name in (*TOPICS, topic):
        cluster.create_topic(name, 1)
    try:
        with Server(data) as server:
            assert server.await_ready()
            create(server, broker.address, topic)
            send(1)
            arrive(server, 1)
            assert server.stop() == 0
        break_catalog(data)
        produce(cluster, topic, [Message(b'{"key": 1}')])
        with Server(data) as server:
            assert server.await_ready()
            assert pinged(server) == b"Ok.\n"
            send(2)
            arrive(server, 2)
            jobs = {row[2]: row[-1] for row in server.sql("SHOW JOBS", "flink")}
            assert jobs["RUNNING"] == ""
            assert "NO_SUCH" in jobs["FAILED(UNKNOWN_FUNCTION)"]

            def states() -> dict[str, list[str]]:
                found = "SELECT table, state, last_error FROM system.pipelines"
                return {table: rest for table, *rest in server.sql(found)}

            broken = ("removed", "damaged")
            shown = eventually(states, lambda found: all(found[t][1] for t in broken), PATIENCE)
            assert shown["removed"][0] == "WAITING(VIEW_FAILED)"
            assert "noSuch" in shown["removed"][1]
            assert "View default.mj failed" in shown["damaged"][1]
            assert "_delta_log" in shown["damaged"][1]
            assert server.stop() == 0
    finally:
        for name in TOPICS:
            cluster.delete_topic(name)
