"""`kafka_schema_drift` = evolve: columns that changes have and their Kafka table does not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab

KEPT = "ENGINE = MergeTree PRIMARY KEY id SETTINGS kept_by_key = 1"


def change(before: Any, after: Any) -> str:
    """A change as Debezium writes it."""
    op = "c" if before is None else "d" if after is None else "u"
    return json.dumps({"before": before, "after": after, "op": op})


def changes(lab: Lab, topic: str, columns: str = "id UInt64, name String", **more: Any) -> None:
    """The Kafka table `q` of Debezium's changes."""
    lab.queue("q", topic, columns, kafka_format="DebeziumJSON", kafka_schema_drift="evolve", **more)


def described(lab: Lab, table: str) -> dict[str, str]:
    """The columns of a table with their types."""
    return {row[0]: row[1] for row in lab.sql(f"DESCRIBE TABLE {table}")}


@pytest.mark.slow
def test_every_target(lab: Lab, topic: str) -> None:
    """Kept by key, Replacing, a log, a view's own table; a view that names its columns beside."""
    lab.make_topic(topic, 1)
    changes(lab, topic)
    lab.sql(f"CREATE TABLE kept (id UInt64, name String) {KEPT}")
    lab.sql(
        "CREATE TABLE live (id UInt64, name String, version UInt64, is_deleted UInt8) "
        "ENGINE = ReplacingMergeTree(version, is_deleted) ORDER BY id"
    )
    lab.sql("CREATE TABLE log (id UInt64, name String, k String) ENGINE = MergeTree ORDER BY id")
    lab.sql("CREATE TABLE plain (id UInt64, n UInt64, s Int8) ENGINE = MergeTree ORDER BY id")
    lab.sql("CREATE MATERIALIZED VIEW m1 TO kept AS SELECT * FROM q")
    lab.sql(
        "CREATE MATERIALIZED VIEW m2 TO live AS "
        "SELECT *, _version AS version, _is_deleted AS is_deleted FROM q"
    )
    lab.sql("CREATE MATERIALIZED VIEW m3 TO log AS SELECT *, _row_kind AS k FROM q WHERE id < 3")
    lab.sql("CREATE MATERIALIZED VIEW m4 TO plain AS SELECT id, _version AS n, _sign AS s FROM q")
    lab.sql(
        "CREATE MATERIALIZED VIEW own ENGINE = MergeTree ORDER BY id AS "
        "SELECT *, _row_kind AS k FROM q"
    )
    one = {"id": 1, "name": "a"}
    lab.produce(topic, change(None, one))
    lab.arrives("SELECT * FROM kept", [(1, "a")])
    two = {"id": 2, "name": "b", "n": 5, "tags": ["x"]}
    three = {"id": 3, "name": "c", "late": True}
    new = {"id": 1, "name": "a", "n": 7}
    lab.produce(topic, change(None, two), change(one, new), change(None, three))
    rows = [(1, "a", 7, None, None), (2, "b", 5, '["x"]', None), (3, "c", None, None, True)]
    lab.arrives("SELECT * FROM kept ORDER BY id", rows)
    more = "n, tags, late"
    lab.arrives(f"SELECT id, name, {more} FROM live ORDER BY id", rows)
    logged = [(1, "a", 7, None, None), (1, "a", None, None, None), *rows[1:]]
    columns = "SELECT count() FROM system.columns WHERE database = currentDatabase()"
    lab.arrives(f"{columns} AND table = 'own' AND name = 'late'", [(1,)])
    lab.arrives(f"SELECT id, name, {more} FROM own WHERE k != '-U' ORDER BY id, n", logged)
    types = {"n": "Nullable(Int64)", "tags": "Nullable(String)", "late": "Nullable(Bool)"}
    for table in ("kept", "live", "own"):
        found = described(lab, table)
        assert {name: found.get(name) for name in types} == types, table
    assert list(described(lab, "log")) == ["id", "name", "k", "n", "tags"]  # its filter has no late
    assert list(described(lab, "plain")) == ["id", "n", "s"]
    lab.produce(topic, change(two, None), change(three, {**three, "n": 9}))
    left = [rows[0], (3, "c", 9, None, True)]
    lab.arrives("SELECT * FROM kept ORDER BY id", left)
    lab.sql("OPTIMIZE TABLE live FINAL")
    lab.sql("OPTIMIZE TABLE kept")
    assert lab.sql(f"SELECT id, name, {more} FROM live ORDER BY id") == left
    assert lab.sql("SELECT * FROM kept ORDER BY id") == left
    lab.sql("INSERT INTO kept (id, name, late) VALUES (4, 'd', false)")
    assert lab.sql("SELECT * FROM kept WHERE id = 4") == [(4, "d", None, None, False)]


