"""upsert-kafka tables, read and written, and changelogs in topics that are read back equal."""

from __future__ import annotations

import json
import random
import uuid
from collections import Counter, defaultdict
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from sluice.engine.sinks.kafka import KafkaSink
from sluice.engine.storage.ledger import Writer
from sluice.errors import SluiceError
from sluice.kafka.producer import Message
from sluice.planner.spec import Rules, SinkSpec
from sluice.planner.topic_sink import flink_sink

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.flink.flink_lab import FlinkLab

Change = tuple[Any, ...]
"""A row kind, where the change was (partition, offset, row) or None, then the columns."""

HIDDEN = "__row_kind STRING, __at STRUCT<partition: INT, offset: BIGINT, row: INT>"
UPSERT = {
    "connector": "upsert-kafka",
    "format": "",
    "scan__startup__mode": "",
    "key__format": "json",
    "value__format": "json",
}
ONCE = {"sink__delivery_guarantee": "exactly-once", "sink__transactional_id_prefix": "p"}
IDS = "id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED"


@contextmanager
def written(flink: FlinkLab, table: str, job: str = "") -> Iterator[KafkaSink]:
    """The sink of a table, as a query has it."""
    engine = flink.session._engine
    found = engine.catalog.find(flink.database, table)
    assert found is not None
    names = tuple(c.name for c in found.columns if c.alias is None)
    into = SinkSpec(found, flink_sink(found), names, Rules())
    sink = KafkaSink(into, engine.spark(), Writer(job or str(uuid.uuid4()), 1, "0"))
    try:
        sink.start()
        yield sink
    finally:
        sink.close()


def rows(flink: FlinkLab, schema: str, changes: Sequence[Change], tasks: int = 2) -> Any:
    """Changes as a frame: the columns, then the hidden ones."""
    spark = flink.session._engine.spark()
    made = [(*columns, kind, at) for kind, at, *columns in changes]
    return spark.createDataFrame(made, f"{schema}, {HIDDEN}").coalesce(tasks)


def moment(text: str) -> datetime:
    """A TIMESTAMP as answers have it."""
    return datetime.fromisoformat(text)


def records(flink: FlinkLab, topic: str) -> list[tuple[Any, Any]]:
    """The keys and values of a topic, as JSON, partition by partition."""
    return [
        (json.loads(m.key or b"null"), None if m.value is None else json.loads(m.value))
        for m in flink.consume(topic)
    ]


def replayed(flink: FlinkLab, topic: str) -> dict[str, Any]:
    """What is left of a topic of keys when it is read from its beginning."""
    left: dict[str, Any] = {}
    places: dict[bytes | None, set[int | None]] = defaultdict(set)
    for message in flink.consume(topic):
        places[message.key].add(message.partition)
        left[(message.key or b"").decode()] = message.value
    assert all(len(partitions) == 1 for partitions in places.values())
    return {key: json.loads(value) for key, value in left.items() if value is not None}


