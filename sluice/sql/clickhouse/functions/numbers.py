"""Arithmetic, mathematics, conditions and comparisons."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.formats.text_casts import BFLOAT16
from sluice.sql.clickhouse import operators, promotion
from sluice.sql.clickhouse.casts import bits_of, of_bits, or_default
from sluice.sql.clickhouse.comparisons import COMPARISONS, comparison
from sluice.sql.clickhouse.exact import checked
from sluice.sql.clickhouse.functions.model import Scalar, condition, same, template
from sluice.sql.clickhouse.operators import common
from sluice.sql.clickhouse.ordering import numbered, sort_key
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, STRING, ULONG, Value
from sluice.sql.core.functions import of_values, special
from sluice.sql.core.spark import AND, ATOM, OR, Sql, number
from sluice.sql.core.values import UNKNOWN
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.sql.clickhouse.functions.model import Call
    from sluice.types import Type


def _first_known(*given: Value) -> Value:
    """The first argument that is not NULL; those after one that is never NULL are not evaluated."""
    args = [arg for arg in given if arg.type != promotion.NOTHING]
    ends = [n for n, arg in enumerate(args) if arg.type != UNKNOWN and not is_nullable(arg.type)]
    args = args[: ends[0] + 1] if ends else args
    if not args:
        return given[0]
    *before, last = args
    if not before:
        return last
    plain = [replace(arg, type=promotion.not_null(arg.type)) for arg in before]
    type_ = common([*plain, last])
    return Value(Sql("coalesce(:*)", *operators.united(args, type_)), type_)


def _float(text: str) -> Scalar:
    return template(text.replace(":0", "CAST(:0# AS DOUBLE)"), returns=DOUBLE, any_case=True)


def _logarithm(text: str, least: int = 0) -> Scalar:
    """A logarithm, which is infinite of `least` and no number below it."""
    return _float(
        f"CASE WHEN :0 < {least} THEN double('NaN') WHEN :0 = {least} THEN double('-Infinity')"
        f" ELSE {text} END"
    )


def _null_if(first: Value, second: Value) -> Value:
    equal = COMPARISONS["equals"](first, second)
    return Value(Sql("if(:0, NULL, :1)", equal.sql, first.plain()), promotion.nullable(first.type))


@special(3, None, derives=False)
def _multi_if(call: Call) -> Value:
    args = call.args()
    if len(args) % 2 == 0:
        raise call.wrong(
            reason="multiIf takes pairs of a condition and a value, and one last value"
        )
    tests = [arg.condition() for arg in args[:-1:2]]
    return operators.chosen(tests, [*args[1::2], args[-1]])


def _of_two(operator: str) -> Scalar:
    """`max2` or `min2`: the second one unless the first is beyond it, so also if one is nan."""
    text = "CASE WHEN :0 IS NULL OR :1 IS NULL THEN NULL WHEN :2 THEN :0 ELSE :1 END"

    def build(*args: Value) -> Value:
        sides = [_double(arg) for arg in args]
        beyond = comparison(operator)(*sides)
        return Value(Sql(text, *(side.sql for side in (*sides, beyond))), DOUBLE)

    return of_values(build, 2)


def _extreme(operator: str, *args: Value) -> Value:
    """`greatest` or `least`; NULLs are left out, Enums are compared by their numbers."""
    if len(args) == 1:
        return args[0]
    enums = {arg.kind for arg in args if arg.is_a(m.Enum)}
    texts = any(arg.is_a(m.String, m.FixedString) for arg in args)
    if enums and not texts and (len(enums) > 1 or any(arg.is_a(m.Int) for arg in args)):
        args = tuple(replace(numbered(arg), type=_number_type(arg)) for arg in args)
    known = [arg for arg in args if arg.type != promotion.NOTHING]
    type_ = _extreme_type(known, operator) if known else promotion.NOTHING
    type_ = type_ if len(known) == len(args) else promotion.nullable(type_)
    function = "greatest" if operator == ">" else "least"
    items = [arg.settled() for arg in known]
    if any(item.is_a(m.Float) for item in items):
        return Value(_extreme_float(operator, items), type_)
    keys = [sort_key(item.sql, item.type) for item in items]
    if len(items) > 1 and not texts and any(key is not None for key in keys):
        text = "if(:0 IS NULL, NULL, named_struct('k', :1, 'v', :0))"
        keyed = zip(items, keys, strict=True)
        pairs = [Sql(text, item.sql, key or item.sql) for item, key in keyed]
        return Value(Sql(f"{function}(:*).`v`", *pairs, rank=ATOM), type_)
    return Value(Sql(f"{function}(:*)", *operators.united(items, type_)), type_)


def _number_type(value: Value) -> Type:
    type_ = numbered(value).type
    return promotion.nullable(type_) if is_nullable(value.type) else type_


def _extreme_type(args: Sequence[Value], operator: str) -> Type:
    """The common type; of a UInt64 and an Int64 the one that holds the result."""
    if {arg.kind for arg in args} == {LONG, ULONG}:
        return promotion.derived(ULONG if operator == ">" else LONG, args)
    found = [replace(arg, type=_plain_number(arg.type)) for arg in args]
    kind = common([replace(arg, type=bare(arg.type)) for arg in found])
    if kind == UNKNOWN and {arg.is_a(m.Int) for arg in args} == {True}:
        raise errors.NO_COMMON_TYPE(what=", ".join(str(arg.type) for arg in args))
    return promotion.derived(kind, args)


def _plain_number(type_: Type) -> Type:
    return BYTE if isinstance(bare(type_), m.Bool) else type_


def _extreme_float(operator: str, items: Sequence[Value]) -> Sql:
    """One after the other: the later one stays unless the earlier is beyond it."""
    found = _double(items[0])
    for other in map(_double, items[1:]):
        test = comparison(operator)(found, other).sql
        text = "CASE WHEN :1 IS NULL OR :2 THEN :0 ELSE :1 END"
        found = Value(Sql(text, found.sql, other.sql, test), DOUBLE)
    return found.sql


def _double(value: Value) -> Value:
    return Value(Sql("CAST(:0 AS DOUBLE)", value.number()), DOUBLE)


def _assume_not_null(value: Value) -> Value:
    """The value; its type's default stands for a NULL."""
    type_ = promotion.not_null(value.type)
    return Value(or_default(value.plain(), type_), type_)