@pytest.mark.slow
def test_bad_columns_are_dead_letters(lab: Lab, topic: str) -> None:
    """A value that does not fit, names that are taken, views that would fail; a redrive."""
    lab.make_topic(topic, 1)
    changes(lab, topic, kafka_handle_error_mode="dead_letter_queue")
    lab.sql("CREATE TABLE log (id UInt64, name String, k String) ENGINE = MergeTree ORDER BY id")
    lab.sql("CREATE MATERIALIZED VIEW m TO log AS SELECT *, _row_kind AS k FROM q")
    lab.produce(
        topic,
        change(None, {"id": 1, "name": "a", "n": 5}),
        change(None, {"id": 2, "name": "a", "n": "five"}),
        change(None, {"id": 3, "name": "a", "K": 1}),
        change(None, {"id": 4, "name": "a", "k": 1}),
        change(None, {"id": 5, "name": "a", "__x": 1}),
        change(None, {"id": 6, "name": "a", "x" * 300: 1}),
        change(None, {"id": 7, "name": "a", "n": 6}),
    )
    lab.arrives("SELECT * FROM log ORDER BY id", [(1, "a", "+I", 5), (7, "a", "+I", 6)])
    letters = (
        "SELECT error FROM system.dead_letter_queue "
        f"WHERE database = '{lab.database}' ORDER BY kafka_offset"
    )
    texts = [text for (text,) in lab.sql(letters)]
    for text, part in zip(
        texts,
        ("key n", "case alone", "fills the column k", "reserved", "1 to 255 letters"),
        strict=True,
    ):
        assert part in text, texts
    lab.sql("CREATE TABLE copy (id UInt64, name String, k String, n Nullable(Int64)) "
            "ENGINE = MergeTree ORDER BY id")  # fmt: skip
    lab.sql("CREATE MATERIALIZED VIEW down TO copy AS SELECT * FROM log")
    lab.produce(topic, change(None, {"id": 8, "name": "a", "m": 1}))
    lab.produce(topic, change(None, {"id": 9, "name": "a", "n": 9}))
    lab.arrives("SELECT id, n FROM copy ORDER BY id", [(9, 9)])
    assert "down" in lab.sql(letters)[-1][0]
    assert "m" not in described(lab, "log")
    lab.sql("DROP VIEW down")
    lab.sql("ALTER TABLE log ADD COLUMN m Nullable(Int64)")
    answer = lab.sql("REDRIVE DEAD LETTERS FROM q")
    assert len([row for row in answer if "redriven" in map(str, row)]) == 1, answer
    assert lab.sql("SELECT id, m FROM log WHERE m = 1") == [(8, 1)]


@pytest.mark.slow
def test_two_views_into_one_table(lab: Lab, topic: str) -> None:
    """Both add columns to it at once: one commit waits for the other's, and neither is lost."""
    lab.make_topic(topic, 1)
    changes(lab, topic)
    lab.sql("CREATE TABLE log (id UInt64, name String, k String) ENGINE = MergeTree ORDER BY id")
    for name, which in (("low", "id < 10"), ("high", "id >= 10")):
        lab.sql(
            f"CREATE MATERIALIZED VIEW {name} TO log AS "
            f"SELECT *, _row_kind AS k FROM q WHERE {which}"
        )
    for n in range(3):
        both, low, high = f"both{n}", f"low{n}", f"high{n}"
        lab.produce(
            topic,
            change(None, {"id": n, "name": "a", both: 1, low: 2}),
            change(None, {"id": 10 + n, "name": "b", both: 3, high: 4}),
        )
        lab.arrives("SELECT count() FROM log", [(2 * n + 2,)])
        eventually(lambda: {both, low, high} <= described(lab, "log").keys())  # noqa: B023
        rows = lab.sql(f"SELECT {both}, {low}, {high} FROM log WHERE {both} > 0 ORDER BY id")
        assert rows == [(1, 2, None), (3, None, 4)]
    assert len(described(lab, "log")) == 3 + 9


def test_refusals(lab: Lab, topic: str) -> None:
    """Targets that keep no rows; formats that are not changes."""
    lab.make_topic(topic, 1)
    changes(lab, topic)
    lab.sql("CREATE TABLE nothing (id UInt64, name String, k String) ENGINE = Null")
    with pytest.raises(SluiceError, match=r"cannot get the columns.*not a stored table"):
        lab.sql("CREATE MATERIALIZED VIEW m TO nothing AS SELECT *, _row_kind AS k FROM q")
    lab.sql("CREATE MATERIALIZED VIEW m TO nothing AS SELECT id, name, _row_kind AS k FROM q")
    for format_ in ("JSONEachRow", "Avro"):
        with pytest.raises(SluiceError, match=r"kafka_schema_drift.*change data, and the format"):
            lab.queue("p", topic, kafka_format=format_, kafka_schema_drift="evolve")


@pytest.mark.slow
def test_columns_of_a_table_are_limited(
    lab: Lab, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A producer cannot add columns without end; dropped ones may come back, anew."""
    monkeypatch.setattr("sluice.planner.schema_drift.MOST_COLUMNS", 4)
    lab.make_topic(topic, 1)
    changes(lab, topic, kafka_handle_error_mode="dead_letter_queue")
    lab.sql(f"CREATE TABLE kept (id UInt64, name String) {KEPT}")
    lab.sql("CREATE MATERIALIZED VIEW m TO kept AS SELECT * FROM q")
    many = {f"c{n}": n for n in range(50)}
    lab.produce(
        topic,
        change(None, {"id": 1, "name": "a", "x": 1, "y": 2}),
        change(None, {"id": 2, "name": "b", **many}),
        change(None, {"id": 3, "name": "c", "x": 3}),
    )
    lab.arrives("SELECT * FROM kept ORDER BY id", [(1, "a", 1, 2), (3, "c", 3, None)])
    lab.sql("ALTER TABLE kept DROP COLUMN x")
    assert lab.sql("SELECT * FROM kept WHERE id = 1") == [(1, "a", 2)]
    lab.produce(topic, change(None, {"id": 4, "name": "d", "x": "four"}))
    wanted = [(1, "a", 2, None), (3, "c", None, None), (4, "d", None, "four")]
    lab.arrives("SELECT * FROM kept ORDER BY id", wanted)
