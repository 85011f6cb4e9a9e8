"""FROM: tables, subqueries, VALUES, windows of time, UNNEST and JOIN."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.plan.streaming import STILL
from sluice.sql.core import places
from sluice.sql.core.spark import Sql, chain, name
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink import joins, ranks, shapes, windows
from sluice.sql.flink.cursor import DEFAULT_CATALOG
from sluice.sql.flink.joins import Joined
from sluice.sql.flink.operands import check_compared
from sluice.sql.flink.scope import Output, Scope, Source, Table
from sluice.sql.flink.times import CLOCK, ROWTIME, Time
from sluice.sql.flink.values import Value, common
from sluice.sql.ir import Name
from sluice.sql.relation import Shape
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors import Place
    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.scope import Context
    from sluice.sql.relation import Relation, RelationColumn

_SIDES = {"": "INNER", "LEFT": "LEFT", "RIGHT": "RIGHT", "FULL": "FULL"}
_KINDS = {"", "INNER", "OUTER", "CROSS"}


@dataclass(slots=True)
class From:
    """Builds a FROM clause while it fills the scope of the SELECT."""

    expressions: Expressions
    where: exp.Expr | None = None
    parts: list[Sql] = field(default_factory=list)
    shape: Shape = STILL
    """How what has been put together so far behaves."""
    joins: list[Joined] = field(default_factory=list)
    conditions: list[Sql] = field(default_factory=list)
    """What WHERE has to ask besides."""

    def sql(self) -> Sql | None:
        """The clause without the word FROM."""
        if not self.parts:
            return None
        return Sql(" ".join(f":{n}" for n in range(len(self.parts))), *self.parts, wrap=False)

    def add(self, node: exp.Expr) -> Source:
        """A table or subquery; it becomes a source of the scope."""
        source, sql = self._source(node)
        for join in node.args.get("joins") or ():
            what = "A JOIN in parentheses"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(join))
        first = not self.expressions.scope.sources
        self._enter(source, node)
        self.parts.append(sql)
        if first:
            self.shape = source.shape
        return source

    def _enter(self, source: Source, node: exp.Expr) -> None:
        scope = self.expressions.scope
        if source.alias in {known.alias for known in scope.sources}:
            reason = f"{source.alias} stands in FROM twice; give one of them an alias"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
        scope.sources.append(source)

    def _source(self, node: exp.Expr) -> tuple[Source, Sql]:
        if isinstance(node, exp.Subquery):
            _only(node, "this", "alias", "with_")
            return self._subquery(node)
        if isinstance(node, exp.Values):
            _only(node, "expressions", "alias")
            return self._values(node)
        if isinstance(node, exp.Lateral):
            call = node.this.name if isinstance(node.this, exp.Anonymous) else "LATERAL"
            what = f"The table function {call}"
            hint = "Only UNNEST and windows of time can stand there"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(node))
        if isinstance(node, exp.Unnest):
            hint = "Write CROSS JOIN UNNEST(…) AS t(column) behind a table"
            what = "UNNEST without a table before it"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(node))
        if not isinstance(node, exp.Table):
            what = f"{type(node).__name__} in FROM"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
        if node.args.get("version"):
            what = "FOR SYSTEM_TIME AS OF"
            hint = "Join with the table as it is now"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(node))
        _only(node, "this", "db", "catalog", "alias", "hints")
        if isinstance(node.this, exp.Anonymous):
            return self._function(node, node.this)
        return self._table(node)

    def _table(self, node: exp.Table) -> tuple[Source, Sql]:
        cte = self.expressions.scope.env.get(node.name)
        alias = _alias(node)
        if cte is not None and not node.db:
            return self._named(node, alias or node.name, cte)
        if _alias_columns(node):
            what = "A list of columns behind a table's alias"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
        table = table_name(node)
        found = self.expressions.context.relation(table)
        if found.query is not None:
            with self.expressions.context.inside(table, found):
                inner = self.expressions.query(found.query.tree, {}, Scope())
            return self._view(node, found, inner)
        outputs = [
            Output(c.name, c.type, c.alias, c.virtual, _time(found, c)) for c in found.columns
        ]
        names: set[tuple[str, ...]] = {(table.table,)}
        if table.database:
            names.add((table.database, table.table))
            names.add((table.catalog or DEFAULT_CATALOG, table.database, table.table))
        shown = alias or table.table
        source = Source(
            shown,
            frozenset({(alias,)} if alias else names),
            {output.name: output for output in outputs},
            Shape(stream=found.stream),
        )
        return source, Sql(":0 AS :1", name(found.view), name(shown), wrap=False)

    def _view(self, node: exp.Table, found: Relation, inner: Table) -> tuple[Source, Sql]:
        """A view is its query, with the columns' names that the view gives."""
        names = [column.name for column in found.columns]
        return self._named(node, _alias(node) or node.name, renamed(inner, names, node))

    def _subquery(self, node: exp.Subquery) -> tuple[Source, Sql]:
        scope = self.expressions.scope
        inner = self.expressions.query(node, scope.env, Scope(scope.env, scope.parent))
        return self._named(node, _alias(node), inner)

    def _named(self, node: exp.Expr, alias: str | None, table: Table) -> tuple[Source, Sql]:
        """Something made here, under its alias; the alias may name the columns anew."""
        context = self.expressions.context
        shown = alias or context.fresh()
        table = renamed(table, [part.name for part in _alias_columns(node)], node, shown)
        rank = table.ranked.column if table.ranked else None
        if table.ranked is not None:
            table = ranks.limited(context, table, table.ranked, self.where, shown)
        sql, outputs = carried(context, table)
        names = frozenset({(alias,)} if alias else ())
        columns = {output.name: output for output in outputs}
        source = Source(shown, names, columns, table.shape, rank=rank)
        return source, Sql(":0 AS :1", sql, name(shown), wrap=False)

    def _values(self, node: exp.Values) -> tuple[Source, Sql]:
        sql, outputs = values(self.expressions, node)
        return self._named(node, _alias(node), Table(sql, tuple(outputs)))

    def _function(self, node: exp.Table, call: exp.Anonymous) -> tuple[Source, Sql]:
        if not windows.is_window(call):
            what = f"The table function {call.name}"
            hint = "Only windows of time and the tables of the catalog can stand in FROM"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(call))
        window = windows.TableWindow(call)
        context = self.expressions.context
        context.windows.append(window.mark())
        inner = type(self.expressions)(
            Scope(self.expressions.scope.env), context, self.expressions.query
        )
        rows = From(inner)
        table = rows.add(window.table)
        shapes.settled(table.shape, f"{window.kind} in FROM", places.of_node(call))
        moment = window.moment(inner)
        columns = [o for o in table.columns.values() if not o.virtual]
        taken = [o.name for o in columns if o.name in windows.COLUMNS]
        if taken:
            reason = f"The table has a column {taken[0]} already"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(call))
        found = {o.name: inner.source_column(table, o.name) for o in columns}
        kept = [Output(n, value.type, time=value.time) for n, value in found.items()]
        source = rows.sql() or Sql("")
        if window.kind == "SESSION":
            return self._session(node, window, moment, source, found, kept, table.shape)
        sql = window.rows(moment, source, [(n, value.sql) for n, value in found.items()])
        outputs = (*(replace(o, time=None) for o in kept), *window.outputs(context, moment))
        if table.shape.stream:
            times = [(o.name, None) for o in kept if o.time is not None and o.time.carried]
            marks = [(o.name, o.time.delay) for o in outputs if o.time and o.time.carried]
            sql = Sql("SELECT * FROM :0", context.step(sql, times=(*times, *marks)), wrap=False)
        return self._named(node, _alias(node), Table(sql, outputs, table.shape))

    def _session(
        self,
        node: exp.Table,
        window: windows.TableWindow,
        moment: Value,
        source: Sql,
        found: dict[str, Value],
        kept: list[Output],
        shape: Shape,
    ) -> tuple[Source, Sql]:
        """Sessions are made by GROUP BY alone: start and end are parts of what it groups by."""
        context = self.expressions.context
        shown = [Sql(":0 AS :1", v.sql, name(n), wrap=False) for n, v in found.items()]
        sql = Sql("SELECT :* FROM :0", source, *shown, wrap=False)
        alias = _alias(node) or context.fresh()
        for column in window.partition:
            if column not in found:
                raise self.expressions.scope.unknown(column, window.place)
        here = Value(name(alias, window.column.name), moment.type, time=moment.time)
        outputs = (*kept, *window.outputs(context, here))
        table = Table(sql, outputs, shape)
        names = frozenset({(alias,)} if _alias(node) else ())
        columns = {output.name: output for output in table.columns}
        made = Source(alias, names, columns, shape, window.partition)
        return made, Sql("(:0) AS :1", sql, name(alias), wrap=False)

    # joins

    def join(self, node: exp.Join) -> None:
        """One JOIN, or a table behind a comma."""
        kind, side = node.kind, node.side
        if kind not in _KINDS or side not in _SIDES or node.method:
            word = " ".join(part for part in (node.method, side, kind, "JOIN") if part)
            hint = "INNER, LEFT, RIGHT, FULL and CROSS JOIN are there"
            raise errors.UNSUPPORTED_STATEMENT(what=word, hint=hint, place=places.of_node(node))
        if isinstance(node.this, exp.Unnest):
            self._unnest(node, node.this)
            return
        if isinstance(node.this, exp.Lateral) and isinstance(node.this.this, exp.Subquery):
            self._lateral(node, node.this)
            return
        self._one_time(node)
        before = list(self.expressions.scope.sources)
        right = self.add(node.this)
        table = self.parts.pop()
        on, equal = node.args.get("on"), self._using(node, before, right)
        joined = Joined(_SIDES[side], before, right, places.of_node(node), on, equal)
        self.joins.append(joined)
        self.expressions.joining = self.shape.stream and right.shape.stream
        condition = self._on(node, joined)
        if condition is None and self.expressions.joining:  # what joins them is in WHERE
            self.parts.append(Sql("INNER JOIN :0 ON true", table, wrap=False))
        elif condition is None:
            self.parts.append(Sql("CROSS JOIN :0", table, wrap=False))
        else:
            more = joins.same_window(self.expressions, joined)
            condition = chain("AND", 20, [condition, *more]) if more else condition
            self.parts.append(Sql(f"{_SIDES[side]} JOIN :0 ON :1", table, condition, wrap=False))
        self.shape = joins.shape(self.expressions, self.shape, joined, self.where)

    def _one_time(self, node: exp.Join) -> None:
        """Spark joins streams with one time each: a join so far becomes a view that keeps one.

        That is the one that the next join is about, else the first.
        """
        scope, context = self.expressions.scope, self.expressions.context
        times = [
            (source.alias, column)
            for source in scope.sources
            for column, output in source.columns.items()
            if output.time is not None and output.time.carried and output.time.marks
        ]
        if len(times) < 2:
            return
        used = [column.name for column in (node.args.get("on") or node).find_all(exp.Column)]
        keep = next((time for time in times if time[1] in used), times[0])
        alias = context.fresh()
        shown: list[Sql] = []
        off: list[tuple[str, None]] = []
        for source in scope.sources:
            columns: dict[str, Output] = {}
            for column, output in source.columns.items():
                made = f"__c{len(shown)}"
                value = self.expressions.source_column(source, column)
                shown.append(Sql(":0 AS :1", value.sql, name(made), wrap=False))
                time = output.time
                if (source.alias, column) in times and (source.alias, column) != keep:
                    off.append((made, None))
                    time = None
                columns[column] = replace(
                    output, type=value.type, alias=None, time=time, sql=name(alias, made)
                )
            source.columns = columns
        whole = Sql("SELECT :* FROM :0", self.sql() or Sql(""), *shown, wrap=False)
        view = context.step(whole, times=tuple(off))
        self.parts = [Sql(":0 AS :1", view, name(alias), wrap=False)]

    def _lateral(self, node: exp.Join, lateral: exp.Lateral) -> None:
        """`JOIN LATERAL (SELECT …)`: a query that may use the columns to the left of it."""
        _only(lateral, "this", "alias")
        if node.side not in ("", "LEFT") or node.args.get("using"):
            what = "This LATERAL"
            hint = "CROSS JOIN LATERAL (…) and LEFT JOIN LATERAL (…) ON … are there"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(lateral))
        scope = self.expressions.scope
        inner = self.expressions.query(lateral.this, scope.env, scope)
        if inner.shape.stream or (self.shape.stream and inner.shape.stateful):
            what = "LATERAL with a query over a stream"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(lateral))
        source, table = self._named(lateral, _alias(lateral), inner)
        self._enter(source, lateral)
        self._attach(node, Sql("LATERAL :0", table, wrap=False))

    def _on(self, node: exp.Join, joined: Joined) -> Sql | None:
        if joined.on is not None:
            return self.expressions.condition(joined.on)
        if joined.equal:
            pairs = [Sql(":0 = :1", left.sql, right.sql) for left, right in joined.equal]
            return Sql(" AND ".join(f":{n}" for n in range(len(pairs))), *pairs, wrap=False)
        if node.kind == "CROSS" or not (node.side or node.kind):
            return None
        raise errors.SYNTAX_ERROR(reason="A JOIN needs ON or USING", place=places.of_node(node))

    def _using(
        self, node: exp.Join, before: list[Source], right: Source
    ) -> tuple[tuple[Value, Value], ...]:
        """The columns that USING makes equal, left and right; each is one column from here on."""
        pairs: list[tuple[Value, Value]] = []
        for part in node.args.get("using") or ():
            place = places.of_node(part)
            left = self._left(part.name, before, place)
            if part.name not in right.columns:
                raise self.expressions.scope.unknown(part.name, place)
            pair = (left(), self.expressions.source_column(right, part.name))
            check_compared("=", *pair, place)
            pairs.append(pair)
            other = partial(self.expressions.source_column, right, part.name)
            self.expressions.scope.merged[part.name] = _merged(left, other, node.side)
        return tuple(pairs)

    def _left(self, column: str, before: list[Source], place: Place | None) -> Callable[[], Value]:
        """A column of USING to the left of its JOIN, which may be one that USING made before."""
        scope = self.expressions.scope
        if column in scope.merged:
            return scope.merged[column]
        found = replace(scope, sources=before, parent=None).find([column], place)
        if found is None:
            raise scope.unknown(column, place)
        return partial(self.expressions.source_column, found[0], column)

    def _unnest(self, node: exp.Join, unnest: exp.Unnest) -> None:
        """`CROSS JOIN UNNEST(array) AS t(column)`: a row for each item."""
        _only(unnest, "expressions", "alias")
        if len(unnest.expressions) != 1 or node.side not in ("", "LEFT") or node.args.get("using"):
            what = "This UNNEST"
            hint = "CROSS JOIN UNNEST(x) AS t(a) and LEFT JOIN UNNEST(x) AS t(a) ON TRUE are there"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(unnest))
        value = self.expressions.value(unnest.expressions[0])
        columns = _unnested(value, unnest)
        given = [part.name for part in _alias_columns(unnest)]
        if given and len(given) != len(columns):
            reason = f"UNNEST gives {len(columns)} columns here, {len(given)} names are given"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(unnest))
        names = given or [column.name for column in columns]
        outputs = [Output(n, c.type) for n, c in zip(names, columns, strict=True)]
        alias = unnest.alias or self.expressions.context.fresh()
        source = Source(alias, frozenset({(alias,)}), {output.name: output for output in outputs})
        self._enter(source, unnest)
        function = "inline" if isinstance(_item(value), m.Tuple) else "explode"
        condition = node.args.get("on")
        always = condition == exp.true()
        # Spark joins a stream with what LATERAL gives without a condition alone.
        if node.side == "LEFT" and always:
            function = f"{function}_outer"
        elif node.side == "LEFT" and self.shape.stream:
            raise errors.UNSUPPORTED_STATEMENT(
                what="LEFT JOIN UNNEST with a condition on an unbounded stream",
                hint="Write ON TRUE, and the condition elsewhere.",
                place=places.of_node(unnest),
            )
        table = Sql(
            f"LATERAL {function}(:0) AS :1(:*)",
            value.sql,
            name(alias),
            *map(name, names),
            wrap=False,
        )
        if condition is None or (node.side == "LEFT" and not always):
            self._attach(node, table)
            return
        self.parts.append(Sql("CROSS JOIN :0", table, wrap=False))
        if not always:
            self.conditions.append(self.expressions.condition(condition))

    def _attach(self, node: exp.Join, table: Sql) -> None:
        """`[CROSS | INNER | LEFT] JOIN LATERAL … [ON …]`."""
        condition = node.args.get("on")
        if condition is not None:
            on = self.expressions.condition(condition)
            self.parts.append(Sql(f"{_SIDES[node.side]} JOIN :0 ON :1", table, on, wrap=False))
        elif node.side or node.kind == "INNER":
            raise errors.SYNTAX_ERROR(reason="A JOIN needs ON", place=places.of_node(node))
        else:
            self.parts.append(Sql("CROSS JOIN :0", table, wrap=False))


