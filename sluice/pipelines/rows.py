"""From Kafka to rows: decoding messages, and the columns every message has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats.decode import decoded
from sluice.pipelines import typed
from sluice.pipelines.select import Select
from sluice.types import model as m

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from sluice.plan import KafkaSource
    from sluice.types import Type

VIRTUAL: dict[str, Type] = {
    "_topic": m.LowCardinality(m.String()),
    "_key": m.String(),
    "_offset": m.Int(64, signed=False),
    "_partition": m.Int(64, signed=False),
    "_timestamp": m.Nullable(m.DateTime()),
    "_timestamp_ms": m.Nullable(m.DateTime(3)),
    "_headers.name": m.Array(m.String()),
    "_headers.value": m.Array(m.String()),
}

_HEADERS = "array<struct<key: string, value: binary>>"

BAD_MESSAGE = "SLUICE_BAD_MESSAGE"
"""Marks our own error in the text of Spark's."""


class Rows:
    """From messages to a Kafka table's rows; made once, used for every batch."""

    def __init__(self, source: KafkaSource, messages: DataFrame) -> None:
        """For messages like these, whose headers may not have been read."""
        from pyspark.sql import functions as F

        columns = [(c.name, c.type) for c in source.table.columns if c.alias is None]
        names = ("topic", "partition", "offset", "timestamp", "key")
        kept = [F.col(name).alias(f"__{name}") for name in names]
        read = "headers" in messages.columns
        headers = F.col("headers") if read else F.lit(None).cast(_HEADERS)
        kept.append(headers.alias("__headers"))
        found = decoded(messages.sparkSession, source.format, columns, F.col("value"))
        good = F.col("__row.__error").isNull()
        named = {name for name, _ in columns}
        virtual = {n: (c, VIRTUAL[n]) for n, c in _virtual().items() if n not in named}
        self._split = Select([*kept, found.alias("__row")])
        if not source.skip_broken:
            good = F.when(good, F.lit(True)).otherwise(_stop())
        self._good = F.col("__row").isNotNull() & good
        self._named = Select(
            [
                *(typed.mark(F.col(f"__row.{typed.quoted(n)}"), n, t) for n, t in columns),
                *(typed.mark(column, name, type_) for name, (column, type_) in virtual.items()),
            ]
        )

    def __call__(self, messages: DataFrame) -> DataFrame:
        """The table's columns and the virtual ones.

        A bad message is skipped or, if the table does not allow that, stops the reading.
        """
        return self._named(self._split(messages).where(self._good))


def _virtual() -> dict[str, Column]:
    from pyspark.sql import functions as F

    headers = F.col("__headers")
    values = F.transform(headers, lambda h: F.coalesce(h["value"].cast("string"), F.lit("")))
    return {
        "_topic": F.col("__topic"),
        "_key": F.coalesce(F.col("__key").cast("string"), F.lit("")),
        "_offset": F.col("__offset").cast("decimal(20,0)"),
        "_partition": F.col("__partition").cast("decimal(20,0)"),
        "_timestamp": F.date_trunc("second", "__timestamp"),
        "_timestamp_ms": F.col("__timestamp"),
        "_headers.name": F.coalesce(
            F.transform(headers, lambda h: h["key"]), F.array().cast("array<string>")
        ),
        "_headers.value": F.coalesce(values, F.array().cast("array<string>")),
    }


def _stop() -> Column:
    from pyspark.sql import functions as F

    what = F.struct(
        F.col("__topic").alias("topic"),
        F.col("__partition").alias("partition"),
        F.col("__offset").alias("offset"),
        F.col("__row.__error").alias("reason"),
    )
    return F.raise_error(F.concat(F.lit(BAD_MESSAGE), F.to_json(what))).cast("boolean")


def bad_message(text: str) -> errors.SluiceError | None:
    """The error that `_stop` raised, found again in what Spark says."""
    import json

    at = text.find(BAD_MESSAGE + "{")
    if at < 0:
        return None
    found: dict[str, Any] = json.JSONDecoder().raw_decode(text[at + len(BAD_MESSAGE) :])[0]
    return errors.CANNOT_PARSE_MESSAGE(**found)
