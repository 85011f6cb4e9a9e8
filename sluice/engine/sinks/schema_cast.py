"""Rows of a query as rows of their target: cast, with the table's constraints enforced.

Which types a query may have where is checked before, in the plan; see `planner.fitting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as T

from sluice.engine import row_kinds
from sluice.engine.spark import typed
from sluice.engine.spark.projection import Select
from sluice.planner.fitting import mismatch
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame

    from sluice.planner.spec import Rules, SinkSpec
    from sluice.types import Type

    Cast = Callable[[DataFrame], DataFrame]

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


def casting(
    given: T.StructType,
    columns: Sequence[tuple[str, str, Type]],
    into: SinkSpec,
    hidden: Sequence[Column] = (),
    keys: Sequence[str] = (),
) -> Cast:
    """What casts rows like these to columns of a sink, by the rules of its dialect.

    Columns have a name, what they are to be called, and a type. `hidden` are added to them. In a
    changelog for a table with these `keys` a deleted row may have NULL in every other column.

    Raises:
        SluiceError: SINK_SCHEMA_MISMATCH or CANNOT_CONVERT_STATE.
    """
    if into.rules is None:
        return Select([*typed.fitted(given, columns), *hidden])
    return Enforced(given, columns, into.rules, into.table.full_name, hidden, keys)


class Enforced:
    """Casts the rows of a query to the columns of a table; created once, used for every batch."""

    def __init__(
        self,
        given: T.StructType,
        columns: Sequence[tuple[str, str, Type]],
        rules: Rules,
        table: str,
        hidden: Sequence[Column] = (),
        keys: Sequence[str] = (),
    ) -> None:
        """`columns`: what each is called in the table and in the result, and its type.

        One that is not given is NULL. A number that does not fit, or a NULL where none may be,
        stops the job when it comes.

        Raises:
            SluiceError: SINK_SCHEMA_MISMATCH.
        """
        _check(given, [(name, type_) for name, _, type_ in columns], table)
        self._there = {field.name: field.dataType for field in given.fields}
        self._rules = rules
        self._keys = keys
        needed = [(name, type_) for name, _, type_ in columns if not is_nullable(type_)]
        self._needed = needed if rules.not_null == DROP else []
        self._made = Select([*(self._column(*column) for column in columns), *hidden])

    def __call__(self, rows: DataFrame) -> DataFrame:
        """The rows as the table has them."""
        for name, type_ in self._needed:
            there = name in self._there
            filled = self._value(name, type_).isNotNull() if there else F.lit(False)
            exempt = self._exempt(name)
            rows = rows.where(filled if exempt is None else filled | exempt)
        return self._made(rows)

    def _column(self, name: str, stored: str, type_: Type) -> Column:
        wanted = spark_type(type_)
        value = self._value(name, type_) if name in self._there else F.lit(None).cast(wanted)
        value = _of_length(value, name, bare(type_), self._rules.length)
        if not is_nullable(type_) and self._rules.not_null != DROP:
            text = F.lit(_NULL.format(name=name))
            missing = F.raise_error(text).cast(wanted)
            exempt = self._exempt(name)
            if exempt is not None:
                missing = F.when(~exempt, missing)
            value = F.coalesce(value, missing)
        return value.alias(stored, metadata={})

    def _exempt(self, name: str) -> Column | None:
        """Which rows of a changelog need not have a value: deletes, and those that keep it."""
        if not self._keys or name in self._keys:
            return None
        gone = ~row_kinds.is_put()
        if row_kinds.UNCHANGED not in self._there:
            return gone
        kept = F.array_contains(F.col(row_kinds.UNCHANGED), name)
        return gone | F.coalesce(kept, F.lit(False))

    def _value(self, name: str, type_: Type) -> Column:
        return fitted(typed.column(name), self._there[name], type_)


def fitted(value: Column, given: Any, type_: Type) -> Column:
    """A Spark value cast to a column's type; excess fractional seconds are truncated."""
    plain = bare(type_)
    is_time = given.typeName() in ("timestamp", "timestamp_ntz")
    if is_time and isinstance(plain, m.TimeOfDay):
        digits = f".{'S' * plain.precision}" if plain.precision else ""
        return F.date_format(value, f"HH:mm:ss{digits}")
    if is_time and isinstance(plain, m.LocalDateTime | m.DateTime):
        unit = 10 ** (_MICROSECONDS - (plain.precision or 0))
        if unit > 1:
            micros = F.unix_micros(value.cast("timestamp"))
            value = F.timestamp_micros(micros - F.pmod(micros, F.lit(unit)))
    if isinstance(plain, m.Decimal):
        return value.try_cast(spark_type(type_))  # NULL for too many digits, as Flink's casts
    return value.cast(spark_type(type_))


def _of_length(value: Column, name: str, type_: Type, how: str) -> Column:
    """Text or bytes of the length of their type, if that is enforced."""
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


def _check(given: T.StructType, columns: Sequence[tuple[str, Type]], table: str) -> None:
    """Whether rows can become rows of these columns.

    Raises:
        SluiceError: SINK_SCHEMA_MISMATCH.
    """
    sorts = {field.name: field.dataType for field in given.fields}
    for at, (name, type_) in enumerate(columns):
        if name in sorts and not _casts(sorts[name], T.DataType.fromDDL(spark_type(type_))):
            query = ", ".join(f"{n}: {sort.simpleString()}" for n, sort in sorts.items())
            sink = ", ".join(f"{n}: {summary(each)}" for n, each in columns)
            raise mismatch(query, sink, table, name, at)


def _casts(given: T.DataType, wanted: T.DataType) -> bool:
    """Whether values of one type are taken for another without being asked to."""
    if isinstance(given, T.NullType):
        return True
    match wanted:
        case T.ArrayType():
            return isinstance(given, T.ArrayType) and _casts(given.elementType, wanted.elementType)
        case T.MapType():
            return (
                isinstance(given, T.MapType)
                and _casts(given.keyType, wanted.keyType)
                and _casts(given.valueType, wanted.valueType)
            )
        case T.StructType():
            return (
                isinstance(given, T.StructType)
                and len(given) == len(wanted)
                and all(
                    _casts(a.dataType, b.dataType)
                    for a, b in zip(given.fields, wanted.fields, strict=True)
                )
            )
        case T.NumericType():
            return isinstance(given, T.NumericType)
        case T.TimestampType() | T.TimestampNTZType():
            return isinstance(given, T.TimestampType | T.TimestampNTZType)
        case T.StringType() if isinstance(given, T.TimestampNTZType):
            return True  # a time of day
        case T.DateType():
            return isinstance(given, T.DateType | T.TimestampType | T.TimestampNTZType)
        case _:
            return type(given) is type(wanted)