@pytest.mark.slow
def test_last_change_of_each_key(flink: FlinkLab, topic: str) -> None:
    """FL-63, FL-66: one record per key and batch, by the place of a change; tombstones."""
    schema = "id BIGINT, v STRING"
    flink.make_topic(topic, 3)
    flink.table("t", "id BIGINT, v STRING NOT NULL, PRIMARY KEY (id) NOT ENFORCED", topic,
                **UPSERT, **ONCE)  # fmt: skip
    batches: list[list[Change]] = [
        [
            ("+I", (1, 5, 0), 1, "later partition"),
            ("+I", (0, 9, 0), 1, "earlier partition"),
            ("-U", (0, 3, 0), 2, "a"),
            ("+U", (0, 3, 1), 2, "b"),
            ("+I", (0, 2, 0), 2, "a"),
            ("+I", (0, 1, 0), 3, "x"),
            ("-D", (0, 8, 0), 3, None),
            ("-D", (0, 4, 0), 4, None),  # never seen
            ("-U", (0, 6, 0), 5, "old key"),
            ("+U", (0, 6, 1), 6, "new key"),
            ("+I", None, 7, "deletes come first"),
            ("-D", None, 7, None),
        ],
        [("-D", (0, 10, 0), 1, None), ("+U", (0, 11, 0), 2, "c")],
    ]
    job = str(uuid.uuid4())
    with written(flink, "t", job) as sink:
        sink.write(sink.prepare(rows(flink, schema, batches[0])), 0)
        first = records(flink, topic)
        sink.write(sink.prepare(rows(flink, schema, batches[0], 1)), 0)  # repeated, in other tasks
        assert records(flink, topic) == first
    assert sorted(first, key=repr) == [
        ({"id": 1}, {"id": 1, "v": "later partition"}),
        ({"id": 2}, {"id": 2, "v": "b"}),
        ({"id": 3}, None),
        ({"id": 4}, None),
        ({"id": 5}, None),
        ({"id": 6}, {"id": 6, "v": "new key"}),
        ({"id": 7}, {"id": 7, "v": "deletes come first"}),
    ]
    with written(flink, "t", job) as sink:  # a restart: the batch that is there is not repeated
        sink.write(sink.prepare(rows(flink, schema, batches[0])), 0)
        sink.write(sink.prepare(rows(flink, schema, batches[1])), 1)
    assert len(records(flink, topic)) == len(first) + 2
    assert replayed(flink, topic) == {
        '{"id":2}': {"id": 2, "v": "c"},
        '{"id":6}': {"id": 6, "v": "new key"},
        '{"id":7}': {"id": 7, "v": "deletes come first"},
    }
    assert flink.sql("SELECT * FROM t ORDER BY id") == [
        (2, "c"), (6, "new key"), (7, "deletes come first"),
    ]  # fmt: skip
    with (
        written(flink, "t") as sink,
        pytest.raises(Exception, match="Column 'v' is NOT NULL, however, a null value"),
    ):
        sink.write(sink.prepare(rows(flink, schema, [("+I", None, 1, None)])), 0)


@pytest.mark.slow
def test_a_batch_in_part(flink: FlinkLab, topic: str) -> None:
    """A batch that some tasks had written is divided as it was, also with other writers."""
    job = str(uuid.uuid4())
    flink.make_topic(topic, 4)
    small = {"properties__max__request__size": "20000", "sink__parallelism": 4}
    flink.table("t", IDS, topic, **UPSERT, **ONCE, **small)
    flink.table("other", IDS, topic, **UPSERT, **ONCE, sink__parallelism=2)
    changes: list[Change] = [("+I", (0, n, 0), n, str(n)) for n in range(99)]
    changes.append(("+I", (0, 99, 0), 99, "x" * 50_000))
    given = rows(flink, "id BIGINT, v STRING", changes)

    def attempt() -> int:
        with written(flink, "t", job) as sink, pytest.raises(SluiceError):
            sink.write(sink.prepare(given), 0)
        return len(records(flink, topic))

    part = eventually(attempt, lambda count: count > 0)
    with written(flink, "other", job) as sink:
        sink.write(sink.prepare(given), 0)
    assert part < len(records(flink, topic)) == 100
    assert sorted(row["id"] for row in replayed(flink, topic).values()) == list(range(100))


@pytest.mark.slow
def test_retractions_that_are_ignored_or_all_written(flink: FlinkLab, topic: str) -> None:
    """FL-39: ignore-retraction writes no tombstone; update-mode retract writes every change."""
    schema = "id BIGINT, v STRING"
    changes: list[Change] = [
        ("+I", (0, 0, 0), 1, "a"),
        ("-U", (0, 1, 0), 1, "a"),
        ("+U", (0, 1, 1), 1, "b"),
        ("+I", (0, 2, 0), 2, "c"),
        ("-D", (0, 3, 0), 2, "c"),
    ]
    a, b, c = ({"id": 1, "v": "a"}, {"id": 1, "v": "b"}, {"id": 2, "v": "c"})
    one, two = {"id": 1}, {"id": 2}
    ignored = "'connector.sink.ignore-retraction' = 'true'"
    cases: dict[str, tuple[str, list[tuple[Any, Any]]]] = {
        "upsert": ("'update-mode' = 'upsert'", [(one, b), (two, None)]),
        "ignoring": (ignored, [(one, b), (two, c)]),
        "retract": (
            "'update-mode' = 'retract'",
            [(one, a), (one, None), (one, b), (two, c), (two, None)],
        ),
        "puts": (f"'update-mode' = 'retract', {ignored}", [(one, a), (one, b), (two, c)]),
    }
    for name, (options, wanted) in cases.items():
        flink.make_topic(f"{topic}-{name}", 3)
        flink.sql(
            f"CREATE TABLE {name} ({IDS}) WITH ('connector.type' = 'upsert-kafka', "
            f"'connector.topic' = '{topic}-{name}', 'connector.sink-partitioner' = 'round-robin', "
            f"'connector.properties.bootstrap.servers' = '{flink.brokers}', "
            f"'format.type' = 'json', {options})"
        )
        with written(flink, name) as sink:
            sink.write(sink.prepare(rows(flink, schema, list(reversed(changes)))), 0)
        found = records(flink, f"{topic}-{name}")
        for key in (one, two):  # in order, and in one partition
            assert [r for r in found if r[0] == key] == [r for r in wanted if r[0] == key], name
    flink.sql("CREATE TABLE once WITH ('update-mode' = 'append') LIKE `upsert`")
    with written(flink, "once") as sink, pytest.raises(Exception, match="kind \\+I alone"):
        sink.write(sink.prepare(rows(flink, schema, changes)), 0)


