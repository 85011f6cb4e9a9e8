"""Queries of Flink as queries of Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse import places
from sluice.sql.clickhouse.calls import ordered
from sluice.sql.clickhouse.spark import Clauses, Sql, name
from sluice.sql.flink import shapes
from sluice.sql.flink.expressions import Expressions
from sluice.sql.flink.scope import Context, Env, Output, Scope, Source, Table
from sluice.sql.flink.sources import From, values

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
        env = {**env, cte.alias: _renamed(table, [column.name for column in columns], cte)}
    return env


def _renamed(table: Table, names: list[str], node: exp.Expr) -> Table:
    if not names:
        return table
    if len(names) != len(table.columns):
        reason = f"The query gives {len(table.columns)} columns, {len(names)} names are given"
        raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
    outputs = tuple(Output(n, o.type) for n, o in zip(names, table.columns, strict=True))
    sql = Sql("SELECT * FROM (:0) AS `_r`(:*)", table.sql, *map(name, names))
    return Table(sql, outputs, table.shape)


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
    whole = Sql(text, *(table.sql for table in tables), wrap=False)
    shape = shapes.together([table.shape for table in tables], joined=False)
    if any(word != "UNION ALL" for word in words):
        shape = shapes.distinct(shape)
    if not any(node.args.get(key) for key in ("order", "limit", "offset")):
        return Table(whole, columns, shape)
    return _ordered_set(context, node, Table(whole, columns, shape))


def _ordered_set(context: Context, node: exp.Expr, table: Table) -> Table:
    """ORDER BY and LIMIT behind a set operation: over its columns alone."""
    whole, columns = table.sql, table.columns
    source = Source("_s", frozenset(), {column.name: column for column in columns})
    expressions = _expressions(context, Scope({}, None, [source]))
    text = Clauses()
    text.add("SELECT * FROM (:0) AS `_s`", whole)
    if order := node.args.get("order"):
        keys = [
            ordered(item, _position(item.this, columns) or expressions.value(item.this).sql)
            for item in order.expressions
        ]
        text.add("ORDER BY :*", *keys)
    _limit(expressions, node, text)
    return Table(text.sql(), columns, table.shape)


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

    def sql(self) -> Sql:
        return Sql(":0 AS :1", self.value.sql, name(self.name), wrap=False)


class Select:
    """One SELECT."""

    def __init__(self, context: Context, node: exp.Select, env: Env, parent: Scope | None) -> None:
        self.node = node
        self.scope = Scope(env, parent)
        self.expressions = _expressions(context, self.scope)
        self.source = From(self.expressions)
        self.projections: list[_Projection] = []

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
        where = self.node.args.get("where")
        condition = self.expressions.condition(where.this) if where else None
        group = self._group()
        self.projections = self._unique(list(self._projections()))
        having = self.node.args.get("having")
        text = Clauses()
        text.add(self._head(), *(projection.sql() for projection in self.projections))
        if (source := self.source.sql()) is not None:
            text.add("FROM :0", source)
        if condition is not None:
            text.add("WHERE :0", condition)
        if group is not None:
            text.add("GROUP BY :0", group)
        if having is not None:
            text.add("HAVING :0", self.expressions.condition(having.this))
        outputs = tuple(Output(p.name, p.value.type) for p in self.projections)
        if order := self.node.args.get("order"):
            _check(order, {"expressions"})
            keys = [ordered(item, self._by(item.this, outputs)) for item in order.expressions]
            text.add("ORDER BY :*", *keys)
        _limit(self.expressions, self.node, text)
        return Table(text.sql(), outputs, self._shape())

    def _shape(self) -> Shape:
        """How the result behaves as a stream."""
        shape = shapes.together([source.shape for source in self.scope.sources], joined=True)
        if self.node.args.get("group") is not None or self.expressions.aggregates:
            keys = self.expressions.grouped or set()
            shown = {str(p.value.sql): p.name for p in self.projections}
            windowed = any(key.startswith(("window(", "session_window(")) for key in keys) or {
                "window_start",
                "window_end",
            } <= {key.rpartition(".")[2].strip("`") for key in keys}
            names = tuple(shown[key] for key in sorted(keys)) if keys <= set(shown) else None
            shape = shapes.grouped(shape, names, self._words(), windowed=windowed)
        return shapes.distinct(shape) if self.node.args.get("distinct") else shape

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

    def _head(self) -> str:
        distinct = self.node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            what = "DISTINCT ON"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(distinct))
        return "SELECT DISTINCT :*" if distinct else "SELECT :*"

    # the list of columns

    def _projections(self) -> Iterator[_Projection]:
        for n, item in enumerate(self.node.expressions):
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                _check(star, set())
                yield from self._star(item)
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
        plain = [self._key(item) for item in items if type(item) not in _GROUPINGS]
        self.expressions.grouped = {str(item) for item in plain}
        for item in items:
            if type(item) in _GROUPINGS:
                sets = [self._set(each) for each in item.expressions]
                word = _GROUPINGS[type(item)].replace("_", " ").upper()
                plain.append(Sql(f"{word} (:*)", *sets))
        if not plain:
            raise errors.SYNTAX_ERROR(reason="GROUP BY needs keys", place=places.of_node(group))
        return Sql(", ".join(f":{n}" for n in range(len(plain))), *plain, wrap=False)

    def _set(self, node: exp.Expr) -> Sql:
        if isinstance(node, exp.Tuple):
            return Sql("(:*)", *(self._key(item) for item in node.expressions), rank=100)
        return self._key(node.this if isinstance(node, exp.Paren) else node)

    def _key(self, node: exp.Expr) -> Sql:
        if isinstance(node, exp.Literal):
            reason = "Write the column itself in GROUP BY, not a number or a text"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
        return self.expressions.value(node).sql

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
