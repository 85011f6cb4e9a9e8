"""Functions of numbers, conditions, arrays and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sluice.sql.core.functions import Function, special
from sluice.sql.core.spark import Sql
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink.functions.model import Call, Scalar, same, template
from sluice.sql.flink.operands import check_calculated
from sluice.sql.flink.values import BOOL, DOUBLE, INT, Value, cast_sql, common, remainder, whole
from sluice.types import bare
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sluice.types import Type


def _extreme(function: str) -> Scalar:
    @special(1, None, doc="NULL if one argument is")
    def build(call: Call) -> Value:
        args = call.args()
        if len(args) == 1:
            return args[0]
        tests = " OR ".join(f":{n} IS NULL" for n in range(len(args)))
        slots = ", ".join(f":{n}" for n in range(len(args)))
        sql = Sql(f"if({tests}, NULL, {function}({slots}))", *(arg.sql for arg in args))
        return Value(sql, common(args, call.name))

    return build


def _common(function: str, first: int = 0) -> Callable[[Sequence[Value]], Type]:
    """The type that the arguments from the first one on have in common."""
    return lambda args: common(args[first:], function)


@special(1, 2)
def _round(call: Call) -> Value:
    value = call.arg(0)
    digits = whole(call.arg(1)) if call.count > 1 else Sql("0", rank=100)
    sql = Sql("round(:0, :1)", value.sql, digits)
    kept = call.arg(1).literal if call.count > 1 else 0
    return Value(sql, _rounded(value.kind, kept))


def _rounded(kind: Type, digits: object) -> Type:
    """The type of ROUND: a DECIMAL has the digits that are kept, and one for what is carried."""
    if isinstance(kind, m.Decimal) and isinstance(digits, int) and 0 <= digits < kind.scale:
        return m.Decimal(kind.precision - kind.scale + 1 + digits, digits)
    rounds = not isinstance(digits, int) or digits < 0
    return UNKNOWN if isinstance(kind, m.Decimal) and rounds else kind


@special(1)
def _sign(call: Call) -> Value:
    value = call.arg(0)
    sql = Sql("sign(:0)", value.sql)
    if value.is_a(m.Int, m.Decimal):
        return Value(cast_sql(sql, value.kind), value.kind)
    return Value(sql, DOUBLE if value.is_a(m.Float) else UNKNOWN)


@special(1, 2)
def _rand_integer(call: Call) -> Value:
    bound = call.arg(call.count - 1).sql
    random = _random(call, seeded=call.count > 1)
    return Value(Sql("CAST(floor(:1 * :0) AS INT)", bound, random), INT)


@special(0, 1)
def _rand(call: Call) -> Value:
    return Value(_random(call, seeded=call.count > 0), DOUBLE)


def _random(call: Call, *, seeded: bool) -> Sql:
    """A number from 0 to 1; the seed is the first argument, and a constant."""
    return Sql(f"rand({int(call.literal(0, int))})" if seeded else "rand()")


@special(2)
def _mod(call: Call) -> Value:
    left, right = call.args()
    check_calculated("%", left, right)
    kind = right.kind
    if isinstance(kind, m.Int) and left.is_a(m.Int):
        written = exp.Mod(this=call.nodes[0].copy(), expression=call.nodes[1].copy())
        return Value(remainder(left.sql, right.sql, kind, written), kind)
    return Value(Sql(":0 % :1", left.sql.atom(), right.sql.atom()), kind)


@special(0, None)
def _array(call: Call) -> Value:
    args = call.args()
    item = common(args, "ARRAY")
    type_ = m.Array(m.Nullable(item)) if item != UNKNOWN else UNKNOWN
    return Value(Sql("array(:*)", *(arg.sql for arg in args)), type_)


@special(0, None)
def _map(call: Call) -> Value:
    args = call.args()
    if len(args) % 2:
        raise call.wrong(reason="MAP[…] takes keys and values in pairs")
    key, value = common(args[::2], "the keys of MAP"), common(args[1::2], "MAP")
    known = UNKNOWN not in (key, value)
    type_ = m.Map(key, m.Nullable(value)) if known and args else UNKNOWN
    return Value(Sql("map(:*)", *(arg.sql for arg in args)), type_)


@special(1, None)
def _row(call: Call) -> Value:
    args = call.args()
    names = tuple(f"f{n}" for n in range(len(args)))
    slots = ", ".join(f"'{name}', :{n}" for n, name in enumerate(names))
    known = all(arg.kind != UNKNOWN for arg in args)
    items = tuple(m.Nullable(arg.kind) for arg in args)
    sql = Sql(f"named_struct({slots})", *(arg.sql for arg in args))
    return Value(sql, m.Tuple(items, names) if known else UNKNOWN)


def _item(args: Sequence[Value]) -> Type:
    kind = args[0].kind
    return kind.item if isinstance(kind, m.Array) else UNKNOWN


def _keys(args: Sequence[Value]) -> Type:
    kind = args[0].kind
    return m.Array(kind.key) if isinstance(kind, m.Map) else UNKNOWN


def _values(args: Sequence[Value]) -> Type:
    kind = args[0].kind
    return m.Array(kind.value) if isinstance(kind, m.Map) else UNKNOWN


def _zipped(args: Sequence[Value]) -> Type:
    keys, values = args[0].kind, args[1].kind
    if not isinstance(keys, m.Array) or not isinstance(values, m.Array):
        return UNKNOWN
    return m.Map(bare(keys.item), values.item)


def rounded(call: Call, function: str) -> Value:
    """FLOOR and CEIL of a number keep its type."""
    value = call.arg(0)
    if value.is_a(m.Int):
        return value
    sql = Sql(f"{function}(:0)", value.sql)
    if value.is_a(m.Float):
        return Value(cast_sql(sql, value.kind), value.kind)
    kind = value.kind
    return Value(sql, m.Decimal(kind.precision, 0) if isinstance(kind, m.Decimal) else UNKNOWN)


_MATHS = (
    "SQRT", "LN", "LOG10", "LOG2", "EXP", "SIN", "COS", "TAN", "COT", "ASIN", "ACOS", "ATAN",
    "SINH", "COSH", "TANH", "DEGREES", "RADIANS",
)  # fmt: skip

FUNCTIONS: dict[str, Function] = {
    **{name: template(f"{name.lower()}(:0)", returns=DOUBLE) for name in _MATHS},
    "ABS": template("abs(:0)", returns=same()),
    "SIGN": _sign,
    "POWER": template("power(:0, :1)", returns=DOUBLE),
    "ATAN2": template("atan2(:0, :1)", returns=DOUBLE),
    "LOG": template("ln(:0)", "log(:0, :1)", returns=DOUBLE),
    "ROUND": _round,
    "MOD": _mod,
    "PI": template("pi()", returns=DOUBLE),
    "E": template("e()", returns=DOUBLE),
    "RAND": _rand,
    "RAND_INTEGER": _rand_integer,
    "GREATEST": _extreme("greatest"),
    "LEAST": _extreme("least"),
    "COALESCE": template("coalesce(:0, :*)", returns=_common("COALESCE")),
    "IFNULL": template("coalesce(:0, :*)", returns=_common("IFNULL")),
    "NULLIF": template("nullif(:0, :1)", returns=same()),
    "IF": template("if(:0, :1, :2)", returns=_common("IF", 1)),
    "ARRAY": _array,
    "MAP": _map,
    "ROW": _row,
    "CARDINALITY": template("size(:0)", returns=INT),
    "ELEMENT": template("get(:0, 0)", returns=_item),
    "ARRAY_CONTAINS": template("array_contains(:0, :1)", returns=BOOL),
    "ARRAY_DISTINCT": template("array_distinct(:0)", returns=same()),
    "ARRAY_POSITION": template("CAST(array_position(:0, :1) AS INT)", returns=INT),
    "ARRAY_REVERSE": template("reverse(:0)", returns=same()),
    "ARRAY_UNION": template("array_union(:0, :1)", returns=same()),
    "ARRAY_CONCAT": template("concat(:*)", returns=same()),
    "ARRAY_JOIN": template("array_join(:0, :1)", "array_join(:0, :1, :2)"),
    "ARRAY_MAX": template("array_max(:0)", returns=_item),
    "ARRAY_MIN": template("array_min(:0)", returns=_item),
    "MAP_KEYS": template("map_keys(:0)", returns=_keys),
    "MAP_VALUES": template("map_values(:0)", returns=_values),
    "MAP_FROM_ARRAYS": template("map_from_arrays(:0, :1)", returns=_zipped),
}
FUNCTIONS["POW"] = FUNCTIONS["POWER"]
