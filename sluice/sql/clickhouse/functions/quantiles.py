"""Quantiles. NaN counts for none of them; of dates and decimals they are dates and decimals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice.sql.clickhouse.casts import default_of
from sluice.sql.clickhouse.functions import units
from sluice.sql.clickhouse.functions.model import Aggregate, Core, aggregate, fill, same
from sluice.sql.clickhouse.values import DOUBLE, FLOAT, Value
from sluice.sql.core.spark import Sql
from sluice.types import bare
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.types import Type

_RANK = "its rank off by at most 0.01 %"
_LONGEST = 30_000
"""What quantileTiming takes longer times for."""


def nan(type_: Type) -> Sql | None:
    """What an average over no rows is."""
    match bare(type_):
        case m.Float(32):
            return Sql("float('NaN')")
        case m.Float():
            return Sql("double('NaN')")
        case kind:
            return default_of(kind)


def without_nan(value: Value) -> Value:
    """A Float with NULL for NaN."""
    if not value.is_a(m.Float):
        return value
    return Value(Sql("if(isnan(:0), NULL, :0)", value.sql), value.type)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A way to find quantiles: of which numbers, how Spark finds them, and what they become.

    `text` has `{}` for the level or for an array of levels, each of which is written as `level`.
    """

    doc: str
    text: str
    numbers: Callable[[Value], Value]
    result: Callable[[Type], Type]
    final: Callable[[str, Type], str]
    level: str = "{}"

    def one(self) -> Aggregate:
        """The function of one level."""

        def core(args: Sequence[Value], _: Sequence[Value]) -> Core:
            text = self.text.format(self.level.format(":1"))
            return Core((text,), self.final(":0", args[0].kind), [self.numbers(args[0])])

        return aggregate(core, params=(0.5,), returns=self._type, empty=nan, doc=self.doc)

    def several(self) -> Aggregate:
        """The function of several levels, which gives an array."""

        def core(args: Sequence[Value], params: Sequence[Value]) -> Core:
            kind = args[0].kind
            levels = ", ".join(self.level.format(f":{n + 1}") for n in range(len(params)))
            found = f"transform(:0, `_q` -> {self.final('`_q`', kind)})"
            result = self.result(kind)
            default = nan(result) if isinstance(result, m.Float) else self.final("0", kind)
            none = f"transform(array(:*), `_q` -> {default})"
            text = self.text.format(f"array({levels})")
            return Core((text,), f"coalesce({found}, {none})", [self.numbers(args[0])])

        def type_(args: Sequence[Value]) -> Type:
            return m.Array(self._type(args))

        return aggregate(core, rest=True, returns=type_, empty=lambda _: None, doc=self.doc)

    def _type(self, args: Sequence[Value]) -> Type:
        return self.result(args[0].kind)


def _interpolated(value: Value) -> Value:
    return Value(fill("CAST(:0# AS DOUBLE)", [units.counted(without_nan(value))]))


def _digested(value: Value) -> Value:
    text = ":0" if units.has_units(value.kind) else "CAST(:0# AS FLOAT)"
    return Value(fill(text, [units.counted(without_nan(value))]))


def _timed(value: Value) -> Value:
    """A time of at most 30 s; ClickHouse leaves out what is negative or no Int64."""
    time = fill(":0#", [value if value.is_a(m.Decimal) else units.counted(value)])
    text = f"CASE WHEN :0 >= 0 AND :0 < {2.0**63!r}D THEN least(CAST(:0 AS BIGINT), {_LONGEST}) END"
    return Value(Sql(text, time))


def _of_units(number: Type) -> Callable[[Type], Type]:
    """The type itself if it has units, else a number."""
    return lambda kind: kind if units.has_units(kind) else number


_INTERPOLATED = _Kind(
    "exact (ClickHouse estimates)",
    "percentile(:0, {})",
    _interpolated,
    _of_units(DOUBLE),
    units.restored,
)
_DIGEST = _Kind(
    f"a value that occurs, {_RANK}",
    "approx_percentile(:0, {}, 10000)",
    _digested,
    _of_units(FLOAT),
    units.restored,
)
_TIMING = _Kind(
    f"of times up to {_LONGEST} ms, {_RANK}",
    # The value of rank `level * count`, which is counted from 0, and from the largest on here.
    "approx_percentile(-:0, {}, 10000)",
    _timed,
    lambda _: FLOAT,
    lambda text, _: f"CAST(-{text} AS FLOAT)",
    "CAST(1 - CAST({} AS DECIMAL(17,16)) AS DOUBLE)",
)


def _nth(args: Sequence[Value], _: Sequence[Value]) -> Core:
    return Core(("collect_list(:0)",), _NTH, [without_nan(args[0])])


_NTH = "get(array_sort(:0), CAST(least(floor(:1 * size(:0)), size(:0) - 1) AS INT))"
_EXACT = aggregate(_nth, params=(0.5,), returns=same(0), empty=nan)

FUNCTIONS: dict[str, Aggregate] = {
    "quantile": _INTERPOLATED.one(),
    "quantiles": _INTERPOLATED.several(),
    "quantileTDigest": _DIGEST.one(),
    "quantilesTDigest": _DIGEST.several(),
    "quantileTiming": _TIMING.one(),
    "quantilesTiming": _TIMING.several(),
    "quantileExact": _EXACT,
    "medianExact": _EXACT,
}
FUNCTIONS["median"] = FUNCTIONS["quantile"]
