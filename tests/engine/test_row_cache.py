"""Rows that several views share come out of the cache as they went in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sluice.session import Session

EVERY = """
    SELECT id, IF(id % 3 = 0, NULL, id) AS n, CAST(id AS DECIMAL(20, 0)) AS d, id % 2 = 0 AS b,
        repeat('x', IF(id = 7, 5000000, CAST(id % 50 AS INT))) AS s, id / 3 AS f,
        CAST(s AS BINARY) AS y, timestamp_millis(id) AS t, array(id, NULL) AS a,
        map('k', s) AS m, struct(id AS i, array(struct(id AS j)) AS l) AS r
    FROM range(0, 3000, 1, 3)
"""


def test_rows_come_back_the_same(engine: Session) -> None:
    """Every type, all columns and some in another order, one row larger than a block, no rows."""
    spark = engine._engine.spark()
    for where in ("true", "id % 100 < 3", "false"):
        rows = spark.sql(f"SELECT * FROM ({EVERY}) WHERE {where}")
        kept = spark.sql(f"SELECT * FROM ({EVERY}) WHERE {where}").persist()
        try:
            assert "InMemoryTableScan" in kept._jdf.queryExecution().executedPlan().toString()
            assert kept.collect() == rows.collect()
            for columns in (["r", "n"], ["s"], ["id", "m", "a", "y", "b"]):
                assert kept.select(columns).collect() == rows.select(columns).collect()
            assert kept.filter("n > 2500").count() == rows.filter("n > 2500").count()
            assert kept.count() == rows.count()
        finally:
            kept.unpersist()
