"""Rows of a query as rows of the table they go to: cast, and held to what the table says.

Which types a query may have where is checked before, in the plan; see `plan.fitting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice.pipelines import typed
from sluice.pipelines.jobs.fitting import check
from sluice.pipelines.select import Select
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from sluice.plan.job import Rules
    from sluice.types import Type

_NULL = (
    "Column '{name}' is NOT NULL, however, a null value is being written into it. You can set job "
    "configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop "
    "such records silently."
)
_LENGTH = (
    "Column '{name}' is {type}, however, a string of length {length} is being written into it. You "
    "can set job configuration 'table.exec.sink.type-length-enforcer' to control this behaviour."
)
_MICROSECONDS = 6

DROP = "DROP"


class Enforced:
    """Makes rows of a query into rows of a table; made once, for all batches."""

    def __init__(
        self,
        given: StructType,
        columns: Sequence[tuple[str, str, Type]],
        rules: Rules,
        table: str,
    ) -> None:
        """`columns`: what each is called in the table and in the result, and its type.

        One that is not given is NULL. A number that does not fit, or a NULL where none may be,
        stops the job when it comes.

        Raises:
            SluiceError: BAD_ARGUMENTS for a column that is of another sort.
        """
        check(given, [(name, type_) for name, _, type_ in columns], table)
        self._there = {field.name: field.dataType for field in given.fields}
        self._rules = rules
        needed = [(name, type_) for name, _, type_ in columns if not is_nullable(type_)]
        self._needed = needed if rules.not_null == DROP else []
        self._made = Select([self._column(*column) for column in columns])

    def __call__(self, rows: DataFrame) -> DataFrame:
        """The rows as the table has them."""
        from pyspark.sql import functions as F

        for name, type_ in self._needed:
            there = name in self._there
            rows = rows.where(self._value(name, type_).isNotNull() if there else F.lit(False))
        return self._made(rows)

    def _column(self, name: str, stored: str, type_: Type) -> Column:
        from pyspark.sql import functions as F

        wanted = spark_type(type_)
        value = self._value(name, type_) if name in self._there else F.lit(None).cast(wanted)
        value = _of_length(value, name, bare(type_), self._rules.length)
        if not is_nullable(type_) and self._rules.not_null != DROP:
            text = F.lit(_NULL.format(name=name))
            value = F.coalesce(value, F.raise_error(text).cast(wanted))
        return value.alias(stored, metadata={})

    def _value(self, name: str, type_: Type) -> Column:
        from pyspark.sql import functions as F

        return fitted(F.col(typed.quoted(name)), self._there[name], type_)


def fitted(value: Column, given: Any, type_: Type) -> Column:
    """A value of one of Spark's types as one of a column's, without digits that are too many."""
    from pyspark.sql import functions as F

    plain = bare(type_)
    moment = given.typeName() in ("timestamp", "timestamp_ntz")
    if moment and isinstance(plain, m.TimeOfDay):
        digits = f".{'S' * plain.precision}" if plain.precision else ""
        return F.date_format(value, f"HH:mm:ss{digits}")
    if moment and isinstance(plain, m.LocalDateTime | m.DateTime):
        unit = 10 ** (_MICROSECONDS - (plain.precision or 0))
        if unit > 1:
            micros = F.unix_micros(value.cast("timestamp"))
            value = F.timestamp_micros(micros - F.pmod(micros, F.lit(unit)))
    if isinstance(plain, m.Decimal):
        return value.try_cast(spark_type(type_))  # NULL for too many digits, as Flink's casts
    return value.cast(spark_type(type_))


def _of_length(value: Column, name: str, type_: Type, how: str) -> Column:
    """Text or bytes as long as their type says, if that is to be held to."""
    from pyspark.sql import functions as F

    if how == "IGNORE" or not isinstance(type_, m.Text | m.Bytes) or type_.length is None:
        return value
    wanted = type_.length
    if how == "ERROR":
        parts = _LENGTH.format(name=name, type=summary(type_), length="\0").split("\0")
        text = F.concat(F.lit(parts[0]), F.length(value).cast("string"), F.lit(parts[1]))
        wrong = F.length(value) != wanted if type_.fixed else F.length(value) > wanted
        return F.when(wrong, F.raise_error(text).cast(spark_type(type_))).otherwise(value)
    cut = F.substring(value, 1, wanted)
    if not type_.fixed:
        return cut
    return F.rpad(cut, wanted, F.lit(" " if isinstance(type_, m.Text) else b"\0"))