def _time(found: Relation, column: RelationColumn) -> Time | None:
    if column.clock:
        return CLOCK
    if found.stream and found.watermark is not None and found.watermark[0] == column.name:
        return Time(ROWTIME, found.watermark[1])
    return None


def renamed(table: Table, names: list[str], node: exp.Expr, shown: str = "The query") -> Table:
    """A query with other names for its columns, if there are any."""
    if not names or names == [output.name for output in table.columns]:
        return table
    if len(names) != len(table.columns):
        reason = f"{shown} has {len(table.columns)} columns, {len(names)} names are given"
        raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
    new = {o.name: n for n, o in zip(names, table.columns, strict=True)}
    if table.ranked is not None:
        what = "New names for the columns of a query with ROW_NUMBER"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
    outputs = tuple(replace(o, name=new[o.name]) for o in table.columns)
    sql = Sql("SELECT * FROM (:0) AS `_r`(:*)", table.sql, *map(name, names))
    return Table(sql, outputs, shapes.renamed(table.shape, new))


def carried(context: Context, table: Table) -> tuple[Sql, tuple[Output, ...]]:
    """A query in FROM; where Spark has lost sight of the watermark it is told again."""
    outputs = table.columns
    there = any(o.time is not None and o.time.carried and o.time.marks for o in outputs)
    open_ = [o for o in outputs if o.time is not None and o.time.marks]
    if not table.shape.stream or there or not open_:
        return Sql("(:0)", table.sql), outputs
    chosen = min(open_, key=lambda o: o.time is not None and o.time.role != ROWTIME)
    assert chosen.time is not None  # noqa: S101 - it was just asked for
    view = context.step(table.sql, times=((chosen.name, chosen.time.delay),))
    made = replace(chosen, time=replace(chosen.time, carried=True))
    return view, tuple(made if o is chosen else o for o in outputs)


