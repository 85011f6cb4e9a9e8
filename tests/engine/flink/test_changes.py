"""Change-data formats and upsert-kafka as sources: what SELECT finds in a topic of changes."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from change_events import (
    CHANGES,
    COLUMNS,
    MORE_CHANGES,
    SUMS,
    canal,
    debezium,
    encoded,
    final,
    maxwell,
    ogg,
)

from sluice.errors import SluiceError
from sluice.kafka.producer import Message

if TYPE_CHECKING:
    from change_events import Change

    from engine.flink.flink_lab import FlinkLab
    from engine.lab import Row

KEY = "PRIMARY KEY (id) NOT ENFORCED"
VARIANTS: dict[str, tuple[str, list[dict[str, Any]], dict[str, str]]] = {
    "plain": ("debezium-json", debezium(), {}),
    "wrapped": ("debezium-json", debezium(schema=True), {"debezium_json__schema_include": "true"}),
    "postgres": ("debezium-json", debezium(postgres=True), {}),
    "canal": ("canal-json", canal(), {"canal_json__table__include": "products[0-9]"}),
    "maxwell": ("maxwell-json", maxwell(), {}),
    "ogg": ("ogg-json", ogg(), {}),
}
"""Formats with their messages and options."""


def rows_of(flink: FlinkLab, *tables: str) -> dict[str, list[Row]]:
    """The rows of tables of products, read by one query."""
    parts = (f"SELECT '{t}' AS t, id, name, description, weight FROM {t}" for t in tables)
    found: dict[str, list[Row]] = {table: [] for table in tables}
    for table, *row in sorted(flink.sql(" UNION ALL ".join(parts)), key=repr):
        found[table].append(tuple(row))
    return found


def wanted() -> list[Row]:
    """The rows that the changes leave."""
    kept = sorted(final().items())
    assert [id_ for id_, _ in kept] == list(range(101, 111))
    return [
        (id_, r["name"], r["description"], Decimal(str(r["weight"])).quantize(Decimal("0.001")))
        for id_, r in kept
    ]


def test_current_rows_of_every_format(flink: FlinkLab) -> None:
    """FL-86, FL-87, FL-88, FL-89, FL-94, FL-97: with a PRIMARY KEY and without one.

    Without one a row is left over if what takes it back differs, as where an old NULL is not one.
    """
    operations = Counter(event["op"] for event in VARIANTS["postgres"][1])
    assert operations == {"r": 9, "u": 4, "c": 2, "d": 1}
    tables = []
    for name, (format_, events, options) in VARIANTS.items():
        # A tombstone follows a deleted row in a topic that is compacted.
        flink.produce(f"{flink.database}_{name}", *encoded(events), Message(None, b"gone"))
        for suffix, more in (("", ""), ("_keyed", f", {KEY}")):
            table = f"{name}{suffix}"
            topic = f"{flink.database}_{name}"
            flink.table(table, COLUMNS + more, topic, format=format_, **options)
            tables.append(table)
    found = rows_of(flink, *tables)
    assert found == dict.fromkeys(tables, wanted())
    sums = flink.sql("SELECT name, SUM(weight) FROM plain GROUP BY name")
    assert {name: str(weight) for name, weight in sums} == SUMS
    assert flink.sql("SELECT COUNT(*) FROM canal_keyed WHERE weight > 5") == [(3,)]


def test_every_change_is_a_row_of_the_changelog(flink: FlinkLab) -> None:
    """FL-86, FL-93: 16 events of Debezium are 20 rows; Canal's messages with several rows 26."""
    changes = [*CHANGES, *MORE_CHANGES]
    events = {"debezium": debezium(), "canal": canal(changes)}
    assert [len(each["data"]) for each in events["canal"][1:]] == [9, 2, 2, 2, 1, 2, 2]
    for name, messages in events.items():
        topic = f"{flink.database}_{name}"
        flink.produce(topic, *encoded(messages))
        flink.table(name, COLUMNS, topic, format=f"{name}-json")
        flink.sql(
            f"CREATE TABLE {name}_history (op STRING, {COLUMNS}) "
            "WITH ('connector' = 'delta', 'changelog.column' = 'op')"
        )
        flink.start(f"INSERT INTO {name}_history SELECT * FROM {name}")
    count = "SELECT op, COUNT(*) FROM {}_history GROUP BY op ORDER BY op"
    flink.arrives(count.format("debezium"), [("+I", 11), ("+U", 4), ("-D", 1), ("-U", 4)])
    flink.arrives(count.format("canal"), [("+I", 11), ("+U", 6), ("-D", 3), ("-U", 6)])
    old = "SELECT description FROM canal_history WHERE op = '-U' AND id = 106"
    assert flink.sql(old) == [(None,)]
    rows = flink.sql("SELECT id, CAST(weight AS STRING) FROM canal ORDER BY id")
    assert rows == [
        (id_, str(Decimal(str(row["weight"])).quantize(Decimal("0.001"))))
        for id_, row in sorted(final(changes).items())
    ]
    assert [id_ for id_, _ in rows] == [101, 104, 105, 106, 107, 108, 109, 110]
    weights: dict[Any, Any] = dict(rows)
    assert [weights[id_] for id_ in (101, 107, 110)] == ["5.170", "5.100", "0.500"]


