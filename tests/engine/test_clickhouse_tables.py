"""Stored tables as ClickHouse reads them have the rows that Spark reads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import chdb.session
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answers import answer

from sluice.catalog import STORED, Column, Table
from sluice.clickhouse import kept_columns
from sluice.clickhouse.data_files import DataFile, NotReadable, Snapshot
from sluice.clickhouse.kept_columns import KeptColumns
from sluice.clickhouse.tables import View, view_of
from sluice.engine.storage.deletion_vectors import DeletedRows
from sluice.engine.storage.snapshots import Snapshots
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sluice.session import Session

pytestmark = pytest.mark.usefixtures("on_spark")


@dataclass
class Beside:
    """A session, and ClickHouse beside it with views over the files of the session's tables."""

    session: Session
    peer: Any
    kept: KeptColumns
    deleted: DeletedRows
    snapshots: Snapshots

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.session.execute(statement)

    def table(self, name: str) -> Table:
        found = self.session._engine.catalog.find(self.session.database, name)
        assert found is not None
        return found

    def snapshot(self, name: str) -> Snapshot:
        found = self.snapshots.of(self.session._engine.store.path(self.table(name)))
        assert isinstance(found, Snapshot)
        return found

    def view(self, name: str) -> View | NotReadable:
        table, snapshot = self.table(name), self.snapshot(name)
        merging = self.session._engine.store.merging(table)
        view = view_of(table, snapshot, merging, self.deleted.folder)
        if isinstance(view, View):
            self.deleted.write(snapshot.folder, view.deletions)
        return view

    def show(self, name: str) -> None:
        """Let ClickHouse read the newest version of a table."""
        view = self.view(name)
        assert isinstance(view, View), view
        self.peer.query(f"CREATE OR REPLACE VIEW {name} ({view.columns}) AS {view.query}")

    def spark(self, query: str) -> list[str]:
        by_spark = {"sluice_engine": "spark"}
        return _lines(answer(self.session, query, "TSVWithNamesAndTypes", settings=by_spark))

    def clickhouse(self, query: str) -> list[str]:
        found = bytes(self.peer.query(query, "TSVWithNamesAndTypes").bytes())
        return _lines(found.decode("utf-8", "surrogateescape"))

    def same(self, name: str, *queries: str) -> None:
        """Each query, `SELECT *` first, has the same answer: names, types and rows."""
        self.show(name)
        for query in (f"SELECT * FROM {name}", *queries):
            assert self.clickhouse(query) == self.spark(query), query
        self.same_in_memory(name)

    def same_in_memory(self, name: str) -> None:
        """Columns that a worker keeps have the same types and rows."""
        table, snapshot = self.table(name), self.snapshot(name)
        names = [column.name for column in table.stored_columns]
        if self.session._engine.store.merging(table) is not None:
            return
        query = f"SELECT {', '.join(f'`{each}`' for each in names)} FROM {name}"
        expected = self.clickhouse(query)
        for _ in range(2):
            made = self.kept.view(table, snapshot, frozenset(names), self.deleted.folder)
        if made is None:
            assert not snapshot.files or any(column.late for column in table.columns)
            return
        self.peer.query(f"CREATE OR REPLACE VIEW {name} ({made.columns}) AS {made.query}")
        assert self.clickhouse(query) == expected
        self.show(name)


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    return [*lines[:2], *sorted(lines[2:])]


@pytest.fixture(scope="module")
def peer() -> Iterator[Any]:
    start: Any = chdb.session.Session
    with start() as session:
        yield session


@pytest.fixture(scope="module")
def kept(peer: Any) -> KeptColumns:
    return KeptColumns(lambda statement: str(peer.query(statement, "TSVRaw")))


