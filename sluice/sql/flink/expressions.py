"""Flink's expressions in Spark SQL; what is not in the table is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from math import isinf
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice import errors
from sluice.sql.core import expressions as core
from sluice.sql.core import places
from sluice.sql.core import scope as core_scope
from sluice.sql.core.expressions import operands, tested
from sluice.sql.core.spark import (
    ADD,
    AND,
    ATOM,
    COMPARE,
    MULTIPLY,
    NOT,
    OR,
    Sql,
    binary,
    chain,
    part,
)
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink import calls, intervals, patterns, shapes
from sluice.sql.flink.functions.dates import BARE
from sluice.sql.flink.operands import check_calculated, check_compared, invalid_operands
from sluice.sql.flink.reading import parse_expression
from sluice.sql.flink.values import (
    BOOL,
    STRING,
    Value,
    calculated,
    cast_sql,
    common,
    digits_of,
    literal,
    numeric,
    overflows,
    quotient,
    remainder,
    whole,
)
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.flink.accumulators import Accumulators
    from sluice.sql.flink.scope import Context, Output, Scope, Table

_NUMBER = re.compile(r"\d+|\d*\.\d+|\d+\.", re.A)
_DOUBLE = re.compile(r"(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+", re.A)
_TIMES = (m.LocalDateTime, m.DateTime, m.Date, m.TimeOfDay, m.Interval)
_WRAPPING = {"+": "sluice_add", "-": "sluice_subtract", "*": "sluice_multiply"}
"""Operators for results that do not fit, where Spark's raise an error.

