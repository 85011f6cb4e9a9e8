"""Arithmetic, mathematics, conditions and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.clickhouse import operators
from sluice.sql.clickhouse.functions.model import Scalar, fill, special, template
from sluice.sql.clickhouse.spark import Sql, chain
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, STRING, UNKNOWN, Value
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.sql.clickhouse.functions.model import Call
    from sluice.types import Type


def common(args: Sequence[Value]) -> Type:
    """The type of the first argument that has a known one."""
    return next((arg.settled().type for arg in args if arg.kind != UNKNOWN), UNKNOWN)


def _operator(build: Callable[[Value, Value], Value]) -> Scalar:
    return special(2)(lambda call: build(call.arg(0), call.arg(1)))


def _float(text: str, *, any_case: bool = True) -> Scalar:
    return template(text.replace(":0", "CAST(:0# AS DOUBLE)"), returns=DOUBLE, any_case=any_case)


def _logarithm(text: str) -> Scalar:
    return _float(
        f"CASE WHEN :0 < 0 THEN double('NaN') WHEN :0 = 0 THEN double('-Infinity') ELSE {text} END"
    )


_RANDOM = "CAST(floor(rand() * 4294967296) AS BIGINT)"

FUNCTIONS: dict[str, Scalar] = {
    "plus": _operator(operators.plus),
    "minus": _operator(operators.minus),
    "multiply": _operator(operators.multiply),
    "divide": _operator(operators.divide),
    "modulo": _operator(operators.modulo),
    "intDiv": _operator(operators.int_div),
    "intDivOrZero": special(2)(
        lambda call: Value(
            Sql("if(:1 = 0, 0, :0)", operators.int_div(*call.args()).sql, call.arg(1).sql), LONG
        )
    ),
    "moduloOrZero": template("if(:1# = 0, 0, :0# % :1#)", returns=lambda args: args[0].type),
    "positiveModulo": template("pmod(:0#, :1#)", returns=lambda args: args[0].type),
    "negate": special(1)(lambda call: operators.negate(call.arg(0))),
    "abs": template("abs(:0#)", returns=lambda args: args[0].type, any_case=True),
    "sign": template("CAST(sign(:0#) AS INT)", returns=LONG, any_case=True),
    "sqrt": _float("sqrt(:0)"),
    "cbrt": _float("cbrt(:0)"),
    "exp": _float("exp(:0)"),
    "exp2": _float("pow(2, :0)"),
    "exp10": _float("pow(10, :0)"),
    "log": _logarithm("ln(:0)"),
    "log2": _logarithm("log2(:0)"),
    "log10": _logarithm("log10(:0)"),
    "log1p": _float("log1p(:0)"),
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
    "isNaN": template("isnan(CAST(:0# AS DOUBLE))", returns=BYTE, logical=True),
    "isInfinite": template(
        "abs(CAST(:0# AS DOUBLE)) = double('Infinity')", returns=BYTE, logical=True
    ),
    "isFinite": template(
        "NOT isnan(CAST(:0# AS DOUBLE)) AND abs(CAST(:0# AS DOUBLE)) <> double('Infinity')",
        returns=BYTE,
        logical=True,
    ),
    "bitAnd": template("CAST(:0# AS BIGINT) & CAST(:1# AS BIGINT)", returns=LONG),
    "bitOr": template("CAST(:0# AS BIGINT) | CAST(:1# AS BIGINT)", returns=LONG),
    "bitXor": template("CAST(:0# AS BIGINT) ^ CAST(:1# AS BIGINT)", returns=LONG),
    "bitNot": template("~CAST(:0# AS BIGINT)", returns=LONG),
    "bitCount": template("bit_count(CAST(:0# AS BIGINT))", returns=LONG),
    "bitTest": template("getbit(CAST(:0# AS BIGINT), CAST(:1# AS INT))", returns=LONG),
    "bitShiftLeft": template("shiftleft(CAST(:0# AS BIGINT), CAST(:1# AS INT))", returns=LONG),
    "bitShiftRight": template("shiftright(CAST(:0# AS BIGINT), CAST(:1# AS INT))", returns=LONG),
    "max2": template("greatest(CAST(:0# AS DOUBLE), CAST(:1# AS DOUBLE))", returns=DOUBLE),
    "min2": template("least(CAST(:0# AS DOUBLE), CAST(:1# AS DOUBLE))", returns=DOUBLE),
    "rand": template(_RANDOM, returns=LONG, any_case=True),
    "rand32": template(_RANDOM, returns=LONG),
    "randCanonical": template("rand()", returns=DOUBLE),
    "greatest": template(":0", "greatest(:0, :1, :*)", returns=common, any_case=True),
    "least": template(":0", "least(:0, :1, :*)", returns=common, any_case=True),
    "if": template("if(:0?, :1, :2)", returns=lambda args: common(args[1:]), any_case=True),
    "multiIf": special(3, None)(lambda call: _multi_if(call)),
    "coalesce": template("coalesce(:0, :*)", returns=common, any_case=True),
    "ifNull": template("coalesce(:0, :1)", returns=common, any_case=True),
    "nullIf": template("nullif(:0, :1)", returns=lambda args: args[0].type, any_case=True),
    "isNull": template(":0 IS NULL", returns=BYTE, logical=True, any_case=True),
    "isNotNull": template(":0 IS NOT NULL", returns=BYTE, logical=True),
    "assumeNotNull": template(":0", returns=lambda args: args[0].kind),
    "toNullable": template(":0", returns=lambda args: args[0].type),
    "identity": template(":0", returns=lambda args: args[0].type),
    "materialize": template(":0", returns=lambda args: args[0].type),
    "not": template("NOT :0?", returns=BYTE, logical=True, any_case=True),
    "and": special(2, None)(lambda call: _connect(call, "AND", 20)),
    "or": special(2, None)(lambda call: _connect(call, "OR", 10)),
    "xor": template(":0? <> :1?", returns=BYTE, logical=True),
    "generateUUIDv4": template("uuid()", returns=m.Uuid()),
    "version": special(0)(lambda call: Value(operators.version(), STRING)),
    "tuple": special(1, None)(lambda call: operators.tuple_of(call.args())),
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
    return Value(fill(f"CASE{pairs} ELSE :{len(args) - 1} END", args), common(values))


def _connect(call: Call, operator: str, rank: int) -> Value:
    return Value(
        chain(operator, rank, [arg.condition() for arg in call.args()]), BYTE, logical=True
    )


def _rounding(text: str, scaled: str) -> Scalar:
    @special(1, 2, any_case=True)
    def build(call: Call) -> Value:
        value = call.arg(0)
        if call.count > 1:
            sql = fill(scaled, call.args())
        elif value.is_a(m.Int):
            sql = value.number()
        else:
            sql = fill(text, [value])
        if value.is_a(m.Float):
            sql = Sql("CAST(:0 AS DOUBLE)", sql)
        return Value(sql, value.type)

    return build


def _scaled(function: str) -> str:
    return f"{function}(CAST(:0# AS DOUBLE) * pow(10, :1)) / pow(10, :1)"


FUNCTIONS["floor"] = _rounding("floor(:0#)", _scaled("floor"))
FUNCTIONS["ceil"] = FUNCTIONS["ceiling"] = _rounding("ceil(:0#)", _scaled("ceil"))
FUNCTIONS["trunc"] = FUNCTIONS["truncate"] = _rounding(
    "CAST(:0# AS BIGINT)",
    "sign(:0#) * floor(abs(CAST(:0# AS DOUBLE)) * pow(10, :1)) / pow(10, :1)",
)


@special(1, 2, any_case=True, doc="halves go to the even neighbour, of a Decimal away from zero")
def _round(call: Call) -> Value:
    value = call.arg(0)
    function = "round" if value.is_a(m.Decimal) else "bround"
    text = f"{function}(:0#, CAST(:1 AS INT))" if call.count > 1 else f"{function}(:0#)"
    return Value(fill(text, call.args()), value.type)


FUNCTIONS["round"] = _round
FUNCTIONS["roundBankers"] = _round
