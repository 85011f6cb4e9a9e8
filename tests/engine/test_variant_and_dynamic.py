"""Variant and Dynamic: every value keeps its type."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session

SPARK = {"sluice_engine": "spark"}
COLUMNS = "id UInt8, v Variant(UInt64, String, Array(UInt64)), d Dynamic"


def test_values_keep_their_types(session: Session) -> None:
    run = session.execute
    run(f"CREATE TABLE t ({COLUMNS}) ENGINE = MergeTree ORDER BY id")
    types = [row[1] for row in run("DESCRIBE t").fetchall()]
    assert types == ["UInt8", "Variant(Array(UInt64), String, UInt64)", "Dynamic"]
    run("INSERT INTO t VALUES (1, 42, 42), (2, 'x', 'x'), (3, [1, 2], [1, 2]), (4, NULL, NULL)")
    run("INSERT INTO t VALUES (5, 42::UInt64, toDate('2024-02-29'))")
    run('INSERT INTO t FORMAT JSONEachRow {"id": 6, "v": "s", "d": [1.5]} {"id": 7, "v": [8]}')
    for wrong in ("256, 1", "-1, 1"):
        with pytest.raises(SluiceError):
            run(f"INSERT INTO t (id, v) VALUES ({wrong})")
    run("INSERT INTO t (id) VALUES (8)")
    run("INSERT INTO t SELECT 9, v, d FROM t WHERE id = 3")
    told = "SELECT id, variantType(v), dynamicType(d) FROM t ORDER BY id"
    assert run(told).fetchall() == [
        (1, "UInt64", "Int64"), (2, "String", "String"), (3, "Array(UInt64)", "Array(Int64)"),
        (4, "None", "None"), (5, "UInt64", "Date"), (6, "String", "Array(Float64)"),
        (7, "Array(UInt64)", "None"), (8, "None", "None"), (9, "Array(UInt64)", "Array(Int64)"),
    ]  # fmt: skip
    parts = "SELECT v.UInt64, v.String, d.Date, v::String FROM t WHERE id IN (2, 5) ORDER BY id"
    assert run(parts).fetchall() == [
        (None, "x", None, "x"), (42, None, date(2024, 2, 29), "42"),
    ]  # fmt: skip
    assert run("SELECT v, d FROM t WHERE id = 3").fetchall() == [([1, 2], [1, 2])]
    query = "SELECT id, v, d FROM t ORDER BY id"
    assert run(query, settings=SPARK).fetchall() == run(query).fetchall()


def test_within_other_types_and_added_later(session: Session) -> None:
    run = session.execute
    columns = "id UInt8, a Array(Dynamic), m Map(String, Variant(Int8, String)), p Tuple(x Dynamic)"
    run(f"CREATE TABLE t ({columns}, g Geometry) ENGINE = MergeTree ORDER BY id")
    run("INSERT INTO t VALUES (1, [1, 'x'], map('k', 'v'), tuple(2), (1, 2)::Point)")
    run("ALTER TABLE t ADD COLUMN v Variant(Bool, String), ADD COLUMN l Array(Dynamic)")
    query = "SELECT a, m, p, g, toTypeName(g), v, l FROM t"
    assert run(query).fetchall() == [
        ([1, "x"], {"k": "v"}, (2,), [1, 2], "Geometry", None, []),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "condition"),
    [
        ("Variant(Int8, UInt8)", "SUSPICIOUS_VARIANT"),
        ("Variant(Array(Int8), Array(UInt8))", "SUSPICIOUS_VARIANT"),
        ("Variant(Date, DateTime)", "SUSPICIOUS_VARIANT"),
        ("Variant(String, LowCardinality(String))", "SUSPICIOUS_VARIANT"),
        ("Variant(Nullable(Int8))", "WRONG_TYPE_ARGUMENTS"),
        ("Variant(Variant(Int8), String)", "WRONG_TYPE_ARGUMENTS"),
        ("Nullable(Dynamic)", "WRONG_TYPE_ARGUMENTS"),
        ("Dynamic(max_types=300)", "WRONG_TYPE_ARGUMENTS"),
    ],
)
def test_what_clickhouse_refuses(session: Session, type_: str, condition: str) -> None:
    with pytest.raises(SluiceError) as caught:
        session.execute(f"CREATE TABLE t (v {type_}) ENGINE = Memory")
    assert caught.value.condition.name == condition


def test_variants_that_differ(session: Session) -> None:
    for kinds in ("UInt64, Float64", "Bool, UInt8", "UInt64, Int64", "Point, Ring", "Date, String"):
        session.execute(f"CREATE TABLE `{kinds}` (v Variant({kinds})) ENGINE = Memory")


def test_through_kafka(lab: Lab, topic: str) -> None:
    """From messages through views to a table, and to messages of another format."""
    columns = "id UInt8, v Variant(UInt64, String, Array(UInt64)), a Array(Dynamic)"
    lab.produce(
        topic,
        '{"id":1,"v":42,"a":[1,"x",[2.5],{"k":null}]}\n{"id":2,"v":"x"}',
        '{"id":3,"v":[1,2],"a":[]}',
        '{"id":4,"v":null,"a":["2024-02-29"]}',
    )
    lab.queue("q", topic, columns)
    lab.queue("out", f"{topic}-out", columns, kafka_format="RowBinary")
    lab.make_topic(f"{topic}-out")
    for name in ("first", "last"):
        lab.sql(f"CREATE TABLE {name} ({columns}) ENGINE = MergeTree ORDER BY id")
    lab.sql("CREATE MATERIALIZED VIEW a TO first AS SELECT * FROM q")
    lab.sql("CREATE MATERIALIZED VIEW b TO out AS SELECT * FROM first")
    lab.sql("CREATE MATERIALIZED VIEW c TO last AS SELECT * FROM out")
    told = "SELECT id, v, variantType(v), arrayMap(x -> dynamicType(x), a) FROM {} ORDER BY id"
    wanted = [
        (1, 42, "UInt64", ["Int64", "String", "Array(Float64)", "Tuple(k Nullable(String))"]),
        (2, "x", "String", []),
        (3, [1, 2], "Array(UInt64)", []),
        (4, None, "None", ["Date"]),
    ]
    lab.arrives(told.format("first"), wanted)
    lab.arrives(told.format("last"), wanted)
    lab.queue("again", topic, columns, kafka_group_name="again")
    assert lab.sql("SELECT v, a FROM again ORDER BY id") == [
        (42, [1, "x", [2.5], [None]]), ("x", []), ([1, 2], []), (None, ["2024-02-29"]),
    ]  # fmt: skip
    lab.produce(topic, '{"id":"x","v":1}')
    with pytest.raises(SluiceError, match=r"Cannot parse input: .* key id"):
        lab.sql("SELECT id FROM again")


def test_rowbinary_through_kafka(lab: Lab, topic: str) -> None:
    """The JVM reads the first and the last message, ClickHouse that with a type which is rare."""
    values = (
        b"\x01\x01\x2a" + bytes(7) + b"\x15\x01x",
        b"\x02\x00\x01y\x26\x15\x01z",
        b"\x03\xff\x00",
        b"\x04\x07",
    )
    lab.produce(topic, *values)
    columns = "id UInt8, v Variant(UInt64, String), d Dynamic"
    lab.queue("q", topic, columns, kafka_format="RowBinary", kafka_handle_error_mode="stream")
    lab.sql(f"CREATE TABLE t ({columns}) ENGINE = MergeTree ORDER BY id")
    lab.sql("CREATE MATERIALIZED VIEW m TO t AS SELECT id, v, d FROM q WHERE _error = ''")
    told = "SELECT id, v, variantType(v), d, dynamicType(d) FROM t ORDER BY id"
    wanted = [
        (1, 42, "UInt64", "x", "String"),
        (2, "y", "String", "z", "LowCardinality(String)"),
        (3, None, "None", None, "None"),
    ]
    lab.arrives(told, wanted)


def test_where_they_cannot_be(lab: Lab, topic: str) -> None:
    """Not in every format, not in a key, and Spark makes none."""
    with pytest.raises(SluiceError, match="Dynamic is not supported for MsgPack"):
        lab.queue("q", topic, "v Dynamic", kafka_format="MsgPack")
    for type_ in ("Dynamic", "Variant(Int8, String)"):
        with pytest.raises(SluiceError) as caught:
            lab.sql(f"CREATE TABLE t (v {type_}) ENGINE = MergeTree ORDER BY v")
        assert caught.value.condition.name == "DATA_TYPE_CANNOT_BE_USED_IN_KEY"
    lab.sql("CREATE TABLE t (v Dynamic) ENGINE = Memory")
    for query in ("SELECT 1", "SELECT CAST(1, 'Dynamic')"):
        with pytest.raises(SluiceError) as caught:
            lab.sql(f"INSERT INTO t {query} SETTINGS sluice_engine = 'spark'")
        assert caught.value.condition.name in ("OPAQUE_TYPE", "UNSUPPORTED_EXPRESSION")
        lab.sql(f"INSERT INTO t {query}")
    assert lab.sql("SELECT v, dynamicType(v) FROM t") == [(1, "UInt8")] * 2
