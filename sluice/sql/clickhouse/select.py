"""Queries of ClickHouse as queries of Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse.expressions import HANDLERS, Expressions
from sluice.sql.clickhouse.naming import column_name
from sluice.sql.clickhouse.operators import AND, COMPARE
from sluice.sql.clickhouse.ordering import ordered_by
from sluice.sql.clickhouse.promotion import supertype
from sluice.sql.clickhouse.scope import Context, Env, Output, Scope, Source, Table
from sluice.sql.clickhouse.sources import From
from sluice.sql.core import places
from sluice.sql.core.ordering import ordered
from sluice.sql.core.spark import Clauses, Sql, chain, name
from sluice.sql.core.values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sluice.sql.clickhouse.values import Value

_CLAUSES = {
    "with_", "expressions", "distinct", "from_", "joins", "prewhere", "where", "group", "having",
    "windows", "order", "limit_by", "limit", "offset", "settings", "format", "kind",
}  # fmt: skip
"""The parts of a SELECT that are lowered; SETTINGS are accepted and mean nothing here."""

_HINTS = {
    "sample": "Use WHERE rand() % 10 = 0 to take a part of the rows",
    "qualify": "Put the window function into a subquery and use WHERE",
    "totals": "Write GROUP BY GROUPING SETS ((a, b), ()): the row of the empty set has the totals",
}


def query(context: Context, node: exp.Expr, env: Env) -> Table:
    """Lower a query."""
    while isinstance(node, exp.Subquery):
        _check(node, {"this", "settings", "format"})
        node = node.this
    env = _with(context, node, env)
    if isinstance(node, exp.Union):
        return _union(context, node, env)
    if not isinstance(node, exp.Select):
        what = f"{type(node).__name__.upper()} between queries"
        raise errors.UNSUPPORTED_STATEMENT(
            what=what, hint="UNION ALL and UNION DISTINCT are there", place=places.of_node(node)
        )
    _check(node, _CLAUSES)
    return Select(context, node, env).lower()


def _check(node: exp.Expr, known: set[str]) -> None:
    """Refuse every clause that is not known."""
    for key, arg in node.args.items():
        if arg and key not in known:
            what = f"The clause {key.strip('_').replace('_', ' ').upper()}"
            place = places.of_node(arg if isinstance(arg, exp.Expr) else node)
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=_HINTS.get(key, ""), place=place)


def _with(context: Context, node: exp.Expr, env: Env) -> Env:
    clause = node.args.get("with_")
    if clause is None:
        return env
    if clause.args.get("recursive"):
        what = "WITH RECURSIVE"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(clause))
    for cte in clause.expressions:
        env = _with_one(context, cte, env)
    return env


def _with_one(context: Context, cte: exp.Expr, env: Env) -> Env:
    """`WITH expression AS name`, or `WITH name AS (SELECT …)`."""
    inner = cte.this
    if isinstance(cte, exp.CTE) and isinstance(inner, exp.Query) and not cte.args.get("scalar"):
        return env.with_cte(cte.alias, query(context, inner, env))
    if isinstance(inner, exp.Query):
        inner = exp.Subquery(this=inner)
    if not cte.args.get("scalar") or type(inner) not in HANDLERS:
        what = f"{type(inner).__name__} in WITH"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(cte))
    return env.with_constant(cte.alias, inner)


def _union(context: Context, node: exp.Union, env: Env) -> Table:
    branches: list[exp.Expr] = []
    left: exp.Expr = node
    words: list[str] = []
    while isinstance(left, exp.Union):
        _check(left, {"this", "expression", "distinct", "with_", "settings", "format"})
        branches.append(left.expression)
        words.append("UNION" if left.args.get("distinct") else "UNION ALL")
        left = left.this
    tables = [query(context, branch, env) for branch in [left, *reversed(branches)]]
    columns = tables[0].columns
    for table, branch in zip(tables[1:], reversed(branches), strict=True):
        if len(table.columns) != len(columns):
            reason = f"The queries of a UNION give {len(columns)} and {len(table.columns)} columns"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(branch))
    text = "(:0)"
    for n, word in enumerate(reversed(words)):
        text = f"{text} {word} (:{n + 1})"
    united = [_united([table.columns[n] for table in tables]) for n in range(len(columns))]
    return Table(Sql(text, *(table.sql for table in tables), wrap=False), tuple(united))


def _united(columns: Sequence[Output]) -> Output:
    """A column of a UNION: it holds what the column in its place holds in every branch."""
    types = [column.type for column in columns]
    type_ = UNKNOWN if UNKNOWN in types else supertype(types)
    return Output(columns[0].name, type_ or UNKNOWN)


@dataclass(slots=True)
class _Projection:
    name: str
    value: Value

    def sql(self) -> Sql:
        return Sql(":0 AS :1", self.value.plain(), name(self.name), wrap=False)

    def output(self) -> Output:
        return Output(self.name, self.value.type, bounds=self.value.bounds)


class Select:
    """One SELECT."""

    def __init__(self, context: Context, node: exp.Select, env: Env) -> None:
        self.node = node
        self.scope = Scope(env)
        self.context = context
        self.expressions = Expressions(self.scope, context, lambda sub, e: query(context, sub, e))
        self.source = From(self.expressions)
        self.projections: list[_Projection] = []
        self._grouping = ""
        self._sets: list[list[Sql]] = []
        self._names: set[str] = set()

    def lower(self) -> Table:
        """The query in Spark SQL with the columns it gives."""
        if self.node.args.get("kind"):
            what = f"SELECT AS {self.node.args['kind']}"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(self.node))
        if not self.node.expressions:
            raise errors.SYNTAX_ERROR(
                reason="SELECT needs columns", place=places.of_node(self.node)
            )
        self._from()
        self.scope.aliases = dict(self._aliases())
        for window in self.node.args.get("windows") or ():
            self.expressions.windows[window.name] = window
        self._group_keys()
        self.projections = list(self._projections())
        columns = tuple(p.output() for p in self.projections)
        by = self.node.args.get("limit_by")
        sql = self._limited_by(by) if by else self._plain()
        return Table(sql, columns)

    def _from(self) -> None:
        if clause := self.node.args.get("from_"):
            self.source.add(clause.this)
        for join in self.node.args.get("joins") or ():
            self.source.join(join)

    def _aliases(self) -> Iterator[tuple[str, exp.Expr]]:
        for item in self.node.expressions:
            for part in item.walk(prune=lambda part: isinstance(part, exp.Query)):
                if isinstance(part, exp.Alias):
                    yield part.alias, part.this

    # the list of columns

    def _projections(self) -> Iterator[_Projection]:
        for item in self.node.expressions:
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                yield from self._star(star, item)
            elif isinstance(item, exp.Alias):
                yield _Projection(item.alias, self._own(item))
            else:
                yield _Projection(self._named(item), self.expressions.value(item))

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

    def _star(self, star: exp.Star, item: exp.Expr) -> Iterator[_Projection]:
        _check(star, {"except_", "replace"})
        sources = self._star_sources(item)
        dropped = {part.name for part in star.args.get("except_") or ()}
        replaced = {part.alias: part.this for part in star.args.get("replace") or ()}
        known = {column for source in sources for column in source.columns}
        for part in star.args.get("except_") or ():
            if part.name not in known:
                raise self.scope.unknown(part.name, places.of_node(part))
        seen: set[str] = set()
        for source in sources:
            for column in source.columns.values():
                merged = column.name in self.scope.merged
                if column.virtual or column.alias is not None or column.name in dropped:
                    continue
                if merged and column.name in seen:
                    continue
                seen.add(column.name)
                if column.name in replaced:
                    value = self.expressions.replacement(replaced[column.name], replaced)
                    yield _Projection(column.name, value)
                else:
                    yield _Projection(column.name, self._starred(source, column.name))

    def _starred(self, source: Source, column: str) -> Value:
        if column in self.scope.shadows:
            return self.scope.shadows[column]
        if column in self.scope.merged:
            return self.scope.merged[column]()
        return source.value(column)

    def _star_sources(self, item: exp.Expr) -> Sequence[Source]:
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

    def _head(self, text: Clauses, projections: Sequence[Sql]) -> None:
        distinct = self.node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            what, hint = "DISTINCT ON", "Use LIMIT 1 BY"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(distinct))
        text.add("SELECT DISTINCT :*" if distinct else "SELECT :*", *projections)
        conditions = [
            self.expressions.restriction(self.node.args[key].this)
            for key in ("prewhere", "where")
            if self.node.args.get(key)
        ]
        group = self._group()
        having = None if self._grouping else self._having()
        if (source := self.source.sql()) is not None:
            text.add("FROM :0", source)
        if len(conditions) == 1:
            text.add("WHERE :0", conditions[0])
        elif conditions:
            text.add("WHERE :0", Sql(":0 AND :1", *conditions))
        if group is not None:
            text.add("GROUP BY :0", group)
        if having is not None:
            text.add("HAVING :0", having)

    def _having(self) -> Sql | None:
        having = self.node.args.get("having")
        return self.expressions.condition(having.this) if having else None

    def _plain(self) -> Sql:
        if self._grouping and self.node.args.get("having"):
            return self._nested("HAVING beside subtotals")
        order = self._order()
        text = Clauses()
        self._head(text, [projection.sql() for projection in self.projections])
        if order:
            text.add("ORDER BY :*", *order)
        self._limit(text)
        return text.sql()

    def _group_keys(self) -> None:
        """Lower the keys of GROUP BY; those of ROLLUP and its like before what is selected."""
        group = self.node.args.get("group")
        if group is None:
            return
        _check(group, {"expressions", *_CLAUSES_BEHIND})
        self._grouping, sets = _sets(group)
        if self._grouping:
            keys = [[self._key_value(item) for item in each] for each in sets]
            self._sets = [[_grouped(key) for key in each] for each in keys]
            self.expressions.with_subtotals([key for each in keys for key in each])

    def _group(self) -> Sql | None:
        group = self.node.args.get("group")
        if group is None:
            return None
        if not self._grouping:
            keys = [_grouped(self._key_value(item)) for item in group.expressions]
            return _commas(keys)
        sets = [_commas(each) for each in self._sets]
        if self._grouping == "GROUPING SETS":
            sets = [Sql("(:0)", each, wrap=False) for each in sets]
        return Sql(f"{self._grouping}(:0)", _commas(sets), wrap=False)

    def _key_value(self, item: exp.Expr) -> Value:
        """A key of GROUP BY: a whole number is a position, but an alias of one is not."""
        value = self.expressions.value(item)
        if not (isinstance(item, exp.Literal) and isinstance(value.literal, int)):
            return value
        if self.projections:
            return self._position(value.literal, item).value
        if not 1 <= value.literal <= len(self.node.expressions):
            raise self._no_position(value.literal, item)
        return self.expressions.value(self.node.expressions[value.literal - 1])

    def _position(self, position: int, item: exp.Expr) -> _Projection:
        if not 1 <= position <= len(self.projections):
            raise self._no_position(position, item)
        return self.projections[position - 1]

    def _no_position(self, position: int, item: exp.Expr) -> errors.SluiceError:
        reason = f"Position {position} is not in the list of columns"
        return errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(item))

    def _order(self, *, expand: bool = False) -> list[Sql]:
        order = self.node.args.get("order")
        if order is None:
            return []
        _check(order, {"expressions"})
        return [ordered(item, self._by(item.this, expand)) for item in order.expressions]

    def _by(self, node: exp.Expr, expand: bool) -> Sql:
        """What to order by: the name of an output column if it is one."""
        if isinstance(node, exp.Literal) and node.name.isdecimal() and not node.is_string:
            chosen = self._position(int(node.name), node)
            by = chosen.value.plain() if expand else name(chosen.name)
            return ordered_by(by, chosen.value.type)
        value = self.expressions.value(node)
        text = str(value.plain())
        for projection in self.projections:
            if not expand and str(projection.value.plain()) == text:
                return ordered_by(name(projection.name), value.type)
        by = Sql("coalesce(:0)", value.sql) if value.literal is not None else value.plain()
        return ordered_by(by, value.type)

    def _limit(self, text: Clauses) -> None:
        limit, offset = self.node.args.get("limit"), self.node.args.get("offset")
        if limit is not None:
            _check(limit, {"expression"})
            text.add("LIMIT :0", self._whole(limit.expression))
        if offset is not None:
            _check(offset, {"expression"})
            text.add("OFFSET :0", self._whole(offset.expression))

    def _whole(self, node: exp.Expr) -> Sql:
        value = self.expressions.value(node)
        if not isinstance(value.literal, int) or value.literal < 0:
            reason = "LIMIT and OFFSET take whole numbers that are written out"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
        return value.sql

    def _limited_by(self, by: exp.Expr) -> Sql:
        """`LIMIT n BY columns`: number the rows of each group and keep the first ones."""
        order = self._order(expand=True)
        keys = [self._by(item, expand=True) for item in by.expressions]
        if self._grouping and (having := self._having()) is not None:
            keys.append(having)
        window = Clauses()
        window.add("row_number() OVER (PARTITION BY :*", *keys)
        window.add("ORDER BY :*) AS `_n`" if order else "ORDER BY NULL) AS `_n`", *order)
        low = self._whole(by.args["offset"]) if by.args.get("offset") else Sql("0", rank=100)
        high = Sql(":0 + :1", low, self._whole(by.expression))
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
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(distinct))
        if self._grouping and (having := self._having()) is not None:
            columns = [*columns, Sql(":0 AS `_h`", having, wrap=False)]
            conditions = [*conditions, Sql("`_h`", rank=100)]
        order = self._order(expand=True)
        sorting = [
            Sql(f":0 AS `_o{n}`", Sql(":0", item.args[0], rank=0, wrap=False), wrap=False)
            for n, item in enumerate(order)
        ]
        inner = Clauses()
        self._head(inner, [*(p.sql() for p in self.projections), *columns, *sorting])
        outer = Clauses()
        outer.add("SELECT :*", *(name(projection.name) for projection in self.projections))
        outer.add("FROM (:0) AS `_l`", inner.sql())
        outer.add("WHERE :0", chain("AND", AND, conditions))
        if order:
            names = [Sql(item.template.replace(":0", f"`_o{n}`")) for n, item in enumerate(order)]
            outer.add("ORDER BY :*", *names)
        self._limit(outer)
        return outer.sql()


_SUBTOTALS: dict[type[exp.Expr], str] = {
    exp.Rollup: "ROLLUP",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
}


_CLAUSES_BEHIND = ("rollup", "cube", "grouping_sets")
"""Where sqlglot has them if they stand behind the keys: `GROUP BY a, b WITH ROLLUP`."""


def _sets(group: exp.Expr) -> tuple[str, list[list[exp.Expr]]]:
    """How GROUP BY makes subtotals, in a word that is "" where it makes none, and of which keys."""
    behind = [each for word in _CLAUSES_BEHIND for each in group.args.get(word) or ()]
    inside = [each for each in group.expressions if type(each) in _SUBTOTALS]
    if not behind and not inside:
        return "", []
    if inside and len(group.expressions) > 1:
        what = "ROLLUP, CUBE or GROUPING SETS beside other keys"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(group))
    written = (inside or behind)[0]
    keys = list(written.expressions) or list(group.expressions)
    return _SUBTOTALS[type(written)], [_parts(each) for each in keys]


def _parts(node: exp.Expr) -> list[exp.Expr]:
    """What stands in parentheses together."""
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    return [node.this] if isinstance(node, exp.Paren) else [node]


def _grouped(value: Value) -> Sql:
    """A key as it stands in GROUP BY, where Spark would take a number for a position."""
    return Sql("coalesce(:0)", value.sql) if value.literal is not None else value.plain()


def _commas(items: Sequence[Sql]) -> Sql:
    return Sql(", ".join(f":{n}" for n in range(len(items))), *items, wrap=False)
