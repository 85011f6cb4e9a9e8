"""Summing-, Replacing- and AggregatingMergeTree: a reader always sees one row for each key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.test_views import TREE
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.catalog import Table


def table(lab: Lab, name: str) -> Table:
    found = lab.session._engine.catalog.find(lab.database, name)
    assert found is not None
    return found


def parts(lab: Lab, name: str) -> int:
    """How many rows the files have, before they are merged."""
    engine = lab.session._engine
    files = str(engine.store.path(table(lab, name)))
    return engine.spark().read.format("delta").load(files).count()


def test_daily_sums_with_names_in_cyrillic(lab: Lab, topic: str) -> None:
    """The documented example from its first statement to its last, in its old syntax."""
    lab.make_topic(topic)
    lab.sql(
        "CREATE TABLE очередь (timestamp UInt64, level String, message String) "
        f"ENGINE = Kafka('{lab.brokers}', '{topic}', 'group1{topic}', 'JSONEachRow') "
        "SETTINGS kafka_flush_interval_ms = 100"
    )
    lab.sql(
        "CREATE TABLE ежедневно (day Date, level String, total UInt64) "
        "ENGINE = SummingMergeTree(day, (day, level), 8192)"
    )
    lab.sql(
        "CREATE MATERIALIZED VIEW потребитель TO ежедневно AS SELECT toDate(toDateTime(timestamp))"
        " AS day, level, count() AS total FROM очередь GROUP BY day, level"
    )
    day = 86_400
    for _ in range(3):
        seen = lab.sql("SELECT sum(total) FROM ежедневно")[0][0]
        lab.produce(
            topic,
            *({"timestamp": day, "level": "ошибка", "message": "м"} for _ in range(5)),
            {"timestamp": 2 * day, "level": "ошибка", "message": ""},
            {"timestamp": day + 1, "level": "info", "message": ""},
        )
        lab.arrives("SELECT sum(total) FROM ежедневно", [(seen + 7,)])
    query = "SELECT toString(day), level, total FROM ежедневно ORDER BY day, level"
    wanted = [("1970-01-02", "info", 3), ("1970-01-02", "ошибка", 15), ("1970-01-03", "ошибка", 3)]
    assert lab.sql(query) == wanted
    assert parts(lab, "ежедневно") >= 9
    assert lab.sql("SELECT level, sum(total) FROM ежедневно FINAL GROUP BY level ORDER BY 1") == [
        ("info", 3),
        ("ошибка", 18),
    ]
    lab.sql("OPTIMIZE TABLE ежедневно FINAL")
    assert parts(lab, "ежедневно") == 3
    assert lab.sql(query) == wanted
    lab.produce(topic, {"timestamp": day, "level": "info", "message": ""})
    lab.arrives("SELECT total FROM ежедневно WHERE level = 'info'", [(4,)])
    rows = lab.sql(
        f"SELECT sum(until_offset - from_offset) FROM system.ledger WHERE topic = '{topic}'"
    )
    assert rows == [(22,)]


def test_summing(lab: Lab) -> None:
    """Columns that are named, or all that are numbers; zeros go; whole numbers wrap around."""
    lab.sql(
        "CREATE TABLE s (k String, p UInt8, a Int64, b Nullable(Int32), f Float64, small UInt8, "
        "name String, d Decimal(10, 2)) ENGINE = SummingMergeTree ORDER BY k PARTITION BY p"
    )
    lab.sql("CREATE TABLE l (k UInt8, a Int64, b UInt64) ENGINE = SummingMergeTree((b)) ORDER BY k")
    for n in range(2):
        lab.sql(
            f"INSERT INTO s VALUES ('x', 1, 5, NULL, 0.5, 200, 'n', 1.25), "
            f"('y', 1, {1 - 2 * n}, 0, 0, 0, 'gone', 0), ('x', 2, 7, {n}, 0, 0, 'm', 0)"
        )
        lab.sql(f"INSERT INTO l VALUES (1, 10, 1), (2, 20, {n})")
    wanted = [
        ("x", 1, 10, None, 1.0, 144, "n", "2.5"),
        ("x", 2, 14, 1, 0.0, 0, "m", "0"),
    ]
    query = "SELECT * REPLACE (toString(d) AS d) FROM s ORDER BY k, p"
    assert lab.sql(query) == wanted
    assert lab.sql("SELECT k, a, b FROM l ORDER BY k") == [(1, 10, 2), (2, 20, 1)]
    lab.sql("OPTIMIZE TABLE s")
    assert parts(lab, "s") == 3
    assert lab.sql(query) == wanted
    lab.sql("INSERT INTO s (k, p, a) VALUES ('y', 1, 3)")
    assert lab.sql("SELECT a FROM s WHERE k = 'y'") == [(3,)]
    assert lab.sql("SELECT count() FROM s") == [(3,)]


def test_replacing(lab: Lab, topic: str) -> None:
    """The newest row of a key, by version or else by when it came; one that is deleted is gone."""
    lab.make_topic(topic)
    columns = "id UInt32, v UInt32, gone UInt8, text String"
    lab.queue("q", topic, columns)
    lab.sql(f"CREATE TABLE last ({columns}) ENGINE = ReplacingMergeTree ORDER BY id")
    lab.sql(f"CREATE TABLE newest ({columns}) ENGINE = ReplacingMergeTree(v) ORDER BY (id + 0)")
    lab.sql(f"CREATE TABLE live ({columns}) ENGINE = ReplacingMergeTree(v, gone) ORDER BY id")
    for name in ("last", "newest", "live"):
        lab.sql(f"CREATE MATERIALIZED VIEW to_{name} TO {name} AS SELECT * FROM q")

    def row(id_: int, v: int, text: str, gone: int = 0) -> dict[str, object]:
        return {"id": id_, "v": v, "text": text, "gone": gone}

    pick = "SELECT id, text FROM {} ORDER BY id"
    lab.produce(topic, row(1, 5, "a"), row(1, 4, "b"), row(2, 1, "c"), row(3, 1, "d"))
    lab.arrives(pick.format("last"), [(1, "b"), (2, "c"), (3, "d")])
    lab.arrives(pick.format("newest"), [(1, "a"), (2, "c"), (3, "d")])
    lab.produce(topic, row(2, 1, "e"), row(3, 2, "", gone=1), row(1, 3, "late"))
    lab.arrives(pick.format("last"), [(1, "late"), (2, "e"), (3, "")])
    lab.arrives(pick.format("newest"), [(1, "a"), (2, "e"), (3, "")])
    lab.arrives(pick.format("live"), [(1, "a"), (2, "e")])
    for name in ("last", "live"):
        lab.sql(f"OPTIMIZE TABLE {name} FINAL")
        assert parts(lab, name) == 3
    lab.produce(topic, row(3, 1, "old"), row(2, 1, "f"))
    lab.arrives(pick.format("last"), [(1, "late"), (2, "f"), (3, "old")])
    lab.arrives(pick.format("live"), [(1, "a"), (2, "f")])
    assert lab.sql("SELECT count() FROM newest FINAL WHERE id = 1") == [(1,)]


STATES = [
    ("count", "AggregateFunction(count)", "countState()", "countMerge(c)", 6),
    ("sum", "AggregateFunction(sum, UInt64)", "sumState(n)", "sumMerge(c)", 21),
    ("sumif", "AggregateFunction(sumIf, UInt64, UInt8)", "sumIfState(n, n > 3)", "sumMerge(c)", 15),
    ("avg", "AggregateFunction(avg, UInt64)", "avgState(n)", "avgMerge(c)", 3.5),
    ("min", "AggregateFunction(min, UInt64)", "minState(n)", "minMerge(c)", 1),
    ("max", "AggregateFunction(max, String)", "maxState(s)", "maxMerge(c)", "s6"),
    ("any", "AggregateFunction(any, UInt8)", "anyState(one)", "anyMerge(c)", 1),
    ("argmax", "AggregateFunction(argMax, String, UInt64)", "argMaxState(s, n)",
     "argMaxMerge(c)", "s6"),
    ("argmin", "AggregateFunction(argMin, String, UInt64)", "argMinState(s, n)",
     "argMinMerge(c)", "s1"),
    ("uniq", "AggregateFunction(uniq, String)", "uniqState(s)", "uniqMerge(c)", 6),
    ("exact", "AggregateFunction(uniqExact, UInt8)", "uniqExactState(one)", "uniqExactMerge(c)", 1),
    ("list", "AggregateFunction(groupArray, UInt64)", "groupArrayState(n)",
     "arraySort(groupArrayMerge(c))", [1, 2, 3, 4, 5, 6]),
    ("set", "AggregateFunction(groupUniqArray, UInt8)", "groupUniqArrayState(one)",
     "groupUniqArrayMerge(c)", [1]),
    ("half", "AggregateFunction(quantile(0.5), UInt64)", "quantileState(0.5)(n)",
     "quantileMerge(0.5)(c)", 3.0),
    ("parts", "AggregateFunction(quantiles(0, 1), UInt64)", "quantilesState(0, 1)(n)",
     "quantilesMerge(0, 1)(c)", [1.0, 6.0]),
    ("s_max", "SimpleAggregateFunction(max, UInt64)", "max(n)", "max(c)", 6),
    ("s_sum", "SimpleAggregateFunction(sum, UInt64)", "sumSimpleState(n)", "sum(c)", 21),
    ("s_last", "SimpleAggregateFunction(anyLast, String)", "max(s)", "any(c)", "s6"),
    ("s_list", "SimpleAggregateFunction(groupArrayArray, Array(UInt64))", "groupArray(n)",
     "arraySort(any(c))", [1, 2, 3, 4, 5, 6]),
]  # fmt: skip


@pytest.mark.slow
def test_aggregating(lab: Lab, topic: str) -> None:
    """States of every function, made by views from several batches and from an INSERT."""
    lab.make_topic(topic)
    lab.queue("q", topic, "n UInt64, s String, one UInt8")
    columns = ", ".join(f"{name} {type_}" for name, type_, *_ in STATES)
    lab.sql(f"CREATE TABLE t (k UInt8, {columns}) ENGINE = AggregatingMergeTree ORDER BY k")
    lab.sql(f"CREATE TABLE raw (n UInt64, s String, one UInt8) {TREE}")
    made = ", ".join(f"{build} AS {name}" for name, _, build, *_ in STATES)
    lab.sql(f"CREATE MATERIALIZED VIEW to_t TO t AS SELECT one AS k, {made} FROM raw GROUP BY k")
    lab.sql("CREATE MATERIALIZED VIEW m TO raw AS SELECT * FROM q")
    lab.produce(topic, *({"n": n, "s": f"s{n}", "one": 1} for n in (1, 2)))
    lab.arrives("SELECT countMerge(count) FROM t", [(2,)])
    lab.produce(topic, *({"n": n, "s": f"s{n}", "one": 1} for n in (3, 4)))
    lab.arrives("SELECT countMerge(count) FROM t", [(4,)])
    lab.sql("INSERT INTO raw VALUES (5, 's5', 1), (6, 's6', 1)")
    values = ", ".join(final.replace("(c)", f"({name})") for name, *_, final, _ in STATES)
    wanted = [tuple(value for *_, value in STATES)]
    assert lab.sql(f"SELECT {values} FROM t GROUP BY k") == wanted
    assert lab.sql("SELECT count(), max(s_sum), any(s_last) FROM t") == [(1, 21, "s6")]
    assert lab.sql("SELECT finalizeAggregation(sum), finalizeAggregation(avg) FROM t") == [
        (21, 3.5)
    ]
    assert parts(lab, "t") >= 3
    lab.sql("OPTIMIZE TABLE t FINAL")
    assert parts(lab, "t") == 1
    assert lab.sql(f"SELECT {values} FROM t") == wanted
    merged = "SELECT sumMerge(x) FROM (SELECT k, sumMergeState(sum) AS x FROM t GROUP BY k)"
    assert lab.sql(merged) == [(21,)]
    assert lab.sql("SELECT hex(sum) FROM t") == [("1500000000000000",)]
    by_spark = "SELECT sum FROM t SETTINGS sluice_engine = 'spark'"
    assert "sum" in lab.sql(by_spark)[0][0]
    for wrong in ("SELECT 2, 1", "SELECT 2, countState() AS c FROM raw"):
        with pytest.raises(SluiceError, match="is not supported"):
            lab.sql(f"INSERT INTO t (k, sum) {wrong}")
