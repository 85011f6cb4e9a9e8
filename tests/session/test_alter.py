"""ALTER, RENAME, EXCHANGE, TRUNCATE, OPTIMIZE and SYSTEM, against the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chdb.session
import pytest

from session.lab import KAFKA, Lab
from sluice.catalog import Generation

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.planner.query import QuerySpec

MADE = (
    f"CREATE TABLE q (a Int8, s String, up String ALIAS upper(s)) {KAFKA}",
    "CREATE TABLE t (a Int8, s String COMMENT 'old') ENGINE = MergeTree ORDER BY a",
    "CREATE TABLE other (a Int8, s String, more Int8) ENGINE = MergeTree ORDER BY a",
    "CREATE MATERIALIZED VIEW mv TO t AS SELECT a, s FROM q",
    "CREATE DATABASE db",
)


def make(lab: Lab) -> None:
    engine = KAFKA.replace("'t'", "'{table}_topic'")
    lab.run(
        *MADE,
        "CREATE TABLE gone (a Int8) ENGINE = Memory",
        "CREATE TABLE one (a Int8) ENGINE = Memory",
        "DETACH TABLE gone PERMANENTLY",
        f"CREATE TABLE macro (a Int8) {engine}",
    )
    starts = Generation(1, {"macro_topic": {0: 0}}, {})
    lab.engine.catalog.positions.add({lab.table("macro").uuid: starts})


@pytest.mark.parametrize(
    ("alter", "table", "columns"),
    [
        ("ADD COLUMN b UInt8", "q", "a Int8, s String, up String, b UInt8"),
        ("ADD COLUMN b UInt8 FIRST", "q", "b UInt8, a Int8, s String, up String"),
        ("ADD COLUMN b UInt8 AFTER a", "q", "a Int8, b UInt8, s String, up String"),
        ("ADD COLUMN IF NOT EXISTS a UInt8", "q", "a Int8, s String, up String"),
        ("ADD COLUMN b UInt8, ADD COLUMN c UInt8 AFTER b, DROP COLUMN b", "q",
         "a Int8, s String, up String, c UInt8"),
        ("DROP COLUMN up", "q", "a Int8, s String"),
        ("DROP COLUMN IF EXISTS nosuch", "q", "a Int8, s String, up String"),
        ("MODIFY COLUMN a Int64", "q", "a Int64, s String, up String"),
        ("MODIFY COLUMN a Int64 AFTER s", "q", "s String, a Int64, up String"),
        ("MODIFY COLUMN IF EXISTS nosuch Int64", "q", "a Int8, s String, up String"),
        ("RENAME COLUMN IF EXISTS nosuch TO b", "q", "a Int8, s String, up String"),
        ("ALTER COLUMN a TYPE Int16", "q", "a Int16, s String, up String"),
        ("RENAME COLUMN up TO upper", "q", "a Int8, s String, upper String"),
        ("ADD COLUMN b UInt8", "other", "a Int8, s String, more Int8, b UInt8"),
        ("DROP COLUMN more", "other", "a Int8, s String"),
        ("RENAME COLUMN more TO less", "other", "a Int8, s String, less Int8"),
        ("MODIFY COLUMN more String DEFAULT 'x'", "other", "a Int8, s String, more String"),
    ],
)  # fmt: skip
def test_columns_change(lab: Lab, alter: str, table: str, columns: str) -> None:
    lab.run(*MADE)
    uuid = lab.table(table).uuid
    lab.run(f"ALTER TABLE {table} {alter}")
    assert lab.columns(table) == columns
    assert lab.table(table).uuid == uuid
    assert lab.spec("q").outputs[0].fault is None


@pytest.mark.parametrize(
    ("alter", "shown"),
    [
        ("t COMMENT COLUMN s 'new'", "`s` String COMMENT 'new'"),
        ("t MODIFY COLUMN s REMOVE COMMENT", "`s` String )"),
        ("t MODIFY COLUMN s CODEC(ZSTD(1)) TTL now()", "COMMENT 'old' CODEC(ZSTD(1)) TTL now()"),
        ("t MODIFY COMMENT 'of all', COMMENT COLUMN a 'x'", "COMMENT 'of all'"),
        ("t MODIFY SETTING index_granularity = 5", "SETTINGS index_granularity = 5"),
        ("q MODIFY SETTING kafka_max_block_size = 5", "kafka_max_block_size = 5"),
        ("q MODIFY COLUMN up String ALIAS lower(s)", "`up` String ALIAS lower(s)"),
        ("q MODIFY COLUMN up REMOVE ALIAS", "`up` String )"),
        ("mv MODIFY QUERY SELECT a FROM q WHERE a > 1", "AS SELECT a FROM q WHERE a > 1"),
        ("mv MODIFY COMMENT 'it'", "COMMENT 'it'"),
    ],
)
def test_other_parts_change(lab: Lab, alter: str, shown: str) -> None:
    lab.run(*MADE)
    lab.run(f"ALTER TABLE {alter}")
    assert shown in lab.shown(alter.split()[0])


@pytest.mark.parametrize(
    ("alter", "condition", "at", "says"),
    [
        ("q ADD COLUMN a Int8", "DUPLICATE_COLUMN", "1:26", "a"),
        ("q ADD COLUMN A Int8", "DUPLICATE_COLUMN", "1:26", "A"),
        ("q ADD COLUMN b Int8 AFTER nosuch", "UNKNOWN_COLUMN", "1:26", "nosuch"),
        ("q ADD COLUMN b Int8 DEFAULT 1", "KAFKA_COLUMN_DEFAULT", "1:26", "KafkaEngine doesn't"),
        ("q ADD COLUMN b Nosuch", "UNKNOWN_TYPE", "1:28", "Nosuch"),
        ("q ADD COLUMN b Int8 ALIAS nosuch", "UNKNOWN_COLUMN", "1:26", "nosuch"),
        ("q DROP COLUMN nosuch", "UNKNOWN_COLUMN", "1:27", "nosuch"),
        ("q DROP COLUMN s", "UNKNOWN_COLUMN", "1:13", "s"),
        ("q DROP COLUMN up, DROP COLUMN s", "VIEW_WOULD_FAIL", "1:13", "default.mv would fail"),
        ("q RENAME COLUMN a TO b", "VIEW_WOULD_FAIL", "1:13", "default.mv would fail"),
        ("t MODIFY COLUMN s REMOVE NOSUCH", "SYNTAX_ERROR", "1:38", "expected DEFAULT"),
        ("t MODIFY COLUMN s EPHEMERAL", "EPHEMERAL_COLUMN", "1:29", "EPHEMERAL"),
        ("q RENAME COLUMN a TO s", "DUPLICATE_COLUMN", "1:29", "s"),
        ("q MODIFY SETTING kafka_max_block_sise = 1", "UNKNOWN_SETTING", "1:30", "block_size"),
        (
            "q MODIFY SETTING kafka_max_block_size = 'x'",
            "INVALID_OPTION_VALUE",
            "1:30",
            "an integer",
        ),
        ("q RESET SETTING kafka_format", "MISSING_OPTION", "1:13", "Required parameter"),
        ("q RESET SETTING kafka_client_id", "UNKNOWN_SETTING", "1:29", "kafka_client_id"),
        ("q MODIFY QUERY SELECT 1", "UNSUPPORTED_ALTER", "1:13", "materialized views"),
        ("t MODIFY SETTING kafka_format = 'x'", "UNKNOWN_SETTING", "1:30", "kafka_format"),
        ("t DROP COLUMN a", "ALTER_OF_COLUMN_IS_FORBIDDEN", "1:27", "Cannot DROP COLUMN `a`"),
        ("t RENAME COLUMN a TO b", "ALTER_OF_COLUMN_IS_FORBIDDEN", "1:29", "RENAME COLUMN `a`"),
        ("t MODIFY COLUMN a Int16", "ALTER_OF_COLUMN_IS_FORBIDDEN", "1:29", "MODIFY COLUMN `a`"),
        ("t MODIFY COLUMN a Nullable(Int8)", "ALTER_OF_COLUMN_IS_FORBIDDEN", "1:29", ""),
        ("t DROP COLUMN s", "VIEW_WOULD_FAIL", "1:13", "default.mv would fail"),
        ("t ADD COLUMN b Int8 EPHEMERAL a", "EPHEMERAL_COLUMN", "1:26", "EPHEMERAL"),
        ("mv ADD COLUMN b Int8", "UNSUPPORTED_ALTER", "1:13", "Alter of type 'ADD_COLUMN'"),
        ("mv DROP COLUMN a", "UNSUPPORTED_ALTER", "1:13", "Alter of type 'DROP_COLUMN'"),
        ("mv MODIFY COLUMN a String", "UNSUPPORTED_ALTER", "1:13", "'MODIFY_COLUMN'"),
        ("mv RENAME COLUMN a TO b", "UNSUPPORTED_ALTER", "1:13", "'RENAME_COLUMN'"),
        ("mv MODIFY SETTING x = 1", "UNSUPPORTED_ALTER", "1:13", "'MODIFY_SETTING'"),
        ("mv MODIFY QUERY SELECT nosuch FROM q", "UNKNOWN_COLUMN", "1:36", "nosuch"),
        ("mv MODIFY QUERY SELECT a AS b FROM q", "UNKNOWN_COLUMN", "1:13", "b"),
        ("mv MODIFY QUERY SELECT a FROM t", "VIEW_CYCLE", "1:13", "would feed itself"),
        ("mv MODIFY QUERY SELECT 1 AS a", "VIEW_SOURCE_UNSUPPORTED", "1:13", "reads no table"),
        ("mv MODIFY QUERY DROP TABLE t", "SYNTAX_ERROR", "1:29", "expected SELECT"),
        ("nosuch ADD COLUMN a Int8", "UNKNOWN_TABLE", "1:13", "nosuch"),
        ("gone ADD COLUMN b Int8", "NOT_ATTACHED", "1:13", "ATTACH TABLE default.gone"),
        ("gone.a.b ADD COLUMN b Int8", "UNSUPPORTED_STATEMENT", "1:19", ""),
        ("q ADD COLUMN c Int8, DROP COLUMN nosuch", "UNKNOWN_COLUMN", "1:46", "nosuch"),
        ("one DROP COLUMN a", "LAST_COLUMN", "1:29", "Cannot drop or clear all columns"),
    ],
)
def test_a_refused_alter_changes_nothing(
    shared: Lab, alter: str, condition: str, at: str, says: str
) -> None:
    shared.fails(f"ALTER TABLE {alter}", condition, at, says)


def test_columns_of_a_stored_table(lab: Lab) -> None:
    """A name that the files may have held before is never used for another column again."""
    lab.run(
        *MADE, "ALTER TABLE t ADD COLUMN topic String", "ALTER TABLE t RENAME COLUMN topic TO x"
    )
    lab.run("ALTER TABLE t ADD COLUMN topic Int8")
    assert lab.columns("t") == "a Int8, s String, x String, topic Int8"
    names = [c.name_in_files for c in lab.table("t").columns]
    assert names == ["a", "s", "topic", "topic_2"]


def test_a_changed_setting_is_a_new_specification_of_the_same_pipeline(lab: Lab) -> None:
    lab.run(*MADE)
    before = lab.spec("q")
    lab.run("ALTER TABLE q MODIFY SETTING kafka_max_block_size = 5, kafka_group_name = 'h'")
    after = lab.spec("q")
    assert (after.id, after.source.max_block, after.source.group) == (before.id, 5, "h")
    lab.run(
        "ALTER TABLE q RESET SETTING kafka_max_block_size, MODIFY SETTING kafka_group_name = 'g'"
    )
    assert lab.spec("q") == before


def test_a_table_that_has_begun_stays_with_its_topics(lab: Lab) -> None:
    lab.run(*MADE, "ALTER TABLE q MODIFY SETTING kafka_topic_list = 'u, v'")
    lab.engine.catalog.positions.add({lab.table("q").uuid: Generation(1, {"u": {0: 0}}, {})})
    lab.fails(
        "ALTER TABLE q MODIFY SETTING kafka_topic_list = 'u'", "TOPICS_CHANGED", "1:13", "has read"
    )
    lab.run("ALTER TABLE q MODIFY SETTING kafka_topic_list = 'u,v', kafka_broker_list = 'c:1'")


def test_a_view_keeps_its_id_with_a_new_query(lab: Lab) -> None:
    lab.run(*MADE)
    before = lab.spec("q")
    lab.run("ALTER TABLE mv MODIFY QUERY SELECT a FROM q")
    after = lab.spec("q")
    assert after.outputs[0].view.uuid == before.outputs[0].view.uuid
    assert after.outputs[0].sql != before.outputs[0].sql
    assert [c.name for c in lab.table("mv").columns] == ["a"]


def test_rename(lab: Lab) -> None:
    """Names move, tables stay; a view reads and writes what has the name (CH-28)."""
    lab.run(*MADE)
    uuids = {name: lab.table(name).uuid for name in ("q", "t", "mv")}
    lab.engine.catalog.positions.add({uuids["q"]: Generation(1, {"t": {0: 5}}, {"t": "id"})})
    lab.run("RENAME TABLE q TO q2, mv TO mv2")
    assert lab.table("q2").uuid == uuids["q"]
    assert lab.engine.catalog.positions.generation(lab.table("q2").uuid) is not None
    assert lab.spec("q2").outputs == ()
    lab.run("RENAME TABLE q2 TO q")
    (plan,) = lab.spec("q").outputs
    assert (plan.view.uuid, plan.view.name, plan.fault) == (uuids["mv"], "mv2", None)
    lab.run("RENAME TABLE t TO db.t, other TO t")
    (plan,) = lab.spec("q").outputs
    assert plan.target == lab.table("t")
    assert lab.table("t", "db").uuid == uuids["t"]
    lab.run("RENAME TABLE q TO x, t TO q, x TO t, t TO x, q TO t, x TO q")
    assert lab.spec("q").id == uuids["q"]


def test_a_view_in_another_database_means_the_same_tables(lab: Lab) -> None:
    lab.run(*MADE, "RENAME TABLE mv TO db.mv")
    (plan,) = lab.spec("q").outputs
    assert plan.view.full_name == "db.mv"
    assert plan.fault is None
    assert lab.shown("db.mv").endswith("TO default.t AS SELECT a, s FROM `default`.q")


def test_a_view_with_a_table_of_its_own(lab: Lab) -> None:
    """Its table is emptied with it, and stays in its database."""
    lab.run(*MADE, "CREATE MATERIALIZED VIEW own ENGINE = Memory AS SELECT a FROM q")
    lab.run("TRUNCATE TABLE own", "OPTIMIZE TABLE own")
    lab.fails("RENAME TABLE own TO db.own", "UNSUPPORTED_VIEW_MOVE", "1:21", "a table of its own")
    assert lab.table("own").target is not None


def test_exchange(lab: Lab) -> None:
    lab.run(*MADE)
    first, second = lab.table("t"), lab.table("other")
    lab.run("EXCHANGE TABLES t AND other")
    assert (lab.table("t").uuid, lab.table("other").uuid) == (second.uuid, first.uuid)
    (plan,) = lab.spec("q").outputs
    assert plan.target == lab.table("t")
    lab.run("EXCHANGE TABLES t AND t", "EXCHANGE TABLES other AND t")
    assert (lab.table("t"), lab.table("other")) == (first, second)


@pytest.mark.parametrize(
    ("text", "condition", "at", "says"),
    [
        ("RENAME TABLE nosuch TO x", "UNKNOWN_TABLE", "1:14", "nosuch"),
        ("RENAME TABLE q TO t", "TABLE_ALREADY_EXISTS", "1:19", "default.t"),
        ("RENAME TABLE q TO nodb.q", "UNKNOWN_DATABASE", "1:19", "nodb"),
        ("RENAME TABLE nodb.q TO q2", "UNKNOWN_DATABASE", "1:14", "nodb"),
        ("RENAME TABLE q TO system.q", "SYSTEM_DATABASE_READ_ONLY", "1:19", "system"),
        ("RENAME TABLE q TO x, t TO x", "TABLE_ALREADY_EXISTS", "1:27", "default.x"),
        ("RENAME TABLE q TO x, q TO y", "UNKNOWN_TABLE", "1:22", "default.q"),
        ("RENAME TABLE macro TO x", "TOPICS_CHANGED", "1:23", "read from macro_topic"),
        ("RENAME TABLE q", "SYNTAX_ERROR", "1:15", "expected TO"),
        ("RENAME q TO x", "SYNTAX_ERROR", "1:8", "expected TABLE"),
        ("EXCHANGE TABLES q AND nosuch", "UNKNOWN_TABLE", "1:23", "nosuch"),
        ("EXCHANGE TABLES q", "SYNTAX_ERROR", "1:18", "expected AND"),
        ("TRUNCATE TABLE q", "UNSUPPORTED_BY_STORAGE", "1:16", "by storage Kafka is not supported"),
        ("TRUNCATE mv", "UNSUPPORTED_BY_STORAGE", "1:10", "by storage MaterializedView"),
        ("TRUNCATE TABLE nosuch", "UNKNOWN_TABLE", "1:16", "nosuch"),
        ("OPTIMIZE TABLE nosuch FINAL", "UNKNOWN_TABLE", "1:16", "nosuch"),
        ("OPTIMIZE TABLE q", "UNSUPPORTED_BY_STORAGE", "1:16", "by storage Kafka"),
        ("OPTIMIZE TABLE t PARTITION 1", "INVALID_PARTITION_VALUE", "1:16", "must be: 0"),
        ("SYSTEM STOP MERGES nosuch", "UNKNOWN_TABLE", "1:20", "nosuch"),
        ("SYSTEM STOP MERGE", "UNKNOWN_TABLE", "1:13", "MERGE"),
        ("SYSTEM SHUTDOWN", "UNSUPPORTED_STATEMENT", "1:8", "SYSTEM SHUTDOWN"),
        ("SYSTEM RESET OFFSETS t TO LATEST", "NOT_A_KAFKA_TABLE", "1:22", "not a Kafka table"),
        ("ATTACH TABLE q", "TABLE_ALREADY_EXISTS", "1:14", "default.q"),
        ("DETACH TABLE nosuch", "UNKNOWN_TABLE", "1:14", "nosuch"),
    ],
)
def test_what_is_refused(shared: Lab, text: str, condition: str, at: str, says: str) -> None:
    shared.fails(text, condition, at, says)


KEYS = """
    CREATE TABLE k (id UInt64, day Date, at DateTime, kind Enum8('a' = 1), v UInt32, x Int8)
    ENGINE = ReplacingMergeTree(v) PARTITION BY toYYYYMM(day) PRIMARY KEY id
    ORDER BY (id, kind, toStartOfHour(at))
