"""debezium-avro-confluent: Debezium's changes as Avro, with the schemas of a registry."""

from __future__ import annotations

import json
import struct
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from engine.flink.registry import registry
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab
    from engine.flink.registry import Registry

KEY = "PRIMARY KEY (id) NOT ENFORCED"
COLUMNS = "id INT NOT NULL, name STRING"
Value = tuple[int, str | None] | None


def envelope(key: str = "int", **fields: Any) -> str:
    """The schema that Debezium registers: with more fields than the table has columns."""

    def record(title: str, /, **fields: Any) -> dict[str, Any]:
        named = [{"name": field, "type": type_} for field, type_ in fields.items()]
        return {"type": "record", "name": title, "fields": named}

    row = record("Value", id=key, name=["null", "string"], more=["null", "double"], **fields)
    source = record("Source", version="string", ts_ms="long")
    rows: dict[str, Any] = {"before": ["null", row], "after": ["null", "Value"]}
    return json.dumps(record("Envelope", **rows, source=source, op="string"))


def _number(value: int) -> bytes:
    """Avro's variable-length zigzag."""
    rest, made = (value << 1) ^ (value >> 63), bytearray()
    while rest > 0x7F:
        made.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*made, rest])


def _text(value: str) -> bytes:
    return _number(len(value.encode())) + value.encode()


def _row(row: Value) -> bytes:
    if row is None:
        return _number(0)
    name = _number(0) if row[1] is None else _number(1) + _text(row[1])
    return _number(1) + _number(row[0]) + name + _number(0)


def event(
    schema: int, op: str, before: Value, after: Value, was: bytes = b"", is_: bytes = b""
) -> Message:
    """A message as Debezium's converter writes it; `was` and `is_` are further fields of rows."""
    body = _row(before) + was + _row(after) + is_ + _text("2.7") + _number(7) + _text(op)
    return Message(b"\x00" + schema.to_bytes(4, "big") + body)


def table(
    flink: FlinkLab, known: Registry, name: str, columns: str, topic: str, **more: str
) -> None:
    """A table over a topic of such messages."""
    options = {"url": known.url, "subject": f"{topic}-value"}
    given = {f"debezium_avro_confluent__{key}": value for key, value in options.items()} | more
    flink.table(name, columns, topic, format="debezium-avro-confluent", **given)


def test_changes_are_read_and_written(flink: FlinkLab) -> None:
    """FL-97: inserts, updates, deletes, snapshots and tombstones, and what was written is read."""
    topic, copy = flink.database, f"{flink.database}_copy"
    flink.make_topic(copy, 2)
    with registry() as known:
        schema = known.add(envelope())
        flink.produce(
            topic,
            event(schema, "r", None, (1, "a")),
            event(schema, "c", None, (2, "b")),
            event(schema, "u", (1, "a"), (1, "ä")),
            event(schema, "d", (2, "b"), None),
            Message(None, b"2"),
            event(schema, "c", None, (-3, None)),
        )
        table(flink, known, "keyed", f"{COLUMNS}, {KEY}", topic)
        table(flink, known, "changes", COLUMNS, topic)
        table(flink, known, "copied", COLUMNS, copy)
        flink.sql(f"CREATE TABLE stored ({COLUMNS}, {KEY})")
        flink.start("INSERT INTO stored SELECT * FROM keyed")
        flink.start("INSERT INTO copied SELECT * FROM changes")
        wanted = [(-3, None), (1, "ä")]
        assert flink.sql("SELECT * FROM changes ORDER BY id") == wanted
        for name in ("stored", "copied"):
            flink.arrives(f"SELECT * FROM {name} ORDER BY id", wanted)
        assert len(flink.consume(copy)) == 6  # an update is a delete and an insert
        (written,) = known.subjects[f"{copy}-value"]
        fields = json.loads(known.schemas[written - 1])["fields"]
        assert [field["name"] for field in fields] == ["before", "after", "op"]
        flink.produce(
            topic,
            event(schema, "u", (-3, None), (-3, "c")),
            event(schema, "u", (1, "ä"), (4, "key")),
        )
        for name in ("stored", "copied"):
            flink.arrives(f"SELECT * FROM {name} ORDER BY id", [(-3, "c"), (4, "key")])


