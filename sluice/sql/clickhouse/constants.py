"""Constants in VALUES, read by the types of their columns as ClickHouse does.

A number in an expression may be a Float64, which has 15 digits. In VALUES it is read by its column,
so that a Decimal and an integer of 64 bits keep all their digits, whatever other rows hold.
"""

from __future__ import annotations

from decimal import ROUND_DOWN, Context, Decimal

from sqlglot import exp

from sluice.types import Type, bare
from sluice.types import model as m
from sluice.types.encoded import WideDecimal, WideInt

_DIGITS = 76
"""More than any Decimal has, so that nothing is rounded before the type itself is looked at."""


def read_as(value: exp.Expr, type_: Type) -> exp.Expr:
    """A value of a row as one of its column's type, wherever digits would be lost otherwise."""
    inner = bare(type_)
    match inner, value:
        case _, exp.Null():
            return value
        case _ if is_default(value):
            return exp.Null()
        case WideInt() | WideDecimal(), _ if (text := _number(value)) is not None:
            return exp.Literal.string(text)
        case m.Decimal() | m.Int(bits=64), _ if (text := _number(value)) is not None:
            scale = inner.scale if isinstance(inner, m.Decimal) else 0
            return cast_to(exp.Literal.string(_cut(text, scale)), inner)
        case (m.Int(bits=64), exp.Literal()) | (m.Decimal(), _):
            return cast_to(value, inner)
        case m.Array(), exp.Array():
            return exp.Array(expressions=[read_as(item, inner.item) for item in value.expressions])
        case m.Tuple(), exp.Tuple() if len(inner.items) == len(value.expressions):
            pairs = zip(value.expressions, inner.items, strict=True)
            return exp.Tuple(expressions=[read_as(item, part) for item, part in pairs])
        case m.Map(), exp.VarMap():
            keys, values = value.args["keys"], value.args["values"]
            return exp.VarMap(
                keys=read_as(keys, m.Array(inner.key)),
                values=read_as(values, m.Array(inner.value)),
            )
        case m.String(), _ if _number(value) is not None:
            return cast_to(value, inner)
        case _:
            return value


def is_default(value: exp.Expr) -> bool:
    """Whether a value of a row is the word DEFAULT."""
    alone = isinstance(value, exp.Column) and len(value.parts) == 1
    return alone and value.name.upper() == "DEFAULT" and not value.this.args.get("quoted")


def is_text(value: exp.Expr) -> bool:
    """Whether an expression is a text as it is written, or NULL."""
    return isinstance(value, exp.Null) or (isinstance(value, exp.Literal) and value.is_string)


def is_number(value: exp.Expr) -> bool:
    """Whether an expression is a number as it is written, without a sign."""
    return isinstance(value, exp.Literal) and not value.is_string


def _number(value: exp.Expr) -> str | None:
    """The text of a number, perhaps with a sign."""
    if isinstance(value, exp.Neg) and is_number(value.this):
        return f"-{value.this.name}"
    return value.name if is_number(value) else None


def _cut(text: str, scale: int) -> str:
    """A number without the digits that do not fit after the point, and without an exponent."""
    number = Decimal(text)
    if number.adjusted() >= _DIGITS:  # no Decimal holds it
        return text
    context = Context(prec=2 * _DIGITS, rounding=ROUND_DOWN)
    return f"{number.quantize(Decimal(1).scaleb(-scale), context=context):f}"


def cast_to(value: exp.Expr, type_: Type) -> exp.Expr:
    """`CAST(value, 'type')`."""
    return exp.Anonymous(this="CAST", expressions=[value, exp.Literal.string(str(type_))])
