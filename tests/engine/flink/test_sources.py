"""Tables over topics, read: where that begins and ends, what is found later, what goes wrong."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer
from quick import QUICK
from topics import create_partitions, delete_records
from waiting import eventually

from engine.lab import PATIENCE, commits
from sluice.broker import Broker
from sluice.engine import offsets
from sluice.engine.storage import ledger
from sluice.errors import SluiceError
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message, produce
from sluice.session import jobs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    """While the server does not run: jobs are stopped, and resume after it."""
    engine = flink.session._engine
    engine.supervisor.close()
    yield
    jobs.resume(engine)


def ranges(flink: FlinkLab, table: str) -> list[Row]:
    """Topic, partition, from and until of every batch in a table, as its commits say."""
    engine = flink.session._engine
    stored = next(t for t in engine.catalog.tables() if t.key == (flink.database, table))
    entries = [ledger.read(commit) for commit in commits(flink.session, stored)]
    read = [each for entry in entries if entry for each in offsets.each(entry.ranges)]
    return sorted((topic, partition, *range_) for topic, partition, range_ in read)


def test_a_timestamp_that_no_column_holds(flink: FlinkLab, topic: str) -> None:
    """Where a column holds it the message is bad, or the column NULL; elsewhere nobody minds."""
    out = f"{topic}-out"
    flink.make_topic(out)
    flink.cluster.create_topic(topic, 1, {"message.timestamp.after.max.ms": str(2**63 - 1)})
    flink.produce(topic, *texts('{"p":"a"}'), Message(b'{"p":"b"}', timestamp=2**63 - 1))
    column = "p STRING, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'"
    flink.table("free", "p STRING", topic)
    flink.table("timed", column, topic)
    flink.table("ignores", column, topic, json__ignore_parse_errors="true")
    flink.table("sink", "p STRING", out, sink__latency="realtime")
    flink.sql("CREATE TABLE t (p STRING)")
    flink.sql("CREATE TABLE u (p STRING, at TIMESTAMP_LTZ(3))")
    flink.start("INSERT INTO t SELECT p FROM free")
    flink.start("INSERT INTO u SELECT p, at FROM ignores")
    realtime = flink.start("INSERT INTO sink SELECT p FROM free")
    stopped = flink.start("INSERT INTO u SELECT p, at FROM timed")
    reads(flink, "t", "a", "b")
    said = flink.job_says(stopped, "WAITING(CANNOT_PARSE_MESSAGE)")
    assert f"topic: {topic}, partition: 0, offset: 1" in said
    assert "The timestamp of the message is not between the years" in said
    reads(flink, "u", "a", "b")
    assert flink.sql("SELECT p FROM u WHERE at IS NULL") == [("b",)]
    eventually(lambda: len(flink.consume(out)), lambda count: count == 2)
    flink.sql(f"STOP JOB '{realtime}'")
    assert flink.sql("SELECT COUNT(*) FROM free") == [(2,)]
    with pytest.raises(SluiceError, match=r"partition: 0, offset: 1"):
        flink.sql("SELECT at FROM timed")


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
    said = flink.job_says(started[2], "WAITING(KAFKA_TOPIC_MISSING)")
    assert f"Topic whose name matches {topic}-c does not exist" in said
    create_partitions(flink.cluster, f"{topic}-a", 2)
    flink.produce(f"{topic}-a", Message(b"a0", partition=0), Message(b"a1", partition=1))
    flink.produce(f"{topic}-b", Message(b"b0"))
    reads(flink, "found_rows", "a0", "a1", "b0")
    with down(flink):  # found at the next start, after messages that are deleted already
        flink.produce(f"{topic}-c", *texts("c0", "c1", "c2"))
        delete_records(flink.cluster, {f"{topic}-c": {0: 1}})
        flink.produce(f"{topic}-a", Message(b"a2", partition=0))
    reads(flink, "found_rows", "a0", "a1", "a2", "b0", "c1", "c2")
    reads(flink, "awaited_rows", "c1", "c2")
    reads(flink, "fixed_rows", "a0", "a2")
    flink.job_becomes(started[2], "RUNNING")
    begun: dict[tuple[str, int], int] = {}
    for name, partition, start, _ in ranges(flink, "found_rows"):
        begun[name[-1], partition] = min(start, begun.get((name[-1], partition), start))
    assert begun == {("a", 0): 1, ("a", 1): 0, ("b", 0): 0, ("c", 0): 1}


def test_where_reading_ends(flink: FlinkLab, topic: str) -> None:
    """FL-21, FL-43, FL-44, FL-56: the job ends, also where there is nothing."""
    flink.make_topic(topic, 2)
    flink.make_topic(f"{topic}-empty", 2)
    flink.produce(topic, *texts("a", "b", "c", "d"))
    delete_records(flink.cluster, {topic: {0: 1}})
    flink.table("s", "p STRING", topic, format="raw", properties__group__id=topic)
    flink.table("e", "p STRING", f"{topic}-empty", format="raw")
    flink.sql("CREATE TABLE t (m STRING, p STRING)")
    offsets = {"scan__bounded__mode": "specific-offsets"}
    uses = {
        "latest": hinted("s", scan__bounded__mode="latest-offset"),
        "empty": hinted("e", scan__bounded__mode="latest-offset"),
        "time": hinted("s", scan__bounded__mode="timestamp",
                       scan__bounded__timestamp_millis=EPOCH + 3),
        "gone": hinted("s", **offsets, scan__bounded__specific_offsets="partition:0,offset:1"),
        "ahead": hinted("s", **offsets, scan__bounded__specific_offsets="partition:0,offset:6",
                        properties__commit__offsets__on__checkpoint="false"),
    }  # fmt: skip
    jobs = {m: flink.start(f"INSERT INTO t SELECT '{m}', p FROM {use}") for m, use in uses.items()}
    count = flink.start(
        f"INSERT INTO t SELECT 'count', CAST(COUNT(*) AS STRING) FROM {uses['ahead']}"
    )
    for mode in ("latest", "empty", "time", "gone"):
        flink.job_becomes(jobs[mode], "FINISHED")
    assert flink.sql("SELECT m, p FROM t WHERE m <> 'ahead' ORDER BY m, p") == [
        ("latest", "b"), ("latest", "c"), ("latest", "d"), ("time", "b"), ("time", "c"),
    ]  # fmt: skip
    assert flink.job(jobs["ahead"])[2] == flink.job(count)[2] == "RUNNING"
    flink.produce(topic, *texts("e", "f", "g"))
    flink.job_becomes(jobs["ahead"], "FINISHED")
    flink.job_becomes(count, "FINISHED")
    assert flink.cluster.committed(topic, [topic])[topic][0] in (3, 4)  # FL-55: not all commit
    assert flink.sql("SELECT m, p FROM t WHERE m IN ('ahead', 'count') ORDER BY m, p") == [
        ("ahead", "b"), ("ahead", "c"), ("ahead", "d"), ("ahead", "e"), ("ahead", "f"),
        ("count", "5"),
    ]  # fmt: skip


def test_what_is_around_a_message(flink: FlinkLab, topic: str) -> None:
    """FL-22, FL-45, FL-46, FL-47: metadata, computed columns, and keys, in any order."""
    headers = (("k1", b"\xc0"), ("k2", None), ("k1", b"\xba"))
    flink.produce(
        topic,
        Message(b"v0", b"5", timestamp=EPOCH, headers=headers),
        Message(b"v1", None, timestamp=EPOCH + 1),
        Message(b"v2", b"6", timestamp=EPOCH + 2),
    )
    columns = (
        "`timestamp-type` STRING METADATA VIRTUAL, k_id STRING, `timestamp` TIMESTAMP(3) METADATA, "
        "twice AS CAST(k_id AS INT) * 2, `leader-epoch` INT METADATA VIRTUAL, "
        "h MAP<STRING, BYTES> METADATA FROM 'headers', p STRING, ltz TIMESTAMP_LTZ(3) METADATA "
        "FROM 'timestamp', part INT METADATA FROM 'partition' VIRTUAL, `offset` BIGINT METADATA"
    )
    keyed = {
        "format": "",
        "key__format": "raw",
        "key__fields": "k_id",
        "key__fields_prefix": "k_",
        "value__format": "raw",
        "value__fields_include": "EXCEPT_KEY",
        "scan__parallelism": 5,
    }
    flink.table("s", columns, topic, **keyed)
    found = flink.sql("SELECT * FROM s ORDER BY `offset`")
    at = [datetime.fromtimestamp((EPOCH + n) / 1000, UTC) for n in range(3)]
    kinds, keys, times, doubled, epochs, maps, values, instants, parts, places = zip(
        *found, strict=True
    )
    assert kinds == ("CreateTime",) * 3
    assert keys == ("5", None, "6")
    assert times == tuple(t.replace(tzinfo=None) for t in at)
    assert doubled == (10, None, 12)
    assert epochs == (None,) * 3
    assert maps == ({"k1": b"\xba", "k2": None}, {}, {})
    assert values == ("v0", "v1", "v2")
    assert instants == tuple(at)
    assert (parts, places) == ((0, 0, 0), (0, 1, 2))
    assert flink.sql("SELECT p FROM s WHERE CARDINALITY(h) = 0 LIMIT 1") in ([("v1",)], [("v2",)])
    flink.sql("CREATE TABLE t (p STRING, h BYTES, ts TIMESTAMP(3), twice INT)")
    flink.start("INSERT INTO t SELECT p, h['k1'], `timestamp`, twice FROM s")
    wanted = [("v0", b"\xba", times[0], 10), ("v1", None, times[1], None),
              ("v2", None, times[2], 12)]  # fmt: skip
    flink.arrives("SELECT * FROM t ORDER BY p", wanted)


@pytest.mark.slow
def test_what_goes_wrong(flink: FlinkLab, topic: str) -> None:
    """FL-34, FL-58: a job reports what it waits for, and resumes by itself where it can."""
    bad, gone, lost = f"{topic}-bad", f"{topic}-gone", f"{topic}-lost"
    flink.produce(bad, Message(b"\x00\x00\x00\x01"), Message(b"\x00\x00\x00\x02"), Message(b"x"))
    flink.produce(lost, *texts("0", "1"))
    flink.sql("CREATE TABLE numbers (n INT)")
    flink.sql("CREATE TABLE t (p STRING)")
    flink.table("b", "n INT", bad, format="raw")
    flink.table("g", "p STRING", gone, format="raw")
    flink.table("l", "p STRING", lost, format="raw")
    flink.table("away", "p STRING", topic, format="raw",
                properties__bootstrap__servers="127.0.0.1:1")  # fmt: skip
    failing = flink.start("INSERT INTO numbers SELECT n FROM b")
    missing = flink.start("INSERT INTO t SELECT p FROM g")
    losing = flink.start("INSERT INTO t SELECT p FROM l")
    alone = flink.start("INSERT INTO t SELECT p FROM away")
    flink.job_becomes(alone, "WAITING(BROKER_UNREACHABLE)")
    said = flink.job_says(failing, "WAITING(CANNOT_PARSE_MESSAGE)")
    assert f"{bad}" in said
    assert "offset: 2" in said
    assert "Size of data received for deserializing INT type is not 4: while parsing" in said
    assert said.endswith(
        "Nothing was skipped. The format raw has no option that skips bad messages."
    )
    with pytest.raises(SluiceError, match="offset: 2"):
        flink.sql("SELECT n FROM b")
    assert flink.sql("SELECT n FROM b LIMIT 1") == [(1,)]
    assert flink.sql("SELECT n FROM numbers") == []
    said = flink.job_says(missing, "WAITING(KAFKA_TOPIC_MISSING)")
    assert f"Topic {gone} does not exist" in said
    flink.produce(gone, *texts("a", "b"))
    reads(flink, "t", "0", "1", "a", "b")
    flink.job_becomes(missing, "RUNNING")
    flink.cluster.delete_topic(gone)
    assert gone in flink.job_says(missing, "WAITING(KAFKA_TOPIC_MISSING)")
    flink.produce(gone, *texts("c", "d", "e"))
    with down(flink):
        flink.produce(lost, *texts("2", "3"))
        delete_records(flink.cluster, {lost: {0: 3}})
    said = flink.job_says(missing, "FAILED(KAFKA_TOPIC_REPLACED)")
    assert "start its INSERT again" in said
    said = flink.job_says(losing, "FAILED(JOB_DATA_LOSS)")
    assert f"{lost}/0: 2 to 2 are gone" in said
    assert "STOP JOB" in said
    reads(flink, "t", "0", "1", "a", "b")


@pytest.mark.slow
def test_a_broker_that_comes_later(flink: FlinkLab, topic: str, tmp_path: Path) -> None:
    """A job is taken while the broker is away; it begins with it, and outlives it again."""
    with Broker(tmp_path / "broker", java_options=QUICK) as broker:
        cluster = Cluster({"bootstrap.servers": broker.address})
        cluster.create_topic(topic, 1)
        produce(cluster, topic, texts("a"))
        broker.stop()
        flink.table("s", "p STRING", topic, format="raw",
                    properties__bootstrap__servers=broker.address)  # fmt: skip
        flink.sql("CREATE TABLE t (p STRING)")
        job = flink.start("INSERT INTO t SELECT p FROM s")
        flink.job_becomes(job, "WAITING(BROKER_UNREACHABLE)")
        broker.start()
        reads(flink, "t", "a")
        broker.kill()
        flink.job_becomes(job, "WAITING(BROKER_UNREACHABLE)")
        broker.start()
        produce(cluster, topic, texts("b"))
        reads(flink, "t", "a", "b")
        flink.sql(f"STOP JOB '{job}'")
        cluster.close()


@pytest.mark.slow
def test_partitions_far_apart(flink: FlinkLab, topic: str) -> None:
    """FL-49, FL-50: each partition has a watermark, and the slowest counts; no row on time is late.

    An empty partition holds back all others, unless it may be idle.
    """
    flink.make_topic(topic, 4)

    def send(partition: int, *days: str) -> None:
        rows = ({"id": partition, "ts": f"2020-03-{day} 13:00:00"} for day in days)
        texts = (json.dumps(row).encode() for row in rows)
        flink.produce(topic, *(Message(text, partition=partition) for text in texts))

    send(0, "08", "08", "09")
    send(1, "01", "02", "03")
    columns = "id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND"
    flink.table("s", columns, topic)
    flink.table("i", columns, topic, scan__watermark__idle_timeout="1 s")
    for source, target in (("s", "t"), ("i", "u")):
        flink.sql(f"CREATE TABLE {target} (id INT, d STRING, n BIGINT)")
        job = flink.start(
            f"INSERT INTO {target} SELECT id, DATE_FORMAT(window_start, 'dd'), COUNT(*) FROM TABLE("
            f"TUMBLE(TABLE {source}, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
            "GROUP BY id, window_start, window_end"
        )
        if target == "t":
            patient = job
    read = [(1, "01"), (1, "02")]

    def closed() -> list[tuple[object, ...]]:
        send(1, "03")
        return flink.sql("SELECT id, d FROM u ORDER BY id, d")

    eventually(closed, lambda found: found == read, PATIENCE)
    assert flink.sql("SELECT * FROM t") == []
    send(1, "04", "05")
    flink.arrives("SELECT id, d FROM u ORDER BY id, d", [*read, (1, "03"), (1, "04")])
    send(2, "31")
    send(3, "31")
    flink.arrives("SELECT id, d FROM t ORDER BY id, d", [*read, (1, "03"), (1, "04")])
    send(1, "10")
    send(0, "31")
    send(1, "31")
    flink.arrives("SELECT id, d FROM t WHERE id = 0 ORDER BY d", [(0, "08"), (0, "09")])
    flink.arrives("SELECT id, d FROM t WHERE d = '10'", [(1, "10")])
    given = flink.sql(
        "SELECT id, DATE_FORMAT(ts, 'dd') AS d, COUNT(*) FROM s "
        "WHERE ts < TIMESTAMP '2020-03-11 00:00:00' GROUP BY id, DATE_FORMAT(ts, 'dd')"
    )
    assert flink.sql("SELECT * FROM t ORDER BY id, d") == sorted(given)
    assert "Late rows" not in str(flink.job(patient)[-1])


def test_bad_and_empty_messages(flink: FlinkLab, topic: str) -> None:
    """FL-48: with `ignore-parse-errors` reading continues; a message without a value is no row."""
    flink.produce(
        topic,
        Message(b'{"id": 1, "name": "a"}', b'{"id": 1}'),
        Message(None, b'{"id": 2}'),
        Message(b"no json", b'{"id": 3}'),
        Message(b'{"id": 4, "name": "b"}', b'{"id": 4}'),
    )
    keyed = {
        "format": "",
        "key__format": "json",
        "key__fields": "id",
        "value__format": "json",
        "value__json__ignore_parse_errors": "true",
    }
    flink.table("lenient", "id INT, name STRING", topic, **keyed)
    flink.table("strict", "id INT, name STRING", topic)
    flink.sql("CREATE TABLE t (id INT, name STRING)")
    flink.start("INSERT INTO t SELECT * FROM lenient")
    flink.arrives("SELECT * FROM t ORDER BY id", [(1, "a"), (4, "b")])
    assert flink.sql("SELECT COUNT(*) FROM lenient") == [(2,)]
    with pytest.raises(SluiceError, match=r"Failed to deserialize JSON 'no json'.*offset: 2"):
        flink.sql("SELECT COUNT(*) FROM strict")


@pytest.mark.slow
def test_open_transactions(flink: FlinkLab, topic: str) -> None:
    """What is not committed is not there: a SELECT skips it, a job with an end waits for it."""
    flink.produce(topic, *texts("a"))
    producer = Producer({"bootstrap.servers": flink.brokers, "transactional.id": topic})
    producer.init_transactions(PATIENCE)
    producer.begin_transaction()
    producer.produce(topic, b"b")
    producer.flush(PATIENCE)
    flink.table("s", "p STRING", topic, format="raw")
    assert rows(flink, "s") == ["a"]
    assert rows(flink, "s", properties__isolation__level="read_uncommitted") == ["a", "b"]
    flink.sql("CREATE TABLE t (p STRING)")
    bounded = hinted("s", scan__bounded__mode="latest-offset")
    both = [
        flink.start(f"INSERT INTO t SELECT p FROM {bounded}"),
        flink.start(f"INSERT INTO t SELECT CAST(COUNT(*) AS STRING) FROM {bounded}"),
    ]
    reads(flink, "t", "a")
    for job in both:
        said = flink.job_says(job, "WAITING(KAFKA_TRANSACTION_OPEN)")
        assert f"topic {topic} cannot be read past offset 1: transaction {topic} (" in said
    producer.abort_transaction(PATIENCE)
    for job in both:
        flink.job_becomes(job, "FINISHED")
    reads(flink, "t", "1", "a")


def test_a_new_partition_and_transactions(flink: FlinkLab, topic: str) -> None:
    """FL-42, FL-54: a job that writes exactly once resumes with its partitions and a new one."""
    flink.produce(topic, *texts("a", "b"))
    flink.make_topic(f"{topic}-out", 2)
    every = {"scan__topic_partition_discovery__interval": "200 ms"}
    flink.table("s", "p STRING", topic, format="raw", **every)
    flink.table("o", "p STRING", f"{topic}-out", format="raw", sink__semantic="exactly-once")
    job = flink.start("INSERT INTO o SELECT p FROM s")
    flink.arrives("SELECT p FROM o ORDER BY p", [("a",), ("b",)])
    create_partitions(flink.cluster, topic, 2)
    flink.produce(topic, *texts("c", partition=1), *texts("d"))
    flink.arrives("SELECT p FROM o ORDER BY p", [(p,) for p in "abcd"])
    with down(flink):
        flink.produce(topic, *texts("e", partition=1))
    flink.arrives("SELECT p FROM o ORDER BY p", [(p,) for p in "abcde"])
    assert flink.job(job)[2] == "RUNNING"
