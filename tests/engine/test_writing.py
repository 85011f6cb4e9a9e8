"""Rows become messages: INSERT into a Kafka table, by values, by a query and with data."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from typing import TYPE_CHECKING

import pytest
from quick import QUICK
from waiting import eventually

from engine.lab import Lab
from sluice.broker import Broker
from sluice.broker.github_events import events
from sluice.engine.sinks import producer
from sluice.errors import SluiceError
from sluice.kafka.cluster import Cluster
from sluice.kafka.producer import Message
from sluice.planner.named_collections import source_of
from sluice.planner.sink import kafka_sink

if TYPE_CHECKING:
    from pathlib import Path


def values(lab: Lab, topic: str) -> list[bytes]:
    """What the messages of a topic hold."""
    return [message.value or b"" for message in lab.consume(topic)]


def test_ch_88_insert_values(lab: Lab, topic: str) -> None:
    """CH-88: a row is a message, in the order they were written; a column may be left out."""
    lab.make_topic(topic)
    lab.queue("q", topic, "key UInt64, value String")
    rows = ", ".join(f"({i}, 'v{i}')" for i in range(50))
    lab.sql(f"INSERT INTO q VALUES {rows}")
    wanted = [b'{"key":%d,"value":"v%d"}\n' % (i, i) for i in range(50)]
    assert values(lab, topic) == wanted
    lab.sql("INSERT INTO q (value) VALUES ('only')")
    assert values(lab, topic)[50:] == [b'{"key":0,"value":"only"}\n']


def test_insert_select_and_data(lab: Lab, topic: str) -> None:
    """A query's rows, in its order if it has one, and data after FORMAT are written the same."""
    lab.make_topic(topic)
    lab.queue("q", topic, "key UInt64, value String, twice UInt64 ALIAS key * 2")
    lab.sql("CREATE TABLE s (key UInt64, value String) ENGINE = MergeTree ORDER BY key")
    lab.sql("INSERT INTO q SELECT * FROM s")
    assert values(lab, topic) == []  # CH-98
    lab.sql("INSERT INTO s VALUES (3, 'c'), (1, 'a'), (2, 'ё')")
    lab.sql("INSERT INTO q SELECT * FROM s ORDER BY key DESC")
    lab.sql('INSERT INTO q FORMAT JSONEachRow {"key":7}\n{"key":8,"value":"h"}')
    got = [json.loads(value) for value in values(lab, topic)]
    wanted = [(3, "c"), (2, "ё"), (1, "a"), (7, ""), (8, "h")]
    assert got == [{"key": key, "value": value} for key, value in wanted]
    assert lab.sql("SELECT key, value, twice FROM q ORDER BY key LIMIT 2") == [
        (1, "a", 2),
        (2, "ё", 4),
    ]
    with pytest.raises(SluiceError, match="The INSERT has 2 columns, but its query has 1"):
        lab.sql("INSERT INTO q SELECT key FROM s")
    with pytest.raises(SluiceError, match="Unknown column twice"):
        lab.sql("INSERT INTO q (twice) VALUES (1)")


def test_what_is_beside_a_message(lab: Lab, topic: str) -> None:
    """Key, time and headers are written if the INSERT names them; an empty key is none."""
    lab.make_topic(topic)
    lab.queue("q", topic)
    lab.sql(
        "INSERT INTO q (key, _key, _timestamp, _headers.name, _headers.value) VALUES "
        "(1, 'ключ', '2020-02-03 04:05:06', ['a', 'a', 'b'], ['1', '2', '']), "
        "(2, '', '1970-01-01 00:00:01', [], [])"
    )
    assert lab.consume(topic) == [
        Message(
            b'{"key":1}\n',
            "ключ".encode(),
            0,
            1_580_702_706_000,
            (("a", b"1"), ("a", b"2"), ("b", b"")),
        ),
        Message(b'{"key":2}\n', None, 0, 1000),
    ]
    with pytest.raises(SluiceError, match="as many names of headers as values"):
        lab.sql("INSERT INTO q (key, _headers.name, _headers.value) VALUES (1, ['a'], [])")
    with pytest.raises(SluiceError, match="both a name and a value"):
        lab.sql("INSERT INTO q (key, _headers.name) VALUES (1, ['a'])")
    lab.sql("INSERT INTO q (key, _key) SELECT key + 10, _key FROM q WHERE key = 1")
    assert lab.consume(topic)[-1].key == "ключ".encode()
    # Columns of the table's own by these names are in the message as well, as in ClickHouse.
    lab.make_topic(f"{topic}-own")
    lab.queue("own", f"{topic}-own", "_key String, _timestamp DateTime")
    lab.sql("INSERT INTO own VALUES ('k', '2020-02-03 04:05:06')")
    assert lab.consume(f"{topic}-own") == [
        Message(b'{"_key":"k","_timestamp":"2020-02-03 04:05:06"}\n', b"k", 0, 1_580_702_706_000)
    ]


