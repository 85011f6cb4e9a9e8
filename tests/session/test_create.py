"""CREATE, against the catalog."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from golden.files import statements
from golden.test_clickhouse import DOCUMENTS

from session.lab import KAFKA
from sluice import errors
from sluice.planner.lowered_views import read_query
from sluice.planner.relations import Relations
from sluice.sql import ir
from sluice.sql.clickhouse import lower_query, parse

if TYPE_CHECKING:
    from session.lab import Lab

GOLDEN = Path(__file__).parents[1] / "golden" / "clickhouse"
REFUSED = {
    "kafka:31": "SYNTAX_ERROR",  # a grammar, no statement
    "kafka:136": "UNSUPPORTED_STATEMENT",  # likewise
    "kafka:191": "UNKNOWN_TABLE",  # the text calls the view by another name
    "kafka:192": "UNKNOWN_TABLE",
}


def make(lab: Lab) -> None:
    lab.run(
        f"CREATE TABLE q (a Int8) {KAFKA}",
        "CREATE TABLE kept (a Int8) ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE sums (a Int8) ENGINE = SummingMergeTree ORDER BY a",
        "CREATE TABLE nothing (a Int8) ENGINE = Null",
        "CREATE TABLE filled (a Int8, c Int8, b Int8 DEFAULT a + c, m Int8 MATERIALIZED b) "
        "ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW mv TO kept AS SELECT a FROM q",
    )


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_runs_from_top_to_bottom(lab: Lab, document: str) -> None:
    """What a reader would paste, in its order; queries need Spark and are left out."""
    refused = {}
    for case in statements((GOLDEN / f"{document}.sql").read_text("utf-8")):
        try:
            statement = parse(case)
            if isinstance(statement, ir.Select | ir.Insert):
                continue
            if isinstance(statement, ir.CreateTable):  # it shows the same table in several ways
                lab.run(f"DROP TABLE IF EXISTS {statement.name}")
            lab.run(case)
        except errors.SluiceError as bad:
            refused[case.split("\n")[0].removeprefix("-- ")] = bad.condition.name
    assert refused == {name: c for name, c in REFUSED.items() if name.startswith(f"{document}:")}


@pytest.mark.parametrize(
    ("create", "shown"),
    [
        # CH-02: an ALIAS column is fine on a Kafka table
        (
            f"CREATE TABLE q (a Int32, b String ALIAS toString(a)) {KAFKA}",
            "`b` String ALIAS toString(a)",
        ),
        # CH-03: the old form with a row delimiter
        (
            (
                "CREATE TABLE q (a Int8) ENGINE = Kafka('b', 't', 'g', 'JSONEachRow', '\\n') "
                "SETTINGS kafka_commit_on_select = 1"
            ),
            "kafka_commit_on_select = 1",
        ),
        # CH-04: the new form
        (
            (
                "CREATE TABLE q (a Int8) ENGINE = Kafka SETTINGS kafka_broker_list = 'b', "
                "kafka_topic_list = 't', kafka_group_name = 'g', kafka_format = 'JSONEachRow', "
                "kafka_row_delimiter = '\\n', kafka_client_id = 'instance test 1234'"
            ),
            "kafka_client_id = 'instance test 1234'",
        ),
        # CH-18: a user in the DDL, whose password is not shown
        (
            (
                f"CREATE TABLE q (a Int8) {KAFKA} "
                "SETTINGS kafka_security_protocol = 'sasl_plaintext', "
                "kafka_sasl_mechanism = 'PLAIN', kafka_sasl_username = 'u', "
                "kafka_sasl_password = 'p'"
            ),
            "kafka_sasl_username = 'u', kafka_sasl_password = '[HIDDEN]'",
        ),
        # CH-23: offsets in a keeper, in a second SETTINGS
        (
            (
                f"CREATE TABLE q (a Int8) {KAFKA} "
                "SETTINGS kafka_keeper_path = '/{database}/{uuid}'"
                ", kafka_replica_name = '{replica}' "
                "SETTINGS allow_experimental_kafka_offsets_storage_in_keeper = 1"
            ),
            "kafka_replica_name = '{replica}', allow_experimental_kafka_offsets_storage_in_keeper",
        ),
        (
            (
                "CREATE TABLE q (a UInt8, v UInt32, d UInt8) ENGINE = ReplacingMergeTree(v, d) "
                "PRIMARY KEY a ORDER BY (a, v)"
            ),
            "ENGINE = ReplacingMergeTree(v, d) PRIMARY KEY a ORDER BY (a, v)",
        ),
        (
            "CREATE TABLE q (a UInt8) ENGINE = ReplicatedMergeTree('/p', '{replica}') ORDER BY a",
            "ENGINE = ReplicatedMergeTree('/p', '{replica}') ORDER BY a",
        ),
        (
            (
                "CREATE TABLE q (a UInt8 NOT NULL DEFAULT 1 CODEC(ZSTD) TTL now(), b ALIAS a + 1) "
                "ENGINE = MergeTree PRIMARY KEY a TTL now() + INTERVAL a DAY SETTINGS "
                "index_granularity = 1 COMMENT 'c'"
            ),
            (
                "( `a` UInt8 DEFAULT 1 CODEC(ZSTD) TTL now(), `b` UInt16 ALIAS a + 1 ) ENGINE = "
                "MergeTree ORDER BY a TTL now() + INTERVAL a DAY SETTINGS index_granularity = 1 "
                "COMMENT 'c'"
            ),
        ),
        ("CREATE TABLE q (a UInt8) ENGINE = AggregatingMergeTree() ORDER BY a", "ORDER BY a"),
        (
            (
                "CREATE TABLE q (a UInt8, s String) ENGINE = MergeTree "
                "PARTITION BY sipHash64(s) % 8 "
                "ORDER BY (a, cityHash64(a, s)) SAMPLE BY intHash32(a)"
            ),
            "PARTITION BY sipHash64(s) % 8 ORDER BY (a, cityHash64(a, s)) SAMPLE BY intHash32(a)",
        ),
        (
            (
                "CREATE TABLE q (a UInt8 NULL, at Date) ENGINE = MergeTree "
                "PARTITION BY toYYYYMM(at) "
                "ORDER BY tuple() SAMPLE BY at TTL at WHERE a > 1, at + INTERVAL 1 DAY GROUP BY a "
                "SET a = max(a), at = min(at)"
            ),
            (
                "( `a` Nullable(UInt8), `at` Date ) ENGINE = MergeTree PARTITION BY toYYYYMM(at) "
                "ORDER BY tuple() SAMPLE BY at TTL at WHERE a > 1, at + INTERVAL 1 DAY GROUP BY a "
                "SET a = max(a), at = min(at)"
            ),
        ),
        (
            "CREATE TABLE q ON CLUSTER default (a UInt8) ENGINE = Memory",
            "( `a` UInt8 ) ENGINE = Memory",
        ),
        ("CREATE TABLE q (a UInt8) ENGINE = Null", "ENGINE = Null"),
    ],
)
def test_tables_are_kept_as_they_were_written(lab: Lab, create: str, shown: str) -> None:
    lab.run(create)
    text = lab.shown("q")
    assert shown in text
    lab.run("RENAME TABLE q TO old", text.replace("[HIDDEN]", "p"))
    assert lab.shown("q") == text
    lab.run("CREATE TABLE IF NOT EXISTS q (other UInt8) ENGINE = Memory")
    assert lab.shown("q") == text


@pytest.mark.parametrize(
    ("create", "condition", "at", "says"),
    [
        # CH-01
        (
            f"CREATE TABLE x (a Int8 DEFAULT 1) {KAFKA}",
            "KAFKA_COLUMN_DEFAULT",
            "1:24",
            "KafkaEngine",
        ),
        (
            f"CREATE TABLE x AS filled {KAFKA}",
            "KAFKA_COLUMN_DEFAULT",
            "1:14",
            "KafkaEngine doesn't",
        ),
        # CH-09
        (
            "CREATE TABLE x (a Int8) ENGINE = Kafka('b')",
            "MISSING_OPTION",
            "1:14",
            "Required parameter 'kafka_topic_list' for storage Kafka not specified",
        ),
        (
            f"CREATE TABLE x (a Int8) {KAFKA}\nSETTINGS kafka_topic_list = 'u'",
            "OPTION_GIVEN_TWICE",
            "2:10",
            "The argument №2 of storage Kafka and the parameter 'kafka_topic_list' in SETTINGS",
        ),
        # CH-11
        (
            f"CREATE TABLE x (a Int8) ENGINE = Kafka({', '.join(['1'] * 19)})",
            "TOO_MANY_ENGINE_ARGUMENTS",
            "1:34",
            "Write the other options in SETTINGS",
        ),
        # CH-23
        (
            f"CREATE TABLE x (a Int8) {KAFKA} SETTINGS kafka_keeper_path = '/x'",
            "OPTIONS_BELONG_TOGETHER",
            "1:14",
            "kafka_replica_name",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree",
            "ENGINE_NEEDS_ORDER_BY",
            "1:34",
            "ORDER BY tuple()",
        ),
        (
            "CREATE TABLE x ON CLUSTER nope (a Int8) ENGINE = Memory",
            "CLUSTER_DOESNT_EXIST",
            "1:27",
            "or write default",
        ),
        ("CREATE TABLE x (a Int8) ENGINE = MergTree", "UNKNOWN_ENGINE", "1:34", "MergeTree"),
        (
            "CREATE TABLE x (a Int8) ENGINE = Log(1)",
            "INVALID_ENGINE_ARGUMENT",
            "1:34",
            "Log takes no",
        ),
        ("CREATE TABLE x (a Int8) ENGINE = Merge(d, 't')", "UNSUPPORTED_ENGINE", "1:34", "A view"),
        (
            "CREATE TABLE x (a Int8) ENGINE = GraphiteMergeTree('r') ORDER BY a",
            "UNSUPPORTED_ENGINE",
            "1:34",
            "GraphiteMergeTree",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree(1) ORDER BY a",
            "INVALID_ENGINE_ARGUMENT",
            "1:34",
            "takes no arguments",
        ),
        (
            (
                "CREATE TABLE x (a Int8, b Int8) ENGINE = SummingMergeTree ORDER BY a "
                "SETTINGS kept_by_key = 1"
            ),
            "INVALID_ENGINE_ARGUMENT",
            "1:14",
            "for ENGINE = MergeTree",
        ),
        (
            (
                "CREATE TABLE x (a Array(Int8)) ENGINE = MergeTree PRIMARY KEY a "
                "SETTINGS kept_by_key = 1"
            ),
            "INVALID_ENGINE_COLUMN",
            "1:14",
            "neither Nullable nor arrays, maps or tuples: a is Array(Int8)",
        ),
        (
            f"CREATE TABLE x (a Int8) {KAFKA} PRIMARY KEY a",
            "ENGINE_CLAUSE_NOT_SUPPORTED",
            "1:14",
            "PRIMARY KEY",
        ),
        (
            f"CREATE TABLE x (a Int8) {KAFKA.replace('JSONEachRow', 'DebeziumJSON')} PRIMARY KEY b",
            "UNKNOWN_COLUMN",
            "1:14",
            "b",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = SummingMergeTree(b) ORDER BY a",
            "UNKNOWN_COLUMN",
            "1:34",
            "b",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = ReplicatedMergeTree('/p') ORDER BY a",
            "INVALID_ENGINE_ARGUMENT",
            "1:34",
            "a path and a replica",
        ),
        (
            "CREATE TABLE x (a Int8, b Int8) ENGINE = MergeTree PRIMARY KEY b ORDER BY (a, b)",
            "PRIMARY_KEY_NOT_A_PREFIX",
            "1:14",
            "Primary key must be a prefix of the sorting key",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree PRIMARY KEY (a, a) ORDER BY a",
            "PRIMARY_KEY_NOT_A_PREFIX",
            "1:14",
            "Primary key must be a prefix of the sorting key",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = Memory ORDER BY a",
            "ENGINE_CLAUSE_NOT_SUPPORTED",
            "1:14",
            "Engine Memory doesn't support ORDER BY clause",
        ),
        (
            f"CREATE TABLE x (a Int8) {KAFKA} PARTITION BY a",
            "ENGINE_CLAUSE_NOT_SUPPORTED",
            "1:14",
            "Engine Kafka doesn't support PARTITION BY clause",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY cityHash64(b)",
            "UNKNOWN_COLUMN",
            "1:14",
            "b",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY nosuch(a)",
            "UNKNOWN_FUNCTION",
            "1:14",
            "nosuch",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY b",
            "UNKNOWN_COLUMN",
            "1:14",
            "b",
        ),
        (
            "CREATE TABLE x (a Int8,\n b Int8 ALIAS nosuch(a)) ENGINE = Memory",
            "UNKNOWN_FUNCTION",
            "2:2",
            "nosuch",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY a TTL nosuch + INTERVAL 1 DAY",
            "UNKNOWN_COLUMN",
            "1:14",
            "nosuch",
        ),
        (
            "CREATE TABLE x (a Int8 TTL now()) d) ENGINE = MergeTree ORDER BY a",
            "SYNTAX_ERROR",
            "1:35",
            "expected",
        ),
        ("CREATE TABLE x (a NULL) ENGINE = Memory", "SYNTAX_ERROR", "1:19", "follows a type"),
        ("CREATE TABLE x (a) ENGINE = Memory", "SYNTAX_ERROR", "1:18", "the type of column a"),
        (
            "CREATE TABLE x (a EPHEMERAL, b Int8) ENGINE = Memory",
            "SYNTAX_ERROR",
            "1:28",
            "the type of column a",
        ),
        (
            "CREATE TABLE x (a Int8, PRIMARY KEY a) ENGINE = MergeTree PRIMARY KEY a",
            "MULTIPLE_PRIMARY_KEYS",
            "1:14",
            "Write PRIMARY KEY once",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree(k = 1) ORDER BY a",
            "INVALID_ENGINE_ARGUMENT",
            "1:44",
            "takes no argument of the form key = value",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = SummingMergeTree(1) ORDER BY a",
            "INVALID_ENGINE_ARGUMENT",
            "1:34",
            "are names of columns",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY SETTINGS a = 1",
            "SYNTAX_ERROR",
            "1:53",
            "expected an expression",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS a = -'x'",
            "SYNTAX_ERROR",
            "1:69",
            "expected a number",
        ),
        (
            "CREATE TABLE x (a Int8 TTL 1 2 3) ENGINE = MergeTree ORDER BY a",
            "SYNTAX_ERROR",
            "1:17",
            "",
        ),
        (
            "CREATE TABLE x (a Int8, b Int8 DEFAULT c, c Int8 DEFAULT b + a) ENGINE = Memory",
            "CYCLIC_DEFAULTS",
            "1:25",
            "use each other: b, c",
        ),
        (
            "CREATE TABLE x (a Int8, b Int8 EPHEMERAL a) ENGINE = Memory",
            "EPHEMERAL_COLUMN",
            "1:25",
            "EPHEMERAL of column b",
        ),
        (
            "CREATE TABLE x (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS index_granulrity = 1",
            "UNKNOWN_SETTING",
            "1:64",
            "index_granularity",
        ),
        ("CREATE TABLE x AS mv", "CREATE_AS_VIEW", "1:14", "is a view: write the ENGINE"),
        ("CREATE TABLE x AS nosuch", "UNKNOWN_TABLE", "1:19", "default.nosuch"),
        ("CREATE TABLE nodb.x AS filled", "UNKNOWN_DATABASE", "1:14", "nodb"),
        ("CREATE TABLE system.x AS filled", "SYSTEM_DATABASE_READ_ONLY", "1:14", "system"),
        ("CREATE TABLE q AS filled", "TABLE_ALREADY_EXISTS", "1:14", "IF NOT EXISTS"),
        ("CREATE TABLE q AS SELECT 1", "TABLE_ALREADY_EXISTS", "1:14", "default.q"),
        ("CREATE TABLE x AS SELECT NULL AS n", "COLUMN_TYPE_NOT_STORED", "1:14", "CAST(n"),
        (
            "CREATE TABLE x (a Int8) ENGINE = Memory AS SELECT 1, 2",
            "SELECT_COLUMN_COUNT",
            "1:14",
            "default.x has 1 columns to fill, but the query has 2",
        ),
        (f"CREATE TABLE x {KAFKA} AS SELECT 1 AS a", "UNSUPPORTED_CLAUSE", "1:14", "INSERT INTO"),
        ("REPLACE TABLE x (a Int8) ENGINE = Memory", "UNKNOWN_TABLE", "1:15", "default.x"),
        (
            "CREATE OR REPLACE TABLE mv (a Int8) ENGINE = Memory",
            "REPLACES_OTHER_KIND",
            "1:25",
            "is a materialized view, which CREATE OR REPLACE TABLE does not replace",
        ),
        (
            "CREATE OR REPLACE VIEW kept AS SELECT 1",
            "REPLACES_OTHER_KIND",
            "1:24",
            "is a table, which CREATE OR REPLACE VIEW",
        ),
        (
            "CREATE OR REPLACE TABLE kept (b Int8) ENGINE = Memory",
            "VIEW_WOULD_FAIL",
            "1:25",
            "default.mv",
        ),
        (
            "CREATE MATERIALIZED VIEW x TO filled AS SELECT a FROM q",
            "VIEW_DEFAULTS_INCOMPLETE",
            "1:31",
            "The DEFAULTs of default.filled need more than the view selects: Unknown column c",
        ),
        (
            "CREATE MATERIALIZED VIEW x TO kept AS SELECT a AS c FROM q",
            "UNKNOWN_COLUMN",
            "1:26",
            "c",
        ),
        (
            "CREATE MATERIALIZED VIEW x TO q AS SELECT a FROM q",
            "VIEW_CYCLE",
            "1:26",
            "would feed itself: default.q -> default.q",
        ),
        (
            "CREATE MATERIALIZED VIEW x TO kept AS SELECT a FROM kept",
            "VIEW_CYCLE",
            "1:26",
            "would feed itself: default.kept -> default.kept",
        ),
        (
            "CREATE MATERIALIZED VIEW x TO kept ENGINE = Memory AS SELECT a FROM q",
            "VIEW_ENGINE_WITH_TARGET",
            "1:26",
            "has no ENGINE of its own",
        ),
        (
            "CREATE MATERIALIZED VIEW x TO kept POPULATE AS SELECT a FROM q",
            "CANNOT_POPULATE",
            "1:26",
            "cannot be populated from default.q, whose rows are the messages of a topic",
        ),
        ("INSERT INTO filled (m) VALUES (1)", "UNKNOWN_COLUMN", "1:13", "Unknown column m"),
        (
            "CREATE MATERIALIZED VIEW x TO filled AS SELECT a, a AS c, a AS m FROM q",
            "UNKNOWN_COLUMN",
            "1:26",
            "m",
        ),
    ],
)
def test_what_is_refused_leaves_nothing(
    shared: Lab, create: str, condition: str, at: str, says: str
) -> None:
    shared.fails(create, condition, at, says)


def test_names_are_filled_in(lab: Lab) -> None:
    """CH-06, CH-12: macros in topic, group and client, and several topics with blanks."""
    lab.run(
        "CREATE DATABASE test",
        "CREATE TABLE test.kafka (a Int8) ENGINE = Kafka('b', '{database}_{table}_topic, u', "
        "'{database}_{table}_group', 'JSONEachRow') SETTINGS kafka_client_id = '{table} client'",
    )
    source = lab.source("kafka", "test")
    assert source.topics == ("test_kafka_topic", "u")
    assert source.group == "test_kafka_group"
    assert source.connection.client_id == "kafka client"


def test_a_table_like_another(lab: Lab) -> None:
    lab.run(
        f"CREATE TABLE q (a Int8, b Int8 ALIAS a + 1) {KAFKA} COMMENT 'why'",
        "CREATE TABLE t AS q ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE q2 AS q",
        "CREATE TABLE q3 AS q COMMENT 'other'",
    )
    assert "MergeTree ORDER BY a" in lab.shown("t")
    assert "`b` Int8 ALIAS a + 1" in lab.shown("t")
    assert lab.shown("q2") == lab.shown("q").replace("default.q", "default.q2")
    assert lab.table("q2").uuid != lab.table("q").uuid
    assert lab.shown("q3").endswith("COMMENT 'other'")


def test_a_view_with_a_table_of_its_own(lab: Lab) -> None:
    lab.run(
        f"CREATE TABLE q (a Int8, s String) {KAFKA}",
        "CREATE MATERIALIZED VIEW v ENGINE = MergeTree ORDER BY a "
        "AS SELECT a, upper(s) AS s FROM q",
    )
    view = lab.table("v")
    assert view.target == ("default", f".inner_id.{view.uuid}")
    assert lab.columns(f".inner_id.{view.uuid}") == "a Int8, s String"
    ((plan,)) = lab.spec("q").outputs
    assert plan.target == lab.table(f".inner_id.{view.uuid}")
    assert plan.fault is None
    text = lab.shown("v")
    assert text == (
        "CREATE MATERIALIZED VIEW default.v ( `a` Int8, `s` String ) ENGINE = MergeTree ORDER BY a "
        "AS SELECT a, upper(s) AS s FROM q"
    )
    lab.run("RENAME TABLE v TO w")
    assert lab.shown("w") == text.replace("default.v", "default.w")
    lab.fails(
        f"RENAME TABLE `.inner_id.{view.uuid}` TO x", "TABLE_OWNED_BY_VIEW", "1:14", "belongs to"
    )
    for verb in ("DROP", "DETACH"):
        text_ = f"{verb} TABLE `.inner_id.{view.uuid}`"
        lab.fails(text_, "TABLE_OWNED_BY_VIEW", says="belongs to the materialized view default.w")
    lab.run("DROP VIEW w")
    assert lab.tables() == ["default.q"]
    lab.run(text, "DROP DATABASE default")
    assert lab.tables() == []


def test_a_view_means_the_tables_of_where_it_was_written(lab: Lab) -> None:
    lab.run(
        "CREATE DATABASE other",
        f"CREATE TABLE q (a Int8) {KAFKA}",
        "CREATE TABLE t (a Int8) ENGINE = Memory",
        "CREATE MATERIALIZED VIEW other.v TO t AS\nSELECT q.a FROM q\nWHERE a IN (SELECT a FROM t)",
    )
    assert lab.table("v", "other").query == (
        "SELECT q.a FROM `default`.q\nWHERE a IN (SELECT a FROM `default`.t)"
    )
    (plan,) = lab.spec("q").outputs
    assert plan.fault is None
    assert plan.target == lab.table("t")


@pytest.mark.parametrize(
    ("later", "says"),
    [
        (f"(b Int8) {KAFKA}", "Unknown column a"),
        ("(a Int8) ENGINE = Kafka('b:9092', 't,u', 'g', 'JSONEachRow')", "multiple topics"),
        ("(b Int8) ENGINE = MergeTree ORDER BY b", "Unknown column a"),
    ],
)
def test_a_target_that_comes_later_and_cannot_be_written(lab: Lab, later: str, says: str) -> None:
    """The view waits for its target (CH-37), and reports why it cannot continue with this one."""
    lab.run(
        f"CREATE TABLE q (a Int8) {KAFKA}",
        "CREATE MATERIALIZED VIEW v TO later AS SELECT a FROM q",
    )
    (plan,) = lab.spec("q").outputs
    assert (plan.target, plan.fault) == (None, None)
    lab.run(f"CREATE TABLE later {later}")
    (plan,) = lab.spec("q").outputs
    assert plan.fault is not None
    assert says in plan.fault.text()


def test_a_view_fills_what_its_target_computes(lab: Lab) -> None:
    lab.run(
        f"CREATE TABLE q (at DateTime, n Int8) {KAFKA}",
        "CREATE TABLE t (at DateTime, day Date DEFAULT toDate(at), month UInt32 MATERIALIZED "
        "toYYYYMM(day), n Int8 DEFAULT 5) ENGINE = MergeTree ORDER BY at",
        "CREATE MATERIALIZED VIEW v TO t AS SELECT at, n FROM q -- all",
        "CREATE MATERIALIZED VIEW w TO t AS SELECT at, toDate(0) AS day FROM q",
    )
    first, second = (plan.sql for plan in lab.spec("q").outputs)
    inner = "(SELECT `q`.`at` AS `at`, `q`.`n` AS `n` FROM `sluice_source` AS `q`) AS `_1`"
    assert first.startswith(
        "SELECT `_1`.`at` AS `at`, `_1`.`n` AS `n`, CAST(`_1`.`at` AS DATE) AS `day`, "
    )
    assert first.endswith(f" AS `month` FROM {inner}")
    assert second.startswith(
        "SELECT `_1`.`at` AS `at`, `_1`.`day` AS `day`, "
        "year(`_1`.`day`) * 100 + month(`_1`.`day`) AS `month`, 5 AS `n` FROM ("
    )
    resolve = Relations(lab.engine.catalog, "default").resolve
    assert lower_query(read_query("SELECT * FROM t"), resolve).columns == ("at", "day", "n")
    assert lower_query(read_query("SELECT month FROM t"), resolve).columns == ("month",)


def test_columns_say_how_they_are_filled(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a Int8 CODEC(LZ4), b Int8 DEFAULT a COMMENT 'x', c Int8 ALIAS b) "
        "ENGINE = Memory"
    )
    assert lab.run("DESCRIBE t") == [
        ("a", "Int8", "", "", "", "LZ4", ""),
        ("b", "Int8", "DEFAULT", "a", "x", "", ""),
        ("c", "Int8", "ALIAS", "b", "", "", ""),
    ]
    shown = "name", "position", "default_kind", "default_expression", "comment", "compression_codec"
    assert lab.system("columns", *shown, table="t") == [
        ("a", 1, "", "", "", "CODEC(LZ4)"),
        ("b", 2, "DEFAULT", "a", "x", ""),
        ("c", 3, "ALIAS", "b", "", ""),
    ]


def test_a_catalog_without_room(lab: Lab) -> None:
    """Neither an error of SQLite's nor one of ours: the disk is full, and nothing has changed."""
    with lab.engine.catalog._engine.connect() as db:
        db.exec_driver_sql("PRAGMA max_page_count = 1")  # no larger than it is
    columns = ", ".join(f"column_{n} UInt64" for n in range(2000))
    with pytest.raises(errors.SluiceError, match="No space left") as caught:
        lab.run(f"CREATE TABLE t ({columns}) ENGINE = MergeTree ORDER BY tuple()")
    assert caught.value.condition.name == "NO_SPACE"
    assert lab.tables() == []
    assert lab.system("tables", "name", database="default") == []


@pytest.mark.parametrize("engine", ["Memory", "Log", "TinyLog", "StripeLog"])
def test_engines_without_a_key(lab: Lab, engine: str) -> None:
    lab.run(f"CREATE TABLE plain (a Int8) ENGINE = {engine}")
    assert lab.run("SELECT engine FROM system.tables WHERE name = 'plain'") == [(engine,)]
    assert f"ENGINE = {engine}" in lab.run("SHOW CREATE TABLE plain")[0][0]
    assert lab.run("SELECT count() FROM plain") == [(0,)]
