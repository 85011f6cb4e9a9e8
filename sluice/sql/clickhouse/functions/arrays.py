"""Arrays, maps and tuples; positions count from 1, negative ones from the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.clickhouse import operators
from sluice.sql.clickhouse.functions.conversions import default_of, to_string
from sluice.sql.clickhouse.functions.model import Scalar, item, same, special, template
from sluice.sql.clickhouse.functions.strings import LONGEST, limited
from sluice.sql.clickhouse.ordering import ordered_by, sort_key
from sluice.sql.clickhouse.spark import Sql, name, number, string
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, STRING, UNKNOWN, Value
from sluice.types import Type, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.sql.clickhouse.functions.model import Call


def items_of(value: Value) -> Type:
    """The type of an array's items."""
    return value.kind.item if isinstance(value.kind, m.Array) else UNKNOWN


def element(container: Value, index: Value) -> Value:
    """`container[index]`, or the type's default where there is nothing."""
    kind = container.kind
    if isinstance(kind, m.Tuple):
        return field(container, index.literal)
    is_map = isinstance(kind, m.Map) or isinstance(index.literal, str)
    type_ = kind.value if isinstance(kind, m.Map) else items_of(container)
    key = index.plain() if is_map else Sql("CAST(:0 AS INT)", index.number())
    default = default_of(type_)
    if not is_map and index.literal == 0:
        return Value(default or Sql("NULL", rank=100), type_)
    found = Sql("try_element_at(:0, :1)", container.sql, key)
    return Value(Sql("coalesce(:0, :1)", found, default) if default else found, type_)


def field(value: Value, which: object) -> Value:
    """An element of a tuple, by position or name."""
    kind = value.kind
    names = kind.names if isinstance(kind, m.Tuple) else None
    types = kind.items if isinstance(kind, m.Tuple) else ()
    if isinstance(which, int):
        found = names[which - 1] if names and 0 < which <= len(names) else str(which)
        type_ = types[which - 1] if 0 < which <= len(types) else UNKNOWN
    else:
        found = str(which)
        type_ = types[names.index(found)] if names and found in names else UNKNOWN
    return Value(Sql(":0.:1", value.sql, name(found), rank=100), type_)


def _higher(text: str, *, logical: bool = False, returns: Type | None = None) -> Scalar:
    """A function of a lambda (`:1`) and an array (`:0`); without a lambda, of the array alone."""

    @special(1, 2)
    def build(call: Call) -> Value:
        array = call.arg(call.count - 1)
        if call.count == 1:
            body = Value(Sql("`_i` -> CAST(`_i` AS BOOLEAN)"), BYTE, logical=True)
        else:
            body = call.lowerer.function(call.nodes[0], [items_of(array)], condition=True)
        type_ = returns or array.type
        return Value(Sql(text, array.sql, body.sql, rank=None), type_, logical=logical)

    return build


@special(2, None, doc="over one or two arrays")
def _map(call: Call) -> Value:
    arrays = [call.arg(n) for n in range(1, call.count)]
    if len(arrays) > 2:
        raise call.wrong(reason="arrayMap takes one or two arrays")
    body = call.lowerer.function(call.nodes[0], [items_of(array) for array in arrays])
    text = "transform(:0, :1)" if len(arrays) == 1 else "zip_with(:0, :1, :2)"
    return Value(Sql(text, *(array.sql for array in arrays), body.sql), m.Array(body.type))


def _applied(call: Call) -> Value:
    """The array that is the last argument, mapped with the lambda before it if there is one."""
    array = call.arg(call.count - 1)
    if call.count == 1:
        return array
    body = call.lowerer.function(call.nodes[0], [items_of(array)])
    return Value(Sql("transform(:0, :1)", array.sql, body.sql), m.Array(body.type))


def _sum(array: Value) -> Value:
    kind = items_of(array)
    whole = isinstance(kind, m.Int) and (kind.signed or kind.bits < 64)
    type_ = LONG if whole else kind if isinstance(kind, m.Decimal) else DOUBLE
    spark = spark_type(m.Decimal(38, kind.scale) if isinstance(kind, m.Decimal) else type_)
    add = f"(`_s`, `_i`) -> CAST(`_s` + CAST(`_i` AS {spark}) AS {spark})"
    return Value(Sql(f"aggregate(:0, CAST(0 AS {spark}), {add})", array.sql), type_)


