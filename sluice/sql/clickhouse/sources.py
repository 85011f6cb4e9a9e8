"""FROM: tables, subqueries, table functions, JOIN and ARRAY JOIN."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse.functions.conversions import default_of
from sluice.sql.clickhouse.scope import Output, Source
from sluice.sql.clickhouse.values import LONG, ULONG, Value
from sluice.sql.core import places
from sluice.sql.core.spark import Sql, name, number
from sluice.sql.core.values import UNKNOWN
from sluice.sql.ir import Name
from sluice.types import is_nullable
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.clickhouse.expressions import Expressions

_SIDES = {"": "INNER", "LEFT": "LEFT", "RIGHT": "RIGHT", "FULL": "FULL"}
_KINDS = {"", "INNER", "OUTER", "CROSS", "ALL"}
_HINTS = {
    "ANY": "Group the right side first, so that it has one row for each key",
    "ASOF": "Use a window function to find the nearest row",
}


@dataclass(slots=True)
class From:
    """Builds a FROM clause while it fills the scope of the SELECT."""

    expressions: Expressions
    parts: list[Sql] = field(default_factory=list)

    def sql(self) -> Sql | None:
        """The clause without the word FROM; the LATERAL VIEWs of the scope stand at its end."""
        laterals = self.expressions.scope.laterals
        if not self.parts:
            if not laterals:
                return None
            self.parts.append(Sql("(SELECT 1) AS `_0`"))
        texts = [f":{n}" for n in range(len(self.parts) + len(laterals))]
        return Sql(" ".join(texts), *self.parts, *laterals, wrap=False)

    def add(self, node: exp.Expr) -> Source:
        """A table or subquery; it becomes a source of the scope."""
        source, sql = self._source(node)
        taken = {known.alias for known in self.expressions.scope.sources}
        if source.alias in taken:
            reason = f"{source.alias} stands in FROM twice; give one of them an alias"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
        self.expressions.scope.sources.append(source)
        self.parts.append(sql)
        return source

    def _source(self, node: exp.Expr) -> tuple[Source, Sql]:
        if isinstance(node, exp.Final):
            node = node.this
        if isinstance(node, exp.Subquery):
            _only(node, "this", "alias")
            return self._subquery(node)
        if not isinstance(node, exp.Table):
            what = f"{type(node).__name__} in FROM"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))
        _only(node, "this", "db", "alias")
        if isinstance(node.this, exp.Anonymous):
            return self._function(node, node.this)
        cte = self.expressions.scope.env.ctes.get(node.name)
        if cte is not None and not node.db:
            return self._named(_alias(node) or node.name, Sql("(:0)", cte.sql), cte.columns)
        if (node.db or self.expressions.context.database, node.name) == ("system", "numbers"):
            return self._all_numbers(node)
        return self._table(_table_name(node), _alias(node))

    def _all_numbers(self, node: exp.Table) -> tuple[Source, Sql]:
        """`system.numbers`, which never ends, so that something has to end it."""
        over = node.find_ancestor(exp.Query)
        while over is not None and not over.args.get("limit"):
            over = over.find_ancestor(exp.Query)
        if over is None:
            reason = "system.numbers never ends: add a LIMIT, or use numbers(count)"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(node))
        table = Sql("(SELECT id AS `number` FROM range(0, :0))", number((1 << 63) - 1))
        return self._named(_alias(node) or node.name, table, [_number(LONG.high)])

    def _subquery(self, node: exp.Subquery) -> tuple[Source, Sql]:
        inner = self.expressions.query(node.this, self.expressions.scope.env)
        alias = _alias(node)
        return self._named(alias, Sql("(:0)", inner.sql), inner.columns)

    def _named(self, alias: str | None, sql: Sql, columns: Any) -> tuple[Source, Sql]:
        shown = alias or self.expressions.context.fresh()
        names = frozenset({(alias,)} if alias else ())
        found = Source(shown, names, {c.name: c for c in columns})
        return found, Sql(":0 AS :1", sql, name(shown), wrap=False)

    def _table(self, table: Name, alias: str | None) -> tuple[Source, Sql]:
        found = self.expressions.context.relation(table)
        view = found.alias
        found.alias = alias or table.table
        if alias:
            found.names = frozenset({(alias,)})
        return found, Sql(":0 AS :1", name(view), name(found.alias), wrap=False)

    def _function(self, node: exp.Table, call: exp.Anonymous) -> tuple[Source, Sql]:
        build = TABLE_FUNCTIONS.get(call.name)
        if build is None:
            known = ", ".join(TABLE_FUNCTIONS)
            what = f"The table function {call.name}"
            hint = f"Only {known} and the tables of the catalog can stand in FROM"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint=hint, place=places.of_node(call))
        return build(self, call, _alias(node))

    def cluster(self, call: exp.Anonymous, alias: str | None) -> tuple[Source, Sql]:
        """`cluster('c', db.t)`: there is one server, so it is the table itself."""
        if len(call.expressions) < 2 or not isinstance(call.expressions[1], exp.Column):
            reason = f"{call.name} is written {call.name}('cluster', database.table)"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(call))
        parts = [part.name for part in call.expressions[1].parts]
        if len(parts) == 1 and len(call.expressions) == 3:
            parts.append(call.expressions[2].name)
        database = parts[-2] if len(parts) > 1 else None
        return self._table(Name(parts[-1], database, places.of_node(call.expressions[1])), alias)

    def numbers(self, call: exp.Anonymous, alias: str | None) -> tuple[Source, Sql]:
        """`numbers(n)`, `numbers(from, n)`: a column `number`."""
        values = [self.expressions.value(arg).literal for arg in call.expressions]
        if not 1 <= len(values) <= 2 or not all(isinstance(v, int) for v in values):
            reason = "numbers takes one or two whole numbers that are written out"
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.of_node(call))
        start, count = (0, values[0]) if len(values) == 1 else values
        table = Sql(
            "(SELECT id AS `number` FROM range(:0, :1))", number(start), number(start + count)
        )
        return self._named(alias, table, [_number(start + count)])

    # joins

    def join(self, node: exp.Join) -> None:
        """One JOIN, or one ARRAY JOIN."""
        if node.kind == "ARRAY":
            self._array_join(node)
            return
        kind, side = node.kind, node.side
        if kind not in _KINDS or side not in _SIDES or node.method:
            word = " ".join(part for part in (node.method, side, kind, "JOIN") if part)
            hint = _HINTS.get(kind, "INNER, LEFT, RIGHT, FULL, CROSS and ARRAY JOIN are there")
            raise errors.UNSUPPORTED_STATEMENT(what=word, hint=hint, place=places.of_node(node))
        before = list(self.expressions.scope.sources)
        right = self.add(node.this)
        table = self.parts.pop()
        condition = self._on(node, before, right)
        word = "CROSS" if kind == "CROSS" or condition is None else _SIDES[side]
        if condition is None:
            self.parts.append(Sql(f"{word} JOIN :0", table, wrap=False))
        else:
            self.parts.append(Sql(f"{word} JOIN :0 ON :1", table, condition, wrap=False))
        right.may_miss = side in ("LEFT", "FULL")
        right.nulls = self.expressions.context.join_nulls
        for source in before:
            source.may_miss = source.may_miss or side in ("RIGHT", "FULL")
            source.nulls = self.expressions.context.join_nulls

    def _on(self, node: exp.Join, before: list[Source], right: Source) -> Sql | None:
        if node.args.get("on") is not None:
            return self.expressions.condition(node.args["on"])
        if not node.args.get("using"):
            if node.kind == "CROSS":
                return None
            reason = "A JOIN needs ON or USING"
            raise errors.SYNTAX_ERROR(reason=reason, place=places.of_node(node))
        pairs: list[Sql] = []
        for part in node.args["using"]:
            left = next((source for source in before if part.name in source.columns), None)
            if left is None or part.name not in right.columns:
                raise self.expressions.scope.unknown(part.name, places.of_node(part))
            pairs.append(Sql(":0 = :1", left.sql(part.name), right.sql(part.name)))
            self.expressions.scope.merged[part.name] = _merged(left, right, part.name, node.side)
        slots = " AND ".join(f":{n}" for n in range(len(pairs)))
        return Sql(slots, *pairs, wrap=False)

    def _array_join(self, node: exp.Join) -> None:
        outer = node.side == "LEFT"
        items = [node.this, *node.expressions]
        named: list[tuple[str, Value]] = []
        for item in items:
            value = self.expressions.value(item.this if isinstance(item, exp.Alias) else item)
            named.append((item.alias_or_name, value))
        view = self.expressions.context.fresh()
        columns = [name(alias) for alias, _ in named]
        function = "explode" if len(named) == 1 else "inline"
        arrays = [value.sql for _, value in named]
        source = arrays[0] if len(arrays) == 1 else Sql("arrays_zip(:*)", *arrays)
        text = f"LATERAL VIEW{' OUTER' if outer else ''} {function}(:0) :1 AS :*"
        self.expressions.scope.laterals.append(Sql(text, source, name(view), *columns))
        for alias, value in named:
            type_ = value.kind.item if isinstance(value.kind, m.Array) else UNKNOWN
            sql = name(view, alias)
            default = default_of(type_) if outer and not is_nullable(type_) else None
            full = Sql("coalesce(:0, :1)", sql, default) if default else sql
            self.expressions.scope.shadows[alias] = Value(full, type_)


def _merged(left: Source, right: Source, column: str, side: str) -> Callable[[], Value]:
    """A USING column: the side that always has a row, or whichever has one."""

    def value() -> Value:
        type_ = left.columns[column].type
        if side == "FULL":
            return Value(Sql("coalesce(:0, :1)", left.sql(column), right.sql(column)), type_)
        return Value((right if side == "RIGHT" else left).sql(column), type_)

    return value


def _number(end: int) -> Output:
    """The column of `numbers`, which Spark has as BIGINT."""
    return Output("number", ULONG, bounds=(0, max(end, 1) - 1))


def _table_name(node: exp.Table) -> Name:
    return Name(node.name, node.db or None, places.of_node(node))


def _alias(node: exp.Expr) -> str | None:
    alias = node.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        what = "A list of columns behind a table's alias"
        raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(alias))
    return node.alias or None


def _only(node: exp.Expr, *allowed: str) -> None:
    """Refuse what stands at a table and is not known here, such as SAMPLE."""
    for key, arg in node.args.items():
        if arg and key not in allowed:
            what = f"{key.strip('_').replace('_', ' ').upper()} in FROM"
            raise errors.UNSUPPORTED_STATEMENT(what=what, hint="", place=places.of_node(node))


TABLE_FUNCTIONS: dict[str, Callable[[From, exp.Anonymous, str | None], tuple[Source, Sql]]] = {
    "numbers": From.numbers,
    "cluster": From.cluster,
    "clusterAllReplicas": From.cluster,
}
"""What may be called in FROM; nothing here leaves Sluice's own tables."""