@pytest.fixture
def beside(
    session: Session,
    peer: Any,
    kept: KeptColumns,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Beside:
    monkeypatch.setattr(kept_columns, "_PAUSE_S", 0.0)
    monkeypatch.setattr(kept_columns, "_MET", 1)
    return Beside(session, peer, kept, DeletedRows(tmp_path), Snapshots())


CAT = "Enum8('z' = 1, 'a' = 2, 'm' = -3)"
COLUMNS = f"""
    id UInt64, u8 UInt8, i8 Int8, u16 UInt16, i16 Int16, u32 UInt32, i32 Int32, i64 Int64,
    f32 Float32, f64 Float64, cat {CAT}, big Enum16('p' = 1000, 'it''s' = -5), ok Bool,
    maybe_cat Nullable({CAT}), s String, maybe Nullable(String), lc LowCardinality(String),
    lcn LowCardinality(Nullable(String)), n Nullable(Int32), un Nullable(UInt64),
    price Decimal(9, 2), wide Decimal(38, 10), day Date, day32 Date32, t DateTime,
    tokyo DateTime('Asia/Tokyo'), t3 DateTime64(3), t6 DateTime64(6, 'Asia/Tokyo'),
    u UUID, fs FixedString(3), tags Array(String), nums Array(UInt64), cats Array({CAT}),
    deep Array(Array(Nullable(Int8))), pair Tuple(x UInt8, y String), plain Tuple(UInt8, String),
    pairs Array(Tuple(a UInt64, b Nullable(String))), m Map(String, UInt64),
    mt Map(LowCardinality(String), Tuple(d Date, e Array(UInt8)))
"""
UUID = "61f0c404-5cb3-11e7-907b-a6006ad3dba0"
ROWS = f"""
    (18446744073709551615, 255, -128, 65535, -32768, 4294967295, -2147483648, -9223372036854775808,
     1.5, -0.1, 'z', 'p', true, 'z', '', '', 'l', '', 7, 18446744073709551615, -1234567.89,
     9999999999999999999999999999.9999999999, '2024-02-29', '1925-01-01', '2024-03-15 10:20:30',
     '2024-03-15 10:20:30', '2024-03-15 10:20:30.123', '2024-03-15 10:20:30.123456', '{UUID}',
     'abc', ['p', '', 'q'], [18446744073709551615, 0], ['z', 'm'], [[1, NULL], []], (1, 'one'),
     (2, 'two'), [(1, NULL), (18446744073709551615, '')], {{'k': 18446744073709551615}},
     {{'x': ('2024-02-29', [1, 255])}}),
    (0, 0, 127, 0, 32767, 0, 2147483647, 9223372036854775807, 0, 1e300, 'm', 'it\\'s', false, NULL,
     'tab\\tnew\\nline \\\\ quote\\' й', NULL, '', NULL, NULL, NULL, 0, -0.0000000001, '1970-01-01',
     '2283-11-11', '1970-01-01 00:00:00', '2106-02-07 12:28:15', '1969-12-31 23:59:59.999',
     '1900-01-02 00:00:00.000001', '00000000-0000-0000-0000-000000000000', 'a', [], [], [], [],
     (0, ''), (0, ''), [], {{}}, {{}})
"""


def test_every_type(beside: Beside) -> None:
    beside.run(
        f"CREATE TABLE t ({COLUMNS}) ENGINE = MergeTree ORDER BY id",
        f"INSERT INTO t VALUES {ROWS}",
        f"INSERT INTO t VALUES {ROWS.replace('18446744073709551615, 255', '5, 100')}",
    )
    beside.same("t", "SELECT pair.x, pairs.a, mt['x'].e FROM t")
    where = (
        "fs = 'a'", "fs = 'a\\0\\0'", "fs > 'a'", "cat = 'm'", "cat < 'a'", "big = 'p'", "lc = ''",
        f"u = '{UUID}'", "id > 18446744073709551000", "u8 = 255", "price < -1", "lcn IS NULL",
        "toDate(t) = '1970-01-01'", "tokyo > '2100-01-01 00:00:00'", "day32 < '1926-01-01'",
    )  # fmt: skip
    for each in where:
        query = f"SELECT id, u8 FROM t WHERE {each}"
        found = beside.clickhouse(query)
        assert len(found) > 2, each
        assert found == beside.clickhouse(f"{query} SETTINGS {NOT_PUSHED_DOWN}"), each


NOT_PUSHED_DOWN = """
    input_format_parquet_filter_push_down = 0, input_format_parquet_bloom_filter_push_down = 0,
    input_format_parquet_dictionary_filter_push_down = 0, query_plan_optimize_prewhere = 0,
    input_format_parquet_page_filter_push_down = 0
"""
"""Settings by which the reader of files knows no condition."""


def test_columns_that_change(beside: Beside) -> None:
    beside.run(
        "CREATE TABLE t (a UInt64, b String, gone UInt8, k Tuple(x UInt8, y String), "
        "twice UInt64 MATERIALIZED a * 2, next UInt64 ALIAS a + 1, shown ALIAS concat(k.y, '!')) "
        "ENGINE = MergeTree ORDER BY a",
    )
    beside.same("t")
    beside.run(
        "INSERT INTO t (a, b, gone, k) VALUES (1, 'one', 1, (1, 'x')), (2, '', 2, (2, 'y'))",
        "ALTER TABLE t DROP COLUMN gone",
        "ALTER TABLE t RENAME COLUMN b TO c",
        "ALTER TABLE t ADD COLUMN b UInt32 DEFAULT a * 100, ADD COLUMN n UInt8, "
        "ADD COLUMN e Enum8('z' = 1, 'm' = -3), ADD COLUMN m Nullable(String), "
        "ADD COLUMN d UInt64 DEFAULT b + n, ADD COLUMN l LowCardinality(String) DEFAULT 'low', "
        "ADD COLUMN arr Array(UInt8), ADD COLUMN fs FixedString(2), "
        "ADD COLUMN p Tuple(e UInt8, s Nullable(String)), ADD COLUMN gone String FIRST",
        "INSERT INTO t (a, c, k, b, n, e, m, d, l, arr, fs, p, gone) VALUES "
        "(3, 'three', (3, 'z'), 0, 0, 'z', NULL, 0, '', [], '', (0, ''), ''), "
        "(4, '', (4, ''), 4, 4, 'm', '', 4, 'l', [4], 'ab', (4, 's'), 'g')",
    )
    every = "SELECT *, twice, next, shown FROM t"
    beside.same("t", every, "SELECT a FROM t WHERE b = 100", "SELECT a FROM t WHERE e = 'm'",
                "SELECT a, k.y, p.e FROM t WHERE l = 'low' AND next > 2")  # fmt: skip
    beside.run("ALTER TABLE t RENAME COLUMN gone TO was", "ALTER TABLE t RENAME COLUMN c TO gone",
               "OPTIMIZE TABLE t FINAL")  # fmt: skip
    beside.same("t", every.replace("shown", "gone"))
    described = [line.split("\t")[:4] for line in beside.clickhouse("DESCRIBE t")[2:]]
    assert ["next", "UInt64", "ALIAS", "a + 1"] in described
    assert ["twice", "UInt64", "MATERIALIZED", "a * 2"] in described
    beside.run("ALTER TABLE t ADD COLUMN list Array(UInt8) DEFAULT [1]")
    assert isinstance(beside.view("t"), NotReadable)


@pytest.mark.slow
def test_deleted_rows(beside: Beside) -> None:
    beside.run(
        "CREATE TABLE t (id UInt32, s String) ENGINE = MergeTree PRIMARY KEY id "
        "SETTINGS kept_by_key = 1",
        "INSERT INTO t SELECT number, 'first' FROM numbers(20000)",
        "INSERT INTO t SELECT number, 'fresh' FROM numbers(20000, 100)",
    )
    assert not any(file.deletion for file in beside.snapshot("t").files)
    beside.run("INSERT INTO t SELECT number * 3, 'other' FROM numbers(3000)")
    assert [file.deletion.rows for file in beside.snapshot("t").files if file.deletion] == [3000]
    beside.same("t", "SELECT count(), sum(id) FROM t", "SELECT s FROM t WHERE id = 300")
    beside.run("INSERT INTO t SELECT number * 6, 'third' FROM numbers(3000)")
    beside.same("t", "SELECT s, count(), sum(id) FROM t GROUP BY s")
    check_checkpoint(beside, "t")
    assert beside.session.execute("SELECT count(), sum(id) FROM t").fetchall() == [
        (20100, sum(range(20100)))
    ]
    for threads in (1, 4):
        query = "SELECT count(), sum(id), max(s) FROM t WHERE id % 7 = 1"
        found = beside.clickhouse(f"{query} SETTINGS max_threads = {threads}")
        assert found == beside.spark(query)


def check_checkpoint(beside: Beside, name: str) -> None:
    """What Delta's checkpoint of a table says is what its commits say."""
    known, spark = beside.snapshot(name), beside.session._engine.spark()
    jvm: Any = spark._jvm
    logs = jvm.org.apache.spark.sql.delta.DeltaLog
    logs.forTable(spark._jsparkSession, str(known.folder)).checkpoint()
    for commit in (known.folder / "_delta_log").glob("*.json"):
        commit.rename(commit.with_suffix(".old"))
    found = Snapshots().of(known.folder)
    assert isinstance(found, Snapshot)
    assert {file.path: file for file in found.files} == {file.path: file for file in known.files}
    assert (found.version, found.fields) == (known.version, known.fields)
    for commit in (known.folder / "_delta_log").glob("*.old"):
        commit.rename(commit.with_suffix(".json"))


MERGING = """
r: k UInt8, p UInt8, x UInt16, s Nullable(String), version UInt32, gone UInt8
   ReplacingMergeTree(version, gone) PARTITION BY p ORDER BY k
   number % 60, number % 2, number, if(number % 5 = 0, NULL, toString(number)), number * {0} % 13,
     number % 3 = 0
n: k UInt8, s Nullable(String)
   ReplacingMergeTree ORDER BY (k, cityHash64(k))
   number % 60, if(number % 5 = {0}, NULL, toString(number))
one: k UInt32
   ReplacingMergeTree(k) ORDER BY tuple()
   number
s: k UInt8, day DateTime, u8 UInt8, i Int64, f Float64, d Decimal(9, 2), n Nullable(UInt32),
     m SimpleAggregateFunction(max, String), l SimpleAggregateFunction(anyLast, UInt32)
   SummingMergeTree ORDER BY (k, toDate(day))
   number % 50, toDateTime('2024-01-01 00:00:00'), number % 200, -number, number / 2,
     toDecimal32(number, 2) / 4, if(number % 3 = 0, NULL, number), toString(number), number
z: k UInt8, a Int32, b Int32
   SummingMergeTree((a, b)) ORDER BY k
   number % 50, if(number % 5 = 0, 0, 1 - 2 * ({0} % 2)), if(number % 5 = 0, 0, 1 - 2 * ({0} % 2))
a: k UInt8, t SimpleAggregateFunction(sum, UInt64), v String,
     lo SimpleAggregateFunction(min, Enum8('z' = 1, 'a' = 2)),
     bits SimpleAggregateFunction(groupBitOr, UInt8),
     arr SimpleAggregateFunction(groupUniqArrayArray, Array(UInt8))
   AggregatingMergeTree ORDER BY k
   number % 50, number, 'same', if(number % 100 < 50, 'a', 'z'), number % 256, [5]
c: k UInt8, x UInt32, sign Int8
   CollapsingMergeTree(sign) ORDER BY k
   number % 60, number, if((number + {0}) % 3 = 0, -1, 1)
v: k UInt8, version UInt32, sign Int8
   VersionedCollapsingMergeTree(sign, version) ORDER BY k
   number % 60, number % 2, if((number + {0}) % 3 = 0, -1, 1)
"""
"""Tables: name and columns, engine, and what an INSERT of the block {0} selects."""


def merging_tables() -> Iterator[list[str]]:
    """Name, columns, engine and rows of each table; deeper lines continue the one before."""
    text = MERGING.strip().replace("\n     ", " ")
    for table in re.split(r"\n(?=\S)", text):
        head, engine, rows = table.split("\n   ")
        yield [*head.split(": ", 1), engine, rows]


@pytest.mark.slow
def test_merging_engines(beside: Beside) -> None:
    for name, columns, engine, rows in merging_tables():
        beside.run(f"CREATE TABLE {name} ({columns}) ENGINE = {engine}")
        beside.show(name)
        assert len(beside.clickhouse(f"SELECT * FROM {name}")) == 2
        for block in (1, 2):
            beside.run(
                f"INSERT INTO {name} SELECT {rows.format(block)} FROM numbers(300, {block * 50})"
            )
        beside.same(name)
        found = beside.clickhouse(f"SELECT * FROM {name}")[2:]
        assert found, name
        seven = [row for row in found if row.startswith("7\t")]
        assert beside.clickhouse(f"SELECT * FROM {name} WHERE k = 7")[2:] == seven


def test_partitions_and_missing_files(peer: Any, tmp_path: Path) -> None:
    """Values of partitions are in no file, and their folders may be called like anything."""
    values = ("a,b}c [1]", "it's 100%", None)
    files = tuple(DataFile(f"p={value}/{at}", {"p": value}) for at, value in enumerate(values))
    for at, file in enumerate(files):
        (tmp_path / file.path).parent.mkdir()
        pq.write_table(pa.table({"a": [at]}), tmp_path / file.path)
    columns = (Column("p", parse_type("Nullable(String)")), Column("a", parse_type("UInt8")))
    table = Table("u", "d", "parts", STORED, columns, datetime.now(UTC))
    view = view_of(table, Snapshot(tmp_path, 0, files, {}, ("p",)), None, tmp_path)
    assert isinstance(view, View)
    peer.query(f"CREATE OR REPLACE VIEW parts ({view.columns}) AS {view.query}")
    found = json.loads(str(peer.query("SELECT p, a FROM parts ORDER BY a", "JSONCompact")))
    assert found["data"] == [[value, at] for at, value in enumerate(values)]
    (tmp_path / files[1].path).unlink()
    with pytest.raises(RuntimeError, match="FILE_DOESNT_EXIST"):  # not fewer rows
        peer.query("SELECT count() FROM parts")


def test_states_are_read_with_spark(beside: Beside) -> None:
    beside.run(
        "CREATE TABLE t (k UInt8, n AggregateFunction(uniq, UInt64)) "
        "ENGINE = AggregatingMergeTree ORDER BY k"
    )
    assert beside.view("t") == NotReadable("column n is AggregateFunction(uniq, UInt64)")
