"""Tables in Delta Lake: what a statement may say of them, and where their files may be."""
# ruff: noqa: E501 - a case is a line

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import sluice
from sluice.errors import SluiceError
from sluice.parameters.kinds import FLINK
from sluice.planner.fitting import casts, rules_of
from sluice.planner.spec import Rules
from sluice.planner.stored import partitions_of, path_of
from sluice.sql.flink.cursor import Cursor
from sluice.sql.flink.reading import tokenize
from sluice.sql.flink.types import read_type

if TYPE_CHECKING:
    from pathlib import Path

    from session.lab import Lab
    from sluice.types import Type


def flink(lab: Lab, sql: str) -> list[tuple[Any, ...]]:
    return lab.session.execute(sql, dialect=FLINK).fetchall()


def refused(lab: Lab, sql: str) -> tuple[str, str]:
    with pytest.raises(SluiceError) as caught:
        flink(lab, sql)
    assert caught.value.place is not None
    return caught.value.condition.name, caught.value.text()


@pytest.mark.parametrize(
    ("columns", "tail", "says"),
    [
        ("a INT", "WITH ('connector' = 'delta', 'pth' = 'x')", "Unsupported options found for 'delta'"),
        ("a INT", "WITH ('connector' = 'delta', 'pth' = 'x')", "path"),
        ("a INT", "WITH ('connector' = 'delta', 'path' = '')", "non-empty"),
        ("a INT", "WITH ('connector' = 'delta', 'path' = 'x', 'table-path' = 'x')", "set together"),
        ("a INT, i INTERVAL DAY", "", "INTERVAL DAY in a table stored"),
        ("a INT, i ARRAY<ROW<b INTERVAL YEAR>>", "", "Column i: INTERVAL YEAR"),
        ("a INT, A INT", "", "Column A is given twice"),
        ("a INT, m STRING METADATA FROM 'topic'", "", "is a metadata column"),
        ("a INT, b AS a + 1", "PARTITIONED BY (b)", "must be a physical column"),
        ("a INT, b ARRAY<INT>", "PARTITIONED BY (b)", "cannot be of the type ARRAY<INT>"),
        ("a INT, b INT", "PARTITIONED BY (a, b)", "All columns of table 'default.t' are partition columns"),
    ],
)  # fmt: skip
def test_what_no_delta_table_has(lab: Lab, columns: str, tail: str, says: str) -> None:
    assert says in refused(lab, f"CREATE TABLE t ({columns}) {tail}")[1]
    assert lab.tables() == []


def test_a_table_is_shown_as_it_was_written(lab: Lab) -> None:
    """Path, partitions and key come back from SHOW CREATE; the files are left by DROP."""
    flink(
        lab,
        "CREATE TABLE t (`a b` INT NOT NULL, day DATE, PRIMARY KEY (`a b`) NOT ENFORCED) "
        "PARTITIONED BY (day) WITH ('connector' = 'delta', 'path' = 'mine/t')",
    )
    table = lab.table("t")
    assert (partitions_of(table), path_of(table)) == (("day",), "mine/t")
    assert lab.engine.store.path(table) == lab.engine.folder.path / "mine" / "t"
    ((text,),) = flink(lab, "SHOW CREATE TABLE t")
    for part in ("PRIMARY KEY (`a b`)", "PARTITIONED BY (`day`)", "'path' = 'mine/t'"):
        assert part in text
    says = refused(lab, "ALTER TABLE t SET ('path' = 'mine/u')")
    assert says[0] == "UNSUPPORTED_PATH_CHANGE"
    assert refused(lab, "ALTER TABLE t SET ('pat' = 'x')")[0] == "UNSUPPORTED_OPTIONS"
    assert "primary key" in refused(lab, "ALTER TABLE t DROP `a b`")[1].lower()
    flink(lab, "ALTER TABLE t ADD note STRING")
    assert flink(lab, "DESCRIBE t")[-1][:3] == ("note", "STRING", "TRUE")
    kept = lab.engine.folder.path / "mine" / "t" / "something"
    kept.parent.mkdir(parents=True)
    kept.write_text("")
    flink(lab, "DROP TABLE t")
    assert kept.exists()
    assert (
        "neither a Delta table nor an empty folder"
        in refused(lab, "CREATE TABLE u (a INT) WITH ('connector' = 'delta', 'path' = 'mine/t')")[1]
    )


