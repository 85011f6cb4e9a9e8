"""Rows of Spark as messages, byte for byte. What settings change is in `tests/formats`."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from format_cases import COLUMNS, ROW, VALUES, texts, written

from sluice.formats.codec import Codec
from sluice.formats.encode import encoded_rows
from sluice.types import bare, parse_type, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.session import Session


class Rows:
    """So many times a row of Python values."""

    def __init__(self, columns: dict[str, str], *values: Any, count: int = 1) -> None:
        from pyspark.sql import SparkSession

        self.spark = SparkSession.builder.getOrCreate()
        self.columns = [(name, parse_type(text)) for name, text in columns.items()]
        types = [type_ for _, type_ in self.columns]
        fields = ", ".join(f"c{at}: {spark_type(type_)}" for at, type_ in enumerate(types))
        row = tuple(map(_held, values, types))
        one = self.spark.createDataFrame([(row,)], f"r struct<{fields}>")
        self.frame = one.selectExpr(f"array_repeat(r, {count}) AS rows")
        self.array = self.collected("rows").getArray(0)

    def collected(self, *columns: str) -> Any:
        """Expressions over the rows, as Spark holds them."""
        frame: Any = self.frame.selectExpr(*columns)
        return frame._jdf.queryExecution().executedPlan().executeCollect()[0]

    def written(self, format_: str) -> str:
        """The message that holds them."""
        made = Codec.named(format_, "clickhouse", {}).encoder(self.spark, self.columns)
        return bytes(made.encode(self.array)).decode()


def _held(value: Any, type_: m.Type) -> Any:
    """A value as Spark takes it for a column of the type."""
    inner = bare(type_)
    if isinstance(inner, m.Int) and value is not None:
        return Decimal(value) if inner.high >= 1 << 63 else int(value)
    return value


def test_rows(engine: Session) -> None:
    """Two rows with every type in one message, as each format has them."""
    rows = Rows(COLUMNS, *ROW, count=2)
    for format_, settings, expected in written():
        if not settings:
            assert rows.written(format_) == expected, format_
    codec = Codec.named("CSV", "clickhouse", {})
    column = encoded_rows(rows.spark, codec, rows.columns, rows.frame["rows"])
    ((message,),) = rows.frame.select(column).collect()
    assert bytes(message).decode() == rows.written("CSV")


def test_values(engine: Session) -> None:
    """What an answer shows of a value, the message holds."""
    rows = Rows({f"c{at}": case[0] for at, case in enumerate(VALUES)}, *(c[1] for c in VALUES))
    found = rows.collected(*(f"array(struct(rows[0].c{at}))" for at in range(len(VALUES))))
    for at, case in enumerate(VALUES):
        for format_, expected in texts(case).items():
            codec = Codec.named(format_, "clickhouse", {})
            made = codec.encoder(rows.spark, [("x", parse_type(case[0]))])
            assert bytes(made.encode(found.getArray(at))).decode() == expected, (case[0], format_)