def test_rows_by_key(flink: FlinkLab, topic: str) -> None:
    """FL-60, FL-61, FL-62, FL-65: rows that are written out, and what is left of them."""
    part = """`k_user_id` BIGINT, `name` STRING, `timestamp` TIMESTAMP(3) METADATA,
        `k_event_id` BIGINT, `user_id` INT, `payload` STRING,
        PRIMARY KEY (k_event_id, k_user_id) NOT ENFORCED"""
    for name in ("part", "whole", "buffered"):
        flink.make_topic(f"{topic}-{name}", 2)
    only = {"key__fields_prefix": "k_", "value__fields_include": "EXCEPT_KEY"}
    flink.table("part", part, f"{topic}-part", **UPSERT, **only)
    flink.sql(
        "INSERT INTO part VALUES"
        " (1, 'name 1', TIMESTAMP '2020-03-08 13:12:11.123', 100, 41, 'payload 1'),"
        " (2, 'name 2', TIMESTAMP '2020-03-09 13:12:11.123', 101, 42, 'payload 2'),"
        " (3, 'name 3', TIMESTAMP '2020-03-10 13:12:11.123', 102, 43, 'payload 3'),"
        " (2, 'name 2', TIMESTAMP '2020-03-11 13:12:11.123', 101, 42, 'payload')"
    )
    assert flink.sql("SELECT * FROM part ORDER BY k_user_id") == [
        (1, "name 1", moment("2020-03-08 13:12:11.123"), 100, 41, "payload 1"),
        (2, "name 2", moment("2020-03-11 13:12:11.123"), 101, 42, "payload"),
        (3, "name 3", moment("2020-03-10 13:12:11.123"), 102, 43, "payload 3"),
    ]
    found = {m.key: m.value for m in flink.consume(f"{topic}-part")}
    assert found[b'{"event_id":101,"user_id":2}'] == (
        b'{"name":"name 2","user_id":42,"payload":"payload"}'
    )

    whole = """`user_id` BIGINT, `name` STRING, `timestamp` TIMESTAMP(3) METADATA,
        `event_id` BIGINT, `payload` STRING, PRIMARY KEY (event_id, user_id) NOT ENFORCED"""
    csv = {**UPSERT, "key__format": "csv", "value__format": "csv"}
    flink.table("whole", whole, f"{topic}-whole", **csv, sink__parallelism=4)
    values = ", ".join(
        f"({n}, 'name {n}', TIMESTAMP '2020-03-08 13:12:11.123', {100 + n}, 'payload {i}')"
        for i in range(5)
        for n in range(20)
    )
    flink.sql(f"INSERT INTO whole VALUES {values}")
    # One message for each key of the statement, the last one; a later statement replaces it.
    assert len(flink.consume(f"{topic}-whole")) == 20
    flink.sql(
        "INSERT INTO whole VALUES (7, 'name', TIMESTAMP '2020-03-09 13:12:11.123', 107, 'new')"
    )
    assert len(flink.consume(f"{topic}-whole")) == 21
    query = "SELECT user_id, payload FROM whole WHERE event_id = 100 + user_id ORDER BY user_id"
    assert flink.sql(query) == [(n, "new" if n == 7 else "payload 4") for n in range(20)]

    buffer = {"sink__buffer_flush__max_rows": 2, "sink__buffer_flush__interval": "100000"}
    flink.table("buffered", IDS, f"{topic}-buffered", **UPSERT, **buffer)
    flink.sql("INSERT INTO buffered VALUES (1, 'a'), (2, 'b'), (3, 'c'), (3, 'd')")
    assert len(flink.consume(f"{topic}-buffered")) == 3
    assert flink.sql("SELECT * FROM buffered ORDER BY id") == [(1, "a"), (2, "b"), (3, "d")]