def _result(call: Call) -> m.Int:
    """What the operands of a bitwise function are promoted to."""
    kinds = [arg.kind for arg in call.args()]
    found = promotion.bitwise(kinds[0], kinds[-1])
    if not isinstance(found, m.Int):
        types = " and ".join(str(arg.type) for arg in call.args())
        reason = f"Illegal types {types} of arguments of function {call.name}"
        hint = "Integers are expected."
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint, place=call.place)
    return found


def _bits(call: Call, text: str, type_: m.Int | None = None) -> Value:
    """An operation on the operands' bits; the result has as many as the larger one."""
    found = type_ or _result(call)
    return Value(of_bits(Sql(text, *map(bits_of, call.args())), found), found)


def _bitwise(text: str, takes: int = 2, type_: m.Int | None = None) -> Scalar:
    return special(takes)(lambda call: _bits(call, text, type_))


def _own_bits(value: Value) -> Sql:
    """The bits of a number, without those that only extend its sign."""
    kind = value.kind
    narrow = isinstance(kind, m.Int) and kind.signed and kind.bits < 64
    mask = (1 << getattr(kind, "bits", 64)) - 1
    return Sql(f":0 & {mask}L", bits_of(value)) if narrow else bits_of(value)


@special(1)
def _bit_count(call: Call) -> Value:
    _result(call)
    return Value(Sql("bit_count(:0)", _own_bits(call.arg(0))), BYTE)


_SHIFT = "if(:1 NOT BETWEEN 0 AND 63, 0L, {}(:0, CAST(:1 AS INT)))"


@special(2)
def _shift_right(call: Call) -> Value:
    """With the sign of a signed number, with zeros else."""
    kind = call.arg(0).kind
    function = "shiftright" if isinstance(kind, m.Int) and kind.signed else "shiftrightunsigned"
    return _bits(call, _SHIFT.format(function))


def _rounding(function: str, text: str) -> Scalar:
    """A function that rounds: by Java for floating point numbers, by a template for others."""

    @special(1, 2, any_case=True)
    def build(call: Call) -> Value:
        value = call.arg(0)
        digits = Sql("CAST(:0 AS INT)", call.arg(1).number()) if call.count > 1 else number(0)
        if isinstance(value.kind, m.Float):
            own = function if value.kind.bits == 64 else f"{function}float"
            rounded = f"{own}(CAST(:0 AS {spark_type(value.kind)}), :1)"
            short = f"{BFLOAT16}({rounded})" if value.kind.bits == 16 else rounded
            return Value(Sql(short, value.sql, digits), value.type)
        given = call.arg(1).literal if call.count > 1 else 0
        if value.is_a(m.Int) and isinstance(given, int) and given >= 0:
            return value
        cut = text if value.is_a(m.Decimal) else text.replace(":1", "least(:1, 0)")
        sql = Sql(cut, value.number(), digits)
        kind = value.kind
        if isinstance(kind, m.Int) and not kind.signed:
            sql = checked(sql, kind)  # Spark's type is a wider one, in which more has room
        return Value(sql, value.type)

    return build


_RANDOM = "CAST(floor(rand() * 4294967296) AS BIGINT)"
_OF_DOUBLE = (
    "sqrt", "cbrt", "exp", "sin", "cos", "tan", "asin", "acos", "atan", "degrees", "radians",
)  # fmt: skip
"""Functions of a Float64 that have the same name in Spark."""

