"""system.dead_letter_queue: what cannot be parsed is kept, and reading continues."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sluice.engine.sinks.dead_letters import LETTERS
from sluice.engine.storage.maintenance import Maintenance
from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.lab import Lab

MODE = {"kafka_handle_error_mode": "dead_letter_queue"}
WHEN = datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=UTC)


def test_ch_81_dead_letters(lab: Lab, topic: str) -> None:
    """CH-81: bad messages are kept with all that belongs to them; the good ones arrive."""
    headers = (("h", b"1"), ("h", None), ("x", b"\xff"))
    full = Message(b"bad \xfe\x00", b"k\xff", timestamp=1_700_000_000_123, headers=headers)
    lab.produce(topic, {"key": 1}, "qwertyuiop", full, "", None, {"key": 2}, {"key": -1})
    lab.pipe(topic, **MODE)
    lab.sql(
        "CREATE MATERIALIZED VIEW second ENGINE = MergeTree ORDER BY tuple() AS "
        "SELECT key * 10 AS tens FROM q"
    )
    lab.arrives("SELECT key FROM v ORDER BY key", [(1,), (2,)])
    lab.produce(topic, "zxcvbnm", {"key": 3})
    lab.arrives("SELECT key FROM v ORDER BY key", [(1,), (2,), (3,)])
    own = f"FROM system.dead_letter_queue WHERE database = '{lab.database}'"
    rows = lab.sql(f"SELECT kafka_offset, raw_message, error {own} ORDER BY kafka_offset")
    assert [row[0] for row in rows] == [1, 2, 6, 7]
    assert rows[0][1:] == ("qwertyuiop", "Cannot parse input: expected '{' before: 'qwertyuiop'")
    assert rows[1][1].encode("utf-8", "surrogateescape") == full.value
    assert "key" in rows[2][2]
    ((engine, table, *place),) = lab.sql(
        "SELECT table_engine, table, kafka_topic_name, kafka_partition, kafka_key, "
        "kafka_timestamp, kafka_headers.name, kafka_headers.value, outcome, redrive, "
        "event_date = toDate(event_time), event_time <= event_time_microseconds, "
        f"rabbitmq_channel_id {own} AND kafka_offset = 2"
    )
    assert (engine, table) == ("Kafka", "q")
    key = "k\udcff"
    names, values = ["h", "h", "x"], ["1", "", "\udcff"]
    assert place == [topic, 0, key, WHEN, names, values, "waiting", None, True, True, ""]
    columns = lab.session.execute(f"SELECT * {own} LIMIT 1").columns
    assert str(columns[0].type) == "Enum8('Kafka' = 1, 'RabbitMQ' = 2)"
    lab.group_at(topic, 9)

    made = lab.session._engine
    for hours, left in ((1, 4), (0, 0)):
        lifetimes = {LETTERS.uuid: timedelta(hours=hours)}
        Maintenance(made.store, made.spark, list, made.snapshots, lifetimes).expire(LETTERS)
        assert lab.sql(f"SELECT count() {own}") == [(left,)]


@pytest.mark.slow
def test_redrive(lab: Lab, topic: str) -> None:
    """Letters are tried again, go through the views once, and say what became of them."""
    bad = Message(b'{"key":"x2"}', b"k", timestamp=1_700_000_000_123, headers=(("h", b"v"),))
    lab.produce(topic, {"key": 1}, bad, {"key": "x3"}, {"key": "xq"}, "junk", {"key": 4})
    lab.pipe(topic, **MODE)
    lab.arrives("SELECT key FROM v ORDER BY key", [(1,), (4,)])
    own = f"FROM system.dead_letter_queue WHERE database = '{lab.database}'"
    outcomes = f"SELECT kafka_offset, outcome {own} ORDER BY kafka_offset"
    redrive = "REDRIVE DEAD LETTERS FROM q"

    tried = lab.sql(f"{redrive} WHERE kafka_offset != 3 DRY RUN")
    assert [row[:5] for row in tried] == [(topic, 0, at, "failed", 0) for at in (1, 2, 4)]
    assert "x2" in tried[0][5]
    assert lab.sql(outcomes) == [(at, "waiting") for at in (1, 2, 3, 4)]

    # The table is made again so that it can read them; its letters are found by its name.
    lab.sql("DROP VIEW m")
    lab.sql("DROP TABLE q")
    lab.queue("q", topic, "key String", **MODE)
    with pytest.raises(SluiceError, match="has no views"):
        lab.sql(redrive)
    lab.sql(
        "CREATE MATERIALIZED VIEW a ENGINE = MergeTree ORDER BY tuple() AS SELECT key, "
        "_offset AS at, _key AS k, _headers.value AS h, _timestamp_ms AS t FROM q"
    )
    lab.sql("CREATE TABLE numbers (n UInt64) ENGINE = MergeTree ORDER BY n")
    second = (
        "CREATE MATERIALIZED VIEW b TO numbers AS SELECT toUInt64{}(substring(key, 2)) AS n FROM q"
    )
    lab.sql(second.format(""))
    for dry in (" DRY RUN", ""):
        with pytest.raises(SluiceError, match=r"\.b failed"):
            lab.sql(redrive + dry)
    assert lab.sql(outcomes)[:3] == [(at, "started") for at in (1, 2, 3)]
    lab.sql("DROP VIEW b")
    lab.sql(second.format("OrZero"))
    assert [row[2:4] for row in lab.sql(redrive)] == [(4, "failed")]
    assert lab.sql("SELECT at, key FROM a ORDER BY at") == [(1, "x2"), (2, "x3"), (3, "xq")]
    assert lab.sql("SELECT k, h, t FROM a WHERE at = 1") == [("k", ["v"], WHEN)]
    assert lab.sql("SELECT n FROM numbers ORDER BY n") == [(0,), (2,), (3,)]
    assert lab.sql(outcomes) == [(at, "redriven") for at in (1, 2, 3)] + [(4, "failed")]
    assert [row[2:] for row in lab.sql(f"{redrive} USING 'CSV'")] == [(4, "redriven", 1, "")]
    assert lab.sql("SELECT key FROM a WHERE at = 4") == [("junk",)]
    lab.produce(topic, {"key": "x5"})
    lab.arrives("SELECT n FROM numbers ORDER BY n", [(0,), (0,), (2,), (3,), (5,)])


REFUSED = {
    "WHERE nothing = 1": "nothing",
    "USING 'CVS'": "CVS",
    "SETTINGS kafka_topic_list = 'other'": "does not change how a message is parsed",
    "SETTINGS kafka_formt = 'CSV'": "kafka_formt",
}


def test_redrive_refuses(lab: Lab, topic: str) -> None:
    """What is wrong with the statement is said, and nothing is tried."""
    lab.queue("q", topic, **MODE)
    lab.sql("CREATE TABLE v (key UInt64) ENGINE = MergeTree ORDER BY tuple()")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT * FROM q")
    for clause, says in REFUSED.items():
        with pytest.raises(SluiceError, match=says):
            lab.sql(f"REDRIVE DEAD LETTERS FROM q {clause}")
        with pytest.raises(SluiceError, match="not a Kafka table"):
            lab.sql(f"REDRIVE DEAD LETTERS FROM v {clause}")


def test_a_select_that_moves_the_group_keeps_letters(lab: Lab, topic: str) -> None:
    """What a SELECT has passed over is not lost when the group continues after it."""
    lab.produce(topic, {"key": 1}, "bad", {"key": 2}, "worse")
    lab.queue("q", topic, kafka_commit_on_select=1, **MODE)
    assert lab.sql("SELECT key FROM q ORDER BY key") == [(1,), (2,)]
    lab.group_at(topic, 4)
    kept = (
        "SELECT kafka_offset, raw_message FROM system.dead_letter_queue "
        f"WHERE database = '{lab.database}' ORDER BY kafka_offset"
    )
    assert lab.sql(kept) == [(1, "bad"), (3, "worse")]
    assert lab.sql("SELECT key FROM q") == []
    assert lab.sql(kept) == [(1, "bad"), (3, "worse")]
