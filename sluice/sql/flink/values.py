"""A lowered expression: its Spark SQL and what is known of its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice.sql.core import values as core
from sluice.sql.core.spark import ATOM, Sql, forbidden, part
from sluice.sql.core.spark import string as quoted
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.operands import check_mixed
from sluice.types import Type, bare, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.sql.flink.times import Time

BOOL = m.Bool()
INT = m.Int(32)
LONG = m.Int(64)
DOUBLE = m.Float(64)
STRING = m.String()
DATE = m.Date(wide=True)
TIMESTAMP = m.LocalDateTime(3)
INSTANT = m.DateTime(3)
BYTES = m.Bytes()
TEXTS = (m.String, m.Text, m.FixedString, m.Enum, m.Uuid)
MOMENTS = (m.LocalDateTime, m.DateTime)
_LONGEST = 200
"""Letters of an expression that an error shows."""


@dataclass(frozen=True, slots=True)
class Value(core.Value):
    """`time` is that of a column with a time attribute."""

    time: Time | None = None

    def text(self, depth: int = 0) -> Sql:
        """As text, the way Flink's CAST to STRING writes it; `depth` is that of nesting.

        TRUE is in capitals, a moment has all digits of its type; of a time of day the last digits
        are left out if they are 0. An ARRAY is `[1, 2]`, a MAP `{a=1}`, a ROW `(1, a)`.
        """
        kind = self.kind
        if isinstance(kind, m.Array | m.Map | m.Multiset | m.Tuple):
            return _nested_text(self.sql, kind, depth)
        if isinstance(kind, m.TimeOfDay) and kind.precision:
            return Sql("trim(TRAILING '.' FROM trim(TRAILING '0' FROM :0))", self.sql)
        if self.is_a(*TEXTS, m.TimeOfDay):
            return self.sql
        if isinstance(kind, m.Bool):
            return Sql("upper(CAST(:0 AS STRING))", self.sql)
        if isinstance(kind, m.LocalDateTime | m.DateTime):
            digits = "S" * (kind.precision or 0)
            pattern = f"yyyy-MM-dd HH:mm:ss{'.' if digits else ''}{digits}"
            return Sql("date_format(:0, :1)", self.sql, quoted(pattern))
        return Sql("CAST(:0 AS STRING)", self.sql)


def _nested_text(sql: Sql, kind: Type, depth: int) -> Sql:
    """What holds other values, as text; NULL in it is written out."""
    item = Sql(f"`_t{depth}`", rank=ATOM)

    def inner(value: Sql, type_: Type) -> Sql:
        return Sql("coalesce(:0, 'NULL')", Value(value, type_).text(depth + 1))

    if isinstance(kind, m.Tuple):
        fields = [inner(part(sql, field), type_) for field, type_ in kind.struct]
        text = "if(:0 IS NULL, NULL, concat('(', concat_ws(', ', :*), ')'))"
        return Sql(text, sql, *fields)
    if isinstance(kind, m.Array):
        text = f"concat('[', array_join(transform(:0, {item} -> :1), ', '), ']')"
        return Sql(text, sql, inner(item, kind.item))
    pair = (kind.key, kind.value) if isinstance(kind, m.Map) else (kind.item, INT)  # type: ignore[attr-defined]
    key, value = (
        inner(part(item, field), type_) for field, type_ in zip(("key", "value"), pair, strict=True)
    )
    each = f"{item} -> concat(:1, '=', :2)"
    text = f"concat('{{', array_join(transform(map_entries(:0), {each}), ', '), '}}')"
    return Sql(text, sql, key, value)


def literal(value: Any) -> Value:
    """A constant."""
    if isinstance(value, bool):
        return Value(Sql("true" if value else "false", rank=ATOM), BOOL, value)
    if isinstance(value, int):
        type_: Type = INT if value < 1 << 31 else LONG if value < 1 << 63 else m.Decimal(38, 0)
        return Value(Sql(str(value), rank=ATOM), type_, value)
    return Value(quoted(value), STRING, value)


def whole(value: Value) -> Sql:
    """A count or a position as INT, which is what Spark's functions take."""
    kind = value.kind
    fits = isinstance(kind, m.Int) and kind.bits <= 32
    return value.sql if fits else Sql("CAST(:0 AS INT)", value.sql)


def cast_sql(sql: Sql, type_: Type, function: str = "CAST") -> Sql:
    """CAST (or try_cast) to the Spark type of a Sluice type."""
    target = spark_type(type_)
    if "${" in target or ":*" in target:
        raise forbidden(target)
    return Sql(f"{function}(:0 AS :1)", sql, Sql(target, rank=ATOM))


def wrapped(sql: Sql, type_: m.Int) -> Sql:
    """A number or a text as an integer; the digits that do not fit are cut off, as Java does.

    A text that is no number gives NULL.
    """
    return Sql(f"sluice_int{type_.bits}(:0)", sql)


