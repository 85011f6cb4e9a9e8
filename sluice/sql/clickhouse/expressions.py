"""Expressions of ClickHouse as expressions of Spark; what is not in the table is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse import calls, comparisons, opaque, operators, scalars
from sluice.sql.clickhouse.casts import cast, or_default, to_string
from sluice.sql.clickhouse.functions.arrays import element, field
from sluice.sql.clickhouse.functions.dates import shift, unit_of
from sluice.sql.clickhouse.functions.model import Call
from sluice.sql.clickhouse.functions.strings import matched, pattern_of, regex
from sluice.sql.clickhouse.ordering import ordered_by
from sluice.sql.clickhouse.promotion import NOTHING, derived, nullable
from sluice.sql.clickhouse.reading import parse_expression
from sluice.sql.clickhouse.values import BOOL, BYTE, Value
from sluice.sql.core import expressions as core
from sluice.sql.core import places
from sluice.sql.core.expressions import operands, tested
from sluice.sql.core.spark import AND, ATOM, COMPARE, NOT, OR, Sql, chain, name
from sluice.sql.core.values import UNKNOWN
from sluice.types import Type, is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sluice.sql.clickhouse.scope import Context, Output, Scope, Table


class Expressions(core.Expressions[Value]):
    """Lowers the expressions of one SELECT.

    An alias stands for its expression wherever it is used, except inside itself.
    """

    scope: Scope
    context: Context

    def __init__(self, scope: Scope, context: Context, query: Callable[..., Table]) -> None:
        super().__init__(scope, context, query)
        self.subtotals: dict[str, Value] = {}
        self._expanding: list[str] = []
        self._expanded: dict[str, Value] = {}
        self._exploded: dict[str, Sql] = {}
        self._lambdas: list[dict[str, Type]] = []

    def value(self, node: exp.Expr) -> Value:
        """Lower an expression; a key that a subtotal leaves out is its type's default."""
        found = super().value(node)
        return self.subtotals.get(str(found.plain()), found) if self.subtotals else found

    def sort_key(self, node: exp.Expr) -> Sql:
        """Lower what rows are ordered by."""
        value = self.value(node)
        return ordered_by(value.plain(), value.type)

    def parsed(self, text: str) -> exp.Expr:
        """The tree of an ALIAS column's expression."""
        return parse_expression(text)

    def computed(self, value: Value, column: Output) -> Value:
        """An ALIAS column, of the type it was declared with."""
        return value if column.type == UNKNOWN else cast(value, column.type)

    def with_subtotals(self, keys: Sequence[Value]) -> None:
        """From now on a key that a subtotal leaves out is its type's default, not NULL."""
        for key in keys:
            plain = key.plain()
            if (full := or_default(plain, key.type)) is not plain:
                self.subtotals[str(plain)] = Value(full, key.type)
        self._expanded.clear()

    def condition(self, node: exp.Expr) -> Sql:
        """Lower an expression to BOOLEAN."""
        return self.value(node).condition()

    def restriction(self, node: exp.Expr) -> Sql:
        """Lower what WHERE asks of rows, which NULL and false leave out alike.

        `x IN (SELECT …)` is a join there, and needs no NULL for a NULL.
        """
        parts = [self._part(part) for part in operands(node.unnest())]
        whole = parts[0] if len(parts) == 1 else operators.connected("AND", AND, parts)
        return whole.condition()

    def _part(self, node: exp.Expr) -> Value:
        inner = node.unnest()
        negated = isinstance(inner, exp.Not)
        inside = inner.this.unnest() if negated else inner
        if not isinstance(inside, exp.In) or not inside.args.get("query"):
            return self.value(node)
        found = self._inside_query(inside, joined=True)
        return operators.inverted(found) if negated else found

    def function(self, node: exp.Expr, types: Sequence[Type], *, condition: bool = False) -> Value:
        """Lower a lambda whose parameters have these types."""
        if not isinstance(node, exp.Lambda):
            reason, hint = "A function is expected here", "Write a lambda such as x -> x + 1."
            place = places.of_node(node)
            raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint, place=place)
        names = [part.name for part in node.expressions]
        if len(names) != len(types):
            reason = f"The lambda takes {len(names)} arguments, {len(types)} are given"
            place = places.of_node(node)
            raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="", place=place)
        self._lambdas.append(dict(zip(names, types, strict=True)))
        body = self.value(node.this)
        self._lambdas.pop()
        result = body.condition() if condition else body.plain()
        text = ":1 -> :0" if len(names) == 1 else "(:*) -> :0"
        params = [name(part) for part in names]
        sql = Sql(text, result, *params, rank=ATOM, wrap=False)
        return Value(sql, BOOL if condition else body.settled().type)

    # names

    def column(self, node: exp.Column) -> Value:
        """A column, an alias, a lambda's parameter, or an element of one of these."""
        parts = self.parts_of(node)
        if len(parts) == 1 and not node.this.args.get("quoted"):
            literal = operators.NOT_FINITE.get(parts[0].lower())
            if literal is not None:
                return literal
        found = self.named(parts, node)
        if found is None:
            aliases = self.scope.aliases
            raise self.scope.unknown(".".join(parts), places.of_node(node), aliases)
        opaque.check(found.type, node)
        return found

    def named(self, parts: list[str], node: exp.Expr) -> Value | None:
        """What a dotted name means, None if nothing."""
        first = parts[0]
        for params in reversed(self._lambdas):
            if first in params:
                return self._fields(Value(name(first), params[first]), parts[1:])
        alias = self.scope.aliases.get(first) or self.scope.env.constants.get(first)
        if alias is not None and first not in self._expanding and not self._qualifies(parts):
            return self._fields(self._expand(first, alias), parts[1:])
        shadow = self.scope.shadows.get(".".join(parts))
        if shadow is not None:
            return shadow
        if len(parts) == 1 and first in self.scope.merged:
            return self.scope.merged[first]()
        found = self.scope.find(parts, places.of_node(node))
        if found is None:
            return None
        source, column, rest = found
        return self._fields(self.source_column(source, column), rest)

    def _qualifies(self, parts: list[str]) -> bool:
        return len(parts) > 1 and any((parts[0],) in source.names for source in self.scope.sources)

    def _expand(self, alias: str, node: exp.Expr) -> Value:
        if alias not in self._expanded:
            self._expanding.append(alias)
            self._expanded[alias] = self.value(node)
            self._expanding.pop()
        return self._expanded[alias]

    def replacement(self, node: exp.Expr, replaced: Collection[str]) -> Value:
        """An expression of `* REPLACE (…)`, in which the names it replaces mean the columns."""
        self._expanding.extend(replaced)
        value = self.value(node)
        del self._expanding[-len(replaced) :]
        return value

    def explode(self, array: Sql) -> Sql:
        """The items of an array, each in a row of its own; the same array gives the same column."""
        key = str(array)
        if key not in self._exploded:
            source, column = self.context.fresh(), "item"
            text = "LATERAL VIEW explode(:0) :1 AS :2"
            self.scope.laterals.append(Sql(text, array, name(source), name(column)))
            self._exploded[key] = name(source, column)
        return self._exploded[key]

    def _fields(self, value: Value, rest: list[str]) -> Value:
        for part in rest:
            opaque.check_part(value.type, part)
            value = field(value, int(part) if part.isdecimal() else part)
        return value

    # operators

    def connect(self, node: exp.Connector, operator: str, rank: int) -> Value:
        """`a AND b AND c`, however long."""
        values = [self.value(each) for each in operands(node, type(node))]
        return operators.connected(operator, rank, values)

    def operate(self, build: Callable[[Value, Value], Value], node: exp.Binary) -> Value:
        """A binary operator."""
        return build(self.value(node.this), self.value(node.expression))

    def add(self, node: exp.Add) -> Value:
        """A sum; one side may be an INTERVAL."""
        if isinstance(node.expression, exp.Interval):
            return self._shift(node.this, node.expression, back=False)
        if isinstance(node.this, exp.Interval):
            return self._shift(node.expression, node.this, back=False)
        return self.operate(operators.plus, node)

    def subtract(self, node: exp.Sub) -> Value:
        """A difference; the right side may be an INTERVAL."""
        if isinstance(node.expression, exp.Interval):
            return self._shift(node.this, node.expression, back=True)
        return self.operate(operators.minus, node)

    def _shift(self, moment: exp.Expr, interval: exp.Interval, *, back: bool) -> Value:
        call = Call("INTERVAL", (), self, places.of_node(interval) or places.of_node(moment))
        count = interval.this
        amount = operators.literal_of(int(count.name)) if _whole(count) else self.value(count)
        return shift(self.value(moment), amount, unit_of(call, interval.text("unit")), back=back)

    def inside(self, node: exp.In) -> Value:
        """`x IN (…)`: constants, tuples, or a query."""
        if node.args.get("query"):
            return self._inside_query(node)
        items = list(node.expressions)
        if not items and node.args.get("field") is not None:
            only = node.args["field"]
            items = list(only.expressions) if isinstance(only, exp.Array) else [only]
            if isinstance(only, exp.Column):
                return self._inside_column(node.this, only)
        if isinstance(node.this, exp.Tuple):
            if not (items and isinstance(items[0], exp.Tuple)):
                items = [exp.Tuple(expressions=items)]
            return self._tuple_inside(node.this, items)
        left = self.value(node.this)
        found = [value for value in map(self.value, items) if value.type != NOTHING]
        if not found:
            return _logical(Sql("if(:0 IS NULL, NULL, false)", left.sql), left)
        sides: dict[str, list[tuple[Sql, Sql]]] = {}
        for value in found:
            comparisons.check_member(left, value)
            one, other = comparisons.sides("=", left, value)
            sides.setdefault(str(one), []).append((one, other))
        lists = [_listed(pairs[0][0].atom(), [o for _, o in pairs]) for pairs in sides.values()]
        return _logical(lists[0] if len(lists) == 1 else chain("OR", OR, lists), left)

    def _inside_column(self, item: exp.Expr, column: exp.Column) -> Value:
        """`x IN column`: an item of an array, or NULL where x is; always Nullable in ClickHouse."""
        try:
            array = self.value(column)
        except errors.SluiceError as bad:  # a table, if it is anything
            what = f"IN with the table or column {column.sql()}"
            hint = "Write IN (SELECT …), or has(array, x)"
            raise self.refused(column, what, hint) from bad
        if not array.is_a(m.Array):
            what = f"IN with the column {column.sql()}, which is no Array,"
            raise self.refused(column, what, f"Write = {column.sql()}")
        left = self.value(item)
        found = self.value(exp.Anonymous(this="has", expressions=[column.copy(), item.copy()])).sql
        if is_nullable(left.type):
            found = Sql("if(:0 IS NULL, NULL, :1)", left.sql, found)
        return Value(found, m.Nullable(BYTE), logical=True)

    def _inside_query(self, node: exp.In, *, joined: bool = False) -> Value:
        """`x IN (SELECT …)`; a NULL that the query gives is equal to nothing.

        Outside of a join Spark has false where x is NULL, and ClickHouse NULL, but for a tuple.
        """
        row, inner = node.this, self.query(node.args["query"], self.scope.env)
        left = [self.value(item) for item in (row.expressions if _is_row(row) else [row])]
        for side, column in zip(left, inner.columns, strict=False):
            scalars.check_same(side.type, column.type)
        sql = inner.sql
        if any(is_nullable(column.type) for column in inner.columns):
            known = [Sql(":0 IS NOT NULL", name(column.name)) for column in inner.columns]
            sql = Sql(
                "SELECT * FROM (:0) AS `_s` WHERE :1", sql, chain("AND", AND, known), wrap=False
            )
        text = "(:*)" if _is_row(row) else ":*"
        sides = Sql(text, *(value.plain().atom() for value in left), rank=ATOM)
        found = Sql(":0 IN (:1)", sides, sql, rank=COMPARE)
        if _is_row(row):
            return _logical(found)
        if not joined and is_nullable(left[0].type):
            found = Sql("if(:0 IS NULL, NULL, :1)", sides, found)
        return _logical(found, *left)

    def _tuple_inside(self, row: exp.Tuple, items: list[exp.Expr]) -> Value:
        """`(a, b) IN ((1, 2), …)`: Spark compares structs of one type only, so each by itself."""
        equal = comparisons.COMPARISONS["equals"]
        left = [self.value(part) for part in row.expressions]
        rows: list[Sql] = []
        for item in items:
            parts = item.expressions
            if len(parts) != len(left):
                place = places.of_node(item)
                raise errors.TUPLE_SIZES_DIFFER(left=len(left), right=len(parts), place=place)
            pairs = zip(left, parts, strict=True)
            rows.append(chain("AND", AND, [equal(side, self.value(p)).sql for side, p in pairs]))
        return _logical(chain("OR", OR, rows))

    def between(self, node: exp.Between) -> Value:
        """`x BETWEEN a AND b`."""
        this = self.value(node.this)
        low = comparisons.COMPARISONS["greaterOrEquals"](this, self.value(node.args["low"]))
        high = comparisons.COMPARISONS["lessOrEquals"](this, self.value(node.args["high"]))
        return operators.connected("AND", AND, [low, high])

    def like(self, node: exp.Binary, operator: str) -> Value:
        """`x LIKE pattern`."""
        operator = f"NOT {operator}" if node.args.get("negate") else operator
        sides = [self.value(side) for side in (node.this, node.expression)]
        scalars.check("like", sides, places.of_node(node))
        left, right = to_string(sides[0]).sql.atom(), pattern_of(sides[1]).atom()
        return _logical(Sql(f":0 {operator} :1", left, right, rank=COMPARE), *sides)

    def regexp(self, node: exp.RegexpLike) -> Value:
        """`x REGEXP pattern`."""
        text, pattern = self.value(node.this), self.value(node.expression)
        found = matched(to_string(text), regex(pattern, places.of_node(node))).sql
        if node.args.get("negate"):
            found = Sql("NOT :0", found, rank=NOT)
        return _logical(found, text, pattern)

    def negation(self, node: exp.Not) -> Value:
        """`NOT x`, and `IS NOT NULL`."""
        inner = node.this
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            return _logical(Sql(":0 IS NOT NULL", self.value(inner.this).sql, rank=COMPARE))
        return operators.inverted(self.value(inner))

    def is_null(self, node: exp.Is) -> Value:
        """`x IS NULL`."""
        if not isinstance(node.expression, exp.Null):
            raise self.refused(node, "IS with anything but NULL")
        return _logical(Sql(":0 IS NULL", self.value(node.this).sql, rank=COMPARE))

    def choice(self, node: exp.If) -> Value:
        """`a ? b : c`."""
        sides = [self.value(node.args[side]) for side in ("true", "false")]
        return operators.chosen([self.condition(node.this)], sides)

    def case(self, node: exp.Case) -> Value:
        """`CASE … END`."""
        tests: list[Sql] = []
        values: list[Value] = []
        for test, result in tested(node):
            if node.this is not None:
                comparisons.check_name(self.value(test.this), self.value(test.args["expression"]))
            values.append(self.value(result))
            tests.append(self.condition(test))
        default = node.args.get("default")
        values.append(operators.null() if default is None else self.value(default))
        return operators.chosen(tests, values)

    def concat(self, node: exp.DPipe) -> Value:
        """`a || b`."""
        sides = [self.value(node.this), self.value(node.expression)]
        if any(side.is_a(m.Array) for side in sides):
            return Value(Sql("concat(:*)", *(side.sql for side in sides)), sides[0].type)
        texts = Sql("concat(:*)", *(to_string(side).sql for side in sides))
        return Value(texts, derived(m.String(), sides))

    def braces(self, node: exp.VarMap) -> Value:
        """`{'k': 1}`: a map."""
        keys, values = node.args["keys"].expressions, node.args["values"].expressions
        pairs = zip(keys, values, strict=True)
        return operators.map_of([self.value(part) for pair in pairs for part in pair])

    def subscript(self, node: exp.Bracket) -> Value:
        """`a[1]`, `m['k']`."""
        if len(node.expressions) != 1:
            reason = "one index is expected in brackets"
            raise errors.SYNTAX_ERROR(reason=reason, place=places.of_node(node))
        (index,) = node.expressions
        return element(self.value(node.this), self.value(index))

    def dot(self, node: exp.Dot) -> Value:
        """`t.1`, `f(x).name`."""
        part = self.dotted(node)
        return self._fields(self.value(node.this), [part.name])

    def subquery(self, node: exp.Subquery) -> Value:
        """A query that gives one value."""
        inner = self.query(node, self.scope.env)
        type_ = inner.columns[0].type if len(inner.columns) == 1 else UNKNOWN
        return Value(Sql("(:0)", inner.sql, rank=ATOM), nullable(type_))

    def exists(self, node: exp.Exists) -> Value:
        """`EXISTS (SELECT …)`."""
        return _logical(Sql("EXISTS (:0)", self.query(node.this, self.scope.env).sql, rank=ATOM))

    def alias(self, node: exp.Alias) -> Value:
        """An alias inside an expression."""
        return self.value(node.this)


