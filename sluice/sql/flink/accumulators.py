"""Aggregates over a changelog from what is kept of a group, whatever the number of its rows.

COUNT, SUM and AVG are computed from sums: a row that goes is subtracted. Sums are exact for
integers and DECIMALs. Those of FLOAT and DOUBLE carry the rounding errors of all rows that ever
came and went, as Flink's do. MIN, MAX and COUNT(DISTINCT …) need to know how often each value
occurs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.core.functions import returned
from sluice.sql.core.spark import AND, ATOM, COMPARE, Sql, chain, name
from sluice.sql.flink.values import LONG, Value
from sluice.types import model as m
from sluice.types import spark_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.sql.core.calls import Written
    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.functions.model import Aggregate

COUNTED = "__n"
"""The number of rows of a group."""

_SUM_DIGITS = 28
"""DECIMALs of so many digits have a sum of 38, whatever the number of rows."""

_AVERAGE_DIGITS = 14
"""DECIMALs of so many digits: their quotient by a count has ten digits more than its result."""


_VALUES = (
    m.Int, m.Float, m.Decimal, m.Bool, m.Text, m.String, m.Bytes,
    m.Date, m.DateTime, m.LocalDateTime, m.TimeOfDay,
)  # fmt: skip
"""Types whose values a state store can have in their order."""


def is_incremental(name: str, distinct: bool, args: list[Value]) -> bool:
    """Whether an aggregate can be computed from sums, or from how often values occur."""
    if name in ("MIN", "MAX") or (name == "COUNT" and distinct):
        return args[0].is_a(*_VALUES) and args[0].literal is None
    if distinct:
        return False
    if name == "COUNT":
        return True
    if name not in ("SUM", "AVG"):
        return False
    kind = args[0].kind
    if isinstance(kind, m.Decimal):
        return kind.precision <= (_SUM_DIGITS if name == "SUM" else _AVERAGE_DIGITS)
    return isinstance(kind, m.Int | m.Float)


def inserted(kind: Sql) -> Sql | None:
    """Whether a row comes, by its kind; None if every row does."""
    if str(kind) == INSERTED:
        return None
    return Sql(":0 IN ('+I', '+U')", kind, rank=COMPARE)


INSERTED = "'+I'"
"""The kind of every row of a stream that only appends."""


class Accumulators:
    """The sums and values of one SELECT: what a batch adds, and the aggregates that they give."""

    def __init__(self, kind: Sql, alias: str) -> None:
        """For rows whose kind is that; the sums are columns of `alias`."""
        self._comes = inserted(kind)
        self._alias = alias
        self._names: dict[str, str] = {}
        self._deltas: list[tuple[str, Sql]] = []
        self._columns: dict[str, tuple[str, Sql]] = {}
        self._values: dict[tuple[str, str, str], str] = {}
        self._by_value: set[str] = set()
        weight = Sql("1L", rank=ATOM)
        if self._comes is not None:
            weight = Sql("if(:0, 1L, -1L)", self._comes)
        self._weight = weight
        self._added(Sql("sum(:0)", weight), COUNTED)

    def deltas(self) -> Iterator[tuple[str, Sql]]:
        """The sums, and what a batch adds to each, as aggregates over its rows."""
        yield from self._deltas

    def by_value(self) -> tuple[str, ...]:
        """The sums whose values are in the result; of others it has whether they are zero."""
        return tuple(made for made, _ in self._deltas if made in self._by_value)

    def columns(self) -> list[tuple[str, Sql]]:
        """The columns of values, each with its value in a row."""
        return list(self._columns.values())

    def values(self) -> tuple[tuple[str, str, str, str], ...]:
        """What is wanted of values, see `AccumulateValues`."""
        return tuple((made, *wanted) for wanted, made in self._values.items())

    def value(self, expressions: Expressions, written: Written, function: Aggregate) -> Value:
        """An aggregate, from the sums and values that it needs."""
        replaced, expressions.replaced = expressions.replaced, {}
        try:
            args = [expressions.value(arg) for arg in written.args]
            tests = [expressions.condition(each).atom() for each in written.filters]
        finally:
            expressions.replaced = replaced
        expressions.aggregates = True
        tests += [Sql(":0 IS NOT NULL", arg.sql.atom(), rank=COMPARE) for arg in args]
        type_ = returned(function.returns, args)
        called = written.name.upper()
        counted = self._count(tests)
        if called in ("MIN", "MAX") or (called == "COUNT" and written.distinct):
            return Value(self._of_values(called.lower(), args[0].sql, counted), type_)
        count = self._column(counted)
        if called != "SUM":  # which only asks whether there is a value at all
            self._by_value.add(counted)
        if called == "COUNT":
            return Value(count, LONG)
        (arg,) = args
        tests = tests[:-1]  # a NULL adds nothing
        if called == "SUM":
            return Value(self._sum(arg, tests, count, type_), type_)
        return Value(self._average(arg, tests, count, type_), type_)

    def _column(self, column: str) -> Sql:
        return name(self._alias, column)

    def _added(self, delta: Sql, column: str = "") -> str:
        text = str(delta)
        if text not in self._names:
            self._names[text] = column or f"__s{len(self._deltas)}"
            self._deltas.append((self._names[text], delta))
        return self._names[text]

    def _add(self, delta: Sql) -> Sql:
        """A sum whose value is in the result."""
        added = self._added(delta)
        self._by_value.add(added)
        return self._column(added)

    def _of_values(self, how: str, value: Sql, counted: str) -> Sql:
        """An aggregate of the values that occur; `counted` is the sum of how often each does."""
        column, _ = self._columns.setdefault(str(value), (f"__v{len(self._columns)}", value))
        wanted = (column, counted, how)
        return self._column(self._values.setdefault(wanted, f"__a{len(self._values)}"))

    def _count(self, tests: list[Sql]) -> str:
        """The name of the sum that counts rows."""
        if not tests:
            return COUNTED
        return self._added(Sql("sum(if(:0, :1, 0L))", chain("AND", AND, tests), self._weight))

    def _signed(self, value: Sql, minus: str, tests: list[Sql]) -> Sql:
        """A value, negative if its row is retracted; NULL if it does not count."""
        signed = value
        if self._comes is not None:
            signed = Sql(f"if(:0, :1, {minus})", self._comes, value)
        return Sql("if(:0, :1, NULL)", chain("AND", AND, tests), signed) if tests else signed

    def _sum(self, arg: Value, tests: list[Sql], count: Sql, type_: m.Type) -> Sql:
        kind = arg.kind
        if isinstance(kind, m.Int):
            wide = Sql("CAST(:0 AS BIGINT)", arg.sql)
            total = self._add(Sql("sluice_sum(:0)", self._signed(wide, "sluice_negate(:1)", tests)))
            return Sql(f"sluice_int{kind.bits}(if(:0 = 0, NULL, :1))", count, total)
        total = self._total(arg, tests)
        found = Sql("if(:0 = 0, NULL, :1)", count, total)
        return found if type_ == m.Float(64) else Sql(f"CAST(:0 AS {spark_type(type_)})", found)

    def _total(self, arg: Value, tests: list[Sql]) -> Sql:
        """The sum of an exact type without a limit, or of a DOUBLE."""
        kind = arg.kind
        if isinstance(kind, m.Float):
            wide = Sql("CAST(:0 AS DOUBLE)", arg.sql)
            return self._add(Sql("sum(:0)", self._signed(wide, "- :1", tests)))
        scale = kind.scale if isinstance(kind, m.Decimal) else 0
        value = arg.sql if isinstance(kind, m.Decimal) else Sql("CAST(:0 AS DECIMAL(19))", arg.sql)
        signed = self._signed(value, "- :1", tests)
        return self._add(Sql(f"CAST(sum(:0) AS DECIMAL(38,{scale}))", signed))

    def _average(self, arg: Value, tests: list[Sql], count: Sql, type_: m.Type) -> Sql:
        kind, total = arg.kind, self._total(arg, tests)
        if isinstance(kind, m.Int):
            return Sql(f"sluice_int{kind.bits}(:0 DIV nullif(:1, 0L))", total, count)
        if isinstance(kind, m.Decimal):
            p, s = kind.precision, kind.scale
            total = Sql(f"CAST(:0 AS DECIMAL({p + 10},{s}))", total)
            count = Sql("CAST(:0 AS DECIMAL(20,0))", count)
        found = Sql(":0 / nullif(:1, 0)", total, count)
        if isinstance(kind, m.Decimal):  # rounded as Spark rounds its averages
            found = Sql(f"CAST(:0 AS DECIMAL({p + 4},{s + 4}))", found)
        return found if type_ == m.Float(64) else Sql(f"CAST(:0 AS {spark_type(type_)})", found)
