"""Flink's queries in Spark SQL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core import select as core
from sluice.sql.core.calls import ordered
from sluice.sql.core.select import SUBTOTALS, check, commas, limit, position
from sluice.sql.core.spark import Clauses, Sql, name
from sluice.sql.flink import changes, ranks, shapes, windows
from sluice.sql.flink.expressions import Expressions, unmarked
from sluice.sql.flink.joins import conjuncts
from sluice.sql.flink.scope import Context, Env, Output, Scope, Source, Table
from sluice.sql.flink.sources import From, renamed, values
from sluice.sql.flink.times import ROWTIME, Time
from sluice.sql.flink.values import Value
from sluice.types import parse_type
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.sql.relation import Shape

_AFTER_KEYS = ("grouping_sets", "cube", "rollup")
"""Subtotals that are not in the list of keys, as sqlglot names them."""

_ENDS = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}


class Queries(core.Queries[Table]):
    """Lowers a query with all queries inside it."""

    subquery = frozenset({"this", "alias"})
    clauses = frozenset({
        "with_", "expressions", "distinct", "from_", "joins", "where", "group", "having",
        "windows", *_ENDS,
    })  # fmt: skip
    sets: ClassVar[Mapping[type[exp.Expr], str]] = {
        exp.Union: "UNION",
        exp.Intersect: "INTERSECT",
        exp.Except: "EXCEPT",
    }
    set_clauses = frozenset({"this", "expression", "distinct", "with_", *_ENDS})

    def expressions(self, scope: Scope) -> Expressions:
        """What lowers the expressions of a scope."""
        return Expressions(scope, self.context, self.query)

    def select(self, node: exp.Select, env: Env, parent: Scope | None) -> Table:
        """Lower a SELECT."""
        return Select(self, node, env, parent).lower()

    def other(self, node: exp.Expr, env: Env, parent: Scope | None) -> Table:
        """Lower VALUES."""
        if not isinstance(node, exp.Values):
            return super().other(node, env, parent)
        check(node, {"expressions", "with_"})
        sql, outputs = values(self.expressions(Scope(env, parent)), node)
        return Table(sql, tuple(outputs))

    def cte(self, cte: exp.Expr, env: Env) -> Env:
        """`WITH name [(columns)] AS (SELECT …)`."""
        if not isinstance(cte.this, exp.Query | exp.Values):
            raise places.unsupported(cte, "This WITH")
        columns = cte.args["alias"].args.get("columns") or ()
        table = renamed(self.query(cte.this, env), [column.name for column in columns], cte)
        return env.with_cte(cte.alias, table)

    def united(
        self, node: exp.Expr, tables: Sequence[Table], words: Sequence[str], text: str
    ) -> Table:
        """UNION, INTERSECT or EXCEPT."""
        place = places.of_node(node)
        sqls = [ranks.check(table).sql for table in tables]
        whole = Sql(text, *sqls, wrap=False)
        shape = shapes.united([table.shape for table in tables], place)
        if any(word != "UNION ALL" for word in words):
            if {word.split()[0] for word in words} != {"UNION"}:
                shapes.must_end(shape, words[-1], place)
            if shape.stream:
                if len(set(words)) > 1:
                    clause = "UNION and UNION ALL in one list over streams"
                    raise places.unsupported(node, clause, "Put one of them in parentheses.")
                all_rows = Sql(text.replace("UNION", "UNION ALL"), *sqls, wrap=False)
                whole = _distinct(self.context, all_rows, tables[0].columns)
            shape = shapes.distinct(shape)
        columns = tuple(merged(each) for each in zip(*(t.columns for t in tables), strict=True))
        table = Table(whole, columns, shape)
        return self._ordered(node, table) if any(node.args.get(key) for key in _ENDS) else table

    def _ordered(self, node: exp.Expr, table: Table) -> Table:
        """ORDER BY and LIMIT of a set operation: over its columns alone."""
        source = Source("_s", frozenset(), {column.name: column for column in table.columns})
        expressions = self.expressions(Scope(sources=[source]))
        word = next(key for key in _ENDS if node.args.get(key))
        shapes.must_end(table.shape, _ENDS[word], places.of_node(node))
        text = Clauses()
        text.add("SELECT * FROM (:0) AS `_s`", table.sql)
        if order := node.args.get("order"):
            keys = [
                ordered(
                    item, _position(item.this, table.columns) or expressions.sort_key(item.this)
                )
                for item in order.expressions
            ]
            text.add("ORDER BY :*", *keys)
        limit(expressions, node, text)
        return Table(text.sql(), table.columns, replace(table.shape, stateful=True))


def merged(outputs: tuple[Output, ...]) -> Output:
    """A column of several queries: a time attribute if it is one in all of them."""
    first = outputs[0]
    if first.time is None or any(o.time is None or o.time.role != ROWTIME for o in outputs):
        return replace(first, time=None)
    delay = max(o.time.delay or 0 for o in outputs if o.time)
    carried = all(o.time.carried for o in outputs if o.time)
    return replace(first, time=Time(ROWTIME, delay, carried=carried))


def _distinct(
    context: Context, sql: Sql, columns: tuple[Output, ...], keep: str | None = None
) -> Sql:
    """Rows of a stream, each once; one column alone carries the watermark, if any."""
    times = tuple((o.name, None) for o in columns if o.time is not None and o.name != keep)
    names = tuple(o.name for o in columns)
    return Sql("SELECT * FROM :0", context.step(sql, distinct=names, times=times), wrap=False)


def _shown(node: exp.Expr) -> str:
    """An expression as text, with CAST as it is written."""
    return node.transform(_cast).sql()


def _cast(node: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.Anonymous) or node.name not in ("CAST", "TRY_CAST"):
        return node
    value, type_ = node.expressions
    kind = exp.Cast if node.name == "CAST" else exp.TryCast
    return kind(this=value, to=exp.to_identifier(summary(parse_type(type_.name))))


def _position(node: exp.Expr, columns: tuple[Output, ...]) -> Sql | None:
    """`ORDER BY 1`: the first column."""
    if not isinstance(node, exp.Literal) or node.is_string or not node.name.isdecimal():
        return None
    return name(columns[position(node, len(columns))].name)


@dataclass(slots=True)
class Rank(core.Projection[Value]):
    """A ROW_NUMBER over a stream, which stands for a number until its limit is known."""

    node: exp.Expr


class Select(core.Select[Value, Table]):
    """One SELECT."""

    expressions: Expressions
    scope: Scope
    source: From

    def __init__(self, queries: Queries, node: exp.Select, env: Env, parent: Scope | None) -> None:
        expressions = queries.expressions(Scope(env, parent))
        where = node.args.get("where")
        super().__init__(node, expressions, self.sources(node, where.this if where else None,
                                                         expressions))  # fmt: skip
        self.keys: list[Value] = []
        self.windowed = False

    def sources(self, node: exp.Select, where: exp.Expr | None, expressions: Expressions) -> From:
        """What builds the FROM clause."""
        return From(expressions, where)

    def where(self) -> list[Sql]:
        """WHERE, and what the sources ask of rows besides."""
        if not self.source.where:
            return self.source.conditions
        self.expressions.joining = any(join.right.shape.stream for join in self.source.joins)
        condition = self.expressions.condition(self.source.where)
        self.expressions.joining = False
        return [*self.source.conditions, condition]

    def result(self) -> Table:
        """The query in Spark SQL with the columns it gives, and how its rows behave."""
        having, distinct = self.node.args.get("having"), self.node.args.get("distinct")
        shape = self._shape(having.this if having is not None else None)
        ranked, more = self.ranked()
        shown = [p.sql() for p in self.projections if not isinstance(p, Rank)]
        text = self.head([*shown, *more], distinct=bool(distinct) and not shape.stream)
        outputs = tuple(Output(p.name, p.value.type, time=p.value.time) for p in self.projections)
        if order := self.order(lambda node: self._by(node, outputs)):
            text.add("ORDER BY :*", *order)
        limit(self.expressions, self.node, text)
        if distinct:
            return self._distinct(text.sql(), outputs, shape)
        return Table(text.sql(), outputs, shape, ranked)

    def _distinct(self, sql: Sql, outputs: tuple[Output, ...], shape: Shape) -> Table:
        """SELECT DISTINCT: of a stream, what is new is passed on."""
        if not shape.stream:
            return Table(sql, outputs, shapes.distinct(shape))
        values = [p.value for p in self.projections]
        closed = windows.closing(values, [], self.place)[0]
        keep = next(
            (o.name for o in outputs if closed and o.time and o.time.carried and o.time.marks), None
        )
        made = _distinct(self.expressions.context, sql, outputs, keep)
        kept = tuple(
            o if o.name == keep or o.time is None else replace(o, time=None) for o in outputs
        )
        return Table(made, kept, shapes.distinct(shape, bounded=keep is not None))

    def _shape(self, having: exp.Expr | None) -> Shape:
        """How the result behaves as a stream; what cannot be run is refused."""
        shape = self.source.shape
        for key, word in _ENDS.items():
            if self.node.args.get(key):
                shapes.must_end(shape, word, self.place)
                shape = replace(shape, stateful=True)
        if self.expressions.whole and not shape.stream:
            shape = replace(shape, stateful=True)
        if shape.updating:
            self._check_changes(shape)
        session = next((s for s in self.scope.sources if s.session is not None), None)
        if session is not None and not self.windowed:
            raise windows.other_sessions(session, self.place)
        if self.node.args.get("group") is None and not self.expressions.aggregates:
            columns = {str(s.value(c).sql): c for s in self.scope.sources for c in s.columns}
            found = {str(p.value.sql): p.name for p in reversed(self.projections)}
            names = {columns[sql]: given for sql, given in found.items() if sql in columns}
            return shapes.renamed(shape, names)
        self.check_grouped()
        if shape.stream and self.expressions.sets:
            shapes.must_end(shape, "GROUPING SETS, CUBE or ROLLUP", self.place)
        shown = {str(p.value.sql): p.name for p in reversed(self.projections)}
        keys = [str(value.sql) for value in self.keys]
        names_ = tuple(shown[key] for key in keys) if all(k in shown for k in keys) else None
        if shape.stream and having is not None and not self.windowed:
            changes.check_having(having)
        return shapes.grouped(shape, names_, self.words(), windowed=self.windowed, place=self.place)

    def check_grouped(self) -> None:
        """Refuse a column beside aggregates that is no key of GROUP BY."""
        items = self.node.expressions
        if self.expressions.sets or len(items) != len(self.projections):
            return  # keys of GROUPING SETS, or `*`
        keys = {str(key.sql) for key in self.keys}
        for item, projection in zip(items, self.projections, strict=True):
            column = item.unalias()
            if not isinstance(column, exp.Column) or str(projection.value.sql) in keys:
                continue
            parts, place = [part.name for part in column.parts], places.of_node(column)
            found = None if parts[0] in self.scope.merged else self.scope.find(parts, place)
            if found is not None and found[0] in self.scope.sources and not found[2]:
                raise errors.NOT_AN_AGGREGATE(what=column.name, place=place)

    def _check_changes(self, shape: Shape) -> None:
        """Rows that change later can be projected, and no more."""
        where = [
            node
            for node in conjuncts(self.source.where)
            if not any(ranks.of_rank(node, source) for source in self.scope.sources)
        ]
        if where:
            shapes.settled(shape)

    def ranked(self) -> tuple[ranks.Ranked | None, list[Sql]]:
        """The ROW_NUMBER of the list, if there is one, with the columns that it needs."""
        found = [p for p in self.projections if isinstance(p, Rank)]
        if not found:
            return None, []
        if (
            len(found) > 1
            or self.expressions.aggregates
            or self.keys
            or self.node.args.get("distinct")
        ):
            what = "ROW_NUMBER over a stream beside another one or beside aggregates"
            hint = "Put the aggregation in a subquery."
            raise errors.UNSUPPORTED_ON_STREAM(operation=what, hint=hint, place=self.place)
        shown = {str(p.value.sql): p.name for p in reversed(self.projections) if p not in found}
        return ranks.read(self.expressions, found[0].node, found[0].name, shown)

    def words(self) -> str:
        """The aggregation as Flink's plans show it."""
        group = self.node.args.get("group")
        keys = ", ".join(item.name or item.sql() for item in group.expressions) if group else ""
        items = [
            p.name if isinstance(item, exp.Column) else f"{_shown(item.unalias())} AS {p.name}"
            for p, item in zip(self.projections, self.node.expressions, strict=False)
        ]
        by = f"groupBy=[{keys}], " if keys else ""
        return f"GroupAggregate({by}select=[{', '.join(items)}])"

    # the list of columns

    def projection(self, item: exp.Expr, n: int) -> core.Projection[Value]:
        """A column by its alias, or by the name that Flink gives it."""
        if ranks.is_rank(item) and self.expressions.streams:
            return Rank(item.alias or f"EXPR${n}", ranks.NUMBERED, item)
        if isinstance(item, exp.Alias):
            return core.Projection(item.alias, self.expressions.value(item.this))
        return core.Projection(self._named(item, n), self.expressions.value(item))

    def _named(self, item: exp.Expr, n: int) -> str:
        """A column keeps its name; what is calculated gets Flink's."""
        if not isinstance(item, exp.Column):
            return f"EXPR${n}"
        parts = [part.name for part in item.parts]
        is_column = parts[0] in self.scope.merged or self.scope.find(parts, places.of_node(item))
        return parts[-1] if is_column else f"EXPR${n}"

    def named(self, projections: list[Any]) -> list[Any]:
        """Of two columns of one name the second gets a number, as Flink does it."""
        taken: set[str] = set()
        for projection in projections:
            given, n = projection.name, 0
            while projection.name.casefold() in taken:
                projection.name = f"{given}{n}"
                n += 1
            taken.add(projection.name.casefold())
        return projections

    # the clauses

    def group(self) -> Sql | None:
        """The keys of GROUP BY; the watermark decides when groups of a window end."""
        group = self.node.args.get("group")
        self.expressions.grouped = None if group is not None else set()
        if group is None:
            return None
        check(group, {"expressions", *_AFTER_KEYS})
        lists = [group.expressions, *(group.args.get(key) or () for key in _AFTER_KEYS)]
        items = [item for each in lists for item in each]
        self.keys = [self.key(item) for item in items if type(item) not in SUBTOTALS]
        self.windowed, plain = windows.closing(self.keys, self.scope.sources, places.of_node(group))
        if self.expressions.streams and not self.windowed:
            plain = self._for_ever()
        self.expressions.grouped = {str(item.sql) for item in self.keys}
        for item in items:
            if type(item) in SUBTOTALS:
                sets = [self._set(each) for each in item.expressions]
                plain.append(Sql(f"{SUBTOTALS[type(item)]} (:*)", *sets))
                self.expressions.sets = True
        if not plain:
            raise errors.SYNTAX_ERROR(
                reason="an expression is expected after GROUP BY", place=places.of_node(group)
            )
        return commas(plain)

    def _for_ever(self) -> list[Sql]:
        """Groups by a time that is no window stay, and late rows count: no watermark is theirs."""
        for n, key in enumerate(self.keys):
            if key.time is not None and key.time.carried:
                self.expressions.unmarked.add(str(key.sql))
                self.keys[n] = replace(key, sql=unmarked(key.sql), time=None)
        return [key.sql for key in self.keys]

    def _set(self, node: exp.Expr) -> Sql:
        if isinstance(node, exp.Tuple):
            return Sql("(:*)", *(self.key(item).sql for item in node.expressions), rank=100)
        return self.key(node.this if isinstance(node, exp.Paren) else node).sql

    def key(self, node: exp.Expr) -> Value:
        """A key of GROUP BY."""
        if isinstance(node, exp.Literal):
            raise places.unsupported(node, "A constant in GROUP BY", "Write the column itself")
        return self.expressions.value(node)

    def _by(self, node: exp.Expr, outputs: tuple[Output, ...]) -> Sql:
        """What to order by: an output column by its name or place, else an expression."""
        if (position := _position(node, outputs)) is not None:
            return position
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            for projection, item in zip(self.projections, self.node.expressions, strict=False):
                if isinstance(item, exp.Alias) and projection.name == node.name:
                    return name(projection.name)
        value = self.expressions.value(node)
        for projection in self.projections:
            if str(projection.value.sql) == str(value.sql):
                return name(projection.name)
        return value.sql