def _average(array: Value) -> Value:
    return operators.divide(_sum(array), Value(Sql("size(:0)", array.sql), LONG))


_KEYED = "zip_with(:0, :1, (`_k`, `_v`) -> named_struct('k', `_k`, 'v', `_v`))"


def _sort_keys(call: Call, array: Value) -> Sql | None:
    """What an array is sorted by, None if by its items as they are."""
    if call.count == 1:
        return sort_key(array.sql, array.type)
    body = call.lowerer.function(call.nodes[0], [items_of(array)])
    keys = Sql("transform(:0, :1)", array.sql, body.sql)
    return ordered_by(keys, m.Array(body.type))


def _extreme(function: str) -> Scalar:
    """`arrayMin` or `arrayMax`; an empty array gives the default of its items."""

    @special(1, 2)
    def build(call: Call) -> Value:
        array = _applied(call)
        type_ = items_of(array)
        keys = sort_key(array.sql, array.type)
        found = Sql(f"{function}(:0)", array.sql)
        if keys is not None:
            found = Sql(f"{function}(:0).`v`", Sql(_KEYED, keys, array.sql))
        default = None if is_nullable(type_) else default_of(type_)
        return Value(Sql("coalesce(:0, :1)", found, default) if default else found, type_)

    return build


def _sorted(*, down: bool) -> Scalar:
    text = "sort_array(:0, false)" if down else "array_sort(:0)"

    @special(1, 2)
    def build(call: Call) -> Value:
        array = call.arg(call.count - 1)
        keys = _sort_keys(call, array)
        if keys is None:
            return Value(Sql(text, array.sql), array.type)
        ordered = Sql(text, Sql(_KEYED, keys, array.sql))
        return Value(Sql("transform(:0, `_p` -> `_p`.`v`)", ordered), array.type)

    return build


@special(2, 3)
def _slice(call: Call) -> Value:
    array = call.arg(0)
    start = Sql("CAST(:0 AS INT)", call.arg(1).number())
    count = (
        Sql("CAST(:0 AS INT)", call.arg(2).number())
        if call.count > 2
        else Sql("size(:0)", array.sql)
    )
    return Value(Sql("slice(:0, :1, :2)", array.sql, start, count), array.type)


@special(1, 2)
def _join(call: Call) -> Value:
    array = call.arg(0)
    texts = array.sql
    if not isinstance(items_of(array), m.String):
        each = to_string(Value(Sql("`_i`", rank=100), items_of(array)))
        texts = Sql("transform(:0, `_i` -> :1)", array.sql, each.sql)
    separator = call.arg(1).sql if call.count > 1 else string("")
    return Value(Sql("array_join(:0, :1)", texts, separator), STRING)


@special(1, 3, doc=f"at most {LONGEST} items")
def _range(call: Call) -> Value:
    bounds = [limited(call.arg(n), "range") for n in range(call.count)]
    start = bounds[0] if call.count > 1 else number(0)
    end = bounds[1] if call.count > 1 else bounds[0]
    step = bounds[2] if call.count > 2 else number(1)
    for n in range(call.count):
        literal = call.arg(n).literal
        if isinstance(literal, int | float) and literal > LONGEST:
            raise call.wrong(reason=f"range makes at most {LONGEST} items")
    text = (
        "if(:1 <= :0, array(), transform(sequence(:0, :1 - 1, :2), `_i` -> CAST(`_i` AS BIGINT)))"
    )
    return Value(Sql(text, start, end, step), m.Array(LONG))


def _first(call: Call) -> Value:
    array = call.arg(1)
    body = call.lowerer.function(call.nodes[0], [items_of(array)], condition=True)
    found = Sql("get(filter(:0, :1), 0)", array.sql, body.sql)
    default = default_of(items_of(array))
    return Value(Sql("coalesce(:0, :1)", found, default) if default else found, items_of(array))


def _map_types(call: Call) -> tuple[Type, Type]:
    kind = call.arg(call.count - 1).kind
    return (kind.key, kind.value) if isinstance(kind, m.Map) else (UNKNOWN, UNKNOWN)


def _new_map(call: Call) -> Value:
    args = call.args()
    if len(args) % 2:
        raise call.wrong(reason="map takes pairs of a key and a value")
    return operators.map_of(args)