@pytest.mark.parametrize(
    "path",
    [
        "/etc", "file:///root/x", "../x", "x/../../y", "s3a://bucket/x", "hdfs://127.0.0.1:1/x",
        "file://host/x", "file:x", "http://127.0.0.1/x", "tables/x", "checkpoints", "catalog.sqlite",
        "catalog.sqlite/x", "logs/x", "tmp/x", ".", "", "lock", "a*", "a/b=1", "a@v1", "a/{b}",
        "_delta_log", "a/_b", ".a", "a\0b", "link/x", "circle/x", "held/inside", "jvm.lock",
    ],
)  # fmt: skip
def test_paths_stay_where_they_may(lab: Lab, tmp_path: Path, path: str) -> None:
    """Links are followed first; inside another table there is no place, either."""
    (tmp_path / "link").symlink_to(tmp_path.parent)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "held" / "_delta_log").mkdir(parents=True)
    (tmp_path / "jvm.lock").write_text("")
    sql = f"CREATE TABLE t (a INT) WITH ('connector' = 'delta', 'path' = '{path}')"
    condition, text = refused(lab, sql)
    assert condition == ("PATH_NOT_ALLOWED" if path else "EMPTY_OPTION"), text


def test_what_the_operator_allows(tmp_path: Path) -> None:
    """A directory besides the data folder; not what is around it, and never the data folder."""
    lake, data = tmp_path / "lake", tmp_path / "lake" / "data"
    (tmp_path / "to").symlink_to(lake)
    with sluice.connect(data, pipelines=False, paths=[lake]) as session:
        locations = session._engine.locations
        assert locations.find(f"file:{lake}/a b/t-1") == lake / "a b" / "t-1"
        assert locations.find(str(tmp_path / "to" / "t")) == lake / "t"
        for bad in (tmp_path, lake.parent / "lake2", data / "tables" / "x", lake, "/"):
            with pytest.raises(SluiceError):
                locations.find(str(bad))


def _type(text: str) -> Type:
    return read_type(Cursor(text, tokenize(text)))


@pytest.mark.parametrize(
    ("given", "wanted", "good"),
    [
        ("INT", "BIGINT", True), ("BIGINT", "INT", False), ("INT", "STRING", False),
        ("STRING", "INT", False), ("CHAR(2)", "STRING", True), ("STRING", "VARCHAR(2)", True),
        ("INT", "DECIMAL(10, 2)", True), ("DECIMAL(10, 2)", "DOUBLE", True), ("DOUBLE", "FLOAT", False),
        ("DOUBLE", "DECIMAL(5, 2)", True), ("TIMESTAMP(6)", "TIMESTAMP(3)", True), ("TIMESTAMP(3)", "DATE", True),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP(3)", True), ("DATE", "TIMESTAMP(3)", False), ("TIMESTAMP(3)", "TIME(0)", True),
        ("BYTES", "VARBINARY(3)", True), ("STRING", "BYTES", False), ("BOOLEAN", "INT", False),
        ("ARRAY<INT>", "ARRAY<BIGINT>", True), ("ARRAY<BIGINT>", "ARRAY<INT>", False),
        ("ROW<a INT, b STRING>", "ROW<x BIGINT, y STRING>", True), ("ROW<a INT>", "ROW<a INT, b INT>", False),
        ("MAP<STRING, INT>", "MAP<STRING, DOUBLE>", True), ("MULTISET<INT>", "MULTISET<INT>", True),
        ("MULTISET<INT>", "MAP<INT, INT>", False), ("INT NOT NULL", "INT", True), ("INT", "INT NOT NULL", True),
    ],
)  # fmt: skip
def test_what_becomes_another_type_by_itself(given: str, wanted: str, good: bool) -> None:
    assert casts(_type(given), _type(wanted)) is good


def test_rules_of_a_job(lab: Lab) -> None:
    assert rules_of({"table.exec.sink.not-null-enforcer": "drop"}) == Rules("DROP", "IGNORE")
    flink(lab, "SET 'table.exec.sink.type-length-enforcer' = 'trim_pad'")
    with pytest.raises(SluiceError, match="Could not parse value 'x' for key"):
        flink(lab, "SET 'table.exec.sink.not-null-enforcer' = 'x'")
