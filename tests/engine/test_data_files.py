"""The Parquet files that Sluice writes hold what those of Spark's own writer would."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JError
from waiting import eventually

from engine.data_files import NO_BOUNDS, Files
from sluice.engine import faults
from sluice.errors.raised import Raised

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sluice.session import Session

_SCALARS = {
    "tiny": "CAST(id % 251 - 125 AS TINYINT)",
    "small": "CAST(id * 7 % 60000 - 30000 AS SMALLINT)",
    "whole": "CAST(id * 65537 - 2147483648 AS INT)",
    "long": "id * 9223372036854 - 4611686018427387904",
    "single": "CAST(id / 7 - 1000 AS FLOAT)",
    "double": "id / 3D - 5000",
    "price": "CAST(id / 100 - 50 AS DECIMAL(9, 2))",
    "amount": "CAST(id / 10000 - 50 AS DECIMAL(18, 4))",
    "unsigned": "CAST(id AS DECIMAL(20, 0)) * 368934881474191",
    "huge": "CAST(id - 9000 AS DECIMAL(38, 10)) * 123456789012345.0123456789",
    "few": "concat('text ', id % 5)",
    "many": "concat('Ünïcode ', id, repeat('x', CAST(id % 40 AS INT)))",
    "bytes": "CAST(concat('b', id % 1000) AS BINARY)",
    "flag": "id % 3 = 0",
    "day": "date_add(DATE'1960-01-01', CAST(id AS INT))",
    "moment": "timestamp_micros(id * 1234567890123 - 9000000000000000)",
    "local": "CAST(timestamp_micros(id * 7654321 - 9000000000000) AS TIMESTAMP_NTZ)",
}

_NESTED = {
    "numbers": "CASE WHEN id % 5 = 0 THEN array() ELSE transform(sequence(1, id % 4 + 1), "
    "x -> CAST(IF((x + id) % 6 = 0, NULL, x * id) AS INT)) END",
    "deep": "IF(id % 3 = 0, array(array(), NULL, array(id, NULL)), array(array(1)))",
    "map": "CASE WHEN id % 4 = 0 THEN map() ELSE map('a', id, concat('k', id % 9), NULL) END",
    "lists": "map(CAST(id AS INT), IF(id % 2 = 0, array('x', NULL), array()), -7, NULL)",
    "pair": "named_struct('a', IF(id % 7 = 0, NULL, id), "
    "'b', named_struct('c', concat('c', id % 3), 'd', array(id)))",
    "pairs": "transform(sequence(0, id % 3), x -> IF((x + id) % 5 = 0, NULL, "
    "named_struct('n', IF(x = 1, NULL, x), 's', array(CAST(x AS STRING)))))",
}


@pytest.fixture
def files(engine: Session, tmp_path: Path) -> Files:
    return Files(engine._engine.spark(), tmp_path)


def _columns(expressions: dict[str, str], nulls: int) -> list[str]:
    """Expressions with names, each NULL for every so manieth row, from another one on."""
    return ["id"] + [
        f"IF((id + {at}) % {nulls} = 0, NULL, {expression}) AS {name}"
        for at, (name, expression) in enumerate(expressions.items())
    ]


@pytest.mark.parametrize("nulls", [2, 97, 10_000_000])
def test_every_type(files: Files, nulls: int) -> None:
    """More than one page of each, with many, few and no NULLs."""
    rows = files.spark.range(0, 50_001, 1, 2)
    files.write(rows.selectExpr(*_columns(_SCALARS, nulls)))
    files.same()


@pytest.mark.parametrize("nulls", [3, 10_000_000])
def test_nested_types(files: Files, nulls: int) -> None:
    """Empty and missing lists, and lists of lists, are told apart."""
    rows = files.spark.range(0, 20_500, 1, 1)
    files.write(rows.selectExpr(*_columns(_NESTED, nulls)))
    files.same()


def test_column_mapping(files: Files) -> None:
    """Columns have other names in the files, inside of structs too."""
    rows = files.spark.range(0, 100, 1, 1).selectExpr(
        "id", "id AS `a, b`", *_columns(_NESTED, 3)[1:]
    )
    files.write(rows, **NO_BOUNDS, **{"delta.columnMapping.mode": "name"})
    ours, theirs = files.rows(files.ours), files.rows(files.theirs)
    assert ours.schema == theirs.schema
    texts = [sorted(t.selectExpr("to_json(struct(*))").collect()) for t in (ours, theirs)]
    assert texts[0] == texts[1]


def test_unusual_pages(files: Files) -> None:
    """Texts longer than a page, columns of one value, of none, and of nothing but empty texts."""
    files.write(
        files.spark.range(0, 60, 1, 1).selectExpr(
            "id",
            "repeat(CAST(id AS STRING), 200000) AS long",
            "'always' AS one",
            "CAST(NULL AS STRING) AS none",
            "CAST(NULL AS INT) AS no_number",
            "'' AS empty",
            "CAST(NULL AS ARRAY<STRING>) AS no_list",
            "true AS yes",
        )
    )
    files.same()


def test_long_lists(files: Files) -> None:
    """A page ends when it has many values, however few rows those are in."""
    files.write(
        files.spark.range(0, 300, 1, 1).selectExpr(
            "id", "transform(sequence(1, 3000), x -> IF(x % 11 = 0, NULL, x % 7)) AS list"
        )
    )
    files.same()
    (path,) = files.ours.rglob("part-*.parquet")
    assert pq.read_metadata(path).row_group(0).column(1).num_values == 900_000


def test_values_that_end_a_dictionary(files: Files) -> None:
    """A column falls back to plain encoding when it has too many values, whatever they are."""
    files.write(
        files.spark.range(0, 70_000, 1, 1).selectExpr(
            "id",
            "sha2(CAST(id AS STRING), 256) AS hash",
            "IF(id < 65000, 'same', concat('other', id)) AS late",
            "id * 3 AS number",
            "CAST(id AS DECIMAL(30, 5)) AS decimal",
        )
    )
    files.same()
    (found,) = {
        tuple(
            "PLAIN" in group.column(at).encodings and group.column(at).has_dictionary_page
            for at in range(group.num_columns)
        )
        for path in files.ours.rglob("part-*.parquet")
        for group in [pq.read_metadata(path).row_group(0)]
    }
    assert found[1]
    assert found[3]


def test_several_row_groups(files: Files) -> None:
    spark: Any = files.spark
    conf = spark._jsc.hadoopConfiguration()
    conf.set("parquet.block.size", "200000")
    try:
        files.write(files.spark.range(0, 60_000, 1, 1).selectExpr(*_columns(_SCALARS, 5)))
    finally:
        conf.unset("parquet.block.size")
    (path,) = files.ours.rglob("part-*.parquet")
    assert pq.read_metadata(path).num_row_groups >= 3
    files.same()


def test_bounds(files: Files) -> None:
    """The log has of the columns that can be skipped by what Delta would have put there."""
    names = ["tiny", "small", "whole", "long", "single", "double", "price", "amount", "unsigned"]
    names += ["huge", "day", "moment", "local"]
    rows = files.spark.range(0, 1000, 1, 1).selectExpr(*_columns(_SCALARS, 7))
    files.write(rows, **{"delta.dataSkippingStatsColumns": ",".join(names)})
    (ours,), (theirs,) = files.added(files.ours), files.added(files.theirs)
    mine, known = (json.loads(added.pop("stats"), parse_float=str) for added in (ours, theirs))
    assert mine == known
    changing = ("path", "size", "modificationTime")
    assert {k: v for k, v in ours.items() if k not in changing} == {
        k: v for k, v in theirs.items() if k not in changing
    }


def test_bounds_that_statistics_cannot_hold(files: Files) -> None:
    """NaN has no place in an order; a column without a value has no ends."""
    rows = files.spark.range(0, 10, 1, 1).selectExpr(
        "id", "IF(id = 5, double('NaN'), id) AS odd", "CAST(NULL AS INT) AS none"
    )
    assert files.append(rows, {"delta.dataSkippingStatsColumns": "id,odd,none"})
    (added,) = files.added(files.ours)
    assert json.loads(added["stats"]) == {
        "numRecords": 10,
        "minValues": {"id": 0},
        "maxValues": {"id": 9},
        "nullCount": {"id": 0, "odd": 0, "none": 10},
    }
    assert files.rows(files.ours).where("isnan(odd)").count() == 1


@pytest.mark.parametrize(
    "condition",
    [
        "id BETWEEN 33000 AND 33010",
        "many = 'Ünïcode 40003xxx'",
        "few = 'text 3'",
        "few = 'absent'",
        "many IS NULL",
        "double < -4990 OR double > 11660",
        "unsigned = 3689348814741910000",
        "moment < TIMESTAMP'1970-01-01'",
        "flag AND day = DATE'2000-01-01'",
    ],
)
def test_filters_that_skip(pushed: Files, condition: str) -> None:
    """What a reader may pass over by pages, groups and dictionaries."""
    found = pushed.rows(pushed.ours).where(condition).count()
    assert found == pushed.rows(pushed.theirs).where(condition).count()


@pytest.fixture(scope="module")
def pushed(engine: Session, tmp_path_factory: pytest.TempPathFactory) -> Files:
    files = Files(engine._engine.spark(), tmp_path_factory.mktemp("pushed"))
    rows = files.spark.range(0, 50_001, 1, 1).selectExpr(*_columns(_SCALARS, 11))
    files.write(rows, **{"delta.dataSkippingStatsColumns": "id,double,unsigned,moment,day"})
    return files


def test_tables_of_another_kind(files: Files) -> None:
    """Partitions, constraints and features that are not heeded are left to Delta's writer."""
    rows = files.spark.range(5).selectExpr("id", "id % 2 AS part")

    def refused(name: str, **properties: str) -> bool:
        files.ours = files.ours.parent / name
        writer = rows.write.format("delta").options(**NO_BOUNDS, **properties)
        writer.partitionBy(*(["part"] if name == "partitions" else [])).save(str(files.ours))
        return written()

    def written() -> bool:
        """Whether rows are added in files of Delta's writer."""
        before = set(files.ours.rglob("*.parquet"))
        assert files.append(rows)
        assert files.rows(files.ours).where("part = 1").count() % 2 == 0
        (new, *_) = set(files.ours.rglob("*.parquet")) - before
        return len(new.parent.name) != len("a1")  # ours are spread over folders of such names

    assert not refused("plain")
    assert refused("partitions")
    assert not refused("vectors", **{"delta.enableDeletionVectors": "true"})
    assert refused("constraint", **{"delta.constraints.few": "id < 9"})
    assert not files.append(files.spark.range(5).toDF("other"))
    assert not files.append(files.spark.range(5).selectExpr("CAST(id AS INT) AS id"))
    files.ours = files.ours.parent / "made with partitions"
    assert files.append(rows, partitions=["part"])
    assert written()
    assert len({path.parent for path in files.ours.rglob("*.parquet")}) == 2


