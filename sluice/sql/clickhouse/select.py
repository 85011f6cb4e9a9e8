"""Queries of ClickHouse as queries of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse import scalars
from sluice.sql.clickhouse.expressions import HANDLERS, Expressions
from sluice.sql.clickhouse.naming import column_name
from sluice.sql.clickhouse.ordering import ordered_by
from sluice.sql.clickhouse.promotion import supertype
from sluice.sql.clickhouse.scope import Env, Output, Scope, Source, Table
from sluice.sql.clickhouse.sources import From
from sluice.sql.clickhouse.values import Value
from sluice.sql.core import places
from sluice.sql.core import scope as core_scope
from sluice.sql.core import select as core
from sluice.sql.core.select import SUBTOTALS, check, commas, count_of, keys_of, limit, position
from sluice.sql.core.spark import AND, COMPARE, Clauses, Sql, chain, name
from sluice.sql.core.values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_HINTS = {
    "sample": "Use WHERE rand() % 10 = 0 to take a part of the rows",
    "qualify": "Put the window function into a subquery and use WHERE",
    "totals": "Write GROUP BY GROUPING SETS ((a, b), ()): the row of the empty set has the totals",
}


class Queries(core.Queries[Table]):
    """Lowers a query with all queries inside it; SETTINGS are accepted and mean nothing here."""

    subquery = frozenset({"this", "settings", "format"})
    clauses = frozenset({
        "with_", "expressions", "distinct", "from_", "joins", "prewhere", "where", "group",
        "having", "windows", "order", "limit_by", "limit", "offset", "settings", "format", "kind",
    })  # fmt: skip
    sets: ClassVar[Mapping[type[exp.Expr], str]] = {exp.Union: "UNION"}
    set_clauses = frozenset({"this", "expression", "distinct", "with_", "settings", "format"})
    hints = _HINTS

    def select(self, node: exp.Select, env: core_scope.Env[Table], _: object) -> Table:
        """Lower a SELECT."""
        return Select(self, node, cast("Env", env)).lower()

    def cte(self, cte: exp.Expr, env: core_scope.Env[Table]) -> core_scope.Env[Table]:
        """`WITH expression AS name`, or `WITH name AS (SELECT …)`."""
        inner = cte.this
        if isinstance(cte, exp.CTE) and isinstance(inner, exp.Query) and not cte.args.get("scalar"):
            return env.with_cte(cte.alias, self.query(inner, env))
        if isinstance(inner, exp.Query):
            inner = exp.Subquery(this=inner)
        if not cte.args.get("scalar") or type(inner) not in HANDLERS:
            raise errors.UNSUPPORTED_CLAUSE(
                clause=f"{type(inner).__name__} in WITH", hint="", place=places.of_node(cte)
            )
        return cast("Env", env).with_constant(cte.alias, inner)

    def united(
        self, node: exp.Expr, tables: Sequence[Table], words: Sequence[str], text: str
    ) -> Table:
        """A UNION."""
        columns = [_united(each) for each in zip(*(t.columns for t in tables), strict=True)]
        return Table(Sql(text, *(table.sql for table in tables), wrap=False), tuple(columns))


def _united(columns: Sequence[Output]) -> Output:
    """A column of a UNION: it holds what the column in its place holds in every branch."""
    types = [column.type for column in columns]
    type_ = UNKNOWN if UNKNOWN in types else supertype(types)
    scalars.check_common([Value(name(each.name), each.type) for each in columns], type_ or UNKNOWN)
    return Output(columns[0].name, type_ or UNKNOWN)


def _listed(projection: core.Projection[Value]) -> Sql:
    """A column in the list."""
    return Sql(":0 AS :1", scalars.marked(projection.value), name(projection.name), wrap=False)


class Select(core.Select[Value, Table]):
    """One SELECT."""

    expressions: Expressions
    scope: Scope
    star = frozenset({"except_", "replace"})
    star_computed = False
    distinct_on = "Use LIMIT 1 BY"

    def __init__(self, queries: Queries, node: exp.Select, env: Env) -> None:
        expressions = Expressions(Scope(env), queries.context, queries.query)
        super().__init__(node, expressions, From(expressions))
        self._subtotals = ""
        self._names: set[str] = set()

    def prepare(self) -> None:
        """Aliases of the list may be used in every clause."""
        if self.node.args.get("kind"):
            clause = f"SELECT AS {self.node.args['kind']}"
            raise errors.UNSUPPORTED_CLAUSE(clause=clause, hint="", place=self.place)
        self.scope.aliases = dict(self._aliases())

    def result(self) -> Table:
        """The query in Spark SQL with the columns it gives."""
        columns = tuple(
            Output(p.name, p.value.type, bounds=p.value.bounds) for p in self.projections
        )
        by = self.node.args.get("limit_by")
        return Table(self._limited_by(by) if by else self._plain(), columns)

    def _aliases(self) -> Iterator[tuple[str, exp.Expr]]:
        for item in self.node.expressions:
            for part in item.walk(prune=lambda part: isinstance(part, exp.Query)):
                if isinstance(part, exp.Alias):
                    yield part.alias, part.this

    # the list of columns

    def projection(self, item: exp.Expr, n: int) -> core.Projection[Value]:
        """A column by its alias, or by ClickHouse's name for its expression."""
        if isinstance(item, exp.Alias):
            return core.Projection(item.alias, self._own(item))
        return core.Projection(self._named(item), self.expressions.value(item))

    def _named(self, item: exp.Expr) -> str:
        """ClickHouse's name for a column without alias; `t.a` is `a` unless there are several."""
        shown = column_name(item).replace("${", "$ {")
        if not isinstance(item, exp.Column):
            return shown
        parts = [part.name for part in item.parts]
        found = self.scope.find(parts, places.of_node(item)) if len(parts) > 1 else None
        if found is None or found[2] or found[1] in self._names:
            return shown
        self._names.add(found[1])
        return found[1]

    def _own(self, item: exp.Alias) -> Value:
        """An aliased expression; inside itself its name means the column."""
        found = self.expressions.named([item.alias], item)
        return (
            found if found is not None and not self._twice(item) else self.expressions.value(item)
        )

    def _twice(self, item: exp.Alias) -> bool:
        return self.scope.aliases.get(item.alias) is not item.this

    def starred(self, source: Source, column: str) -> Value:
        """A column that `*` stands for; ARRAY JOIN may have put another in its place."""
        shadow = self.scope.shadows.get(column)
        return shadow if shadow is not None else super().starred(source, column)

    # the clauses

    def where(self) -> list[Sql]:
        """PREWHERE and WHERE."""
        clauses = (self.node.args.get(key) for key in ("prewhere", "where"))
        return [self.expressions.restriction(clause.this) for clause in clauses if clause]

    def group(self) -> Sql | None:
        """The keys of GROUP BY; a key that a subtotal leaves out is its type's default."""
        group = self.node.args.get("group")
        if group is None:
            return None
        check(group, {"expressions", *_AFTER_KEYS})
        self._subtotals, sets = _sets(group)
        if not self._subtotals:
            if not group.expressions:
                reason = "an expression is expected after GROUP BY"
                raise errors.SYNTAX_ERROR(reason=reason, place=places.of_node(group))
            return commas([_grouped(self._key(item)) for item in group.expressions])
        keys = [[self._key(item) for item in each] for each in sets]
        self.expressions.with_subtotals([key for each in keys for key in each])
        lists = [commas([_grouped(key) for key in each]) for each in keys]
        if self._subtotals == "GROUPING SETS":
            lists = [Sql("(:0)", each, wrap=False) for each in lists]
        return Sql(f"{self._subtotals}(:0)", commas(lists), wrap=False)

    def _key(self, item: exp.Expr) -> Value:
        """A key of GROUP BY: an int literal is a position, but an alias of one is not."""
        if isinstance(item, exp.Literal) and not item.is_string and item.name.isdecimal():
            chosen = position(item, len(self.node.expressions))
            item = self.node.expressions[chosen]
        return self.expressions.value(item)

    def _plain(self) -> Sql:
        if self._subtotals and self.having is not None:
            return self._nested("HAVING beside subtotals")
        order = self.order(self._by)
        distinct = bool(self.node.args.get("distinct"))
        text = self.head([_listed(each) for each in self.projections], distinct=distinct)
        if order:
            text.add("ORDER BY :*", *order)
        limit(self.expressions, self.node, text)
        return text.sql()

    def _by(self, node: exp.Expr) -> Sql:
        """What to order by: the name of an output column if it is one."""
        if (chosen := self.at_position(node)) is not None:
            return ordered_by(name(chosen.name), chosen.value.type)
        value = self.expressions.value(node)
        text = str(value.plain())
        for projection in self.projections:
            if str(projection.value.plain()) == text:
                return ordered_by(name(projection.name), value.type)
        return _sorted_by(value)

    def _expanded(self, node: exp.Expr) -> Sql:
        """What to order by where output columns have no names yet."""
        chosen = self.at_position(node)
        return _sorted_by(chosen.value if chosen else self.expressions.value(node))

    def _limited_by(self, by: exp.Expr) -> Sql:
        """`LIMIT n BY columns`: number the rows of each group and keep the first ones."""
        order = self.order(self._expanded)
        keys = [self._expanded(item) for item in by.expressions]
        if self._subtotals and self.having is not None:
            keys.append(self.having)
        window = Clauses()
        window.add("row_number() OVER (PARTITION BY :*", *keys)
        window.add("ORDER BY :*) AS `_n`" if order else "ORDER BY NULL) AS `_n`", *order)
        low = (
            count_of(self.expressions, by.args["offset"])
            if by.args.get("offset")
            else Sql("0", rank=100)
        )
        high = Sql(":0 + :1", low, count_of(self.expressions, by.args["expression"]))
        numbered = [
            Sql("`_n` > :0", low, rank=COMPARE),
            Sql("`_n` <= :0", high, rank=COMPARE, wrap=False),
        ]
        return self._nested("LIMIT BY", [window.sql()], numbered)

    def _nested(
        self, clause: str, columns: Sequence[Sql] = (), conditions: Sequence[Sql] = ()
    ) -> Sql:
        """A SELECT around this one that filters by columns of its own.

        HAVING beside subtotals is one of them: Spark does not know their keys in its own HAVING.
        """
        if distinct := self.node.args.get("distinct"):
            what, hint = f"DISTINCT together with {clause}", "Put the DISTINCT into a subquery"
            raise errors.UNSUPPORTED_CLAUSE(clause=what, hint=hint, place=places.of_node(distinct))
        if self._subtotals and self.having is not None:
            columns = [*columns, Sql(":0 AS `_h`", self.having, wrap=False)]
            conditions = [*conditions, Sql("`_h`", rank=100)]
            self.having = None
        order = self.order(self._expanded)
        sorting = [
            Sql(f":0 AS `_o{n}`", Sql(":0", item.args[0], rank=0, wrap=False), wrap=False)
            for n, item in enumerate(order)
        ]
        shown = [*(_listed(each) for each in self.projections), *columns, *sorting]
        inner = self.head(shown, distinct=False)
        outer = Clauses()
        outer.add("SELECT :*", *(name(projection.name) for projection in self.projections))
        outer.add("FROM (:0) AS `_l`", inner.sql())
        outer.add("WHERE :0", chain("AND", AND, conditions))
        if order:
            names = [Sql(item.template.replace(":0", f"`_o{n}`")) for n, item in enumerate(order)]
            outer.add("ORDER BY :*", *names)
        limit(self.expressions, self.node, outer)
        return outer.sql()


_AFTER_KEYS = ("rollup", "cube", "grouping_sets")
"""Where sqlglot has subtotals that follow the keys: `GROUP BY a, b WITH ROLLUP`."""


def _sets(group: exp.Expr) -> tuple[str, list[list[exp.Expr]]]:
    """How GROUP BY makes subtotals, in a word that is "" where it makes none, and of which keys."""
    after = [each for word in _AFTER_KEYS for each in group.args.get(word) or ()]
    inside = [each for each in group.expressions if type(each) in SUBTOTALS]
    if not after and not inside:
        return "", []
    if inside and len(group.expressions) > 1:
        what = "ROLLUP, CUBE or GROUPING SETS beside other keys"
        raise errors.UNSUPPORTED_CLAUSE(clause=what, hint="", place=places.of_node(group))
    written = (inside or after)[0]
    keys = list(written.expressions) or list(group.expressions)
    return SUBTOTALS[type(written)], [keys_of(each) for each in keys]


def _grouped(value: Value) -> Sql:
    """A key as it stands in GROUP BY, where Spark would take a number for a position."""
    return Sql("coalesce(:0)", value.sql) if value.literal is not None else value.plain()


def _sorted_by(value: Value) -> Sql:
    return ordered_by(_grouped(value), value.type)
