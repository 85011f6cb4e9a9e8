"""`SELECT count() FROM t` is answered from the log of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from sluice.clickhouse.data_files import DataFile, DeletionVector, Snapshot
from sluice.clickhouse.trivial_count import counted

FILES = (
    DataFile("a", rows=10),
    DataFile("b", rows=5, deletion=DeletionVector("i", "data", 4, 2)),
)


def version(*files: DataFile) -> Snapshot:
    return Snapshot(Path("t"), 1, files)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT count() FROM t", "SELECT toUInt64(13) AS `count()`"),
        ("SELECT count(*) FROM d.t", "SELECT toUInt64(13) AS `count()`"),
        ("SELECT count() AS n FROM `my d`.`my\\`t`", "SELECT toUInt64(13) AS n"),
        ("SELECT count(*) AS `a b` FROM t", "SELECT toUInt64(13) AS `a b`"),
        ("SELECT count() FROM t WHERE x", None),
        ("SELECT count(), 1 FROM t", None),
        ("SELECT count(x) FROM t", None),
        ("SELECT count(1) FROM t", None),
        ("SELECT COUNT() FROM t", None),
        ("SELECT count() FROM t GROUP BY x", None),
        ("SELECT count() FROM t, t", None),
        ("SELECT count() FROM t LIMIT 0", None),
        ("SELECT count() FROM file('/etc/passwd')", None),
        ("SELECT count() FROM (SELECT 1)", None),
    ],
)
def test_queries(query: str, answer: str | None) -> None:
    assert counted(query, version(*FILES)) == answer


def test_what_the_log_does_not_know() -> None:
    assert counted("SELECT count() FROM t", version()) == "SELECT toUInt64(0) AS `count()`"
    assert counted("SELECT count() FROM t", version(*FILES, DataFile("c"))) is None
