"""Which rows become one, by the engine of their table; and what no engine could merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from session.lab import KAFKA
from sluice.session.merging import merging_of

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


@pytest.mark.parametrize(
    ("columns", "engine", "says"),
    [
        ("k Int8, v String", "ReplacingMergeTree(v) ORDER BY k", "version column: it is String"),
        ("k Int8, v Int8, d Int8", "ReplacingMergeTree(v, d) ORDER BY k", "it must be UInt8"),
        ("k Int8, v String", "SummingMergeTree(v) ORDER BY k", "cannot be summed: it is String"),
        ("k Int8, `aMap.x` Array(Int8)", "SummingMergeTree ORDER BY k", "ends in Map"),
        ("k AggregateFunction(count)", KAFKA.removeprefix("ENGINE = "), "cannot have states"),
        ("k AggregateFunction(corr, Int8, Int8)", "Memory", "states of corr are not kept"),
        ("k AggregateFunction(sum)", "Memory", "sum takes 1 arguments, 0 are given"),
        ("k SimpleAggregateFunction(avg, Int8)", "Memory", "avg is none of any, anyLast"),
    ],
)
def test_what_cannot_be_merged(lab: Lab, columns: str, engine: str, says: str) -> None:
    lab.fails(f"CREATE TABLE t ({columns}) ENGINE = {engine}", "BAD_ARGUMENTS", says=says)


def test_a_column_that_merging_needs(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE r (k Int8, v Int8, x Int8) ENGINE = ReplacingMergeTree(v) ORDER BY k",
        "ALTER TABLE r DROP COLUMN x",
    )
    lab.fails("ALTER TABLE r DROP COLUMN v", "UNKNOWN_COLUMN", says="v")
    lab.fails("ALTER TABLE r DROP COLUMN k", "UNKNOWN_COLUMN", says="k")


def test_states_in_queries(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (k Int8, s AggregateFunction(sum, UInt32), n Int8) "
        "ENGINE = AggregatingMergeTree ORDER BY k"
    )
    lab.fails("SELECT avgMerge(s) FROM t", "BAD_ARGUMENTS", says="Illegal type AggregateFunction(")
    lab.fails("SELECT sumMerge(n) FROM t", "BAD_ARGUMENTS", says="Illegal type Int8 of argument")
    lab.fails("SELECT finalizeAggregation(n) FROM t", "BAD_ARGUMENTS", says="takes a state")
    lab.fails("SELECT sumMerge(s) OVER () FROM t", "BAD_ARGUMENTS", says="neither OVER nor")
    lab.fails("SELECT argMaxState(n) FROM t", "WRONG_ARGUMENT_COUNT", says="argMaxState")