def test_columns_in_another_order(files: Files) -> None:
    """What is missing is NULL: a table may have columns that were added, moved or dropped."""
    assert files.append(files.spark.range(3).selectExpr("id", "'x' AS `a.b`", "id * 2 AS twice"))
    assert files.append(files.spark.range(3, 5).selectExpr("id * 2 AS twice", "id"))
    found = files.rows(files.ours).orderBy("id").collect()
    assert [tuple(row) for row in found] == [
        (0, "x", 0), (1, "x", 2), (2, "x", 4), (3, None, 6), (4, None, 8),
    ]  # fmt: skip


def test_a_task_that_fails_leaves_no_file(files: Files) -> None:
    from pyspark.errors import ArithmeticException

    rows = files.spark.range(0, 30_000, 1, 1).selectExpr("id", "1 DIV (id - 25000) AS x")
    with pytest.raises(ArithmeticException, match="DIVIDE_BY_ZERO"):
        files.append(rows)
    assert not list(files.ours.rglob("*.parquet"))


def test_the_commit_describes_its_files(files: Files) -> None:
    assert files.append(files.spark.range(0, 30, 1, 3).where("id > 14"))
    lines = (files.ours / "_delta_log" / f"{0:020}.json").read_text().splitlines()
    (commit,) = [json.loads(line)["commitInfo"] for line in lines if "commitInfo" in line]
    assert commit["userMetadata"] == "said"
    assert commit["isBlindAppend"]
    metrics = commit["operationMetrics"]
    sizes = sum(path.stat().st_size for path in files.ours.rglob("part-*.parquet"))
    assert metrics == {"numFiles": "2", "numOutputRows": "15", "numOutputBytes": str(sizes)}


