"""What a message says and what the row then holds; what a bad one does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from waiting import eventually

from engine.lab import Lab, keys
from sluice.errors import SluiceError
from sluice.kafka.producer import Message

FIFTY = [(key,) for key in range(50)]


def test_ch_05_skip_broken_messages(lab: Lab, topic: str) -> None:
    """CH-05: so many bad messages of a batch are skipped, counted and listed; more stop it.

    ClickHouse documents the number as one per block, and restarts the count with each message.
    """
    broken = ["}{very_broken_message,", "}another{very_broken_message,"]
    half = '{"key":100}\n{"key":"wrong"}'  # a message is skipped whole
    lab.produce(topic, *keys(25), *broken, half, *keys(25, start=25))
    lab.queue("strict", topic, kafka_skip_broken_messages=2, kafka_group_name=f"{topic}-2")
    sink = "ENGINE = MergeTree ORDER BY tuple()"
    lab.sql(f"CREATE MATERIALIZED VIEW none {sink} AS SELECT key FROM strict")
    lab.pipe(topic, kafka_skip_broken_messages=3)
    lab.arrives("SELECT key FROM v ORDER BY key", FIFTY)
    lab.group_at(topic, 53)
    own = f"WHERE database = '{lab.database}' AND table = 'q'"
    skipped = f"SELECT num_messages_skipped FROM system.kafka_consumers {own}"
    assert lab.sql(skipped) == [(3,)]
    ((message, *ranges),) = eventually(
        lambda: lab.sql(
            "SELECT message, ranges.from_offset, ranges.until_offset FROM system.pipeline_events "
            f"{own} AND event = 'MESSAGES_SKIPPED'"
        ),
        bool,
    )
    assert ranges == [[25], [28]]
    for at, text in enumerate((*broken, "'wrong' as UInt64"), 25):
        assert f"{topic}/0 at offset {at}" in message
        assert text in message

    said = lab.becomes("WAITING(CANNOT_PARSE_MESSAGE)", "strict")
    for part in ("offset: 27", "3 messages of the batch are bad", "kafka_skip_broken_messages = 2"):
        assert part in said
    assert lab.sql("SELECT count() FROM none") == [(0,)]
    with pytest.raises(SluiceError, match=r"offset: 27"):
        lab.sql("SELECT count() FROM strict")
    assert len(lab.sql("SELECT key FROM strict LIMIT 30")) == 30


def test_a_message_shorter_than_its_prefix_is_bad(lab: Lab, topic: str) -> None:
    """With kafka_schema_registry_skip_bytes nothing vanishes: what has no such prefix is bad."""
    lab.produce(topic, b'\0\0\0\0\x01{"key":1}', b"\0\0\x02", b"", b"\0\0\0\0\x03")
    stream: dict[str, Any] = {
        "kafka_handle_error_mode": "stream",
        "kafka_schema_registry_skip_bytes": 5,
    }
    lab.queue("q", topic, **stream)
    rows = lab.sql("SELECT _offset, key, _error FROM q ORDER BY _offset")
    said = "The message has {} bytes, fewer than kafka_schema_registry_skip_bytes = 5"
    assert rows == [(0, 1, ""), (1, 0, said.format(3)), (2, 0, said.format(0))]


FAR = (1_700_000_000_000_000_000, 2**63 - 1)


def test_a_timestamp_that_no_column_holds(lab: Lab, topic: str) -> None:
    """A message with such a timestamp is a bad one, as its table says, where it is used at all."""
    lab.cluster.create_topic(topic, 1, {"message.timestamp.after.max.ms": str(2**63 - 1)})
    far = (Message(b'{"key":%d}' % n, timestamp=at) for n, at in enumerate(FAR, 1))
    lab.produce(topic, {"key": 0}, *far, {"key": 3})
    modes: dict[str, dict[str, Any]] = {
        "stops": {},
        "skips": {"kafka_skip_broken_messages": 2},
        "streams": {"kafka_handle_error_mode": "stream"},
        "keeps": {"kafka_handle_error_mode": "dead_letter_queue"},
    }
    for name, settings in {"free": {}, **modes}.items():
        lab.queue(name, topic, kafka_group_name=f"{topic}-{name}", **settings)
        used = {"free": "", "streams": ", _timestamp AS t, _error AS e"}
        lab.sql(
            f"CREATE MATERIALIZED VIEW {name}_mv ENGINE = MergeTree ORDER BY tuple() AS "
            f"SELECT key{used.get(name, ', _timestamp AS t')} FROM {name}"
        )
    rows = "SELECT key FROM {}_mv ORDER BY key"
    lab.arrives(rows.format("free"), [(0,), (1,), (2,), (3,)])
    for name in ("skips", "keeps"):
        lab.arrives(rows.format(name), [(0,), (3,)])
    said = lab.becomes("WAITING(CANNOT_PARSE_MESSAGE)", "stops")
    assert "The timestamp of the message is after 2106-02-07" in said
    assert "_timestamp" in said
    assert f"topic: {topic}, partition: 0, offset: 1" in said
    assert lab.sql("SELECT count() FROM stops_mv") == [(0,)]
    lab.arrives("SELECT count(), countIf(e != ''), count(t) FROM streams_mv", [(4, 2, 2)])
    letters = (
        "SELECT kafka_offset, kafka_timestamp FROM system.dead_letter_queue "
        f"WHERE database = '{lab.database}' ORDER BY kafka_offset"
    )
    assert lab.sql(letters) == [(1, None), (2, None)]
    lab.sql("REDRIVE DEAD LETTERS FROM keeps")  # without the timestamps
    assert lab.sql("SELECT key FROM keeps_mv WHERE t IS NULL ORDER BY key") == [(1,), (2,)]
    lab.queue("once", topic)
    assert lab.sql("SELECT count() FROM once") == [(4,)]
    with pytest.raises(SluiceError, match=r"2299-12-31.* offset: 1"):
        lab.sql("SELECT max(_timestamp_ms) FROM once")


def test_ch_13_unknown_fields_are_skipped(lab: Lab, topic: str) -> None:
    """CH-13: what a table has no column for is passed over."""
    lab.produce(topic, {"key": 1, "zzz": 2}, {"zzz": {"key": 3}, "key": 2})
    lab.queue("q", topic)
    assert lab.sql("SELECT * FROM q ORDER BY key") == [(1,), (2,)]


def test_ch_59_quoted_numbers(lab: Lab, topic: str) -> None:
    """CH-59: a number in quotes is a number."""
    lab.produce(topic, {"id": "0"}, {"id": "-9223372036854775808"}, {"id": 1})
    lab.queue("q", topic, "id Int64")
    assert lab.sql("SELECT id FROM q ORDER BY id") == [(-9223372036854775808,), (0,), (1,)]


def test_ch_61_json_without_delimiter(lab: Lab, topic: str) -> None:
    """CH-61: 25 objects in a message, one in each line, and a line end after the last."""
    for start in (0, 25):
        lines = [f'{{"key":{key}}}' for key in range(start, start + 25)]
        lab.produce(topic, "\n".join(lines) + "\n")
    lab.pipe(topic)
    lab.arrives("SELECT key FROM v ORDER BY key", FIFTY)


def test_ch_66_null_message(lab: Lab, topic: str) -> None:
    """CH-66: a message without a value gives no row and no error."""
    values = [None if n == 3 else b'{"value":%d}' % n for n in range(5)]
    lab.produce(topic, *(Message(value, key=b"k") for value in values))
    lab.pipe(topic, "value UInt64")
    lab.arrives("SELECT value FROM v ORDER BY value", [(0,), (1,), (2,), (4,)])


def test_ch_76_bad_messages(lab: Lab, topic: str) -> None:
    """CH-76: a bad message stops the reading, is retried and named; the group does not move."""
    values = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
    lab.produce(topic, *values)
    lab.pipe(topic)
    query = (
        "SELECT exceptions.text, state FROM system.kafka_consumers "
        f"WHERE database = '{lab.database}'"
    )
    ((texts, state),) = eventually(
        lambda: lab.sql(query), lambda rows: bool(rows) and len(rows[0][0]) >= 2
    )
    said = [
        f"Cannot parse input: expected '{{' before: '{value}': "
        f"while parsing Kafka message (topic: {topic}, partition: 0, offset: {offset})"
        for offset, value in enumerate(values)
    ]
    assert all(text.startswith(tuple(said)) for text in texts)
    assert state == "WAITING(CANNOT_PARSE_MESSAGE)"
    assert lab.sql("SELECT count() FROM v") == [(0,)]
    assert lab.cluster.committed(topic, [topic]) == {}


def test_a_wrong_value_is_named(lab: Lab, topic: str) -> None:
    """The error of a value that does not fit says where it is: message, column and value."""
    lab.produce(topic, {"key": 1, "price": "3.50"}, {"key": 2, "price": "cheap"})
    lab.pipe(topic, "key UInt64, price Float64")
    said = lab.becomes("WAITING(CANNOT_PARSE_MESSAGE)")
    for part in ("price", "'cheap'", "Float64", topic, "partition: 0", "offset: 1"):
        assert part in said
    assert lab.sql("SELECT count() FROM v") == [(0,)]


NOISY = r"""
{"d1":1,"d2":"ok"}
{ }
{"t1" : 0, "t2":true,"t3":false, "t4":null,"t5":[],"t6":"trash" }
{"d2":"ok","t1":[[[]],true, null, false, "1","2", 0.03, 1], "d1":"1", "t2":["1","2"]}
{"d2":"ok","t1":{"a":[{"d1":7}],"b":{}}, "d1":"1", "t2":["1","2"]}
{"t0" : -0.1, "t1" : +1, "t2" : 0, "t3" : [0.0, -0.1], "d2" : "ok", "d1" : 1}
"""


def test_st_01_noisy_fields(lab: Lab, topic: str) -> None:
    """ST-01: unknown fields of any shape are skipped; what is not said is the type's default."""
    lab.produce(topic, *NOISY.strip().splitlines())
    lab.queue("q", topic, "d1 UInt8, d2 String")
    rows = lab.sql("SELECT d1, d2 FROM q ORDER BY _offset")
    assert rows == [(1, "ok"), (0, ""), (0, ""), (1, "ok"), (1, "ok"), (1, "ok")]


