"""Random tables, written by Sluice's Parquet writer, are read the same by five readers.

A case is made from its seed alone; `pytest tests/engine/test_parquet_random.py -k seed17` runs one
again. Nine seeds have nine numbers of rows, from none to 3001; later seeds are slow tests, of which
each run takes some. Delta Lake's writer is the reference, for what Spark reads and for what the log
has.
"""

from __future__ import annotations

import json
import random
from contextlib import contextmanager
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any

import chdb
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.data_files import Files
from engine.random_tables import Case, case, filled, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from sluice.session import Session

_LATER = (pytest.mark.slow, pytest.mark.sampled(3))
_SEEDS = [pytest.param(n, marks=_LATER if n >= 3 else (), id=f"seed{n}") for n in range(27)]
_WRITER = "spark.sluice.parquet.writer"
_VECTORS = "spark.sql.parquet.enableVectorizedReader"
_FILTERS = 6


@pytest.mark.parametrize("seed", _SEEDS)
def test_random_table(engine: Session, tmp_path: Path, seed: int) -> None:
    from pyspark.sql import DataFrame

    spark, made = engine._engine.spark(), case(seed)
    ours, theirs = Files(spark, tmp_path / "ours"), Files(spark, tmp_path / "theirs")
    rows = spark.createDataFrame(made.table).coalesce(1)
    properties = {"delta.dataSkippingStatsColumns": ",".join(["id", *made.scalar()])}
    with _limits(spark, made.limits):
        assert ours.append(rows, properties)
        with _set(spark, _WRITER, "delta"):
            assert theirs.append(rows, properties)
    paths = sorted(map(str, ours.ours.rglob("part-*.parquet")))
    assert len(paths) == (made.table.num_rows > 0)
    assert all(path.rsplit("/", 2)[1] != "ours" for path in paths), "Delta Lake wrote this"
    assert {path.parent for path in theirs.ours.rglob("part-*.parquet")} <= {theirs.ours}

    wanted = _rows(made.table)
    for vectors in ("true", "false"):
        with _set(spark, _VECTORS, vectors):
            assert _rows(ours.rows(ours.ours).toArrow()) == wanted, f"Spark, {vectors}"
    assert ours.rows(ours.ours).schema == theirs.rows(theirs.ours).schema
    if not paths:
        return
    assert _rows(pq.read_table(paths)) == wanted, "Arrow"
    _footers(paths[0], next(theirs.ours.glob("part-*.parquet")))
    with duckdb.connect() as duck:
        duck.sql("SET TimeZone = 'UTC'")
        files = f"read_parquet({paths})"
        assert _rows(duck.sql(f"SELECT * FROM {files}").to_arrow_table()) == wanted, "DuckDB"
        counts = dict(_conditions(made, random.Random(seed)))  # noqa: S311 - made-up data
        assert _counts(f"SELECT count(*) AS n FROM {files}", counts, _duck(duck)) == counts
        assert _counts(f"SELECT count() AS n FROM file('{paths[0]}')", counts, _chdb) == counts
    found = [ours.rows(ours.ours).where(each).selectExpr("count(*)") for each in counts]
    assert [n for (n,) in reduce(DataFrame.unionAll, found).collect()] == list(counts.values())
    _in_clickhouse(made, paths[0])
    _same_statistics(made, ours, theirs)


def _rows(table: pa.Table) -> list[Any]:
    """Rows by `id`, every value in a form that can be compared."""
    return [plain(row) for row in table.sort_by("id").to_pylist()]


def _footers(ours: str, theirs: Path) -> None:
    """The Parquet schema is that of Spark's writer, and pages and row groups add up."""
    mine, other = pq.ParquetFile(ours), pq.ParquetFile(theirs)
    assert mine.schema == other.schema
    assert mine.metadata.num_rows == other.metadata.num_rows
    groups = [mine.metadata.row_group(n) for n in range(mine.metadata.num_row_groups)]
    assert sum(group.num_rows for group in groups) == mine.metadata.num_rows


def _in_clickhouse(made: Case, path: str) -> None:
    """What ClickHouse reads, but for columns with days that it does not have."""
    names = ["id", *(name for name, column in made.columns.items() if column.in_clickhouse)]
    table = made.table.select(names)
    types = {field.name: field.type for field in table.schema}
    wanted = [
        plain({name: filled(value, types[name]) for name, value in row.items()})
        for row in table.sort_by("id").to_pylist()
    ]
    found = _chdb(f"SELECT {', '.join(names)} FROM file('{path}')")
    assert _rows(found) == wanted, "ClickHouse"


def _chdb(sql: str) -> pa.Table:
    settings = "session_timezone = 'UTC', output_format_arrow_string_as_string = 0"
    clickhouse: Any = chdb
    found = clickhouse.query(f"{sql} SETTINGS {settings}", "ArrowStream").bytes()
    return pa.ipc.open_stream(found).read_all()


def _duck(connection: duckdb.DuckDBPyConnection) -> Callable[[str], pa.Table]:
    return lambda sql: connection.sql(sql).to_arrow_table()


def _counts(
    select: str, conditions: Iterable[str], run: Callable[[str], pa.Table]
) -> dict[str, int]:
    """How many rows a reader finds with each filter."""
    return {each: run(f"{select} WHERE {each}")["n"][0].as_py() for each in conditions}


def _conditions(made: Case, rng: random.Random) -> Iterator[tuple[str, int]]:
    """Filters by which a reader may skip pages and row groups, and how many rows they leave."""
    numbers = [
        name
        for name in ("id", *made.scalar())
        if pa.types.is_integer(made.table[name].type) or pa.types.is_decimal(made.table[name].type)
    ]
    for name in rng.sample(numbers, min(len(numbers), _FILTERS)):
        values = made.table[name].to_pylist()
        known = [value for value in values if value is not None]
        if known:
            value = rng.choice(known)
            shown = f"{value:f}" if isinstance(value, Decimal) else str(value)
            text = f"CAST('{shown}' AS {_sql(made.table[name].type)})"
            yield f"{name} = {text}", known.count(value)
            yield f"{name} < {text}", sum(each < value for each in known)
        yield f"{name} IS NULL", len(values) - len(known)


def _sql(type_: pa.DataType) -> str:
    if pa.types.is_decimal(type_):
        return f"DECIMAL({type_.precision}, {type_.scale})"
    return {8: "TINYINT", 16: "SMALLINT", 32: "INT", 64: "BIGINT"}[type_.bit_width]


def _same_statistics(made: Case, ours: Files, theirs: Files) -> None:
    """The log has the counts and bounds of Delta Lake's writer; none where there is a NaN."""
    (mine,), (other,) = ours.added(ours.ours), theirs.added(theirs.ours)
    known, wanted = json.loads(mine["stats"]), json.loads(other["stats"])
    for name in made.scalar():
        if "nan" in map(plain, made.table[name].to_pylist()):
            for bounds in ("minValues", "maxValues"):
                assert name not in known[bounds]
                wanted[bounds].pop(name, None)
    assert known == wanted


@contextmanager
def _set(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.unset(name)


@contextmanager
def _limits(spark: SparkSession, limits: dict[str, int]) -> Iterator[None]:
    conf: Any = spark._jsc.hadoopConfiguration()
    before = {name: conf.get(name) for name in limits}
    for name, value in limits.items():
        conf.set(name, str(value))
    try:
        yield
    finally:
        for name, old in before.items():
            conf.unset(name) if old is None else conf.set(name, old)
