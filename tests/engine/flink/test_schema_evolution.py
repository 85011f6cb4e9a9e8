"""`schema.drift` = evolve: columns that changes have and their table does not declare."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from engine.lab import PATIENCE
from sluice.engine.storage import delta_log
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.flink.flink_lab import FlinkLab
    from sluice.catalog import Table

KEY = "PRIMARY KEY (id) NOT ENFORCED"


def change(before: Any, after: Any, schema: Any = None) -> Any:
    """A change as Debezium writes it, with a schema of its row if that is given."""
    op = "c" if before is None else "d" if after is None else "u"
    event = {"before": before, "after": after, "op": op}
    if schema is None:
        return event
    fields = [{"field": name, "optional": True, **type_} for name, type_ in schema.items()]
    row = {"type": "struct", "field": "after", "fields": fields}
    return {"schema": {"type": "struct", "fields": [row]}, "payload": event}


def source(flink: FlinkLab, name: str, columns: str, topic: str, **more: str) -> None:
    """A table of Debezium's changes whose targets evolve."""
    given = {"format": "debezium-json", "schema__drift": "evolve", **more}
    flink.table(name, columns, topic, **given)


def table_of(flink: FlinkLab, name: str) -> Table:
    """A table as the catalog has it."""
    found = flink.session._engine.catalog.find(flink.database, name)
    assert found is not None
    return found


def actions(flink: FlinkLab, name: str) -> list[dict[str, Any]]:
    """Of each commit of a table one action of every kind that it has."""
    path = flink.session._engine.store.path(table_of(flink, name))
    texts = (delta_log.commit(path, version) for version in delta_log.versions(path))
    return [{k: v for each in delta_log.actions(text) for k, v in each.items()} for text in texts]


def grown(flink: FlinkLab, name: str) -> list[list[str]]:
    """The columns of the Delta table after each commit that added some, which has rows too."""
    found = []
    for commit in actions(flink, name)[1:]:
        if "metaData" in commit:
            assert "add" in commit
            schema = json.loads(commit["metaData"]["schemaString"])
            found.append([field["name"] for field in schema["fields"]])
    return found


def described(flink: FlinkLab, name: str) -> dict[str, str]:
    """The columns of a table with their types."""
    return {row[0]: row[1] for row in flink.sql(f"DESCRIBE {name}")}


@pytest.mark.slow
def test_table_with_a_key(flink: FlinkLab) -> None:
    """Types of values; old rows keep NULL; an unavailable value stays; rows are replaced whole."""
    topic = flink.database
    source(flink, "changes", f"id INT, name STRING, {KEY}", topic)
    flink.sql(f"CREATE TABLE kept (id INT, name STRING, {KEY})")
    flink.produce(topic, change(None, {"id": 1, "name": "a", "more": None}))
    flink.start("INSERT INTO kept SELECT * FROM changes")
    flink.arrives("SELECT * FROM kept", [(1, "a")])
    assert list(described(flink, "kept")) == ["id", "name"]  # a NULL adds no column
    row = {"id": 2, "name": "b", "n": 5, "x": 0.5, "ok": True, "t": "u", "o": {"a": [1]}, "z": None}
    flink.produce(topic, change(None, row))
    query = "SELECT * FROM kept ORDER BY id"
    second = (2, "b", 5, 0.5, True, "u", '{"a":[1]}')
    flink.arrives(query, [(1, "a", *[None] * 5), second])
    assert described(flink, "kept") == {
        "id": "INT", "name": "STRING", "n": "BIGINT", "x": "DOUBLE", "ok": "BOOLEAN",
        "t": "STRING", "o": "STRING",
    }  # fmt: skip
    ((shown,),) = flink.sql("SHOW CREATE TABLE kept")
    assert "`n` BIGINT" in shown
    kept = {"id": 2, "name": "c", "n": 6, "t": "__debezium_unavailable_value"}
    flink.produce(topic, change(None, {"id": 1, "name": "a", "t": "v"}), change(row, kept))
    flink.arrives(
        query, [(1, "a", None, None, None, "v", None), (2, "c", 6, None, None, "u", None)]
    )
    flink.produce(topic, change({"id": 1}, None))
    flink.arrives(query, [(2, "c", 6, None, None, "u", None)])
    assert grown(flink, "kept") == [list(described(flink, "kept"))]
    engine = flink.session._engine
    added = [each for each in engine.catalog.events.all() if flink.database in each.message]
    assert "Column n BIGINT was added" in " ".join(each.message for each in added)
    assert [each.kind for each in added] == ["COLUMN_ADDED"] * 5


