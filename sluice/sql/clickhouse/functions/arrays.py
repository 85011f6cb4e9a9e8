"""Arrays, maps and tuples; positions count from 1, negative ones from the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.sql.clickhouse import operators, promotion
from sluice.sql.clickhouse.casts import null_of, or_default, to_string
from sluice.sql.clickhouse.functions.model import Scalar, condition, same, template
from sluice.sql.clickhouse.functions.strings import limited
from sluice.sql.clickhouse.integers import wrapped
from sluice.sql.clickhouse.ordering import ordered_by, sort_key
from sluice.sql.clickhouse.values import BYTE, DOUBLE, LONG, STRING, ULONG, Value, truth
from sluice.sql.core.functions import LONGEST, of_values, special
from sluice.sql.core.spark import ATOM, Sql, name, number, part, string
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type, bare, is_nullable, spark_type
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.sql.clickhouse.functions.model import Call


def items_of(value: Value) -> Type:
    """The type of an array's items."""
    return value.kind.item if isinstance(value.kind, m.Array) else UNKNOWN


_AT = "_at"
"""An index among several."""


def element(container: Value, index: Value) -> Value:
    """`container[index]`, or the type's default where there is nothing."""
    kind = container.kind
    if isinstance(kind, m.Tuple):
        return field(container, index.literal)
    if index.is_a(m.Array):
        each = element(container, Value(name(_AT), items_of(index)))
        sql = Sql("transform(:0, :1 -> :2)", index.sql, name(_AT), each.sql)
        return Value(sql, m.Array(each.type))
    is_map = isinstance(kind, m.Map) or isinstance(index.literal, str)
    type_ = kind.value if isinstance(kind, m.Map) else items_of(container)
    if is_map:
        found = Sql("try_element_at(:0, :1)", container.sql, index.plain())
    else:
        found = Sql("get(:0, :1)", container.sql, _place(container, index))
    found = or_default(found, type_)
    if not is_nullable(index.type):
        return Value(found, type_)
    known = Sql("if(:0 IS NULL, NULL, :1)", index.sql, found)
    return Value(known, promotion.nullable(type_))


def _place(array: Value, index: Value) -> Sql:
    """Where an item is, counted from 0; -1 if there is none.

    Spark's element_at reads memory outside of the array if it is given the least INT.
    """
    if isinstance(index.literal, int) and 0 < index.literal <= LONGEST:
        return number(index.literal - 1)
    text = (
        "CAST(CASE WHEN :1 > 0 AND :1 <= size(:0) THEN :1 - 1"
        " WHEN :1 < 0 AND :1 >= -size(:0) THEN size(:0) + :1 ELSE -1 END AS INT)"
    )
    return Sql(text, array.sql, index.number())


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
    return Value(part(value.sql, found), type_)


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
    kind = promotion.summed(items_of(array)) or DOUBLE
    spark = spark_type(kind)
    each = "CAST(`_i` AS SMALLINT)" if isinstance(items_of(array), m.Bool) else "`_i`"
    added = f"CAST(`_s` + CAST({each} AS {spark}) AS {spark})"
    if kind == LONG:
        added = f"sluice_ch_plus(`_s`, CAST({each} AS BIGINT))"
    elif kind == ULONG:
        added = str(wrapped(Sql(f"`_s` + CAST({each} AS {spark})"), ULONG))
        added = f"CAST({added} AS {spark})"
    return Value(
        Sql(f"aggregate(:0, CAST(0 AS {spark}), (`_s`, `_i`) -> {added})", array.sql), kind
    )


def _average(array: Value) -> Value:
    """The mean as a Float64, 0 of an empty array."""
    total = Sql("CAST(:0 AS DOUBLE)", _sum(array).sql)
    return Value(Sql("if(size(:1) = 0, 0.0D, :0 / size(:1))", total, array.sql), DOUBLE)


_KEYED = "zip_with(:0, :1, (`_k`, `_v`) -> named_struct('k', `_k`, 'v', `_v`))"


def _compared_by(call: Call, array: Value) -> tuple[Sql | None, Type]:
    """What an array is sorted by, None if by its items as they are; and the type of that."""
    if call.count == 1:
        return sort_key(array.sql, array.type), items_of(array)
    body = call.lowerer.function(call.nodes[0], [items_of(array)])
    keys = Sql("transform(:0, :1)", array.sql, body.sql)
    return ordered_by(keys, m.Array(body.type)), body.type


