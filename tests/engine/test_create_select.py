"""CREATE TABLE … AS SELECT, CREATE OR REPLACE and CREATE VIEW, with rows."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event
from typing import TYPE_CHECKING

import httpx
import pytest

import sluice
from engine.lab import keys
from engine.test_answers import asked, text_of
from engine.test_insert import peer, same
from sluice.errors import SluiceError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from engine.lab import Lab
    from sluice.server.run import Server
    from sluice.session import Session

__all__ = ["peer"]

TYPES = """SELECT number AS id, toUInt64(18446744073709551615 - number) AS u, 'é\\0x' AS s,
    toFixedString('ab', 3) AS f, toDate('1960-01-02') + number AS d, toDate32('2200-01-01') AS d32,
    toDateTime('2024-02-29 12:00:00', 'Asia/Tokyo') AS t,
    toDateTime64('2024-02-29 12:00:00.123456', 6, 'UTC') AS t6, 1.25::Decimal(9, 2) AS p,
    CAST('b', 'Enum8(\\'a\\' = -1, \\'b\\' = 2)') AS e, [1, NULL, 3] AS a, map('k', [1.5]) AS m,
    tuple(1, 'x')::Tuple(n UInt8, t String) AS tu, toLowCardinality('lc') AS lc, true AS b,
    toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS id2, nan AS fl, NULL::Nullable(Int8) AS n
    FROM numbers(3)"""


def test_rows_and_types_of_a_query(session: Session, peer: Any) -> None:
    """Columns have the types that ClickHouse gives them; functions are all of ClickHouse's."""
    create = f"CREATE TABLE c ENGINE = MergeTree ORDER BY id AS {TYPES}"
    same(session, peer, [create], "SELECT * FROM c ORDER BY id")
    types = "SELECT toTypeName(tuple(*)) FROM c LIMIT 1"
    assert text_of(session, types) == asked(peer, types)
    made = [
        # columns that are written are filled in their order, others are computed
        (
            "CREATE TABLE d (a UInt64, z String, y String DEFAULT 'y', "
            "x UInt64 MATERIALIZED a + 1) ENGINE = MergeTree ORDER BY a AS SELECT id, s, lc FROM c"
        ),
        "CREATE TABLE e ENGINE = MergeTree ORDER BY id EMPTY AS SELECT id, s FROM c",
        "INSERT INTO e SELECT id, soundex(s) FROM c WHERE id IN (SELECT a FROM d)",
        (
            "CREATE TABLE f (k UInt64, n UInt64) ENGINE = SummingMergeTree ORDER BY k "
            "AS WITH 2 AS two SELECT id % two, 1 FROM c"
        ),
        "CREATE OR REPLACE TABLE d ENGINE = MergeTree ORDER BY tuple() AS (SELECT a, x FROM d)",
        "INSERT INTO f SELECT NULL, NULL",
        "CREATE TABLE g CLONE AS d",
    ]
    ask = (
        "SELECT * FROM (SELECT 'd', a, toString(x) AS s FROM d UNION ALL SELECT 'e', id, s FROM e "
        "UNION ALL SELECT 'f', k, toString(sum(n)) FROM f GROUP BY k "
        "UNION ALL SELECT 'g', a, toString(x) FROM g) ORDER BY ALL"
    )
    same(session, peer, made, ask)
    written = session.execute("INSERT INTO e SELECT number, '' FROM numbers(70000)").written
    assert written == 70000


def test_nothing_is_left_of_a_failure(session: Session) -> None:
    """Neither a table nor files, and what was there stays."""
    files = session._engine.folder.path / "tables"
    session.execute("CREATE TABLE t ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a")
    before = {path.name for path in files.iterdir()}
    fails = "SELECT throwIf(number = 70000, 'no') AS a FROM numbers(100000)"
    on_spark = (
        "SELECT toUInt8(toString(number)) AS a FROM numbers(300) SETTINGS sluice_engine = 'spark'"
    )
    for query in (fails, on_spark):
        for head in ("CREATE TABLE n", "CREATE OR REPLACE TABLE t", "CREATE TABLE n (a UInt8)"):
            with pytest.raises(SluiceError):
                session.execute(f"{head} ENGINE = MergeTree ORDER BY a AS {query}")
    assert {path.name for path in files.iterdir()} == before
    assert session._engine.catalog.temporary_rows() == []
    assert session.execute("SELECT * FROM t").fetchall() == [(1,)]
    session.execute("CREATE OR REPLACE TABLE t ENGINE = MergeTree ORDER BY b AS SELECT 2 AS b")
    assert session.execute("SELECT * FROM t").fetchall() == [(2,)]
    assert len({path.name for path in files.iterdir()}) == len(before)


