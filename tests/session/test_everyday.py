"""Statements that users of ClickHouse type every day: what they are told."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from sluice.catalog.system_tables import SYSTEM
from sluice.system import clickhouse_columns

if TYPE_CHECKING:
    from session.lab import Lab


def make(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (id UInt64 PRIMARY KEY, s String, INDEX i s TYPE minmax) "
        "ENGINE = MergeTree ORDER BY (id, lower(s))",
        "CREATE VIEW v AS SELECT id FROM t",
    )


COUNTED = "count() > 1500, sum(is_supported) > 300, sum(is_aggregate) > 99, sum(alias_to = 'lower')"


@pytest.mark.parametrize("word", ["INDEX", "INDEXES", "INDICES", "KEYS"])
def test_show_index(shared: Lab, word: str) -> None:
    result = shared.session.execute(f"SHOW {word} FROM t")
    assert [c.name for c in result.columns][:6] == [
        "table", "non_unique", "key_name", "seq_in_index", "column_name", "collation",
    ]  # fmt: skip
    rows = [(row[2], row[3], row[4], row[10], row[14]) for row in result.fetchall()]
    assert rows == [("PRIMARY", 1, "id", "PRIMARY", ""), ("i", 1, "", "MINMAX", "s")]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SHOW SETTING max_result_rows", [("0",)]),
        ("SHOW CHANGED SETTINGS ILIKE '%'", []),
        ("SHOW CLUSTER 'default'", [("default", 1, 1, "localhost", "127.0.0.1", 0)]),
        ("SHOW MERGES LIKE '%'", []),
        ("DESCRIBE v SETTINGS describe_compact_output = 1", [("id", "UInt64")]),
        ("DESCRIBE v SETTINGS describe_include_subcolumns = 0", [("id", "UInt64", *[""] * 5)]),
        ("EXISTS system.keywords", [(1,)]),
        ("SELECT name, type FROM system.columns WHERE table = 'codecs' LIMIT 1",
         [("name", "String")]),
        ("SELECT name FROM system.database_engines", [("Atomic",)]),
        ("SELECT value != '' FROM system.build_options WHERE name = 'VERSION_DESCRIBE'", [(1,)]),
        ("SELECT count() FROM information_schema.statistics", [(0,)]),
        ("SELECT DISTINCT datetime_precision FROM system.columns WHERE type = 'Date'", [(0,)]),
        ("SYSTEM FLUSH LOGS query_log, system.text_log", []),
        ("SYSTEM CLEAR FILESYSTEM CACHE", []),
        ("SYSTEM RESTART REPLICAS", []),
        ("SYSTEM RELOAD ASYNCHRONOUS METRICS", []),
        ("SELECT count() FROM system.merges", [(0,)]),
        ("SELECT table_name, view_definition FROM information_schema.views",
         [("v", "SELECT id FROM t")]),
        ("SELECT column_name FROM information_schema.key_column_usage", [("id",)]),
        ("SELECT count() FROM information_schema.referential_constraints", [(0,)]),
        ("SELECT name, total_space >= free_space FROM system.disks", [("default", 1)]),
        ("SELECT policy_name, disks FROM system.storage_policies", [("default", ["default"])]),
        ("SELECT count() > 100 FROM system.keywords", [(1,)]),
        ("SELECT count() FROM system.codecs WHERE name = 'ZSTD'", [(1,)]),
        ("EXISTS TEMPORARY TABLE t", [(0,)]),
        ("SHOW VIEW v", [("CREATE VIEW default.v\n(\n    `id` UInt64\n)\nAS SELECT id FROM t",)]),
        ("SHOW FILESYSTEM CACHES", []),
        ("SELECT name, storage_policy FROM system.tables WHERE database = 'default' ORDER BY name",
         [("t", "default"), ("v", "")]),
        (f"SELECT {COUNTED} FROM system.functions", [(1, 1, 1, 1)]),
        ("SELECT supports_ttl FROM system.table_engines WHERE name LIKE 'Me%' ORDER BY name",
         [(0,), (1,)]),
        ("SELECT DISTINCT type FROM system.settings WHERE name LIKE 'input_%max_block_size%'",
         [("UInt64",), ("NonZeroUInt64",)]),
        ("SELECT name FROM system.table_functions WHERE name LIKE 'merge'", [("merge",)]),
        ("SELECT value > 1000000 FROM system.metrics WHERE metric = 'MemoryTracking'", [(1,)]),
        ("SELECT ProfileEvents, normalized_query_hash, tables FROM system.query_log LIMIT 0", []),
        ("SELECT value, type FROM system.merge_tree_settings WHERE name = 'index_granularity'",
         [("8192", "UInt64")]),
        ("SHOW QUOTA", []),
        ("SHOW CURRENT QUOTA", []),
        ("WITH (a) -> a * 2 AS f, f AS g SELECT f(3), arrayMap(g, [1])", [(6, [2])]),
        ("FROM numbers(3) SELECT max(number)", [(2,)]),
        ("SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS r(a, b)", [(1, "x"), (2, "y")]),
        ("SHOW CREATE TABLE system.one",
         [("CREATE TABLE system.one\n(\n    `dummy` UInt8\n)\nENGINE = System",)]),
        ("SELECT table_rows FROM information_schema.tables WHERE table_name = 't'", [(0,)]),
        ("SHOW DICTIONARIES FROM default LIKE 'x%' LIMIT 1", []),
        ("DROP INDEX IF EXISTS nosuch ON default.t", []),
    ],
)  # fmt: skip
def test_what_is_answered(shared: Lab, text: str, rows: list[object]) -> None:
    assert shared.run(text) == rows


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("SYSTEM SHUTDOWN", "UNSUPPORTED_STATEMENT", "SIGTERM"),
        ("SYSTEM REFRESH VIEW v", "UNSUPPORTED_STATEMENT", "with every batch"),
        ("SYSTEM DROP REPLICA 'x'", "UNSUPPORTED_STATEMENT", "no replicas"),
        ("SYSTEM NOSUCH", "UNSUPPORTED_STATEMENT", "Supported: SYSTEM RESET OFFSETS, STOP"),
        ("CREATE TABLE n (a UInt8) ENGINE = S3('x')", "UNSUPPORTED_ENGINE", "INSERT INTO"),
        ("CREATE TABLE n (a UInt8) ENGINE = PostgreSQL('h')", "UNSUPPORTED_ENGINE", "topics"),
        ("CREATE TABLE n (a UInt8) ENGINE = Merge(d, '^x')", "UNSUPPORTED_ENGINE", "FROM merge("),
        ("CREATE TABLE n (a UInt8 PRIMARY KEY) ENGINE = MergeTree PRIMARY KEY a",
         "MULTIPLE_PRIMARY_KEYS", ""),
        ("INSERT INTO t FROM INFILE 'x.csv' FORMAT CSV", "UNSUPPORTED_CLAUSE", "< data.csv"),
        ("HELLO", "UNSUPPORTED_STATEMENT", "Statements begin with SELECT, WITH, INSERT, CREATE, R"),
    ],
)  # fmt: skip
def test_what_is_refused(shared: Lab, text: str, condition: str, says: str) -> None:
    shared.fails(text, condition, says=says)


def test_a_primary_key_in_the_columns(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a UInt8 DEFAULT 5 PRIMARY KEY COMMENT 'x', b String, `c d` Int8 "
        "PRIMARY KEY) ENGINE = MergeTree"
    )
    shown = lab.shown("t")
    assert "`a` UInt8 DEFAULT 5 COMMENT 'x'" in shown
    assert "PRIMARY KEY (a, `c d`)" in shown or "ORDER BY (a, `c d`)" in shown


def test_uptime_is_that_of_the_server(lab: Lab) -> None:
    lab.engine.activity.started -= timedelta(hours=1)
    found = lab.run("SELECT uptime() BETWEEN 3600 AND 7200, toTypeName(uptime())")
    assert found == [(1, "UInt32")]


def test_sizes_with_units(lab: Lab) -> None:
    """As ClickHouse reads the values of numeric settings."""
    lab.run("SET max_memory_usage = '1Gi', max_result_rows = '2k'")
    assert lab.run("SELECT getSetting('max_memory_usage')") == [(1 << 30,)]
    assert lab.run("SELECT getSetting('max_result_rows')") == [(2000,)]
    lab.fails("SET max_result_rows = '2x'", "INVALID_OPTION_VALUE", says="integer")


OTHER_TYPES = {
    ("functions", "origin"), ("dictionaries", "status"), ("settings", "tier"),
    ("processes", "address"), ("processes", "initial_address"), ("session_log", "type"),
    ("processes", "interface"), ("quotas", "keys"), ("settings_profile_elements", "writability"),
}  # fmt: skip
"""Columns whose values are other ones than ClickHouse's."""