FUNCTIONS: dict[str, Scalar] = {
    **{name: of_values(build, 2) for name, build in COMPARISONS.items()},
    "plus": of_values(operators.plus, 2),
    "minus": of_values(operators.minus, 2),
    "multiply": of_values(operators.multiply, 2),
    "divide": of_values(operators.divide, 2),
    "modulo": of_values(operators.modulo, 2),
    "mod": of_values(operators.modulo, 2),
    "intDiv": of_values(operators.int_div, 2),
    "intDivOrZero": of_values(partial(operators.or_zero, operators.int_div), 2),
    "moduloOrZero": of_values(partial(operators.or_zero, operators.modulo), 2),
    "positiveModulo": of_values(operators.positive_modulo, 2),
    "negate": of_values(operators.negate, 1),
    "abs": of_values(operators.absolute, 1, any_case=True),
    "sign": template(
        "CASE WHEN :0# IS NULL THEN NULL WHEN :0# < 0 THEN -1 WHEN :0# = 0 THEN 0 ELSE 1 END",
        returns=m.Int(8),
        any_case=True,
    ),
    **{name: _float(f"{name}(:0)") for name in _OF_DOUBLE},
    "exp2": _float("pow(2, :0)"),
    "exp10": _float("pow(10, :0)"),
    **dict.fromkeys(("log", "ln"), _logarithm("ln(:0)")),
    "log2": _logarithm("log2(:0)"),
    "log10": _logarithm("log10(:0)"),
    "log1p": _logarithm("log1p(:0)", -1),
    **dict.fromkeys(("pow", "power"), template("pow(:0#, :1#)", returns=DOUBLE, any_case=True)),
    "atan2": template("atan2(:0#, :1#)", returns=DOUBLE, any_case=True),
    "pi": template("pi()", returns=DOUBLE, any_case=True),
    "e": template("e()", returns=DOUBLE),
    "isNaN": condition("if(:0# IS NULL, NULL, isnan(CAST(:0# AS DOUBLE)))"),
    "isInfinite": condition("abs(CAST(:0# AS DOUBLE)) = double('Infinity')"),
    "isFinite": condition(
        "NOT isnan(CAST(:0# AS DOUBLE)) AND abs(CAST(:0# AS DOUBLE)) <> double('Infinity')"
    ),
    "bitAnd": _bitwise(":0 & :1"),
    "bitOr": _bitwise(":0 | :1"),
    "bitXor": _bitwise(":0 ^ :1"),
    "bitNot": _bitwise("~:0", 1),
    "bitCount": _bit_count,
    "bitTest": _bitwise("getbit(:0, CAST(:1 AS INT))", type_=BYTE),
    "bitShiftLeft": _bitwise(_SHIFT.format("shiftleft")),
    "bitShiftRight": _shift_right,
    "max2": _of_two(">"),
    "min2": _of_two("<"),
    "rand": template(_RANDOM, returns=LONG, any_case=True),
    "rand32": template(_RANDOM, returns=LONG),
    "randCanonical": template("rand()", returns=DOUBLE),
    "greatest": of_values(partial(_extreme, ">"), 1, None, any_case=True, derives=False),
    "least": of_values(partial(_extreme, "<"), 1, None, any_case=True, derives=False),
    "if": special(3, any_case=True, derives=False)(
        lambda call: operators.chosen([call.arg(0).condition()], call.args()[1:])
    ),
    "multiIf": _multi_if,
    "coalesce": of_values(_first_known, 1, None, any_case=True, derives=False),
    "ifNull": of_values(_first_known, 2, any_case=True, derives=False),
    "nullIf": of_values(_null_if, 2, any_case=True, derives=False),
    "isNull": condition(":0 IS NULL", any_case=True, derives=False),
    "isNotNull": condition(":0 IS NOT NULL", derives=False),
    "assumeNotNull": of_values(_assume_not_null, 1, derives=False),
    "toNullable": template(
        ":0", returns=lambda args: promotion.nullable(args[0].type), derives=False
    ),
    "identity": template(":0", returns=same(0)),
    "materialize": template(":0", returns=same(0)),
    "not": of_values(operators.inverted, 1, any_case=True),
    "and": of_values(lambda *args: operators.connected("AND", AND, args), 2, None, derives=False),
    "or": of_values(lambda *args: operators.connected("OR", OR, args), 2, None, derives=False),
    "xor": of_values(lambda *args: operators.exclusive(args), 2, None),
    "generateUUIDv4": template("uuid()", returns=m.Uuid()),
    "tuple": of_values(lambda *args: operators.tuple_of(args), 1, None, derives=False),
    **dict.fromkeys(
        ("timezone", "serverTimezone"), template("'UTC'", returns=STRING, any_case=True)
    ),
    "hostName": of_values(lambda: Value(operators.host_name(), STRING), 0, any_case=True),
    "floor": _rounding("sluice_ch_floor", "floor(:0, :1)"),
    **dict.fromkeys(("ceil", "ceiling"), _rounding("sluice_ch_ceil", "ceil(:0, :1)")),
    **dict.fromkeys(
        ("trunc", "truncate"),
        _rounding("sluice_ch_trunc", "if(:0 < 0, ceil(:0, :1), floor(:0, :1))"),
    ),
    "round": _rounding("sluice_ch_round", "round(:0, :1)"),
    "roundBankers": _rounding("sluice_ch_round", "bround(:0, :1)"),
}
