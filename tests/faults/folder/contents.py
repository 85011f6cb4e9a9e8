"""What is in the stored data folder: its statements, and the messages of its topics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sluice.kafka.cluster import Cluster

PORT = 19_817
"""The broker's port, which is part of the DDL. Brokers of other tests take higher ones."""

ADDRESS = f"127.0.0.1:{PORT}"
TOPICS = {
    "events": 3,
    "shared": 4,
    "letters": 2,
    "failing": 1,
    "paused": 1,
    "away": 2,
    "orders": 1,
    "payments": 4,
    "copies": 2,
}
"""Each topic, with its number of partitions."""

FIRST, KILLED, UNREAD, LATER = range(100), range(100, 140), range(140, 170), range(170, 200)
"""Numbers of messages: processed before the first stop; produced before the server was killed;
produced when no server ran; produced by the test."""

DEAD = range(10_000, 10_005)
"""Messages of `letters` that are numbers and no JSON objects: dead letters, unless read as CSV."""

WORK = 400_000
"""What a message of KILLED costs the view `work_mv`: its target is the last one to get them."""

LEVELS = ("debug", "info", "warn")
KEYS = 7
WINDOW = 10
"""Messages of a window: each is a second after the one before."""

FAILS_ON = 120
"""The message for which the view `quotients_mv` divides by zero."""

_KAFKA = "SETTINGS kafka_flush_interval_ms = 100, kafka_max_block_size = 60"


def _split(script: str) -> list[str]:
    return [statement.strip() for statement in script.split(";\n") if statement.strip()]


def _consumed(name: str, topic: str, more: str = "") -> str:
    """A Kafka table of the named collection, and a view of it."""
    return f"""
CREATE TABLE {name}_queue (n UInt64) ENGINE = Kafka(local)
{_KAFKA}, kafka_topic_list = '{topic}', kafka_group_name = '{topic}'{more};
CREATE TABLE {name} (n UInt64, at UInt64) ENGINE = MergeTree ORDER BY n;
CREATE MATERIALIZED VIEW {name}_mv TO {name} AS SELECT n, _offset AS at FROM {name}_queue;
"""


_VIEWS = f"""
CREATE DATABASE shop COMMENT 'of the stored folder';
CREATE NAMED COLLECTION local AS kafka_broker_list = '{ADDRESS}', kafka_format = 'JSONEachRow';
CREATE TABLE shop.queue (
    n UInt64, name LowCardinality(Nullable(String)), price Decimal(18, 4), at DateTime64(3),
    tags Array(String), attrs Map(String, UInt32),
    level Enum8('debug' = 1, 'info' = 2, 'warn' = 3), work UInt64
) ENGINE = Kafka('{ADDRESS}', 'events', 'events', 'JSONEachRow') {_KAFKA};
CREATE TABLE shop.rows (
    n UInt64, name LowCardinality(Nullable(String)), price Decimal(18, 4) CODEC(ZSTD),
    at DateTime64(3), tags Array(String), attrs Map(String, UInt32),
    level Enum8('debug' = 1, 'info' = 2, 'warn' = 3),
    work UInt64 COMMENT 'how much the next view does'
) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY n;
CREATE TABLE shop.sums (level String, messages UInt64, total UInt64, price Decimal(38, 4))
ENGINE = SummingMergeTree ORDER BY level;
CREATE TABLE shop.states (
    level String, numbers AggregateFunction(uniq, UInt64),
    newest AggregateFunction(argMax, String, UInt64),
    middle AggregateFunction(quantile, UInt64), total SimpleAggregateFunction(sum, UInt64)
) ENGINE = AggregatingMergeTree ORDER BY level;
CREATE TABLE shop.worked (n UInt64, found UInt64) ENGINE = MergeTree ORDER BY n;
CREATE MATERIALIZED VIEW shop.rows_mv TO shop.rows AS SELECT * FROM shop.queue;
CREATE MATERIALIZED VIEW shop.sums_mv TO shop.sums AS
SELECT toString(level) AS level, count() AS messages, sum(n) AS total, sum(price) AS price
FROM shop.queue GROUP BY level;
CREATE MATERIALIZED VIEW shop.states_mv TO shop.states AS
SELECT toString(level) AS level, uniqState(n) AS numbers, argMaxState(toString(n), n) AS newest,
    quantileState(n) AS middle, sum(n) AS total
FROM shop.queue GROUP BY level;
CREATE MATERIALIZED VIEW shop.work_mv TO shop.worked AS
SELECT n, arrayCount(x -> x % 7 = 3, range(work)) AS found FROM shop.rows;
CREATE MATERIALIZED VIEW shop.last ENGINE = ReplacingMergeTree(n) ORDER BY level AS
SELECT toString(level) AS level, n FROM shop.queue;
"""
"""One Kafka table with views into every engine, and one downstream of the first of them."""