def test_metadata_of_messages_and_envelopes(flink: FlinkLab) -> None:
    """FL-90, FL-95: keys of the connector and of the format mix freely."""
    topics = {name: f"{flink.database}_{name}" for name in ("plain", "postgres", "canal")}
    for name, topic in topics.items():
        flink.produce(topic, *encoded(VARIANTS[name][1][:2]))
    flink.table(
        "m",
        "id INT, part INT METADATA FROM 'partition' VIRTUAL, "
        "at_ TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, "
        "made TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, "
        "db STRING METADATA FROM 'value.source.database' VIRTUAL, "
        "sch STRING METADATA FROM 'value.source.schema' VIRTUAL, "
        "tab STRING METADATA FROM 'value.source.table' VIRTUAL, "
        "props MAP<STRING, STRING> METADATA FROM 'value.source.properties' VIRTUAL",
        topics["plain"],
        format="debezium-json",
    )
    first, _ = flink.sql("SELECT * FROM m ORDER BY id")
    times = (datetime.fromtimestamp(1589355606.1, UTC), datetime.fromtimestamp(0, UTC))
    assert first[:7] == (101, 0, *times, "inventory", None, "products")
    assert len(first[7]) == 14
    flink.table(
        "p",
        "id INT, place STRING METADATA FROM 'topic' VIRTUAL, "
        "at_ TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, "
        "made TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, "
        "db STRING METADATA FROM 'value.source.database' VIRTUAL, "
        "sch STRING METADATA FROM 'value.source.schema' VIRTUAL, "
        "tab STRING METADATA FROM 'value.source.table' VIRTUAL, "
        "props MAP<STRING, STRING> METADATA FROM 'value.source.properties' VIRTUAL, "
        "whole STRING METADATA FROM 'value.schema' VIRTUAL, twice AS id * 2",
        topics["postgres"],
        format="debezium-json",
    )
    first, _ = flink.sql("SELECT * FROM p ORDER BY id")
    at = datetime.fromtimestamp(1596001099.434, UTC)
    assert first[:7] == (101, topics["postgres"], at, at, "postgres", "inventory", "products")
    assert len(first[7]) == 11
    assert (first[7]["lsn"], first[7]["xmin"], first[8:]) == ("34078720", None, (None, 202))
    flink.table(
        "c",
        "id INT, db STRING METADATA FROM 'value.database' VIRTUAL, "
        "tab STRING METADATA FROM 'value.table' VIRTUAL, "
        "types MAP<STRING, INT> METADATA FROM 'value.sql-type' VIRTUAL, "
        "pk ARRAY<STRING> METADATA FROM 'value.pk-names' VIRTUAL, "
        "read_ TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, "
        "done TIMESTAMP_LTZ(3) METADATA FROM 'value.event-timestamp' VIRTUAL",
        topics["canal"],
        format="canal-json",
    )
    (first, *_) = flink.sql("SELECT * FROM c WHERE id = 101")
    assert first[1:5] == (
        "inventory", "products2", {"id": 4, "name": 12, "description": 12, "weight": 7}, ["id"],
    )  # fmt: skip
    assert first[5:] == (
        datetime.fromtimestamp(1589373515.477, UTC),
        datetime.fromtimestamp(1589373515, UTC),
    )


