"""Nested columns: arrays of equal length under one name, as ClickHouse flattens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session

SPARK = {"sluice_engine": "spark"}


def test_rows_of_nested_columns(session: Session) -> None:
    """INSERTs of each kind; reads by both engines; what is omitted is as long as the others."""
    run = session.execute
    run("CREATE TABLE t (id Int8, n Nested(a UInt8, b String)) ENGINE = MergeTree ORDER BY id")
    shown = run("SHOW CREATE TABLE t").fetchall()[0][0]
    assert "`n.a` Array(UInt8),\n    `n.b` Array(String)" in shown
    described = [row[:2] for row in run("DESCRIBE t").fetchall()]
    assert described == [("id", "Int8"), ("n.a", "Array(UInt8)"), ("n.b", "Array(String)")]
    run("INSERT INTO t VALUES (1, [1, 2], ['x', 'y'])")
    run("INSERT INTO t (id, n.b) VALUES (2, ['z'])")
    run("INSERT INTO t SELECT 3, [7], ['q']")
    data = '{"id": 4, "n.a": [5], "n.b": ["w"]} {"id": 5}'
    run(f"INSERT INTO t FORMAT JSONEachRow {data}")
    nested = '{"id": 6, "n": {"a": [8, 9], "b": ["u", "v"]}}'
    run(f"INSERT INTO t SETTINGS input_format_import_nested_json = 1 FORMAT JSONEachRow {nested}")
    rows = [
        (1, [1, 2], ["x", "y"]), (2, [0], ["z"]), (3, [7], ["q"]), (4, [5], ["w"]), (5, [], []),
        (6, [8, 9], ["u", "v"]),
    ]  # fmt: skip
    query = "SELECT id, n.a, n.b FROM t ORDER BY id"
    assert run(query).fetchall() == rows
    assert run(query, settings=SPARK).fetchall() == rows
    joined = "SELECT id, n.a, n.b FROM t ARRAY JOIN n WHERE id IN (1, 6) ORDER BY ALL"
    flat = [(1, 1, "x"), (1, 2, "y"), (6, 8, "u"), (6, 9, "v")]
    assert run(joined).fetchall() == flat
    renamed = "SELECT id, e.a, e.b FROM t LEFT ARRAY JOIN n AS e WHERE id IN (1, 6) ORDER BY 1, 2"
    assert run(renamed, settings=SPARK).fetchall() == flat
    assert run("SELECT n FROM t WHERE id = 1").fetchall() == [([(1, "x"), (2, "y")],)]


@pytest.mark.parametrize(
    "given",
    [
        "VALUES (1, [1, 2], ['a'])",
        "SELECT 1, [1], ['a', 'b']",
        'FORMAT JSONEachRow {"id": 1, "n.a": [1]}',
    ],
)
def test_arrays_of_different_lengths(session: Session, given: str) -> None:
    session.execute("CREATE TABLE t (id Int8, n Nested(a UInt8, b String)) ENGINE = Memory")
    with pytest.raises(SluiceError) as caught:
        session.execute(f"INSERT INTO t {given}")
    assert caught.value.condition.name == "SIZES_OF_ARRAYS_DONT_MATCH"
    assert "'n.a' and 'n.b' of Nested data structure 'n'" in str(caught.value)
    assert session.execute("SELECT count() FROM t").fetchall() == [(0,)]


def test_nested_columns_change(session: Session) -> None:
    """ADD and DROP of a structure, and of a part of one: rows of before have as many defaults."""
    run = session.execute
    run("CREATE TABLE t (id Int8, n Nested(a UInt8)) ENGINE = MergeTree ORDER BY id")
    run("INSERT INTO t VALUES (1, [1, 2])")
    run("ALTER TABLE t ADD COLUMN n.c Array(Enum8('p' = 1, 'q' = 2)) AFTER n.a")
    run("ALTER TABLE t ADD COLUMN m Nested(x Int8, y LowCardinality(String)) FIRST")
    names = [row[0] for row in run("DESCRIBE t").fetchall()]
    assert names == ["m.x", "m.y", "id", "n.a", "n.c"]
    run("INSERT INTO t VALUES ([3], ['y'], 2, [5], ['q'])")
    rows = [([], [], 1, [1, 2], ["p", "p"]), ([3], ["y"], 2, [5], ["q"])]
    assert run("SELECT * FROM t ORDER BY id").fetchall() == rows
    assert run("SELECT * FROM t ORDER BY id", settings=SPARK).fetchall() == rows
    run("ALTER TABLE t ADD COLUMN IF NOT EXISTS m Nested(z Int8), DROP COLUMN n")
    assert [row[0] for row in run("DESCRIBE t").fetchall()] == ["m.x", "m.y", "id"]
    for change in ("ADD COLUMN m Nested(z Int8)", "ADD COLUMN k Nested(`a` Int8, A Int8)"):
        with pytest.raises(SluiceError, match="given twice"):
            run(f"ALTER TABLE t {change}")
    for change in ("DROP COLUMN n", "RENAME COLUMN m.x TO k.x"):
        with pytest.raises(SluiceError, match=r"no column|Unknown|one Nested structure"):
            run(f"ALTER TABLE t {change}")
    run("ALTER TABLE t DROP COLUMN IF EXISTS n, DROP COLUMN IF EXISTS m")
    assert [row[0] for row in run("DESCRIBE t").fetchall()] == ["id"]


def test_a_view_unfolds_nested_messages(lab: Lab, topic: str) -> None:
    """A Kafka table of Nested columns, and a view with ARRAY JOIN over it; written again."""
    columns = "id UInt64, n Nested(a UInt8, b Nullable(String))"
    lab.queue("q", topic, columns, input_format_import_nested_json=1)
    lab.sql("CREATE TABLE v (id UInt64, a UInt8, b Nullable(String)) ENGINE = Memory")
    lab.sql(f"CREATE TABLE w ({columns}) ENGINE = Memory")
    lab.sql("CREATE MATERIALIZED VIEW m TO v AS SELECT id, n.a AS a, n.b AS b FROM q ARRAY JOIN n")
    lab.sql("CREATE MATERIALIZED VIEW k TO w AS SELECT * FROM q")
    lab.produce(topic, {"id": 1, "n": {"a": [1, 2], "b": ["x", None]}}, {"id": 2})
    lab.sql("INSERT INTO q VALUES (3, [4], ['t'])")
    sent = lab.consume(topic)[-1].value
    assert sent == b'{"id":3,"n.a":[4],"n.b":["t"]}\n'
    lab.arrives("SELECT * FROM v ORDER BY ALL", [(1, 1, "x"), (1, 2, None), (3, 4, "t")])
    lab.arrives("SELECT * FROM w ORDER BY id",
        [(1, [1, 2], ["x", None]), (2, [], []), (3, [4], ["t"])])  # fmt: skip
    lab.produce(topic, {"id": 4, "n": {"a": [1], "b": []}})
    assert "different array sizes" in lab.becomes("WAITING(VIEW_FAILED)")