def test_reading(flink: FlinkLab, topic: str) -> None:
    """FL-62, FL-63, FL-64, FL-67, FL-68: ends, tombstones, NULLs, computed and metadata columns."""
    flink.make_topic(topic, 1)

    def message(user: int, event: int, payload: str | None, at: int) -> Message:
        key = f'{{"event_id":{event},"user_id":{user}}}'.encode()
        row = {"user_id": user, "event_id": event, "payload": payload}
        return Message(None if payload is None else json.dumps(row).encode(), key, timestamp=at)

    flink.produce(
        topic,
        message(1, 100, "payload 1", 1000),
        message(1, 100, "payload 1-new", 2000),
        message(2, 101, "payload 2", 3000),
        message(9, 109, None, 3500),  # never seen
        message(3, 102, "payload 3", 4000),
        message(2, 101, None, 5000),
    )
    columns = """user_id BIGINT, event_id BIGINT, payload STRING,
        seen TIMESTAMP(3) METADATA FROM 'timestamp', upper_payload AS UPPER(payload),
        PRIMARY KEY (event_id, user_id) NOT ENFORCED"""
    two = {"scan__bounded__mode": "specific-offsets"}
    time = {"scan__bounded__mode": "timestamp"}
    tables: dict[str, dict[str, Any]] = {
        "everything": {},
        "two": {**two, "scan__bounded__specific_offsets": "partition:0,offset:2"},
        "zero": {**two, "scan__bounded__specific_offsets": "partition:0,offset:0"},
        "timed": {**time, "scan__bounded__timestamp_millis": "3001"},
        "early": {**time, "scan__bounded__timestamp_millis": "1"},
    }
    found = {}
    for name, options in tables.items():
        flink.table(name, columns, topic, **UPSERT, **options)
        found[name] = flink.sql(f"SELECT user_id, upper_payload, seen FROM {name} ORDER BY user_id")
    one = (1, "PAYLOAD 1-NEW", moment("1970-01-01 00:00:02"))
    assert found == {
        "everything": [one, (3, "PAYLOAD 3", moment("1970-01-01 00:00:04"))],
        "two": [one],
        "zero": [],
        "timed": [one, (2, "PAYLOAD 2", moment("1970-01-01 00:00:03"))],
        "early": [],
    }
    assert flink.sql("SELECT COUNT(*), MAX(seen) FROM everything") == [
        (2, moment("1970-01-01 00:00:04"))
    ]

    flink.make_topic(f"{topic}-csv", 1)
    literal = {f"{half}__csv__null_literal": "<NULL>" for half in ("key", "value")}
    csv = {**UPSERT, "key__format": "csv", "value__format": "csv", **literal}
    columns = """k_id INT, ts TIMESTAMP(3), region STRING, upper_region AS UPPER(region),
        modification_time TIMESTAMP(3) METADATA FROM 'timestamp',
        PRIMARY KEY (k_id) NOT ENFORCED"""
    only = {"key__fields_prefix": "k_", "value__fields_include": "EXCEPT_KEY"}
    flink.table("regions", columns, f"{topic}-csv", **csv, **only)
    flink.sql(
        "INSERT INTO regions (k_id, ts, region, modification_time) VALUES"
        " (1, CAST(NULL AS TIMESTAMP(3)), 'berlin', TIMESTAMP '2020-03-08 13:12:11.123'),"
        " (2, TIMESTAMP '2021-01-01 00:00:00', 'paris', TIMESTAMP '2020-03-08 13:12:12')"
    )
    assert flink.sql("SELECT * FROM regions ORDER BY k_id") == [
        (1, None, "berlin", "BERLIN", moment("2020-03-08 13:12:11.123")),
        (2, moment("2021-01-01 00:00:00"), "paris", "PARIS", moment("2020-03-08 13:12:12")),
    ]


CARS = """
create table upsertKafkaSink(
  car_id STRING,
  car_owner STRING,
  car_brand STRING,
  car_speed INT,
  primary key (car_id) not enforced
)
with (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '0.11',
  'connector.topic' = '{topic}',
  'connector.properties.bootstrap.servers' = '{brokers}',
  'format.type' = 'csv'
);
"""