An integer wraps round, a DECIMAL is NULL.
"""


class Expressions(core.Expressions[Value]):
    """Lowers the expressions of one SELECT."""

    scope: Scope
    context: Context

    def __init__(self, scope: Scope, context: Context, query: Callable[..., Table]) -> None:
        super().__init__(scope, context, query)
        self.grouped: set[str] | None = None
        """The keys of GROUP BY, None while that is being read."""
        self.aggregates = False
        """Whether something is aggregated over the rows of a group."""
        self.whole = False
        """Whether rows cannot be looked at one by one, if they are no stream."""
        self.sets = False
        """Whether rows are grouped in several ways at once."""
        self.joining = False
        """Whether conditions join streams."""
        self._instants = False
        """Whether times are taken with a zone: Spark finds bounds of time in such alone."""
        self.unmarked: set[str] = set()
        """Columns that groups are made by for ever, whatever the watermark says."""
        self.accumulators: Accumulators | None = None
        """What computes aggregates from sums that are kept, over a changelog."""
        self.replaced: dict[str, Value] = {}
        """What stands for the keys of groups, by their Spark SQL."""
        self.arrival: Sql | None = None
        """The column by which rows are in the order of their arrival, if they have it."""

    def value(self, node: exp.Expr) -> Value:
        """Lower an expression; one that is a key of groups is a column of them."""
        found = super().value(node)
        return self.replaced.get(str(found.sql), found) if self.replaced else found

    @property
    def streams(self) -> bool:
        """Whether the rows never end."""
        return any(source.shape.stream for source in self.scope.sources)

    # names

    def column(self, node: exp.Column) -> Value:
        """A column, a field of one, or a function that is written without parentheses."""
        parts = self.parts_of(node)
        if len(parts) == 1 and parts[0] in self.scope.merged:
            return self.scope.merged[parts[0]]()
        found = self.scope.find(parts, places.of_node(node))
        if found is None:
            word = parts[0].upper()
            if len(parts) == 1 and word in BARE and not node.this.args.get("quoted"):
                return calls.call(self, exp.Anonymous(this=word))
            raise self.scope.unknown(".".join(parts), places.of_node(node))
        source, column, rest = found
        value = self._fields(self.source_column(source, column), rest, node)
        if self._instants and value.is_a(m.LocalDateTime):
            return replace(value, sql=Sql("CAST(:0 AS TIMESTAMP)", value.sql))
        return value

    def source_column(self, source: core_scope.Source[Any, Value], column: str) -> Value:
        """A column of a table; one that groups are made by for ever has no watermark."""
        found = super().source_column(source, column)
        if source.columns[column].alias is None and str(found.sql) in self.unmarked:
            return Value(unmarked(found.sql), found.type)
        return found

    def parsed(self, text: str) -> exp.Expr:
        """The tree of a computed column's expression."""
        return parse_expression(text)

    def computed(self, value: Value, column: Output) -> Value:
        """A computed column, with its time attribute."""
        return replace(value, time=column.time)

    def _fields(self, value: Value, rest: list[str], node: exp.Expr) -> Value:
        for field in rest:
            fields = dict(value.kind.struct) if isinstance(value.kind, m.Tuple) else {}
            if field not in fields:
                hint = errors.nearest(field, fields)
                raise errors.UNKNOWN_COLUMN(column=field, hint=hint, place=places.of_node(node))
            value = Value(part(value.sql, field), fields[field])
        return value

    # operators

    def condition(self, node: exp.Expr) -> Sql:
        """Lower an expression that must be BOOLEAN."""
        value = self.value(node)
        if value.kind != UNKNOWN and not value.is_a(m.Bool, m.Nothing):
            type_ = summary(value.kind)
            raise errors.CONDITION_EXPECTED(type=type_, place=places.of_node(node))
        return value.sql

    def connect(self, node: exp.Connector, operator: str, rank: int) -> Value:
        """`a AND b AND c`, however long."""
        conditions = [self.condition(operand) for operand in operands(node, type(node))]
        return Value(chain(operator, rank, conditions), BOOL)

    def compare(self, node: exp.Binary, operator: str) -> Value:
        """A comparison; times of day are compared with as many digits on both sides."""
        left, right = self._timed(operator, node.this, node.expression)
        check_compared(operator, left, right)
        return Value(binary(operator, COMPARE, *_alike(left, right)), BOOL)

    def _timed(self, operator: str, *nodes: exp.Expr) -> list[Value]:
        """The sides of a comparison; bounds of time are such that Spark can see them."""
        self._instants = self.joining and operator not in ("=", "<>")
        try:
            return [self.value(node) for node in nodes]
        finally:
            self._instants = False

    def distinct(self, node: exp.Binary, *, negated: bool) -> Value:
        """`a IS [NOT] DISTINCT FROM b`."""
        left, right = self.value(node.this), self.value(node.expression)
        check_compared("IS DISTINCT FROM", left, right)
        same = binary("<=>", COMPARE, *_alike(left, right))
        return Value(Sql("NOT :0", same.atom(), rank=NOT) if negated else same, BOOL)

    def add(self, node: exp.Binary, operator: str) -> Value:
        """A sum or a difference, of numbers or of times."""
        left, right = self.value(node.this), self.value(node.expression)
        if not (left.is_a(*_TIMES) or right.is_a(*_TIMES)):
            return self._calculated(node, operator, ADD, left, right)
        sql = binary(operator, ADD, left.sql, right.sql)
        if left.is_a(m.TimeOfDay) or right.is_a(m.TimeOfDay):
            raise self.refused(node, f"{operator} with a TIME")
        moment = right if left.is_a(m.Interval) else left
        if left.is_a(m.Interval) and right.is_a(m.Interval):
            return Value(sql, left.kind)
        if not (left.is_a(m.Interval) or right.is_a(m.Interval)):
            what = f"{operator} with a time and no INTERVAL"
            hint = "Use TIMESTAMPDIFF, or an INTERVAL"
            raise self.refused(node, what, hint)
        return Value(sql, moment.kind if not moment.is_a(m.Date) else UNKNOWN)

    def multiply(self, node: exp.Binary, operator: str) -> Value:
        """A product or a remainder."""
        left, right = self.value(node.this), self.value(node.expression)
        return self._calculated(node, operator, MULTIPLY, left, right)

    def _calculated(
        self, node: exp.Expr, operator: str, rank: int, left: Value, right: Value
    ) -> Value:
        """Arithmetic of numbers; integers wrap round, as Java's do, and DECIMALs are NULL."""
        check_calculated(operator, left, right)
        type_ = calculated(operator, left.type, right.type)
        if left.is_a(m.Interval) or right.is_a(m.Interval):
            type_ = left.kind if left.is_a(m.Interval) else right.kind
        if isinstance(type_, m.Int) and operator in _WRAPPING:
            return Value(Sql(f"{_WRAPPING[operator]}(:0, :1)", left.sql, right.sql), type_)
        if isinstance(type_, m.Int):
            return Value(remainder(left.sql, right.sql, type_, node), type_)
        if overflows(operator, left.type, right.type):
            sides = (self._all_digits(left), self._all_digits(right))
            return Value(Sql(f"{_WRAPPING[operator]}(:0, :1)", *sides), type_)
        return Value(binary(operator, rank, left.sql, right.sql), type_)

    def divide(self, node: exp.Div) -> Value:
        """A quotient; integers give an integer, cut off."""
        left, right = self.value(node.this), self.value(node.expression)
        check_calculated("/", left, right)
        type_ = numeric(left.type, right.type)
        if isinstance(type_, m.Int):
            return Value(quotient(left.sql, right.sql, type_, node), type_)
        known = left.is_a(m.Float, m.Decimal) or right.is_a(m.Float, m.Decimal)
        if type_ == UNKNOWN and not known:
            raise invalid_operands(operator="/", left=left, right=right)
        if isinstance(type_, m.Float):
            made = Sql("sluice_divide_double(:0, :1)", left.sql, right.sql)
            return Value(made if type_.bits == 64 else cast_sql(made, type_), type_)
        sides = [self._all_digits(side) if isinstance(type_, m.Decimal) else side.sql
                 for side in (left, right)]  # fmt: skip
        sql = binary("/", MULTIPLY, *sides)
        if overflows("/", left.type, right.type):  # but a divisor of 0 is an error
            sql = Sql("if(:1 = 0, :2, try_divide(:0, :1))", *sides, sql)
        return Value(sql, calculated("/", left.type, right.type))

    def _all_digits(self, side: Value) -> Sql:
        """An integer as a DECIMAL of all digits of its type, which Spark cuts for a literal."""
        return cast_sql(side.sql, digits_of(side.kind)) if side.is_a(m.Int) else side.sql

    def negate(self, node: exp.Neg) -> Value:
        """`-x`."""
        value = self.value(node.this)
        shown = -value.literal if isinstance(value.literal, int) else None
        if value.is_a(m.Int) and shown is None:
            return Value(Sql("sluice_negate(:0)", value.sql), value.type)
        return Value(Sql("- :0", value.sql.atom(), rank=MULTIPLY), value.type, shown)

    def inside(self, node: exp.In) -> Value:
        """`x IN (…)`: values or a query."""
        if node.args.get("unnest") or node.args.get("field"):
            raise self.refused(node, "IN without a list or a query")
        if query := node.args.get("query"):
            left, inner = self._row(node.this), self._ending(query)
            return Value(Sql(":0 IN (:1)", left, inner.sql, rank=COMPARE), BOOL)
        if not node.expressions:
            raise errors.SYNTAX_ERROR(reason="IN needs values")
        if isinstance(node.this, exp.Tuple):
            left, *items = (self._row(item) for item in (node.this, *node.expressions))
        else:
            first, *rest = (self.value(item) for item in (node.this, *node.expressions))
            for each in rest:
                check_compared("IN", first, each)
            left, *items = (each.sql.atom() for each in (first, *rest))
        return Value(Sql(":0 IN (:*)", left, *items, rank=COMPARE), BOOL)

    def _row(self, node: exp.Expr) -> Sql:
        if isinstance(node, exp.Tuple):
            return Sql("(:*)", *(self.value(item).sql for item in node.expressions), rank=ATOM)
        return self.value(node).sql.atom()

    def between(self, node: exp.Between) -> Value:
        """`x BETWEEN [SYMMETRIC] a AND b`."""
        this, low, high = self._timed("<", node.this, node.args["low"], node.args["high"])
        check_compared("BETWEEN", this, low)
        check_compared("BETWEEN", this, high)

        def inside(one: Value, other: Value) -> Sql:
            above = binary(">=", COMPARE, *_alike(this, one))
            return chain("AND", AND, [above, binary("<=", COMPARE, *_alike(this, other))])

        if node.args.get("symmetric"):
            return Value(chain("OR", OR, [inside(low, high), inside(high, low)]), BOOL)
        return Value(inside(low, high), BOOL)

    def like(self, node: exp.Binary, escape: str | None = None) -> Value:
        """`x LIKE pattern`; a back-slash escapes unless another letter is given."""
        word = "NOT LIKE" if node.args.get("negate") else "LIKE"
        left, right = (self.value(side).sql.atom() for side in (node.this, node.expression))
        sides = [left, right] if escape is None else [left, right, literal(escape).sql]
        text = f":0 {word} :1" if escape is None else f":0 {word} :1 ESCAPE :2"
        return Value(Sql(text, *sides, rank=COMPARE), BOOL)

    def similar(self, node: exp.SimilarTo) -> Value:
        """`x SIMILAR TO pattern`: the pattern must be written out, to be made Java's."""
        pattern = node.expression
        if not isinstance(pattern, exp.Literal) or not pattern.is_string:
            what = "SIMILAR TO with a pattern that is not written out"
            raise self.refused(node, what, "Use REGEXP(text, pattern)")
        regex = literal(f"\\A(?s:{patterns.java(pattern.name)})\\z").sql
        return Value(Sql("sluice_regexp_like(:0, :1)", self.value(node.this).sql, regex), BOOL)

    def escape(self, node: exp.Escape) -> Value:
        """`x LIKE pattern ESCAPE '!'`."""
        inner, letter = node.this, node.expression
        if not isinstance(inner, exp.Like) or not isinstance(letter, exp.Literal):
            raise self.refused(node, "ESCAPE here")
        if not letter.is_string or len(letter.name) != 1:
            raise errors.CONSTANT_REQUIRED(what="ESCAPE", type="a one-letter string")
        return self.like(inner, letter.name)

    def negation(self, node: exp.Not) -> Value:
        """`NOT x`, and `IS NOT …`."""
        inner = node.this
        if isinstance(inner, exp.Is):
            return self.is_what(inner, negated=True)
        return Value(Sql("NOT :0", self.condition(inner).atom(), rank=NOT), BOOL)

    def is_what(self, node: exp.Is, *, negated: bool = False) -> Value:
        """`x IS NULL`, `IS TRUE`, `IS FALSE`, `IS UNKNOWN`."""
        what = node.expression
        negated = negated != bool(node.args.get("negate"))
        if isinstance(what, exp.Null):
            word = "NULL"
        elif isinstance(what, exp.Boolean):
            word = "TRUE" if what.this else "FALSE"
        elif isinstance(what, exp.Column) and what.name.upper() == "UNKNOWN":
            word = "NULL"
        else:
            raise self.refused(node, "IS with anything but NULL, TRUE, FALSE and UNKNOWN")
        text = f":0 IS {'NOT ' if negated else ''}{word}"
        return Value(Sql(text, self.value(node.this).sql.atom(), rank=COMPARE), BOOL)

    def case(self, node: exp.Case) -> Value:
        """`CASE … END`."""
        args: list[Sql] = []
        values: list[Value] = []
        text = "CASE"
        for test, result in tested(node):
            values.append(self.value(result))
            text += f" WHEN :{len(args)} THEN :{len(args) + 1}"
            args += [self.condition(test), values[-1].sql]
        if node.args.get("default") is not None:
            values.append(self.value(node.args["default"]))
            text += f" ELSE :{len(args)}"
            args.append(values[-1].sql)
        if not values:
            raise errors.SYNTAX_ERROR(reason="CASE needs WHEN")
        return Value(Sql(f"{text} END", *args, rank=ATOM), common(values, "CASE"))

    def concat(self, node: exp.DPipe) -> Value:
        """`a || b`."""
        sides = (self.value(node.this).text(), self.value(node.expression).text())
        return Value(Sql("concat(:*)", *sides), STRING)

    def subscript(self, node: exp.Bracket) -> Value:
        """`a[1]` counted from 1, `m['k']`, `r[1]`; NULL where there is nothing."""
        if len(node.expressions) != 1:
            raise errors.SYNTAX_ERROR(reason="one subscript is expected")
        value, index = self.value(node.this), self.value(node.expressions[0])
        kind = value.kind
        if isinstance(kind, m.Tuple):
            names = kind.names or ()
            if not isinstance(index.literal, int) or not 1 <= index.literal <= len(names):
                what = f"an INT (1 to {len(names)})"
                raise errors.CONSTANT_REQUIRED(what="The subscript of a ROW", type=what)
            return self._fields(value, [names[index.literal - 1]], node)
        if kind != UNKNOWN and not isinstance(kind, m.Array | m.Map):
            reason = f"A subscript takes an ARRAY, a MAP or a ROW, not {summary(kind)}"
            raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint="")
        type_, position = kind.value if isinstance(kind, m.Map) else UNKNOWN, index.sql
        if isinstance(kind, m.Array):
            type_, position = kind.item, whole(index)
            if index.literal is None:
                # Given the least INT, Spark's element_at reads memory outside of the array.
                position = Sql("nullif(:0, -2147483648)", position)
        return Value(Sql("try_element_at(:0, :1)", value.sql, position), type_)

    def dot(self, node: exp.Dot) -> Value:
        """`f(x).name`."""
        part = self.dotted(node)
        return self._fields(self.value(node.this), [part.name], node)

    def subquery(self, node: exp.Subquery) -> Value:
        """A query that gives one value."""
        inner = self._ending(node)
        if len(inner.columns) != 1:
            raise errors.SCALAR_SUBQUERY_COLUMNS(columns=len(inner.columns))
        return Value(Sql("(:0)", inner.sql, rank=ATOM), inner.columns[0].type)

    def exists(self, node: exp.Exists) -> Value:
        """`EXISTS (SELECT …)`."""
        inner = self._ending(node.this)
        return Value(Sql("EXISTS (:0)", inner.sql, rank=ATOM), BOOL)

    def _ending(self, node: exp.Expr) -> Table:
        """A query inside an expression: it has to be one that ends."""
        inner: Table = self.query(node, self.scope.env, self.scope)
        shapes.must_end(inner.shape, "A query inside an expression", places.of_node(node))
        self.whole = True
        return inner


