"""The driver that lowers queries: WITH, set operations, and the clauses of a SELECT in order.

A dialect derives from `Queries` and `Select`; what its tables do not name is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.calls import ordered
from sluice.sql.core.scope import T
from sluice.sql.core.spark import AND, Clauses, Sql, chain, name
from sluice.sql.core.values import V
from sluice.sql.relation import EVOLVED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from sluice.sql.core.expressions import Expressions
    from sluice.sql.core.scope import Context, Env
    from sluice.sql.core.sources import From

SUBTOTALS: Mapping[type[exp.Expr], str] = {
    exp.Rollup: "ROLLUP",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
}
"""What GROUP BY may hold besides keys, in Spark's words."""

_ROWS = ("order", "limit", "offset")


def check(node: exp.Expr, known: Collection[str], hints: Mapping[str, str] | None = None) -> None:
    """Refuse every clause that is not known."""
    for key, arg in node.args.items():
        if arg and key not in known:
            clause = f"The clause {key.strip('_').replace('_', ' ').upper()}"
            at = arg if isinstance(arg, exp.Expr) else node
            raise places.unsupported(at, clause, (hints or {}).get(key, ""))


class Queries(Generic[T]):
    """Lowers a query with all queries inside it."""

    subquery: ClassVar[frozenset[str]]
    """What may stand in and around parentheses, as sqlglot names it."""
    clauses: ClassVar[frozenset[str]]
    """The clauses of a SELECT that are lowered."""
    sets: ClassVar[Mapping[type[exp.Expr], str]]
    """Set operations, in Spark's words."""
    set_clauses: ClassVar[frozenset[str]]
    hints: ClassVar[Mapping[str, str]] = {}
    """What to write instead of clauses that are not supported."""

    def __init__(self, context: Context) -> None:
        self.context: Any = context

    def query(self, node: exp.Expr, env: Env[T], parent: Any = None) -> T:
        """Lower a query."""
        while isinstance(node, exp.Subquery):
            check(node, self.subquery)
            node = node.this
        env = self._with(node, env)
        if type(node) in self.sets:
            return self._set_operation(node, env, parent)
        if not isinstance(node, exp.Select):
            return self.other(node, env, parent)
        check(node, self.clauses, self.hints)
        return self.select(node, env, parent)

    def select(self, node: exp.Select, env: Env[T], parent: Any) -> T:
        """Lower a SELECT."""
        raise NotImplementedError

    def other(self, node: exp.Expr, env: Env[T], parent: Any) -> T:
        """Lower another kind of query."""
        hint = f"These queries are supported: SELECT, {', '.join(self.sets.values())}"
        raise places.unsupported(node, type(node).__name__.upper(), hint)

    def cte(self, cte: exp.Expr, env: Env[T]) -> Env[T]:
        """Add a query, or whatever else WITH may name."""
        raise NotImplementedError

    def united(self, node: exp.Expr, tables: Sequence[T], words: Sequence[str], text: str) -> T:
        """A set operation, from its lowered queries and its template."""
        raise NotImplementedError

    def _with(self, node: exp.Expr, env: Env[T]) -> Env[T]:
        clause = node.args.get("with_")
        if clause is None:
            return env
        if clause.args.get("recursive"):
            raise places.unsupported(clause, "WITH RECURSIVE")
        for cte in clause.expressions:
            env = self.cte(cte, env)
        return env

    def _set_operation(self, node: exp.Expr, env: Env[T], parent: Any) -> T:
        """UNION and its like; a chain of them is read from the left."""
        branches: list[exp.Expr] = []
        words: list[str] = []
        left = node
        while type(left) in self.sets:
            binds = isinstance(left, exp.Intersect) != isinstance(node, exp.Intersect)
            if left is not node and (binds or any(left.args.get(k) for k in (*_ROWS, "with_"))):
                break
            check(left, self.set_clauses)
            branches.insert(0, left.args["expression"])
            words.insert(0, self.sets[type(left)] + ("" if left.args.get("distinct") else " ALL"))
            left = left.this
        tables = _carrying([self.query(branch, env, parent) for branch in (left, *branches)])
        for table, branch in zip(tables[1:], branches, strict=True):
            if len(table.columns) != len(tables[0].columns):
                raise errors.SET_OPERATION_MISMATCH(
                    left=len(tables[0].columns),
                    right=len(table.columns),
                    place=places.of_node(branch),
                )
        text = "(:0)" + "".join(f" {word} (:{n})" for n, word in enumerate(words, 1))
        return self.united(node, tables, words, text)