def test_rows_of_a_crash_are_deleted(engine: Session, tmp_path: Path) -> None:
    """Rows that were written for a table that never came, and those of one that was replaced."""
    files = tmp_path / "tables"
    root = sluice.connect(data=tmp_path, pipelines=False)
    root.execute("CREATE TABLE t ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a")
    catalog = root._engine.catalog
    table = catalog.find("default", "t")
    assert table is not None
    (files / "never").mkdir()
    catalog.reserve_rows("never")
    root._engine.close()
    with sluice.connect(data=tmp_path, pipelines=False) as again:
        again.start()
        assert [path.name for path in files.iterdir()] == [table.uuid]
        assert again.execute("SELECT * FROM t").fetchall() == [(1,)]


def test_views(session: Session, peer: Any) -> None:
    """A view is read by ClickHouse, by Spark, by other views, and by what stores rows."""
    made = [
        "CREATE TABLE t (k UInt8, s String) ENGINE = MergeTree ORDER BY k",
        "INSERT INTO t SELECT number % 3, toString(number) FROM numbers(10)",
        "CREATE VIEW counts AS SELECT k, count() AS c, max(s) AS m FROM t GROUP BY k",
        (
            "CREATE VIEW big (c Int64, k UInt16) AS WITH x AS (SELECT * FROM counts) "
            "SELECT k, c, m FROM x WHERE c > 2"
        ),
        "CREATE TABLE n ENGINE = MergeTree ORDER BY k AS SELECT * FROM big",
        "INSERT INTO n (k, c) SELECT b.k + 10, a.c FROM counts AS a JOIN big AS b ON a.k = b.k",
    ]
    same(session, peer, made, "SELECT k, c FROM n ORDER BY k")
    for query in (
        "SELECT c, k FROM big ORDER BY k",
        "SELECT counts.k AS k, big.c AS c FROM counts JOIN big ON counts.k = big.k ORDER BY 1",
        "SELECT k FROM t WHERE k IN (SELECT k FROM big WHERE c = 4) AND s > '0' ORDER BY s",
    ):
        wanted = asked(peer, query)
        assert text_of(session, query) == wanted
        assert text_of(session, f"{query} SETTINGS sluice_engine = 'spark'") == wanted
    session.execute("CREATE OR REPLACE VIEW counts AS SELECT toUInt8(7) AS k, 9 AS c, '' AS m")
    assert session.execute("SELECT * FROM big").fetchall() == [(9, 7)]


def test_replaced_tables_of_views(lab: Lab) -> None:
    """Views are bound by name: what they write goes to the new table from then on."""
    lab.pipe("replaced")
    lab.sql("CREATE TABLE second (key UInt64) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE MATERIALIZED VIEW on_v TO second AS SELECT key FROM v")
    lab.produce("replaced", {"key": 1})
    lab.counted("second", 1)
    lab.sql(
        "CREATE OR REPLACE TABLE v (key UInt64, twice UInt64 DEFAULT key * 2) "
        "ENGINE = MergeTree ORDER BY key AS SELECT 100, 5"
    )
    lab.produce("replaced", {"key": 2})
    lab.arrives("SELECT key, twice FROM v ORDER BY key", [(2, 4), (100, 5)])
    lab.arrives("SELECT key FROM second ORDER BY key", [(1,), (2,)])
    with pytest.raises(SluiceError, match="would fail after this change"):
        lab.sql("CREATE OR REPLACE TABLE v (other UInt64) ENGINE = MergeTree ORDER BY other")
    lab.queue("kept", "replaced")
    lab.sql("CREATE OR REPLACE TABLE q (key UInt64) ENGINE = Null")
    lab.sql("INSERT INTO q VALUES (3)")
    lab.arrives("SELECT key FROM second ORDER BY key", [(1,), (2,), (3,)])


