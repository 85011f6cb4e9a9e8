"""From rows to messages, as Spark columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from sluice.formats.codec import Codec
    from sluice.formats.descriptor import Columns


def encoded_rows(spark: SparkSession, codec: Codec, columns: Columns, rows: Column) -> Column:
    """The message that holds the rows of an array: structs with exactly these columns, in order."""
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = rows
    made = codec.encoder(spark, columns)
    return Column(jvm.sluice.spark.Columns.encode(made, value._jc))


class Written:
    """Messages as ClickHouse writes them, if its own code does; the others as they are.

    Their column `value` is what `encoded_rows` made. `single` says that each has one row.
    """

    def __init__(
        self, spark: SparkSession, codec: Codec, columns: Columns, *, single: bool
    ) -> None:
        spec = codec.written_by_clickhouse(columns)
        jvm: Any = spark._jvm
        self._transcoder = jvm.sluice.transcode.Transcoder(spec) if spec else None
        self._single = single

    def __call__(self, messages: DataFrame) -> DataFrame:
        """The messages, written."""
        if self._transcoder is None:
            return messages
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        given: Any = messages
        made = given.sparkSession._jvm.sluice.transcode.Transcoding.write(
            given._jdf, self._transcoder, self._single
        )
        return Classic(made, messages.sparkSession)


def encoded_row(spark: SparkSession, codec: Codec, columns: Columns, row: Column) -> Column:
    """The message of a struct, for a Flink format; NULL for a NULL struct.

    For a format that `changes` the struct has one field more, the last: the kind of the row.
    """
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = row
    made = codec.encoder(spark, columns)
    return Column(jvm.sluice.spark.Columns.message(made, value._jc))
