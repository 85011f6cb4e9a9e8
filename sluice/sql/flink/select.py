"""Queries of Flink as queries of Spark."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.ordering import ordered
from sluice.sql.core.spark import Clauses, Sql, chain, name
from sluice.sql.flink import changes, ranks, shapes, windows
from sluice.sql.flink.expressions import AND, Expressions, unmarked
from sluice.sql.flink.joins import conjuncts
from sluice.sql.flink.scope import Context, Env, Output, Scope, Source, Table
from sluice.sql.flink.sources import From, renamed, values
from sluice.sql.flink.times import ROWTIME, Time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.sql.flink.values import Value
    from sluice.sql.relation import Shape

_CLAUSES = {
    "with_", "expressions", "distinct", "from_", "joins", "where", "group", "having", "windows",
    "order", "limit", "offset",
}  # fmt: skip
"""The parts of a SELECT that are lowered."""

_SETS: dict[type[exp.Expr], str] = {
    exp.Union: "UNION",
    exp.Intersect: "INTERSECT",
    exp.Except: "EXCEPT",
}


_ENDS = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}

_GROUPINGS: dict[type[exp.Expr], str] = {
    exp.GroupingSets: "grouping_sets",
    exp.Cube: "cube",
    exp.Rollup: "rollup",
}


def query(context: Context, node: exp.Expr, env: Env, parent: Scope | None) -> Table:
    """Lower a query."""
    while isinstance(node, exp.Subquery):
        _check(node, {"this", "alias"})
        node = node.this
    env = _with(context, node, env)
    if type(node) in _SETS:
        return _set_operation(context, node, env, parent)
    if isinstance(node, exp.Values):
        _check(node, {"expressions", "with_"})
        expressions = _expressions(context, Scope(env, parent))
        sql, outputs = values(expressions, node)
        return Table(sql, tuple(outputs))
    if not isinstance(node, exp.Select):
        what = f"{type(node).__name__} as a query"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
    _check(node, _CLAUSES)
    return Select(context, node, env, parent).lower()


def _expressions(context: Context, scope: Scope) -> Expressions:
    return Expressions(scope, context, lambda node, env, outer: query(context, node, env, outer))


def _check(node: exp.Expr, known: set[str]) -> None:
    """Refuse every clause that is not known."""
    for key, arg in node.args.items():
        if arg and key not in known:
            what = f"The clause {key.strip('_').replace('_', ' ').upper()}"
            place = places.of_node(arg if isinstance(arg, exp.Expr) else node)
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=place)


def _with(context: Context, node: exp.Expr, env: Env) -> Env:
    clause = node.args.get("with_")
    if clause is None:
        return env
    if clause.args.get("recursive"):
        what = "WITH RECURSIVE"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(clause))
    for cte in clause.expressions:
        if not isinstance(cte.this, exp.Query | exp.Values):
            what = "This WITH"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(cte))
        table = query(context, cte.this, env, None)
        columns = cte.args["alias"].args.get("columns") or ()
        env = {**env, cte.alias: renamed(table, [column.name for column in columns], cte)}
    return env


def _set_operation(context: Context, node: exp.Expr, env: Env, parent: Scope | None) -> Table:
    """UNION, INTERSECT and EXCEPT; a chain of them is read from the left."""
    branches: list[exp.Expr] = []
    words: list[str] = []
    left = node
    ends = ("order", "limit", "offset", "with_")
    while type(left) in _SETS:
        binds = isinstance(left, exp.Intersect) != isinstance(node, exp.Intersect)
        if left is not node and (binds or any(left.args.get(key) for key in ends)):
            break
        _check(left, {"this", "expression", "distinct", "with_", "order", "limit", "offset"})
        branches.append(left.expression)
        words.append(_SETS[type(left)] + ("" if left.args.get("distinct") else " ALL"))
        left = left.this
    tables = [query(context, branch, env, parent) for branch in [left, *reversed(branches)]]
    columns = tables[0].columns
    for table, branch in zip(tables[1:], reversed(branches), strict=True):
        if len(table.columns) != len(columns):
            reason = (
                f"The queries of a set operation give {len(columns)} and {len(table.columns)} "
                "columns"
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(branch))
    text = "(:0)"
    for n, word in enumerate(reversed(words)):
        text = f"{text} {word} (:{n + 1})"
    sqls = [ranks.check(table).sql for table in tables]
    whole = Sql(text, *sqls, wrap=False)
    shape = shapes.united([table.shape for table in tables], places.of_node(node))
    if any(word != "UNION ALL" for word in words):
        if {word.split()[0] for word in words} != {"UNION"}:
            shapes.must_end(shape, words[0], places.of_node(node))
        if shape.stream:
            if len(set(words)) > 1:
                what = "UNION and UNION ALL in one list over streams"
                hint = "Put one of them in parentheses."
                raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(node))
            whole = _distinct(
                context, Sql(text.replace("UNION", "UNION ALL"), *sqls, wrap=False), columns
            )
        shape = shapes.distinct(shape, places.of_node(node))
    columns = tuple(_merged(outputs) for outputs in zip(*(t.columns for t in tables), strict=True))
    if not any(node.args.get(key) for key in ("order", "limit", "offset")):
        return Table(whole, columns, shape)
    return _ordered_set(context, node, Table(whole, columns, shape))


def _merged(outputs: tuple[Output, ...]) -> Output:
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
    """Rows of a stream, each once; the watermark is held against one column alone, if any."""
    times = tuple((o.name, None) for o in columns if o.time is not None and o.name != keep)
    names = tuple(o.name for o in columns)
    return Sql("SELECT * FROM :0", context.step(sql, distinct=names, times=times), wrap=False)


def _ordered_set(context: Context, node: exp.Expr, table: Table) -> Table:
    """ORDER BY and LIMIT behind a set operation: over its columns alone."""
    whole, columns = table.sql, table.columns
    source = Source("_s", frozenset(), {column.name: column for column in columns})
    expressions = _expressions(context, Scope({}, None, [source]))
    word = next(key for key in ("order", "limit", "offset") if node.args.get(key))
    shapes.must_end(table.shape, _ENDS[word], places.of_node(node))
    text = Clauses()
    text.add("SELECT * FROM (:0) AS `_s`", whole)
    if order := node.args.get("order"):
        keys = [
            ordered(item, _position(item.this, columns) or expressions.value(item.this).sql)
            for item in order.expressions
        ]
        text.add("ORDER BY :*", *keys)
    _limit(expressions, node, text)
    return Table(text.sql(), columns, replace(table.shape, stateful=True))


def _position(node: exp.Expr, columns: tuple[Output, ...]) -> Sql | None:
    """`ORDER BY 1`: the first column."""
    if not isinstance(node, exp.Literal) or node.is_string or not node.name.isdecimal():
        return None
    if not 1 <= int(node.name) <= len(columns):
        reason = f"Position {node.name} is not in the list of columns"
        raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
    return name(columns[int(node.name) - 1].name)


def _limit(expressions: Expressions, node: exp.Expr, text: Clauses) -> None:
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if isinstance(limit, exp.Fetch):
        options = limit.args.get("limit_options")
        if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
            what = "PERCENT or WITH TIES"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(limit))
        text.add("LIMIT :0", _whole(expressions, limit.args.get("count") or exp.Literal.number(1)))
    elif limit is not None:
        _check(limit, {"expression"})
        text.add("LIMIT :0", _whole(expressions, limit.expression))
    if offset is not None:
        _check(offset, {"expression"})
        text.add("OFFSET :0", _whole(expressions, offset.expression))


def _whole(expressions: Expressions, node: exp.Expr) -> Sql:
    value = expressions.value(node)
    if not isinstance(value.literal, int) or value.literal < 0:
        reason = "LIMIT and OFFSET take whole numbers that are written out"
        raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
    return value.sql


@dataclass(slots=True)
class _Projection:
    name: str
    value: Value
    rank: exp.Expr | None = None

    def sql(self) -> Sql:
        return Sql(":0 AS :1", self.value.sql, name(self.name), wrap=False)


class Select:
    """One SELECT."""

    def __init__(self, context: Context, node: exp.Select, env: Env, parent: Scope | None) -> None:
        self.node = node
        self.place = places.of_node(node)
        self.scope = Scope(env, parent)
        self.expressions = _expressions(context, self.scope)
        where = node.args.get("where")
        self.source = From(self.expressions, where.this if where else None)
        self.projections: list[_Projection] = []
        self.keys: list[Value] = []
        self.windowed = False

    def lower(self) -> Table:
        """The query in Spark SQL with the columns it gives."""
        if not self.node.expressions:
            reason = "SELECT needs columns"
            raise errors.SYNTAX_ERROR(reason=reason, place=places.of_node(self.node))
        if clause := self.node.args.get("from_"):
            self.source.add(clause.this)
        for join in self.node.args.get("joins") or ():
            self.source.join(join)
        for window in self.node.args.get("windows") or ():
            self.expressions.windows[window.name] = window
        self.expressions.joining = any(join.right.shape.stream for join in self.source.joins)
        condition = self.expressions.condition(self.source.where) if self.source.where else None
        self.expressions.joining = False
        group = self._group()
        self.projections = self._unique(list(self._projections()))
        having = self.node.args.get("having")
        test = self.expressions.condition(having.this) if having is not None else None
        shape = self._shape(having.this if having is not None else None)
        ranked, more = self._ranked()
        text = Clauses()
        shown = [p.sql() for p in self.projections if p.rank is None]
        text.add(self._head(shape), *shown, *more)
        if (source := self.source.sql()) is not None:
            text.add("FROM :0", source)
        conditions = [*self.source.conditions, *([] if condition is None else [condition])]
        if conditions:
            text.add("WHERE :0", chain("AND", AND, conditions) if conditions[1:] else conditions[0])
        if group is not None:
            text.add("GROUP BY :0", group)
        if test is not None:
            text.add("HAVING :0", test)
        outputs = tuple(Output(p.name, p.value.type, time=p.value.time) for p in self.projections)
        if order := self.node.args.get("order"):
            _check(order, {"expressions"})
            keys = [ordered(item, self._by(item.this, outputs)) for item in order.expressions]
            text.add("ORDER BY :*", *keys)
        _limit(self.expressions, self.node, text)
        if self.node.args.get("distinct"):
            return self._distinct(text.sql(), outputs, shape)
        return Table(text.sql(), outputs, shape, ranked)

    def _distinct(self, sql: Sql, outputs: tuple[Output, ...], shape: Shape) -> Table:
        """SELECT DISTINCT: of a stream, what is new is passed on."""
        if not shape.stream:
            return Table(sql, outputs, shapes.distinct(shape, self.place))
        values = [p.value for p in self.projections]
        closed = windows.closing(values, [], self.place)[0]
        keep = next(
            (o.name for o in outputs if closed and o.time and o.time.carried and o.time.marks), None
        )
        made = _distinct(self.expressions.context, sql, outputs, keep)
        kept = tuple(
            o if o.name == keep or o.time is None else replace(o, time=None) for o in outputs
        )
        return Table(made, kept, shapes.distinct(shape, self.place, bounded=keep is not None))

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
        if shape.stream and self.expressions.sets:
            shapes.must_end(shape, "GROUPING SETS, CUBE or ROLLUP", self.place)
        shown = {str(p.value.sql): p.name for p in reversed(self.projections)}
        keys = [str(value.sql) for value in self.keys]
        names_ = tuple(shown[key] for key in keys) if all(k in shown for k in keys) else None
        if shape.stream and having is not None and not self.windowed:
            changes.check_having(having)
        return shapes.grouped(
            shape, names_, self._words(), windowed=self.windowed, place=self.place
        )

    def _check_changes(self, shape: Shape) -> None:
        """Rows that change later can be projected, and no more."""
        where = [
            node
            for node in conjuncts(self.source.where)
            if not any(ranks.of_rank(node, source) for source in self.scope.sources)
        ]
        if where:
            shapes.settled(shape, "Calc(where=[…])", places.of_node(where[0]))

    def _ranked(self) -> tuple[ranks.Ranked | None, list[Sql]]:
        found = [p for p in self.projections if p.rank is not None]
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
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=self.place)
        shown = {str(p.value.sql): p.name for p in reversed(self.projections) if p.rank is None}
        assert found[0].rank is not None  # noqa: S101 - it was just asked for
        return ranks.read(self.expressions, found[0].rank, found[0].name, shown)

    def _words(self) -> str:
        """The aggregation as Flink's plans show it."""
        group = self.node.args.get("group")
        keys = ", ".join(item.name or item.sql() for item in group.expressions) if group else ""
        items = [
            p.name if isinstance(item, exp.Column) else f"{item.unalias().sql()} AS {p.name}"
            for p, item in zip(self.projections, self.node.expressions, strict=False)
        ]
        by = f"groupBy=[{keys}], " if keys else ""
        return f"GroupAggregate({by}select=[{', '.join(items)}])"

    def _head(self, shape: Shape) -> str:
        distinct = self.node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            what = "DISTINCT ON"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(distinct))
        return "SELECT DISTINCT :*" if distinct and not shape.stream else "SELECT :*"

    # the list of columns

    def _projections(self) -> Iterator[_Projection]:
        for n, item in enumerate(self.node.expressions):
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                _check(star, set())
                yield from self._star(item)
            elif ranks.is_rank(item) and self.expressions.streams:
                yield _Projection(item.alias or f"EXPR${n}", ranks.NUMBERED, item)
            elif isinstance(item, exp.Alias):
                yield _Projection(item.alias, self.expressions.value(item.this))
            else:
                yield _Projection(self._named(item, n), self.expressions.value(item))

    def _named(self, item: exp.Expr, n: int) -> str:
        """A column keeps its name; what is calculated gets Flink's."""
        if not isinstance(item, exp.Column):
            return f"EXPR${n}"
        parts = [part.name for part in item.parts]
        is_column = parts[0] in self.scope.merged or self.scope.find(parts, places.of_node(item))
        return parts[-1] if is_column else f"EXPR${n}"

    def _unique(self, found: list[_Projection]) -> list[_Projection]:
        """Of two columns of one name the second gets a number, as Flink does it."""
        taken: set[str] = set()
        for projection in found:
            given, n = projection.name, 0
            while projection.name.casefold() in taken:
                projection.name = f"{given}{n}"
                n += 1
            taken.add(projection.name.casefold())
        return found

    def _star(self, item: exp.Expr) -> Iterator[_Projection]:
        seen: set[str] = set()
        for source in self._star_sources(item):
            for column in source.columns.values():
                merged = self.scope.merged.get(column.name)
                if column.virtual or (merged and column.name in seen):
                    continue
                seen.add(column.name)
                value = merged() if merged else self.expressions.source_column(source, column.name)
                yield _Projection(column.name, value)

    def _star_sources(self, item: exp.Expr) -> list[Source]:
        if not self.scope.sources:
            reason = "There is no FROM that * could stand for"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(item))
        if not isinstance(item, exp.Column):
            return self.scope.sources
        qualifier = tuple(part.name for part in item.parts[:-1])
        found = [source for source in self.scope.sources if qualifier in source.names]
        if not found:
            table = ".".join(qualifier)
            raise errors.UNKNOWN_TABLE(table=table, hint="", place=places.of_node(item))
        return found

    # the clauses

    def _group(self) -> Sql | None:
        group = self.node.args.get("group")
        self.expressions.grouped = None if group is not None else set()
        if group is None:
            return None
        _check(group, {"expressions", "grouping_sets", "cube", "rollup"})
        lists = [group.expressions, *(group.args.get(key) or () for key in _GROUPINGS.values())]
        items = [item for each in lists for item in each]
        self.keys = [self._key(item) for item in items if type(item) not in _GROUPINGS]
        self.windowed, plain = windows.closing(self.keys, self.scope.sources, places.of_node(group))
        if self.expressions.streams and not self.windowed:
            plain = self._for_ever()
        self.expressions.grouped = {str(item.sql) for item in self.keys}
        for item in items:
            if type(item) in _GROUPINGS:
                sets = [self._set(each) for each in item.expressions]
                word = _GROUPINGS[type(item)].replace("_", " ").upper()
                plain.append(Sql(f"{word} (:*)", *sets))
                self.expressions.sets = True
        if not plain:
            raise errors.SYNTAX_ERROR(reason="GROUP BY needs keys", place=places.of_node(group))
        return Sql(", ".join(f":{n}" for n in range(len(plain))), *plain, wrap=False)

    def _for_ever(self) -> list[Sql]:
        """Groups by a time that is no window stay, and late rows count: no watermark is theirs."""
        for n, key in enumerate(self.keys):
            if key.time is not None and key.time.carried:
                self.expressions.unmarked.add(str(key.sql))
                self.keys[n] = replace(key, sql=unmarked(key.sql), time=None)
        return [key.sql for key in self.keys]

    def _set(self, node: exp.Expr) -> Sql:
        if isinstance(node, exp.Tuple):
            return Sql("(:*)", *(self._key(item).sql for item in node.expressions), rank=100)
        return self._key(node.this if isinstance(node, exp.Paren) else node).sql

    def _key(self, node: exp.Expr) -> Value:
        if isinstance(node, exp.Literal):
            reason = "Write the column itself in GROUP BY, not a number or a text"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
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