_FAILING = f"""
CREATE TABLE quotients (n UInt64, q Int64) ENGINE = MergeTree ORDER BY n;
CREATE MATERIALIZED VIEW quotients_mv TO quotients AS
SELECT n, intDiv(1000, toInt64(n) - {FAILS_ON}) AS q FROM whole_queue;
"""

_ALTERED = """
CREATE TABLE archive (a UInt64, b String) ENGINE = MergeTree ORDER BY a;
INSERT INTO archive VALUES (1, 'one'), (2, 'two');
ALTER TABLE archive ADD COLUMN c UInt32 DEFAULT 9;
ALTER TABLE archive RENAME COLUMN b TO text;
INSERT INTO archive VALUES (3, 'three', 3);
"""
"""A stored table with columns that its first files do not have, or have under another name."""

CLICKHOUSE = _split(
    _VIEWS
    + _consumed("left", "shared")  # two tables of one consumer group
    + _consumed("right", "shared")
    + _consumed("lettered", "letters", ", kafka_handle_error_mode = 'dead_letter_queue'")
    + _consumed("whole", "failing")
    + _FAILING
    + _consumed("waiting", "paused")
    + _consumed("away", "away")
    + _ALTERED
)


def _over(name: str, columns: str, topic: str, more: str = "") -> str:
    return (
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}', "
        f"'properties.bootstrap.servers' = '{ADDRESS}', 'format' = 'json', "
        f"'scan.startup.mode' = 'earliest-offset'{more})"
    )


_BY_KEY = "k BIGINT, n BIGINT, total BIGINT, PRIMARY KEY (k) NOT ENFORCED"

FLINK = (
    _over(
        "orders",
        "n BIGINT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND",
        "orders",
    ),
    _over("payments", "n BIGINT", "payments", ", 'properties.group.id' = 'payments'"),
    _over("copies", "n BIGINT", "copies", ", 'sink.semantic' = 'exactly-once'"),
    "CREATE VIEW numbered AS SELECT n, name FROM orders",
    f"CREATE TABLE newest ({_BY_KEY})",
    f"CREATE TABLE counts ({_BY_KEY})",
    "CREATE TABLE windows (since TIMESTAMP(3), n BIGINT, total BIGINT)",
    "CREATE TABLE names (name STRING)",
    "CREATE TABLE even (n BIGINT)",
    "CREATE TABLE odd (n BIGINT)",
)

JOBS = {
    "newest": f"INSERT INTO newest SELECT MOD(n, {KEYS}), n, n FROM orders",
    "counts": f"INSERT INTO counts SELECT MOD(n, {KEYS}), COUNT(*), SUM(n) FROM orders "
    f"GROUP BY MOD(n, {KEYS})",
    "windows": "INSERT INTO windows SELECT window_start, COUNT(*), SUM(n) FROM TABLE("
    f"TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '{WINDOW}' SECONDS)) "
    "GROUP BY window_start, window_end",
    "names": "INSERT INTO names SELECT DISTINCT name FROM numbered",
    "copies": "INSERT INTO copies SELECT n FROM payments",
    "both": "EXECUTE STATEMENT SET BEGIN INSERT INTO even SELECT n FROM numbered "
    "WHERE MOD(n, 2) = 0; INSERT INTO odd SELECT n FROM numbered WHERE MOD(n, 2) = 1; END",
}
"""The jobs by name; `names` has been stopped with a savepoint."""


def name_of(n: int) -> str:
    """The name in an order; there are so many."""
    return f"name {n % 40 if n < FIRST.stop else n % 60}"


def moment(n: int) -> str:
    """A second for each number, from the last minute of a month on."""
    minutes, seconds = divmod(n, 60)
    return (
        f"2026-01-31 23:59:{seconds:02}"
        if not minutes
        else f"2026-02-01 00:{minutes - 1:02}:{seconds:02}"
    )


def event(n: int) -> bytes:
    return json.dumps(
        {
            "n": n,
            "name": None if n % 5 == 0 else f"name {n % 11}",
            "price": f"{n // 4}.{n % 4 * 25:02}",
            "at": moment(n) + ".125",
            "tags": [f"t{i}" for i in range(n % 4)],
            "attrs": {"n": n},
            "level": LEVELS[n % 3],
            "work": WORK if n in KILLED else 0,
        }
    ).encode()


def _order(n: int) -> bytes:
    return json.dumps({"n": n, "name": name_of(n), "ts": moment(n)}).encode()


def _messages(topic: str, numbers: Iterable[int]) -> Iterator[Message]:
    for n in numbers:
        if topic == "events":
            value = event(n)
        elif topic == "orders":
            value = _order(n)
        else:
            value = b"%d" % n if n in DEAD else b'{"n":%d}' % n
        yield Message(value, partition=n % TOPICS[topic])


def send(cluster: Cluster, numbers: Iterable[int], *topics: str) -> None:
    """Produce these messages to topics, or to every topic that the folder reads."""
    wanted = list(numbers)
    for topic in topics or [topic for topic in TOPICS if topic != "copies"]:
        produce(cluster, topic, _messages(topic, wanted))
