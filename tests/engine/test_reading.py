"""Messages become rows: what ClickHouse's own tests of its Kafka engine ask for."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from waiting import eventually

from engine.lab import Lab, keys
from sluice.engine.sources import open_transactions
from sluice.errors import SluiceError
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from collections.abc import Iterator

FIFTY = [(key,) for key in range(50)]


def test_ch_22_compressed_messages(lab: Lab, topic: str) -> None:
    """CH-22: messages that were compressed, in any way, are read like others."""
    codecs = ("gzip", "snappy", "lz4", "zstd", "none")
    text = "foobarbaz" * 10
    for codec in codecs:
        lab.make_topic(f"{topic}_{codec}")
        client = {**lab.cluster.properties, "compression.type": codec, "linger.ms": "50"}
        sent = [Message(f'{{"value": "{text}"}}'.encode())] * 50
        assert produce(client, f"{topic}_{codec}", sent) == 50
    lab.queue("q", ", ".join(f"{topic}_{codec}" for codec in codecs), "value String")
    lab.sql("CREATE TABLE v (value String, topic String) ENGINE = MergeTree ORDER BY topic")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT value, _topic AS topic FROM q")
    wanted = [(f"{topic}_{codec}", 50, text) for codec in sorted(codecs)]
    lab.arrives("SELECT topic, count(), any(value) FROM v GROUP BY topic ORDER BY topic", wanted)


def test_ch_25_materialized_view(lab: Lab, topic: str) -> None:
    """CH-25: what is produced after the view was made arrives in its target."""
    lab.pipe(topic)
    lab.produce(topic, *keys(50))
    lab.arrives("SELECT key FROM v ORDER BY key", FIFTY)


def test_ch_26_materialized_view_with_subquery(lab: Lab, topic: str) -> None:
    """CH-26: a view over a subquery behaves as one over the table."""
    lab.produce(topic, *keys(50))
    lab.queue("q", topic)
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM (SELECT * FROM q)")
    lab.arrives("SELECT key FROM v ORDER BY key", FIFTY)


def test_ch_27_many_materialized_views(lab: Lab, topic: str) -> None:
    """CH-27: two views on one table both get everything, from one consumer group."""
    lab.make_topic(topic)
    lab.queue("q", topic)
    for number in (1, 2):
        lab.sql(f"CREATE TABLE v{number} (key UInt64) ENGINE = MergeTree ORDER BY key")
        lab.sql(f"CREATE MATERIALIZED VIEW m{number} TO v{number} AS SELECT key FROM q")
    lab.produce(topic, *keys(50))
    lab.arrives("SELECT key FROM v1 ORDER BY key", FIFTY)
    lab.arrives("SELECT key FROM v2 ORDER BY key", FIFTY)
    mine = f"database = '{lab.database}'"
    assert lab.sql(f"SELECT count() FROM system.pipelines WHERE {mine}") == [(1,)]


def test_ch_28_recreate_kafka_table(lab: Lab, topic: str) -> None:
    """CH-28: a dropped and re-created table resumes at the group's offsets, with its old view."""
    lab.make_topic(topic, partitions=6)
    lab.pipe(topic, kafka_num_consumers=4)
    lab.produce(topic, *keys(120))
    lab.counted("v", 120)
    lab.sql("DROP TABLE q")
    lab.produce(topic, *keys(120, start=120))
    lab.queue("q", topic, kafka_num_consumers=4)
    lab.counted("v", 240)


def test_ch_29_commit_on_block_write(lab: Lab, topic: str) -> None:
    """CH-29: dropping and re-creating the table in mid-flow loses and repeats nothing."""
    count, stop = 400, threading.Event()

    def slowly() -> Iterator[Message]:
        for key in range(count):
            stop.wait(0.01)
            yield Message(b'{"key":%d}' % key)

    lab.pipe(topic, kafka_max_block_size=100)
    producer = threading.Thread(target=lambda: produce(lab.cluster, topic, slowly()))
    producer.start()
    try:
        lab.arrives("SELECT count() >= 100 FROM v", [(True,)])
        lab.sql("DROP TABLE q")
        lab.queue("q", topic, kafka_max_block_size=100)
        lab.counted("v", count)
    finally:
        stop.set()
        producer.join()


