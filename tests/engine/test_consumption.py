"""What a batch is, which topics are read, and what is done about messages that are gone."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from topics import create_partitions, delete_records
from waiting import eventually

from engine.lab import Lab, commits, keys
from sluice.engine.runtime import query as running
from sluice.kafka.producer import Message, produce

HOUR = 3_600_000


def batches(lab: Lab, table: str = "v") -> list[int]:
    """How many messages each batch of a target has, in their order."""
    found = lab.sql(
        "SELECT generation, batch, sum(until_offset - from_offset) AS n FROM system.ledger "
        f"WHERE database = '{lab.database}' AND table = '{table}' "
        "GROUP BY generation, batch ORDER BY generation, batch"
    )
    return [int(count) for _, _, count in found]


def lag(lab: Lab, count: int, table: str = "q") -> None:
    """Wait until a table is seen to have so many messages that it has not read."""
    mine = f"database = '{lab.database}' AND table = '{table}'"
    lab.arrives(f"SELECT lag FROM system.pipelines WHERE {mine}", [(count,)])


def test_ch_31_ch_33_batches_by_size_and_by_time(lab: Lab, topic: str) -> None:
    """CH-31: a full batch begins at once and is exactly full, whatever the partitions have.

    CH-32, CH-33: what does not fill one waits for the interval from its first message on, and is
    one batch then. The setting is changed while the table is read.
    """
    lab.make_topic(topic, partitions=3)
    lab.pipe(
        topic,
        kafka_max_block_size=100,
        kafka_poll_max_batch_size=1,
        kafka_flush_interval_ms=HOUR,
        kafka_consumer_reschedule_ms=100,
    )
    lab.produce(topic, *keys(250))
    lab.counted("v", 200)
    lag(lab, 50)
    assert batches(lab) == [100, 100]
    lab.sql("ALTER TABLE q MODIFY SETTING kafka_flush_interval_ms = 4000")
    lab.counted("v", 250)
    lab.produce(topic, *keys(1, start=250))
    lag(lab, 1)
    lab.produce(topic, *keys(1, start=251))
    assert batches(lab) == [100, 100, 50]
    lab.counted("v", 252)
    assert batches(lab) == [100, 100, 50, 2]


def test_ch_34_ch_45_a_backlog_and_several_consumers(lab: Lab, topic: str) -> None:
    """CH-34: a backlog is read without a pause. CH-45: one partition is read by several tasks."""
    lab.produce(topic, *keys(5000))
    lab.pipe(topic, kafka_max_block_size=1000, kafka_flush_interval_ms=HOUR, kafka_num_consumers=8)
    lab.counted("v", 5000)
    assert batches(lab) == [1000] * 5
    engine = lab.session._engine
    table = engine.catalog.find(lab.database, "v")
    assert table is not None
    metrics: list[Any] = [commit.get("operationMetrics") for commit in commits(lab.session, table)]
    files = [int(each.get("numFiles", 0)) for each in metrics if each]
    assert [count for count in files if count] == [8] * 5


@pytest.mark.slow
def test_an_idle_table_has_no_query(lab: Lab, topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that nothing comes to has one thread; the next message is read, and each once.

    What else changes meanwhile is noticed: more partitions, a topic that is another one.
    """
    monkeypatch.setattr(running, "IDLE_AFTER", 0.0)
    lab.pipe(topic)
    lab.produce(topic, *keys(3))
    lab.counted("v", 3)
    eventually(lambda: queries(lab), lambda names: names == [])
    threads = len(list(Path("/proc/self/task").iterdir()))
    assert lab.becomes("RUNNING") == ""
    lag(lab, 0)
    consumers = "SELECT num_rebalance_assignments FROM system.kafka_consumers WHERE database = "
    assert lab.sql(f"{consumers}'{lab.database}'") == [(1,)]

    lab.produce(topic, *keys(2, start=3))
    lab.counted("v", 5)
    assert batches(lab) == [3, 2]
    assert lab.sql(f"{consumers}'{lab.database}'") == [(1,)]
    eventually(lambda: queries(lab), lambda names: names == [])
    eventually(lambda: len(list(Path("/proc/self/task").iterdir())), lambda count: count <= threads)

    lab.group_at(topic, 5)
    create_partitions(lab.cluster, topic, 2)
    produce(lab.cluster, topic, [Message(b'{"key": 5}', partition=1)])
    lab.counted("v", 6)
    lab.sql("SYSTEM STOP q")
    lab.sql("SYSTEM START q")
    lab.becomes("RUNNING")
    eventually(lambda: queries(lab), lambda names: names == [])
    lab.cluster.delete_topic(topic)
    lab.becomes("WAITING(KAFKA_TOPIC_MISSING)")
    lab.produce(topic, *keys(1))
    lab.becomes("FAILED(KAFKA_TOPIC_REPLACED)")