def _item(value: Value) -> m.Type:
    kind = value.kind
    if not isinstance(kind, m.Array):
        return UNKNOWN
    return kind.item.item if isinstance(kind.item, m.Nullable) else kind.item


def _unnested(value: Value, node: exp.Unnest) -> list[Output]:
    """The columns that UNNEST gives: a ROW's fields, a MAP's keys and values, or the items."""
    kind, item = value.kind, _item(value)
    if isinstance(item, m.Tuple):
        return [Output(n, t) for n, t in zip(item.names or (), item.items, strict=True)]
    if isinstance(kind, m.Map):
        return [Output("KEY", kind.key), Output("VALUE", kind.value)]
    if isinstance(kind, m.Array):
        return [Output("EXPR$0", kind.item)]
    reason = "UNNEST takes an ARRAY or a MAP"
    raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))


def _merged(
    left: Callable[[], Value], right: Callable[[], Value], side: str
) -> Callable[[], Value]:
    """A USING column: the side that always has a row, or whichever has one."""

    def value() -> Value:
        if side == "FULL":
            return Value(Sql("coalesce(:0, :1)", left().sql, right().sql), left().type)
        return right() if side == "RIGHT" else left()

    return value


def values(expressions: Expressions, node: exp.Values) -> tuple[Sql, list[Output]]:
    """`VALUES (1, 'a'), …` as a query."""
    rows: list[list[Value]] = []
    for row in node.expressions:
        items = row.expressions if isinstance(row, exp.Tuple) else [row]
        rows.append([expressions.value(item) for item in items])
        if len(rows[-1]) != len(rows[0]):
            reason = f"The rows of VALUES have {len(rows[0])} and {len(rows[-1])} values"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(row))
    outputs = [
        Output(f"EXPR${n}", common([row[n] for row in rows], "VALUES")) for n in range(len(rows[0]))
    ]
    shown = [Sql("(:*)", *(item.sql for item in row)) for row in rows]
    names = Sql("`_v`(:*)", *(name(output.name) for output in outputs))
    return Sql("SELECT * FROM VALUES :* AS :0", names, *shown, wrap=False), outputs


def table_name(node: exp.Table) -> Name:
    """The name of a table, with the options of its hint."""
    if not isinstance(node.this, exp.Identifier):
        what = "This name of a table"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
    pairs = [
        (pair.expressions[0].name, pair.expressions[1].name)
        for hint in node.args.get("hints") or ()
        for pair in hint.expressions
    ]
    catalog = node.catalog if node.catalog and node.catalog != DEFAULT_CATALOG else None
    return Name(node.name, node.db or None, places.of_node(node), catalog, tuple(pairs))


def _alias(node: exp.Expr) -> str | None:
    return node.alias or None


def _alias_columns(node: exp.Expr) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or ()) if alias is not None else []


def _only(node: exp.Expr, *allowed: str) -> None:
    """Refuse what stands at a table and is not known here, such as TABLESAMPLE."""
    for key, arg in node.args.items():
        if arg and key not in (*allowed, "joins"):
            what = f"{key.strip('_').replace('_', ' ').upper()} in FROM"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