def test_what_only_spark_reads(lab: Lab) -> None:
    """A view of a Kafka table, and tables of its rows; one of them is the session's."""
    lab.produce("viewed", {"key": 1}, {"key": 2})
    lab.queue("q", "viewed")
    lab.sql(
        "CREATE VIEW above (k UInt32, twice UInt64) AS SELECT key + 1 AS k, k * 2 AS twice FROM q"
    )
    lab.sql("CREATE VIEW summed AS SELECT sum(twice) AS s FROM above")
    assert lab.sql("SELECT s FROM summed") == [(10,)]
    lab.sql("CREATE TABLE kept ENGINE = MergeTree ORDER BY k AS SELECT * FROM above")
    lab.sql("CREATE TEMPORARY TABLE mine AS SELECT k, toTypeName(k) AS t FROM kept WHERE k > 2")
    assert lab.sql("SELECT * FROM mine") == [(3, "UInt32")]
    lab.sql("CREATE OR REPLACE TEMPORARY TABLE mine AS SELECT 'x' AS t")
    assert lab.sql("SELECT t FROM mine") == [("x",)]
    with pytest.raises(SluiceError, match=r"the view .*above"):
        lab.sql("CREATE MATERIALIZED VIEW m TO kept AS SELECT k, twice FROM above")
    lab.sql("CREATE TABLE fed (key UInt64, s Float64) ENGINE = MergeTree ORDER BY key")
    lab.sql("CREATE VIEW known AS SELECT k, max(twice) AS s FROM kept GROUP BY k")
    lab.sql("CREATE MATERIALIZED VIEW m TO fed AS SELECT key, s FROM q JOIN known ON key = k")
    lab.arrives("SELECT key, s FROM fed", [(2, 4.0)])


def test_a_populated_view_begins_with_what_is_there(session: Session, peer: Any) -> None:
    """Its rows are one block; rows that come later are further ones."""
    made = [
        "CREATE TABLE old (k String, n UInt64) ENGINE = MergeTree ORDER BY k",
        "INSERT INTO old VALUES ('a', 1), ('b', 2), ('a', 3)",
        (
            "CREATE MATERIALIZED VIEW sums ENGINE = MergeTree ORDER BY k POPULATE "
            "AS SELECT k, sum(n) AS total, count() AS c FROM old GROUP BY k"
        ),
        "CREATE TABLE target (k String, more UInt8 DEFAULT 7) ENGINE = MergeTree ORDER BY k",
        "CREATE TABLE last (k String) ENGINE = MergeTree ORDER BY k",
        "CREATE MATERIALIZED VIEW chained TO last AS SELECT upper(k) AS k FROM target",
        "CREATE MATERIALIZED VIEW filled TO target POPULATE AS SELECT k FROM old WHERE n > 1",
        "INSERT INTO old VALUES ('a', 10)",
        "CREATE TABLE empty (k String) ENGINE = MergeTree ORDER BY k",
        "CREATE MATERIALIZED VIEW none ENGINE = Memory POPULATE AS SELECT k FROM empty",
    ]
    same(session, peer, made, "SELECT * FROM sums ORDER BY ALL")
    for table in ("target", "last", "none"):
        query = f"SELECT * FROM {table} ORDER BY ALL"
        assert text_of(session, query) == asked(peer, query)


def test_nothing_is_left_of_a_view_that_cannot_be_populated(session: Session) -> None:
    session.execute("CREATE TABLE texts (s String) ENGINE = MergeTree ORDER BY s")
    session.execute("INSERT INTO texts VALUES ('1'), ('x')")
    before = set((session._engine.folder.path / "tables").iterdir())
    with pytest.raises(SluiceError):
        session.execute(
            "CREATE MATERIALIZED VIEW bad ENGINE = MergeTree ORDER BY n POPULATE "
            "AS SELECT toUInt8(s) AS n FROM texts"
        )
    assert session.execute("EXISTS bad").fetchall() == [(0,)]
    assert set((session._engine.folder.path / "tables").iterdir()) == before
    session.execute("INSERT INTO texts VALUES ('y')")  # nothing waits for it


