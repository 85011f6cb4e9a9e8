"""DELETE, UPDATE and partitions: what is left is the same for ClickHouse and for Spark."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from engine.lab import keys
from engine.test_answers import statements
from engine.test_insert import peer, same
from sluice import errors
from sluice.clickhouse import kept_columns

if TYPE_CHECKING:
    from engine.lab import Lab
    from sluice.session import Session

__all__ = ["peer"]

SPARK = {"sluice_engine": "spark"}


def both(session: Session, query: str) -> list[tuple[Any, ...]]:
    """The answer, which is the same by ClickHouse and by Spark."""
    found = session.execute(query).fetchall()
    assert session.execute(query, settings=SPARK).fetchall() == found
    return found


def run(session: Session, *statements: str) -> None:
    for statement in statements:
        session.execute(statement)


@pytest.mark.slow
def test_conditions(session: Session) -> None:
    run(
        session,
        "CREATE TABLE t (a Int32, n Nullable(Int32), s String) ENGINE = MergeTree ORDER BY a",
        "INSERT INTO t VALUES (1, 1, 'x'), (2, NULL, 'y'), (3, 3, 'z'), (4, 0, 'z')",
        "INSERT INTO t VALUES (5, 5, 'x'), (6, NULL, 'w')",
        "DELETE FROM t WHERE n > 2",  # NULL is no match
    )
    rows = "SELECT a, s FROM t ORDER BY a"
    assert both(session, rows) == [(1, "x"), (2, "y"), (4, "z"), (6, "w")]
    for nothing in ("NULL", "0", "a IN (SELECT number + 100 FROM numbers(3))"):
        session.execute(f"ALTER TABLE t DELETE WHERE {nothing}")
    assert len(both(session, rows)) == 4
    session.execute("DELETE FROM t WHERE t.a IN (SELECT max(a) FROM t) OR match(s, '^[xq]')")
    assert both(session, rows) == [(2, "y"), (4, "z")]
    session.execute("ALTER TABLE t DELETE WHERE 1 SETTINGS mutations_sync = 2")
    assert both(session, "SELECT count() FROM t") == [(0,)]
    session.execute("INSERT INTO t VALUES (7, 7, 'x')")
    assert both(session, rows) == [(7, "x")]


def test_several_changes(session: Session) -> None:
    """Each sees what those before it have done."""
    run(
        session,
        "CREATE TABLE t (a Int32, s String) ENGINE = MergeTree ORDER BY a",
        "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')",
        "ALTER TABLE t UPDATE s = 'w' WHERE a = 2, DELETE WHERE s = 'w', UPDATE s = 'v' WHERE 1",
    )
    assert both(session, "SELECT a, s FROM t ORDER BY a") == [(1, "v"), (3, "v")]


def test_update(session: Session) -> None:
    run(
        session,
        "CREATE TABLE t (id UInt64, a Int32, b Int32, s LowCardinality(String), d DateTime,"
        " e Enum8('p' = 1, 'q' = 2), u UInt64, n Nullable(Int8), arr Array(String),"
        " twice Int64 MATERIALIZED a * 2, shown Int64 ALIAS a + 1)"
        " ENGINE = MergeTree ORDER BY id",
        "INSERT INTO t VALUES (1, 1, 10, 'x', '2026-01-01 00:00:00', 'p', 18446744073709551615,"
        " NULL, ['k']), (2, 2, 20, 'y', '2026-01-02 00:00:00', 'q', 0, 1, [])",
        "INSERT INTO t (id, a, b, s) VALUES (3, 3, 30, 'z')",
        # Every expression sees the old values, and so does the condition.
        "ALTER TABLE t UPDATE a = b, b = a, s = concat(s, '!') WHERE a < 3",
    )
    rows = "SELECT id, a, b, s, twice, shown FROM t ORDER BY id"
    assert both(session, rows) == [
        (1, 10, 1, "x!", 20, 11), (2, 20, 2, "y!", 40, 21), (3, 3, 30, "z", 6, 4),
    ]  # fmt: skip
    run(
        session,
        "UPDATE t SET n = NULL, e = 'q', arr = arrayConcat(arr, [toString(a)]) WHERE shown = 11",
        "ALTER TABLE t UPDATE d = d + INTERVAL 1 DAY WHERE id = 2",
    )
    assert both(session, "SELECT e, u, n, arr, toString(d) FROM t ORDER BY id LIMIT 2") == [
        ("q", 18446744073709551615, None, ["k", "10"], "2026-01-01 00:00:00"),
        ("q", 0, 1, [], "2026-01-03 00:00:00"),
    ]


REFUSED = [
    ("ALTER TABLE t UPDATE a = 1 WHERE 1", errors.CANNOT_UPDATE_COLUMN, 420),
    ("ALTER TABLE t UPDATE day = today() WHERE 1", errors.CANNOT_UPDATE_COLUMN, 420),
    ("ALTER TABLE t UPDATE m = 1 WHERE 1", errors.CANNOT_UPDATE_COLUMN, 420),
    ("ALTER TABLE t UPDATE l = 1 WHERE 1", errors.CANNOT_UPDATE_COLUMN, 420),
    ("ALTER TABLE t UPDATE nope = 1 WHERE 1", errors.NO_SUCH_COLUMN_IN_TABLE, 16),
    ("UPDATE t SET b = 1, b = 2 WHERE 1", errors.MULTIPLE_ASSIGNMENTS_TO_COLUMN, 419),
    ("ALTER TABLE r UPDATE v = 1 WHERE 1", errors.CANNOT_UPDATE_COLUMN, 420),
    ("DELETE FROM q WHERE 1", errors.UNSUPPORTED_BY_STORAGE, 48),
    ("ALTER TABLE t DROP PARTITION (1, 2)", errors.INVALID_PARTITION_VALUE, 248),
    ("ALTER TABLE r DROP PARTITION 1", errors.INVALID_PARTITION_VALUE, 248),
    ("ALTER TABLE t REPLACE PARTITION 1 FROM r", errors.TABLES_HAVE_DIFFERENT_STRUCTURE, 122),
]
BY_CLICKHOUSE = [
    ("DELETE FROM t WHERE nope = 1", 47),
    ("ALTER TABLE t UPDATE b = NULL WHERE 1", 70),
    ("DELETE FROM t WHERE s", 59),
    ("DELETE FROM t WHERE file('/etc/passwd') = ''", 497),
    ("DELETE FROM t WHERE a IN (SELECT a FROM nothing)", 60),
]


def test_refused(lab: Lab) -> None:
    run(
        lab.session,
        "CREATE TABLE t (a Int32, b Int32, s String, day Date, m Int32 MATERIALIZED b, "
        "l Int32 ALIAS b) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY a",
        "CREATE TABLE r (a Int32, v UInt32) ENGINE = ReplacingMergeTree(v) ORDER BY a",
        "INSERT INTO t VALUES (1, 1, 'x', '2026-01-01')",
    )
    lab.queue("q", f"{lab.database}_q")
    for text, condition, code in REFUSED:
        with pytest.raises(errors.SluiceError) as refused:
            lab.sql(text)
        assert refused.value.condition.name == condition.name, text
        assert refused.value.condition.clickhouse_code == code, text
    for text, code in BY_CLICKHOUSE:
        with pytest.raises(errors.SluiceError) as failed:
            lab.sql(text)
        assert failed.value.condition.clickhouse_code == code, (text, failed.value)
    assert both(lab.session, "SELECT a, b FROM t") == [(1, 1)]
    shown = lab.sql(
        "SELECT command, is_done, latest_fail_reason LIKE '%nope%' FROM system.mutations"
        f" WHERE database = '{lab.database}' AND table = 't' ORDER BY create_time LIMIT 1"
    )
    assert shown == [("DELETE WHERE nope = 1", 1, 1)]


@pytest.mark.slow
def test_merging_engines(session: Session) -> None:
    """A condition sees the rows that a reader sees, and all rows that these stand for change."""
    run(
        session,
        "CREATE TABLE r (k UInt8, s String, v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY k",
        "INSERT INTO r VALUES (1, 'old', 1), (2, 'old', 1), (3, 'old', 1)",
        "INSERT INTO r VALUES (1, 'new', 2), (2, 'new', 2)",
        "DELETE FROM r WHERE s = 'new' AND k = 1",  # the older row does not come back
        "DELETE FROM r WHERE s = 'old' AND k = 2",  # nobody sees that row
        "ALTER TABLE r UPDATE s = 'changed' WHERE k = 2",
    )
    rows = "SELECT * FROM r ORDER BY k"
    assert both(session, rows) == [(2, "changed", 2), (3, "old", 1)]
    run(session, "INSERT INTO r VALUES (2, 'older', 1), (3, 'newer', 2)")
    assert both(session, rows) == [(2, "changed", 2), (3, "newer", 2)]
    run(
        session,
        "CREATE TABLE s (k Nullable(UInt8), n Int64) ENGINE = SummingMergeTree ORDER BY k"
        " SETTINGS allow_nullable_key = 1",
        "INSERT INTO s VALUES (1, 5), (2, 1), (NULL, 3)",
        "INSERT INTO s VALUES (1, 7), (NULL, 4)",
        "DELETE FROM s WHERE n > 10",
        "ALTER TABLE s UPDATE n = n * 10 WHERE k IS NULL",
        "INSERT INTO s VALUES (NULL, 1)",
    )
    assert both(session, "SELECT * FROM s ORDER BY k NULLS LAST") == [(2, 1), (None, 71)]
    run(
        session,
        "CREATE TABLE c (k UInt8, s String, sign Int8) ENGINE = CollapsingMergeTree(sign)"
        " ORDER BY k",
        "INSERT INTO c VALUES (1, 'a', 1), (2, 'a', 1)",
        "INSERT INTO c VALUES (1, 'a', -1), (1, 'b', 1)",
        "DELETE FROM c WHERE s = 'a'",
        "ALTER TABLE c UPDATE s = 'd' WHERE s = 'b'",
    )
    assert both(session, "SELECT * FROM c") == [(1, "d", 1)]
    run(
        session,
        "CREATE TABLE v (k UInt8, s String, sign Int8, n UInt8)"
        " ENGINE = VersionedCollapsingMergeTree(sign, n) ORDER BY k",
        "INSERT INTO v VALUES (1, 'a', 1, 1), (1, 'b', 1, 2), (2, 'a', 1, 1)",
        "INSERT INTO v VALUES (1, 'a', -1, 1)",
        "DELETE FROM v WHERE s = 'a'",
        "UPDATE v SET s = 'c' WHERE s = 'b'",
    )
    assert both(session, "SELECT * FROM v") == [(1, "c", 1, 2)]
    run(
        session,
        "CREATE TABLE g (k UInt8, n AggregateFunction(sum, UInt64), m SimpleAggregateFunction(max,"
        " UInt64)) ENGINE = AggregatingMergeTree ORDER BY k",
        "INSERT INTO g SELECT number % 3, sumState(number), max(number) FROM numbers(9)"
        " GROUP BY number % 3",
        "DELETE FROM g WHERE m = 7",
    )
    assert session.execute("SELECT k FROM g ORDER BY k", settings=SPARK).fetchall() == [(0,), (2,)]
    with pytest.raises(errors.SluiceError, match="cannot be changed"):
        session.execute("ALTER TABLE g UPDATE m = 1 WHERE 1")


def test_columns_that_came_later_or_were_renamed(session: Session) -> None:
    run(
        session,
        "CREATE TABLE t (id UInt64, a Int32) ENGINE = MergeTree ORDER BY id",
        "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
        "ALTER TABLE t RENAME COLUMN a TO first",
        "ALTER TABLE t ADD COLUMN b Int32 DEFAULT first * 10, ADD COLUMN c String",
    )
    run(
        session,
        "DELETE FROM t WHERE b = 20",
        "ALTER TABLE t UPDATE first = 7, c = toString(b) WHERE b = 30",
    )
    assert both(session, "SELECT * FROM t ORDER BY id") == [(1, 1, 10, ""), (3, 7, 30, "30")]


@pytest.mark.slow
def test_partitions(session: Session) -> None:
    run(
        session,
        "CREATE TABLE t (d Date, s String, n Int32) ENGINE = MergeTree"
        " PARTITION BY (toYYYYMM(d), s) ORDER BY n",
        "INSERT INTO t VALUES ('2026-01-01', 'x', 1), ('2026-01-02', 'y', 2),"
        " ('2026-02-01', 'x', 3), ('2026-02-02', 'x', 4)",
        "ALTER TABLE t DROP PARTITION (202601, 'y')",
        "ALTER TABLE t DELETE IN PARTITION tuple(202602, 'x') WHERE n IN (1, 3)",
    )
    assert both(session, "SELECT n FROM t ORDER BY n") == [(1,), (4,)]
    run(
        session,
        "CREATE TABLE m (d Date, n Int32) ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY n",
        "INSERT INTO m VALUES ('2026-01-01', 1), ('2026-02-01', 2), ('2026-03-01', 3)",
        "CREATE TABLE other (d Date, n Int32) ENGINE = MergeTree PARTITION BY toYYYYMM(d)"
        " ORDER BY n",
        "INSERT INTO other VALUES ('2026-02-09', 20), ('2026-02-10', 21), ('2026-03-01', 30)",
        "ALTER TABLE m DROP PARTITION '202601'",
        "ALTER TABLE m REPLACE PARTITION ID '202602' FROM other",
    )
    assert both(session, "SELECT n FROM m ORDER BY n") == [(3,), (20,), (21,)]
    parts = (
        "SELECT partition, partition_id, sum(rows) FROM system.parts"
        f" WHERE database = '{session.database}' AND table = '{{}}' GROUP BY ALL ORDER BY ALL"
    )
    assert session.execute(parts.format("m")).fetchall() == [
        ("202602", "202602", 2), ("202603", "202603", 1),
    ]  # fmt: skip
    files = "SELECT uniqExact(name) FROM system.parts WHERE table = 'm' AND database = '{}'"
    for partition, count in (("202601", 2), ("ID '202602'", 1), ("202602 FINAL", 1)):
        session.execute(f"OPTIMIZE TABLE m PARTITION {partition}")
        assert session.execute(files.format(session.database)).fetchall() == [(count,)]
    assert both(session, "SELECT n FROM m ORDER BY n") == [(3,), (20,), (21,)]
    with pytest.raises(errors.SluiceError, match="Cannot parse"):
        session.execute("OPTIMIZE TABLE m PARTITION 'no number'")
    ((shown, id_, rows),) = session.execute(parts.format("t") + " LIMIT 1").fetchall()
    assert (shown, rows) == ("(202601,'x')", 1)
    session.execute(f"ALTER TABLE t DROP PARTITION ID '{id_}'")
    assert both(session, "SELECT n FROM t ORDER BY n") == [(4,)]
    run(
        session,
        "CREATE TABLE whole (n Int32) ENGINE = MergeTree ORDER BY n",
        "INSERT INTO whole VALUES (1)",
        "ALTER TABLE whole DROP PARTITION ID 'other'",
        "ALTER TABLE whole DROP PARTITION tuple()",
        "ALTER TABLE m DROP PARTITION ALL",
    )
    assert both(session, "SELECT (SELECT count() FROM whole), count() FROM m") == [(0, 0)]


@pytest.mark.slow
def test_beside_a_pipeline(lab: Lab) -> None:
    """Deletes while a topic is read: no batch is lost, doubled or held up, and none fails."""
    topic = f"{lab.database}_beside"
    lab.pipe(topic)
    lab.produce(topic, *keys(500))
    lab.counted("v", 500)
    for start in range(500, 2000, 250):
        lab.produce(topic, *keys(250, start))
        lab.sql("DELETE FROM v WHERE key < 500 AND key % 2 = 0")
        lab.sql(f"ALTER TABLE v UPDATE key = key + 1000000 WHERE key = {start - 499}")
    kept = 2000 - 250
    lab.counted("v", kept)
    assert both(lab.session, "SELECT countIf(key >= 1000000), countIf(key % 2 = 0) FROM v") == [
        (6, 750)
    ]
    assert lab.pipeline() == ("RUNNING", "")


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["MergeTree", "ReplacingMergeTree"])
def test_beside_compaction(session: Session, kind: str) -> None:
    """Files that are merged meanwhile are looked at again; neither side fails."""
    run(session, f"CREATE TABLE t (id UInt64, v UInt64) ENGINE = {kind} ORDER BY id")
    for start in range(0, 4000, 1000):
        session.execute(f"INSERT INTO t SELECT number + {start}, 0 FROM numbers(1000)")
    other = session.child(session.database)
    with ThreadPoolExecutor(2) as pool:
        merged = pool.submit(lambda: run(other, *["OPTIMIZE TABLE t FINAL"] * 3))
        updated = pool.submit(
            lambda: run(
                session.child(session.database),
                *(f"ALTER TABLE t UPDATE v = v + 1 WHERE id % 7 = {n}" for n in (5, 6)),
            )
        )
        run(session, *(f"DELETE FROM t WHERE id % 7 = {n}" for n in range(3)))
        merged.result()
        updated.result()
    left = [number for number in range(4000) if number % 7 > 2]
    wanted = (len(left), sum(left), sum(number % 7 > 4 for number in left))
    assert both(session, "SELECT count(), sum(id), sum(v) FROM t") == [wanted]


@pytest.mark.slow
def test_a_table_that_is_kept_by_key(lab: Lab) -> None:
    """The index of its keys follows: what was deleted comes back once."""
    topic = f"{lab.database}_keyed"
    lab.make_topic(topic)
    lab.queue("q", topic, "k UInt64, v String")
    lab.sql(
        "CREATE TABLE t (k UInt64, v String) ENGINE = MergeTree ORDER BY k SETTINGS kept_by_key = 1"
    )
    lab.sql("CREATE MATERIALIZED VIEW m TO t AS SELECT * FROM q")
    lab.produce(topic, *({"k": key, "v": "a"} for key in range(1, 6)))
    lab.arrives("SELECT count() FROM t", [(5,)])
    lab.sql("DELETE FROM t WHERE k IN (1, 2)")
    lab.sql("ALTER TABLE t UPDATE v = 'changed' WHERE k IN (3, 4)")
    with pytest.raises(errors.SluiceError, match="Cannot UPDATE key column"):
        lab.sql("ALTER TABLE t UPDATE k = 9 WHERE 1")
    lab.produce(topic, *({"k": key, "v": "b"} for key in (1, 3)))
    wanted = [(1, "b"), (3, "b"), (4, "changed"), (5, "a")]
    lab.arrives("SELECT * FROM t ORDER BY k", wanted)
    lab.sql("OPTIMIZE TABLE t")
    lab.produce(topic, {"k": 4, "v": "c"})
    lab.arrives("SELECT v FROM t WHERE k = 4", [("c",)])
    assert both(lab.session, "SELECT count() FROM t") == [(4,)]


def test_one_percent_of_a_million_rows(session: Session) -> None:
    run(
        session,
        "CREATE TABLE t (id UInt64, s String) ENGINE = MergeTree ORDER BY id",
        "INSERT INTO t SELECT number, toString(number) FROM numbers(1000000)",
        "DELETE FROM t WHERE id % 1000 = 500",
    )
    began = time.monotonic()
    session.execute("DELETE FROM t WHERE id % 100 = 7")
    took = time.monotonic() - began
    began = time.monotonic()
    session.execute("ALTER TABLE t UPDATE s = 'x' WHERE id % 100 = 8")
    took = max(took, time.monotonic() - began)
    assert both(session, "SELECT count(), countIf(s = 'x') FROM t") == [(989000, 10000)]
    assert took < 20  # about one second on a machine that does nothing else


def test_row_policies_and_rights(session: Session) -> None:
    """Rows that a policy hides stay; a grant on some columns updates no others."""
    user, table = f"{session.database}_user", f"{session.database}.t"
    run(
        session,
        "CREATE TABLE t (id UInt64, who String, n Int32) ENGINE = MergeTree ORDER BY id",
        "INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'a', 3)",
        f"CREATE USER {user}",
        f"GRANT ALTER DELETE, ALTER UPDATE(n) ON {table} TO {user}",
        f"CREATE ROW POLICY own ON {table} USING who = 'a' TO {user}",
    )
    other = session.child(session.database, user=user)
    run(other, f"ALTER TABLE {table} UPDATE n = 0 WHERE 1", f"DELETE FROM {table} WHERE id < 3")
    with pytest.raises(errors.SluiceError, match="Not enough privileges"):
        other.execute(f"UPDATE {table} SET who = 'a' WHERE 1")
    assert both(session, "SELECT id, n FROM t ORDER BY id") == [(2, 2), (3, 0)]
    session.execute(f"DROP USER {user}")


def test_explain_shows_no_paths(session: Session) -> None:
    run(
        session,
        "CREATE TABLE t (id UInt64, s String) ENGINE = ReplacingMergeTree ORDER BY id",
        "INSERT INTO t SELECT number, toString(number) FROM numbers(10)",
        "DELETE FROM t WHERE id = 3",
    )
    folder = str(session._engine.folder.path)
    for kind in (
        "", "PLAN actions = 1, indexes = 1", "PLAN json = 1, actions = 1", "PIPELINE graph = 1",
        "AST", "SYNTAX", "SYNTAX run_query_tree_passes = 1", "QUERY TREE run_passes = 1",
        "QUERY TREE dump_ast = 1",
    ):  # fmt: skip
        rows = session.execute(f"EXPLAIN {kind} SELECT max(s) FROM t WHERE id > 3").fetchall()
        shown = "\n".join(str(row) for row in rows)
        assert rows
        for path in (folder, folder.replace("/", "\\/"), "deleted-rows", "clickhouse-"):
            assert path not in shown, kind


def test_queries_that_are_repeated(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns in memory have what was written, and errors name those that are not there."""
    monkeypatch.setattr(kept_columns, "_PAUSE_S", 0.0)
    monkeypatch.setattr(kept_columns, "_MET", 1)
    session.execute(
        "CREATE TABLE t (id UInt64, title String, n UInt8) ENGINE = MergeTree ORDER BY id"
    )
    query = "SELECT id, n FROM t WHERE n > 0 ORDER BY id"
    for id_ in range(1, 5):
        session.execute(f"INSERT INTO t VALUES ({id_}, 'a title', {id_}), ({id_ + 10}, '', 0)")
        for _ in range(2):
            found = session.execute(query).fetchall()
            assert found == [(each, each) for each in range(1, id_ + 1)]
    with session._engine.workers.worker() as worker:
        assert [view for view in worker.views.values() if worker.kept.database in str(view)]
    assert session.execute("SELECT * FROM t WHERE id = 3").fetchall() == [(3, "a title", 3)]
    session.execute(query)
    with pytest.raises(errors.SluiceError, match=r"`titel`.*\['title'\]"):
        session.execute("SELECT titel FROM t WHERE n > 0")
    session.execute("DELETE FROM t WHERE id = 2")
    assert session.execute(query).fetchall() == [(1, 1), (3, 3), (4, 4)]
    session.execute("ALTER TABLE t RENAME COLUMN n TO title_number")
    renamed = query.replace("n >", "title_number >").replace(" n ", " title_number ")
    assert session.execute(renamed).fetchall() == [(1, 1), (3, 3), (4, 4)]