def test_ch_30_block_limit_never_splits_a_message(lab: Lab, topic: str) -> None:
    """CH-30: a block size that never meets a message's end still reads every message whole."""
    messages, key = [], 0
    for number in range(300):
        rows = [f'{{"key":{key + at}}}' for at in range(1, 4 + number % 7)]
        key += len(rows)
        messages.append("\n".join(rows))
    lab.make_topic(topic, partitions=10)
    lab.produce(topic, *messages)
    lab.pipe(topic, kafka_max_block_size=211, kafka_flush_interval_ms=500)
    lab.arrives("SELECT count(), uniqExact(key), max(key) FROM v", [(key, key, key)])


def test_ch_03_old_syntax(lab: Lab, topic: str) -> None:
    """CH-03: the settings by position, and the old row delimiter among them."""
    lab.produce(topic, *keys(50))
    lab.sql(
        "CREATE TABLE q (key UInt64) ENGINE = "
        rf"Kafka('{lab.brokers}', '{topic}', 'old', 'JSONEachRow', '\n') "
        "SETTINGS kafka_commit_on_select = 1"
    )
    assert lab.sql("SELECT key FROM q ORDER BY key") == FIFTY


def test_ch_04_new_syntax(lab: Lab, topic: str) -> None:
    """CH-04: the settings by name; the client's id is the one that was asked for."""
    lab.produce(topic, *keys(50))
    lab.pipe(topic, kafka_row_delimiter="\\n", kafka_client_id="instance test 1234")
    lab.arrives("SELECT key FROM v ORDER BY key", FIFTY)
    mine = f"database = '{lab.database}'"
    assert lab.sql(f"SELECT consumer_id FROM system.kafka_consumers WHERE {mine}") == [
        ("instance test 1234",)
    ]


REQUIRED = "Required parameter 'kafka_topic_list' for storage Kafka not specified"
TWICE = (
    "The argument №2 of storage Kafka and the parameter 'kafka_topic_list' in SETTINGS "
    "cannot be specified at the same time"
)


@pytest.mark.parametrize(
    ("args", "setting", "said"),
    [
        ("", "kafka_broker_list = 'b:1'", REQUIRED),
        ("'b:1', 't', 'g', 'JSONEachRow'", "kafka_topic_list = 't'", TWICE),
    ],
)
def test_ch_09_wrong_parameters(lab: Lab, args: str, setting: str, said: str) -> None:
    """CH-09: a missing or doubled parameter is named, and no table is made."""
    with pytest.raises(SluiceError, match=said):
        lab.sql(f"CREATE TABLE q (key UInt64) ENGINE = Kafka({args}) SETTINGS {setting}")
    assert lab.sql("EXISTS TABLE q") == [(0,)]


def test_ch_12_topic_list(lab: Lab, topic: str) -> None:
    """CH-12: topics are split at commas, with the blanks around them removed."""
    lab.produce(f"{topic}-a", {"key": 1})
    lab.produce(f"{topic}-b", {"key": 2})
    lab.queue("q", f"{topic}-a, {topic}-b")
    assert lab.sql("SELECT key, _topic FROM q ORDER BY key") == [
        (1, f"{topic}-a"),
        (2, f"{topic}-b"),
    ]


def test_ch_40_select_empty(lab: Lab, topic: str) -> None:
    """CH-40: a direct SELECT on an empty topic answers 0, at once."""
    lab.make_topic(topic, partitions=3)
    lab.queue("q", topic)
    assert lab.sql("SELECT count() FROM q") == [(0,)]


def test_ch_46_empty_group(lab: Lab, topic: str) -> None:
    """CH-46: a table without a group can be made and dropped; reading it is an error."""
    lab.produce(topic, {"key": 1})
    lab.queue("q", topic, kafka_group_name="")
    with pytest.raises(SluiceError, match="kafka_group_name"):
        lab.sql("SELECT * FROM q")
    lab.sql("DROP TABLE q")
    assert lab.sql("EXISTS TABLE q") == [(0,)]


