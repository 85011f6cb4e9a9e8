"""Error modes: what a message that cannot be parsed does; and the columns every message has."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from sluice.errors import SluiceError
from sluice.kafka.producer import Message, produce

if TYPE_CHECKING:
    from engine.lab import Lab, Row

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

BAD_BYTES = b'{"key":\xff\xfe\x00'


def big_topic(lab: Lab, topic: str) -> None:
    """A topic that takes messages of several megabytes."""
    lab.cluster.create_topic(topic, 1, {"max.message.bytes": str(16 << 20)})


def test_ch_76_the_first_bad_message_is_named(lab: Lab, topic: str) -> None:
    """CH-76: of several bad messages the one with the lowest topic, partition, offset is named."""
    lab.make_topic(topic, partitions=2)
    parts = [(1, "bad-one"), (0, '{"key":1}'), (0, "bad-zero"), (1, "bad-two")]
    lab.produce(topic, *(Message(text.encode(), partition=at) for at, text in parts))
    lab.pipe(topic)
    said = lab.becomes("WAITING(CANNOT_PARSE_MESSAGE)")
    place = f"while parsing Kafka message (topic: {topic}, partition: 0, offset: 1)"
    assert said.startswith(f"Cannot parse input: expected '{{' before: 'bad-zero': {place}")


def test_ch_77_errors_as_a_stream(lab: Lab, topic: str) -> None:
    """CH-77: one view takes the good messages, another the bad ones, and the group continues."""
    lab.make_topic(topic)
    lab.queue("q", topic, "i Int64, s String", kafka_handle_error_mode="stream")
    for name, which in (("good", "="), ("bad", ">")):
        lab.sql(
            f"CREATE MATERIALIZED VIEW {name} ENGINE = MergeTree ORDER BY tuple() AS "
            "SELECT i, s, _offset, _raw_message AS raw, _error AS error FROM q "
            f"WHERE length(_error) {which} 0"
        )
    sent = [{"i": f"n_{n:04}" if n % 2 else n, "s": "x"} for n in range(128)]
    lab.produce(topic, *sent)
    lab.counted("good", 64, "i")
    lab.counted("bad", 64, "raw")
    assert lab.sql("SELECT DISTINCT raw, error, s FROM good") == [("", "", "x")]
    ((i, s, raw, error),) = lab.sql("SELECT i, s, raw, error FROM bad WHERE _offset = 1")
    assert (i, s, raw) == (0, "", json.dumps(sent[1]))
    assert "(while reading the value of key i)" in error
    assert "n_0001" in error
    lab.group_at(topic, 128)


def test_ch_79_a_bad_message_as_a_row(lab: Lab, topic: str) -> None:
    """CH-78, CH-79, CH-80: the raw message to the byte, defaults, and where it was.

    An empty message and one without a value give no row; a large one is a message like others.
    """
    big_topic(lab, topic)
    large = b"no json " * (5 << 17)
    columns = (
        "key UInt64, n Nullable(Int8), e Enum8('b' = 2, 'a' = 1), d Date, t DateTime64(3), "
        "u UUID, a Array(String), m Map(String, Int8), p Tuple(x Int8, y String), f FixedString(2)"
    )
    lab.pipe(topic, columns, kafka_handle_error_mode="stream")
    lab.sql(
        "CREATE MATERIALIZED VIEW wrong ENGINE = MergeTree ORDER BY tuple() AS SELECT *, "
        "_raw_message AS raw, _error AS error, _key AS k, _topic AS topic, _partition AS part, "
        "_offset AS at, _table AS own FROM q WHERE _error != ''"
    )
    good = b'{"key":7}'
    values = [good, b"garbage", BAD_BYTES, b"", None, large, b'{"key":1}{"key":"x"}', good]
    client = {**lab.cluster.properties, "message.max.bytes": str(16 << 20)}
    produce(client, topic, (Message(value, key=b"k\xfe") for value in values))
    lab.arrives("SELECT at, length(raw) FROM wrong ORDER BY at", [
        (1, 7), (2, len(BAD_BYTES)), (5, len(large)), (6, 20),
    ])  # fmt: skip
    rows = lab.sql("SELECT * FROM wrong ORDER BY at")
    nobody = "00000000-0000-0000-0000-000000000000"
    default: tuple[Any, ...] = (0, None, "a", EPOCH.date(), EPOCH, nobody, [], {})
    for row in rows:
        assert row[:8] == default
        assert row[8:10] == ((0, ""), "\0\0")
        assert row[12:15] == (b"k\xfe".decode("utf-8", "surrogateescape"), topic, 0)
        assert row[16] == "q"
        assert row[11]
    raw = [row[10].encode("utf-8", "surrogateescape") for row in rows]
    assert raw == [values[1], BAD_BYTES, large, values[6]]
    assert lab.sql("SELECT hex(raw) FROM wrong WHERE at = 2") == [(BAD_BYTES.hex().upper(),)]
    lab.arrives("SELECT key, count() FROM v GROUP BY key ORDER BY key", [(0, 4), (7, 2)])


def test_ch_85_virtual_columns(lab: Lab, topic: str) -> None:
    """CH-85, CH-86, CH-87: key, place, time and headers of a message, in a view and directly."""
    lab.make_topic(topic)
    lines = ["\n".join(f'{{"key":{n},"value":{n}}}' for n in range(at, at + 25)) for at in (0, 25)]
    headers = (("h", b"1"), ("H", b"\xff"), ("h", b"2"), ("none", None))
    lab.produce(
        topic,
        *(Message(text.encode(), timestamp=1) for text in lines),
        Message(b'{"key":50}', key=b"k", timestamp=1_700_000_000_123, headers=headers),
    )
    lab.queue("q", topic, "key UInt64, value UInt64")
    query = (
        "SELECT *, _key, _topic, _offset, _partition, _timestamp, _timestamp_ms, _headers.name, "
        "_headers.value, _table FROM q ORDER BY key"
    )
    found = lab.session.execute(query)
    assert {c.name: str(c.type) for c in found.columns[2:]} == {
        "_key": "String",
        "_topic": "LowCardinality(String)",
        "_offset": "UInt64",
        "_partition": "UInt64",
        "_timestamp": "Nullable(DateTime)",
        "_timestamp_ms": "Nullable(DateTime64(3))",
        "_headers.name": "Array(String)",
        "_headers.value": "Array(String)",
        "_table": "LowCardinality(String)",
    }
    rows = found.fetchall()
    soon = EPOCH.replace(microsecond=1000)
    plain: list[Row] = [(n, n, "", topic, n // 25, 0, EPOCH, soon, [], [], "q") for n in range(50)]
    assert rows[:50] == plain
    when = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    exact = when.replace(microsecond=123_000)
    texts = ["1", "\udcff", "2", ""]
    last = (50, 0, "k", topic, 2, 0, when, exact, ["h", "H", "h", "none"], texts, "q")
    assert rows[50] == last
    assert lab.sql("SELECT * FROM q WHERE key = 3") == [(3, 3)]
    for hidden in ("_error", "_raw_message"):
        with pytest.raises(SluiceError, match=hidden):
            lab.sql(f"SELECT {hidden} FROM q")
    lab.sql(
        "CREATE MATERIALIZED VIEW m ENGINE = MergeTree ORDER BY tuple() AS SELECT *, _key, _topic, "
        "_offset, _partition, _timestamp, _timestamp_ms, _headers.name AS names, "
        "_headers.value AS texts, _table FROM q"
    )
    lab.arrives("SELECT * FROM m ORDER BY key", rows)


def test_ch_80_garbage_in_every_format(lab: Lab, topic: str) -> None:
    """CH-80: three messages of garbage are three error rows, whatever the format."""
    garbage = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
    lab.produce(topic, *garbage)
    formats = ("JSONEachRow", "JSONCompactEachRow", "CSV", "TabSeparated", "TSKV")
    for name in formats:
        lab.queue(name, topic, kafka_format=name, kafka_handle_error_mode="stream")
    queries = [f"SELECT '{name}', _raw_message, key, _error != '' FROM {name}" for name in formats]
    found = lab.sql(" UNION ALL ".join(queries))
    wanted = [(name, text, 0, True) for name in formats for text in garbage]
    assert sorted(found) == sorted(wanted)
