"""From messages to rows, as Spark columns.

A row is a struct of `__error` and the fields. A message with something wrong in it gives a single
row, whose `__error` says what, and whose fields are NULL. With `ignore-parse-errors` of Flink
formats the smallest part that is wrong is NULL instead, and what is no record at all gives no row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice.types import is_nullable, spark_type
from sluice.types.flink import quote

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.formats.codec import Codec
    from sluice.formats.descriptor import Columns
    from sluice.types import Type

    Fields = list[tuple[str, str]]


def decoded(
    spark: SparkSession,
    codec: Codec,
    columns: Columns,
    messages: Column,
    wrong: Column | None = None,
    optional: Collection[str] = (),
) -> Column:
    """One row for each that a message holds.

    A message that is NULL or holds no row gives a NULL. Columns that are `optional` are NULL where
    a message omits them, or has NULL for what cannot be NULL; one that can be is a struct of its
    `value`.

    Raises:
        SluiceError: NOT_IMPLEMENTED or FORMAT_COLUMNS_UNSUPPORTED.
    """
    from pyspark.sql import functions as F

    # The outer form, because for the plain one Spark infers a filter that decodes everything twice.
    return F.explode_outer(decoded_rows(spark, codec, columns, messages, wrong, optional))


class Transcoded:
    """Messages with what ClickHouse makes of them, if its own code reads their format.

    They have two columns more then: `rows`, which is read instead of the message, and what is
    `wrong` with it. Both are NULL for a message without rows, and for one that our own decoder
    reads, if the format has one.
    """

    rows, wrong = "__rows", "__wrong"

    def __init__(self, spark: SparkSession, codec: Codec, columns: Columns) -> None:
        spec = codec.read_by_clickhouse(columns)
        jvm: Any = spark._jvm
        self._transcoder = jvm.sluice.transcode.Transcoder(spec) if spec else None
        self._first = codec.decoder(spark, columns) if spec and codec.decodes(columns) else None

    def __bool__(self) -> bool:
        return self._transcoder is not None

    @property
    def message(self) -> str:
        """The column that is decoded."""
        return self.rows if self and self._first is None else "value"

    def __call__(self, messages: DataFrame) -> DataFrame:
        """The messages, with these columns if ClickHouse reads them."""
        if not self:
            return messages
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        given: Any = messages
        made = given.sparkSession._jvm.sluice.transcode.Transcoding.read(
            given._jdf, self._transcoder, self._first, self.rows, self.wrong
        )
        return Classic(made, messages.sparkSession)


def decoded_rows(
    spark: SparkSession,
    codec: Codec,
    columns: Columns,
    message: Column,
    wrong: Column | None = None,
    optional: Collection[str] = (),
) -> Column:
    """The rows of a message, as an array of structs; NULL or empty where it holds none.

    `wrong` is an error that a message has besides its value, or NULL.
    """
    from pyspark.sql import functions as F

    fields = _fields(columns, optional)
    made = codec.decoder(spark, columns, optional)
    if not codec.reads_twice(columns):
        return _array(spark, made, message, fields, wrong)
    left = F.col(Transcoded.rows)
    rows = _array(spark, codec.carrier(spark, columns), left, fields, None)
    own = _array(spark, made, message, fields, None)
    return _or_wrong(F.when(left.isNotNull(), rows).otherwise(own), fields, wrong)


def decoded_changes(
    spark: SparkSession,
    codec: Codec,
    columns: Columns,
    message: Column,
    wrong: Column | None = None,
    *,
    hidden: Mapping[str, str],
    unchanged: bool = False,
    key: Collection[str] = (),
    metadata: Mapping[str, Type] | None = None,
    strict: bool = False,
    drift: Mapping[str, Any] | None = None,
) -> Column:
    """The changes in a message of a format that `changes`, as an array of structs.

    A struct has `__error`, the `hidden` columns (the kind of the change, with `unchanged` the names
    of columns whose value it does not carry, and those that were discovered if `drift` asks for
    them), the columns, and `value.…` for each `metadata`.
    With a `key`, the table's PRIMARY KEY, a change needs no old row, and the old row of an update
    is left out unless the update changes the key. With `strict` other columns than these are wrong.
    """
    more = dict(metadata or {})
    every = [*columns, *((f"value.{name}", type_) for name, type_ in more.items())]
    envelope = {
        "envelope.key": list(key),
        "envelope.metadata": list(more),
        "envelope.unchanged": unchanged,
        "envelope.strict": strict,
        **(drift or {}),
    }
    made = replace(codec, envelope=envelope).decoder(spark, every)
    error, *fields = _fields(every)
    return _array(spark, made, message, [error, *hidden.items(), *fields], wrong)


def decoded_row(spark: SparkSession, codec: Codec, columns: Columns, message: Column) -> Column:
    """The one row of a message of a Flink format, as a struct; NULL for none.

    Several rows are an error. Spark runs it once for each message, wherever the fields are used.
    """
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = message
    made = codec.decoder(spark, columns)
    return Column(jvm.sluice.spark.Columns.row(made, value._jc, _ddl(_fields(columns))))


def _array(
    spark: SparkSession, decoder: Any, message: Column, fields: Fields, wrong: Column | None
) -> Column:
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = message
    rows = Column(jvm.sluice.spark.Columns.decode(decoder, value._jc, _ddl(fields)))
    return _or_wrong(rows, fields, wrong)


def _or_wrong(rows: Column, fields: Fields, wrong: Column | None) -> Column:
    """The rows of a message, or the only one of a message that is wrong."""
    from pyspark.sql import functions as F

    if wrong is None:
        return rows
    (error, _), *others = fields
    nothing = (F.lit(None).cast(type_).alias(name) for name, type_ in others)
    bad = F.array(F.struct(wrong.alias(error), *nothing))
    return F.when(wrong.isNotNull(), bad).otherwise(rows)


def _fields(columns: Columns, optional: Collection[str] = ()) -> Fields:
    """The fields of a struct, with Spark's types."""
    fields = [("__error", "STRING")]
    for name, type_ in columns:
        wrapped = name in optional and is_nullable(type_)
        held = f"STRUCT<value: {spark_type(type_)}>" if wrapped else spark_type(type_)
        fields.append((name, held))
    return fields


def _ddl(fields: Fields) -> str:
    return ", ".join(f"{quote(name)} {type_}" for name, type_ in fields)
