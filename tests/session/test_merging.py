"""Which rows become one, by the engine of their table; and what no engine could merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.lab import KAFKA
from sluice.errors import SluiceError
from sluice.planner.merging import merging_of

if TYPE_CHECKING:
    from session.lab import Lab


def test_what_is_merged_how(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE s (day Date, k String, n UInt8, f Nullable(Float32), t DateTime, b Bool) "
        "ENGINE = SummingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (k, toDate(t))",
        "CREATE TABLE l (k Int8, a Int8, b Int8, c Int8) "
        "ENGINE = ReplicatedSummingMergeTree('/p', 'r', (a, b)) ORDER BY k",
        "CREATE TABLE r (k Int8, v Int8, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY "
        "(cityHash64(k), k)",
        "CREATE TABLE a (k Int8, x SimpleAggregateFunction(anyLast, String), "
        "y AggregateFunction(sum, Int8), z Int8) ENGINE = AggregatingMergeTree() ORDER BY tuple()",
        "CREATE TABLE m (k Int8) ENGINE = MergeTree ORDER BY k",
    )
    s, named, r, a = (merging_of(lab.table(name)) for name in "slra")
    assert s is not None
    assert s.keys[:2] == ("`k`", "CAST(`t` AS DATE)")
    assert len(s.keys) == 3
    assert s.columns == {"n": "sum", "f": "sum", "b": "any"}
    assert s.zeros == ("n", "f")
    assert not s.ordered
    assert named is not None
    assert named.columns == {"a": "sum", "b": "sum", "c": "any"}
    assert r is not None
    assert (r.keys, r.newest, r.deleted, r.ordered) == (("`k`",), ("v",), "d", True)
    assert a is not None
    assert (a.keys, a.columns) == ((), {"k": "any", "x": "anyLast", "y": "sum", "z": "any"})
    assert a.ordered
    assert merging_of(lab.table("m")) is None
    lab.run(
        "CREATE TABLE c (k Int8, s Int8) ENGINE = CollapsingMergeTree(s) ORDER BY k",
        "CREATE TABLE v (p Int8, k Int8, s Int8, `at 1` DateTime) ENGINE = "
        "VersionedCollapsingMergeTree(s, `at 1`) ORDER BY k PARTITION BY p",
        "CREATE TABLE o (d Date, k Int8, s Int8) "
        "ENGINE = ReplicatedCollapsingMergeTree('/p', 'r', d, (k), 8192, s)",
    )
    c, v, old = (merging_of(lab.table(name)) for name in "cvo")
    assert c is not None
    assert (c.keys, c.sign, c.versioned, c.ordered) == (("`k`",), "s", False, True)
    assert v is not None
    assert (v.keys, v.sign, v.versioned) == (("`k`", "`p`", "`at 1`"), "s", True)
    assert old is not None
    assert (old.keys[0], old.sign) == ("`k`", "s")


COLUMN, ARGUMENTS = "INVALID_ENGINE_COLUMN", "WRONG_TYPE_ARGUMENTS"


@pytest.mark.parametrize(
    ("columns", "engine", "condition", "says"),
    [
        ("k Int8, v String", "ReplacingMergeTree(v) ORDER BY k", COLUMN, "it is String"),
        ("k Int8, v Int8, d Int8", "ReplacingMergeTree(v, d) ORDER BY k", COLUMN, "must be UInt8"),
        ("k Int8, v String", "SummingMergeTree(v) ORDER BY k", COLUMN, "summed: it is String"),
        ("k Int8, s UInt8", "CollapsingMergeTree(s) ORDER BY k", COLUMN, "must be Int8"),
        (
            "k Int8, s Int8, v String",
            "VersionedCollapsingMergeTree(s, v) ORDER BY k",
            COLUMN,
            "a version column: it is String",
        ),
        ("k Int8, `aMap.x` Array(Int8)", "SummingMergeTree ORDER BY k", COLUMN, "ends in Map"),
        ("k Int8, aMap Nested(x Int8)", "SummingMergeTree ORDER BY k", COLUMN, "ends in Map"),
        ("v JSON, k Int8", "ReplacingMergeTree(v) ORDER BY k", COLUMN, "it is JSON"),
        (
            "k AggregateFunction(count)",
            KAFKA.removeprefix("ENGINE = "),
            "STATE_COLUMN_NOT_STORED",
            "column k",
        ),
        ("k AggregateFunction(corr, Int8, Int8)", "Memory", ARGUMENTS, "corr are not kept"),
        ("k AggregateFunction(sum)", "Memory", ARGUMENTS, "sum takes 1 arguments, 0 are given"),
        ("k SimpleAggregateFunction(avg, Int8)", "Memory", ARGUMENTS, "none of any, anyLast"),
    ],
)
def test_what_cannot_be_merged(
    lab: Lab, columns: str, engine: str, condition: str, says: str
) -> None:
    lab.fails(f"CREATE TABLE t ({columns}) ENGINE = {engine}", condition, says=says)


def test_a_column_that_merging_needs(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE r (k Int8, v Int8, x Int8) ENGINE = ReplacingMergeTree(v) ORDER BY k",
        "ALTER TABLE r DROP COLUMN x",
    )
    lab.fails("ALTER TABLE r DROP COLUMN v", "ALTER_OF_COLUMN_IS_FORBIDDEN", says="v")
    lab.fails("ALTER TABLE r DROP COLUMN k", "ALTER_OF_COLUMN_IS_FORBIDDEN", says="k")


def test_states_in_queries(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (k Int8, s AggregateFunction(sum, UInt32), n Int8) "
        "ENGINE = AggregatingMergeTree ORDER BY k"
    )
    with pytest.raises(SluiceError, match="corresponds to different aggregate function"):
        lab.run("SELECT avgMerge(s) FROM t")
    spark, illegal = "SETTINGS sluice_engine = 'spark'", "ILLEGAL_TYPE_OF_ARGUMENT"
    of_state = "Illegal type AggregateFunction("
    lab.fails(f"SELECT avgMerge(s) FROM t {spark}", illegal, says=of_state)
    lab.fails(f"SELECT sumMerge(n) FROM t {spark}", illegal, says="Illegal type Int8 of argument")
    for query, says in {
        "SELECT finalizeAggregation(n) FROM t": "takes a state",
        "SELECT sumMerge(s) OVER () FROM t": "neither OVER nor",
    }.items():
        lab.fails(f"{query} {spark}", "INVALID_FUNCTION_ARGUMENT", says=says)
    lab.fails(f"SELECT argMaxState(n) FROM t {spark}", "WRONG_ARGUMENT_COUNT", says="argMaxState")
