"""Stored tables as ClickHouse reads them have the rows that Spark reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chdb.session
import pytest

from sluice.clickhouse.data_files import NotReadable, Snapshot
from sluice.clickhouse.tables import View, view_of
from sluice.engine.storage.deletion_vectors import DeletedRows
from sluice.engine.storage.snapshots import Snapshots
from sluice.formats.answers import render

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sluice.catalog import Table
    from sluice.session import Session


@dataclass
class Beside:
    """A session, and ClickHouse beside it with views over the files of the session's tables."""

    session: Session
    peer: Any
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
        answer = self.session.execute(query)
        return _lines(b"".join(render(answer, "TSVWithNamesAndTypes")))

    def clickhouse(self, query: str) -> list[str]:
        return _lines(bytes(self.peer.query(query, "TSVWithNamesAndTypes").bytes()))

    def same(self, name: str, *queries: str) -> None:
        """Each query, `SELECT *` first, has the same answer: names, types and rows."""
        self.show(name)
        for query in (f"SELECT * FROM {name}", *queries):
            assert self.clickhouse(query) == self.spark(query), query


def _lines(text: bytes) -> list[str]:
    lines = text.decode("utf-8", "surrogateescape").splitlines()
    return [*lines[:2], *sorted(lines[2:])]


@pytest.fixture(scope="module")
def peer() -> Iterator[Any]:
    start: Any = chdb.session.Session
    with start() as session:
        yield session


@pytest.fixture
def beside(session: Session, peer: Any, tmp_path: Path) -> Beside:
    return Beside(session, peer, DeletedRows(tmp_path), Snapshots())


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