@pytest.mark.parametrize(
    "text", ['"2017-08-31 18:36:48"', '"1504193808"', "1504193808", "01504193808"]
)
def test_st_02_datetime_in_a_zone(lab: Lab, topic: str, text: str) -> None:
    """ST-02: four ways to write one instant."""
    topic = f"{topic}-{abs(hash(text))}"
    lab.produce(topic, f'{{"d1":{text}}}')
    lab.queue("q", topic, "d1 DateTime('Europe/Moscow')")
    ((read,),) = lab.sql("SELECT d1 FROM q")
    assert read == datetime(2017, 8, 31, 15, 36, 48, tzinfo=UTC)


def test_st_04_null_as_default(lab: Lab, topic: str) -> None:
    """ST-04: null for a column that cannot hold it is the type's default."""
    lab.produce(topic, {"i": None, "s": None, "d": None, "a": None, "n": None})
    lab.queue("q", topic, "i Int8, s String, d Date, a Array(Int8), n Nullable(Int8)")
    ((i, s, d, a, n),) = lab.sql("SELECT * FROM q")
    assert (i, s, d.isoformat(), a, n) == (0, "", "1970-01-01", [], None)


def test_st_05_omitted_fields(lab: Lab, topic: str) -> None:
    """ST-05: a column that a message does not mention has its type's default."""
    lab.produce(topic, {"i": 1}, {"s": "x"}, {})
    lab.queue("q", topic, "i Int8, s String, n Nullable(String)")
    assert lab.sql("SELECT * FROM q ORDER BY _offset") == [
        (1, "", None),
        (0, "x", None),
        (0, "", None),
    ]
