"""What a message says and what the row then holds; what a bad one does."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from waiting import eventually

from engine.lab import Lab, keys
from sluice.kafka.producer import Message

FIFTY = [(key,) for key in range(50)]


def test_ch_05_skip_broken_messages(lab: Lab, topic: str) -> None:
    """CH-05: with kafka_skip_broken_messages = 1 every bad message is skipped, not one alone."""
    broken = ["}{very_broken_message,", "}another{very_broken_message,"]
    half = '{"key":100}\n{"key":"wrong"}'  # a message is skipped whole
    lab.produce(topic, *keys(25), *broken, half, *keys(25, start=25))
    lab.pipe(topic, kafka_skip_broken_messages=1)
    lab.arrives("SELECT key FROM v ORDER BY key", FIFTY)


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
    """CH-61: 25 objects in a message, one in each line, and a line end behind the last."""
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