def unmarked(sql: Sql) -> Sql:
    """The same time, without the watermark that Spark sees in it."""
    return Sql(":0 + INTERVAL '0' SECOND", sql.atom(), rank=ADD)


def _alike(left: Value, right: Value) -> tuple[Sql, Sql]:
    """Both sides of a comparison; a time of day gets as many digits as the other one has."""
    kinds = (left.kind, right.kind)
    if not all(isinstance(kind, m.TimeOfDay) for kind in kinds):
        return left.sql, right.sql
    most = max(kind.precision for kind in kinds)  # type: ignore[attr-defined]
    return _padded(left, most), _padded(right, most)


def _padded(value: Value, digits: int) -> Sql:
    kind = value.kind
    if not isinstance(kind, m.TimeOfDay) or kind.precision == digits:
        return value.sql
    tail = ("" if kind.precision else ".") + "0" * (digits - kind.precision)
    return Sql("concat(:0, :1)", value.sql, literal(tail).sql)


def _number(node: exp.Literal) -> Value:
    text = node.name
    if node.is_string:
        return literal(text)
    if text.isascii() and text.isdecimal():
        digits = text.lstrip("0") or "0"
        if len(digits) > 38:
            shown, type_ = f"{text[:50]}…", "number of at most 38 digits"
            raise errors.INVALID_LITERAL(literal=shown, type=type_)
        return literal(int(digits))
    if _DOUBLE.fullmatch(text) and not isinf(float(text)):
        return Value(Sql(f"{float(text)!r}D", rank=ATOM), m.Float(64), float(text))
    if not _NUMBER.fullmatch(text) or len(text) > 39:
        raise errors.INVALID_LITERAL(literal=text[:50], type="number")
    before, _, fraction = text.partition(".")
    precision = len(before.lstrip("0")) + len(fraction)
    shown = f"{before or '0'}.{fraction or '0'}BD" if fraction else f"{before}BD"
    return Value(Sql(shown, rank=ATOM), m.Decimal(max(precision, 1), len(fraction)))


