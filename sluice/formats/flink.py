"""Flink's formats: messages to rows and rows to messages, by our Java inside Spark's own code.

A row that is read is a struct of `__error` and the fields. A message with something wrong in it
gives one row, whose `__error` says what, and whose fields are NULL; with `ignore-parse-errors` the
smallest part that is wrong is NULL instead, and what is no record at all gives no row.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from sluice import errors
from sluice.formats import described, flink_columns
from sluice.options.formats import find_format, must_read, must_write
from sluice.options.kinds import FLINK
from sluice.options.secret import Secret
from sluice.types import model as m
from sluice.types import spark_type
from sluice.types.flink import quote, summary, write_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import Column, SparkSession

    from sluice.errors import Place

    Columns = Sequence[tuple[str, m.Type]]
    Rule = Callable[..., str]


class Half(Protocol):
    """A format and its options, as `plan.spec.RowFormat` has them."""

    @property
    def name(self) -> str:
        """The format."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Its options by their short names, with the defaults."""


def decoded_rows(spark: SparkSession, half: Half, columns: Columns, message: Column) -> Column:
    """The rows of a message, as an array of structs; NULL or empty where it holds none."""
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = message
    made = decoder(spark, half, columns)
    return Column(jvm.sluice.spark.Columns.decode(made, value._jc, _fields(columns)))


def decoded_row(spark: SparkSession, half: Half, columns: Columns, message: Column) -> Column:
    """The one row of a message, as a struct; NULL where it holds none, an error for several.

    Spark runs it once for each message, wherever the struct's fields are used.
    """
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = message
    made = decoder(spark, half, columns)
    return Column(jvm.sluice.spark.Columns.row(made, value._jc, _fields(columns)))


def encoded(spark: SparkSession, half: Half, columns: Columns, row: Column) -> Column:
    """The message of a struct with exactly these columns, as bytes; NULL for a NULL struct."""
    from pyspark.sql import Column

    jvm: Any = spark._jvm
    value: Any = row
    return Column(jvm.sluice.spark.Columns.message(encoder(spark, half, columns), value._jc))


def decoder(spark: SparkSession, half: Half, columns: Columns) -> Any:
    """The Java object that reads messages of a format.

    Raises:
        SluiceError: NOT_IMPLEMENTED, or BAD_ARGUMENTS for columns that the format cannot fill.
    """
    must_read(find_format(half.name, FLINK), FLINK)
    must_fit(half.name, columns, half.options)
    jvm: Any = spark._jvm
    options = _options(half)
    return jvm.sluice.formats.Decoders.flink(
        half.name, described.columns(columns, summary), options
    )


def encoder(spark: SparkSession, half: Half, columns: Columns) -> Any:
    """The Java object that writes messages of a format.

    Raises:
        SluiceError: NOT_IMPLEMENTED, or BAD_ARGUMENTS for columns that the format cannot write.
    """
    must_write(find_format(half.name, FLINK), FLINK)
    must_fit(half.name, columns, half.options, writes=True)
    jvm: Any = spark._jvm
    options = _options(half)
    return jvm.sluice.formats.Encoders.flink(
        half.name, described.columns(columns, summary), options
    )


def _options(half: Half) -> str:
    """As our Java reads them: it needs a registry's password as it is, and shows it nowhere."""
    plain = {k: v.reveal() if isinstance(v, Secret) else v for k, v in half.options.items()}
    return json.dumps(plain)


def must_fit(
    format_: str,
    columns: Columns,
    options: Mapping[str, Any],
    place: Place | None = None,
    *,
    writes: bool = False,
) -> None:
    """Make sure that a format with these options has these columns, to read or to write.

    Raises:
        SluiceError: BAD_ARGUMENTS, in Flink's words.
    """
    rule = _RULES.get(format_)
    reason = rule(columns, options, writes=writes) if rule is not None else ""
    if reason:
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)


def _fields(columns: Columns) -> str:
    return ", ".join(["__error STRING", *(f"{quote(n)} {spark_type(t)}" for n, t in columns)])


def nested(type_: m.Type) -> Iterator[m.Type]:
    """A type and all that are inside it, without Nullable around them."""
    yield m.bare(type_)
    for each in flink_columns.inside(type_):
        yield from nested(each)


_RAW = (m.String, m.Text, m.Bytes, m.Bool, m.Int, m.Float)


def _raw(columns: Columns, _: Mapping[str, Any], *, writes: bool) -> str:
    if len(columns) != 1:
        fields = ", ".join(f"{quote(name)} {write_type(type_)}" for name, type_ in columns)
        return (
            "The 'raw' format only supports single physical column. However the defined schema "
            f"contains multiple physical columns: [{fields}]"
        )
    type_ = m.bare(columns[0][1])
    if not isinstance(type_, _RAW):
        return f"The 'raw' format doesn't supports '{summary(type_)}' as column type."
    return ""


def _json(columns: Columns, options: Mapping[str, Any], *, writes: bool) -> str:
    for _, column in columns:
        for type_ in nested(column):
            if isinstance(type_, m.Map | m.Multiset):
                key = type_.key if isinstance(type_, m.Map) else type_.item
                if not isinstance(m.bare(key), m.String | m.Text):
                    return (
                        "JSON format doesn't support non-string as key type of map. "
                        f"The type is: {summary(type_)}"
                    )
    return ""


_RULES: dict[str, Rule] = {
    "raw": _raw,
    "json": _json,
    "csv": flink_columns.csv,
    "avro": flink_columns.avro,
    "avro-confluent": flink_columns.avro,
}
"""What a format asks of columns, by its options, to read or to write: why they do not fit."""