def _carrying(tables: list[T]) -> list[T]:
    """The queries of a set operation, all with the columns that changes add if one has them."""
    found = (column for table in tables for column in table.columns if column.name == EVOLVED)
    carried = next(found, None)
    if carried is None:
        return tables
    return [
        table if table.columns[-1].name == EVOLVED else table.followed_by(carried, Sql("NULL"))
        for table in tables
    ]


@dataclass(slots=True)
class Projection(Generic[V]):
    """A column of the SELECT list."""

    name: str
    value: V

    def sql(self) -> Sql:
        """The column in the list."""
        return Sql(":0 AS :1", self.value.plain(), name(self.name), wrap=False)


class Select(Generic[V, T]):
    """One SELECT: its clauses are lowered in the order in which SQL evaluates them."""

    star: ClassVar[frozenset[str]] = frozenset()
    """What may follow `*`, as sqlglot names it."""
    star_computed: ClassVar[bool] = True
    """Whether `*` stands for computed columns too."""
    distinct_on: ClassVar[str] = ""
    """What to write instead of DISTINCT ON."""

    def __init__(self, node: exp.Select, expressions: Expressions[V], source: From[Any, V]) -> None:
        self.node = node
        self.place = places.of_node(node)
        self.expressions: Any = expressions
        self.scope: Any = expressions.scope
        self.source: Any = source
        self.projections: list[Any] = []
        self.conditions: list[Sql] = []
        self.grouping: Sql | None = None
        self.having: Sql | None = None

    def lower(self) -> T:
        """The query in Spark SQL with the columns it gives."""
        if not self.node.expressions:
            raise errors.SYNTAX_ERROR(reason="SELECT needs columns", place=self.place)
        distinct = self.node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise places.unsupported(distinct, "DISTINCT ON", self.distinct_on)
        if clause := self.node.args.get("from_"):
            self.source.add(clause.this)
        for join in self.node.args.get("joins") or ():
            self.source.join(join)
        for window in self.node.args.get("windows") or ():
            self.expressions.windows[window.name] = window
        self.prepare()
        self.conditions = self.where()
        self.grouping = self.group()
        found = sorted(self.projected(), key=lambda each: each.name.startswith(EVOLVED))
        self.projections = self.named(found)
        if (having := self.node.args.get("having")) is not None:
            self.having = self.expressions.condition(having.this)
        return self.result()

    def prepare(self) -> None:
        """What a dialect does once the sources are known."""

    def where(self) -> list[Sql]:
        """The conditions on rows, all of which must hold."""
        raise NotImplementedError

    def group(self) -> Sql | None:
        """The keys of GROUP BY."""
        raise NotImplementedError

    def named(self, projections: list[Any]) -> list[Any]:
        """The columns with the names that they have in the result."""
        return projections

    def result(self) -> T:
        """The query, once its clauses are lowered."""
        raise NotImplementedError

    # the list of columns

    def projected(self) -> Iterator[Projection[V]]:
        """The columns of the list; `*` gives several."""
        for n, item in enumerate(self.node.expressions):
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                check(star, self.star)
                yield from self._starred(star, item)
            else:
                yield self.projection(item, n)

    def projection(self, item: exp.Expr, n: int) -> Projection[V]:
        """The n-th column of the list."""
        raise NotImplementedError

    def starred(self, source: Any, column: str) -> V:
        """A column that `*` stands for."""
        merged = self.scope.merged.get(column)
        found: V = merged() if merged else self.expressions.source_column(source, column)
        return found

    def _starred(self, star: exp.Star, item: exp.Expr) -> Iterator[Projection[V]]:
        qualifier = item.parts[:-1] if isinstance(item, exp.Column) else ()
        names = tuple(part.name for part in qualifier)
        sources = self.scope.starred(names, places.of_node(item))
        dropped = {part.name: part for part in star.args.get("except_") or ()}
        replaced = {part.alias: part.this for part in star.args.get("replace") or ()}
        known = {column for source in sources for column in source.columns}
        for missing in dropped.keys() - known:
            raise self.scope.unknown(missing, places.of_node(dropped[missing]))
        seen: set[str] = set()
        for source in sources:
            for column in source.columns.values():
                hidden = column.virtual or (column.alias is not None and not self.star_computed)
                again = column.name in self.scope.merged and column.name in seen
                if hidden or again or column.name in dropped:
                    continue
                seen.add(column.name)
                if column.name in replaced:
                    value = self.expressions.replacement(replaced[column.name], replaced)
                else:
                    value = self.starred(source, column.name)
                yield Projection(column.name, value)

    def at_position(self, node: exp.Expr) -> Projection[V] | None:
        """The column that a number in ORDER BY, or GROUP BY, means."""
        if not isinstance(node, exp.Literal) or node.is_string or not node.name.isdecimal():
            return None
        found: Projection[V] = self.projections[position(node, len(self.projections))]
        return found

    # clauses

    def head(self, projections: Sequence[Sql], *, distinct: bool) -> Clauses:
        """The query up to HAVING."""
        text = Clauses()
        text.add("SELECT DISTINCT :*" if distinct else "SELECT :*", *projections)
        if (source := self.source.sql()) is not None:
            text.add("FROM :0", source)
        if self.conditions:
            several = len(self.conditions) > 1
            text.add("WHERE :0", chain("AND", AND, self.conditions) if several
                     else self.conditions[0])  # fmt: skip
        if self.grouping is not None:
            text.add("GROUP BY :0", self.grouping)
        if self.having is not None:
            text.add("HAVING :0", self.having)
        return text

    def order(self, by: Callable[[exp.Expr], Sql]) -> list[Sql]:
        """The keys of ORDER BY; `by` lowers one."""
        order = self.node.args.get("order")
        if order is None:
            return []
        check(order, {"expressions"})
        return [ordered(item, by(item.this)) for item in order.expressions]


