"""Messages as rows in Spark. What each format reads is in `tests/formats`, without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from format_cases import SCALAR_VALUES, VALUES

from sluice.formats.codec import Codec
from sluice.formats.decode import decoded
from sluice.formats.encode import encoded_rows
from sluice.types import parse_type

if TYPE_CHECKING:
    from sluice.session import Session


def test_rows_and_errors(engine: Session) -> None:
    """CH-58, CH-60, CH-80: rows, no rows, what is no message, and bytes that are no UTF-8."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    spark = SparkSession.builder.getOrCreate()
    columns = [("n", parse_type("Int64")), ("s", parse_type("String"))]
    given = [b'{"n":1,"s":"a"}{"n":2}', b"", None, b"broken", b'{"n":3,"s":"\xff"}']
    messages = spark.createDataFrame(
        [(at, each) for at, each in enumerate(given)], "at int, m binary"
    )
    rows = decoded(spark, Codec.named("JSONEachRow", "clickhouse", {}), columns, F.col("m"))
    found = messages.select("at", rows.alias("r")).selectExpr(
        "at", "r.__error", "r.n", "hex(cast(r.s AS binary))"
    )
    *good, bad, last = sorted(map(tuple, found.collect()), key=lambda row: (row[0], row[2] or 0))
    nothing = [(at, None, None, None) for at in (1, 2)]
    assert good == [(0, None, 1, "61"), (0, None, 2, ""), *nothing]
    assert bad[:1] + bad[2:] == (3, None, None)
    assert "expected '{' before: 'broken'" in bad[1]
    assert last == (4, None, 3, "FF")


def test_values(engine: Session) -> None:
    """A value of each type, and the same message again."""
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    spark = SparkSession.builder.getOrCreate()
    known = [*VALUES, *SCALAR_VALUES]
    columns = [(f"c{at}", parse_type(case[0])) for at, case in enumerate(known)]
    message = "\t".join(case[2] for case in known) + "\n"
    codec = Codec.named("TabSeparated", "clickhouse", {})
    row = decoded(spark, codec, columns, F.lit(message).cast("binary"))
    frame = (
        spark.range(1)
        .select(row.alias("r"))
        .selectExpr("array(struct(" + ", ".join(f"r.{name}" for name, _ in columns) + ")) AS rows")
    )
    written = encoded_rows(spark, codec, columns, frame["rows"])
    ((found,),) = frame.select(written).collect()
    assert bytes(found).decode() == message
