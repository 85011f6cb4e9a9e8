"""Arithmetic, mathematics, conditions and comparisons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice import errors
from sluice.sql.clickhouse import operators, promotion
from sluice.sql.clickhouse.functions.conversions import bits_of, default_of, of_bits
from sluice.sql.clickhouse.functions.model import Scalar, fill, special, template
from sluice.sql.clickhouse.operators import common
from sluice.sql.clickhouse.spark import Sql, number
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, STRING, UNKNOWN, Value
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.sql.clickhouse.functions.model import Call
    from sluice.types import Type


def _coalesced(args: Sequence[Value]) -> Type:
    """The type of what is the first that is not NULL; it can be if the last one is."""
    if args[-1].type == promotion.NOTHING:
        return common(args)
    *before, last = (arg for arg in args if arg.type != promotion.NOTHING)
    return common([*(replace(arg, type=promotion.not_null(arg.type)) for arg in before), last])


def _promoted(promote: operators.Promotion) -> Callable[[Sequence[Value]], Type]:
    return lambda args: promote(args[0].kind, args[1].kind) or UNKNOWN


def _operator(build: Callable[[Value, Value], Value]) -> Scalar:
    return special(2)(lambda call: build(call.arg(0), call.arg(1)))


def _float(text: str, *, any_case: bool = True) -> Scalar:
    return template(text.replace(":0", "CAST(:0# AS DOUBLE)"), returns=DOUBLE, any_case=any_case)


def _logarithm(text: str) -> Scalar:
    return _float(
        f"CASE WHEN :0 < 0 THEN double('NaN') WHEN :0 = 0 THEN double('-Infinity') ELSE {text} END"
    )


_OF_TWO = "if(:0# IS NULL OR :1# IS NULL, NULL, {}(CAST(:0# AS DOUBLE), CAST(:1# AS DOUBLE)))"
_RANDOM = "CAST(floor(rand() * 4294967296) AS BIGINT)"

FUNCTIONS: dict[str, Scalar] = {
    "plus": _operator(operators.plus),
    "minus": _operator(operators.minus),
    "multiply": _operator(operators.multiply),
    "divide": _operator(operators.divide),
    "modulo": _operator(operators.modulo),
    "intDiv": _operator(operators.int_div),
    "intDivOrZero": special(2)(
        lambda call: replace(
            operators.int_div(*call.args()),
            sql=Sql("if(:1 = 0, 0, :0)", operators.int_div(*call.args()).sql, call.arg(1).sql),
        )
    ),
    "moduloOrZero": template("if(:1# = 0, 0, :0# % :1#)", returns=_promoted(promotion.remainder)),
    "positiveModulo": template("pmod(:0#, :1#)", returns=_promoted(promotion.remainder)),
    "negate": special(1)(lambda call: operators.negate(call.arg(0))),
    "abs": template(
        "abs(:0#)", returns=lambda args: promotion.absolute(args[0].kind), any_case=True
    ),
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
    "bitShiftLeft": special(2)(
        lambda call: _bitwise(call, "if(:1 >= 64, 0L, shiftleft(:0, CAST(:1 AS INT)))")
    ),
    "bitShiftRight": special(2)(lambda call: _shift_right(call)),
    "max2": template(_OF_TWO.format("greatest"), returns=DOUBLE),
    "min2": template(_OF_TWO.format("least"), returns=DOUBLE),
    "rand": template(_RANDOM, returns=LONG, any_case=True),
    "rand32": template(_RANDOM, returns=LONG),
    "randCanonical": template("rand()", returns=DOUBLE),
    "greatest": template(":0", "greatest(:0, :1, :*)", returns=common, any_case=True),
    "least": template(":0", "least(:0, :1, :*)", returns=common, any_case=True),
    "if": template(
        "if(:0?, :1, :2)",
        returns=lambda args: promotion.uncoded(common(args[1:])),
        any_case=True,
        derives=False,
    ),
    "multiIf": special(3, None, derives=False)(lambda call: _multi_if(call)),
    "coalesce": template("coalesce(:0, :*)", returns=_coalesced, any_case=True, derives=False),
    "ifNull": template("coalesce(:0, :1)", returns=_coalesced, any_case=True, derives=False),
    "nullIf": special(2, any_case=True, derives=False)(
        lambda call: Value(
            Sql(
                "if(:0, NULL, :1)",
                operators.COMPARISONS["equals"](*call.args()).sql,
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
    "and": special(2, None)(lambda call: operators.connected("AND", operators.AND, call.args())),
    "or": special(2, None)(lambda call: operators.connected("OR", operators.OR, call.args())),
    "xor": template(":0? <> :1?", returns=BYTE, logical=True),
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
for _name, _build in operators.COMPARISONS.items():
    FUNCTIONS[_name] = _operator(_build)


def _multi_if(call: Call) -> Value:
    args = call.args()
    if len(args) % 2 == 0:
        raise call.wrong(
            reason="multiIf takes pairs of a condition and a value, and one last value"
        )
    pairs = "".join(f" WHEN :{n}? THEN :{n + 1}" for n in range(0, len(args) - 1, 2))
    values = [*args[1::2], args[-1]]
    sql = fill(f"CASE{pairs} ELSE :{len(args) - 1} END", args)
    return Value(sql, promotion.uncoded(common(values)))


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
    return _bitwise(call, f"if(:1 >= 64, 0L, {function}(:0, CAST(:1 AS INT)))")


def _rounding(function: str, decimal: str, whole: str) -> Scalar:
    """A function that rounds: one of ours for floating point numbers, templates for the others."""

    @special(1, 2, any_case=True)
    def build(call: Call) -> Value:
        value = call.arg(0)
        digits = Sql("CAST(:0 AS INT)", call.arg(1).number()) if call.count > 1 else number(0)
        if value.is_a(m.Float):
            sql = Sql(f"{function}(CAST(:0 AS DOUBLE), :1)", value.sql, digits)
            narrow = isinstance(value.kind, m.Float) and value.kind.bits == 32
            return Value(Sql("CAST(:0 AS FLOAT)", sql) if narrow else sql, value.type)
        text = decimal if value.is_a(m.Decimal) else whole
        if value.is_a(m.Int) and call.count == 1:
            return value
        return Value(Sql(text, value.number(), digits), value.type)

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