@contextmanager
def _fenced(batch: int, newest: int) -> Iterator[None]:
    """Expect that a commit of the writer `w` is fenced; its parameters arrive from the JVM."""
    from pyspark.errors import PySparkException

    with pytest.raises((PySparkException, Py4JError)) as caught:
        yield
    params = {"writer": "w", "batch": batch, "newest": newest}
    assert faults.condition(caught.value) == Raised("COMMIT_FENCED", params)


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.parametrize("partitions", [[], ["id"]])
def test_a_late_commit_is_fenced(files: Files, tmp_path: Path, partitions: list[str]) -> None:
    """A batch, or an earlier one, of the same writer fails, whenever its transaction was begun."""
    from pyspark.sql import functions as F

    rows = files.spark.range(0, 3, 1, 1).selectExpr("id", "'x' AS text")
    assert files.append(rows, writer="w", batch=7, partitions=partitions)
    for batch in (7, 6):
        with _fenced(batch, 7):
            files.append(rows, writer="w", batch=batch)
    assert files.append(rows, writer="other", batch=7)

    go, begun = tmp_path / "go", tmp_path / "begun"

    def wait(text: str) -> str:
        begun.touch()
        while not go.exists():
            time.sleep(0.02)
        return text

    slow = rows.select("id", F.udf(lambda text: wait(text), "string")("text").alias("text"))
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(files.append, slow, writer="w", batch=8)
        eventually(begun.exists, bool, 120)
        assert files.append(rows, writer="w", batch=8)
        assert files.append(rows, writer="other", batch=8)
        go.touch()
        with _fenced(8, 8):
            late.result()
    assert files.rows(files.ours).count() == 12


def test_the_batches_of_writers_outlive_a_checkpoint(files: Files) -> None:
    """A table without its checksum files, as older ones have: the state tells what is there."""
    rows = files.spark.range(1)
    for batch in range(3):
        assert files.append(rows, {**NO_BOUNDS, "delta.checkpointInterval": "2"}, "w", batch)
    for path in (files.ours / "_delta_log").glob("*.crc"):
        path.unlink()
    jvm: Any = files.spark._jvm
    jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    with _fenced(2, 2):
        files.append(rows, writer="w", batch=2)
    assert files.append(rows, writer="w", batch=3)
