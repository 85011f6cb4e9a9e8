"""system.dead_letter_queue: what cannot be parsed is kept, and the reading goes on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

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