def _two_of_25() -> list[Message]:
    """Two messages of the first millisecond there is: the client takes a 0 for "now"."""
    texts = ["\n".join(f'{{"key":{k}}}' for k in range(a, a + 25)) for a in (0, 25)]
    return [Message(text.encode(), timestamp=1) for text in texts]


def test_ch_85_virtual_columns(lab: Lab, topic: str) -> None:
    """CH-85: what is known of a message besides its value; no key is '', the epoch is kept."""
    lab.produce(topic, *_two_of_25())
    lab.queue("q", topic)
    query = "SELECT key, _key, _topic, _offset, _partition, _timestamp FROM q ORDER BY key"
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert lab.sql(query) == [(k, "", topic, k // 25, 0, epoch) for k in range(50)]


def test_ch_86_virtual_columns_in_a_view(lab: Lab, topic: str) -> None:
    """CH-86: a view may select them too; `*` has none of them."""
    lab.produce(topic, *_two_of_25())
    lab.queue("q", topic)
    assert lab.sql("SELECT * FROM q LIMIT 1") == [(0,)]
    lab.sql(
        "CREATE TABLE v (key UInt64, _key String, _topic String, _offset UInt64, "
        "_partition UInt64, _timestamp Nullable(DateTime('UTC'))) ENGINE = MergeTree ORDER BY key"
    )
    lab.sql(
        "CREATE MATERIALIZED VIEW m TO v AS "
        "SELECT *, _key, _topic, _offset, _partition, _timestamp FROM q"
    )
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    lab.arrives(
        "SELECT * FROM v ORDER BY key", [(k, "", topic, k // 25, 0, epoch) for k in range(50)]
    )


def test_keys_and_headers(lab: Lab, topic: str) -> None:
    """A message's key and headers are columns of the table."""
    headers = (("a", b"1"), ("a", b"2"), ("b", None))
    lab.produce(topic, Message(b'{"key":1}', key="ключ".encode(), headers=headers))
    lab.queue("q", topic)
    lab.sql(
        "CREATE TABLE v (k String, n Array(String), v Array(String)) ENGINE = MergeTree ORDER BY k"
    )
    lab.sql(
        "CREATE MATERIALIZED VIEW m TO v AS "
        "SELECT _key AS k, _headers.name AS n, _headers.value AS v FROM q"
    )
    lab.arrives("SELECT * FROM v", [("ключ", ["a", "a", "b"], ["1", "2", ""])])


def test_ch_100_starts_at_earliest_and_reads_committed(lab: Lab, topic: str) -> None:
    """CH-100: without a committed offset reading begins at the oldest message that is committed."""
    lab.make_topic(topic)
    producer = Producer({"bootstrap.servers": lab.brokers, "transactional.id": topic})
    producer.init_transactions()
    for number, finish in enumerate([producer.commit_transaction, producer.abort_transaction]):
        producer.begin_transaction()
        producer.produce(topic, b'{"key":%d}' % number)
        producer.flush()
        finish()
    lab.produce(topic, {"key": 2})
    lab.pipe(topic)
    lab.arrives("SELECT key FROM v ORDER BY key", [(0,), (2,)])


@pytest.mark.slow
def test_an_open_transaction_is_named(
    lab: Lab, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading that waits for a producer's transaction says for which, and promises nothing."""
    monkeypatch.setattr(open_transactions, "HANGING", 1.0)
    producer = Producer({"bootstrap.servers": lab.brokers, "transactional.id": f"{topic}-id"})
    producer.init_transactions()
    lab.produce(topic, *keys(3))
    producer.begin_transaction()
    producer.produce(topic, b'{"key":3}')
    producer.flush()
    lab.produce(topic, {"key": 4})
    lab.pipe(topic)
    lab.counted("v", 3)
    said = lab.becomes("WAITING(KAFKA_TRANSACTION_OPEN)")
    named = f"topic {topic} cannot be read past offset 3: transaction {topic}-id (producer id "
    assert named in said
    assert f"has been open since {datetime.now(UTC):%Y-%m-%d}" in said
    own = f"WHERE database = '{lab.database}' AND table = 'q'"
    consumer = f"SELECT lag, catch_up_seconds, last_error FROM system.kafka_consumers {own}"
    assert lab.sql(consumer) == [(2, None, said)]
    eventually(
        lambda: lab.sql(
            f"SELECT event, message, ranges.from_offset FROM system.pipeline_events {own}"
        ),
        lambda rows: rows == [("KAFKA_TRANSACTION_OPEN", said, [3])],
    )
    lab.queue("once", topic, kafka_group_name=f"{topic}-once")
    assert lab.sql("SELECT count() FROM once") == [(3,)]  # and it does not wait
    producer.commit_transaction()
    lab.counted("v", 5)
    lab.becomes("RUNNING")


def test_the_group_has_the_end_after_ingest(lab: Lab, topic: str) -> None:
    """Kafka's own tools see how far a table has read."""
    lab.make_topic(topic, partitions=3)
    lab.pipe(topic)
    lab.produce(topic, *keys(60))
    lab.counted("v", 60)
    ends = lab.cluster.latest([topic])
    eventually(lambda: lab.cluster.committed(topic, [topic]), lambda at: at == ends)


def test_view_with_group_by(lab: Lab, topic: str) -> None:
    """A view may aggregate what a batch holds; the target adds the parts up."""
    lab.produce(topic, *({"key": key, "n": 1} for key in (1, 2, 1, 3, 1)))
    lab.queue("q", topic, "key UInt64, n UInt64")
    lab.sql(
        "CREATE TABLE v (key UInt64, total UInt64, times UInt64) ENGINE = MergeTree ORDER BY key"
    )
    lab.sql(
        "CREATE MATERIALIZED VIEW m TO v AS "
        "SELECT key, sum(n) AS total, count() AS times FROM q GROUP BY key"
    )
    wanted = [(1, 3, 3), (2, 1, 1), (3, 1, 1)]
    lab.arrives("SELECT key, sum(total), sum(times) FROM v GROUP BY key ORDER BY key", wanted)


def test_view_joined_with_a_stored_table(lab: Lab, topic: str) -> None:
    """A view may look things up in a stored table, as it is when the batch runs."""
    lab.produce(topic, *keys(3))
    lab.sql("CREATE TABLE names (key UInt64, name String) ENGINE = MergeTree ORDER BY key")
    lab.sql("INSERT INTO names VALUES (0, 'zero'), (2, 'два')")
    lab.queue("q", topic)
    lab.sql("CREATE TABLE v (key UInt64, name String) ENGINE = MergeTree ORDER BY key")
    lab.sql(
        "CREATE MATERIALIZED VIEW m TO v AS "
        "SELECT q.key AS key, names.name AS name FROM q LEFT JOIN names ON q.key = names.key"
    )
    lab.arrives("SELECT * FROM v ORDER BY key", [(0, "zero"), (1, ""), (2, "два")])


def test_cyrillic_names(lab: Lab, topic: str) -> None:
    """Tables, columns and views may be called in any language, without quotes."""
    lab.queue("очередь", topic, "время DateTime, уровень String, сообщение String")
    lab.sql(
        "CREATE TABLE ежедневно (день Date, уровень String, всего UInt64) "
        "ENGINE = MergeTree ORDER BY (день, уровень)"
    )
    lab.sql(
        "CREATE MATERIALIZED VIEW потребитель TO ежедневно AS "
        "SELECT toDate(время) AS день, уровень, count() AS всего FROM очередь "
        "GROUP BY день, уровень"
    )
    lab.produce(
        topic,
        *({"время": 1_700_000_000, "уровень": u, "сообщение": "ё"} for u in ("беда", "шум", "шум")),
    )
    lab.arrives(
        "SELECT уровень, sum(всего) FROM ежедневно GROUP BY уровень ORDER BY уровень",
        [("беда", 1), ("шум", 2)],
    )