@pytest.mark.slow
def test_a_registry_that_fails(flink: FlinkLab) -> None:
    """A registry that is away is waited for; a schema that it does not have stops the job."""
    topics = {name: f"{flink.database}_{name}" for name in ("away", "unknown", "wrong")}
    with registry() as known:
        first, second = known.add(envelope()), known.add(envelope() + " ")
        text = known.add(envelope(key="string"))
        jobs = {}
        for name, topic in topics.items():
            flink.produce(topic, event(first, "c", None, (1, "a")))
            table(flink, known, f"{name}_changes", f"{COLUMNS}, {KEY}", topic)
            flink.sql(f"CREATE TABLE {name} ({COLUMNS}, {KEY})")
            jobs[name] = flink.start(f"INSERT INTO {name} SELECT * FROM {name}_changes")
        for name in topics:
            flink.arrives(f"SELECT * FROM {name}", [(1, "a")])
        known.broken = (503, "<html>")
        flink.produce(topics["away"], event(first, "c", None, (2, "b")))
        flink.arrives("SELECT id FROM away ORDER BY id", [(1,), (2,)])  # its schema is known
        flink.produce(topics["away"], event(second, "c", None, (3, "c")))
        flink.job_becomes(jobs["away"], "WAITING(SCHEMA_REGISTRY_UNREACHABLE)")
        known.broken = None
        flink.arrives("SELECT id FROM away ORDER BY id", [(1,), (2,), (3,)])
        flink.produce(topics["unknown"], event(99, "c", None, (2, "b")))
        flink.produce(topics["wrong"], event(text, "c", None, (2, "b")))
        error = flink.job_says(jobs["unknown"], "FAILED(SCHEMA_NOT_FOUND)")
        assert "Could not find schema with id 99 in registry" in error
        error = flink.job_says(jobs["wrong"], "WAITING(CANNOT_PARSE_MESSAGE)")
        assert "Can't deserialize Debezium Avro message" in error
        assert "Found Value, expecting union" in error  # a row whose key is a text
        for name in ("unknown", "wrong"):
            assert flink.sql(f"SELECT id FROM {name}") == [(1,)]


def connect(type_: str, name: str, **more: Any) -> dict[str, Any]:
    """A type as Kafka Connect's converter registers it."""
    return {"type": type_, "connect.name": name, **more}


DECIMAL = "org.apache.kafka.connect.data.Decimal"
NEW: dict[str, tuple[Any, bytes, str, Any]] = {
    "small": ({"type": "int", "connect.type": "int16"}, _number(7), "SMALLINT", 7),
    "big": ("long", _number(1 << 40), "BIGINT", 1 << 40),
    "half": ("double", struct.pack("<d", 0.5), "DOUBLE", 0.5),
    "ok": ("boolean", b"\x01", "BOOLEAN", True),
    "raw_": ("bytes", b"\x04\x01\x02", "BYTES", b"\x01\x02"),
    "day": (connect("int", "io.debezium.time.Date"), _number(19724), "DATE", date(2024, 1, 2)),
    "us": (
        connect("long", "io.debezium.time.MicroTimestamp"),
        _number(1704164645123456),
        "TIMESTAMP(6)",
        datetime(2024, 1, 2, 3, 4, 5, 123456),  # noqa: DTZ001
    ),
    "at_": (
        connect("string", "io.debezium.time.ZonedTimestamp"),
        _text("2024-01-02T04:04:05+01:00"),
        "TIMESTAMP_LTZ(6)",
        datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    ),
    "price": (
        connect("bytes", DECIMAL, logicalType="decimal", precision=10, scale=2,
                **{"connect.parameters": {"scale": "2", "connect.decimal.precision": "10"}}),
        b"\x04\x30\x39",
        "DECIMAL(10, 2)",
        Decimal("123.45"),
    ),
    "tags": ({"type": "array", "items": "string"}, b"\x02\x02a\x00", "STRING", '["a"]'),
}  # fmt: skip
"""New columns of a source: type, a value in Avro, type in SQL, the same value."""


@pytest.mark.slow
def test_schema_drift(flink: FlinkLab) -> None:
    """New columns get the types of the writer's schema; with `fail` their first value is bad."""
    topic, key = flink.database, f"{COLUMNS}, {KEY}"
    with registry() as known:
        old = known.add(envelope())
        fields: Any = {name: ["null", each[0]] for name, each in NEW.items()}
        new = known.add(envelope(**fields))
        for drift in ("evolve", "fail"):
            table(flink, known, f"{drift}_changes", key, topic, schema__drift=drift)
            flink.sql(f"CREATE TABLE {drift} ({COLUMNS}, {KEY})")
        table(flink, known, "ignore_changes", key, topic)
        flink.produce(topic, event(old, "c", None, (1, "a")))
        jobs = {
            drift: flink.start(f"INSERT INTO `{drift}` SELECT * FROM {drift}_changes")
            for drift in ("evolve", "fail")
        }
        nothing, some = _number(0) * len(NEW), b"".join(b"\x02" + each[1] for each in NEW.values())
        flink.produce(topic, event(new, "c", None, (2, "b"), is_=nothing))
        for drift in jobs:
            flink.arrives(f"SELECT * FROM `{drift}` ORDER BY id", [(1, "a"), (2, "b")])
        flink.produce(topic, event(new, "u", (1, "a"), (1, "c"), nothing, some))
        values = tuple(each[3] for each in NEW.values())
        empty = (None,) * len(NEW)
        query = "SELECT * FROM `evolve` ORDER BY id"
        flink.arrives(query, [(1, "c", *values), (2, "b", *empty)])
        types = {row[0]: row[1] for row in flink.sql("DESCRIBE `evolve`")}
        assert {name: types[name] for name in NEW} == {n: each[2] for n, each in NEW.items()}
        error = flink.job_says(jobs["fail"], "WAITING(CANNOT_PARSE_MESSAGE)")
        assert "Can't deserialize Debezium Avro message. The table has no column small" in error
        flink.produce(topic, event(old, "c", None, (3, "d")), event(new, "d", (1, "c"), None, some))
        flink.arrives(query, [(2, "b", *empty), (3, "d", *empty)])
        assert flink.sql("SELECT * FROM ignore_changes ORDER BY id") == [(2, "b"), (3, "d")]