def test_several_topics(lab: Lab, topic: str) -> None:
    """A table of several topics is told which one a row goes to, and writes to no other."""
    a, b = f"{topic}-a", f"{topic}-b"
    lab.make_topic(a)
    lab.make_topic(b)
    lab.queue("q", f"{a},{b}", kafka_max_rows_per_message=2)
    with pytest.raises(SluiceError, match="Can't write to Kafka table with multiple topics!"):
        lab.sql("INSERT INTO q VALUES (1)")
    with pytest.raises(SluiceError, match="not to topic elsewhere"):
        lab.sql("INSERT INTO q (key, _topic) VALUES (1, 'elsewhere')")
    rows = ", ".join(f"({key}, '{a if key % 3 else b}')" for key in range(7))
    lab.sql(f"INSERT INTO q (key, _topic) VALUES {rows}")
    assert values(lab, a) == [b'{"key":1}\n{"key":2}\n', b'{"key":4}\n{"key":5}\n']
    assert values(lab, b) == [b'{"key":0}\n{"key":3}\n', b'{"key":6}\n']


def test_ch_90_rows_per_message(lab: Lab, topic: str) -> None:
    """CH-90, CH-91: so many rows are in a message, and the last one has the rest."""
    lab.make_topic(topic)
    lab.queue("q", topic, "key UInt64, value UInt64", kafka_max_rows_per_message=3)
    lab.sql(
        "INSERT INTO q (key, value, _key) SELECT number * 10, number * 100, toString(number) "
        "FROM numbers(5) ORDER BY number"
    )
    first, second = lab.consume(topic)
    lines = [b'{"key":%d,"value":%d}' % (n * 10, n * 100) for n in range(5)]
    assert (first.value or b"").splitlines() == lines[:3]
    assert (second.value or b"").splitlines() == lines[3:]
    assert (first.key, second.key) == (b"2", b"4")
    assert lab.sql("SELECT count(), sum(value) FROM q") == [(5, 1000)]


def test_the_guides_write_path(lab: Lab, topic: str) -> None:
    """What is inserted into `github` goes out to `github_out`; so does what comes back to it."""
    github, out = f"{topic}-github", f"{topic}-github_out"
    lab.make_topic(github, partitions=3)
    lab.make_topic(out, partitions=3)
    queue, table, view = (
        resources.files("sluice.cli").joinpath("demo.sql").read_text().split(";")[:3]
    )
    queue = queue.replace("<host>:<port>", lab.brokers).replace("'github'", f"'{github}'")
    columns = queue[queue.index("(") : queue.index("ENGINE")]
    for statement in (queue, table, view):
        lab.sql(statement)
    lab.sql(
        f"CREATE TABLE github_out_queue {columns} ENGINE = Kafka('{lab.brokers}', '{out}', "
        f"'{topic}_out', 'JSONEachRow') settings kafka_thread_per_consumer = 0, "
        "kafka_num_consumers = 1"
    )
    lab.sql(
        "CREATE MATERIALIZED VIEW github_out_mv TO github_out_queue AS\n"
        "SELECT file_time, event_type, actor_login, repo_name,\n"
        "       created_at, updated_at, action, comment_id, path,\n"
        "       ref, ref_type, creator_user_login, number, title,\n"
        "       labels, state, assignee, assignees, closed_at, merged_at,\n"
        "       merge_commit_sha, requested_reviewers, merged_by,\n"
        "       review_comments, member_login\n"
        "FROM github\n"
        "FORMAT JsonEachRow"
    )
    lab.produce(github, *events(200))
    lab.arrives("SELECT count() FROM github", [(200,)])
    lab.sql("INSERT INTO github_queue SELECT * FROM github LIMIT 100 FORMAT JSONEachRow")
    lab.arrives("SELECT count() FROM github", [(300,)])
    eventually(lambda: sum(lab.cluster.latest([out])[out].values()), lambda count: count == 300)
    sent = [json.loads(line) for line in read_by_kcat(lab, out)]
    stored = lab.sql("SELECT actor_login, repo_name, comment_id, labels FROM github")
    assert all(len(row) == 25 for row in sent)
    assert sorted(
        (row["actor_login"], row["repo_name"], int(row["comment_id"]), row["labels"])
        for row in sent
    ) == sorted(stored)


