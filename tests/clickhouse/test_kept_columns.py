"""Columns that a worker has in memory: the rows of the files, whatever becomes of these."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sluice.catalog import STORED, Column, Table
from sluice.clickhouse import kept_columns, syntax
from sluice.clickhouse.data_files import DataFile, DeletionVector, Snapshot
from sluice.clickhouse.pool import Pool, Worker
from sluice.clickhouse.tables import View, deleted_rows_name, view_of
from sluice.clickhouse.used_columns import used
from sluice.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGE = 1 << 14
TYPES = {"id": "UInt64", "cat": "Enum8('a' = 1, 'b' = 2)", "s": "LowCardinality(String)"}


class Stored:
    """A table of files, as the log of a Delta table would have it."""

    def __init__(self, worker: Worker, folder: Path, types: dict[str, str]) -> None:
        self.worker, self.folder = worker, folder
        columns = tuple(Column(name, parse_type(type_)) for name, type_ in types.items())
        now = datetime.now(UTC)
        self.table = Table(folder.name, "d", "t", STORED, columns, now, engine="MergeTree")
        fields = {name: {"name": name, "type": "string", "metadata": {}} for name in types}
        self.snapshot = Snapshot(folder, 0, (), fields)
        self.number = 0

    def file(self, first: int, rows: int, **more: list[Any]) -> DataFile:
        """A file with so many rows, their ids from the first on."""
        self.number += 1
        name = f"f{self.number}"
        ids = range(first, first + rows)
        values = {"id": pa.array(ids, pa.decimal128(20, 0))}
        texts = {"cat": ["ab"[n % 2] for n in ids], "s": [f"s{n % 7}" for n in ids]}
        pq.write_table(pa.table({**values, **texts, **more}), self.folder / name)
        return DataFile(name, rows=rows, size=(self.folder / name).stat().st_size)

    def has(self, *files: DataFile) -> None:
        """Let these be the files of the next version."""
        self.snapshot = replace(self.snapshot, version=self.snapshot.version + 1, files=files)

    def kept(self, *names: str) -> View | None:
        """What the worker has of these columns."""
        asked = frozenset(names)
        self.worker.kept.begin()
        return self.worker.kept.view(self.table, self.snapshot, asked, self.folder)

    def ask(self, query: str, view: View | None) -> list[Any]:
        """The rows of a query over a view of the table, or of all of its files if there is none."""
        view = view or self.whole
        self.worker.run(f"CREATE OR REPLACE VIEW default.t ({view.columns}) AS {view.query}")
        lines = self.worker.run(query, lines="JSONCompactEachRow").splitlines()
        return [json.loads(line) for line in lines]

    @property
    def whole(self) -> View:
        made = view_of(self.table, self.snapshot, None, self.folder)
        assert isinstance(made, View)
        return made

    def same(self, query: str, *names: str) -> View | None:
        """Make sure that a query has the same rows with kept columns; what is kept."""
        made = self.kept(*names)
        assert self.ask(query, made) == self.ask(query, None)
        return made


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    pool = Pool(tmp_path_factory.mktemp("workers"))
    with pool.worker() as taken:
        yield taken
    pool.close()


@pytest.fixture
def stored(worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stored:
    monkeypatch.setattr(kept_columns, "_PAUSE_S", 0.0)
    return Stored(worker, tmp_path, TYPES)


SUM = "SELECT cat, count(), sum(id), min(id) FROM t GROUP BY cat ORDER BY cat"


def test_columns_that_several_queries_use_are_kept(stored: Stored) -> None:
    stored.has(stored.file(0, LARGE), stored.file(LARGE, 10))
    assert stored.kept("id", "cat") is None
    assert stored.kept("s") is None
    made = stored.same(SUM, "id", "cat")
    assert made is not None
    assert "file(" not in made.query
    assert set(made.columns.replace("`", "").split()) >= {"id", "cat"}
    assert stored.same("SELECT id FROM t WHERE id = 5", "id") == made
    assert stored.same("SELECT s, max(id) FROM t GROUP BY s ORDER BY s", "s", "id") is not None
    types = "SELECT DISTINCT toTypeName(id), toTypeName(cat), toTypeName(s) FROM t"
    made = stored.same(types, "id", "cat", "s")
    assert made is not None
    assert stored.ask(types, made) == [[*TYPES.values()]]


def test_versions_of_a_table(stored: Stored) -> None:
    large, small = stored.file(0, LARGE), [stored.file(LARGE + n, 1) for n in range(40)]
    stored.has(large, *small[:2])
    assert stored.kept("id", "cat") is None
    assert stored.same(SUM, "id", "cat") is not None
    for n in range(3, 40):  # new files: read from Parquet, and decoded now and then
        stored.has(large, *small[:n])
        made = stored.same(SUM, "id", "cat")
        assert made is not None
        assert made.query.count("'") < 40 * 2
    merged = stored.file(LARGE, 40)
    stored.has(large, merged)
    assert stored.same(SUM, "id", "cat") is not None
    stored.has(merged)
    stored.same(SUM, "id", "cat")
    stored.has(stored.file(0, 3 * LARGE), merged)
    assert stored.same(SUM, "id", "cat") is not None
    stored.has()
    stored.same(SUM, "id", "cat")
    stored.has(large, merged)
    assert stored.same(SUM, "id", "cat") is not None


def test_rows_that_are_deleted(stored: Stored) -> None:
    large, other = stored.file(0, LARGE), stored.file(LARGE, LARGE)
    stored.has(large, other)
    assert stored.kept("id", "cat") is None
    assert stored.same(SUM, "id", "cat") is not None
    vector = DeletionVector("u", "gone", 1, 2)
    numbers = b"".join(n.to_bytes(8, "little") for n in (0, 7))
    (stored.folder / deleted_rows_name(vector)).write_bytes(numbers)
    stored.has(replace(large, deletion=vector), other)
    made = stored.same(SUM, "id", "cat")
    assert made is not None
    assert made.deletions == (vector,)
    assert stored.ask("SELECT count() FROM t", made) == [[2 * LARGE - 2]]


def test_columns_that_change(stored: Stored) -> None:
    stored.has(stored.file(0, LARGE))
    assert stored.kept("id", "cat") is None
    assert stored.same(SUM, "id", "cat") is not None
    first, _, third = stored.table.columns
    other = Column("cat", parse_type("LowCardinality(String)"))
    stored.table = replace(stored.table, columns=(first, other, third))
    made = stored.same(SUM, "id", "cat")
    assert made is not None
    assert stored.ask("SELECT DISTINCT toTypeName(cat) FROM t", made) == [[str(other.type)]]
    late = replace(other, late=True)
    stored.table = replace(stored.table, columns=(first, late, third))
    assert stored.same(SUM, "id", "cat") is None


def test_a_value_that_another_query_does_not_read(stored: Stored) -> None:
    stored.has(stored.file(0, LARGE, cat=["c"] * LARGE))
    for _ in range(2):
        assert stored.kept("id", "cat") is None  # such a value cannot be decoded
    assert stored.ask("SELECT max(id) FROM t", stored.kept("id")) == [[LARGE - 1]]


def test_large_files_are_not_kept(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    large, small = stored.file(0, 8 * LARGE), stored.file(8 * LARGE, LARGE)
    monkeypatch.setattr(stored.worker.kept, "_files", small.size)
    stored.has(large, small)
    assert stored.kept("id", "cat") is None
    made = stored.same(SUM, "id", "cat")
    assert made is not None
    assert f"/{large.path}'" in made.query
    assert f"/{small.path}'" not in made.query


def test_memory_is_bounded(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, query, columns = stored.worker, "SELECT sum(id), uniq(s) FROM t", ("id", "s")
    monkeypatch.setattr(worker.kept, "_most", 1 << 20)
    several = []
    for n in range(4):
        (folder := stored.folder / f"table{n}").mkdir()
        several.append(each := Stored(worker, folder, TYPES))
        each.has(each.file(0, 2 * LARGE))
        assert each.kept(*columns) is None
        assert each.same(query, *columns) is not None
        assert 0 < in_memory(worker) <= 1 << 20
    stored.has(stored.file(0, 32 * LARGE), stored.file(0, 1))
    for _ in range(4):
        stored.same(query, *columns)
        assert in_memory(worker) <= 1 << 20
    for each in several:
        each.same(query, *columns)


def test_tables_of_one_statement(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = stored.worker.kept
    monkeypatch.setattr(kept, "_most", 1 << 20)
    (folder := stored.folder / "other").mkdir()
    other = Stored(stored.worker, folder, TYPES)
    for each in (stored, other):
        each.has(each.file(0, 2 * LARGE))
        assert each.kept("id", "s") is None
    kept.begin()
    views = [
        kept.view(each.table, each.snapshot, frozenset({"id", "s"}), each.folder)
        for each in (stored, other)
    ]
    assert views[0] is not None
    assert views[1] is None  # there is no room for both
    assert stored.ask("SELECT count() FROM t", views[0]) == [[2 * LARGE]]
    other.same("SELECT sum(id), uniq(s) FROM t", "id", "s")
    assert other.kept("id", "s") is not None


def in_memory(worker: Worker) -> int:
    where = f"database = '{worker.kept.database}'"
    return int(worker.run(f"SELECT ifNull(sum(total_bytes), 0) FROM system.tables WHERE {where}"))


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT id FROM t WHERE cat = 'a'", {"id", "cat"}),
        ("SELECT count() FROM t", set()),
        ("SELECT count(*) FROM t WHERE id > 1", {"id"}),
        ('SELECT t.`id` * 2, "n.x" FROM t', {"id", "n.x"}),
        ("SELECT t.n FROM t", {"n.x", "n.y"}),
        ("SELECT (SELECT max(s) FROM v WHERE v.id = t.id) FROM t", {"s", "id"}),
        ("SELECT x FROM t ARRAY JOIN n.x AS x", {"n.x", "n.y"}),
        ("SELECT sum(cat) FROM t AS o JOIN u USING (id)", {"cat", "id"}),
        ("SELECT * FROM t", None),
        ("SELECT t.* FROM t", None),
        ("SELECT * EXCEPT id FROM t", None),
        ("SELECT COLUMNS('i') FROM t", None),
        ("SELECT t.COLUMNS('i') FROM t", None),
        ("SELECT COLUMNS(id) APPLY sum FROM t", None),
        ("SELECT 1 WHERE 1 IN t", None),
        ("SELECT sum(id) FROM (SELECT * FROM t)", None),
        ("SELECT {c:Identifier} FROM t", None),
        ("SELECT count(tuple(*)) FROM t", None),
        ("SELECT count(), * FROM t", None),
        ("SELECT id, count(*) FROM t GROUP BY ALL", {"id"}),
        ("SELECT id FROM t NATURAL JOIN u", None),
        ("SELECT sum(id) FROM t WHERE id IN (SELECT id FROM u WHERE s = 'x')", {"id", "s"}),
    ],
)
def test_used(worker: Worker, query: str, names: set[str] | None) -> None:
    types = TYPES | {"n.x": "Array(UInt8)", "n.y": "Array(UInt8)"}
    columns = tuple(Column(name, parse_type(type_)) for name, type_ in types.items())
    table = Table("u", "d", "t", STORED, columns, datetime.now(UTC), engine="MergeTree")
    assert used(syntax.read(worker, query, {"c": "id"}), table) == names
