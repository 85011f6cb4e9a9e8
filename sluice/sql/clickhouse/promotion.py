"""ClickHouse's rules for the types of results: number promotion and common types.

Types are given without Nullable and LowCardinality (`Value.kind`), but for `supertype`; `derived`
puts those two back around a result. None stands for a combination that has no type.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from sluice.sql.clickhouse.values import BYTE, DOUBLE, FLOAT
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type, bare, is_nullable
from sluice.types import model as m
from sluice.types.encoded import IPv4, IPv6, WideInt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sluice.sql.clickhouse.values import Value

NOTHING = m.Nullable(m.Nothing())
"""The type of a NULL that is written out."""

_COMPOSITE = (m.Array, m.Map, m.Tuple, m.AggregateState)
_IN_DICTIONARY = (
    m.Int, m.Float, m.String, m.FixedString, m.Date, m.Uuid, IPv4, IPv6, WideInt,
)  # fmt: skip
"""What LowCardinality may hold; of the DateTimes only those without a fraction."""


def smallest(value: int) -> Type:
    """The type of an integer that is written out."""
    signed = value < 0
    for bits in (8, 16, 32, 64):
        type_ = m.Int(bits, signed=signed)
        if type_.low <= value <= type_.high:
            return type_
    return DOUBLE


def _number(kind: Type) -> Type:
    """A Bool counts as a UInt8."""
    return BYTE if isinstance(kind, m.Bool) else kind


def _wider(bits: int) -> int:
    return min(bits * 2, 64)


def added(left: Type, right: Type) -> Type | None:
    """The type of a sum."""
    return _arithmetic(left, right, scale=max)


def subtracted(left: Type, right: Type) -> Type | None:
    """The type of a difference: signed."""
    found = _arithmetic(left, right, scale=max)
    return m.Int(found.bits) if isinstance(found, m.Int) else found


def multiplied(left: Type, right: Type) -> Type | None:
    """The type of a product."""
    return _arithmetic(left, right, scale=lambda scales: sum(scales))


def divided(left: Type, right: Type) -> Type | None:
    """The type of a quotient: Float64, or a Decimal with the dividend's scale."""
    left, right = _number(left), _number(right)
    if isinstance(left, m.Decimal) and isinstance(right, m.Decimal | m.Int):
        precision = _precision(left, right)
        return m.Decimal(precision, left.scale)
    if isinstance(left, m.Int) and isinstance(right, m.Decimal):
        return right
    return DOUBLE if _numeric(left, right) else None


def int_divided(left: Type, right: Type) -> Type | None:
    """The type of a whole quotient: as large as the dividend."""
    left, right = _number(left), _number(right)
    if isinstance(left, m.Int) and isinstance(right, m.Int):
        return m.Int(left.bits, signed=left.signed or right.signed)
    if not _numeric(left, right):
        return None
    if isinstance(left, m.Decimal):
        return m.Int(32 if left.precision <= 9 else 64)
    return m.Int(left.bits) if isinstance(left, m.Int | m.Float) else None


def remainder(left: Type, right: Type) -> Type | None:
    """The type of a remainder: as large as the divisor, one size more for a signed dividend.

    A Date or a DateTime has that of the divisor.
    """
    left, right = _number(left), _number(right)
    if left in (m.Date(), m.DateTime(None, getattr(left, "zone", None))):
        return right if isinstance(right, m.Int) else None
    if isinstance(left, m.Int) and isinstance(right, m.Int):
        bits = _wider(right.bits) if left.signed else right.bits
        return m.Int(bits, signed=left.signed)
    found = _arithmetic(left, right, scale=max)
    return DOUBLE if isinstance(found, m.Float) else found


def negated(kind: Type) -> Type:
    """The type of a number with the other sign."""
    kind = _number(kind)
    if isinstance(kind, m.Int):
        return kind if kind.signed else m.Int(_wider(kind.bits))
    return kind


def absolute(kind: Type) -> Type:
    """The type of a number without its sign."""
    kind = _number(kind)
    return m.Int(kind.bits, signed=False) if isinstance(kind, m.Int) else kind


def bitwise(left: Type, right: Type) -> Type | None:
    """The type of `bitAnd` and its like."""
    left, right = _number(left), _number(right)
    if isinstance(left, m.Int) and isinstance(right, m.Int):
        return m.Int(max(left.bits, right.bits), signed=left.signed or right.signed)
    return None


def own_number(kind: Type) -> Type:
    """A Bool counts as a UInt8 and an Enum as its number."""
    return m.Int(kind.bits) if isinstance(kind, m.Enum) else _number(kind)


def summed(kind: Type) -> Type | None:
    """The type of a sum over rows: the largest of its family."""
    kind = own_number(kind)
    if isinstance(kind, m.Int):
        return m.Int(64, signed=kind.signed)
    if isinstance(kind, m.Decimal):
        return m.Decimal(38, kind.scale)
    return DOUBLE if isinstance(kind, m.Float) else None


def _numeric(*kinds: Type) -> bool:
    return all(isinstance(kind, m.Int | m.Float | m.Decimal) for kind in kinds)


def _arithmetic(left: Type, right: Type, scale: Callable[[list[int]], int]) -> Type | None:
    left, right = _number(left), _number(right)
    if not _numeric(left, right):
        return None
    if isinstance(left, m.Int) and isinstance(right, m.Int):
        bits = _wider(max(left.bits, right.bits))
        return m.Int(bits, signed=left.signed or right.signed)
    if isinstance(left, m.Float) or isinstance(right, m.Float):
        return FLOAT if max(map(_bits, (left, right))) == 16 else DOUBLE
    decimals = [kind for kind in (left, right) if isinstance(kind, m.Decimal)]
    return m.Decimal(_precision(left, right), scale([kind.scale for kind in decimals]))