STEPS = """
CREATE TABLE s (a UInt64, b String, c String DEFAULT concat('x', toString(a)),
    m UInt64 MATERIALIZED a + 1, n Nullable(UInt8)) ENGINE = MergeTree PARTITION BY a % 2
    ORDER BY a;
INSERT INTO s (a, b, c, n) VALUES (1, 'p', 'q', 5), (2, 'pp', 'qq', 6), (3, 'r', 's', 7);
ALTER TABLE s CLEAR COLUMN b IN PARTITION 1
    SETTINGS mutations_sync = 2;
ALTER TABLE s CLEAR COLUMN c, UPDATE n = 9 WHERE a = 2, CLEAR COLUMN n IN PARTITION 1
    SETTINGS mutations_sync = 2;
ALTER TABLE s ADD COLUMN d UInt64 DEFAULT a * 10, MATERIALIZE COLUMN d IN PARTITION 1
    SETTINGS mutations_sync = 2;
ALTER TABLE s MODIFY COLUMN d DEFAULT a * 30;
ALTER TABLE s MODIFY COLUMN m UInt64 MATERIALIZED a + 100, MATERIALIZE COLUMN m
    SETTINGS mutations_sync = 2;
ALTER TABLE s ADD COLUMN z UInt8, UPDATE z = 7 WHERE a = 1, DELETE WHERE a = 3, RENAME COLUMN z TO y
    SETTINGS mutations_sync = 2
"""


def test_columns_and_rows_in_steps(session: Session, peer: Any) -> None:
    same(session, peer, statements(STEPS), "SELECT *, m FROM s ORDER BY a")