def test_fl_39_cars(flink: FlinkLab, topic: str) -> None:
    """The example of DLI's manual, fed by a query whose rows change."""
    flink.make_topic(topic, 2)
    flink.make_topic(f"{topic}-in", 1)
    flink.sql(CARS.format(topic=topic, brokers=flink.brokers))
    flink.table("cars", "id STRING, owner STRING, brand STRING, speed INT", f"{topic}-in")
    flink.sql(
        "INSERT INTO upsertKafkaSink SELECT id, MAX(owner), MAX(brand), MAX(speed) FROM cars "
        "GROUP BY id"
    )

    def car(n: int, speed: int) -> dict[str, Any]:
        return {"id": f"c{n}", "owner": f"owner {n}", "brand": "b", "speed": speed}

    def left() -> dict[bytes | None, bytes | None]:
        return {m.key: m.value for m in flink.consume(topic)}

    flink.produce(f"{topic}-in", *(car(n, speed) for speed in (10, 30, 20) for n in range(5)))
    wanted: dict[Any, Any] = {f"c{n}".encode(): f'c{n},"owner {n}",b,30'.encode() for n in range(5)}
    eventually(left, lambda found: found == wanted)
    flink.produce(f"{topic}-in", car(2, 50))
    wanted[b"c2"] = b'c2,"owner 2",b,50'
    eventually(left, lambda found: found == wanted)
    places = defaultdict(set)
    for message in flink.consume(topic):
        places[message.key].add(message.partition)
    assert {len(found) for found in places.values()} == {1}
    query = "SELECT car_id, car_speed FROM upsertKafkaSink ORDER BY car_id"
    assert flink.sql(query) == [(f"c{n}", 50 if n == 2 else 30) for n in range(5)]
    with pytest.raises(SluiceError, match="car_owner"):
        flink.sql(
            "INSERT INTO upsertKafkaSink SELECT MAX(id), owner, MAX(brand), MAX(speed) FROM cars "
            "GROUP BY owner"
        )


FORMATS: dict[str, dict[str, str]] = {
    "upsert": UPSERT,
    "upsert_csv": {
        **UPSERT,
        "key__format": "csv",
        "value__format": "csv",
        "value__csv__null_literal": "<NULL>",
    },
    "debezium": {"format": "debezium-json"},
    "canal": {"format": "canal-json"},
    "maxwell": {"format": "maxwell-json"},
    "ogg": {"format": "ogg-json"},
    "ogg_with_key": {
        "format": "",
        "value__format": "ogg-json",
        "key__format": "json",
        "key__fields": "id",
    },
}


def changelog(seed: int) -> tuple[list[list[Change]], dict[int, tuple[str | None, float]]]:
    """Batches of changes of a table with a key, and what it holds after them."""
    chance = random.Random(seed)  # noqa: S311 - a test
    table: dict[int, tuple[str | None, float]] = {}
    offset = 0
    batches: list[list[Change]] = []
    for _ in range(3):
        batch: list[Change] = []
        for _ in range(60):
            key, row = chance.randrange(20), (chance.choice(["é", "b,c", None]), chance.random())
            at, old = (0, offset, 0), table.get(key)
            offset += 1
            if old is None:
                batch.append(("+I", at, key, *row))
            elif chance.random() < 0.4:
                batch.append(("-D", at, key, *old))
                del table[key]
                continue
            else:
                batch += [("-U", at, key, *old), ("+U", (0, at[1], 1), key, *row)]
            table[key] = row
        chance.shuffle(batch)
        batches.append(batch)
    return batches, table


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("keyed", [True, False])
def test_replay(flink: FlinkLab, topic: str, keyed: bool) -> None:
    """A changelog that is written to a topic, once, and read from it is the same table."""
    columns = "id BIGINT, v STRING, x DOUBLE"
    batches, table = changelog(7)
    wanted = Counter((key, *row) for key, row in table.items())
    for name, options in FORMATS.items():
        if not keyed and name.startswith("upsert"):
            continue
        flink.make_topic(f"{topic}-{name}", 3)
        key = ", PRIMARY KEY (id) NOT ENFORCED" if keyed else ""
        flink.table(name, columns + key, f"{topic}-{name}", **options, **ONCE)
        job = str(uuid.uuid4())
        for n, batch in enumerate(batches):
            with written(flink, name, job) as sink:
                for _ in range(2):  # a batch that is run again changes nothing
                    sink.write(sink.prepare(rows(flink, columns, batch, 3)), n)
        assert Counter(flink.sql(f"SELECT * FROM {name}")) == wanted, name
        if keyed:  # all changes of a row are in one partition
            places = {m.partition for m in flink.consume(f"{topic}-{name}")}
            assert places == {0, 1, 2}


