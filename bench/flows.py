"""Statements in Flink's SQL that Flink and Sluice both run: from a topic of events to another."""

from __future__ import annotations

import re
from dataclasses import dataclass

import changes

COLUMNS = """
    file_time TIMESTAMP(0), event_type STRING, actor_login STRING, repo_name STRING,
    created_at TIMESTAMP(0), updated_at TIMESTAMP(0), `action` STRING, comment_id BIGINT,
    `path` STRING, `ref` STRING, ref_type STRING, creator_user_login STRING, `number` INT,
    title STRING, labels ARRAY<STRING>, `state` STRING, assignee STRING, assignees ARRAY<STRING>,
    closed_at TIMESTAMP(0), merged_at TIMESTAMP(0), merge_commit_sha STRING,
    requested_reviewers ARRAY<STRING>, merged_by STRING, review_comments INT, member_login STRING
"""

WINDOW_S = 10
DELAY_S = 60
"""How far events may be behind others: partitions are not read at the same pace."""

_PROMISES = {
    "alo": {"sink.delivery-guarantee": "at-least-once"},
    "eos": {"sink.delivery-guarantee": "exactly-once", "properties.transaction.timeout.ms": 600000},
    "realtime": {"sink.delivery-guarantee": "at-least-once", "sink.latency": "realtime"},
}


@dataclass(frozen=True, slots=True)
class Flow:
    """Tables, and the INSERT that starts a job over them."""

    tables: tuple[str, ...]
    insert: str


def copy(broker: str, source: str, sink: str, promise: str) -> Flow:
    """Every event, decoded and encoded again."""
    origin, target = _name(source, "in"), _name(sink, "out")
    options = dict(_PROMISES[promise])
    if promise == "eos":
        options["sink.transactional-id-prefix"] = sink
    return Flow(
        (
            _table(origin, COLUMNS, broker, source, _READING),
            _table(target, COLUMNS, broker, sink, options),
        ),
        f"INSERT INTO {target} SELECT * FROM {origin}",  # noqa: S608 - names of ours
    )


def window(broker: str, source: str, sink: str) -> Flow:
    """How many events of a type there are in every ten seconds of their own time."""
    origin, target = _name(source, "events"), _name(sink, "counts")
    late = f"WATERMARK FOR created_at AS created_at - INTERVAL '{DELAY_S}' SECOND"
    counts = "event_type STRING, window_start TIMESTAMP(3), events BIGINT"
    return Flow(
        (
            _table(origin, f"{COLUMNS}, {late}", broker, source, _READING),
            _table(target, counts, broker, sink, _PROMISES["alo"]),
        ),
        f"""
        INSERT INTO {target}
        SELECT event_type, window_start, COUNT(*)
        FROM TABLE(
            TUMBLE(TABLE {origin}, DESCRIPTOR(created_at), INTERVAL '{WINDOW_S}' SECOND))
        GROUP BY event_type, window_start, window_end
        """,  # noqa: S608 - names of ours
    )


def merge(broker: str, source: str) -> Flow:
    """How many events each actor has, and the newest of them, in a stored table with a key."""
    origin, target = _name(source, "merged"), merged(source)
    counts = "actor_login STRING, events BIGINT, newest TIMESTAMP(0)"
    return Flow(
        (
            _table(origin, COLUMNS, broker, source, _READING),
            f"CREATE TABLE {target} ({counts}, PRIMARY KEY (actor_login) NOT ENFORCED)",
        ),
        f"""
        INSERT INTO {target}
        SELECT actor_login, COUNT(*), MAX(created_at) FROM {origin} GROUP BY actor_login
        """,  # noqa: S608 - names of ours
    )


def changelog(broker: str, source: str) -> Flow:
    """The rows of a table whose changes Debezium has written to a topic, in a stored table."""
    origin, target = _name(source, "changes"), kept(source)
    columns = f"{changes.COLUMNS}, PRIMARY KEY (id) NOT ENFORCED"
    options = {**_READING, "format": "debezium-json"}
    return Flow(
        (
            _table(origin, columns, broker, source, options),
            f"CREATE TABLE {target} ({columns})",
        ),
        f"INSERT INTO {target} SELECT * FROM {origin}",  # noqa: S608 - names of ours
    )


def groups(broker: str, source: str, sink: str) -> Flow:
    """How many rows of a changelog each city has, and the sum of their amounts, by key."""
    origin, target = _name(source, "grouped"), _name(sink, "cities")
    counts = "city STRING, customers BIGINT, amount BIGINT, PRIMARY KEY (city) NOT ENFORCED"
    options = {
        "connector": "upsert-kafka",
        "format": "",
        "key.format": "json",
        "value.format": "json",
        **_PROMISES["alo"],
    }
    return Flow(
        (
            _table(
                origin, changes.COLUMNS, broker, source, {**_READING, "format": "debezium-json"}
            ),
            _table(target, counts, broker, sink, options),
        ),
        f"""
        INSERT INTO {target}
        SELECT city, COUNT(*), SUM(amount) FROM {origin} GROUP BY city
        """,  # noqa: S608 - names of ours
    )


def kept(source: str) -> str:
    """The table that `changelog` writes for a topic."""
    return _name(source, "customers")


def merged(source: str) -> str:
    """The table that `merge` writes for a topic."""
    return _name(source, "actors")


_READING = {"scan.startup.mode": "earliest-offset"}


def _table(name: str, columns: str, broker: str, topic: str, options: dict[str, object]) -> str:
    given = {
        "connector": "kafka",
        "properties.bootstrap.servers": broker,
        "topic": topic,
        "format": "json",
        **options,
    }
    pairs = ", ".join(f"'{key}' = '{value}'" for key, value in given.items() if value)
    return f"CREATE TABLE {name} ({columns}) WITH ({pairs})"


def _name(topic: str, prefix: str) -> str:
    return f"{prefix}_{re.sub(r'[^a-z0-9]', '_', topic)}"