def _extreme(function: str) -> Scalar:
    """`arrayMin` or `arrayMax`; an empty array gives the default of its items, nan is left out."""

    @special(1, 2)
    def build(call: Call) -> Value:
        array = _applied(call)
        type_ = items_of(array)
        keys = sort_key(array.sql, array.type)
        found = Sql(f"{function}(:0)", array.sql)
        if keys is not None:
            found = Sql(f"{function}(:0).`v`", Sql(_KEYED, keys, array.sql))
        if isinstance(bare(type_), m.Float) and function == "array_max":
            text = "coalesce(array_max(filter(:0, `_i` -> NOT isnan(`_i`))), array_max(:0))"
            found = Sql(text, array.sql)
        return Value(or_default(found, type_), type_)

    return build


def _sorted(*, down: bool) -> Scalar:
    """The items in order, equal ones as they were; nan and then NULL are last in any direction."""

    @special(1, 2)
    def build(call: Call) -> Value:
        array = call.arg(call.count - 1)
        keys, type_ = _compared_by(call, array)
        odd = isinstance(bare(type_), m.Float)
        if keys is None and not (down and (odd or is_nullable(type_))):
            text = "sort_array(:0, false)" if down else "array_sort(:0)"
            return Value(Sql(text, array.sql), array.type)
        # Where a key is equal the position decides; the marks put nan and NULL to the end.
        last = "WHEN isnan(`_k`) THEN 1 " if odd else ""
        mark = f"CASE WHEN `_k` IS NULL THEN 2 {last}ELSE 0 END"
        rows = Sql(
            f"zip_with(:0, :1, (`_k`, `_v`) -> named_struct('m', {'-' if down else ''}({mark}),"
            " 'k', `_k`, 'v', `_v`))",
            keys or array.sql,
            array.sql,
        )
        at = "-`_n`" if down else "`_n`"
        placed = Sql(
            f"transform(:0, (`_r`, `_n`) -> named_struct('m', `_r`.`m`, 'k', `_r`.`k`, 'n', {at},"
            " 'v', `_r`.`v`))",
            rows,
        )
        ordered = Sql(f"sort_array(:0, {'false' if down else 'true'})", placed)
        return Value(Sql("transform(:0, `_p` -> `_p`.`v`)", ordered), array.type)

    return build


@special(2, 3, derives=False)
def _slice(call: Call) -> Value:
    """From an offset that counts from 1 or from the end; a negative length leaves out so many."""
    array = call.arg(0)
    bounds = [Sql("CAST(:0 AS BIGINT)", call.arg(n).number()) for n in range(1, call.count)]
    start = Sql("if(:0 < 0, size(:1) + :0, :0 - 1)", bounds[0], array.sql)
    if is_nullable(call.arg(1).type):
        start = Sql("coalesce(:0, 0L)", start)
    end = Sql("CAST(size(:0) AS BIGINT)", array.sql)
    if call.count > 2:
        # What is before the first item counts as well.
        end = Sql("if(:0 < 0, size(:2) + :0, :1 + :0)", bounds[1], start, array.sql)
        end = Sql("coalesce(:0, size(:1))", end, array.sql)
    text = (
        "slice(:0, CAST(greatest(:1, 0) + 1 AS INT),"
        " CAST(least(greatest(:2 - greatest(:1, 0), 0), size(:0)) AS INT))"
    )
    found = Sql(text, array.sql, start, end)
    zero = call.arg(1).literal
    if zero is None or zero == 0:
        found = Sql("if(:0 = 0, slice(:1, 1, 0), :2)", bounds[0], array.sql, found)
    return Value(found, array.type)


@special(1, 2)
def _join(call: Call) -> Value:
    array = call.arg(0)
    texts = array.sql
    if not isinstance(items_of(array), m.String):
        each = to_string(Value(Sql("`_i`", rank=100), items_of(array)))
        texts = Sql("transform(:0, `_i` -> :1)", array.sql, each.sql)
    separator = call.arg(1).sql if call.count > 1 else string("")
    return Value(Sql("array_join(:0, :1)", texts, separator), STRING)


