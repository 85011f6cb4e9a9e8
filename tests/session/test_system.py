"""The tables of `system` that need neither Spark nor a broker, and what keeps secrets out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import sluice
from sluice import errors
from sluice.access import owner
from sluice.catalog.system_tables import INFORMATION, SYSTEM
from sluice.engine.runtime.rates import Rates
from sluice.engine.runtime.status import Status
from sluice.engine.storage.totals import File, Totals
from sluice.sql.masking import masked
from sluice.system import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from session.lab import Lab

SECRET = "S3CR3T-canary"  # noqa: S105 - a canary
QUEUE = (
    "CREATE TABLE q (a UInt64) ENGINE = Kafka SETTINGS kafka_broker_list = 'b:9092', "
    "kafka_topic_list = 't', kafka_group_name = 'g', kafka_format = 'JSONEachRow', "
    f"kafka_security_protocol = 'sasl_plaintext', kafka_sasl_mechanism = 'PLAIN', "
    f"kafka_sasl_username = 'me', kafka_sasl_password = '{SECRET}'"
)

FLINK = (
    "CREATE TABLE z (a INT) WITH ('connector' = 'kafka', 'topic' = 't', "
    f"'properties.sasl.jaas.config' = 'x.PlainLoginModule required password=\"{SECRET}\";')"
)


def test_every_table_has_as_many_values_as_columns(lab: Lab) -> None:
    lab.run(
        QUEUE,
        "CREATE TABLE t (a UInt64, d Decimal(9, 2)) ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW m TO t AS SELECT a, toDecimal32(a, 2) AS d FROM q",
        "CREATE NAMED COLLECTION c AS kafka_broker_list = 'b'",
    )
    for tables in (SYSTEM, INFORMATION):
        for name, made in tables.items():
            for row in rows_of(made, lab.engine, owner()):
                assert len(row) == len(made.columns), name
            for alias, of in made.aliases:
                assert of in dict(made.columns), (name, alias)


def test_a_table_is_described_as_clickhouse_does(lab: Lab) -> None:
    lab.run(
        QUEUE,
        "CREATE TABLE t (a UInt64, b String, d Decimal(9, 2)) ENGINE = MergeTree "
        "PARTITION BY b PRIMARY KEY a ORDER BY (a, lower(b)) COMMENT 'hi'",
        "CREATE MATERIALIZED VIEW m TO t AS SELECT a, '' AS b, toDecimal32(1, 2) AS d FROM q",
    )
    told = lab.system(
        "tables", "engine", "engine_full", "sorting_key", "primary_key", "partition_key",
        "total_rows", "total_bytes", "has_own_data", "comment", name="t", database="default",
    )  # fmt: skip
    full = "MergeTree PARTITION BY b PRIMARY KEY a ORDER BY (a, lower(b))"
    keys = ("a, lower(b)", "a", "b")
    assert told == [("MergeTree", full, *keys, 0, 0, 1, "hi")]
    assert lab.system("tables", "dependencies_table", "total_rows", name="q") == [(["m"], None)]
    ((statement,),) = lab.system("tables", "create_table_query", name="q")
    assert statement == lab.shown("q")
    assert lab.system("tables", "as_select", "engine", name="m")[0][1] == "MaterializedView"
    flags = "is_in_sorting_key", "is_in_primary_key", "is_in_partition_key"
    assert lab.system("columns", "name", *flags, table="t", database="default") == [
        ("a", 1, 1, 0),
        ("b", 1, 0, 1),
        ("d", 0, 0, 0),
    ]
    assert lab.system("columns", "numeric_precision", "numeric_scale", table="t", name="d") == [
        (9, 2)
    ]
    view = "source_table", "target_table", "has_own_target", "is_attached"
    assert lab.system("views", *view) == [("q", "t", 0, 1)]


def test_columns_of_system_tables_have_comments(lab: Lab) -> None:
    wanted = "rows in state; NULL where they are not counted"
    where = {"database": "system", "table": "jobs", "name": "state_rows"}
    assert lab.system("columns", "comment", **where) == [(wanted,)]
    described = {row[0]: row[4] for row in lab.run("DESCRIBE TABLE system.jobs")}
    assert (described["id"], described["state_rows"]) == ("", wanted)


def test_databases_that_nobody_made(lab: Lab) -> None:
    names = [name for (name,) in lab.run("SHOW DATABASES")]
    assert names == ["INFORMATION_SCHEMA", "default", "information_schema", "system"]
    assert ("tables",) in lab.run("SHOW TABLES FROM information_schema")
    assert lab.run("EXISTS TABLE INFORMATION_SCHEMA.TABLES") == [(1,)]
    assert lab.run("EXISTS TABLE information_schema.nothing") == [(0,)]
    assert lab.run("DESCRIBE information_schema.schemata")[0][0] == "catalog_name"
    lab.run("CREATE DATABASE IF NOT EXISTS information_schema")
    with pytest.raises(errors.SluiceError, match="already exists"):
        lab.run("CREATE DATABASE INFORMATION_SCHEMA")


def test_statements_are_logged_without_secrets(lab: Lab, tmp_path: Path) -> None:
    texts = [
        QUEUE,
        f"CREATE NAMED COLLECTION c AS kafka_sasl_password = '{SECRET}', kafka_broker_list = 'b'",
        f"ALTER NAMED COLLECTION c SET kafka_sasl_password = '{SECRET}' -- {SECRET}",
        f"ALTER NAMED COLLECTION c SET ssl_key_pem = '-----BEGIN KEY-----{SECRET}'",
        f"CREATE TABLE x (a Int8) ENGINE = Kafka('b', 't', 'g', 'JSONEachRow') '{SECRET}'",
        f"SELEC '{SECRET}'",
        f"CREATE USER u IDENTIFIED WITH plaintext_password BY '{SECRET}'",
        f'CREATE TABLE y (a Int8) ENGINE = Kafka SETTINGS kafka_sasl_password = "{SECRET}"',
        FLINK,
        f"SELECT 'https://me:{SECRET}@host/'",
    ]
    lab.run("SHOW TABLES")
    for text in texts:
        dialect = "flink" if "WITH (" in text else "clickhouse"
        try:
            if not text.startswith("SELECT"):
                lab.session.execute(text, dialect=dialect)
        except errors.SluiceError:
            continue
    whole = (tmp_path / "query_log.jsonl").read_text()
    assert SECRET not in whole
    for name in SYSTEM:
        assert SECRET not in str(lab.system(name)), name
    assert SECRET not in "".join(map(masked, texts[:4] + texts[7:]))
    kinds = [kind for (kind,) in lab.system("query_log", "query_kind", type="QueryFinish")]
    assert kinds[:3] == ["Show", "Create", "Create"]
    ((query, code),) = lab.system(
        "query_log", "query", "exception_code", type="ExceptionBeforeStart"
    )[1:2]
    assert (query, code) == ("SELEC '[HIDDEN]'", 48)
    assert (tmp_path / "query_log.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("SELECT 1 -- a\n, 'b' /* c */", "SELECT 1  \n, 'b'"),
        ("SET a = 'it''s', my_password='x'", "SET a = 'it''s', my_password='[HIDDEN]'"),
        ("ALTER t MODIFY SETTING `kafka_sasl_password` = 'x\\'y', b = 2",
         "ALTER t MODIFY SETTING `kafka_sasl_password` = '[HIDDEN]', b = 2"),
        ("SELECT 1 FROM t WHERE token = 'abc'", "SELECT 1 FROM t WHERE token = '[HIDDEN]'"),
        ("SELECT a FROM t GROUP BY a, token", "SELECT a FROM t GROUP BY a, token"),
        ("CREATE USER u IDENTIFIED BY 'x'", "CREATE USER u IDENTIFIED BY '[HIDDEN]'"),
        ("CREATE USER u IDENTIFIED WITH sha256_password BY 'x'",
         "CREATE USER u IDENTIFIED WITH sha256_password BY '[HIDDEN]'"),
        ("SELECT $x$ PlainLoginModule p $x$", "SELECT '[HIDDEN]'"),
    ],
)  # fmt: skip
def test_what_is_kept_of_a_statement(text: str, kept: str) -> None:
    assert masked(text) == kept


def test_what_was_not_understood_keeps_no_value() -> None:
    assert masked("PASS 'x' 12 y", understood=False) == "PASS '[HIDDEN]' ? y"
    assert masked("PASS 'unclosed", understood=False) == "PASS '[HIDDEN]'"


def test_a_statement_has_its_name_and_not_its_data(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a UInt8) ENGINE = Memory")
    with pytest.raises(errors.SluiceError):
        lab.session.execute('INSERT INTO nothing FORMAT JSONEachRow {"a": 1}', query_id="mine")
    assert lab.system("query_log", "query", query_id="mine") == [
        ("INSERT INTO nothing FORMAT JSONEachRow",)
    ]


def test_the_log_is_bounded_and_survives(lab: Lab, tmp_path: Path) -> None:
    log = tmp_path / "query_log.jsonl"
    line = json.dumps({"type": "QueryFinish", "pad": "x" * 1000}) + "\n"
    log.write_text(line * 4300)
    lab.run("SHOW TABLES")
    assert log.stat().st_size < 2000
    assert (tmp_path / "query_log.old.jsonl").stat().st_size > 4 << 20
    log.write_text(log.read_text() + '{"cut sho')
    assert len(list(lab.engine.activity.log())) == 4301


def test_two_engines_in_a_process_share_no_counters_and_no_functions(tmp_path: Path) -> None:
    shout = {"shout": (str.upper, ["STRING"], "STRING")}
    with (
        sluice.connect(tmp_path / "a", pipelines=False, functions=shout) as first,
        sluice.connect(tmp_path / "b", pipelines=False) as second,
    ):
        with pytest.raises(errors.SluiceError):
            first.execute("DROP TABLE nothing")
        counted = [each.condition.name for each in first._engine.statistics.errors()]
        assert counted == ["UNKNOWN_TABLE"]
        assert not second._engine.statistics.errors()
        view = "CREATE VIEW v AS SELECT shout('a') AS b"
        first.execute(view, dialect="flink")
        with pytest.raises(errors.SluiceError) as unknown:
            second.execute(view, dialect="flink")
        assert unknown.value.condition.name == "UNKNOWN_FUNCTION"


def test_errors_are_counted(lab: Lab) -> None:
    for _ in range(2):
        with pytest.raises(errors.SluiceError):
            lab.run("DROP TABLE nothing")
    row = lab.system("errors", "code", "value", "last_error_message", name="UNKNOWN_TABLE")[0]
    assert row[0] == 60
    assert row[1] == 2
    assert "nothing" in row[2]
    events = dict(lab.system("events", "event", "value"))
    assert events["FailedQuery"] == 2


def test_clients_find_what_they_ask_for(lab: Lab) -> None:
    settings = dict(lab.system("settings", "name", "value"))
    assert settings["date_time_input_format"] == "best_effort"
    assert settings["input_format_null_as_default"] == "1"
    formats = {row[0]: row[1:] for row in lab.system("formats", "name", "is_input", "is_output")}
    assert formats["JSONEachRow"] == (1, 1)
    assert formats["Vertical"] == (0, 1)
    assert ("count", 1, 1) in lab.system("functions", "name", "is_aggregate", "is_supported")
    assert ("cluster",) in lab.system("table_functions", "name")
    assert ("Kafka",) in lab.system("table_engines", "name")
    assert lab.system("clusters", "cluster", "is_local") == [("default", 1)]
    assert lab.system("macros") == [("cluster", "default"), ("replica", "sluice")]
    assert dict(lab.system("metrics", "metric", "value"))["KafkaAssignedPartitions"] == 0
    assert dict(lab.system("asynchronous_metrics", "metric", "value"))["Uptime"] > 0
    assert lab.system("numbers") == []


def test_files_and_rows_of_a_table_come_from_its_log(tmp_path: Path) -> None:
    log = tmp_path / "t" / "_delta_log"
    log.mkdir(parents=True)
    totals = Totals()
    assert totals.files(tmp_path / "t") == {}

    def commit(version: int, *actions: dict[str, object]) -> None:
        text = "\n".join(json.dumps(action) for action in actions)
        (log / f"{version:020d}.json").write_text(text)

    def add(path: str, size: int, rows: int) -> dict[str, object]:
        stats = json.dumps({"numRecords": rows})
        return {"add": {"path": path, "size": size, "stats": stats, "modificationTime": 5}}

    commit(0, {"commitInfo": {}}, add("a", 10, 3))
    commit(1, add("b", 20, 4))
    assert totals.files(tmp_path / "t") == {"a": File(10, 3, 5), "b": File(20, 4, 5)}
    commit(2, {"remove": {"path": "a"}}, {"add": {"path": "c", "size": 1}})
    assert totals.files(tmp_path / "t") == {"b": File(20, 4, 5), "c": File(1, None, 0)}
    assert totals.files(tmp_path / "nothing") == {}


def test_when_a_pipeline_will_have_caught_up() -> None:
    rates = Rates()
    assert (rates.per_second(0), rates.catch_up(0)) == (0.0, None)
    rates.note(0, 1000, at=0)
    rates.note(500, 600, at=10)
    assert rates.per_second(10) == 50
    assert rates.catch_up(10) == 15
    rates.note(500, 700, at=20)  # nothing read, and more arrived
    assert rates.per_second(20) == 25
    rates.note(500, 1200, at=30)
    assert rates.catch_up(30) is None
    rates.note(1700, 0, at=31)
    assert rates.catch_up(31) == 0
    assert rates.per_second(200) == 0


def test_how_old_the_oldest_unread_message_is() -> None:
    status = Status()
    assert status.lag_seconds() == 0
    status.assigned({"t": {0: 5, 1: 0}})
    status.looked({"t": {0: 8, 1: 2}})
    assert (status.lag(), status.lag_seconds()) == (5, None)
    status.oldest_ms = 0
    assert (status.lag_seconds() or 0) > 1e9
    status.batch_done(5, {"t": {0: 8, 1: 2}})
    assert (status.lag(), status.lag_seconds()) == (0, 0)
    status.assigned({"t": {0: 8}})
    assert (status.assignments, status.revocations) == (2, 1)