def queries(lab: Lab) -> list[str]:
    """The streaming queries of this test's tables."""
    engine = lab.session._engine
    ids = {
        f"sluice-{table.uuid}"
        for table in engine.catalog.tables()
        if table.database == lab.database
    }
    return [q.name for q in engine.spark().streams.active if q.name in ids]


def test_topics_by_pattern(lab: Lab, topic: str) -> None:
    """A topic that begins with ^ is a pattern; topics that come and go later are noticed."""
    lab.produce(f"{topic}-a", {"key": 1})
    lab.produce(f"other-{topic}", {"key": 2})
    lab.queue("q", f"^{topic}-[a-z]", kafka_group_name=topic)
    lab.sql("CREATE TABLE v (key UInt64, t String) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT key, _topic AS t FROM q")
    lab.arrives("SELECT * FROM v ORDER BY key", [(1, f"{topic}-a")])
    lab.produce(f"{topic}-bcd", {"key": 3})
    lab.produce(f"{topic}-1", {"key": 4})
    lab.arrives("SELECT key FROM v ORDER BY key", [(1,), (3,)])
    lab.arrives("SELECT count() FROM q", [(0,)])
    lab.cluster.delete_topic(f"{topic}-a")
    lab.produce(f"{topic}-bcd", {"key": 5})
    lab.arrives("SELECT key FROM v ORDER BY key", [(1,), (3,), (5,)])
    assert lab.becomes("RUNNING") == ""


def test_lost_messages_are_skipped_if_that_is_wanted(lab: Lab, topic: str) -> None:
    """With kafka_on_data_loss = 'skip' reading continues after what was deleted, and names it."""
    lab.pipe(topic, kafka_on_data_loss="skip")
    lab.produce(topic, *keys(10))
    lab.counted("v", 10)
    lab.sql("SYSTEM STOP q")
    lab.produce(topic, *keys(10, start=10))
    delete_records(lab.cluster, {topic: {0: 15}})
    lab.sql("SYSTEM START q")
    lab.arrives("SELECT max(key), count() FROM v", [(19, 15)])
    assert lab.becomes("RUNNING") == ""
    assert lab.sql(
        "SELECT table, event, ranges.topic, ranges.partition_id, ranges.from_offset, "
        f"ranges.until_offset FROM system.pipeline_events WHERE database = '{lab.database}'"
    ) == [("q", "DATA_LOSS_SKIPPED", [topic], [0], [10], [15])]


class Tap:
    """Stands before a broker and keeps what clients send to the address they begin with."""

    def __init__(self, broker: str) -> None:
        host, _, port = broker.partition(":")
        self._broker = (host, int(port))
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self.seen = b""
        self._open = [self._server]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._thread.join(10)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                broker = socket.create_connection(self._broker)
                self._open += [client, broker]
                for ends in ((client, broker), (broker, client)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                self.seen += data
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


def test_the_client_id_is_seen_at_the_broker(lab: Lab, topic: str) -> None:
    """Whoever looks after the broker knows the table by its client id."""
    tap = Tap(lab.brokers)
    try:
        lab.pipe(topic, kafka_broker_list=tap.address, kafka_client_id="shop {table} 7")
        lab.produce(topic, *keys(3))
        lab.counted("v", 3)
        assert b"shop q 7" in tap.seen
        lab.sql("DROP TABLE q")
    finally:
        tap.close()
