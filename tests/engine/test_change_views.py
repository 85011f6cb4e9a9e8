"""Views over Kafka tables whose messages are changes: each target ends in the right rows."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from change_events import SUMS, canal, debezium, encoded, maxwell, ogg

from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.lab import Lab

Row = dict[str, Any]
COLUMNS = "id UInt32, rev UInt32, name String, price Int64"


class Source:
    """A table of a database whose changes go to a topic, partitioned by key."""

    def __init__(self, seed: int, partitions: int) -> None:
        self.rows: dict[int, Row] = {}
        self._rng = random.Random(seed)  # noqa: S311 - made-up data
        self._partitions = partitions

    def changes(self, count: int, keys: int) -> Iterator[Message]:
        """Random inserts, updates and deletes; a delete is followed by a tombstone."""
        for _ in range(count):
            key = self._rng.randrange(keys)
            old, chance = self.rows.get(key), self._rng.random()
            if old is None:
                yield self.change("c" if chance < 0.7 else "r", None, self._row(key, 1))
            elif chance < 0.3:
                yield self.change("d", old, None)
                yield Message(None, self._key(key), key % self._partitions)
            else:
                yield self.change("u", old, self._row(key, old["rev"] + 1))

    def change(self, op: str, before: Row | None, after: Row | None) -> Message:
        """A message of Debezium's, applied to the rows here."""
        if before is not None:
            del self.rows[before["id"]]
        if after is not None:
            self.rows[after["id"]] = after
        id_ = (before or after or {})["id"]
        value = {"before": before, "after": after, "source": {}, "op": op, "ts_ms": 1}
        return Message(json.dumps(value).encode(), self._key(id_), id_ % self._partitions)

    def _row(self, key: int, rev: int) -> Row:
        name = self._rng.choice(("ant", "bee", "cat"))
        return {"id": key, "rev": rev, "name": name, "price": self._rng.randrange(-50, 50)}

    def _key(self, key: int) -> bytes:
        return json.dumps({"id": key}).encode()

    def table(self) -> list[tuple[Any, ...]]:
        """The rows, by id."""
        return [tuple(row.values()) for _, row in sorted(self.rows.items())]