class Products:
    """A table somewhere else, and the Debezium messages of its random changes."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - a test
        self.rows: dict[int, dict[str, Any]] = {}

    def change(self, count: int) -> list[Message]:
        """So many changes, each as a message with its key."""
        return [self._change(self._chance.randrange(30)) for _ in range(count)]

    def _change(self, key: int) -> Message:
        before, after = self.rows.get(key), None
        if before is None or self._chance.random() < 0.7:
            name, weight = self._chance.choice("abcde"), self._chance.randrange(1, 9)
            after = self.rows[key] = {"id": key, "name": name, "weight": weight}
        else:
            del self.rows[key]
        op = "d" if after is None else "c" if before is None else "u"
        event = {"before": before, "after": after, "op": op}
        return Message(json.dumps(event).encode(), str(key).encode())

    def totals(self) -> list[Change]:
        """SELECT name, COUNT(*), SUM(weight) … GROUP BY name."""
        found: dict[str, list[int]] = defaultdict(list)
        for row in self.rows.values():
            found[row["name"]].append(row["weight"])
        return sorted((name, len(weights), sum(weights)) for name, weights in found.items())


@pytest.mark.slow
def test_jobs_over_changes(flink: FlinkLab, topic: str) -> None:
    """Changes from a topic to others, as they are and aggregated, and from those onwards."""
    row = "id INT, name STRING, weight INT"
    total = "name STRING, n BIGINT, s INT"
    by_id, by_name = (f", PRIMARY KEY ({key}) NOT ENFORCED" for key in ("id", "name"))
    tables: dict[str, tuple[str, dict[str, Any]]] = {
        "products": (row + by_id, {"format": "debezium-json"}),
        "latest": (row + by_id, {**UPSERT, **ONCE}),
        "heavy": (row, {"format": "debezium-json", **ONCE}),
        "totals": (total + by_name, {**UPSERT, **ONCE}),
        "history": (total, {"format": "canal-json"}),
        "again": (total + by_name, {**UPSERT, "sink__parallelism": 3}),
        "clicks": ("name STRING", {"format": "json"}),
        "counts": ("name STRING, n BIGINT", {"format": "ogg-json"}),
    }
    for name, (columns, options) in tables.items():
        flink.make_topic(f"{topic}-{name}", 1 if name == "clicks" else 2)
        flink.table(name, columns, f"{topic}-{name}", **options)
    aggregated = "SELECT name, COUNT(*), SUM(weight) FROM {} GROUP BY name"
    statements = [
        """EXECUTE STATEMENT SET BEGIN
           INSERT INTO latest SELECT id, name, weight FROM products;
           INSERT INTO heavy SELECT * FROM products WHERE weight > 4; END""",
        f"INSERT INTO totals {aggregated.format('products')}",
        f"INSERT INTO history {aggregated.format('latest')} HAVING COUNT(*) > 2",
        "INSERT INTO again SELECT name, n, s FROM totals WHERE s > 10",
        "INSERT INTO counts SELECT name, COUNT(*) FROM clicks GROUP BY name",
    ]
    for statement in statements:
        flink.start(statement)
    products, clicks = Products(3), Counter[str]()

    def check() -> None:
        rows = sorted(tuple(row.values()) for row in products.rows.values())
        totals = products.totals()
        wanted = {
            "latest": rows,
            "heavy": [each for each in rows if each[2] > 4],
            "totals": totals,
            "history": [each for each in totals if each[1] > 2],
            "again": [each for each in totals if each[2] > 10],
            "counts": sorted(clicks.items()),
        }
        for name, found in wanted.items():
            columns = ", ".join(
                c.split()[0] for c in tables[name][0].split(", PRIMARY")[0].split(", ")
            )
            flink.arrives(f"SELECT {columns} FROM {name} ORDER BY {columns}", found)

    for _ in range(2):
        flink.produce(f"{topic}-products", *products.change(150))
        named = [chr(97 + n % 3) for n in range(20)]
        clicks.update(named)
        flink.produce(f"{topic}-clicks", *({"name": name} for name in named))
        check()