def test_types_of_the_schema(flink: FlinkLab) -> None:
    """Kafka Connect's types and encodings, which JSON values alone do not tell."""
    topic = flink.database
    source(flink, "changes", f"id INT, {KEY}", topic, debezium_json__schema_include="true")
    flink.sql(f"CREATE TABLE kept (id INT, {KEY})")
    decimal = {"scale": "2", "connect.decimal.precision": "10"}
    schema = {
        "id": {"type": "int32"},
        "small": {"type": "int16"},
        "day": {"type": "int32", "name": "io.debezium.time.Date"},
        "ms": {"type": "int64", "name": "io.debezium.time.Timestamp"},
        "us": {"type": "int64", "name": "io.debezium.time.MicroTimestamp"},
        "at_": {"type": "string", "name": "io.debezium.time.ZonedTimestamp"},
        "price": {
            "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal", "parameters": decimal
        },
        "raw_": {"type": "bytes"},
    }  # fmt: skip
    row = {
        "id": 1, "small": 7, "day": 19724, "ms": 1704164645123, "us": 1704164645123456,
        "at_": "2024-01-02T04:04:05.123456+01:00", "price": "MDk=", "raw_": "AQI=",
    }  # fmt: skip
    flink.produce(topic, change(None, row, schema))
    flink.start("INSERT INTO kept SELECT * FROM changes")
    local = datetime(2024, 1, 2, 3, 4, 5, 123456)  # noqa: DTZ001
    flink.arrives(
        "SELECT * FROM kept",
        [
            (
                1, 7, date(2024, 1, 2), local.replace(microsecond=123000), local,
                local.replace(tzinfo=UTC), Decimal("123.45"), b"\x01\x02",
            )
        ],
    )  # fmt: skip
    assert described(flink, "kept") == {
        "id": "INT", "small": "SMALLINT", "day": "DATE", "ms": "TIMESTAMP(6)", "us": "TIMESTAMP(6)",
        "at_": "TIMESTAMP_LTZ(6)", "price": "DECIMAL(10, 2)", "raw_": "BYTES",
    }  # fmt: skip


def test_log_of_changes(flink: FlinkLab) -> None:
    """Rows with their kinds, through a filter, a view and more columns; canal's MySQL types."""
    topic = flink.database
    source(flink, "changes", "id INT, name STRING", topic, format="canal-json")
    flink.sql("CREATE VIEW big AS SELECT * FROM changes WHERE id > 1")
    flink.sql(
        "CREATE TABLE log (id INT, name STRING, twice INT, op STRING) "
        "WITH ('connector' = 'delta', 'changelog.column' = 'op')"
    )
    flink.start("INSERT INTO log SELECT *, id * 2 FROM big")

    def event(kind: str, rows: list[Any], old: list[Any] | None, **types: str) -> Any:
        return {"data": rows, "old": old, "type": kind, "mysqlType": types}

    flink.produce(
        topic,
        event("INSERT", [{"id": "1", "name": "a", "gone": "x"}], None),
        event("INSERT", [{"id": "2", "name": "b", "price": "1.50"}], None, price="decimal(8,2)"),
    )
    query = "SELECT * FROM log ORDER BY id, op DESC"
    flink.arrives(query, [(2, "b", 4, "+I", Decimal("1.50"))])
    assert described(flink, "log")["price"] == "DECIMAL(8, 2)"
    assert "gone" not in described(flink, "log")  # no row of the query has had a value for it
    flink.produce(
        topic,
        event("UPDATE", [{"id": "3", "name": "b", "price": "2"}], [{"id": "2"}]),
        event("DELETE", [{"id": "3", "name": "b", "price": "2"}], None),
    )
    wanted = [
        (2, "b", 4, "-U", Decimal("2.00")),
        (2, "b", 4, "+I", Decimal("1.50")),
        (3, "b", 6, "-D", Decimal("2.00")),
        (3, "b", 6, "+U", Decimal("2.00")),
    ]
    flink.arrives(query, wanted)