@pytest.mark.slow
def test_every_target_ends_in_the_rows_of_the_source(lab: Lab, topic: str) -> None:
    """Also where a row stops matching a filter, changes its key, is deleted and comes back."""
    lab.make_topic(topic, 2)
    lab.queue("q", topic, COLUMNS, kafka_format="DebeziumJSON")
    targets = {
        "live": f"({COLUMNS}, version UInt64, is_deleted UInt8) "
        "ENGINE = ReplacingMergeTree(version, is_deleted) ORDER BY id",
        "states": f"({COLUMNS}, sign Int8) ENGINE = CollapsingMergeTree(sign) ORDER BY id",
        "revisions": f"({COLUMNS}, sign Int8) "
        "ENGINE = VersionedCollapsingMergeTree(sign, rev) ORDER BY id",
        "dear": f"({COLUMNS}, version UInt64, gone UInt8) "
        "ENGINE = ReplacingMergeTree(version, gone) ORDER BY id",
        "totals": "(name String, total Int64, n Int64) ENGINE = SummingMergeTree ORDER BY name",
        "log": "(id UInt32, kind LowCardinality(String), version UInt64, sign Int8) "
        "ENGINE = MergeTree ORDER BY id",
        "kept": f"({COLUMNS}) ENGINE = MergeTree PRIMARY KEY id SETTINGS kept_by_key = 1",
        "kept_dear": "(title String, key UInt64, price Int64) "
        "ENGINE = MergeTree PRIMARY KEY key ORDER BY (key, title) SETTINGS kept_by_key = 1",
    }
    queries = {
        "live": "SELECT *, _version AS version, _is_deleted AS is_deleted FROM q",
        "states": "SELECT *, _sign AS sign FROM q",
        "revisions": "SELECT *, _sign AS sign FROM q",
        "dear": "SELECT *, _version AS version, _is_deleted AS gone FROM q WHERE price > 0",
        "totals": "SELECT name, sum(price * _sign) AS total, sum(_sign) AS n FROM q GROUP BY name",
        "log": "SELECT id, _row_kind AS kind, _version AS version, _sign AS sign FROM q",
        "kept": "SELECT * FROM q",
        "kept_dear": "SELECT upper(name) AS title, id AS key, price FROM q WHERE price > 0",
    }
    for name, clauses in targets.items():
        lab.sql(f"CREATE TABLE {name} {clauses}")
        lab.sql(f"CREATE MATERIALIZED VIEW to_{name} TO {name} AS {queries[name]}")

    source, sent = Source(seed=16, partitions=2), 0

    def check() -> None:
        rows, dear = source.table(), [row for row in source.table() if row[3] > 0]
        columns = "id, rev, name, price"
        lab.arrives("SELECT sum(sign) FROM log", [(len(rows),)])
        lab.arrives("SELECT count(), uniqExact(id % 2, version) FROM log", [(sent, sent)])
        names = Counter(row[2] for row in rows)
        sums = [(n, sum(r[3] for r in rows if r[2] == n), names[n]) for n in sorted(names)]
        for table, wanted in (
            ("live", rows), ("states", rows), ("revisions", rows), ("kept", rows), ("dear", dear)
        ):  # fmt: skip
            lab.arrives(f"SELECT {columns} FROM {table} ORDER BY id", wanted)
        lab.arrives(
            "SELECT key, title, price FROM kept_dear ORDER BY key",
            [(row[0], row[2].upper(), row[3]) for row in dear],
        )
        lab.arrives("SELECT name, total, n FROM totals WHERE n != 0 ORDER BY name", sums)

    for batch in range(2):
        messages = list(source.changes(60, keys=25))
        sent += sum(
            2 if b'"op": "u"' in message.value else 1 for message in messages if message.value
        )
        lab.produce(topic, *messages)
        check()
        if batch == 0:
            for name in targets:
                lab.sql(f"OPTIMIZE TABLE {name}")
    old = next(row for row in source.rows.values() if row["price"] > 0)
    new = {**old, "id": old["id"] + 100, "rev": old["rev"] + 1}
    lab.produce(topic, source.change("u", old, new))
    sent += 2
    check()
    for name in targets:
        lab.sql(f"OPTIMIZE TABLE {name} FINAL")
    check()
    kinds: dict[str, int] = dict(lab.sql("SELECT kind, count() FROM log GROUP BY kind"))
    assert set(kinds) == {"+I", "-U", "+U", "-D"}
    assert kinds["-U"] == kinds["+U"]


def test_a_table_kept_by_key_takes_other_rows_too(lab: Lab, topic: str) -> None:
    """INSERTs and views over plain messages replace rows by key; nothing is there twice."""
    lab.make_topic(topic)
    lab.queue("q", topic, "id UInt32, name String")
    lab.sql(
        "CREATE TABLE kept (id UInt32, name String) ENGINE = MergeTree PRIMARY KEY id "
        "SETTINGS kept_by_key = 1"
    )
    assert "SETTINGS kept_by_key = 1" in lab.sql("SHOW CREATE TABLE kept")[0][0]
    lab.sql("CREATE MATERIALIZED VIEW m TO kept AS SELECT * FROM q")
    lab.sql("INSERT INTO kept VALUES (1, 'a'), (2, 'b'), (1, 'c')")
    query = "SELECT id, name FROM kept ORDER BY id"
    assert lab.sql(query) == [(1, "c"), (2, "b")]
    lab.produce(topic, {"id": 2, "name": "x"}, {"id": 3, "name": "y"}, {"id": 2, "name": "z"})
    lab.arrives(query, [(1, "c"), (2, "z"), (3, "y")])
    lab.sql("INSERT INTO kept SELECT id, 'all' FROM kept WHERE id > 1")
    assert lab.sql(query) == [(1, "c"), (2, "all"), (3, "all")]
    with pytest.raises(SluiceError, match="kept_by_key is refused"):
        lab.sql("ALTER TABLE kept RESET SETTING kept_by_key")


