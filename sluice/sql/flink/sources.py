"""FROM: tables, subqueries, VALUES, windows of time, UNNEST and JOIN."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core import sources as core
from sluice.sql.core.sources import SIDES, check_table, equal, merged, needs_condition
from sluice.sql.core.spark import Sql, chain, name
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink import joins, ranks, shapes, windows
from sluice.sql.flink.cursor import DEFAULT_CATALOG
from sluice.sql.flink.dialect import OPTIONS
from sluice.sql.flink.joins import Joined
from sluice.sql.flink.operands import check_compared
from sluice.sql.flink.scope import Env, Output, Scope, Source, Table
from sluice.sql.flink.times import CLOCK, ROWTIME, Time
from sluice.sql.flink.values import Value, common
from sluice.sql.ir import Name
from sluice.sql.relation import EVOLVED, STILL, UNCHANGED, Shape, TimeWindow
from sluice.types import model as m
from sluice.types.flink import summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.errors import Place
    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.scope import Context
    from sluice.sql.relation import Relation, RelationColumn


class From(core.From[Source, Value]):
    """Builds a FROM clause while it fills the scope of the SELECT."""

    expressions: Expressions
    kinds = frozenset({"", "INNER", "OUTER", "CROSS"})
    join_hint = "INNER, LEFT, RIGHT, FULL and CROSS JOIN are supported"

    def __init__(self, expressions: Expressions, where: exp.Expr | None = None) -> None:
        super().__init__(expressions)
        self.where = where
        self.shape: Shape = STILL
        """How the rows of the sources so far behave."""
        self.joins: list[Joined] = []
        self.conditions: list[Sql] = []
        """Conditions on rows besides those of WHERE."""

    def add(self, node: exp.Expr) -> Source:
        """A table or subquery; it becomes a source of the scope."""
        for join in node.args.get("joins") or ():
            raise places.unsupported(join, "A JOIN in parentheses")
        first = not self.expressions.scope.sources
        source = super().add(node)
        if first:
            self.shape = source.shape
        return source

    def source(self, node: exp.Expr) -> tuple[Source, Sql]:
        """A table, a view, a CTE, a subquery, VALUES or a window of time."""
        if isinstance(node, exp.Subquery):
            check_table(node, "this", "alias", "with_", "joins")
            return self._subquery(node)
        if isinstance(node, exp.Values):
            check_table(node, "expressions", "alias", "joins")
            return self._values(node)
        if isinstance(node, exp.Lateral):
            call = node.this.name if isinstance(node.this, exp.Anonymous) else "LATERAL"
            hint = "Only UNNEST and windows of time can stand there"
            raise places.unsupported(node, f"The table function {call}", hint)
        if isinstance(node, exp.Unnest):
            hint = "Write CROSS JOIN UNNEST(…) AS t(column) after a table"
            raise places.unsupported(node, "UNNEST without a table before it", hint)
        if not isinstance(node, exp.Table):
            raise places.unsupported(node, f"{type(node).__name__} in FROM")
        if node.args.get("version"):
            hint = "Join with the table as it is now"
            raise places.unsupported(node, "FOR SYSTEM_TIME AS OF", hint)
        check_table(node, "this", "db", "catalog", "alias", "joins")
        if isinstance(node.this, exp.Anonymous):
            return self._function(node, node.this)
        return self._table(node)

    def _table(self, node: exp.Table) -> tuple[Source, Sql]:
        cte = self.expressions.scope.env.ctes.get(node.name)
        alias = _alias(node)
        if cte is not None and not node.db:
            return self._named(node, alias or node.name, cte)
        if _alias_columns(node):
            raise places.unsupported(node, "A list of columns after a table's alias")
        table = table_name(node)
        found = self.expressions.context.relation(table)
        if found.query is None and found.stream and found.changelog:
            self.read_changelog()
        if found.query is not None:
            with self.expressions.context.inside(table, found):
                inner = self.expressions.query(found.query.tree, Env())
            return self._view(node, found, inner)
        outputs = [
            Output(c.name, c.type, c.alias, c.virtual, self.time(found, c)) for c in found.columns
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
            view=found.view,
        )
        self.expressions.context.use(source)
        return source, Sql(":0 AS :1", self.rows(found, source, table), name(shown), wrap=False)

    def read_changelog(self) -> None:
        """Called for a table whose rows are changes."""
        raise shapes.NeedsChangelogError

    def rows(self, found: Relation, source: Source, table: Name) -> Sql:
        """The view with the rows of a table."""
        return name(found.view)

    def time(self, found: Relation, column: RelationColumn) -> Time | None:
        """The time attribute of a column."""
        if column.clock:
            return CLOCK
        if found.stream and found.watermark is not None and found.watermark[0] == column.name:
            return Time(ROWTIME, found.watermark[1])
        return None

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
            table = self.limited(table, table.ranked, shown)
        sql, outputs = carried(context, table)
        names = frozenset({(alias,)} if alias else ())
        columns = {output.name: output for output in outputs}
        source = Source(shown, names, columns, table.shape, rank=rank)
        return source, Sql(":0 AS :1", sql, name(shown), wrap=False)

    def limited(self, table: Table, ranked: ranks.Ranked, shown: str) -> Table:
        """A query with ROW_NUMBER, up to the limit that WHERE sets."""
        return ranks.limited(self.expressions.context, table, ranked, self.where, shown)

    def _values(self, node: exp.Values) -> tuple[Source, Sql]:
        sql, outputs = values(self.expressions, node)
        return self._named(node, _alias(node), Table(sql, tuple(outputs)))

    def _function(self, node: exp.Table, call: exp.Anonymous) -> tuple[Source, Sql]:
        if not windows.is_window(call):
            hint = "The table functions are TUMBLE, HOP, CUMULATE and SESSION"
            raise places.unsupported(call, f"The table function {call.name}", hint)
        window = windows.TableWindow(call)
        context = self.expressions.context
        context.windows.append(TimeWindow(window.kind, window.column.name))
        inner = type(self.expressions)(
            Scope(self.expressions.scope.env), context, self.expressions.query
        )
        rows = From(inner)
        table = rows.add(window.table)
        shapes.settled(table.shape)
        moment = window.moment(inner)
        columns = [o for o in table.columns.values() if not o.virtual]
        taken = [o.name for o in columns if o.name in windows.COLUMNS]
        if taken:
            raise errors.DUPLICATE_COLUMN(column=taken[0], place=places.of_node(call))
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
        """One JOIN, or a table after a comma."""
        self.check_join(node)
        if isinstance(node.this, exp.Unnest):
            self._unnest(node, node.this)
        elif isinstance(node.this, exp.Lateral) and isinstance(node.this.this, exp.Subquery):
            self._lateral(node, node.this)
        else:
            self.join_table(node)

    def sides(self, node: exp.Join) -> tuple[Joined, Sql]:
        """What a JOIN is of, and the table to the right of it as it stands in FROM."""
        before = list(self.expressions.scope.sources)
        right = self.add(node.this)
        on, using = node.args.get("on"), self._using(node, before, right)
        joined = Joined(SIDES[node.side], before, right, places.of_node(node), on, using)
        return joined, self.parts.pop()

    def join_table(self, node: exp.Join) -> None:
        """A JOIN with a table, a view or a subquery."""
        self._one_time(node)
        joined, table = self.sides(node)
        right = joined.right
        self.joins.append(joined)
        self.expressions.joining = self.shape.stream and right.shape.stream
        condition = self.on(node, joined)
        if condition is None and self.expressions.joining:  # what joins them is in WHERE
            self.parts.append(Sql("INNER JOIN :0 ON true", table, wrap=False))
        elif condition is None:
            self.parts.append(Sql("CROSS JOIN :0", table, wrap=False))
        else:
            more = joins.same_window(self.expressions, joined)
            condition = chain("AND", 20, [condition, *more]) if more else condition
            self.parts.append(Sql(f"{joined.side} JOIN :0 ON :1", table, condition, wrap=False))
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
        check_table(lateral, "this", "alias")
        if node.side not in ("", "LEFT") or node.args.get("using"):
            hint = "Supported: CROSS JOIN LATERAL (…), LEFT JOIN LATERAL (…) ON …"
            raise places.unsupported(lateral, "This LATERAL", hint)
        scope = self.expressions.scope
        inner = self.expressions.query(lateral.this, scope.env, scope)
        if inner.shape.stream or (self.shape.stream and inner.shape.stateful):
            raise places.unsupported(lateral, "LATERAL with a query over a stream")
        source, table = self._named(lateral, _alias(lateral), inner)
        self.enter(source, lateral)
        self._attach(node, Sql("LATERAL :0", table, wrap=False))

    def on(self, node: exp.Join, joined: Joined) -> Sql | None:
        """The condition of a JOIN, None if it has none."""
        if joined.on is not None:
            return self.expressions.condition(joined.on)
        if joined.equal:
            return equal([(left.sql, right.sql) for left, right in joined.equal])
        if node.kind == "CROSS" or not (node.side or node.kind):
            return None
        raise needs_condition(node)

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
            self.expressions.scope.merged[part.name] = merged(left, other, node.side)
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
        check_table(unnest, "expressions", "alias")
        if len(unnest.expressions) != 1 or node.side not in ("", "LEFT") or node.args.get("using"):
            hint = "Supported: CROSS JOIN UNNEST(x) AS t(a), LEFT JOIN UNNEST(x) AS t(a) ON TRUE"
            raise places.unsupported(unnest, "This UNNEST", hint)
        value = self.expressions.value(unnest.expressions[0])
        columns = _unnested(value, unnest)
        given = [part.name for part in _alias_columns(unnest)]
        if given and len(given) != len(columns):
            raise _names_given(unnest.key.upper(), len(columns), len(given), unnest)
        names = given or [column.name for column in columns]
        outputs = [Output(n, c.type) for n, c in zip(names, columns, strict=True)]
        alias = unnest.alias or self.expressions.context.fresh()
        source = Source(alias, frozenset({(alias,)}), {output.name: output for output in outputs})
        self.enter(source, unnest)
        function = "inline" if isinstance(_item(value), m.Tuple) else "explode"
        condition = node.args.get("on")
        always = condition == exp.true()
        # Spark joins a stream with what LATERAL gives without a condition alone.
        if node.side == "LEFT" and always:
            function = f"{function}_outer"
        elif node.side == "LEFT" and self.shape.stream:
            what = "LEFT JOIN UNNEST with a condition on an unbounded stream"
            raise places.unsupported(unnest, what, "Write ON TRUE, and the condition elsewhere.")
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
            self.parts.append(Sql(f"{SIDES[node.side]} JOIN :0 ON :1", table, on, wrap=False))
        elif node.side or node.kind == "INNER":
            raise needs_condition(node, "ON")
        else:
            self.parts.append(Sql("CROSS JOIN :0", table, wrap=False))


def renamed(table: Table, names: list[str], node: exp.Expr, shown: str = "The query") -> Table:
    """A query with other names for its columns, if there are any."""
    own = [output.name for output in table.columns]
    if names and EVOLVED in own and len(names) == len(own) - 1:  # no view and no list names it
        names = [*names[: own.index(EVOLVED)], EVOLVED, *names[own.index(EVOLVED) :]]
    if not names or names == own:
        return table
    if len(names) != len(table.columns):
        raise _names_given(shown, len(table.columns), len(names), node)
    new = {o.name: n for n, o in zip(names, table.columns, strict=True)}
    if table.ranked is not None:
        raise places.unsupported(node, "New names for the columns of a query with ROW_NUMBER")
    if UNCHANGED in table.hidden:  # it has the names of columns
        raise shapes.NeedsNormalizeError
    outputs = tuple(replace(o, name=new[o.name]) for o in table.columns)
    whole = map(name, (*names, *table.hidden))
    sql = Sql("SELECT * FROM (:0) AS `_r`(:*)", table.sql, *whole)
    return Table(sql, outputs, shapes.renamed(table.shape, new), hidden=table.hidden)


def _names_given(what: str, columns: int, names: int, node: exp.Expr) -> errors.SluiceError:
    return errors.COLUMN_NAMES_MISMATCH(
        what=what, columns=columns, names=names, place=places.of_node(node)
    )


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
    reason, hint = f"UNNEST takes an ARRAY or a MAP, not {summary(value.kind)}", ""
    raise errors.ILLEGAL_TYPE_OF_ARGUMENT(reason=reason, hint=hint, place=places.of_node(node))


def values(expressions: Expressions, node: exp.Values) -> tuple[Sql, list[Output]]:
    """`VALUES (1, 'a'), …` as a query."""
    rows: list[list[Value]] = []
    for row in node.expressions:
        items = row.expressions if isinstance(row, exp.Tuple) else [row]
        rows.append([expressions.value(item) for item in items])
        if len(rows[-1]) != len(rows[0]):
            raise errors.UNEVEN_VALUES(
                first=len(rows[0]), other=len(rows[-1]), place=places.of_node(row)
            )
    outputs = [
        Output(f"EXPR${n}", common([row[n] for row in rows], "VALUES")) for n in range(len(rows[0]))
    ]
    shown = [Sql("(:*)", *(item.sql for item in row)) for row in rows]
    names = Sql("`_v`(:*)", *(name(output.name) for output in outputs))
    return Sql("SELECT * FROM VALUES :* AS :0", names, *shown, wrap=False), outputs


def table_name(node: exp.Table) -> Name:
    """The name of a table, with the options of its hint."""
    if not isinstance(node.this, exp.Identifier):
        raise places.unsupported(node, "This name of a table")
    catalog = node.catalog if node.catalog and node.catalog != DEFAULT_CATALOG else None
    options = node.meta.get(OPTIONS, ())
    return Name(node.name, node.db or None, places.of_node(node), catalog, options)


def _alias(node: exp.Expr) -> str | None:
    return node.alias or None


def _alias_columns(node: exp.Expr) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or ()) if alias is not None else []
