"""Queries over changelogs: rows are added and retracted, as are the rows of every result.

A query becomes steps that are run for each batch. What looks at one row at a time passes the kinds
of rows on. Everything else keeps state: `Accumulate` the sums of groups, `AccumulateValues` also
how often their values occur, `InnerJoin` the rows of both sides, `Arrange` the rows of each key,
over which the query is run as over a table that ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.calls import written
from sluice.sql.core.select import SUBTOTALS
from sluice.sql.core.spark import AND, ATOM, COMPARE, Clauses, Sql, chain, name, string
from sluice.sql.flink import functions, shapes
from sluice.sql.flink.accumulators import (
    COUNTED,
    Accumulators,
    inserted,
    is_incremental,
)
from sluice.sql.flink.changelog_sources import ChangelogFrom, of_columns
from sluice.sql.flink.changelog_tables import ARRIVAL, HIDDEN, hidden, made_by, no_windows
from sluice.sql.flink.functions.model import Aggregate
from sluice.sql.flink.ranks import check, is_rank
from sluice.sql.flink.scope import Flow, Output, Table
from sluice.sql.flink.select import Queries, Rank, Select, merged
from sluice.sql.flink.shapes import NeedsNormalizeError
from sluice.sql.flink.values import Value
from sluice.sql.relation import (
    BY_KEY,
    FULL,
    KIND,
    OF,
    UNCHANGED,
    Accumulate,
    AccumulateValues,
    Arrange,
    Shape,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.ranks import Ranked
    from sluice.sql.flink.scope import Context, Env, Scope
    from sluice.sql.flink.sources import From

_ONE = Sql("0", rank=ATOM)
"""The number of a column of values if it is the only one."""

_ENDS = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}


class ChangelogQueries(Queries):
    """Lowers a query whose rows are added and retracted, with all queries inside it."""

    def select(self, node: exp.Select, env: Env, parent: Scope | None) -> Table:
        """Lower a SELECT."""
        return ChangelogSelect(self, node, env, parent).lower()

    def united(
        self, node: exp.Expr, tables: Sequence[Table], words: Sequence[str], text: str
    ) -> Table:
        """UNION, INTERSECT or EXCEPT."""
        found = [table.shape for table in tables]
        if not any(shape.stream for shape in found):
            return super().united(node, tables, words, text)
        place = places.of_node(node)
        shapes.united([replace(shape, updating=False) for shape in found], place)
        for word in words:
            if not word.startswith("UNION"):
                shapes.must_end(found[0], word, place)
        for key, word in _ENDS.items():
            if node.args.get(key):
                shapes.must_end(found[0], word, place)
        if any(shape.changelog == BY_KEY for shape in found):
            raise NeedsNormalizeError
        sqls = [check(table).sql for table in tables]
        updating = [shape for shape in found if shape.updating]
        shape = Shape(
            stream=True,
            updating=bool(updating),
            bounded_state=all(shape.bounded_state for shape in found),
            why=updating[0].why if updating else "",
            changelog=FULL if updating else "",
            unkeyed=True,
        )
        columns = tuple(merged(each) for each in zip(*(t.columns for t in tables), strict=True))
        whole = Sql(text.replace("UNION (", "UNION ALL ("), *sqls, wrap=False)
        if all(word == "UNION ALL" for word in words):
            return Table(whole, columns, shape, hidden=HIDDEN)
        if len(set(words)) > 1:
            clause = "UNION and UNION ALL in one list over streams"
            raise places.unsupported(node, clause, "Put one of them in parentheses.")
        return distinct(self.context, whole, columns, shape)


def distinct(context: Context, sql: Sql, columns: Sequence[Output], shape: Shape) -> Table:
    """Rows, each once for as long as there is one like it."""
    names = [name(column.name) for column in columns]
    comes = inserted(name(KIND))
    weight = Sql("if(:0, 1L, -1L)", comes) if comes is not None else Sql("1L", rank=100)
    counted = Sql(
        "SELECT :*, sum(:0) AS :1 FROM (:2) GROUP BY :3",
        weight,
        name(COUNTED),
        sql,
        Sql(", ".join(f":{n}" for n in range(len(names))), *names, wrap=False),
        *names,
        wrap=False,
    )
    view = str(context.step(counted))[1:-1]
    keys = tuple(column.name for column in columns)
    why = f"GroupAggregate(groupBy=[{', '.join(keys)}], select=[{', '.join(keys)}])"
    state = Accumulate(view, keys, ((COUNTED, "sum"),), by_value=())
    step = context.step(Sql(""), state=state, node=why)
    # A row that was there before and still is has another number of its like alone.
    made = Sql("SELECT :* FROM :0 WHERE :1 IN ('+I', '-D')", step, name(KIND), *names,
               *map(name, HIDDEN), wrap=False)  # fmt: skip
    found = replace(
        shape,
        stateful=True,
        bounded_state=False,
        why=why if shape.updating else "",
        key=shape.key or keys,
        also=(*shape.also, keys) if shape.key else shape.also,
        unkeyed=False,
    )
    outputs = tuple(replace(column, time=None) for column in columns)
    return Table(made, outputs, found, hidden=HIDDEN)


class ChangelogSelect(Select):
    """One SELECT."""

    source: ChangelogFrom
    _before: list[Sql]
    """The conditions on rows before they are grouped."""
    _view: str | None = None
    """The rows that are kept for a query over each group, if they are."""
    _keys: tuple[str, ...] = ()
    _alias: str = ""

    def sources(self, node: exp.Select, where: exp.Expr | None, expressions: Expressions) -> From:
        """What builds the FROM clause."""
        return ChangelogFrom(expressions, where, node)

    @property
    def _flow(self) -> Flow | None:
        return self.source.flow

    def where(self) -> list[Sql]:
        """WHERE; the rows of groups are prepared for what keeps them."""
        conditions = super().where()
        if self._flow is None:
            return conditions
        self._check()
        grouped = self.node.args.get("group") is not None or bool(list(self._aggregates()))
        if self.source.shape.changelog == BY_KEY and (
            grouped or conditions or self.node.args.get("distinct")
        ):
            raise NeedsNormalizeError
        return self._prepared(conditions) if grouped else conditions

    def _check(self) -> None:
        """Refuse what cannot be done with rows that are added and retracted."""
        for key, word in _ENDS.items():
            if self.node.args.get(key):
                shapes.must_end(self.source.shape, word, self.place)
        for node in self._own():
            if isinstance(node, exp.Anonymous) and _is_window(node):
                raise no_windows(node)
            if isinstance(node, exp.Window) and not is_rank(node):
                what = f"{node.this.name.upper()} … OVER on an unbounded stream"
                hint = "Supported: ROW_NUMBER in a Top-N query, and GROUP BY."
                raise errors.UNSUPPORTED_ON_STREAM(
                    operation=what, hint=hint, place=places.of_node(node)
                )

    def _own(self) -> Iterator[exp.Expr]:
        """The nodes of the SELECT, without those of the queries in it."""
        args = self.node.args
        clauses = [*self.node.expressions, args.get("group"), args.get("having")]
        for clause in clauses:
            if clause is not None:
                yield from clause.walk(prune=lambda node: isinstance(node, exp.Query))

    def _aggregates(self) -> Iterator[exp.Expr]:
        """The calls of aggregate functions, with their FILTER."""
        inside: set[int] = set()
        for node in self._own():
            if isinstance(node, exp.Window):
                inside.update(id(each) for each in node.walk())
            if id(node) in inside or not isinstance(node, exp.Anonymous | exp.Filter):
                continue
            call = node.this if isinstance(node, exp.Filter) else node
            inside.add(id(call))
            known = functions.FUNCTIONS.get(call.name.upper())
            if isinstance(known, Aggregate):
                yield node

    # groups

    def _prepared(self, conditions: list[Sql]) -> list[Sql]:
        """The rows of groups: to be summed up, or to be kept."""
        flow = self._flow
        assert flow is not None  # noqa: S101 - just asked
        context = self.expressions.context
        items = self._items()
        self._alias = context.fresh()
        if all(self._is_incremental(node) for node in self._aggregates()):
            self._before = conditions
            self.expressions.accumulators = Accumulators(flow.kind, self._alias)
            return []
        keys = [(f"__k{n}", self.key(item).sql) for n, item in enumerate(items)]
        sources = list(self.scope.sources)
        shown, remapped = self.source.used(sources, self._alias, "__c")
        self._keys, more = of_columns(keys, shown)
        if self._by_arrival:
            more += of_columns(list(self._identity()), [*shown, *more])[1]
        columns = [Sql(":0 AS :1", sql, name(made), wrap=False) for made, sql in (*shown, *more)]
        text = Clauses()
        text.add("SELECT :*", *columns, *hidden(flow))
        text.add("FROM :0", self.source.sql() or Sql(""))
        if conditions:
            text.add("WHERE :0", chain("AND", AND, conditions))
        self._view = str(context.step(text.sql()))[1:-1]
        for source, found in zip(sources, remapped, strict=True):
            source.columns = found
            source.shape = replace(source.shape, stream=False)
        self.source.parts = [Sql(":0 AS :1", name(self._view), name(self._alias), wrap=False)]
        self.expressions.arrival = name(self._alias, ARRIVAL)
        return []

    def _identity(self) -> Iterator[tuple[str, Sql]]:
        """The columns of a key, which keep rows apart whose order of arrival matters."""
        sources = {source.alias: source for source in self.scope.sources}
        for n, (alias, column) in enumerate(next(iter(self.source.keys), ())):
            if alias in sources and column in sources[alias].columns:
                yield f"__u{n}", self.expressions.source_column(sources[alias], column).sql

    def _items(self) -> list[exp.Expr]:
        group = self.node.args.get("group")
        if group is None:
            return []
        more = ("grouping_sets", "cube", "rollup")
        sets = any(group.args.get(key) for key in more)
        if sets or any(type(item) in SUBTOTALS for item in group.expressions):
            shapes.must_end(self.source.shape, "GROUPING SETS, CUBE or ROLLUP", self.place)
        return list(group.expressions)

    def _is_incremental(self, node: exp.Expr) -> bool:
        call = written(node)
        args = [self.expressions.value(arg) for arg in call.args]
        return is_incremental(call.name.upper(), call.distinct, args)

    def group(self) -> Sql | None:
        """The keys of GROUP BY; those of sums are columns from here on."""
        found = super().group()
        if self.expressions.accumulators is None:
            return found
        self._sums = found
        self.expressions.replaced = {
            str(key.sql): Value(name(self._alias, f"__k{n}"), key.type)
            for n, key in enumerate(self.keys)
        }
        return None

    # the result

    def result(self) -> Table:
        """The query in Spark SQL, with the hidden columns after its own."""
        flow = self._flow
        if flow is None:
            return super().result()
        if self.expressions.accumulators is not None:
            return self._finished(*self._accumulated(self.expressions.accumulators))
        if self._view is not None:
            return self._finished(*self._arranged(self._view))
        ranked, more = self.ranked()
        if self.source.shape.changelog == BY_KEY and (ranked or not self._passes()):
            raise NeedsNormalizeError
        if flow.unchanged is not None:
            flow = replace(flow, unchanged=self._renamed(flow.unchanged))
        shown = [p.sql() for p in self.projections if not isinstance(p, Rank)]
        text = self.head([*shown, *more, *hidden(flow)], distinct=False)
        shape = self._projected()
        names = HIDDEN if flow.unchanged is None else (*HIDDEN, UNCHANGED)
        return self._finished(text.sql(), shape, ranked, names)

    def _finished(
        self,
        sql: Sql,
        shape: Shape,
        ranked: Ranked | None = None,
        names: tuple[str, ...] = HIDDEN,
    ) -> Table:
        outputs = tuple(Output(p.name, p.value.type, time=p.value.time) for p in self.projections)
        if self.node.args.get("distinct"):
            return distinct(self.expressions.context, sql, outputs, shape)
        return Table(sql, outputs, shape, ranked, names)

    def _projected(self) -> Shape:
        """How rows behave after a projection: their keys have the names of the result."""
        shown = {str(p.value.sql): p.name for p in reversed(self.projections)}
        shape, keys = self.source.shape, self.source.key_names(shown)
        return replace(
            shape,
            key=keys[0] if keys else None,
            also=tuple(keys[1:]),
            unkeyed=not self.source.keys,
            partial=self._flow is not None and self._flow.unchanged is not None,
        )

    def _passes(self) -> bool:
        """Whether rows of a changelog by key can be passed on as they are."""
        flow = self._flow
        if flow is not None and flow.unchanged is not None:
            columns = {str(s.value(c).sql) for s in self.scope.sources for c in s.columns}
            texts = [str(p.value.sql) for p in self.projections]
            if not set(texts) <= columns or len(set(texts)) < len(texts):
                return False
        return self._projected().key is not None

    def _renamed(self, unchanged: Sql) -> Sql:
        """The names of columns without a value, as the result names them."""
        columns = {str(s.value(c).sql): c for s in self.scope.sources for c in s.columns}
        return renamed(unchanged, [(columns[str(p.value.sql)], p.name) for p in self.projections])

    def _group_shape(self) -> Shape:
        """How the rows of groups behave."""
        shown = {str(p.value.sql): p.name for p in reversed(self.projections)}
        replaced = self.expressions.replaced
        keys = [str(replaced.get(str(key.sql), key).sql) for key in self.keys]
        names = tuple(shown[key] for key in keys) if all(k in shown for k in keys) else None
        return Shape(
            stream=True,
            stateful=True,
            updating=True,
            key=names,
            bounded_state=False,
            why=self.words(),
            changelog=FULL,
        )

    def _accumulated(self, accumulators: Accumulators) -> tuple[Sql, Shape]:
        """Groups from their sums: what a batch adds to them, and the result of what they are."""
        self._check_keys()
        context, keys = self.expressions.context, [key.sql for key in self.keys]
        sums = list(accumulators.deltas())
        names = tuple(f"__k{n}" for n in range(len(keys)))
        each, values = self._by_value(accumulators.columns())
        pairs = [*zip(names, keys, strict=True), *values, *sums]
        by = [
            *([] if self._sums is None else [self._sums]),
            *(v for _, v in values if v is not _ONE),
        ]
        text = Clauses()
        text.add("SELECT :*", *(Sql(":0 AS :1", sql, name(made), wrap=False)
                                for made, sql in pairs))  # fmt: skip
        text.add("FROM :0", self.source.sql() or Sql(""))
        if each is not None:
            text.add(":0", each)
        if self._before:
            text.add("WHERE :0", chain("AND", AND, self._before))
        if by:
            text.add("GROUP BY :*", *by)
        view = str(context.step(text.sql()))[1:-1]
        added = tuple((made, "sum") for made, _ in sums)
        by_value = accumulators.by_value()
        state = Accumulate(view, names, added, by_value=by_value)
        if values:
            shown = [p.value.sql for p in self.projections]
            texts = {str(leaf) for sql in (*shown, self.having) if sql for leaf in _leaves(sql)}
            used = tuple(made for made, _ in sums if str(name(self._alias, made)) in texts)
            state = AccumulateValues(
                view, names, added, used, accumulators.values(), by_value=by_value
            )
        step = context.step(Sql(""), state=state, node=self.words())
        made = Clauses()
        made.add("SELECT :*", *(p.sql() for p in self.projections), *hidden(made_by(self._alias)))
        made.add("FROM :0", Sql(":0 AS :1", step, name(self._alias), wrap=False))
        if self.having is not None:
            made.add("WHERE :0", self.having)
        return made.sql(), self._group_shape()

    def _by_value(
        self, columns: Sequence[tuple[str, Sql]]
    ) -> tuple[Sql | None, list[tuple[str, Sql]]]:
        """The columns by which the rows of groups are told apart where values are counted.

        With several columns of values a row is repeated, once for each of them.
        """
        if len(columns) < 2:
            return None, [*((OF, _ONE) for _ in columns), *columns]
        numbers = [Sql(str(n), rank=ATOM) for n in range(len(columns))]
        alias = self.expressions.context.fresh()
        each = Sql("LATERAL VIEW explode(array(:*)) :0 AS :1", name(alias), name(OF), *numbers,
                   wrap=False)  # fmt: skip
        of = name(alias, OF)
        values = [
            (made, Sql("if(:0 = :1, :2, NULL)", of, n, sql))
            for n, (made, sql) in zip(numbers, columns, strict=True)
        ]
        return each, [(OF, of), *values]

    def _check_keys(self) -> None:
        """Refuse a column beside aggregates that is no key of GROUP BY."""
        columns = {
            str(source.value(column).sql): column
            for source in self.scope.sources
            for column in source.columns
        }
        for sql in (*(p.value.sql for p in self.projections), self.having):
            if sql is None:
                continue
            for leaf in _leaves(sql):
                if (found := columns.get(str(leaf))) is not None:
                    raise errors.NOT_AN_AGGREGATE(what=found, place=self.place)

    def _arranged(self, view: str) -> tuple[Sql, Shape]:
        """Groups from their rows: the query itself, over the rows of each group."""
        self.check_grouped()
        context = self.expressions.context
        if not self.keys:  # no rows have no result, as in Flink
            there = Sql("count(1) > 0", rank=COMPARE)
            self.having = chain("AND", AND, [there, *([self.having] if self.having else [])])
        text = self.head([p.sql() for p in self.projections], distinct=False)
        shape = self._group_shape()
        state = Arrange(((view, self._keys),), shape.key, ordered=self._by_arrival)
        step = context.step(text.sql(), state=state, node=shape.why)
        names = [name(p.name) for p in self.projections]
        sql = Sql("SELECT :* FROM :0", step, *names, *map(name, HIDDEN), wrap=False)
        return sql, shape

    @property
    def _by_arrival(self) -> bool:
        """Whether an aggregate depends on the order of rows."""
        called = {(node.this if isinstance(node, exp.Filter) else node).name.upper()
                  for node in self._aggregates()}  # fmt: skip
        return bool(called & functions.aggregates.BY_ARRIVAL.keys())


def renamed(unchanged: Sql, pairs: Sequence[tuple[str, str]]) -> Sql:
    """A list of columns, under their new names; those that have none are left out."""
    if all(old == new for old, new in pairs):
        return unchanged
    known = Sql("map(:*)", *(string(part) for pair in pairs for part in pair))
    named = Sql("transform(:0, `_n` -> try_element_at(:1, `_n`))", unchanged, known)
    return Sql("filter(:0, `_n` -> `_n` IS NOT NULL)", named)


def _is_window(node: exp.Anonymous) -> bool:
    return node.name.upper().partition("_")[0] in functions.WINDOWS


def _leaves(sql: Sql) -> Iterator[Sql]:
    if not sql.args:
        yield sql
    for arg in sql.args:
        yield from _leaves(arg)
