"""Arithmetic, mathematics, conditions and comparisons."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse import operators, promotion
from sluice.sql.clickhouse.comparisons import COMPARISONS, comparison
from sluice.sql.clickhouse.functions.conversions import bits_of, checked, default_of, of_bits
from sluice.sql.clickhouse.functions.model import Scalar, special, template
from sluice.sql.clickhouse.operators import common
from sluice.sql.clickhouse.ordering import numbered, sort_key
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, STRING, ULONG, Value
from sluice.sql.core.spark import ATOM, Sql, number
from sluice.sql.core.values import UNKNOWN
from sluice.types import bare, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.sql.clickhouse.functions.model import Call
    from sluice.types import Type


def _first_known(call: Call) -> Value:
    """The first argument that is not NULL; those behind one that never is are not looked at."""
    args = [arg for arg in call.args() if arg.type != promotion.NOTHING]
    ends = [n for n, arg in enumerate(args) if arg.type != UNKNOWN and not is_nullable(arg.type)]
    args = args[: ends[0] + 1] if ends else args
    if not args:
        return call.arg(0)
    *before, last = args
    if not before:
        return last
    plain = [replace(arg, type=promotion.not_null(arg.type)) for arg in before]
    type_ = common([*plain, last])
    return Value(Sql("coalesce(:*)", *operators.united(args, type_)), type_)


def _operator(build: Callable[[Value, Value], Value]) -> Scalar:
    return special(2)(lambda call: build(call.arg(0), call.arg(1)))


def _float(text: str, *, any_case: bool = True) -> Scalar:
    return template(text.replace(":0", "CAST(:0# AS DOUBLE)"), returns=DOUBLE, any_case=any_case)


def _logarithm(text: str) -> Scalar:
    return _float(
        f"CASE WHEN :0 < 0 THEN double('NaN') WHEN :0 = 0 THEN double('-Infinity') ELSE {text} END"
    )


_SHIFT = "if(:1 NOT BETWEEN 0 AND 63, 0L, {}(:0, CAST(:1 AS INT)))"
_RANDOM = "CAST(floor(rand() * 4294967296) AS BIGINT)"

FUNCTIONS: dict[str, Scalar] = {
    "plus": _operator(operators.plus),
    "minus": _operator(operators.minus),
    "multiply": _operator(operators.multiply),
    "divide": _operator(operators.divide),
    "modulo": _operator(operators.modulo),
    "intDiv": _operator(operators.int_div),
    "intDivOrZero": _operator(partial(operators.or_zero, operators.int_div)),
    "moduloOrZero": _operator(partial(operators.or_zero, operators.modulo)),
    "positiveModulo": _operator(operators.positive_modulo),
    "negate": special(1)(lambda call: operators.negate(call.arg(0))),
    "abs": special(1, any_case=True)(lambda call: operators.absolute(call.arg(0))),
    "sign": template(
        "CASE WHEN :0# IS NULL THEN NULL WHEN :0# < 0 THEN -1 WHEN :0# = 0 THEN 0 ELSE 1 END",
        returns=m.Int(8),
        any_case=True,
    ),
    "sqrt": _float("sqrt(:0)"),
    "cbrt": _float("cbrt(:0)"),
    "exp": _float("exp(:0)"),
    "exp2": _float("pow(2, :0)"),
    "exp10": _float("pow(10, :0)"),
    "log": _logarithm("ln(:0)"),
    "log2": _logarithm("log2(:0)"),
    "log10": _logarithm("log10(:0)"),
    "log1p": _float(
        "CASE WHEN :0 < -1 THEN double('NaN') WHEN :0 = -1 THEN double('-Infinity')"
        " ELSE log1p(:0) END"
    ),
    "pow": template("pow(:0#, :1#)", returns=DOUBLE, any_case=True),
    "sin": _float("sin(:0)"),
    "cos": _float("cos(:0)"),
    "tan": _float("tan(:0)"),
    "asin": _float("asin(:0)"),
    "acos": _float("acos(:0)"),
    "atan": _float("atan(:0)"),
    "atan2": template("atan2(:0#, :1#)", returns=DOUBLE, any_case=True),
    "degrees": _float("degrees(:0)"),
    "radians": _float("radians(:0)"),
    "pi": template("pi()", returns=DOUBLE, any_case=True),
    "e": template("e()", returns=DOUBLE),
    "isNaN": template(
        "if(:0# IS NULL, NULL, isnan(CAST(:0# AS DOUBLE)))", returns=BYTE, logical=True
    ),
    "isInfinite": template(
        "abs(CAST(:0# AS DOUBLE)) = double('Infinity')", returns=BYTE, logical=True
    ),
    "isFinite": template(
        "NOT isnan(CAST(:0# AS DOUBLE)) AND abs(CAST(:0# AS DOUBLE)) <> double('Infinity')",
        returns=BYTE,
        logical=True,
    ),
    "bitAnd": special(2)(lambda call: _bitwise(call, ":0 & :1")),
    "bitOr": special(2)(lambda call: _bitwise(call, ":0 | :1")),
    "bitXor": special(2)(lambda call: _bitwise(call, ":0 ^ :1")),
    "bitNot": special(1)(lambda call: _bitwise(call, "~:0")),
    "bitCount": special(1)(lambda call: _bit_count(call)),
    "bitTest": special(2)(lambda call: _bitwise(call, "getbit(:0, CAST(:1 AS INT))", BYTE)),
    "bitShiftLeft": special(2)(lambda call: _bitwise(call, _SHIFT.format("shiftleft"))),
    "bitShiftRight": special(2)(lambda call: _shift_right(call)),
    "max2": special(2)(lambda call: _of_two(call, ">")),
    "min2": special(2)(lambda call: _of_two(call, "<")),
    "rand": template(_RANDOM, returns=LONG, any_case=True),
    "rand32": template(_RANDOM, returns=LONG),
    "randCanonical": template("rand()", returns=DOUBLE),
    "greatest": special(1, None, any_case=True, derives=False)(lambda call: _extreme(call, ">")),
    "least": special(1, None, any_case=True, derives=False)(lambda call: _extreme(call, "<")),
    "if": special(3, any_case=True, derives=False)(
        lambda call: operators.chosen([call.arg(0).condition()], call.args()[1:])
    ),
    "multiIf": special(3, None, derives=False)(lambda call: _multi_if(call)),
    "coalesce": special(1, None, any_case=True, derives=False)(_first_known),
    "ifNull": special(2, any_case=True, derives=False)(_first_known),
    "nullIf": special(2, any_case=True, derives=False)(
        lambda call: Value(
            Sql(
                "if(:0, NULL, :1)",
                COMPARISONS["equals"](*call.args()).sql,
                call.arg(0).plain(),
            ),
            promotion.nullable(call.arg(0).type),
        )
    ),
    "isNull": template(":0 IS NULL", returns=BYTE, logical=True, any_case=True, derives=False),
    "isNotNull": template(":0 IS NOT NULL", returns=BYTE, logical=True, derives=False),
    "assumeNotNull": special(1, derives=False)(lambda call: _assume_not_null(call.arg(0))),
    "toNullable": template(
        ":0", returns=lambda args: promotion.nullable(args[0].type), derives=False
    ),
    "identity": template(":0", returns=lambda args: args[0].type),
    "materialize": template(":0", returns=lambda args: args[0].type),
    "not": special(1, any_case=True)(lambda call: operators.inverted(call.arg(0))),
    "and": special(2, None, derives=False)(
        lambda call: operators.connected("AND", operators.AND, call.args())
    ),
    "or": special(2, None, derives=False)(
        lambda call: operators.connected("OR", operators.OR, call.args())
    ),
    "xor": special(2, None)(lambda call: operators.exclusive(call.args())),
    "generateUUIDv4": template("uuid()", returns=m.Uuid()),
    "version": special(0)(lambda call: Value(operators.version(), STRING)),
    "tuple": special(1, None, derives=False)(lambda call: operators.tuple_of(call.args())),
}
FUNCTIONS |= {
    "mod": FUNCTIONS["modulo"],
    "ln": FUNCTIONS["log"],
    "power": FUNCTIONS["pow"],
    "timezone": template("'UTC'", returns=STRING, any_case=True),
    "serverTimezone": template("'UTC'", returns=STRING, any_case=True),
    "hostName": template("'localhost'", returns=STRING, any_case=True),
    "FQDN": template("'localhost'", returns=STRING, any_case=True),
    "currentUser": template("'default'", returns=STRING),
    "user": template("'default'", returns=STRING, any_case=True),
}
for _name, _build in COMPARISONS.items():
    FUNCTIONS[_name] = _operator(_build)


def _multi_if(call: Call) -> Value:
    args = call.args()
    if len(args) % 2 == 0:
        raise call.wrong(
            reason="multiIf takes pairs of a condition and a value, and one last value"
        )
    tests = [arg.condition() for arg in args[:-1:2]]
    return operators.chosen(tests, [*args[1::2], args[-1]])


def _of_two(call: Call, operator: str) -> Value:
    """`max2` or `min2`: the second one unless the first is beyond it, so also if one is nan."""
    first, second = (Sql("CAST(:0 AS DOUBLE)", arg.number()) for arg in call.args())
    return Value(_beyond(operator, Value(first, DOUBLE), Value(second, DOUBLE)), DOUBLE)


def _beyond(operator: str, first: Value, second: Value) -> Sql:
    found = comparison(operator)(first, second).sql
    text = "CASE WHEN :0 IS NULL OR :1 IS NULL THEN NULL WHEN :2 THEN :0 ELSE :1 END"
    return Sql(text, first.sql, second.sql, found)


def _extreme(call: Call, operator: str) -> Value:
    """`greatest` or `least`; NULLs are left out, Enums are compared by their numbers."""
    args = call.args()
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
    found = Value(Sql("CAST(:0 AS DOUBLE)", items[0].number()), DOUBLE)
    for item in items[1:]:
        other = Value(Sql("CAST(:0 AS DOUBLE)", item.number()), DOUBLE)
        test = comparison(operator)(found, other).sql
        text = "CASE WHEN :1 IS NULL OR :2 THEN :0 ELSE :1 END"
        found = Value(Sql(text, found.sql, other.sql, test), DOUBLE)
    return found.sql


def _assume_not_null(value: Value) -> Value:
    """The value; its type's default stands for a NULL."""
    type_ = promotion.not_null(value.type)
    default = default_of(type_)
    sql = Sql("coalesce(:0, :1)", value.plain(), default) if default else value.plain()
    return Value(sql, type_)


