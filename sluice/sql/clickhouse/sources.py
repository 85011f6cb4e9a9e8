"""FROM: tables, subqueries, table functions, JOIN and ARRAY JOIN."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sluice import errors
from sluice.sql.clickhouse import scalars
from sluice.sql.clickhouse.casts import or_default
from sluice.sql.clickhouse.scope import Output, Source
from sluice.sql.clickhouse.values import LONG, ULONG, Value
from sluice.sql.core import places
from sluice.sql.core import sources as core
from sluice.sql.core.functions import invalid
from sluice.sql.core.sources import SIDES, check_table, equal, merged, needs_condition
from sluice.sql.core.spark import Sql, name, number
from sluice.sql.core.values import UNKNOWN
from sluice.sql.ir import Name
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from sluice.sql.clickhouse.expressions import Expressions


_HINTS = {
    "ANY": "Group the right side first, so that it has one row for each key",
    "ASOF": "Use a window function to find the nearest row",
}


class From(core.From[Source, Value]):
    """Builds a FROM clause while it fills the scope of the SELECT."""

    expressions: Expressions
    kinds = frozenset({"", "INNER", "OUTER", "CROSS", "ALL"})
    join_hint = "INNER, LEFT, RIGHT, FULL, CROSS and ARRAY JOIN are supported"
    join_hints = _HINTS

    def sql(self) -> Sql | None:
        """The clause without the word FROM; the LATERAL VIEWs of the scope stand at its end."""
        laterals = self.expressions.scope.laterals
        if laterals and not self.parts:
            self.parts.append(Sql("(SELECT 1) AS `_0`"))
        return core.spaced([*self.parts, *laterals]) if self.parts else None

    def source(self, node: exp.Expr) -> tuple[Source, Sql]:
        """A table, a CTE, a subquery or a table function."""
        if isinstance(node, exp.Final):
            node = node.this
        if isinstance(node, exp.Subquery):
            check_table(node, "this", "alias")
            return self._subquery(node)
        if not isinstance(node, exp.Table):
            clause = f"{type(node).__name__} in FROM"
            raise errors.UNSUPPORTED_CLAUSE(clause=clause, hint="", place=places.of_node(node))
        check_table(node, "this", "db", "alias")
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
            raise errors.LIMIT_REQUIRED(table="system.numbers", place=places.of_node(node))
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
        columns = {c.name: Output(c.name, c.type, c.alias, c.virtual) for c in found.columns}
        names = {(table.table,)} | ({(table.database, table.table)} if table.database else set())
        shown = alias or table.table
        known = frozenset({(alias,)} if alias else names)
        source = Source(shown, known, columns, view=found.view)
        self.expressions.context.use(source)
        return source, Sql(":0 AS :1", name(found.view), name(shown), wrap=False)

    def _function(self, node: exp.Table, call: exp.Anonymous) -> tuple[Source, Sql]:
        build = TABLE_FUNCTIONS.get(call.name)
        if build is None:
            known = ", ".join(TABLE_FUNCTIONS)
            what = f"The table function {call.name}"
            hint = f"The table functions are {known}"
            raise errors.UNSUPPORTED_CLAUSE(clause=what, hint=hint, place=places.of_node(call))
        return build(self, call, _alias(node))

    def cluster(self, call: exp.Anonymous, alias: str | None) -> tuple[Source, Sql]:
        """`cluster('c', db.t)`: there is one server, so it is the table itself."""
        if len(call.expressions) < 2 or not isinstance(call.expressions[1], exp.Column):
            reason = f"{call.name} is written {call.name}('cluster', database.table)"
            raise invalid(reason, places.of_node(call))
        parts = [part.name for part in call.expressions[1].parts]
        if len(parts) == 1 and len(call.expressions) == 3:
            parts.append(call.expressions[2].name)
        database = parts[-2] if len(parts) > 1 else None
        return self._table(Name(parts[-1], database, places.of_node(call.expressions[1])), alias)

    def numbers(self, call: exp.Anonymous, alias: str | None) -> tuple[Source, Sql]:
        """`numbers(n)`, `numbers(from, n)`: a column `number`."""
        values = [self.expressions.value(arg).literal for arg in call.expressions]
        if not 1 <= len(values) <= 2 or not all(isinstance(v, int) for v in values):
            what, place = (
                "Each argument of numbers (a count, or a start and a count)",
                places.of_node(call),
            )
            raise errors.CONSTANT_REQUIRED(what=what, type="an integer", place=place)
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
        self.check_join(node)
        kind, side = node.kind, node.side
        before = list(self.expressions.scope.sources)
        right = self.add(node.this)
        table = self.parts.pop()
        condition = self._on(node, before, right)
        word = "CROSS" if kind == "CROSS" or condition is None else SIDES[side]
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
            raise needs_condition(node)
        pairs: list[tuple[Sql, Sql]] = []
        for part in node.args["using"]:
            left = next((source for source in before if part.name in source.columns), None)
            if left is None or part.name not in right.columns:
                raise self.expressions.scope.unknown(part.name, places.of_node(part))
            scalars.check_same(left.columns[part.name].type, right.columns[part.name].type)
            pair = (left.sql(part.name), right.sql(part.name))
            pairs.append(pair)
            for side in (left, right):
                self.expressions.context.use(side, part.name)
            one, other = (partial(Value, sql, left.columns[part.name].type) for sql in pair)
            self.expressions.scope.merged[part.name] = merged(one, other, node.side)
        return equal(pairs)

    def _array_join(self, node: exp.Join) -> None:
        outer = node.side == "LEFT"
        items = [node.this, *node.expressions]
        named: list[tuple[str, Value]] = []
        for item in items:
            inner = item.this if isinstance(item, exp.Alias) else item
            parts = self._nested(inner)
            named += [
                (f"{item.alias_or_name}.{part}", self.expressions.value(column))
                for part, column in parts.items()
            ] or [(item.alias_or_name, self.expressions.value(inner))]
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
            full = or_default(sql, type_) if outer else sql
            self.expressions.scope.shadows[alias] = Value(full, type_)

    def _nested(self, node: exp.Expr) -> dict[str, exp.Expr]:
        """The columns of the Nested structure that a name stands for, by their last parts."""
        if not isinstance(node, exp.Column) or len(node.parts) > 1:
            return {}
        sources = self.expressions.scope.sources
        if any(node.name in source.columns for source in sources):
            return {}
        prefix = f"{node.name}."
        return {
            each.removeprefix(prefix): exp.column(each, quoted=True)
            for source in sources
            for each in source.columns
            if each.startswith(prefix)
        }


def _number(end: int) -> Output:
    """The column of `numbers`, which Spark has as BIGINT."""
    return Output("number", ULONG, bounds=(0, max(end, 1) - 1))


def _table_name(node: exp.Table) -> Name:
    return Name(node.name, node.db or None, places.of_node(node))


def _alias(node: exp.Expr) -> str | None:
    alias = node.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        clause = "A list of columns after a table's alias"
        raise errors.UNSUPPORTED_CLAUSE(clause=clause, hint="", place=places.of_node(alias))
    return node.alias or None


TABLE_FUNCTIONS: dict[str, Callable[[From, exp.Anonymous, str | None], tuple[Source, Sql]]] = {
    "numbers": From.numbers,
    "cluster": From.cluster,
    "clusterAllReplicas": From.cluster,
}
"""What may be called in FROM; nothing here leaves Sluice's own tables."""