def test_columns_that_cannot_be_added(flink: FlinkLab) -> None:
    """Such a message is bad, as is one whose value does not fit the type that a column got."""
    topic = flink.database
    lenient = {"debezium_json__ignore_parse_errors": "true"}
    source(flink, "changes", f"id INT, name STRING, {KEY}", topic, **lenient)
    source(flink, "strict", f"id INT, name STRING, {KEY}", topic)
    flink.sql(f"CREATE TABLE kept (id INT, name STRING, {KEY})")
    flink.produce(
        topic,
        change(None, {"id": 1, "n": 5}),
        change(None, {"id": 2, "n": "text"}),
        change(None, {"id": 3, "n": 1.5}),
        change(None, {"id": 4, "N": 5}),
        change(None, {"id": 5, "Name": "x"}),
        change(None, {"id": 6, "__at": 1}),
        change(None, {"id": 7, "n": "7", "Name": None}),
        change(None, {"id": "bad", "later": 1}),
    )
    flink.start("INSERT INTO kept SELECT * FROM changes")
    flink.arrives("SELECT * FROM kept ORDER BY id", [(1, None, 5), (7, None, 7)])
    flink.sql(f"CREATE TABLE other (id INT, name STRING, {KEY})")
    job = flink.start("INSERT INTO other SELECT * FROM strict")
    assert "Fail to deserialize at field: n" in flink.job_says(job, "WAITING")


def test_queries_that_take_no_columns(flink: FlinkLab) -> None:
    """A query that names its columns gets these; `*` into what cannot take more is refused."""
    topic = flink.database
    flink.produce(topic, change(None, {"id": 1, "name": "a", "n": 5}))
    source(flink, "changes", f"id INT, name STRING, {KEY}", topic)
    source(flink, "log", "id INT, name STRING", topic)
    source(flink, "ended", "id INT, name STRING", topic, scan__bounded__mode="latest-offset")
    flink.sql(f"CREATE TABLE kept (id INT, name STRING, {KEY})")
    flink.start("INSERT INTO kept SELECT id, name FROM (SELECT * FROM changes)")
    flink.arrives("SELECT * FROM kept", [(1, "a")])
    assert flink.sql("SELECT * FROM changes") == [(1, "a")]
    flink.make_topic(f"{topic}_out")
    flink.table("out", "id INT, name STRING", f"{topic}_out", format="debezium-json")
    flink.sql("CREATE TABLE ops (id INT, name STRING, op STRING) WITH ('changelog.column' = 'op')")
    for insert, reason in (
        ("INSERT INTO out SELECT * FROM log", "not a stored table"),
        ("INSERT INTO ops SELECT * FROM changes", "keeps rows as state"),
        ("INSERT INTO kept SELECT DISTINCT * FROM log", "keeps rows as state"),
        ("INSERT INTO kept SELECT * FROM ended", "reads up to an end"),
    ):
        with pytest.raises(SluiceError, match=reason):
            flink.sql(insert)
    with pytest.raises(SluiceError, match=r"schema\.drift.*change data"):
        source(flink, "plain", "id INT", topic, format="json")