def quotient(left: Sql, right: Sql, type_: m.Int, written: exp.Expr) -> Sql:
    """Integers divided, and cut off; a divisor of 0 is an error that names the expression."""
    return wrapped(Sql("sluice_divide(:0, :1, :2)", left, right, as_written(written)), type_)


def remainder(left: Sql, right: Sql, type_: m.Int, written: exp.Expr) -> Sql:
    """What is left over of a division."""
    return wrapped(Sql("sluice_modulo(:0, :1, :2)", left, right, as_written(written)), type_)


def as_written(node: exp.Expr) -> Sql:
    """The text of an expression, for errors at run time.

    It is the same however tables and functions are spelled: GROUP BY must find it again.
    """
    return quoted(node.transform(_plain).sql(comments=False)[:_LONGEST])


def _plain(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Column):
        return exp.column(node.name)
    if isinstance(node, exp.Anonymous):
        node.set("this", node.name.upper())
    return node


def common(values: Sequence[Value], what: str) -> Type:
    """The type of CASE, COALESCE and their like, which `what` names.

    Raises:
        SluiceError: MIXED_TYPES for types that do not go together.
    """
    check_mixed(values, what)
    kinds = [value.kind for value in values if not value.is_a(m.Nothing)]
    if not kinds or any(kind == UNKNOWN for kind in kinds):
        return UNKNOWN
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    if all(isinstance(kind, TEXTS) for kind in kinds):
        return STRING
    found = kinds[0]
    for kind in kinds[1:]:
        found = numeric(found, kind)
    return found


def numeric(left: Type, right: Type) -> Type:
    """What two numbers make; UNKNOWN if one is no number, or only Spark can tell."""
    kinds = (bare(left), bare(right))
    if any(not isinstance(kind, m.Int | m.Float | m.Decimal) for kind in kinds):
        return UNKNOWN
    if any(isinstance(kind, m.Float) for kind in kinds):
        both = all(isinstance(kind, m.Float) and kind.bits == 32 for kind in kinds)
        return m.Float(32) if both else DOUBLE
    if all(isinstance(kind, m.Int) for kind in kinds):
        return max(kinds, key=lambda kind: kind.bits)  # type: ignore[attr-defined]
    digits = [digits_of(kind) for kind in kinds]
    scale = max(kind.scale for kind in digits)
    whole = max(kind.precision - kind.scale for kind in digits)
    return m.Decimal(min(whole + scale, 38), scale)


def calculated(operator: str, left: Type, right: Type) -> Type:
    """The type of `left operator right`; the digits of a DECIMAL are Flink's."""
    plain = numeric(left, right)
    return _fitted(*_digits(operator, left, right)) if isinstance(plain, m.Decimal) else plain


def overflows(operator: str, left: Type, right: Type) -> bool:
    """Whether `left operator right` is a DECIMAL that may need more than 38 digits."""
    if operator == "%" or not isinstance(numeric(left, right), m.Decimal):
        return False
    precision, scale = _digits(operator, left, right)
    fitted = _fitted(precision, scale)
    return precision - scale > fitted.precision - fitted.scale


def cast_overflows(given: Type, wanted: m.Decimal) -> bool:
    """Whether a number of one type may have too many digits for a DECIMAL."""
    kind = bare(given)
    if not isinstance(kind, m.Int | m.Decimal):
        return isinstance(kind, m.Float | m.Bool)
    digits = digits_of(kind)
    carried = digits.scale > wanted.scale  # 9.99 is 10.0 with one digit of its fraction
    return digits.precision - digits.scale + carried > wanted.precision - wanted.scale


def _digits(operator: str, left: Type, right: Type) -> tuple[int, int]:
    """The precision and the scale that hold every result, without a limit."""
    a, b = digits_of(bare(left)), digits_of(bare(right))
    scale = max(a.scale, b.scale)
    if operator == "*":
        return a.precision + b.precision + 1, a.scale + b.scale
    if operator == "/":
        scale = max(6, a.scale + b.precision + 1)
        return a.precision - a.scale + b.scale + scale, scale
    whole = (a.precision - a.scale, b.precision - b.scale)
    if operator == "%":
        return min(whole) + scale, scale
    return max(whole) + scale + 1, scale


def _fitted(precision: int, scale: int) -> m.Decimal:
    """With 38 digits at most; the fraction gives way first, down to 6 digits."""
    if precision <= 38:
        return m.Decimal(max(precision, 1), scale)
    return m.Decimal(38, max(38 - (precision - scale), min(scale, 6)))


def digits_of(kind: Type) -> m.Decimal:
    """The DECIMAL that holds every value of an exact type."""
    if isinstance(kind, m.Decimal):
        return kind
    widest = kind.high if isinstance(kind, m.Int) else m.Int(64).high
    return m.Decimal(len(str(widest)), 0)
