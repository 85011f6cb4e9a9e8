"""Jobs over changelogs: state between batches, several streams, restarts."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from change_events import CHANGES, COLUMNS, SUMS, debezium, encoded
from waiting import eventually

from engine.lab import PATIENCE
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab
    from engine.lab import Row


def by_key(flink: FlinkLab, name: str, columns: str) -> None:
    """A target of changes."""
    topic = f"{flink.database}_{name}_out"
    flink.make_topic(topic)
    flink.table(
        name,
        columns,
        topic,
        connector="upsert-kafka",
        format="",
        scan__startup__mode="",
        key__format="json",
        value__format="json",
    )


def test_sums_of_a_changelog(flink: FlinkLab) -> None:
    """FL-89: SUM by name in batches, over a restart of the job; a group that is gone is deleted."""
    topic = flink.database
    events = encoded(debezium())
    flink.table("products", COLUMNS, topic, format="debezium-json")
    by_key(flink, "sums", "name STRING, w DECIMAL(38, 3), PRIMARY KEY (name) NOT ENFORCED")
    insert = "INSERT INTO sums SELECT name, SUM(weight) FROM products GROUP BY name"
    flink.produce(topic, *events[:12])
    job = flink.start(insert)
    flink.arrives("SELECT COUNT(*) FROM sums", [(7,)])
    ((path,),) = flink.sql(f"STOP JOB '{job}' WITH SAVEPOINT")
    flink.produce(topic, *events[12:])
    flink.sql(f"SET 'execution.savepoint.path' = '{path}'")
    flink.start(insert)
    flink.sql("RESET 'execution.savepoint.path'")
    wanted = sorted((name, Decimal(w)) for name, w in SUMS.items())
    flink.arrives("SELECT name, w FROM sums ORDER BY name", wanted)
    light = {"id": 200, "name": "hammer", "description": "no weight", "weight": 0}
    before = len(flink.consume(f"{topic}_sums_out"))
    flink.produce(topic, *encoded(debezium([(None, light), (CHANGES[0][1], None)])))
    left = [row for row in wanted if row[0] != "scooter"]
    flink.arrives("SELECT name, w FROM sums ORDER BY name", left)
    written = flink.consume(f"{topic}_sums_out")[before:]
    assert [message.key for message in written] == [b'{"name":"scooter"}']


def test_the_size_of_state_is_shown(flink: FlinkLab) -> None:
    """Of a changelog by operator, in bytes alone; Spark counts the rows of its own operators."""
    topic = flink.database
    flink.produce(topic, *debezium())
    flink.table(
        "products", f"{COLUMNS}, PRIMARY KEY (id) NOT ENFORCED", topic, format="debezium-json"
    )
    by_key(flink, "sums", "name STRING, w DECIMAL(38, 3), PRIMARY KEY (name) NOT ENFORCED")
    changes = flink.start("INSERT INTO sums SELECT name, SUM(weight) FROM products GROUP BY name")
    flink.table("events", "op STRING", topic)
    flink.sql("CREATE TABLE ops (op STRING)")
    plain = flink.start("INSERT INTO ops SELECT DISTINCT op FROM events")
    flink.sql("CREATE TABLE copied (op STRING)")
    stateless = flink.start("INSERT INTO copied SELECT op FROM events")
    flink.arrives("SELECT COUNT(*) FROM sums", [(len(SUMS),)])

    def kept(job: str) -> Row:
        columns = "state_rows, state_bytes, state_operators, state_operator_bytes"
        (row,) = flink.sql(f"SELECT {columns} FROM system.jobs WHERE id = '{job}'")
        return row

    rows, size, names, sizes = kept(changes)
    assert rows is None
    assert [name.partition("(")[0] for name in names] == [
        "the rows of ChangelogNormalize",
        "the sums of GroupAggregate",
    ]
    assert size == sum(sizes)
    assert min(sizes) > 0
    state = str(flink.job(changes)[-2]).splitlines()
    assert state == [f"{of} bytes: {name}" for of, name in zip(sizes, names, strict=True)]
    rows, size, names, _ = eventually(lambda: kept(plain), lambda row: row[0] == 3, PATIENCE)
    assert len(names) == 1
    assert size > 0
    assert str(flink.job(plain)[-2]).startswith("3 rows\n")
    assert kept(stateless) == (None, 0, [], [])


@pytest.mark.slow
def test_join_of_two_changelogs(flink: FlinkLab) -> None:
    """Two streams: each batch reads both by their own offsets; a match retracts the NULL row."""
    names, prices = f"{flink.database}_names", f"{flink.database}_prices"
    for table, topic, column in (("n", names, "name STRING"), ("p", prices, "price INT")):
        flink.table(
            table, f"id INT, {column}, PRIMARY KEY (id) NOT ENFORCED", topic, format="debezium-json"
        )
    by_key(flink, "j", "id INT, name STRING, price INT, PRIMARY KEY (id) NOT ENFORCED")

    def change(topic: str, before: object, after: object) -> None:
        op = "c" if before is None else "d" if after is None else "u"
        flink.produce(topic, {"before": before, "after": after, "op": op})

    change(names, None, {"id": 1, "name": "a"})
    change(names, None, {"id": 2, "name": "b"})
    change(prices, None, {"id": 2, "price": 5})
    flink.start("INSERT INTO j SELECT n.id, n.name, p.price FROM n LEFT JOIN p ON n.id = p.id")
    query = "SELECT * FROM j ORDER BY id"
    flink.arrives(query, [(1, "a", None), (2, "b", 5)])
    change(prices, None, {"id": 1, "price": 7})
    flink.arrives(query, [(1, "a", 7), (2, "b", 5)])
    change(prices, {"id": 2, "price": 5}, None)
    change(names, {"id": 1, "name": "a"}, {"id": 1, "name": "c"})
    flink.arrives(query, [(1, "c", 7), (2, "b", None)])
    change(names, {"id": 1, "name": "c"}, None)
    flink.arrives(query, [(2, "b", None)])


def test_bounded_changelog(flink: FlinkLab) -> None:
    """A job that ends reads the rows that the changes leave."""
    topic = flink.database
    flink.produce(topic, *encoded(debezium()))
    flink.table(
        "products", COLUMNS, topic, format="debezium-json", scan__bounded__mode="latest-offset"
    )
    flink.sql("CREATE TABLE kept (id INT, name STRING)")
    flink.sql("SET 'table.dml-sync' = 'true'")
    flink.sql("INSERT INTO kept SELECT id, name FROM products WHERE id > 105")
    assert [row[0] for row in flink.sql("SELECT id FROM kept ORDER BY id")] == [
        106,
        107,
        108,
        109,
        110,
    ]


@pytest.mark.slow
def test_a_key_in_several_partitions(flink: FlinkLab) -> None:
    """Its changes come to one partition, and with a later batch to another, or in another topic."""
    one, other = f"{flink.database}_one", f"{flink.database}_other"
    flink.make_topic(one, partitions=2)
    flink.make_topic(other, partitions=1)
    columns = "id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED"
    flink.table("changes", columns, one, format="debezium-json")
    flink.table("both", columns, f"{one};{other}", format="debezium-json")
    for target in ("stored", "filtered", "topics"):
        flink.sql(f"CREATE TABLE {target} ({columns})")

    def change(topic: str, partition: int, id_: int, name: str) -> None:
        event = {"before": None, "after": {"id": id_, "name": name}, "op": "u"}
        flink.produce(topic, Message(json.dumps(event).encode(), partition=partition))

    def arrive(*rows: tuple[int, str]) -> None:
        for target in ("stored", "filtered", "topics"):
            flink.arrives(f"SELECT * FROM {target} ORDER BY id", list(rows))

    def events() -> list[str]:
        rows = flink.session.execute(
            "SELECT message FROM system.pipeline_events "
            f"WHERE database = '{flink.database}' AND event = 'KEY_IN_SEVERAL_PARTITIONS'"
        )
        return sorted(text.split(", whose")[0] for (text,) in rows.fetchall())

    change(one, 0, 1, "a")
    change(one, 1, 2, "b")
    flink.start("INSERT INTO stored SELECT * FROM changes")
    flink.start("INSERT INTO filtered SELECT * FROM changes WHERE name <> ''")  # keeps state
    flink.start("INSERT INTO topics SELECT * FROM both")
    arrive((1, "a"), (2, "b"))
    change(one, 0, 1, "c")
    arrive((1, "c"), (2, "b"))
    assert events() == []
    change(other, 0, 1, "d")
    flink.arrives("SELECT name FROM topics WHERE id = 1", [("d",)])
    eventually(events, bool)
    names = f"{one}/0 and {other}/0"
    key = f"A key of {flink.database}.{{}} has changes in partitions {{}}"
    assert events() == [key.format("topics", names)]
    change(one, 1, 1, "e")
    arrive((1, "e"), (2, "b"))
    eventually(events, lambda found: len(found) == 3)
    assert sorted(events()) == sorted(
        [
            f"A key of a source of the query has changes in partitions {one}/0 and {one}/1",
            key.format("stored", f"{one}/0 and {one}/1"),
            key.format("topics", names),
        ]
    )
