"""Messages of Flink's formats in tests: columns in Flink's words, one message or row at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sluice.formats.codec import Codec
from sluice.formats.registry import find_format
from sluice.sql.flink.cursor import Cursor
from sluice.sql.flink.reading import tokenize
from sluice.sql.flink.types import read_type
from sluice.types import model as m
from sluice.types import spark_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sluice.types import Type

    Columns = list[tuple[str, Type]]


def spark() -> SparkSession:
    """The run's one Spark."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def columns(text: str) -> Columns:
    """`a INT, b STRING NOT NULL`."""
    row = f"ROW<{text}>"
    found = m.bare(read_type(Cursor(row, tokenize(row))))
    assert isinstance(found, m.Tuple)
    return list(zip(found.names or (), found.items, strict=True))


def half(format_: str, **options: Any) -> Codec:
    """A format with its options over the defaults; `_` stands for both `-` and `.` in a name."""
    known, found = {}, find_format(format_, "flink")
    for row in found.options:
        short = row.names["flink"].removeprefix("{format}.")
        given = options.pop(short.replace("-", "_").replace(".", "_"), None)
        value = row.default if given is None else row.kind.read(given, "flink")
        if value is not None:
            known[short] = value
    assert not options, f"{format_} has no {options}"
    return Codec(found, known)


SHOWN = half("json", timestamp_format_standard="ISO-8601", encode_decimal_as_plain_number="true")
ERROR = ("__error", m.Nullable(m.String()))


def read(half: Codec, fields: str, message: bytes | str) -> list[str] | str:
    """The rows of a message, each as the JSON that SHOWN makes of it, or its error."""
    typed = columns(fields)
    given = message.encode() if isinstance(message, str) else message
    made = half.decoder(spark(), typed)
    rows = made.decode(given)
    shown = SHOWN.encoder(spark(), [ERROR, *typed])
    count = rows.numElements()
    texts = [bytes(shown.row(rows.getStruct(i, len(typed) + 1))).decode() for i in range(count)]
    one = made.row(given)
    if count < 2:
        assert (None if one is None else bytes(shown.row(one)).decode()) == (*texts, None)[0]
    good = [text.replace('{"__error":null,', "{", 1) for text in texts]
    if good != texts or not texts:
        return good
    (only,) = texts
    error, *values = json.loads(only).values()
    assert values == [None] * len(typed)
    return str(error)


def written(half: Codec, fields: str, row: str) -> bytes | None:
    """The message of a row, which is given as Spark SQL."""
    typed = columns(fields)
    ddl = ", ".join(f"`{name}`: {spark_type(type_)}" for name, type_ in typed)
    # Of a row that is in the plan Spark makes no job and no code.
    frame: Any = spark().sql(f"SELECT CAST(struct({row}) AS struct<{ddl}>) AS r FROM VALUES (1)")
    plan = frame._jdf.queryExecution().executedPlan()
    made = half.encoder(spark(), typed).row(plan.executeCollect()[0].getStruct(0, len(typed)))
    return None if made is None else bytes(made)