"""


ALLOWED = (
    "MODIFY COLUMN id UInt64 DEFAULT 7 COMMENT 'x'",
    "MODIFY COLUMN id COMMENT 'y'",
    "MODIFY COLUMN kind Enum8('a' = 1, 'b' = 2)",
    "MODIFY COLUMN v UInt64",
    "MODIFY COLUMN x Int16",
    "RENAME COLUMN x TO y",
    "DROP COLUMN y",
)
FORBIDDEN = (
    "MODIFY COLUMN id Int64",
    "MODIFY COLUMN day Date32",
    "MODIFY COLUMN at Nullable(DateTime)",
    "MODIFY COLUMN kind Enum8('b' = 1)",
    "MODIFY COLUMN v String",
    "RENAME COLUMN day TO d",
    "RENAME COLUMN at TO d",
    "RENAME COLUMN v TO d",
    "DROP COLUMN day",
    "DROP COLUMN v",
)


def test_columns_of_keys(lab: Lab) -> None:
    """As ClickHouse: error 524 for what would change the order, the partition or the newest row."""
    start: Any = chdb.session.Session
    theirs = start()
    try:
        theirs.query(KEYS)
        lab.run(KEYS)
        for alter in ALLOWED:
            theirs.query(f"ALTER TABLE k {alter}")
            lab.run(f"ALTER TABLE k {alter}")
        for alter in FORBIDDEN:
            with pytest.raises(Exception, match="Code: 524"):
                theirs.query(f"ALTER TABLE k {alter}")
            lab.fails(f"ALTER TABLE k {alter}", "ALTER_OF_COLUMN_IS_FORBIDDEN")
    finally:
        theirs.close()


def test_nothing_to_do(lab: Lab) -> None:
    """Accepted, because what they ask for is so already."""
    lab.run(*MADE)
    before = lab.version()
    for text in (
        "SYSTEM RELOAD CONFIG",
        "SYSTEM FLUSH LOGS",
        "SYSTEM DROP MARK CACHE",
        "SYSTEM STOP MERGES",
        "SYSTEM START MERGES t",
        "SYSTEM SYNC REPLICA t",
        "TRUNCATE TABLE t",
        "TRUNCATE TABLE IF EXISTS nosuch",
        "ALTER TABLE IF EXISTS nosuch ADD COLUMN a Int8",
        "RENAME TABLE IF EXISTS nosuch TO x",
        "OPTIMIZE TABLE t FINAL",
        "OPTIMIZE TABLE t PARTITION tuple() FINAL",
        "SET max_threads = 4",
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS a Int8",
    ):
        assert lab.run(text) == []
    assert lab.version() == before


def test_detached_for_good(lab: Lab) -> None:
    lab.run(*MADE, "DETACH TABLE q PERMANENTLY")
    lab.fails("DETACH TABLE q", "NOT_ATTACHED", "1:14")
    lab.fails("RENAME TABLE q TO x", "NOT_ATTACHED", "1:14")
    lab.run("ATTACH TABLE q")
    assert len(lab.spec("q").outputs) == 1


def test_pipelines_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each statement the supervisor hears what should run now."""
    told: list[dict[str, QuerySpec]] = []
    monkeypatch.setattr(
        "sluice.engine.runtime.supervisor.Supervisor.sync",
        lambda _, wanted, others: told.append(wanted),
    )

    def last() -> Any:
        (spec,) = told[-1].values()
        return spec

    with Lab(tmp_path) as lab:
        lab.engine.runs_pipelines = True
        lab.run(*MADE)
        uuid = last().id
        for text in (
            "ALTER TABLE q MODIFY SETTING kafka_max_block_size = 5",
            "ALTER TABLE mv MODIFY QUERY SELECT a FROM q",
            "ALTER TABLE q ADD COLUMN b Int8",
            "RENAME TABLE mv TO mw",
            "EXCHANGE TABLES t AND other",
        ):
            before, count = last(), len(told)
            lab.run(text)
            assert len(told) == count + 1, text
            assert last() != before, text
            assert last().id == uuid
        lab.run("RENAME TABLE q TO r")
        assert told[-1] == {}


