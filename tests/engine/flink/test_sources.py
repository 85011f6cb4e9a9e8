"""Tables over topics, read: where that begins and ends, what is found later, what goes wrong."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sluice.kafka.producer import Message
from sluice.session import jobs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.flink.flink_lab import FlinkLab
    from engine.lab import Row

EPOCH = int(time.time() * 1000) - 3_600_000
"""An hour ago: Kafka deletes what is older than a week."""


def texts(*values: str, partition: int = 0, start: int = 0) -> list[Message]:
    """Messages, one millisecond after the other."""
    return [
        Message(value.encode(), partition=partition, timestamp=EPOCH + start + n)
        for n, value in enumerate(values)
    ]


def hinted(table: str, **options: Any) -> str:
    """A table with options of this use alone; names as in `FlinkLab.table`."""
    given = {k.replace("__", ".").replace("_", "-"): v for k, v in options.items()}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    return f"{table} /*+ OPTIONS({listed}) */" if listed else table


def rows(flink: FlinkLab, table: str, **options: Any) -> list[str]:
    """What a table reads now, in order."""
    return [row[0] for row in flink.sql(f"SELECT p FROM {hinted(table, **options)} ORDER BY p")]


def reads(flink: FlinkLab, target: str, *values: str) -> None:
    """Wait until a table has these texts."""
    flink.arrives(f"SELECT p FROM {target} ORDER BY p", [(value,) for value in sorted(values)])


@contextmanager
def down(flink: FlinkLab) -> Iterator[None]:
    """While the server does not run: jobs are stopped, and go on behind it."""
    engine = flink.session._engine
    engine.jobs.close()
    yield
    jobs.resume(engine)


def ranges(flink: FlinkLab, table: str) -> list[Row]:
    """Topic, partition, from and until of every batch in a table, as its commits say."""
    from sluice.pipelines import ledger

    engine = flink.session._engine
    stored = next(t for t in engine.catalog.tables() if t.key == (flink.database, table))
    entries = [ledger.read(commit) for commit in engine.store.commits(stored)]
    return sorted(line for entry in entries if entry for line in ledger.lines(entry))


def test_where_reading_begins(flink: FlinkLab, topic: str) -> None:
    """FL-05, FL-51, FL-53: modes as hints of one table, each use with its own; latest, once."""
    flink.make_topic(topic, 2)
    flink.produce(topic, *texts("a0", "a1", "a2"), *texts("b0", "b1", partition=1, start=10))
    flink.cluster.commit(topic, {topic: {1: 1}})
    flink.table("t", "p STRING", topic, format="raw", properties__group__id=topic)
    uses: dict[str, dict[str, Any]] = {
        "earliest": {},
        "latest": {"scan__startup__mode": "latest-offset"},
        "time": {
            "scan__startup__mode": "timestamp", "scan__startup__timestamp_millis": EPOCH + 2
        },
        "group": {
            "scan__startup__mode": "group-offsets", "properties__auto__offset__reset": "latest"
        },
        "given": {
            "scan__startup__mode": "specific-offsets",
            "scan__startup__specific_offsets": "partition:0,offset:2",
        },
    }  # fmt: skip
    union = " UNION ALL ".join(
        f"SELECT '{mode}' AS m, p FROM {hinted('t', **options)}" for mode, options in uses.items()
    )
    found: dict[str, list[str]] = {}
    for mode, text in flink.sql(f"SELECT * FROM ({union}) ORDER BY m, p"):
        found.setdefault(mode, []).append(text)
    assert found == {
        "earliest": ["a0", "a1", "a2", "b0", "b1"],
        "time": ["a2", "b0", "b1"],
        "group": ["b1"],
        "given": ["a2", "b1"],
    }
    flink.sql("CREATE TABLE late (p STRING)")
    late = flink.start(f"INSERT INTO late SELECT p FROM {hinted('t', **uses['latest'])}")
    flink.job_becomes(late, "RUNNING")
    flink.produce(topic, *texts("a3"))
    reads(flink, "late", "a3")
    with down(flink):  # what is latest is not decided again
        flink.produce(topic, *texts("a4"), *texts("b2", partition=1))
    reads(flink, "late", "a3", "a4", "b2")
    assert ranges(flink, "late") == [
        (topic, 0, 3, 4), (topic, 0, 4, 5), (topic, 1, 2, 2), (topic, 1, 2, 3),
    ]  # fmt: skip


def test_topics_that_match(flink: FlinkLab, topic: str) -> None:
    """FL-31, FL-35, FL-41: a list of topics, and a pattern for whole names."""
    names = [f"{topic}-{n}" for n in ("euro", "yen", "yen-x")]
    for name in names:
        flink.produce(name, Message(name.encode()))
    flink.table("listed", "p STRING, t STRING METADATA FROM 'topic'", ";".join(names), format="raw")
    pattern = {"topic": "", "topic_pattern": f"{topic}-[a-z]+"}
    flink.table("matched", "p STRING, t STRING METADATA FROM 'topic'", format="raw", **pattern)
    assert flink.sql("SELECT p, t FROM listed ORDER BY p") == [(name, name) for name in names]
    assert flink.sql("SELECT p, t FROM matched ORDER BY p") == [(name, name) for name in names[:2]]
    flink.table("nothing", "p STRING", format="raw", topic="", topic_pattern=f"{topic}-none")
    assert rows(flink, "nothing") == []


def test_what_comes_later(flink: FlinkLab, topic: str) -> None:
    """FL-19, FL-34, FL-54: new partitions and topics, from their first message, if wanted."""
    flink.produce(f"{topic}-a", Message(b"old"))
    pattern = {"topic": "", "topic_pattern": f"{topic}-.", "scan__startup__mode": "latest-offset"}
    every = {"scan__topic_partition_discovery__interval": "200 ms"}
    flink.table("found", "p STRING", format="raw", **pattern, **every)
    flink.table("fixed", "p STRING", format="raw", **pattern)
    flink.table(
        "awaited", "p STRING", format="raw", **{**pattern, "topic_pattern": f"{topic}-c"}, **every
    )
    started = []
    for name in ("found", "fixed", "awaited"):
        flink.sql(f"CREATE TABLE {name}_rows (p STRING)")
        started.append(flink.start(f"INSERT INTO {name}_rows SELECT p FROM {name}"))
    flink.job_becomes(started[0], "RUNNING")
    flink.job_becomes(started[1], "RUNNING")
    said = flink.job_becomes(started[2], "WAITING(KAFKA_TOPIC_MISSING)")[5]
    assert f"Topic whose name matches {topic}-c does not exist" in said
    flink.cluster.create_partitions(f"{topic}-a", 2)
    flink.produce(f"{topic}-a", Message(b"a0", partition=0), Message(b"a1", partition=1))
    flink.produce(f"{topic}-b", Message(b"b0"))
    reads(flink, "found_rows", "a0", "a1", "b0")
    with down(flink):  # found at the next start, behind messages that are gone already
        flink.produce(f"{topic}-c", *texts("c0", "c1", "c2"))
        flink.cluster.delete_records({f"{topic}-c": {0: 1}})
        flink.produce(f"{topic}-a", Message(b"a2", partition=0))
    reads(flink, "found_rows", "a0", "a1", "a2", "b0", "c1", "c2")
    reads(flink, "awaited_rows", "c1", "c2")
    reads(flink, "fixed_rows", "a0", "a2")
    flink.job_becomes(started[2], "RUNNING")
    begun: dict[tuple[str, int], int] = {}
    for name, partition, start, _ in ranges(flink, "found_rows"):
        begun[name[-1], partition] = min(start, begun.get((name[-1], partition), start))
    assert begun == {("a", 0): 1, ("a", 1): 0, ("b", 0): 0, ("c", 0): 1}
