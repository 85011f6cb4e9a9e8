"""JSONEachRow: a message holds one or more JSON objects, each a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.formats import split_json, values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from sluice.types import Type

    Columns = Sequence[tuple[str, Type]]

_OPTIONS = {"allowNumericLeadingZeros": "true", "columnNameOfCorruptRecord": "corrupt"}
_SHOWN = 200
"""How much of a bad message or value an error shows."""


def decode(messages: DataFrame, columns: Columns, *, whole: bool) -> DataFrame:
    """Replace `__value` by the columns and `__error`, one row for each object of a message.

    Messages that are NULL or blank give no row. `__error` is NULL for a good row, else it says what
    is wrong. With `whole`, every row of a message with a wrong one has its error: that costs
    messages with several objects a second look, and is needed only where errors do not stop the
    batch.
    """
    from pyspark.sql import functions as F

    kept = [F.col(c) for c in messages.columns if c != "__value"]
    text = messages.select(*kept, F.col("__value").cast("string").alias("__text"))
    json = _parse(split_json.wrapped(F.col("__text")), columns)
    # Both fields are sure to be needed, so Spark parses once for the two.
    read = text.select(*kept, json["corrupt"].alias("__corrupt"), json["r"].alias("__read"))
    rows = read.select(*kept, "__corrupt", _rows(columns).alias("__rows"))
    first_error = _first_error(columns) if whole else F.lit(None).cast("string")
    # The outer form, because for the plain one Spark infers a filter that parses everything twice.
    exploded = rows.select(
        *kept,
        "__corrupt",
        first_error.alias("__message_error"),
        F.posexplode_outer("__rows").alias("__at", "__row"),
    ).where(F.col("__at").isNotNull())
    return exploded.select(*kept, *_outputs(columns))


def _rows(columns: Columns) -> Column:
    """The list of rows; for a message that cannot be read, a list with one NULL."""
    from pyspark.sql import functions as F

    again = _parse(split_json.wrapped(split_json.joined(_corrupt_text())), columns)
    sound = again["corrupt"].isNull() & split_json.intact(again["r"])
    good = F.when(sound, F.get(again["r"], F.lit(0)))
    refused = F.array(F.lit(None).cast(f"STRUCT<{_schema(columns)}>"))
    read = F.when(~split_json.intact(F.col("__read")), refused).otherwise(F.get("__read", F.lit(0)))
    return F.when(F.col("__corrupt").isNull(), read).otherwise(F.coalesce(good, refused))


def _corrupt_text() -> Column:
    """The message that could not be read; `__corrupt` holds it, wrapped."""
    from pyspark.sql import functions as F

    return F.regexp_extract("__corrupt", split_json.WRAPPED, 1)


def _parse(text: Column, columns: Columns) -> Column:
    from pyspark.sql import functions as F

    schema = f"r ARRAY<ARRAY<STRUCT<{_schema(columns)}>>>, corrupt STRING"
    return F.from_json(text, schema, _OPTIONS)


def _schema(columns: Columns) -> str:
    names = ("`" + name.replace("`", "``") + "`" for name, _ in columns)
    return ", ".join(
        f"{name}: {values.raw_type(type_)}" for name, (_, type_) in zip(names, columns, strict=True)
    )


def _outputs(columns: Columns) -> list[Column]:
    """`__error` and the columns, in one projection that converts each field once.

    Spark shares a subexpression only if it is sure to be needed twice. Each conversion stands in
    its column and in the count of wrong ones, so it is, and the texts of `_error` get it for
    nothing. The number of the partition keeps Spark from moving a check of `__error` below this
    projection, where it would convert everything again.
    """
    from pyspark.sql import functions as F

    row = F.col("__row")
    converted = [values.convert(row[name], type_) for name, type_ in columns]
    some_wrong = row.isNull().cast("int")
    for read, (name, type_) in zip(converted, columns, strict=True):
        check = values.wrong(row[name], read, type_)
        if check is not None:
            some_wrong = some_wrong + check.cast("int")
    said = F.when(some_wrong > 0, _error(row, converted, columns))
    pinned = F.when(F.spark_partition_id() >= 0, F.coalesce("__message_error", said))
    filled = [values.filled(read, t) for read, (_, t) in zip(converted, columns, strict=True)]
    return [
        pinned.alias("__error"),
        *(read.alias(name) for read, (name, _) in zip(filled, columns, strict=True)),
    ]


def _error(row: Column, converted: Sequence[Column], columns: Columns) -> Column:
    from pyspark.sql import functions as F

    said = F.when(row.isNull(), _unreadable())
    for read, (name, type_) in zip(converted, columns, strict=True):
        raw = row[name]
        check = values.wrong(raw, read, type_)
        if check is not None:
            shown = F.substring(raw.cast("string"), 1, _SHOWN)
            place = F.lit(f"' as {type_} (while reading the value of key {name})")
            said = said.when(check, F.concat(F.lit("Cannot parse '"), shown, place))
    return said


def _unreadable() -> Column:
    """What is said of a message that is no JSON, or has a list, map or number of the wrong kind."""
    from pyspark.sql import functions as F

    text = F.ltrim(_corrupt_text())
    opens = text.startswith("{") | text.startswith("[")
    broken = F.lit("a broken JSON object, or a value of the wrong kind, in")
    why = F.when(opens, broken).otherwise(F.lit("expected '{' before"))
    shown = F.concat(why, F.lit(": '"), F.substring(text, 1, _SHOWN), F.lit("'"))
    brackets = F.lit("more brackets are closed than were opened")
    return F.concat(F.lit("Cannot parse input: "), F.coalesce(shown, brackets))


def _first_error(columns: Columns) -> Column:
    """The first error among the rows of a message that has several."""
    from pyspark.sql import functions as F

    def check(row: Column) -> Column:
        return _error(row, [values.convert(row[name], type_) for name, type_ in columns], columns)

    found = F.filter(F.transform("__rows", check), lambda said: said.isNotNull())
    return F.when(F.size("__rows") > 1, F.get(found, F.lit(0)))
