"""Dictionaries over stored tables: their statements, who may use them, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice import errors

if TYPE_CHECKING:
    from session.lab import Lab

SOURCE = "SOURCE(CLICKHOUSE(TABLE 't'))"
FLAT = f"PRIMARY KEY id {SOURCE} LAYOUT(FLAT())"


def make(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (id UInt64, name String, parent UInt64, since Date, until Date)"
        " ENGINE = MergeTree ORDER BY id",
        "CREATE TABLE q (id UInt64) ENGINE = Kafka('b:9092', 't', 'g', 'JSONEachRow')",
    )


def test_statements(lab: Lab) -> None:
    make(lab)
    lab.run(
        "CREATE DICTIONARY d (id UInt64, name String DEFAULT 'none', parent UInt64 HIERARCHICAL)"
        " PRIMARY KEY id SOURCE(CLICKHOUSE(HOST 'localhost' PORT 9000 USER 'default' TABLE 't' DB"
        " 'default')) LIFETIME(MIN 0 MAX 300) LAYOUT(HASHED(SHARDS 2)) COMMENT 'names'",
        f"CREATE DICTIONARY IF NOT EXISTS d (id UInt64, name String) {FLAT}",
    )
    asked = "SELECT dictGet('d', 'name', 1), dictGet(default.d, 'name', 2), dictHas('default.d', 3)"
    assert lab.run(asked) == [("none", "none", 0)]
    assert lab.run("SELECT count() FROM d") == lab.run("SELECT count() FROM dictionary('d')")
    ((text,),) = lab.run("SHOW CREATE DICTIONARY d")
    lab.run("DROP DICTIONARY d", text)
    assert lab.run("SHOW CREATE DICTIONARY d") == [(text,)]
    assert "HASHED(SHARDS 2)" in text
    assert "parent` UInt64 HIERARCHICAL" in text
    assert lab.run("SHOW DICTIONARIES") == [("d",)]
    assert lab.run(
        "SELECT name, status, type, source, comment, lifetime_max, `key.names`, `attribute.names`"
        " FROM system.dictionaries"
    ) == [("d", "LOADED", "Hashed", "ClickHouse: default.t", "names", 300, ["id"],
           ["name", "parent"])]  # fmt: skip
    assert lab.run("SELECT engine FROM system.tables WHERE name = 'd'") == [("Dictionary",)]
    assert lab.run("EXISTS DICTIONARY d", "EXISTS DICTIONARY d") == [(1,)]
    assert lab.run("EXISTS DICTIONARY t") == [(0,)]
    lab.run("SYSTEM RELOAD DICTIONARY d", "SYSTEM RELOAD DICTIONARIES")
    lab.run("DETACH DICTIONARY d")
    with pytest.raises(errors.SluiceError, match="not found"):
        lab.run(asked)
    lab.run("ATTACH DICTIONARY d", f"CREATE OR REPLACE DICTIONARY d (id UInt64, since Date) {FLAT}")
    assert lab.run("SELECT toString(dictGetOrDefault(d, 'since', 7, toDate('2026-01-02')))") == [
        ("2026-01-02",)
    ]
    lab.run(
        "CREATE DICTIONARY r (id UInt64, since Date, until Date, name String) PRIMARY KEY id"
        f" {SOURCE} LAYOUT(RANGE_HASHED()) RANGE(MIN since MAX until)",
        "CREATE DICTIONARY c (id UInt64, name String, parent UInt64) PRIMARY KEY (id, name)"
        f" {SOURCE} LAYOUT(COMPLEX_KEY_HASHED())",
    )
    assert lab.run("SELECT dictGetOrNull('r', 'name', 1, toDate('2026-01-02'))") == [(None,)]
    assert lab.run("SELECT dictGet('c', 'parent', (toUInt64(1), 'x'))") == [(0,)]


@pytest.mark.parametrize(
    ("definition", "name"),
    [
        ("PRIMARY KEY id SOURCE(HTTP(url 'http://h' format 'TSV')) LAYOUT(FLAT())", "UNSUPPORTED"),
        ("PRIMARY KEY id SOURCE(FILE(path '/etc/passwd' format 'TSV')) LAYOUT(FLAT())",
         "UNSUPPORTED"),
        ("PRIMARY KEY id SOURCE(EXECUTABLE(command 'id' format 'TSV')) LAYOUT(FLAT())",
         "UNSUPPORTED"),
        ("PRIMARY KEY id SOURCE(CLICKHOUSE(HOST 'h' TABLE 't')) LAYOUT(FLAT())", "UNSUPPORTED"),
        ("PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1, 2')) LAYOUT(FLAT())", "UNSUPPORTED"),
        ("PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 't' WHERE '1')) LAYOUT(FLAT())", "UNSUPPORTED"),
        ("PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'q')) LAYOUT(FLAT())", "UNSUPPORTED"),
        ("PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'nothing')) LAYOUT(FLAT())", "UNKNOWN_TABLE"),
        (f"PRIMARY KEY id {SOURCE} LAYOUT(SSD_CACHE(path '/tmp/x'))", "UNSUPPORTED"),
        (f"PRIMARY KEY id {SOURCE} LAYOUT(FLAT(f(1)))", "SYNTAX_ERROR"),
        (f"PRIMARY KEY id {SOURCE}", "SYNTAX_ERROR"),
        (f"PRIMARY KEY nope {SOURCE} LAYOUT(FLAT())", "INCORRECT_DICTIONARY_DEFINITION"),
    ],
)  # fmt: skip
def test_refused(shared: Lab, definition: str, name: str) -> None:
    with pytest.raises(errors.SluiceError) as refused:
        shared.run(f"CREATE DICTIONARY n (id UInt64, name String) {definition}")
    assert name in refused.value.condition.name, refused.value
    assert shared.run("EXISTS DICTIONARY n") == [(0,)]


def test_attributes_and_kinds(shared: Lab) -> None:
    shared.run(f"CREATE DICTIONARY k (id UInt64, name String) {FLAT}")
    for text, name in (
        (f"CREATE DICTIONARY x (id UInt64, n String EXPRESSION file('x')) {FLAT}", "UNSUPPORTED"),
        (f"CREATE DICTIONARY x (id UInt64, n String DEFAULT file('x')) {FLAT}", "SYNTAX_ERROR"),
        (f"CREATE DICTIONARY x (id UInt64, nam String) {FLAT}", "UNKNOWN_COLUMN"),
        ("DROP TABLE k", "IS_A_DICTIONARY"),
        ("DETACH TABLE k", "IS_A_DICTIONARY"),
        ("DROP DICTIONARY t", "IS_A_DICTIONARY"),
        ("ALTER TABLE k ADD COLUMN a UInt8", "UNSUPPORTED_ALTER"),
        ("DELETE FROM k WHERE 1", "UNSUPPORTED_BY_STORAGE"),
        ("SELECT * FROM k SETTINGS sluice_engine = 'spark'", "DICTIONARY_ON_SPARK"),
        ("SELECT dictGet(concat('', 'k'), 'name', 1)", "BAD_ARGUMENTS"),
        ("SELECT dictGet('nothing', 'name', 1)", "BAD_ARGUMENTS"),
    ):
        with pytest.raises(errors.SluiceError) as refused:
            shared.run(text)
        assert name in refused.value.condition.name, (text, refused.value)


def test_rights(lab: Lab) -> None:
    make(lab)
    lab.run(
        f"CREATE DICTIONARY open (id UInt64, name String) {FLAT}",
        f"CREATE DICTIONARY secret (id UInt64, name String) {FLAT}",
        "CREATE USER bob",
        "GRANT dictGet ON default.open TO bob",
        "CREATE TABLE w (name String) ENGINE = MergeTree ORDER BY name",
        "GRANT INSERT ON default.w TO bob",
        "SELECT dictGet('secret', 'name', 1)",
    )
    bob = lab.session.child(user="bob")
    assert bob.execute("SELECT dictGet('open', 'name', 1)").fetchall() == [("",)]
    assert bob.execute("SHOW DICTIONARIES").fetchall() == [("open",)]
    for text in (
        "SELECT dictGet('secret', 'name', 1)",
        "SELECT dictGet(default.secret, 'name', 1)",
        "WITH 'secret' AS open SELECT dictGet(open, 'name', 1)",
        "SELECT dictGet(concat('sec', 'ret'), 'name', 1)",
        "SELECT * FROM dictionary('secret')",
        "INSERT INTO default.w VALUES (dictGet('secret', 'name', 1))",
        "INSERT INTO default.w VALUES (dictGet(concat('sec', 'ret'), 'name', 1))",
        "SELECT * FROM secret",
        "SELECT * FROM open",
        f"CREATE DICTIONARY own (id UInt64, name String) {FLAT}",
        "DROP DICTIONARY open",
        "SYSTEM RELOAD DICTIONARY open",
    ):
        lab.run("SELECT dictGet('secret', 'name', 1)")  # a worker has it
        with pytest.raises(errors.SluiceError) as refused:
            bob.execute(text)
        assert refused.value.condition.clickhouse_code in (36, 46, 48, 497), (text, refused.value)
    lab.run("GRANT CREATE DICTIONARY ON *.* TO bob", "GRANT SELECT ON default.t TO bob")
    bob.execute(f"CREATE DICTIONARY own (id UInt64, name String) {FLAT}")