@pytest.mark.slow
def test_restarts_and_two_writers(flink: FlinkLab) -> None:
    """A job resumes at its position though its target has more columns; two jobs add one."""
    topic = flink.database
    for name in ("one", "two"):
        source(flink, name, f"id INT, {KEY}", f"{topic}_{name}")
    flink.sql(f"CREATE TABLE kept (id INT, {KEY})")
    flink.produce(f"{topic}_one", change(None, {"id": 1, "n": 1}))
    flink.produce(f"{topic}_two", change(None, {"id": 2, "n": "2"}))
    job = flink.start("INSERT INTO kept SELECT * FROM one")
    query = "SELECT * FROM kept ORDER BY id"
    flink.arrives(query, [(1, 1)])
    flink.start("INSERT INTO kept SELECT * FROM two")
    flink.arrives(query, [(1, 1), (2, 2)])
    ((path,),) = flink.sql(f"STOP JOB '{job}' WITH SAVEPOINT")
    flink.produce(f"{topic}_one", change(None, {"id": 3, "m": 3}))
    flink.sql(f"SET 'execution.savepoint.path' = '{path}'")
    flink.start("INSERT INTO kept SELECT * FROM one")
    flink.sql("RESET 'execution.savepoint.path'")
    flink.produce(f"{topic}_two", change(None, {"id": 4, "m": 4}))
    flink.arrives(query, [(1, 1, None), (2, 2, None), (3, None, 3), (4, None, 4)])
    assert grown(flink, "kept") == [["id", "n"], ["id", "n", "m"]]


@pytest.mark.slow
def test_two_topics_and_a_lookup(flink: FlinkLab) -> None:
    """Both sides of UNION ALL bring columns, in one batch and in different ones; also a join."""
    topic = flink.database
    for name in ("one", "two"):
        source(flink, name, "id INT", f"{topic}_{name}")
        flink.produce(f"{topic}_{name}", change(None, {"id": len(name), name: name}))
    flink.sql("CREATE TABLE names (id INT, name STRING)")
    flink.sql("INSERT INTO names VALUES (3, 'c')")
    eventually(lambda: flink.sql("SELECT * FROM names"), lambda rows: rows == [(3, "c")])
    flink.sql("CREATE TABLE log (id INT, op STRING) WITH ('changelog.column' = 'op')")
    flink.start("INSERT INTO log SELECT * FROM one UNION ALL SELECT * FROM two")
    query = "SELECT id, `one`, `two`, op FROM log ORDER BY id, `one`, `two`"
    flink.produce(f"{topic}_one", change(None, {"id": 4, "two": "x"}))
    eventually(lambda: {"one", "two"} <= described(flink, "log").keys(), within=PATIENCE)
    flink.arrives(query, [(3, None, "two", "+I"), (3, "one", None, "+I"), (4, None, "x", "+I")])
    flink.sql(
        "CREATE TABLE joined (id INT, name STRING, op STRING) WITH ('changelog.column' = 'op')"
    )
    flink.start(
        "INSERT INTO joined SELECT `one`.*, n.name FROM `one` JOIN names AS n ON `one`.id = n.id"
    )
    flink.arrives("SELECT * FROM joined", [(3, "c", "+I", "one")])


@pytest.mark.slow
def test_union_of_tables_that_declare_different_columns(flink: FlinkLab) -> None:
    """One declares a column that the other brings, and another table has fewer columns."""
    topic = flink.database
    lenient = {"debezium_json__ignore_parse_errors": "true"}
    source(flink, "one", "id INT, name STRING", f"{topic}_one")
    source(flink, "two", "id INT, label STRING", f"{topic}_two", **lenient)
    source(flink, "three", "id INT", f"{topic}_three")
    flink.table("four", "id INT, name STRING", f"{topic}_four", format="debezium-json")
    flink.sql("CREATE TABLE log (id INT, name STRING, op STRING) WITH ('changelog.column' = 'op')")
    events: dict[str, tuple[dict[str, Any], ...]] = {
        "one": ({"id": 1, "name": "a", "label": "x"},),
        "two": (
            {"id": 2, "label": "b"},
            {"id": 20, "label": "b", "name": "the query fills it"},
            {"id": 21, "label": "b", "Label": "upper case"},
        ),
        "three": ({"id": 3, "label": "y", "more": 5},),
        "four": ({"id": 4, "name": "d", "label": "ignored"},),
    }
    for name, rows in events.items():
        flink.produce(f"{topic}_{name}", *(change(None, row) for row in rows))
    flink.start(
        "INSERT INTO log SELECT * FROM one UNION ALL SELECT * FROM two "
        "UNION ALL SELECT *, 'c' FROM three UNION ALL SELECT id, name FROM four"
    )
    eventually(lambda: {"label", "more"} <= described(flink, "log").keys(), within=PATIENCE)
    query = "SELECT id, name, label, more FROM log ORDER BY id"
    wanted: list[tuple[Any, ...]] = [
        (1, "a", "x", None), (2, "b", None, None), (3, "c", "y", 5), (4, "d", None, None),
    ]  # fmt: skip
    flink.arrives(query, wanted)
    flink.produce(f"{topic}_two", change(None, {"id": 5, "label": "e", "more": 6}))
    flink.arrives(query, [*wanted, (5, "e", None, 6)])