def _bits(kind: Type) -> int:
    return kind.bits if isinstance(kind, m.Int | m.Float) else 64


def _precision(*kinds: Type) -> int:
    """The digits of the smallest ClickHouse Decimal that holds them all."""
    most = max(kind.precision for kind in kinds if isinstance(kind, m.Decimal))
    return next((size for size in (9, 18, 38) if most <= size), most)


def supertype(types: Iterable[Type]) -> Type | None:
    """The type that holds the values of all; Nullable if one of them is."""
    given = list(dict.fromkeys(types))
    known = [type_ for type_ in given if type_ != NOTHING]
    if len(given) == 1:
        return given[0]
    null = any(map(is_nullable, given))
    if not known:
        return NOTHING
    found = reduce(_common, map(bare, known[1:]), bare(known[0]))  # type: ignore[arg-type]
    if found is None:
        return None
    return nullable(found) if null else found


def _common(left: Type | None, right: Type) -> Type | None:
    """The type that holds the values of two; both are bare."""
    if left is None or left == right or {left, right} == {BYTE, m.Bool()}:
        return left  # a Bool is a UInt8 of another name: the first one stays
    for one, other in ((left, right), (right, left)):
        match one, other:
            case m.Nothing(), _:
                return other
            case m.Bool(), m.Int() | m.Float() | m.Decimal():
                return _common(BYTE, other)
            case m.Float(), m.Int() | m.Decimal():
                if _bits(other) > 16:
                    return DOUBLE
                return FLOAT if _bits(other) == one.bits else one
            case m.Decimal(), m.Int():
                return m.Decimal(_precision(one), one.scale)
            case m.String(), m.FixedString() | m.Enum() | m.Uuid():
                return one
            case m.Date(), m.DateTime():
                return other
            case _:
                pass
    match left, right:
        case m.Int(), m.Int():
            return _whole(left, right)
        case m.Float(), m.Float():
            return max(left, right, key=lambda kind: kind.bits)
        case m.Decimal(), m.Decimal():
            return m.Decimal(_precision(left, right), max(left.scale, right.scale))
        case m.FixedString(), m.FixedString():
            return m.String()
        case m.Date(), m.Date():
            return m.Date(wide=True)
        case m.DateTime(), m.DateTime():
            precisions = [p for p in (left.precision, right.precision) if p is not None]
            precision = max(precisions, default=None)
            return m.DateTime(precision, left.zone or right.zone)
        case m.Array(one), m.Array(other):
            inner = supertype([one, other])
            return m.Array(inner) if inner else None
        case m.Map(), m.Map():
            key, value = supertype([left.key, right.key]), supertype([left.value, right.value])
            return m.Map(key, value) if key and value else None
        case m.Tuple(), m.Tuple() if len(left.items) == len(right.items):
            pairs = zip(left.items, right.items, strict=True)
            items = [supertype(pair) for pair in pairs]
            found = tuple(item for item in items if item is not None)
            names = left.names if left.names == right.names else None
            return m.Tuple(found, names) if len(found) == len(items) else None
        case _:
            return None


def _whole(left: m.Int, right: m.Int) -> Type | None:
    """One size more than an unsigned type takes to be signed; there is none for a UInt64."""
    if left.signed == right.signed:
        return max(left, right, key=lambda kind: kind.bits)
    signed, other = (left, right) if left.signed else (right, left)
    if other.bits < signed.bits:
        return signed
    return m.Int(other.bits * 2) if other.bits < 64 else None


def subtype(left: Type, right: Type) -> Type:
    """The type of what two types have in common: the smaller one."""
    one, other = bare(left), bare(right)
    if isinstance(one, m.Int) and isinstance(other, m.Int) and one != other:
        left = min(one, other, key=lambda kind: (kind.bits, kind.signed))
    return left if is_nullable(right) else not_null(left)


def nullable(type_: Type) -> Type:
    """The type with NULL among its values; those that cannot have it stay."""
    if type_ == UNKNOWN or is_nullable(type_) or isinstance(type_, _COMPOSITE):
        return type_
    if isinstance(type_, m.LowCardinality):
        return m.LowCardinality(m.Nullable(type_.item))
    return m.Nullable(type_)


def uncoded(type_: Type) -> Type:
    """The type without LowCardinality around it."""
    return type_.item if isinstance(type_, m.LowCardinality) else type_


def not_null(type_: Type) -> Type:
    """The type without NULL among its values."""
    match type_:
        case m.Nullable(item):
            return item
        case m.LowCardinality(m.Nullable(item)):
            return m.LowCardinality(item)
        case _:
            return type_


def derived(type_: Type, args: Sequence[Value]) -> Type:
    """A result's type, with what its arguments bring along.

    It is Nullable if an argument is, and LowCardinality if one argument is and the others are
    constants: ClickHouse then calls the function for each value of the dictionary alone.
    """
    if any(arg.type == NOTHING for arg in args):
        return NOTHING
    if type_ == UNKNOWN:
        return type_
    if any(is_nullable(arg.type) for arg in args):
        type_ = nullable(type_)
    coded = [arg for arg in args if isinstance(arg.type, m.LowCardinality)]
    others = [arg for arg in args if arg.literal is None]
    if len(coded) == 1 and others == coded and _may_be_coded(type_):
        return m.LowCardinality(type_)
    return type_


def _may_be_coded(type_: Type) -> bool:
    inner = bare(type_)
    whole = isinstance(inner, m.DateTime) and inner.precision is None
    return not isinstance(type_, m.LowCardinality) and (whole or isinstance(inner, _IN_DICTIONARY))
