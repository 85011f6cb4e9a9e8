"""The format raw: one value, and nothing around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.flink.messages import columns, half, spark
from sluice.formats.decode import decoded_row, decoded_rows
from sluice.formats.encode import encoded_row
from sluice.types import spark_type

if TYPE_CHECKING:
    from sluice.formats.codec import Codec
    from sluice.session import Session

BIG, LITTLE = half("raw"), half("raw", endianness="little-endian")
LATIN, WIDE = half("raw", charset="ISO-8859-1"), half("raw", charset="UTF-16BE")

VALUES: list[tuple[Codec, str, bytes, str]] = [
    (BIG, "STRING", "ä\n".encode(), "'ä\\n'"),
    (BIG, "VARCHAR(3)", b"abcd", "'abcd'"),
    (BIG, "STRING", b"", "''"),
    (LATIN, "STRING", b"\xe4", "'ä'"),
    (WIDE, "STRING", b"\x00a\x04D", "'aф'"),
    (BIG, "BYTES", b"\x00\xff", "X'00FF'"),
    (BIG, "BOOLEAN", b"\x01", "true"),
    (BIG, "TINYINT", b"\xff", "-1Y"),
    (BIG, "SMALLINT", b"\x01\x02", "258S"),
    (LITTLE, "SMALLINT", b"\x01\x02", "513S"),
    (BIG, "INT", b"\x00\x00\x01\x00", "256"),
    (LITTLE, "INT", b"\x00\x01\x00\x00", "256"),
    (BIG, "BIGINT NOT NULL", b"\xff" * 8, "-1L"),
    (LITTLE, "BIGINT", b"\x01" + b"\x00" * 7, "1L"),
    (BIG, "FLOAT", b"\x3f\x80\x00\x00", "1.0F"),
    (LITTLE, "DOUBLE", b"\x00" * 6 + b"\xf0\x3f", "1.0D"),
]


def test_values_and_their_bytes(engine: Session) -> None:
    """Every type, both ways; a message that is NULL is a row with a NULL, and back."""
    from pyspark.sql import functions as F

    checks, names = [], []
    for format_, type_, message, value in VALUES:
        fields = columns(f"v {type_}")
        held = spark_type(fields[0][1])
        null = F.lit(None).cast("binary")
        row = decoded_row(spark(), format_, fields, F.lit(message))
        rows = decoded_rows(spark(), format_, fields, F.lit(message))
        none = decoded_row(spark(), format_, fields, null)
        struct = F.expr(f"named_struct('v', CAST({value} AS {held}))")
        hole = F.expr(f"named_struct('v', CAST(NULL AS {held}))")
        checks += [
            row["__error"].isNull() & (row["v"] == F.expr(value)),
            (F.size(rows) == 1) & (rows[0]["v"] == F.expr(value)),
            none.isNotNull() & none["v"].isNull() & none["__error"].isNull(),
            encoded_row(spark(), format_, fields, struct) == F.lit(message),
            encoded_row(spark(), format_, fields, hole).isNull(),
            encoded_row(spark(), format_, fields, F.when(F.lit(False), struct)).isNull(),
        ]
        names += [f"{type_} {value} {n}" for n in ("row", "rows", "null", "message", "nul", "none")]
    (found,) = spark().range(1).select(*checks).collect()
    assert [name for name, good in zip(names, found, strict=True) if not good] == []


def test_bytes_of_another_length(engine: Session) -> None:
    from pyspark.sql import functions as F

    row = decoded_row(spark(), BIG, columns("v INT"), F.lit(b"12345"))
    (found,) = spark().range(1).select(row["__error"], row["v"]).collect()
    assert found[0] == "Size of data received for deserializing INT type is not 4."
    assert found[1] is None
