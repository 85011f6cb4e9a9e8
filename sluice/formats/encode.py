"""From rows to messages, by an encoder of ours that runs in the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.formats import described
from sluice.formats.settings import as_json, check
from sluice.options.formats import find_format, must_write
from sluice.options.kinds import CLICKHOUSE
from sluice.options.option import SINK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, SparkSession

    from sluice.types import Type


def encoded(
    spark: SparkSession,
    format_: str,
    columns: Sequence[tuple[str, Type]],
    rows: Column,
    settings: Mapping[str, Any] | None = None,
) -> Column:
    """The message that holds the rows of a list, as bytes.

    `rows` is a list of structs with exactly these columns, in this order; `settings` are the
    table's format settings.

    Raises:
        SluiceError: NOT_IMPLEMENTED for a format or a setting that nothing is written by.
    """
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = rows
    return Column(
        jvm.sluice.spark.Columns.encode(encoder(spark, format_, columns, settings), value._jc)
    )


def encoder(
    spark: SparkSession,
    format_: str,
    columns: Sequence[tuple[str, Type]],
    settings: Mapping[str, Any] | None = None,
) -> Any:
    """The Java object that writes messages of a format."""
    found = find_format(format_, CLICKHOUSE)
    must_write(found, CLICKHOUSE)
    check(found.name, settings or {}, SINK)
    jvm: Any = spark._jvm
    known = as_json(settings or {})
    return jvm.sluice.formats.Encoders.of(found.canonical, described.columns(columns), known)
