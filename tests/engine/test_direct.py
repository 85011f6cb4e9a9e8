"""SELECT straight from a Kafka table: bounded, from the group's position, and what it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from waiting import eventually

from engine.lab import keys
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab


def test_ch_41_commit_on_select(lab: Lab, topic: str) -> None:
    """CH-41: with kafka_commit_on_select each message is answered once; without it, nothing moves.

    A LIMIT moves the group's offsets past the last message that was needed, and no further.
    """
    lab.make_topic(topic, partitions=2)
    lab.produce(topic, *keys(20))
    lab.queue("still", topic)
    lab.queue("q", topic, kafka_commit_on_select=1)
    for _ in range(2):
        assert lab.sql("SELECT count() FROM still") == [(20,)]
    assert lab.cluster.committed(topic, [topic]) == {}
    with pytest.raises(SluiceError, match="read-only request"):
        lab.session.execute("SELECT key FROM q", readonly=True)
    assert lab.cluster.committed(topic, [topic]) == {}
    assert lab.sql("SELECT key FROM q LIMIT 0") == []
    inner = "SELECT key FROM (SELECT key FROM q LIMIT 3)"
    got = [lab.sql(query) for query in ("SELECT key FROM q LIMIT 3", inner)]
    got.append(lab.sql("SELECT key FROM q WHERE key >= 0"))
    assert [len(rows) for rows in got] == [3, 3, 14]
    assert sorted(key for rows in got for (key,) in rows) == list(range(20))
    assert lab.cluster.committed(topic, [topic]) == lab.cluster.latest([topic])
    assert lab.sql("SELECT key FROM q") == []
    lab.produce(topic, *keys(5, start=20))
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("INSERT INTO v SELECT key FROM q")
    assert lab.sql("SELECT key FROM v ORDER BY key") == [(key,) for key in range(20, 25)]
    assert lab.sql("SELECT count() FROM q") == [(0,)]


def test_beside_a_running_view(lab: Lab, topic: str) -> None:
    """A table that views read can be asked as well; its group is theirs, and is not moved."""
    lab.pipe(topic, kafka_commit_on_select=1)
    lab.produce(topic, *keys(10))
    lab.counted("v", 10)
    eventually(lambda: lab.sql("SELECT count() FROM q"), lambda rows: rows == [(0,)])
    lab.sql("SYSTEM STOP q")
    lab.produce(topic, *keys(5, start=10))
    for _ in range(2):
        assert lab.sql("SELECT key FROM q ORDER BY key LIMIT 2") == [(10,), (11,)]
    assert lab.cluster.committed(topic, [topic]) == {topic: {0: 10}}
    lab.sql("SYSTEM START q")
    lab.counted("v", 15)


def test_limit_ends_early_and_settings_count(lab: Lab, topic: str) -> None:
    """A LIMIT that is reached ends the reading: messages after it are not even read.

    Everything else looks at every message, also a count(): a bad one is never passed over.
    """
    lab.make_topic(topic)
    lab.produce(topic, *keys(10), "{broken")
    lab.queue("q", topic)
    query = "SELECT key FROM q LIMIT 4"
    assert lab.sql(query) == [(key,) for key in range(4)]
    with pytest.raises(SluiceError, match="partition: 0, offset: 10"):
        lab.sql("SELECT count() FROM q")
    allow = "stream_like_engine_allow_direct_select"
    assert len(lab.sql(f"{query} SETTINGS {allow} = 1, max_block_size = 100")) == 4
    with pytest.raises(SluiceError, match="Direct select is not allowed"):
        lab.sql(f"{query} SETTINGS {allow} = 0")
    with pytest.raises(SluiceError, match="Direct select is not allowed"):
        lab.sql(f"{query} FORMAT CSV SETTINGS {allow} = 0")
    with pytest.raises(SluiceError, match="Direct select is not allowed"):
        lab.session.execute(query, settings={allow: "0"})
    lab.sql(f"SET {allow} = 0")
    with pytest.raises(SluiceError, match="Direct select is not allowed"):
        lab.sql(query)
    lab.sql(f"SET {allow} = 1")
    assert len(lab.sql(query)) == 4
