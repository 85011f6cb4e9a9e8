"""Rows become messages: INSERT into a Kafka table, by values, by a query and with data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.lab import Lab


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
    """A query's rows, in its order if it has one, and data behind FORMAT are written the same."""
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
    with pytest.raises(SluiceError, match="2 columns are to be filled, 1 are given"):
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
    with pytest.raises(SluiceError, match="go together"):
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
