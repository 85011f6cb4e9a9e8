"""What the state of a query over a changelog costs as it grows: changes a second, batch by batch.

    .venv/bin/python bench/state.py [QUERY …] [--rows 500000] [--changes 20000] [--batches 4]

The first batch inserts the rows. Of the changes of each batch after it four of five insert a row,
one deletes the oldest. There is no Kafka and no target: what is measured are the steps of a query
with their state. A line of JSON for each query has the rates of all batches, and the processor time
of the JVM in microseconds a change, which depends less on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cost import Process

import sluice
from sluice.engine.changelog.state import ChangelogState
from sluice.engine.spark.job_session import new_session
from sluice.engine.spark.plans import planned
from sluice.sql import ir
from sluice.sql.flink.lowering import lower_query
from sluice.sql.flink.statements import parse
from sluice.sql.relation import FULL, Relation, RelationColumn
from sluice.types import parse_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = {"id": "Int64", "city": "String", "amount": "Int64", "name": "String"}
CITIES = 1000
NOW = 1_700_000_000_000
PLACE = "CAST(NULL AS STRUCT<partition: INT, offset: BIGINT, row: INT>)"
RANKED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY amount DESC) AS rn FROM orders"
QUERIES = {
    "sums": "SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM orders GROUP BY city",
    "max": "SELECT city, MAX(amount) AS m FROM orders GROUP BY city",
    "names": "SELECT city, MAX(name) AS m FROM orders GROUP BY city",
    "mixed": "SELECT city, COUNT(*) AS n, SUM(amount) AS s, MIN(amount) AS l, MAX(amount) AS m, "
    "COUNT(DISTINCT name) AS d FROM orders GROUP BY city",
    "distinct": "SELECT city, COUNT(DISTINCT name) AS d FROM orders GROUP BY city",
    "one": "SELECT MAX(amount) AS m FROM orders",
    "oldest": "SELECT city, MIN(id) AS m FROM orders GROUP BY city",
    "top": f"SELECT city, id, amount FROM ({RANKED}) WHERE rn <= 3",  # noqa: S608 - no text of others
    "join": "SELECT o.id, o.amount, c.name FROM orders o JOIN cities c ON o.city = c.city",
}


def relation(name: str) -> Relation:
    """A table of changes."""
    columns = tuple(RelationColumn(n, parse_type(t)) for n, t in COLUMNS.items())
    return Relation(name, columns, stream=True, key=("id",), changelog=FULL)


def changes(spark: SparkSession, batch: int, rows: int, count: int) -> DataFrame:
    """The changes of a batch, always the same ones; the first one only inserts."""
    new, old = count * 4 // 5, count // 5
    first, last = (rows + (batch - 1) * new, rows + batch * new) if batch else (0, rows)
    ids = spark.range(first, last, 1, 2).selectExpr("id", "'+I' AS __row_kind")
    if batch:
        gone = spark.range((batch - 1) * old, batch * old, 1, 2)
        ids = ids.union(gone.selectExpr("id", "'-D' AS __row_kind"))
    return ids.selectExpr(
        "id", f"concat('city ', abs(hash(id)) % {CITIES}) AS city", "abs(xxhash64(id)) AS amount",
        "concat('customer ', abs(hash(id, 1)) % 100000) AS name", "__row_kind", f"{PLACE} AS __at",
    )  # fmt: skip


def cities(spark: SparkSession, batch: int) -> DataFrame:
    """A row for each city, all in the first batch."""
    found = spark.range(0, 0 if batch else CITIES)
    return found.selectExpr("id", "concat('city ', id) AS city", "id AS amount",
                            "concat('name ', id) AS name", "'+I' AS __row_kind",
                            f"{PLACE} AS __at")  # fmt: skip


def processor_s(spark: Any) -> float:
    """The processor time of the JVM so far."""
    return Process.of(spark.sparkContext._gateway.proc.pid).seconds


def measure(
    spark: SparkSession, query: str, rows: int, count: int, batches: int
) -> dict[str, list[float]]:
    """The figures of each batch."""
    statement = parse(query)
    assert isinstance(statement, ir.Select)  # noqa: S101 - they are
    lowered = lower_query(statement.query, lambda name: relation(str(name)))
    rates: dict[str, list[float]] = {"changes_per_s": [], "processor_us": []}
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(ChangelogState(spark, Path(folder))) as state,
    ):
        for batch in range(batches + 1):
            given: Any = changes(spark, batch, rows, count).persist()
            size = given.count()
            given.createOrReplaceTempView("orders")
            cities(spark, batch).createOrReplaceTempView("cities")
            begun, before = time.perf_counter(), processor_s(spark)
            with state.batch(spark, batch, NOW) as operators:
                made = planned(spark, lowered.sql, lowered.steps, operators)
                made.write.format("noop").mode("append").save()
            rates["changes_per_s"].append(round(size / (time.perf_counter() - begun)))
            rates["processor_us"].append(round((processor_s(spark) - before) / size * 1e6, 1))
            given.unpersist()
    return rates


def main() -> None:
    """Measure the queries that are asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("query", nargs="*", choices=[*QUERIES, []], metavar="QUERY")
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--changes", type=int, default=20_000)
    parser.add_argument("--batches", type=int, default=4)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as data,
        sluice.connect(data=Path(data), hosts=["127.0.0.1"]) as session,
    ):
        spark = new_session(session._engine.spark(), {})
        spark.conf.set("spark.sql.shuffle.partitions", "2")
        for name in options.query or QUERIES:
            sizes = (options.rows, options.changes, options.batches)
            rates = measure(spark, QUERIES[name], *sizes)
            print(json.dumps({"query": name, **rates}), flush=True)


if __name__ == "__main__":
    main()