@pytest.mark.slow
def test_a_job_that_reads_a_table_that_evolves(flink: FlinkLab) -> None:
    """`*` of a stored table stays what it was when a job began, also after a restart."""
    topic = flink.database
    source(flink, "changes", f"id INT, name STRING, {KEY}", f"{topic}_changes")
    flink.table("ids", "id INT", f"{topic}_ids")
    flink.sql(f"CREATE TABLE names (id INT, name STRING, {KEY})")
    flink.sql("CREATE VIEW everything AS SELECT * FROM names")
    flink.sql("CREATE TABLE found (n INT, id INT, name STRING)")
    flink.start("INSERT INTO names SELECT * FROM changes")
    flink.produce(f"{topic}_changes", change(None, {"id": 1, "name": "a"}))
    flink.arrives("SELECT * FROM everything", [(1, "a")])
    flink.start("INSERT INTO found SELECT * FROM ids AS i JOIN everything AS e ON i.id = e.id")
    flink.produce(f"{topic}_ids", {"id": 1})
    flink.arrives("SELECT * FROM found", [(1, 1, "a")])
    flink.produce(f"{topic}_changes", change(None, {"id": 2, "name": "b", "more": 5}))
    flink.arrives("SELECT * FROM names ORDER BY id", [(1, "a", None), (2, "b", 5)])
    flink.restart()
    flink.produce(f"{topic}_ids", {"id": 2})
    flink.arrives("SELECT * FROM found ORDER BY id", [(1, 1, "a"), (2, 2, "b")])


@pytest.mark.slow
def test_merge_without_deletion_vectors_and_change_feed(flink: FlinkLab) -> None:
    """The other two ways into a table with a key add columns in one commit too."""
    topic, spark = flink.database, flink.session._engine.spark()
    path = str(flink.session._engine.folder.path / "lake" / topic)
    rows = spark.createDataFrame([(0,)], "id INT")
    rows.write.format("delta").option("delta.enableDeletionVectors", "false").save(path)
    source(flink, "changes", f"id INT, {KEY}", topic)
    for name, options in (("fed", "'changelog' = 'true'"), ("merged", f"'path' = '{path}'")):
        flink.sql(f"CREATE TABLE {name} (id INT, {KEY}) WITH ('connector' = 'delta', {options})")
    flink.produce(topic, change(None, {"id": 1}), change(None, {"id": 0}))
    for name in ("fed", "merged"):
        flink.start(f"INSERT INTO {name} SELECT * FROM changes")
        flink.arrives(f"SELECT * FROM {name} ORDER BY id", [(0,), (1,)])
    flink.produce(topic, change({"id": 1}, {"id": 1, "n": 5}), change(None, {"id": 2}))
    for name in ("fed", "merged"):
        flink.arrives(f"SELECT * FROM {name} ORDER BY id", [(0, None), (1, 5), (2, None)])
        assert grown(flink, name) == [["id", "n"]]
    feed = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0)
    changes = feed.load(str(flink.session._engine.store.path(table_of(flink, "fed"))))
    found = changes.where("id = 1").orderBy("_commit_version", "_change_type")
    assert [(row["_change_type"], row["n"]) for row in found.collect()] == [
        ("insert", None),
        ("update_postimage", 5),
        ("update_preimage", None),
    ]