def test_rows_that_arrive_while_a_view_is_populated(lab: Lab, topic: str) -> None:
    """Each row of a pipeline and of INSERTs comes to the view once."""
    lab.pipe(topic)
    lab.produce(topic, *keys(1000))
    stop = Event()

    def write() -> None:
        own = lab.session.child()
        for at in count(1_000_000, 10):
            if stop.is_set():
                return
            own.execute(f"INSERT INTO v SELECT number + {at} FROM numbers(10)")
            lab.produce(topic, *keys(10, at * 10))

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        lab.sql(
            "CREATE MATERIALIZED VIEW w ENGINE = MergeTree ORDER BY key POPULATE AS SELECT * FROM v"
        )
        stop.set()
        writing.result()
    lab.produce(topic, {"key": 7_000_000})
    lab.arrives("SELECT count() FROM v WHERE key = 7000000", [(1,)])
    rows = lab.sql("SELECT count(), uniqExact(key) FROM v")
    assert rows[0][0] > 1000
    lab.arrives("SELECT count(), uniqExact(key) FROM w", rows)


def test_what_statements_have_read_and_written(session: Session) -> None:
    """The summary of an answer: whoever runs it, and whatever the rows are made of."""

    def told(text: str) -> dict[str, int]:
        found = session.execute(text, stream=True)
        if found.stream is not None:
            b"".join(found.stream)
        known = dict(found.progress())
        assert (known.pop("written_bytes") > 0) == (known["written_rows"] > 0)
        assert known.pop("read_bytes") >= known["read_rows"]
        assert (known.pop("result_bytes") > 0) == (known["result_rows"] > 0)
        return {name: value for name, value in known.items() if value}

    on_spark = "SETTINGS sluice_engine = 'spark'"
    create = "CREATE TABLE made ENGINE = MergeTree ORDER BY a AS SELECT number AS a"
    both = {"read_rows": 9, "total_rows_to_read": 9}
    assert told(f"{create} FROM numbers(9)") == {**both, "written_rows": 9}
    session.execute("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
    session.execute("CREATE TABLE k (a UInt64 PRIMARY KEY) ENGINE = ReplacingMergeTree ORDER BY a")
    for into in ("t", "k"):
        insert = f"INSERT INTO {into} SELECT a FROM made WHERE a % 3 = 0"
        made = {**both, "written_rows": 3, "result_rows": 3}
        assert told(insert) == told(f"{insert} {on_spark}") == made
    data = 'INSERT INTO t FORMAT JSONEachRow {"a": 7} {"a": 8}'
    assert told(data) == {"written_rows": 2, "result_rows": 2}
    assert told("INSERT INTO t VALUES (9)") == {"written_rows": 1, "result_rows": 1}
    total = {"read_rows": 9, "total_rows_to_read": 9, "result_rows": 1}
    assert told("SELECT sum(a) FROM t") == total
    assert told(f"SELECT sum(a) FROM t {on_spark}") == total
    assert told("SHOW TABLES LIKE 't'")["result_rows"] == 1
    assert told("CREATE TABLE n (a UInt64) ENGINE = Null") == {}


def test_progress_headers(server: Server, session: Session) -> None:
    """What a query has read is told while it runs, and how much there is."""
    query = "SELECT count() FROM numbers(20000000) WHERE sipHash64(number) = 0"
    asked = {"send_progress_in_http_headers": "1", "http_headers_progress_interval_ms": "20"}
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client:
        answer = client.post("/", params=asked, content=query)
    told = [json.loads(v) for v in answer.headers.get_list("x-clickhouse-progress")]
    read = [int(each["read_rows"]) for each in told]
    assert read == sorted(read)
    assert any(0 < rows < 20_000_000 for rows in read)
    assert read[-1] == int(told[-1]["total_rows_to_read"]) == 20_000_000