FUNCTIONS: dict[str, Scalar] = {
    "array": special(0, None, derives=False)(lambda call: operators.array_of(call.args())),
    "arrayElement": special(2, derives=False)(lambda call: element(call.arg(0), call.arg(1))),
    "has": template("array_contains(:0, :1)", returns=BYTE, logical=True),
    "hasAny": template("arrays_overlap(:0, :1)", returns=BYTE, logical=True),
    "hasAll": template("size(array_except(:1, :0)) = 0", returns=BYTE, logical=True),
    "indexOf": template("array_position(:0, :1)", returns=LONG),
    "countEqual": template("size(filter(:0, `_i` -> `_i` <=> :1))", returns=LONG),
    "arrayMap": _map,
    "arrayFilter": _higher("filter(:0, :1)"),
    "arrayExists": _higher("exists(:0, :1)", logical=True, returns=BYTE),
    "arrayAll": _higher("forall(:0, :1)", logical=True, returns=BYTE),
    "arrayCount": _higher("size(filter(:0, :1))", returns=LONG),
    "arrayFirst": special(2)(_first),
    "arraySum": special(1, 2)(lambda call: _sum(_applied(call))),
    "arrayAvg": special(1, 2)(lambda call: _average(_applied(call))),
    "arrayMin": _extreme("array_min"),
    "arrayMax": _extreme("array_max"),
    "arraySort": _sorted(down=False),
    "arrayReverseSort": _sorted(down=True),
    "arrayReverse": template("reverse(:0)", returns=same(0)),
    "arrayDistinct": template("array_distinct(:0)", returns=same(0)),
    "arrayUniq": template("size(array_distinct(:0))", returns=LONG),
    "arrayConcat": template("concat(:0, :*)", returns=same(0)),
    "arrayIntersect": template("array_intersect(:0, :1)", returns=same(0)),
    "arraySlice": _slice,
    "arrayStringConcat": _join,
    "arrayFlatten": template("flatten(:0)", returns=item(0), doc="one level"),
    "arrayPushBack": template("array_append(:0, :1)", returns=same(0)),
    "arrayPushFront": template("array_prepend(:0, :1)", returns=same(0)),
    "arrayPopBack": template("slice(:0, 1, greatest(size(:0) - 1, 0))", returns=same(0)),
    "arrayPopFront": template("slice(:0, 2, size(:0))", returns=same(0)),
    "arrayEnumerate": template(
        "if(size(:0) = 0, array(), sequence(1, size(:0)))", returns=m.Array(LONG)
    ),
    "arrayZip": special(2)(
        lambda call: Value(
            Sql(
                "zip_with(:0, :1, (`_a`, `_b`) -> named_struct('1', `_a`, '2', `_b`))",
                call.arg(0).sql,
                call.arg(1).sql,
            ),
            m.Array(m.Tuple((items_of(call.arg(0)), items_of(call.arg(1))))),
        )
    ),
    "arrayWithConstant": special(2, doc=f"at most {LONGEST} items")(
        lambda call: Value(
            Sql(
                "array_repeat(:0, :1)",
                call.arg(1).plain(),
                limited(call.arg(0), "arrayWithConstant"),
            ),
            m.Array(call.arg(1).settled().type),
        )
    ),
    "range": _range,
    "map": special(0, None, derives=False)(_new_map),
    "mapKeys": special(1)(
        lambda call: Value(Sql("map_keys(:0)", call.arg(0).sql), m.Array(_map_types(call)[0]))
    ),
    "mapValues": special(1)(
        lambda call: Value(Sql("map_values(:0)", call.arg(0).sql), m.Array(_map_types(call)[1]))
    ),
    "mapContains": template("map_contains_key(:0, :1)", returns=BYTE, logical=True),
    "mapConcat": template("map_concat(:0, :*)", returns=same(0)),
    "mapFromArrays": template("map_from_arrays(:0, :1)"),
    "mapFilter": special(2)(
        lambda call: Value(
            Sql(
                "map_filter(:0, :1)",
                call.arg(1).sql,
                call.lowerer.function(call.nodes[0], _map_types(call), condition=True).sql,
            ),
            call.arg(1).type,
        )
    ),
    "tupleElement": special(2, derives=False)(lambda call: field(call.arg(0), call.arg(1).literal)),
}