@special(1, 3, derives=False, doc=f"at most {LONGEST} items")
def _range(call: Call) -> Value:
    """The numbers from a start up to an end, or down to it with a negative step."""
    args = call.args()
    bounds = [limited(arg, "range") for arg in args]
    start, end = bounds[:2] if call.count > 1 else (number(0), bounds[0])
    step = bounds[2] if call.count > 2 else number(1)
    for arg in args:
        if isinstance(arg.literal, int | float) and arg.literal > LONGEST:
            raise call.wrong(reason=f"range makes at most {LONGEST} items")
    type_ = promotion.supertype([arg.kind for arg in args]) or LONG
    text = "if(:0 < :1, sequence(:0, :1 - 1, :2), array())"
    if call.count > 2:
        if args[2].literal == 0:
            raise call.wrong(reason="The step of range may not be 0")
        text = (
            "CASE WHEN :2 > 0 AND :0 < :1 THEN sequence(:0, :1 - 1, :2)"
            " WHEN :2 < 0 AND :0 > :1 THEN sequence(:0, :1 + 1, :2) ELSE array() END"
        )
    found = Sql(text, start, end, step)
    return Value(Sql("transform(:0, `_i` -> CAST(`_i` AS BIGINT))", found), m.Array(type_))


@special(2)
def _first(call: Call) -> Value:
    array = call.arg(1)
    type_ = items_of(array)
    body = call.lowerer.function(call.nodes[0], [type_], condition=True)
    return Value(or_default(Sql("get(filter(:0, :1), 0)", array.sql, body.sql), type_), type_)


def _map_types(value: Value) -> tuple[Type, Type]:
    kind = value.kind
    return (kind.key, kind.value) if isinstance(kind, m.Map) else (UNKNOWN, UNKNOWN)


@special(2)
def _map_filter(call: Call) -> Value:
    filtered = call.arg(1)
    body = call.lowerer.function(call.nodes[0], _map_types(filtered), condition=True)
    return Value(Sql("map_filter(:0, :1)", filtered.sql, body.sql), filtered.type)


def _has(array: Value, sought: Value) -> Value:
    """Whether an array has an item, or a map a key; NULL is found among NULLs, nan nowhere."""
    if array.is_a(m.Map):
        return truth(Sql("map_contains_key(:0, :1)", array.sql, sought.plain()))
    found = Sql("coalesce(array_contains(:0, :1), false)", array.sql, sought.plain())
    nulls = Sql("exists(:0, `_i` -> `_i` IS NULL)", array.sql)
    return truth(_found(found, nulls, Sql("false", rank=ATOM), sought))


def _index_of(array: Value, sought: Value) -> Value:
    found = Sql("array_position(:0, :1)", array.sql, sought.plain())
    nulls = Sql("array_position(transform(:0, `_i` -> `_i` IS NULL), true)", array.sql)
    return Value(_found(found, nulls, number(0), sought), ULONG, bounds=_COUNT)


def _count_equal(array: Value, sought: Value) -> Value:
    found = Sql("size(filter(:0, `_i` -> `_i` = :1))", array.sql, sought.plain())
    nulls = Sql("size(filter(:0, `_i` -> `_i` IS NULL))", array.sql)
    sql = Sql("CAST(:0 AS BIGINT)", _found(found, nulls, number(0), sought))
    return Value(sql, ULONG, bounds=_COUNT)


_COUNT = (0, m.Int(32).high)
"""How many items an array may have."""


def _found(found: Sql, nulls: Sql, none: Sql, sought: Value) -> Sql:
    """What is found of a value: a NULL as one of `nulls`, of a nan there is `none`."""
    if sought.type == promotion.NOTHING:
        return nulls
    if sought.is_a(m.Float) and sought.literal is None:
        found = Sql("if(isnan(:0), :1, :2)", sought.sql, none, found)
    if not is_nullable(sought.type) and sought.type != UNKNOWN:
        return found
    return Sql("if(:0 IS NULL, :1, :2)", sought.sql, nulls, found)


def _comparable(array: Value) -> Sql:
    """An array without nan, which is equal to nothing."""
    if isinstance(bare(items_of(array)), m.Float):
        return Sql("filter(:0, `_i` -> `_i` IS NULL OR NOT isnan(`_i`))", array.sql)
    return array.sql


def _overlap(text: str) -> Scalar:
    return of_values(lambda one, other: truth(Sql(text, _comparable(one), other.sql)), 2)


def _distinct(array: Value) -> Value:
    """The items that differ, without NULL."""
    sql, type_ = array.sql, items_of(array)
    if is_nullable(type_):
        sql = Sql("filter(:0, `_i` -> `_i` IS NOT NULL)", sql)
    return Value(Sql("array_distinct(:0)", sql), m.Array(promotion.not_null(type_)))


def _flat(array: Value) -> Value:
    """One array of all items, however deep they are."""
    found, type_ = array.sql, array.kind
    while isinstance(type_, m.Array) and isinstance(type_.item, m.Array):
        found, type_ = Sql("flatten(:0)", found), type_.item
    return Value(found, type_)


