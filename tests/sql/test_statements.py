from __future__ import annotations

import time

import pytest

from sluice import errors
from sluice.errors import Place
from sluice.sql import ir
from sluice.sql.clickhouse import parse


def create(text: str) -> ir.CreateTable:
    statement = parse(text)
    assert isinstance(statement, ir.CreateTable)
    return statement


def fails(text: str, condition: str, at: tuple[int, int], says: str = "") -> None:
    with pytest.raises(errors.SluiceError) as caught:
        parse(text)
    assert caught.value.condition.name == condition
    assert caught.value.place == Place(*at)
    assert says in str(caught.value)


def test_settings_and_their_places() -> None:
    table = create(
        "CREATE TABLE q (a Int8) ENGINE = Kafka()\n"
        "SETTINGS kafka_topic_list = 't', -- the topic\n"
        "         kafka_num_consumers = 2 /* two */\n"
        "SETTINGS kafka_commit_on_select = true, x = -1, y = 1.5;"
    )
    assert table.settings == {
        "kafka_topic_list": "t",
        "kafka_num_consumers": 2,
        "kafka_commit_on_select": True,
        "x": -1,
        "y": 1.5,
    }
    assert table.setting_places["kafka_num_consumers"] == Place(3, 10)
    assert table.engine == ir.Engine("Kafka")


@pytest.mark.parametrize(
    ("clause", "keys"),
    [
        ("tuple()", ()),
        ("a", ("a",)),
        ("(a)", ("a",)),
        ("(a, toDate(b))", ("a", "toDate(b)")),
        ("tuple(a, b)", ("a", "b")),
        ("(a + 1) * 2", ("(a + 1) * 2",)),
    ],
)
def test_order_by(clause: str, keys: tuple[str, ...]) -> None:
    assert create(f"CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY {clause}").order_by == keys


def test_engine_arguments() -> None:
    engine = create("CREATE TABLE t (a Int8) ENGINE = E('x', 1, -2, 1.5, a, (a, b), f(1))").engine
    assert engine.args == ("x", 1, -2, 1.5, "a", "(a, b)", "f(1)")


@pytest.mark.parametrize("kind", ["DEFAULT", "MATERIALIZED", "EPHEMERAL"])
def test_columns_that_compute_themselves(kind: str) -> None:
    """CH-01: a Kafka table has none; other tables keep them."""
    text = f"CREATE TABLE t (a Int8, b Int8 {kind} a + 1 COMMENT 'x') ENGINE = "
    says = "KafkaEngine doesn't support DEFAULT/MATERIALIZED/EPHEMERAL expressions for columns"
    fails(f"{text} Kafka", "KAFKA_COLUMN_DEFAULT", (1, 32), says)
    fails(f"{text} kafka('b', 't', 'g', 'f')", "KAFKA_COLUMN_DEFAULT", (1, 32), says)
    column = create(f"{text} MergeTree ORDER BY a").columns[1]
    assert (column.default_kind, column.default, column.comment) == (kind, "a + 1", "x")


def test_a_wide_table_is_read_quickly() -> None:
    columns = ", ".join(f"column_{n} LowCardinality(Nullable(String))" for n in range(24))
    text = f"CREATE TABLE t ({columns}, e Enum('a' = 1, 'b' = 2)) ENGINE = Kafka SETTINGS x = 1"
    create(text)
    times = []
    for _ in range(5):
        start = time.process_time()
        create(text)
        times.append(time.process_time() - start)
    assert min(times) < 0.02


def test_errors_have_places() -> None:
    fails("CREATE TABLE t (\n  a Strin\n) ENGINE = Kafka", "UNKNOWN_TYPE", (2, 5), "String")
    fails("CREATE TABLE t (a Int8, A Int8) ENGINE = Kafka", "DUPLICATE_COLUMN", (1, 25))
    fails("CREATE TABLE t (a Int8", "SYNTAX_ERROR", (1, 23))
    fails("CREATE TABLE (a Int8)", "SYNTAX_ERROR", (1, 14))
    fails("DROP TABLE t u", "SYNTAX_ERROR", (1, 14))
    fails("SELECT 1 +", "SYNTAX_ERROR", (1, 10))
    fails("SELECT 'abc", "SYNTAX_ERROR", (1, 8), "not closed")
    fails("SELECT /* abc", "SYNTAX_ERROR", (1, 8))
    fails("", "SYNTAX_ERROR", (1, 1), "empty")
    fails("-- nothing", "SYNTAX_ERROR", (1, 1), "empty")
    fails("SELECT 1;\nSELECT 2", "SYNTAX_ERROR", (1, 9), "one statement")
    fails("  SELEC 1", "UNSUPPORTED_STATEMENT", (1, 3), "SELECT")
    fails("SET a.b = 1", "UNKNOWN_SETTING", (1, 5))


def test_messages_hold_no_escape_sequences() -> None:
    for text in ("SELECT FROM WHERE", "SELECT (1", "SELECT a b c", "SELECT 'x"):
        with pytest.raises(errors.SluiceError) as caught:
            parse(text)
        assert "\x1b" not in str(caught.value)


def test_the_text_of_a_query_is_kept() -> None:
    view = parse(
        "CREATE MATERIALIZED VIEW v TO t AS\n  SELECT a, -- why\n  'x;' FROM q FORMAT JSON;"
    )
    assert isinstance(view, ir.CreateMaterializedView)
    assert view.query.text == "SELECT a, -- why\n  'x;' FROM q"
    again = parse(view.query.text)
    assert isinstance(again, ir.Select)


