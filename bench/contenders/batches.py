"""Sluice keeps a table by key from Debezium's events, in batches of a size; the cost of each.

The statements are ClickHouse's, for `kafka_max_block_size` cuts a topic into batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from contenders import stored
from contenders.job import Stopwatch, wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contenders.job import Job
    from sluice.session import Session

BATCHES = 20
"""How many a topic is cut into."""

_COLUMNS = "id Int64, name String, email String, city String, amount Int64"
_LOADED = 1_000_000
"""Rows of an INSERT."""

_TABLE = f"""
    CREATE TABLE {{topic}} ({_COLUMNS})
    ENGINE = MergeTree PRIMARY KEY id SETTINGS kept_by_key = 1
"""
_QUEUE = f"""
    CREATE TABLE {{topic}}_queue ({_COLUMNS}) ENGINE = Kafka PRIMARY KEY id
    SETTINGS kafka_broker_list = '{{broker}}', kafka_topic_list = '{{topic}}',
        kafka_group_name = '{{group}}', kafka_format = 'DebeziumJSON',
        kafka_max_block_size = {{block}}
"""
_VIEW = "CREATE MATERIALIZED VIEW {topic}_mv TO {topic} AS SELECT * FROM {topic}_queue"
_SNAPSHOT = """
    INSERT INTO {topic}
    SELECT number, concat('customer ', toString(number)),
        concat('customer.', toString(number), '.', toString(number), '@example.com'),
        concat('city ', toString(number % 1000)), number
    FROM numbers({first}, {count})
"""
_LEDGER = """
    SELECT toUnixTimestamp64Milli(max(committed)), sum(until_offset - from_offset)
    FROM system.ledger WHERE table = '{topic}' GROUP BY batch ORDER BY batch
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """How many events it had, and the seconds between the commit before it and its own."""

    events: int
    seconds: float


def create(session: Session, topic: str, keys: int = 0) -> None:
    """A table kept by key for a topic's changes, with the snapshot of so many keys."""
    session.execute(_TABLE.format(topic=topic))
    for first in range(0, keys, _LOADED):
        count = min(_LOADED, keys - first)
        session.execute(_SNAPSHOT.format(topic=topic, first=first, count=count))


def apply(session: Session, job: Job, topic: str, rows: int) -> tuple[Stopwatch, list[Batch]]:
    """Apply a topic's changes to its table; all batches but the first, which starts the query."""
    block = -(-rows // BATCHES)
    group = f"{job.name}-{topic}"
    session.execute(_QUEUE.format(topic=topic, broker=job.broker, group=group, block=block))
    with Stopwatch() as watch:
        session.execute(_VIEW.format(topic=topic))
        wait_for(rows, lambda: stored.messages(session, topic), job.patience)
    for what in (f"{topic}_mv", f"{topic}_queue"):
        session.execute(f"DROP TABLE {what}")
    commits = session.execute(_LEDGER.format(topic=topic)).fetchall()
    found = [Batch(b[1], (b[0] - a[0]) / 1000) for a, b in pairwise(commits)]
    return watch, found


def left(session: Session, topic: str) -> tuple[object, ...] | None:
    """How many rows a topic's table has, and the sum of their amounts."""
    return session.execute(f"SELECT count(), sum(amount) FROM {topic}").fetchone()  # noqa: S608 - ours


def cost(batches: Sequence[Batch]) -> float:
    """Microseconds for an event."""
    return 1e6 * sum(b.seconds for b in batches) / sum(b.events for b in batches)