def _pushed(function: str) -> Scalar:
    """An array with one more item."""

    def build(array: Value, item: Value) -> Value:
        added, inner = item.settled(), Value(array.sql, items_of(array))
        type_ = operators.common([inner, added])
        sql = null_of(type_) if added.type == promotion.NOTHING else added.plain()
        return Value(Sql(f"{function}(:0, :1)", array.sql, sql), m.Array(type_))

    return of_values(build, 2, derives=False)


@special(0, None, derives=False)
def _new_map(call: Call) -> Value:
    args = call.args()
    if len(args) % 2:
        raise call.wrong(reason="map takes pairs of a key and a value")
    return operators.map_of(args)


def _repeated(count: Value, item: Value) -> Value:
    sql = Sql("array_repeat(:0, :1)", item.plain(), limited(count, "arrayWithConstant"))
    return Value(sql, m.Array(item.settled().type))


_UINT32 = m.Int(32, signed=False)

FUNCTIONS: dict[str, Scalar] = {
    "array": of_values(lambda *args: operators.array_of(args), 0, None, derives=False),
    "arrayElement": of_values(element, 2, derives=False),
    "has": of_values(_has, 2, derives=False),
    "hasAny": _overlap("size(array_intersect(:0, :1)) > 0"),
    "hasAll": _overlap("size(array_except(:1, :0)) = 0"),
    "indexOf": of_values(_index_of, 2, derives=False),
    "countEqual": of_values(_count_equal, 2, derives=False),
    "arrayMap": _map,
    "arrayFilter": _higher("filter(:0, :1)"),
    "arrayExists": _higher("coalesce(exists(:0, :1), false)", logical=True, returns=BYTE),
    "arrayAll": _higher("coalesce(forall(:0, :1), false)", logical=True, returns=BYTE),
    "arrayCount": _higher("size(filter(:0, :1))", returns=_UINT32),
    "arrayFirst": _first,
    "arraySum": special(1, 2)(lambda call: _sum(_applied(call))),
    "arrayAvg": special(1, 2)(lambda call: _average(_applied(call))),
    "arrayMin": _extreme("array_min"),
    "arrayMax": _extreme("array_max"),
    "arraySort": _sorted(down=False),
    "arrayReverseSort": _sorted(down=True),
    "arrayReverse": template("reverse(:0)", returns=same(0)),
    "arrayDistinct": of_values(_distinct, 1),
    "arrayUniq": template("size(array_distinct(:0))", returns=_UINT32),
    "arrayConcat": template("concat(:0, :*)", returns=operators.common),
    "arrayIntersect": template(
        "array_intersect(:0, :1)",
        returns=lambda args: m.Array(promotion.subtype(items_of(args[0]), items_of(args[1]))),
    ),
    "arraySlice": _slice,
    "arrayStringConcat": _join,
    "arrayFlatten": of_values(_flat, 1),
    "arrayPushBack": _pushed("array_append"),
    "arrayPushFront": _pushed("array_prepend"),
    "arrayPopBack": template("slice(:0, 1, greatest(size(:0) - 1, 0))", returns=same(0)),
    "arrayPopFront": template("slice(:0, 2, size(:0))", returns=same(0)),
    "arrayEnumerate": template(
        "if(size(:0) = 0, array(), sequence(1, size(:0)))", returns=m.Array(_UINT32)
    ),
    "arrayZip": template(
        "zip_with(:0, :1, (`_a`, `_b`) -> named_struct('1', `_a`, '2', `_b`))",
        returns=lambda args: m.Array(m.Tuple(tuple(map(items_of, args)))),
    ),
    "arrayWithConstant": of_values(_repeated, 2, doc=f"at most {LONGEST} items"),
    "range": _range,
    "map": _new_map,
    "mapKeys": template("map_keys(:0)", returns=lambda args: m.Array(_map_types(args[0])[0])),
    "mapValues": template("map_values(:0)", returns=lambda args: m.Array(_map_types(args[0])[1])),
    "mapContains": condition("map_contains_key(:0, :1)"),
    "mapConcat": template("map_concat(:0, :*)", returns=same(0)),
    "mapFromArrays": template(
        "map_from_arrays(:0, :1)",
        returns=lambda args: m.Map(promotion.not_null(items_of(args[0])), items_of(args[1])),
    ),
    "mapFilter": _map_filter,
    "tupleElement": special(2, derives=False)(lambda call: field(call.arg(0), call.arg(1).literal)),
}
