"""From messages to rows, by a decoder of ours that runs in the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats import described
from sluice.formats.settings import as_json
from sluice.options.formats import SKIP_BYTES, find_format, must_fit, must_read
from sluice.options.kinds import CLICKHOUSE
from sluice.types import is_nullable, spark_type

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pyspark.sql import Column, SparkSession

    from sluice.types import Type

    Columns = Sequence[tuple[str, Type]]


def decoded(
    spark: SparkSession,
    format_: str,
    columns: Columns,
    messages: Column,
    settings: Mapping[str, Any] | None = None,
    wrong: Column | None = None,
    optional: Collection[str] = (),
) -> Column:
    """One row for each that a message holds: a struct of `__error` and the columns.

    A message that is NULL or holds no row gives a NULL. One with something wrong in it gives a
    single row, whose `__error` says what, and whose columns are NULL. `settings` are the table's
    format settings. `wrong` is an error that a message has besides its value, or NULL. Columns
    that are `optional` are NULL where a message omits them, or has NULL for what cannot be NULL;
    one that can be is a struct of its `value`.

    Raises:
        SluiceError: UNKNOWN_FORMAT, NOT_IMPLEMENTED or BAD_ARGUMENTS for a format that cannot fill
            these columns.
    """
    from pyspark.sql import Column
    from pyspark.sql import functions as F

    jvm: Any = spark._jvm
    value: Any = messages
    made = decoder(spark, format_, columns, settings, optional)
    found = Column(jvm.sluice.spark.Columns.decode(made, value._jc, _fields(columns, optional)))
    if wrong is not None:
        nothing = (F.lit(None).cast(spark_type(type_)).alias(name) for name, type_ in columns)
        bad = F.array(F.struct(wrong.alias("__error"), *nothing))
        found = F.when(wrong.isNotNull(), bad).otherwise(found)
    # The outer form, because for the plain one Spark infers a filter that decodes everything twice.
    return F.explode_outer(found)


def decoder(
    spark: SparkSession,
    format_: str,
    columns: Columns,
    settings: Mapping[str, Any] | None = None,
    optional: Collection[str] = (),
) -> Any:
    """The Java object that reads messages of a format."""
    found = find_format(format_, CLICKHOUSE)
    must_read(found, CLICKHOUSE)
    must_fit(found, columns)
    given = settings or {}
    jvm: Any = spark._jvm
    told = described.columns(columns, optional=optional)
    made = jvm.sluice.formats.Decoders.of(found.canonical, told, as_json(given))
    skipped = given.get(SKIP_BYTES, 0)
    return jvm.sluice.decode.SkippingDecoder(made, skipped, len(columns)) if skipped else made


def _fields(columns: Columns, optional: Collection[str]) -> str:
    fields = ["__error STRING"]
    for name, type_ in columns:
        wrapped = name in optional and is_nullable(type_)
        held = f"STRUCT<value: {spark_type(type_)}>" if wrapped else spark_type(type_)
        fields.append("`" + name.replace("`", "``") + f"` {held}")
    return ", ".join(fields)