def read_by_kcat(lab: Lab, topic: str) -> list[bytes]:
    """The lines of a topic, read by kcat as the guide does, or as kcat would where it is not."""
    kcat = shutil.which("kcat") or shutil.which("kafkacat")
    if kcat is None:
        return [line for value in values(lab, topic) for line in value.splitlines()]
    command = [kcat, "-C", "-b", lab.brokers, "-t", topic, "-e", "-q"]
    answer = subprocess.run(command, check=True, capture_output=True, timeout=60)
    return [line for line in answer.stdout.splitlines() if line]


CODECS = {"none": (0, -1), "gzip": (1, 7), "snappy": (2, 0), "lz4": (3, 12), "zstd": (4, 11)}
"""What a batch of messages says of its codec, and a level."""


def test_ch_21_compression(lab: Lab, broker: Broker, topic: str) -> None:
    """CH-21: rows are sent with the codec and level of the table; without one, as they are."""
    for codec, (number, level) in {**CODECS, "": (0, -1)}.items():
        name = f"{topic}-{codec or 'unset'}"
        lab.make_topic(name)
        settings = {"kafka_compression_codec": codec, "kafka_compression_level": level}
        lab.queue(f"q{codec}", name, "key UInt64, value String", **(settings if codec else {}))
        if codec in ("gzip", "lz4", "zstd"):
            given = producer_of(lab, f"q{codec}")
            assert given[f"compression.{codec}.level"] == str(level)
        lab.sql(f"INSERT INTO q{codec} SELECT number, repeat('foobarbaz', 10) FROM numbers(20)")
        assert lab.sql(f"SELECT count(), uniqExact(key) FROM q{codec}") == [(20, 20)]
        batches = next(broker.logs.parent.glob(f"**/{name}-0/*.log")).read_bytes()
        assert batches[_ATTRIBUTES] & 7 == number


_ATTRIBUTES = 22
"""Where a batch in a log's file says, in the lowest bits, how it is compressed."""


def producer_of(lab: Lab, name: str) -> dict[str, str]:
    """What the producer of a Kafka table is told."""
    engine = lab.session._engine
    table = engine.catalog.find(lab.database, name)
    assert table is not None
    return producer.properties(kafka_sink(source_of(engine.environment, table)))