def position(node: exp.Expr, columns: int) -> int:
    """The index of a column that is named by its position in the list, which counts from 1."""
    if not 1 <= int(node.name) <= columns:
        raise errors.POSITION_OUT_OF_RANGE(
            position=node.name, columns=columns, place=places.of_node(node)
        )
    return int(node.name) - 1


def limit(expressions: Expressions[V], node: exp.Expr, text: Clauses) -> None:
    """LIMIT, FETCH and OFFSET of a query."""
    for word in ("limit", "offset"):
        clause = node.args.get(word)
        if clause is None:
            continue
        if isinstance(clause, exp.Fetch):
            options = clause.args.get("limit_options")
            if options is not None and any(options.args.get(k) for k in ("percent", "with_ties")):
                raise places.unsupported(clause, "PERCENT or WITH TIES")
            count = clause.args.get("count") or exp.Literal.number(1)
        else:
            check(clause, {"expression"})
            count = clause.expression
        text.add(f"{word.upper()} :0", count_of(expressions, count))


def count_of(expressions: Expressions[V], node: exp.Expr) -> Sql:
    """A number of rows, which must be a constant."""
    value = expressions.value(node)
    if not isinstance(value.literal, int) or value.literal < 0:
        raise errors.INVALID_LIMIT(place=places.of_node(node))
    return value.sql


def keys_of(node: exp.Expr) -> list[exp.Expr]:
    """The keys that stand in parentheses together."""
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    return [node.this] if isinstance(node, exp.Paren) else [node]


def commas(items: Sequence[Sql]) -> Sql:
    """A list without parentheses."""
    return Sql(", ".join(f":{n}" for n in range(len(items))), *items, wrap=False)