def test_a_format_is_no_part_of_the_query() -> None:
    for text in (
        "SELECT 1 FORMAT CSV",
        "SELECT 1 SETTINGS a = 1 FORMAT CSV",
        "(SELECT 1) FORMAT CSV",
        "SELECT 1 FORMAT CSV SETTINGS a = 1",
    ):
        select = parse(text)
        assert isinstance(select, ir.Select)
        assert select.format == "CSV"
    column = parse("SELECT format FROM t")
    assert isinstance(column, ir.Select)
    assert column.format is None


@pytest.mark.parametrize(
    ("text", "columns", "form", "data"),
    [
        ('INSERT INTO t FORMAT JSONEachRow {"a": 1}', (), "JSONEachRow", '{"a": 1}'),
        ("INSERT INTO t (a, `b c`) FORMAT CSV\n1,'\n2,;\n", ("a", "b c"), "CSV", "1,'\n2,;\n"),
        ("insert into db.t format TSV\n\tx", (), "TSV", "\tx"),
        ("INSERT INTO t FORMAT TSV", (), "TSV", ""),
    ],
)
def test_inline_data(text: str, columns: tuple[str, ...], form: str, data: str) -> None:
    insert = parse(text)
    assert isinstance(insert, ir.Insert)
    assert (insert.columns, insert.format, insert.data) == (columns, form, data)
    assert insert.rows is None
    assert insert.query is None


@pytest.mark.parametrize(
    ("text", "query", "form", "data"),
    [
        ("INSERT INTO t SELECT format FROM input('a') WHERE format > 'FORMAT' FORMAT CSV\n;1",
         "SELECT format FROM input", "CSV", ";1"),
        ("INSERT INTO t (a) (SELECT max(a) FROM input('a Int8')) FORMAT Values (1)",
         "(SELECT max(a)", "Values", "(1)"),
        ("WITH 2 AS n INSERT INTO t (a) SELECT n FROM input('a Int8') SETTINGS x = 1 FORMAT TSV 1",
         "WITH 2 AS n " + " " * len("INSERT INTO t (a) ") + "SELECT n FROM", "TSV", "1"),
    ],
)  # fmt: skip
def test_data_of_a_query(text: str, query: str, form: str, data: str) -> None:
    found = parse(text, lenient=True)
    assert isinstance(found, ir.Insert)
    assert found.query is not None
    assert found.query.text.startswith(query)
    assert "FORMAT" not in found.query.text.replace("'FORMAT'", "")
    assert (found.format, found.data) == (form, data)


def test_with_before_an_insert() -> None:
    text = "WITH x AS (SELECT 1) INSERT INTO t VALUES (1)"
    with pytest.raises(errors.SluiceError, match="expected SELECT, found 'VALUES'") as caught:
        parse(text)
    assert caught.value.place == Place(1, 36)
    for text in ("WITH 1 AS insert SELECT insert", "WITH 1 AS a SELECT input(a) FORMAT CSV"):
        assert isinstance(parse(text, lenient=True), ir.Select)


def test_reading_statements_do_not_write() -> None:
    for text in ("SELECT 1", "SHOW TABLES", "SHOW DATABASES", "SHOW CREATE t", "DESC t", "EXISTS t",
                 "USE d", "SET a = 1", "SHOW NAMED COLLECTIONS", "SHOW CREATE NAMED COLLECTION c",
                 "EXPLAIN MIGRATION CREATE TABLE t (a Int8) ENGINE = Null"):  # fmt: skip
        assert not parse(text).writes
    for text in ("INSERT INTO t VALUES (1)", "DROP TABLE t", "DETACH TABLE t", "CREATE DATABASE d",
                 "SYSTEM RESET OFFSETS t TO LATEST", "SYSTEM RELOAD CONFIG", "RENAME TABLE a TO b",
                 "EXCHANGE TABLES a AND b", "TRUNCATE TABLE t", "OPTIMIZE TABLE t",
                 "ALTER TABLE t DROP COLUMN a", "CREATE NAMED COLLECTION c AS a = 1",
                 "ALTER NAMED COLLECTION c DELETE a", "DROP NAMED COLLECTION c"):  # fmt: skip
        assert parse(text).writes


@pytest.mark.parametrize(
    ("text", "mode", "form"),
    [
        ("KILL QUERY WHERE query_id = 'a'", "ASYNC", None),
        (
            "kill query on cluster '{cluster}' where user = 'default' and elapsed > 1 sync",
            "SYNC",
            None,
        ),
        ("KILL QUERY WHERE query_id IN ('a', 'b') TEST FORMAT JSON", "TEST", "JSON"),
        ("KILL QUERY WHERE 1 ASYNC;", "ASYNC", None),
    ],
)
def test_kill_query(text: str, mode: str, form: str | None) -> None:
    statement = parse(text)
    assert isinstance(statement, ir.KillQuery)
    assert (statement.mode, statement.format, statement.writes) == (mode, form, True)
    assert statement.query.text.startswith("SELECT query_id, user, query FROM system.processes")


def test_kill_query_needs_a_condition() -> None:
    fails("KILL QUERY", "SYNTAX_ERROR", (1, 11), "WHERE")
    fails("KILL QUERY WHERE", "SYNTAX_ERROR", (1, 17), "query_id")
    fails("KILL QUERY WHERE query_id = ", "SYNTAX_ERROR", (1, 27))
    fails("KILL TRANSACTION WHERE 1", "UNSUPPORTED_STATEMENT", (1, 1), "KILL QUERY")