def _result(call: Call) -> m.Int:
    """What the operands of a bitwise function are promoted to."""
    kinds = [arg.kind for arg in call.args()]
    found = promotion.bitwise(kinds[0], kinds[-1])
    if not isinstance(found, m.Int):
        types = " and ".join(str(arg.type) for arg in call.args())
        reason = f"Illegal types {types} of arguments of function {call.name}"
        hint = "Whole numbers are expected."
        raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint, place=call.place)
    return found


def _bitwise(call: Call, text: str, type_: m.Int | None = None) -> Value:
    """An operation on the operands' bits; the result has as many as the larger one."""
    found = type_ or _result(call)
    return Value(of_bits(Sql(text, *map(bits_of, call.args())), found), found)


def _own_bits(value: Value) -> Sql:
    """The bits of a number, without those that only extend its sign."""
    kind = value.kind
    narrow = isinstance(kind, m.Int) and kind.signed and kind.bits < 64
    mask = (1 << getattr(kind, "bits", 64)) - 1
    return Sql(f":0 & {mask}L", bits_of(value)) if narrow else bits_of(value)


def _bit_count(call: Call) -> Value:
    _result(call)
    return Value(Sql("bit_count(:0)", _own_bits(call.arg(0))), BYTE)


def _shift_right(call: Call) -> Value:
    """With the sign of a signed number, with zeros else."""
    kind = call.arg(0).kind
    function = "shiftright" if isinstance(kind, m.Int) and kind.signed else "shiftrightunsigned"
    return _bitwise(call, _SHIFT.format(function))


