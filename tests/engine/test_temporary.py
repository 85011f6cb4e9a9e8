"""Temporary tables with rows: who sees them, and when their files are deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sluice

if TYPE_CHECKING:
    from pathlib import Path

    from sluice.session import Session


def test_rows_of_temporary_tables(engine: Session, tmp_path: Path) -> None:
    """They are the session's alone, beside a table of the same name and its views, and end with it.

    What a crash leaves is deleted at the next start, and nothing else.
    """
    files = tmp_path / "tables"
    root = sluice.connect(data=tmp_path, pipelines=False)
    for text in (
        "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a",
        "CREATE TABLE seen (a UInt32) ENGINE = MergeTree ORDER BY a",
        "CREATE MATERIALIZED VIEW m TO seen AS SELECT a FROM t",
        "INSERT INTO t VALUES (1)",
    ):
        root.execute(text)
    one, other = root.child(), root.child()
    one.execute("CREATE TEMPORARY TABLE t (b String, n UInt8 DEFAULT length(b))")
    one.execute("CREATE TEMPORARY TABLE seen (x UInt8)")
    one.execute("INSERT INTO t (b) VALUES ('x'), ('yy')")
    one.execute("INSERT INTO default.t VALUES (2)")
    joined = "SELECT n, a FROM t JOIN default.seen AS s ON t.n = s.a ORDER BY n"
    assert one.execute(joined).fetchall() == [(1, 1), (2, 2)]
    assert one.execute("SELECT count() FROM seen").fetchall() == [(0,)]
    assert other.execute("SELECT a FROM seen ORDER BY a").fetchall() == [(1,), (2,)]
    tables = "SELECT name, database, is_temporary, total_rows FROM system.tables WHERE name = 't'"
    assert one.execute(f"{tables} ORDER BY database").fetchall() == [
        ("t", "", 1, 2),
        ("t", "default", 0, 2),
    ]
    one.execute("TRUNCATE TABLE t")
    assert one.execute("SELECT count() FROM t").fetchall() == [(0,)]
    lasting = {path.name for path in files.iterdir()}
    one.end()
    assert len({path.name for path in files.iterdir()}) == len(lasting) - 1
    other.execute("CREATE TEMPORARY TABLE crashed (a UInt8)")
    other.execute("INSERT INTO crashed VALUES (1)")
    root._engine.close()  # as a crash would: no session ends
    assert len(list(files.iterdir())) == len(lasting)
    with sluice.connect(data=tmp_path, pipelines=False) as again:
        assert again.execute("SELECT sum(a) FROM t").fetchall() == [(3,)]
        again.start()  # with Spark, which deletes them
        assert len(list(files.iterdir())) == len(lasting) - 1
        assert again._engine.catalog.temporary_rows() == []