def test_bad_messages_among_changes(flink: FlinkLab) -> None:
    """FL-91: a message that is no change stops the reading, or is skipped where errors are."""
    topic = flink.database
    bad = {**debezium()[0], "op": "UNKNOWN_OP"}
    flink.produce(topic, debezium()[0], bad, b'{"before":null,"after":{"id":1', [], debezium()[1])
    flink.table("strict", COLUMNS, topic, format="debezium-json")
    with pytest.raises(SluiceError) as stopped:
        flink.sql("SELECT COUNT(*) FROM strict")
    assert "Corrupt Debezium JSON message" in str(stopped.value)
    flink.table(
        "lenient",
        COLUMNS,
        topic,
        format="debezium-json",
        debezium_json__ignore_parse_errors="true",
    )
    assert flink.sql("SELECT id FROM lenient ORDER BY id") == [(101,), (102,)]


@pytest.mark.parametrize(
    "format_", ["debezium-json", pytest.param("canal-json", marks=pytest.mark.slow)]
)
def test_errors_after_decoding_are_not_parse_errors(flink: FlinkLab, format_: str) -> None:
    """FL-92: ignore-parse-errors skips a bad message; what fails in query or sink stops the job."""

    def put(*rows: tuple[int, str | None]) -> list[bytes]:
        changes: list[Change] = [(None, {"id": id_, "name": name}) for id_, name in rows]
        return encoded(debezium(changes) if format_ == "debezium-json" else canal(changes))

    queries = {
        "cast": ("v INT", "SELECT id, CAST(name AS INT) FROM {}", "x"),
        "nulls": ("v STRING NOT NULL", "SELECT id, name FROM {}", None),
    }
    jobs = {}
    for name, (column, query, _) in queries.items():
        topic = f"{flink.database}_{name}"
        flink.produce(topic, *put((1, "1")), b'{"op":"?","type":"?"}', b"{", *put((2, "2")))
        lenient = {f"{format_.replace('-', '_')}__ignore_parse_errors": "true"}
        flink.table(
            f"{name}_changes", f"id INT, name STRING, {KEY}", topic, format=format_, **lenient
        )
        flink.sql(f"CREATE TABLE {name} (id INT, {column}, {KEY})")
        jobs[name] = flink.start(f"INSERT INTO {name} {query.format(f'{name}_changes')}")
    for name, (_, _, wrong) in queries.items():
        flink.arrives(f"SELECT id FROM {name} ORDER BY id", [(1,), (2,)])
        flink.produce(f"{flink.database}_{name}", *put((3, "3"), (4, wrong)))
    for name, words in (("cast", "'x'"), ("nulls", "'v'")):
        status, error = (str(flink.job_becomes(jobs[name], "WAITING(")[n]) for n in (2, 6))
        assert "CANNOT_PARSE_MESSAGE" not in status
        assert words in error, error
        assert flink.sql(f"SELECT id FROM {name} ORDER BY id") == [(1,), (2,)]


def test_rows_of_keys(flink: FlinkLab) -> None:
    """FL-60: of upsert-kafka the last record of a key counts, and one without a value deletes."""
    topic = flink.database

    def put(id_: int, name: str) -> Message:
        return Message(b'{"id":%d,"name":"%s"}' % (id_, name.encode()), b'{"id":%d}' % id_)

    def delete(id_: int) -> Message:
        return Message(None, b'{"id":%d}' % id_)

    flink.produce(
        topic, put(1, "a"), put(2, "b"), put(1, "c"), delete(2), put(2, "d"), put(3, "e"),
        delete(3), delete(4),
    )  # fmt: skip
    upsert = {"connector": "upsert-kafka", "scan__startup__mode": "", "format": ""}
    upsert |= {"key__format": "json", "value__format": "json"}
    for name, include in (("whole", "ALL"), ("split", "EXCEPT_KEY")):
        flink.table(
            name,
            f"id INT, name STRING, twice AS id * 2, {KEY}",
            topic,
            **upsert,
            value__fields_include=include,
        )
        found = flink.sql(f"SELECT id, name, twice FROM {name} ORDER BY id")
        assert found == [(1, "c", 2), (2, "d", 4)]
    flink.produce(topic, Message(b'{"name":"nobody"}'))
    with pytest.raises(SluiceError, match="The key of the message is NULL"):
        flink.sql("SELECT id, name FROM split")