def _rounding(function: str, decimal: str, whole: str) -> Scalar:
    """A function that rounds: one of ours for floating point numbers, templates for the others."""

    @special(1, 2, any_case=True)
    def build(call: Call) -> Value:
        value = call.arg(0)
        digits = Sql("CAST(:0 AS INT)", call.arg(1).number()) if call.count > 1 else number(0)
        if isinstance(value.kind, m.Float):
            own = f"{function}float" if value.kind.bits == 32 else function
            cast = f"CAST(:0 AS {spark_type(value.kind)})"
            return Value(Sql(f"{own}({cast}, :1)", value.sql, digits), value.type)
        text = decimal if value.is_a(m.Decimal) else whole
        given = call.arg(1).literal if call.count > 1 else 0
        if value.is_a(m.Int) and isinstance(given, int) and given >= 0:
            return value
        sql = Sql(text, value.number(), digits)
        kind = value.kind
        if isinstance(kind, m.Int) and not kind.signed:
            sql = checked(sql, kind)  # Spark's type is a wider one, in which more has room
        return Value(sql, value.type)

    return build


_DOWN = "if(:0 < 0, ceil(:0, :1), floor(:0, :1))"
FUNCTIONS["floor"] = _rounding("sluice_ch_floor", "floor(:0, :1)", "floor(:0, least(:1, 0))")
FUNCTIONS["ceil"] = FUNCTIONS["ceiling"] = _rounding(
    "sluice_ch_ceil", "ceil(:0, :1)", "ceil(:0, least(:1, 0))"
)
FUNCTIONS["trunc"] = FUNCTIONS["truncate"] = _rounding(
    "sluice_ch_trunc", _DOWN, _DOWN.replace(":1", "least(:1, 0)")
)
FUNCTIONS["round"] = _rounding("sluice_ch_round", "round(:0, :1)", "round(:0, least(:1, 0))")
FUNCTIONS["roundBankers"] = _rounding(
    "sluice_ch_round", "bround(:0, :1)", "bround(:0, least(:1, 0))"
)