def test_ttl_is_kept_and_taken_away(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a DateTime) ENGINE = MergeTree ORDER BY a",
        "ALTER TABLE t MODIFY TTL a + INTERVAL 1 DAY, MODIFY COMMENT 'c'",
    )
    assert "TTL a + INTERVAL 1 DAY" in lab.shown("t")
    lab.fails("ALTER TABLE t MODIFY TTL nosuch + INTERVAL 1 DAY", "UNKNOWN_COLUMN", says="nosuch")
    lab.run("ALTER TABLE t REMOVE TTL")
    assert "TTL" not in lab.shown("t")


def test_nested_columns_that_are_not_flattened(lab: Lab) -> None:
    """flatten_nested = 0: one column, in CREATE and in ALTER; ClickHouse calls the type Nested."""
    lab.run(
        "SET flatten_nested = 0",
        "CREATE TABLE t (n Nested(a UInt8, b String)) ENGINE = MergeTree ORDER BY tuple()",
        "ALTER TABLE t ADD COLUMN m Nested(x UInt8)",
    )
    assert lab.columns("t") == "n Array(Tuple(a UInt8, b String)), m Array(Tuple(x UInt8))"
    assert lab.run("SELECT n.a, m.x FROM t ARRAY JOIN n") == []
    lab.run("SET flatten_nested = 1", "ALTER TABLE t ADD COLUMN k Nested(x UInt8)")
    assert lab.columns("t").endswith("k.x Array(UInt8)")