def _whole(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.name.isdecimal()


def _logical(sql: Sql, *args: Value) -> Value:
    """A condition that is NULL where one of its arguments is."""
    return Value(sql, derived(BYTE, args), logical=True)


def _is_row(node: exp.Expr) -> bool:
    return isinstance(node, exp.Tuple)


def _listed(left: Sql, items: Sequence[Sql]) -> Sql:
    return Sql(":0 IN (:*)", left, *items, rank=COMPARE)


def _number(node: exp.Literal) -> Value:
    text = node.name
    if node.is_string:
        return operators.literal_of(text)
    return operators.literal_of(int(text) if text.isdecimal() else float(text))


def _comparison(function: str) -> Callable[[Expressions, Any], Value]:
    return lambda self, node: self.operate(comparisons.COMPARISONS[function], node)


HANDLERS: dict[type[exp.Expr], Callable[[Expressions, Any], Value]] = {
    exp.Literal: lambda self, node: _number(node),
    exp.RawString: lambda self, node: operators.literal_of(node.name),
    exp.HexString: lambda self, node: operators.literal_of(int(node.name, 16)),
    exp.Null: lambda self, node: operators.null(),
    exp.Boolean: lambda self, node: Value(Sql("true" if node.this else "false", rank=ATOM), BOOL),
    exp.Column: Expressions.column,
    exp.Identifier: lambda self, node: self.column(exp.Column(this=node.copy())),
    exp.Alias: Expressions.alias,
    exp.Paren: lambda self, node: self.value(node.this),
    exp.And: lambda self, node: self.connect(node, "AND", AND),
    exp.Or: lambda self, node: self.connect(node, "OR", OR),
    exp.Not: Expressions.negation,
    exp.EQ: _comparison("equals"),
    exp.NEQ: _comparison("notEquals"),
    exp.LT: _comparison("less"),
    exp.LTE: _comparison("lessOrEquals"),
    exp.GT: _comparison("greater"),
    exp.GTE: _comparison("greaterOrEquals"),
    exp.NullSafeEQ: lambda self, node: self.operate(comparisons.comparison("<=>"), node),
    exp.NullSafeNEQ: lambda self, node: _logical(
        Sql("NOT :0", self.operate(comparisons.comparison("<=>"), node).sql, rank=NOT)
    ),
    exp.Is: Expressions.is_null,
    exp.In: Expressions.inside,
    exp.Between: Expressions.between,
    exp.Like: lambda self, node: self.like(node, "LIKE"),
    exp.ILike: lambda self, node: self.like(node, "ILIKE"),
    exp.RegexpLike: Expressions.regexp,
    exp.Add: Expressions.add,
    exp.Sub: Expressions.subtract,
    exp.Mul: lambda self, node: self.operate(operators.multiply, node),
    exp.Div: lambda self, node: self.operate(operators.divide, node),
    exp.Mod: lambda self, node: self.operate(operators.modulo, node),
    exp.IntDiv: lambda self, node: self.operate(operators.int_div, node),
    exp.Neg: lambda self, node: operators.negate(self.value(node.this)),
    exp.DPipe: Expressions.concat,
    exp.If: Expressions.choice,
    exp.Case: Expressions.case,
    exp.Array: lambda self, node: operators.array_of([self.value(i) for i in node.expressions]),
    exp.Tuple: lambda self, node: operators.tuple_of([self.value(i) for i in node.expressions]),
    exp.VarMap: Expressions.braces,
    exp.Bracket: Expressions.subscript,
    exp.Dot: Expressions.dot,
    exp.Subquery: Expressions.subquery,
    exp.Exists: Expressions.exists,
    exp.Anonymous: lambda self, node: calls.call(self, node),
    exp.ParameterizedAgg: lambda self, node: calls.call(self, node),
    exp.Filter: lambda self, node: calls.call(self, node),
    exp.IgnoreNulls: lambda self, node: calls.call(self, node),
    exp.RespectNulls: lambda self, node: calls.call(self, node),
    exp.Window: lambda self, node: calls.call(self, node),
}
"""What may stand in an expression; any other node is refused, whatever sqlglot can parse."""

Expressions.handlers = HANDLERS
