"""Flink's statements through the session: tables are made, checked, changed and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sluice import errors
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from session.lab import Lab

CANARY = "c4nary-p4ss"
ORDERS = """
CREATE TABLE orders (
  id BIGINT,
  price DECIMAL(10, 2),
  at TIMESTAMP(3) METADATA FROM 'timestamp',
  part BIGINT METADATA FROM 'partition' VIRTUAL,
  total AS price * 2,
  WATERMARK FOR at AS at - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'localhost:9092',
  'properties.group.id' = 'g',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
)
"""
CARS = """
CREATE TABLE cars (car_id STRING, car_speed INT) WITH (
  'connector.type' = 'kafka',
  'connector.version' = '0.10',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'localhost:9092',
  'connector.sink-partitioner' = 'round-robin',
  'format.type' = 'csv'
)
"""


def flink(lab: Lab, sql: str) -> list[tuple[Any, ...]]:
    return lab.session.execute(sql, dialect="flink").fetchall()


def shown(lab: Lab, name: str) -> str:
    ((text,),) = flink(lab, f"SHOW CREATE TABLE {name}")
    return str(text)


@pytest.mark.parametrize("statement", [ORDERS, CARS], ids=["flink", "dli"])
def test_a_table_is_kept_as_it_was_written(lab: Lab, statement: str) -> None:
    """SHOW CREATE gives a statement that makes the same table again."""
    flink(lab, statement)
    name = statement.split()[2]
    first = shown(lab, name)
    flink(lab, f"DROP TABLE {name}")
    flink(lab, first)
    assert shown(lab, name) == first


def test_columns_are_described(lab: Lab) -> None:
    flink(lab, ORDERS)
    rows = flink(lab, "DESCRIBE orders")
    assert [row[0] for row in rows] == ["id", "price", "at", "part", "total"]
    assert rows[0][1] == "BIGINT"
    found = lab.session.execute("DESCRIBE orders", dialect="flink").columns
    assert {column.type_name for column in found} == {"STRING"}
    assert [row[0] for row in flink(lab, "SHOW COLUMNS FROM orders LIKE 'p%'")] == ["price", "part"]


@pytest.mark.parametrize("option", ["format", "key.format", "value.format"])
def test_an_unknown_format_is_refused_when_a_table_is_created(lab: Lab, option: str) -> None:
    """Flink finds it when the table is first used; here it is found where it is written."""
    given = f"'{option}' = 'jsn'" if option == "format" else f"'format' = 'raw', '{option}' = 'jsn'"
    given = f"'properties.bootstrap.servers' = 'localhost:9092', {given}"
    given = f"WITH (\n'connector' = 'kafka', 'topic' = 't', {given})"
    with pytest.raises(errors.UserError) as caught:
        flink(lab, f"CREATE TABLE t (a INT) {given}")
    assert caught.value.condition is errors.UNKNOWN_FORMAT
    assert "Unknown format jsn (line 2, column" in str(caught.value)
    assert "Did you mean json? The formats are avro, avro-confluent, canal-json, csv," in str(
        caught.value
    )
    flink(lab, ORDERS)
    with pytest.raises(errors.UserError, match="Unknown format jsn"):
        flink(lab, f"ALTER TABLE orders SET ('{option}' = 'jsn')")


SERVERS = "'properties.bootstrap.servers' = 'localhost:9092'"
OVER_TOPIC = f"WITH ('connector' = 'kafka', {SERVERS}, 'topic' = 't'"
UPSERT = f"WITH ('connector' = 'upsert-kafka', {SERVERS}, 'topic' = 't', 'key.format' = 'json'"
KEYED = "(a INT, PRIMARY KEY (a) NOT ENFORCED)"
UNUSABLE = [
    (f"(a INT) {OVER_TOPIC})", "MISSING_FORMAT", "1:14", "Set 'format'"),
    (f"(a INT) {UPSERT})", "MISSING_FORMAT", "1:14", "Set 'value.format'"),
    (
        f"(a INT) {UPSERT}, 'value.format' = 'json')",
        "UPSERT_PRIMARY_KEY_MISSING",
        "1:14",
        "Add PRIMARY KEY (columns) NOT ENFORCED.",
    ),
    (
        f"{KEYED} {UPSERT},\n'value.format' = 'canal-json')",
        "UPSERT_FORMAT_NOT_INSERT_ONLY",
        "2:1",
        "doesn't support 'canal-json' as value format",
    ),
    (
        f"{KEYED} {OVER_TOPIC}, 'format' = 'json')",
        "PRIMARY_KEY_NOT_SUPPORTED",
        "1:14",
        "set 'connector' = 'upsert-kafka'",
    ),
    (
        f"(a INT) {OVER_TOPIC}, 'format' = 'raw',\n'topic-pattern' = 't.*')",
        "CONFLICTING_OPTIONS",
        "2:1",
        "'topic' and 'topic-pattern' shouldn't be set together",
    ),
    (
        f"(a INT) {OVER_TOPIC}, 'format' = 'raw',\n'json.map-null-key.mode' = 'DROP')",
        "UNSUPPORTED_OPTIONS",
        "2:1",
        "The table's format is raw",
    ),
    (
        f"(a INT) {OVER_TOPIC}, 'format' = 'raw', 'key.format' = 'raw')",
        "KEY_FORMAT_WITHOUT_FIELDS",
        "1:14",
        "key.fields",
    ),
]


@pytest.mark.parametrize(("text", "condition", "at", "told"), UNUSABLE)
def test_a_table_that_could_not_be_used_is_not_created(
    lab: Lab, text: str, condition: str, at: str, told: str
) -> None:
    """Flink finds it when the table is first read or written to."""
    with pytest.raises(SluiceError) as caught:
        flink(lab, f"CREATE TABLE t {text}")
    bad = caught.value
    assert bad.condition.name == condition
    assert bad.place is not None
    assert f"{bad.place.line}:{bad.place.column}" == at
    assert told in bad.text()
    assert flink(lab, "SHOW TABLES") == []


def test_options_that_exclude_each_other_are_altered_one_by_one(lab: Lab) -> None:
    flink(lab, ORDERS)
    flink(lab, "ALTER TABLE orders RESET ('topic')")
    flink(lab, "ALTER TABLE orders SET ('topic-pattern' = 'orders.*')")
    assert "'topic-pattern' = 'orders.*'" in shown(lab, "orders")


def test_like_takes_over_and_replaces(lab: Lab) -> None:
    flink(lab, ORDERS)
    flink(lab, "CREATE TABLE later WITH ('topic' = 'other') LIKE orders (EXCLUDING WATERMARKS)")
    text = shown(lab, "later")
    assert "'topic' = 'other'" in text
    assert "'format' = 'json'" in text
    assert "WATERMARK" not in text


def test_a_table_is_altered(lab: Lab) -> None:
    flink(lab, ORDERS)
    flink(lab, "ALTER TABLE orders SET ('topic' = 'other')")
    flink(lab, "ALTER TABLE orders RESET ('scan.startup.mode')")
    flink(lab, "ALTER TABLE orders ADD note STRING")
    flink(lab, "ALTER TABLE orders RENAME TO o2")
    text = shown(lab, "o2")
    assert "'topic' = 'other'" in text
    assert "scan.startup.mode" not in text
    assert "`note` STRING" in text
    with pytest.raises(SluiceError, match="already has a watermark"):
        flink(lab, "ALTER TABLE o2 ADD WATERMARK FOR at AS at")
    flink(lab, "ALTER TABLE o2 DROP WATERMARK")
    assert "WATERMARK" not in shown(lab, "o2")


def test_names_of_the_session(lab: Lab) -> None:
    flink(lab, "CREATE DATABASE d")
    flink(lab, "USE d")
    flink(lab, ORDERS)
    assert flink(lab, "SHOW TABLES") == [("orders",)]
    assert flink(lab, "SHOW CURRENT DATABASE") == [("d",)]
    assert flink(lab, "SHOW CATALOGS") == [("default_catalog",)]
    assert ("UPPER",) in flink(lab, "SHOW FUNCTIONS")
    assert flink(lab, "SHOW JOBS") == []
    with pytest.raises(SluiceError, match="not empty"):
        flink(lab, "DROP DATABASE d")
    flink(lab, "DROP DATABASE d CASCADE")
    assert ("d",) not in flink(lab, "SHOW DATABASES")


def test_what_was_set_is_shown_and_reset(lab: Lab) -> None:
    flink(lab, "SET 'table.local-time-zone' = 'UTC'")
    assert flink(lab, "SET") == [("table.local-time-zone", "UTC")]
    flink(lab, "RESET 'table.local-time-zone'")
    assert flink(lab, "SET") == []


def test_views(lab: Lab) -> None:
    """A view is checked when it is made, shown as it was written, and dropped as a view."""
    flink(lab, ORDERS)
    flink(lab, "CREATE TEMPORARY VIEW dear AS SELECT id, price FROM orders WHERE price > 10")
    flink(lab, "CREATE VIEW few (k, n COMMENT 'how many') COMMENT 'c' AS SELECT id, 1 FROM dear")
    assert flink(lab, "SHOW VIEWS") == [("dear",), ("few",)]
    flink(lab, "CREATE DATABASE empty")
    assert flink(lab, "SHOW VIEWS IN empty") == flink(lab, "SHOW USER FUNCTIONS") == []
    flink(lab, "ALTER VIEW few AS SELECT id, 2 FROM dear")
    assert "COMMENT 'how many'" in shown(lab, "few")
    for name in ("dear", "few"):
        text = shown(lab, name)
        flink(lab, f"DROP VIEW {name}")
        flink(lab, text)
        assert shown(lab, name) == text
    assert [row[:2] for row in flink(lab, "DESCRIBE dear")] == [
        ("id", "BIGINT"),
        ("price", "DECIMAL(10, 2)"),
    ]
    flink(lab, "ALTER VIEW dear AS SELECT id AS i, price FROM orders")
    assert flink(lab, "DESCRIBE dear")[0][0] == "i"
    for text, told in (
        ("ALTER VIEW dear AS SELECT k FROM few", "reads itself"),
        ("ALTER VIEW few AS SELECT 1", "names 2 columns, its query has 1"),
        ("ALTER VIEW orders AS SELECT 1", "is a table"),
    ):
        with pytest.raises(SluiceError, match=told):
            flink(lab, text)
    flink(lab, "ALTER VIEW few RENAME TO fewer")
    flink(lab, "ALTER VIEW fewer RENAME TO few")
    with pytest.raises(SluiceError, match="names 1 columns, its query has 2"):
        flink(lab, "CREATE VIEW v (a) AS SELECT id, price FROM orders")
    with pytest.raises(SluiceError, match="nothing"):
        flink(lab, "CREATE VIEW v AS SELECT a FROM nothing")
    assert flink(lab, "SHOW VIEWS") == [("dear",), ("few",)]


CUSTOM = "'custom', 'connector.sink-partitioner-class' = 'os:system'"
JNDI = 'com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://x";'
WRONG = [
    (CARS.replace("'connector.topic'", "'connector.topik'"), "connector.topik"),
    (ORDERS.replace("'connector' = 'kafka'", "'connector' = 'kafak'"), "kafka"),
    (ORDERS.replace("'earliest-offset'", "'earliest'"), "scan.startup.mode"),
    (ORDERS.replace("price * 2", "prize * 2"), "price"),
    (ORDERS.replace("'json'", "'json', 'sink.partitioner' = 'a.B'"), "partitioner class 'a.B'"),
    (CARS.replace("'round-robin'", CUSTOM), "partitioner class 'os:system'"),
    (ORDERS.replace("'json'", f"'json', 'properties.sasl.jaas.config' = '{JNDI}'"), "sasl.jaas"),
    (ORDERS.replace("'topic' = 'orders'", "'topic-pattern' = '(?=o)orders'"), "no lookaround"),
    ("CREATE TABLE other.d.t (a INT)", "default_catalog"),
    ("CREATE TABLE t (a INT) LIKE nothing", "nothing"),
    ("USE CATALOG other", "default_catalog"),
    (
        ORDERS.replace("'connector' = 'kafka'", "'connector' = 'datagen'"),
        "Available connectors are: delta, kafka, upsert-kafka.",
    ),
    (ORDERS.replace("bootstrap.servers", "bootstrap.server"), "mean properties.bootstrap.servers?"),
    ("CREATE CATALOG c WITH ('type' = 'jdbc')", "the only catalog is default_catalog"),
]


def test_what_runs_code_is_refused_when_a_table_is_altered(lab: Lab) -> None:
    flink(lab, ORDERS)
    for name, value in (("sink.partitioner", "a.B"), ("properties.sasl.jaas.config", "x")):
        with pytest.raises(
            SluiceError, match=r"partitioner class 'a.B'|sasl.jaas.config is not valid"
        ):
            flink(lab, f"ALTER TABLE orders SET ('{name}' = '{value}')")


@pytest.mark.parametrize(("statement", "told"), WRONG)
def test_wrong_statements_make_nothing(lab: Lab, statement: str, told: str) -> None:
    with pytest.raises(SluiceError) as caught:
        flink(lab, statement)
    assert told in caught.value.text()
    assert flink(lab, "SHOW TABLES") == []


def test_an_unknown_job_is_reported(lab: Lab) -> None:
    assert flink(lab, "SHOW JOBS") == []
    for statement in ("STOP JOB 'x' WITH SAVEPOINT", "DESCRIBE JOB 'x'"):
        with pytest.raises(SluiceError, match="Job x does not exist"):
            flink(lab, statement)


def test_each_dialect_has_its_own_tables(lab: Lab) -> None:
    flink(lab, ORDERS)
    with pytest.raises(SluiceError, match="in the Flink dialect"):
        lab.session.execute("SELECT * FROM orders")
    lab.session.execute("CREATE TABLE m (a Int8) ENGINE = Memory")
    with pytest.raises(SluiceError, match="in the ClickHouse dialect"):
        flink(lab, "DESCRIBE m")


def test_secrets_are_hidden(lab: Lab) -> None:
    login = "org.apache.kafka.common.security.plain.PlainLoginModule required username=u password"
    secret = f"'properties.sasl.jaas.config' = '{login}=\"{CANARY}\";', 'format' = 'json'"
    statement = ORDERS.replace("'format' = 'json'", secret)
    flink(lab, statement)
    rows = flink(lab, f"EXPLAIN MIGRATION {statement}")
    assert CANARY not in shown(lab, "orders") + repr(rows)
    assert "[HIDDEN]" in shown(lab, "orders")


def test_system_tables_show_them(lab: Lab) -> None:
    flink(lab, ORDERS)
    flink(lab, "CREATE TABLE stored (a INT)")
    engines = {row[1]: row[3] for row in lab.system("tables")}
    assert (engines["orders"], engines["stored"]) == ("kafka", "delta")


def test_names_with_dots_are_suggested_in_quotes(lab: Lab) -> None:
    """`a.b` is a field of `a` here; columns of system tables have such names."""
    with pytest.raises(SluiceError, match=r"Did you mean `assignments\.topic`"):
        flink(lab, "SELECT assignments.topic FROM system.kafka_consumers")