def _bytes(node: exp.HexString) -> Value:
    text = node.name
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", text):
        type_ = "string of bytes: it needs pairs of hex digits"
        raise errors.INVALID_LITERAL(literal=f"X'{text[:50]}'", type=type_)
    return Value(Sql(f"X'{text}'", rank=ATOM), m.Bytes())


def _comparison(operator: str) -> Callable[[Expressions, Any], Value]:
    return lambda self, node: self.compare(node, operator)


def _refused(what: str, hint: str = "") -> Callable[[Expressions, Any], Value]:
    def refuse(self: Expressions, node: exp.Expr) -> Value:
        raise self.refused(node, what, hint)

    return refuse


HANDLERS: dict[type[exp.Expr], Callable[[Expressions, Any], Value]] = {
    exp.Literal: lambda self, node: _number(node),
    exp.HexString: lambda self, node: _bytes(node),
    exp.Null: lambda self, node: Value(Sql("NULL", rank=ATOM), m.Nothing()),
    exp.Boolean: lambda self, node: literal(bool(node.this)),
    exp.Column: Expressions.column,
    exp.Paren: lambda self, node: self.value(node.this),
    exp.And: lambda self, node: self.connect(node, "AND", AND),
    exp.Or: lambda self, node: self.connect(node, "OR", OR),
    exp.Not: Expressions.negation,
    exp.EQ: _comparison("="),
    exp.NEQ: _comparison("<>"),
    exp.LT: _comparison("<"),
    exp.LTE: _comparison("<="),
    exp.GT: _comparison(">"),
    exp.GTE: _comparison(">="),
    exp.NullSafeEQ: lambda self, node: self.distinct(node, negated=False),
    exp.NullSafeNEQ: lambda self, node: self.distinct(node, negated=True),
    exp.Is: Expressions.is_what,
    exp.In: Expressions.inside,
    exp.Between: Expressions.between,
    exp.Like: lambda self, node: self.like(node),
    exp.Escape: Expressions.escape,
    exp.SimilarTo: Expressions.similar,
    exp.Add: lambda self, node: self.add(node, "+"),
    exp.Sub: lambda self, node: self.add(node, "-"),
    exp.Mul: lambda self, node: self.multiply(node, "*"),
    exp.Mod: lambda self, node: self.multiply(node, "%"),
    exp.Div: Expressions.divide,
    exp.Neg: Expressions.negate,
    exp.DPipe: Expressions.concat,
    exp.Case: Expressions.case,
    exp.Bracket: Expressions.subscript,
    exp.Dot: Expressions.dot,
    exp.Interval: lambda self, node: intervals.lower(node),
    exp.Subquery: Expressions.subquery,
    exp.Exists: Expressions.exists,
    exp.Anonymous: lambda self, node: calls.call(self, node),
    exp.Filter: lambda self, node: calls.call(self, node),
    exp.Window: lambda self, node: calls.call(self, node),
    exp.WithinGroup: _refused("WITHIN GROUP"),
    exp.IgnoreNulls: _refused("IGNORE NULLS", "NULLs are left out already where Flink does so"),
    exp.RespectNulls: _refused("RESPECT NULLS"),
    exp.Lambda: _refused("A lambda"),
}
"""What may stand in an expression; any other node is refused, whatever sqlglot can parse."""

Expressions.handlers = HANDLERS