def test_changes_by_key(lab: Lab, topic: str) -> None:
    """With a PRIMARY KEY on the Kafka table changes need no old row."""
    lab.make_topic(topic)
    settings = (
        f"kafka_broker_list = '{lab.brokers}', kafka_topic_list = '{topic}', "
        f"kafka_group_name = '{topic}', kafka_format = 'DebeziumJSON', "
        "kafka_flush_interval_ms = 100"
    )
    columns = "id UInt32, name String, doc String"
    lab.sql(f"CREATE TABLE q ({columns}) ENGINE = Kafka PRIMARY KEY id SETTINGS {settings}")
    lab.sql(
        f"CREATE TABLE live ({columns}, v UInt64, gone UInt8) "
        "ENGINE = ReplacingMergeTree(v, gone) ORDER BY id"
    )
    lab.sql(
        "CREATE TABLE kept (id UInt32, title String, doc String) "
        "ENGINE = MergeTree PRIMARY KEY id SETTINGS kept_by_key = 1"
    )
    lab.sql(
        "CREATE MATERIALIZED VIEW a TO live AS "
        "SELECT id, name, _version AS v, _is_deleted AS gone FROM q"
    )
    lab.sql("CREATE MATERIALIZED VIEW b TO kept AS SELECT id, name AS title, doc FROM q")

    def event(op: str, before: Row | None, after: Row | None) -> Row:
        return {"before": before, "after": after, "op": op}

    lab.produce(
        topic,
        event("r", None, {"id": 1, "name": "a", "doc": "x"}),
        event("r", None, {"id": 2, "name": "b", "doc": "y"}),
        event("c", None, {"id": 3, "name": "c", "doc": "z"}),
    )
    lab.arrives("SELECT id, name FROM live ORDER BY id", [(1, "a"), (2, "b"), (3, "c")])
    lab.produce(
        topic,
        event("u", None, {"id": 1, "name": "aa", "doc": "__debezium_unavailable_value"}),
        event("d", {"id": 2}, None),
        event("u", {"id": 3}, {"id": 4, "name": "d", "doc": "w"}),
        event("d", {"id": 9}, None),
    )
    lab.arrives("SELECT id, name FROM live ORDER BY id", [(1, "aa"), (4, "d")])
    lab.arrives("SELECT id, title, doc FROM kept ORDER BY id", [(1, "aa", "x"), (4, "d", "w")])


def test_a_select_reads_changes_of_every_format(lab: Lab, topic: str) -> None:
    """Signs make the sums right (FL-89); versions follow the order of a partition."""
    events = {
        "DebeziumJSON": debezium(postgres=True, schema=True),
        "CanalJSON": canal(),
        "MaxwellJSON": maxwell(),
        "OggJSON": ogg(),
    }
    columns = "id UInt32, name String, weight Float64"
    parts = []
    for name, messages in events.items():
        lab.produce(f"{topic}_{name}", *encoded(messages), None)
        lab.queue(name, f"{topic}_{name}", columns, kafka_format=name)
        parts.append(
            f"SELECT '{name}', name, toString(sum(weight * _sign)), sum(_sign), "
            "countIf(_row_kind = '-D'), sum(_is_deleted), uniqExact(_version) = count() "
            f"FROM {name} GROUP BY name"
        )
    found: dict[str, dict[str, tuple[Any, ...]]] = {name: {} for name in events}
    for name, product, *rest in lab.sql(" UNION ALL ".join(parts)):
        found[name][product] = tuple(rest)
    for name, sums in found.items():
        weights = {product: f"{float(weight):.3f}" for product, (weight, *_) in sums.items()}
        assert weights == SUMS, name
        assert sums["scooter"][1:] == (1, 1, 2, True), name
        assert sums["hammer"][1:] == (3, 0, 1, True), name
    lab.queue(
        "strict", f"{topic}_OggJSON", columns, kafka_format="OggJSON", kafka_schema_drift="fail"
    )
    with pytest.raises(SluiceError, match="description"):
        lab.sql("SELECT * FROM strict")