def test_system_tables_have_the_columns_of_clickhouse(lab: Lab) -> None:
    """Every table that both have: names and types, but enums of what only ClickHouse has."""
    import chdb

    query: Any = chdb.query
    ask = "SELECT table, name, type FROM system.columns WHERE database = 'system'"
    theirs: dict[str, dict[str, str]] = {}
    for line in str(query(ask, "TSVRaw")).splitlines():
        table, name, type_ = line.split("\t")
        theirs.setdefault(table, {})[name] = type_
    wrong = []
    for table, columns in theirs.items():
        if (own := SYSTEM.get(table)) is None or table in ("grants", "privileges", "users"):
            continue
        known = {name: str(type_) for name, type_ in own.columns} | dict(own.aliases)
        wrong += [
            (table, name, known.get(name), type_)
            for name, type_ in columns.items()
            if known.get(name) != type_
            and name not in dict(own.aliases)
            and (table, name) not in OTHER_TYPES
            and name in {each.name for each in clickhouse_columns.columns("system")[table]}
        ]
    assert not wrong
    for table in (*clickhouse_columns.ABSENT, "parts", "processes", "mutations"):
        lab.run(f"SELECT * FROM system.{table}")
    assert lab.run("SELECT is_readonly, absolute_delay FROM system.replicas") == []
    assert lab.run("SELECT min_date, part_name, bytes, removal_tid FROM system.parts") == []
    for table in clickhouse_columns.NATIVE:
        made = lab.system(table)
        assert len(made) == lab.run(f"SELECT count() FROM system.{table}")[0][0] > 0
    assert lab.run("SELECT is_all_data_sent, ProfileEvents['x'] FROM system.processes")[0][1] == 0


def test_indices_by_statements_of_their_own(lab: Lab) -> None:
    """CREATE INDEX and DROP INDEX are ALTER TABLE, as in ClickHouse."""
    lab.run(
        "CREATE TABLE t (a UInt8, b VARCHAR(10), c bigint(20) unsigned, d double precision NULL, "
        "e datetime(3)) ENGINE = MergeTree ORDER BY a",
        "CREATE INDEX IF NOT EXISTS i ON t (lower(b)) TYPE bloom_filter GRANULARITY 2",
        "CREATE INDEX j ON default.t ON CLUSTER default (a, c) TYPE minmax",
    )
    assert lab.columns("t") == "a UInt8, b String, c UInt64, d Nullable(Float64), e DateTime64(3)"
    shown = "SELECT name, expr, type FROM system.data_skipping_indices ORDER BY name"
    assert [row[0] for row in lab.run(shown)] == ["i", "j"]
    lab.run("DROP INDEX i ON t")
    assert [row[0] for row in lab.run(shown)] == ["j"]
    lab.fails("DROP INDEX i ON t", "UNKNOWN_ELEMENT", "1:12")