def test_what_the_broker_does_not_take(
    lab: Lab, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that is too large, a topic that is not there, a broker that is away: each is said.

    A broker that is away is waited for, for a time that can be set, and not any longer.
    """
    lab.queue("missing", topic)
    with pytest.raises(SluiceError, match=f"Topic {topic} does not exist"):
        lab.sql("INSERT INTO missing VALUES (1)")
    small = f"{topic}-small"
    lab.cluster.create_topic(small, 1, {"max.message.bytes": "2000"})
    lab.queue("small", small, "value String")
    with pytest.raises(SluiceError, match="larger than Kafka allows") as said:
        lab.sql("INSERT INTO small SELECT repeat('x', 5000)")
    assert said.value.condition.name == "KAFKA_MESSAGE_TOO_LARGE"
    lab.queue("numbers", small)
    with pytest.raises(SluiceError, match="-1 does not fit into UInt64 of column key"):
        lab.sql("INSERT INTO numbers SELECT -1")
    lab.sql("INSERT INTO small SELECT repeat('x', 500)")
    assert len(lab.consume(small)) == 1
    monkeypatch.setattr(producer, "PATIENCE_MS", 2000)
    lab.queue("away", topic, kafka_broker_list=f"127.0.0.1:{free_port()}")
    before = time.monotonic()
    with pytest.raises(SluiceError, match="did not acknowledge rows") as said:
        lab.sql("INSERT INTO away VALUES (1)")
    assert said.value.condition.name == "KAFKA_NOT_WRITTEN"
    assert 1.5 < time.monotonic() - before < 30


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.slow
def test_a_broker_that_comes_back(lab: Lab, topic: str, tmp_path: Path) -> None:
    """An INSERT that finds no broker is done when it is back in time, and writes each row."""
    with Broker(tmp_path / "own", java_options=QUICK) as own:
        mine = Lab(lab.session, Cluster({"bootstrap.servers": own.address}), own.address)
        mine.make_topic(topic)
        mine.queue("q", topic)
        mine.sql("INSERT INTO q VALUES (0)")
        own.kill()
        with ThreadPoolExecutor(1) as pool:
            written = pool.submit(mine.sql, "INSERT INTO q VALUES (1), (2)")
            own.start()
            written.result(60)
        assert {message.value for message in mine.consume(topic)} == {
            b'{"key":%d}\n' % key for key in range(3)
        }
        mine.cluster.close()
        mine.sql("DROP TABLE q")


@pytest.mark.slow
def test_ch_89_concurrent_inserts(lab: Lab, topic: str) -> None:
    """CH-89: 16 inserts of 10000 rows at a time; a view on the same topic gets every row once."""
    lab.pipe(topic, "key UInt64, value UInt64")
    with ThreadPoolExecutor(16) as pool:
        for part in range(16):
            keys = range(part * 10_000, (part + 1) * 10_000)
            rows = ", ".join(f"({key}, {key})" for key in keys)
            pool.submit(lab.session.child().execute, f"INSERT INTO q VALUES {rows}")
    lab.counted("v", 160_000)


ROWS_FORMATS = (
    "TabSeparated", "TSVWithNames", "TSKV", "CSV", "CSVWithNames", "JSONEachRow",
    "JSONCompactEachRow",
)  # fmt: skip


def test_ch_91_formats_of_rows(lab: Lab, topic: str) -> None:
    """CH-91, CH-99: ten rows are two messages of five in every format, and come back as they were.

    CH-92: without the setting each row is a whole message, with the names in front of it.
    """
    rows = [(10**19 + n, f"строка {n}\t'\"\\") for n in range(10)]
    lab.sql("CREATE TABLE s (key UInt64, value String) ENGINE = MergeTree ORDER BY key")
    lab.sql(
        "INSERT INTO s FORMAT JSONEachRow "
        + "\n".join(json.dumps({"key": key, "value": value}) for key, value in rows)
    )
    for format_ in ROWS_FORMATS:
        name = f"{topic}-{format_}"
        lab.make_topic(name)
        settings = {"kafka_format": format_, "kafka_max_rows_per_message": 5}
        lab.queue(f"q{format_}", name, "key UInt64, value String", **settings)
        lab.sql(f"INSERT INTO q{format_} SELECT * FROM s ORDER BY key")
        assert len(lab.consume(name)) == 2, format_
        assert lab.sql(f"SELECT key, value FROM q{format_} ORDER BY key") == rows, format_
    lab.make_topic(topic)
    lab.queue("named", topic, kafka_format="CSVWithNames")
    lab.sql("INSERT INTO named VALUES (1), (2)")
    assert values(lab, topic) == [b'"key"\n1\n', b'"key"\n2\n']
