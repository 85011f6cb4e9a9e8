"""Changes that no database should send: each decides about itself alone.

A row of `CASES` is the messages of one case, with what they leave in a table by key and in the
changelog. Every topic has all cases of its format, each between two good changes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from change_events import canal, debezium, encoded, maxwell, ogg

from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from change_events import Change

    from engine.flink.flink_lab import FlinkLab
    from engine.lab import Lab, Row

FORMATS: dict[str, Callable[[list[Change]], list[dict[str, Any]]]] = {
    "debezium": debezium,
    "canal": lambda changes: canal(changes)[1:],
    "maxwell": maxwell,
    "ogg": ogg,
}
CLICKHOUSE = {
    "debezium": "DebeziumJSON",
    "canal": "CanalJSON",
    "maxwell": "MaxwellJSON",
    "ogg": "OggJSON",
}
OPERATIONS = ("op", "type", "op_type")
COLUMNS = "id INT, name STRING"
KEY = "PRIMARY KEY (id) NOT ENFORCED"


def row(id_: int | None, name: str) -> dict[str, Any]:
    """A row of the source."""
    return {"id": id_, "name": name}


@dataclass(frozen=True)
class Case:
    """A message, or changes that are one each; None is a tombstone.

    `kept` is what they leave by key, `history` the rows of the changelog without a key. A message
    is `bad` for both, or, if it is `bad_key`, for a table with a key.
    """

    name: str
    changes: tuple[Change, ...] = ()
    spoiled: Callable[[bytes], bytes | None] | None = None
    kept: tuple[Row, ...] = ()
    history: tuple[Row, ...] = ()
    bad: bool = False
    bad_key: bool = False

    def messages(self, format_: str) -> list[bytes | None]:
        """As they are in the topic of a format."""
        made = [each for c in self.changes for each in encoded(FORMATS[format_]([c]))]
        return [self.spoiled(each) for each in made] if self.spoiled is not None else [*made]


def _other_operation(message: bytes) -> bytes:
    event = json.loads(message)
    return json.dumps(event | {k: "?" for k in OPERATIONS if k in event}).encode()


GOOD = (None, row(1, "good"))
CASES = [
    Case(
        "update of an unknown key",
        ((row(10, "old"), row(10, "new")),),
        kept=((10, "new"),),
        history=(("-U", 10, "old"), ("+U", 10, "new")),
    ),
    Case("delete of an unknown key", ((row(20, "old"), None),), history=(("-D", 20, "old"),)),
    Case(
        "delete twice",
        ((None, row(30, "a")), (row(30, "a"), None), (row(30, "a"), None)),
        history=(("+I", 30, "a"), ("-D", 30, "a"), ("-D", 30, "a")),
    ),
    Case(
        "key that changes",
        ((None, row(40, "a")), (row(40, "a"), row(41, "b"))),
        kept=((41, "b"),),
        history=(("+I", 40, "a"), ("-U", 40, "a"), ("+U", 41, "b")),
    ),
    Case("NULL key", ((None, row(None, "a")),), history=(("+I", None, "a"),), bad_key=True),
    Case(
        "message of another table",
        ((None, {"sku": 1, "price": 2}),),
        history=(("+I", None, None),),
        bad_key=True,
    ),
    Case("truncated envelope", (GOOD,), lambda message: message[:-3], bad=True),
    Case("JSON array", (GOOD,), lambda message: b"[" + message + b"]", bad=True),
    Case("unknown operation", (GOOD,), _other_operation, bad=True),
    Case("no JSON", (GOOD,), lambda message: b"\xff\x00 {", bad=True),
    Case("empty message", (GOOD,), lambda message: b""),
    Case("tombstone", (GOOD,), lambda message: None),
]
LAST = 1000 + 2 * len(CASES)


def _good(id_: int) -> Change:
    return None, row(id_, "good")


def produced(lab: Lab, format_: str) -> str:
    """The topic that has all cases of a format."""
    topic = f"{lab.database}_{format_}"
    messages: list[bytes | None] = []
    for n, case in enumerate(CASES):
        around = [encoded(FORMATS[format_]([_good(1000 + 2 * n + i)])) for i in (0, 1)]
        messages += [*around[0], *case.messages(format_), *around[1]]
    messages += encoded(FORMATS[format_]([_good(LAST)]))
    lab.make_topic(topic)
    lab.produce(topic, *(Message(each, b"k") for each in messages))
    return topic


GOOD_ROWS: list[Row] = [(id_, "good") for id_ in range(1000, LAST + 1)]
KEPT = sorted([row for case in CASES for row in case.kept] + GOOD_ROWS)
HISTORY = sorted(
    [row for case in CASES for row in case.history] + [("+I", *row) for row in GOOD_ROWS], key=repr
)


@pytest.mark.slow
def test_each_message_decides_about_itself(flink: FlinkLab) -> None:
    """Into Delta by key, and the changelog without a key; bad ones are skipped, or stop the job."""
    for name in FORMATS:
        topic, format_ = produced(flink, name), f"{name}-json"
        lenient = {f"{name}_json__ignore_parse_errors": "true"}
        flink.table(f"{name}_keyed", f"{COLUMNS}, {KEY}", topic, format=format_, **lenient)
        flink.table(f"{name}_full", COLUMNS, topic, format=format_, **lenient)
        flink.table(f"{name}_strict", COLUMNS, topic, format=format_)
        flink.sql(f"CREATE TABLE {name}_kept ({COLUMNS}, {KEY})")
        flink.sql(
            f"CREATE TABLE {name}_history (op STRING, {COLUMNS}) "
            "WITH ('connector' = 'delta', 'changelog.column' = 'op')"
        )
        flink.start(f"INSERT INTO {name}_kept SELECT * FROM {name}_keyed")
        flink.start(f"INSERT INTO {name}_history SELECT * FROM {name}_full")
    for name in FORMATS:
        with pytest.raises(SluiceError, match=f"Corrupt {name.title()} JSON message") as stopped:
            flink.sql(f"SELECT COUNT(*) FROM {name}_strict")
        assert stopped.value.condition.name == "CANNOT_PARSE_MESSAGE"
        assert stopped.value.params["topic"] == f"{flink.database}_{name}"
    for name in FORMATS:
        flink.arrives(f"SELECT name FROM {name}_kept WHERE id = {LAST}", [("good",)])
        assert sorted(flink.sql(f"SELECT * FROM {name}_kept")) == KEPT, name
        flink.arrives(f"SELECT name FROM {name}_history WHERE id = {LAST}", [("good",)])
        found = flink.sql(f"SELECT op, id, name FROM {name}_history")
        assert sorted(found, key=repr) == HISTORY, name


VIEWS = {
    "kept": (
        "id Int64, name Nullable(String)",
        "PRIMARY KEY id SETTINGS kept_by_key = 1",
        "SELECT id, name FROM {}_keyed WHERE _error = ''",
    ),
    "errors": (
        "op String, error String",
        "ORDER BY tuple()",
        "SELECT _row_kind AS op, _error AS error FROM {}_keyed WHERE _error != ''",
    ),
    "history": (
        "op String, id Nullable(Int64), name Nullable(String), error String",
        "ORDER BY tuple()",
        "SELECT _row_kind AS op, id, name, _error AS error FROM {}_full",
    ),
}
"""Tables with the views into them."""


def test_each_message_of_a_clickhouse_table(lab: Lab) -> None:
    """In the mode stream a bad message is a row with its error, and no other row is touched."""
    bad = sum(case.bad for case in CASES)
    bad_key = bad + sum(case.bad_key for case in CASES)
    for name, format_ in CLICKHOUSE.items():
        topic = produced(lab, name)
        for suffix, id_, key in (("keyed", "Int64", "id"), ("full", "Nullable(Int64)", "")):
            lab.sql(
                f"CREATE TABLE {name}_{suffix} (id {id_}, name Nullable(String)) "
                f"ENGINE = Kafka('{lab.brokers}', '{topic}', '{topic}_{suffix}', '{format_}') "
                f"{'PRIMARY KEY ' * bool(key)}{key} "
                "SETTINGS kafka_flush_interval_ms = 100, kafka_handle_error_mode = 'stream'"
            )
        for target, (columns, clauses, query) in VIEWS.items():
            lab.sql(f"CREATE TABLE {name}_{target} ({columns}) ENGINE = MergeTree {clauses}")
            lab.sql(
                f"CREATE MATERIALIZED VIEW {name}_to_{target} TO {name}_{target} AS "
                + query.format(name)
            )
    for name in CLICKHOUSE:
        lab.arrives(f"SELECT name FROM {name}_kept WHERE id = {LAST}", [("good",)])
        assert sorted(lab.sql(f"SELECT id, name FROM {name}_kept")) == KEPT, name
        lab.arrives(f"SELECT count() FROM {name}_errors", [(bad_key,)])
        lab.arrives(f"SELECT name FROM {name}_history WHERE id = {LAST}", [("good",)])
        found = lab.sql(f"SELECT op, id, name FROM {name}_history WHERE error = ''")
        assert sorted(found, key=repr) == HISTORY, name
        assert lab.sql(f"SELECT count() FROM {name}_history WHERE error != ''") == [(bad,)], name


UPSERTS: list[tuple[str, list[tuple[bytes | None, bytes | None]], list[Row]]] = [
    ("update of an unknown key", [(b'{"id":10}', b'{"id":10,"name":"new"}')], [(10, "new")]),
    ("delete of an unknown key", [(b'{"id":20}', None)], []),
    (
        "delete twice",
        [(b'{"id":30}', b'{"id":30,"name":"a"}'), (b'{"id":30}', None), (b'{"id":30}', None)],
        [],
    ),
    ("no key", [(None, b'{"id":40,"name":"a"}')], []),
    ("NULL in the key", [(b'{"id":null}', b'{"id":50,"name":"a"}')], []),
    ("message of another table", [(b'{"sku":1}', b'{"sku":1,"price":2}')], []),
    ("truncated value", [(b'{"id":60}', b'{"id":60,"na')], []),
    ("truncated key", [(b'{"id":7', b'{"id":70,"name":"a"}')], []),
    ("no JSON", [(b'{"id":80}', b"\xff\x00 {")], []),
    ("JSON array", [(b'{"id":90}', b'[{"id":90,"name":"a"}]')], [(90, "a")]),  # as Flink's json
    ("empty message", [(b'{"id":99}', b"")], []),
]
"""Keys and values of upsert-kafka, and the rows they leave where parse errors are ignored."""


@pytest.mark.slow
def test_each_message_of_upsert_kafka(flink: FlinkLab) -> None:
    """A message without a usable key names no row: it is bad, and those around it are read."""
    topic = flink.database
    flink.make_topic(topic)
    wanted: list[Row] = []
    for n, (_, messages, rows) in enumerate(UPSERTS):
        good = 1000 + n
        around = (b'{"id":%d}' % good, b'{"id":%d,"name":"good"}' % good)
        for key, value in (*messages, around):
            flink.produce(topic, Message(value, key))
        wanted += [*rows, (good, "good")]
    options = {"connector": "upsert-kafka", "format": "", "scan__startup__mode": ""}
    options |= {"key__format": "json", "value__format": "json"}
    lenient = {f"{part}__json__ignore_parse_errors": "true" for part in ("key", "value")}
    flink.table("lenient", f"{COLUMNS}, {KEY}", topic, **options, **lenient)
    flink.table("strict", f"{COLUMNS}, {KEY}", topic, **options)
    flink.sql(f"CREATE TABLE kept ({COLUMNS}, {KEY})")
    flink.start("INSERT INTO kept SELECT * FROM lenient")
    with pytest.raises(SluiceError) as stopped:
        flink.sql("SELECT COUNT(*) FROM strict")
    assert stopped.value.condition.name == "CANNOT_PARSE_MESSAGE"
    flink.arrives("SELECT * FROM kept ORDER BY id", sorted(wanted))
