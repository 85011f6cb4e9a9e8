"""Tables in FROM of a query over changelogs: rows are added and retracted; and ROW_NUMBER."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.spark import Sql, name
from sluice.sql.flink import joins, ranks, windows
from sluice.sql.flink.accumulators import INSERTED
from sluice.sql.flink.scope import Flow, Output
from sluice.sql.flink.sources import From
from sluice.sql.flink.times import CLOCK, PROCTIME
from sluice.sql.relation import (
    AT,
    BY_KEY,
    FULL,
    KIND,
    PLACE,
    UNCHANGED,
    Arrange,
    Normalize,
    Shape,
)
from sluice.types import bare
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.scope import Context, Source, Table
    from sluice.sql.flink.times import Time
    from sluice.sql.flink.values import Value
    from sluice.sql.ir import Name
    from sluice.sql.relation import Relation, RelationColumn

NOWHERE = Sql(f"CAST(NULL AS {PLACE})")
"""The place of a change that a stateful step made."""

HIDDEN = (KIND, AT)
"""The columns that follow those of every query over a stream here."""

ARRIVAL = "__seq"
"""The column by which the rows of `Arrange` are in the order of their arrival, if it is asked."""

Column = tuple[str, str]
"""A column of FROM: the alias of its source, and its name there."""


def hidden(flow: Flow) -> list[Sql]:
    """The hidden columns in the list of a SELECT."""
    pairs = [(KIND, flow.kind), (AT, flow.at)]
    if flow.unchanged is not None:
        pairs.append((UNCHANGED, flow.unchanged))
    return [Sql(":0 AS :1", sql, name(column), wrap=False) for column, sql in pairs]


def made_by(alias: str) -> Flow:
    """The hidden columns of a step's rows."""
    return Flow(name(alias, KIND), name(alias, AT))


class ChangelogTables(From):
    """A FROM clause whose rows are added and retracted, without joins."""

    def __init__(
        self, expressions: Expressions, where: exp.Expr | None = None, node: exp.Expr | None = None
    ) -> None:
        super().__init__(expressions, where)
        self.node = node
        self.flow: Flow | None = None
        self.keys: list[tuple[Column, ...]] = []
        """Sets of columns that tell the rows apart."""
        self.equals: list[tuple[Column, Column]] = []
        """Columns that have the same value in every row."""

    def add(self, node: exp.Expr) -> Source:
        """A table or subquery; the first one gives the keys of the rows."""
        first = not self.expressions.scope.sources
        source = super().add(node)
        if first:
            self.flow = source.flow
            self.keys = list(keys_of(source))
        return source

    # tables

    def read_changelog(self) -> None:
        """A table whose rows are changes."""

    def time(self, found: Relation, column: RelationColumn) -> Time | None:
        """No time attribute but the clock: rows that are added and retracted have no watermark."""
        return CLOCK if column.clock else None

    def rows(self, found: Relation, source: Source, table: Name) -> Sql:
        """The view with the changes of a table; those by key get the rows that they replace."""
        context, alias = self.expressions.context, source.alias
        if not found.stream:
            source.shape = Shape(key=found.key or None)
            return name(found.view)
        why = f"TableSourceScan(table=[[{table.table}]])"
        source.shape = Shape(
            stream=True,
            updating=bool(found.changelog),
            key=found.key or None,
            why=why if found.changelog else "",
            changelog=found.changelog,
            unkeyed=not found.key,
        )
        source.flow = Flow(name(alias, KIND), name(alias, AT))
        if not found.changelog:
            source.flow = Flow(Sql(INSERTED, rank=100), NOWHERE)
        elif found.changelog == BY_KEY:
            context.use(source, *found.key)
            if context.normalizes:
                source.shape = replace(source.shape, changelog=FULL)
                return normalized(context, found)
            if found.partial:
                source.flow = replace(source.flow, unchanged=name(alias, UNCHANGED))
        return name(found.view)

    def _named(self, node: exp.Expr, alias: str | None, table: Table) -> tuple[Source, Sql]:
        source, sql = super()._named(node, alias, table)
        if source.shape.stream:
            source.flow = made_by(source.alias)
            if UNCHANGED in table.hidden:
                source.flow = replace(source.flow, unchanged=name(source.alias, UNCHANGED))
        return source, sql

    def _function(self, node: exp.Table, call: exp.Anonymous) -> tuple[Source, Sql]:
        if windows.is_window(call):
            raise no_windows(call)
        return super()._function(node, call)

    # ROW_NUMBER

    def limited(self, table: Table, ranked: ranks.Ranked, shown: str) -> Table:
        """The first rows of each partition, from all rows of it that are there."""
        if not table.shape.stream:
            return super().limited(table, ranked, shown)
        context = self.expressions.context
        most = ranks.limit_of(self.where, ranked, shown)
        view = context.step(table.sql)
        kept = [o for o in table.columns if o.name != ranked.column]
        keys = [name(made) for made, _, _ in ranked.partition]
        # The same rows have to get the same numbers again, also those that arrived at once.
        order = [*(_ordered(each) for each in ranked.order), name(ARRIVAL), *map(_orderable, kept)]
        number = Sql(
            "CAST(row_number() OVER (:0ORDER BY :*) AS BIGINT) AS :1",
            Sql("PARTITION BY :* ", *keys, wrap=False) if keys else Sql(""),
            name(ranked.column),
            *order,
            wrap=False,
        )
        inner = Sql("SELECT :*, :0 FROM :1", number, view, *(name(o.name) for o in kept),
                    wrap=False)  # fmt: skip
        numbered = self._uses_number(ranked, shown)
        columns = [o for o in table.columns if numbered or o.name != ranked.column]
        names = [name(o.name) for o in columns]
        sql = Sql("SELECT :* FROM (:0) WHERE :1 <= :2", inner, name(ranked.column),
                  Sql(str(most), rank=100), *names, wrap=False)  # fmt: skip
        partition = [given for _, _, given in ranked.partition]
        shape = _ranked_shape(table.shape, ranked, partition, most, numbered=numbered)
        known = shape.key if shape.key and most == 1 else None
        text = str(view)[1:-1]
        sources = ((text, tuple(made for made, _, _ in ranked.partition)),)
        state = Arrange(sources, known, ordered=True)
        step = context.step(sql, state=state, node=shape.why)
        made = Sql("SELECT :* FROM :0", step, *names, *map(name, HIDDEN), wrap=False)
        outputs = tuple(
            o if numbered or o.name != ranked.column else replace(o, sql=Sql("1L", rank=100))
            for o in table.columns
        )
        return replace(table, sql=made, columns=outputs, shape=shape, ranked=None, hidden=HIDDEN)

    def _uses_number(self, ranked: ranks.Ranked, shown: str) -> bool:
        """Whether the number of a row is used for anything but the limit."""
        bounds = [
            node for node in joins.conjuncts(self.where) if ranks.is_limit(node, ranked, shown)
        ]
        if self.node is None or any(is_starred(item) for item in self.node.expressions):
            return True
        within = sum(_mentions(node, ranked.column) for node in bounds)
        return _mentions(self.node, ranked.column) - _inside(self.node, ranked.column) > within


def keys_of(source: Source) -> Iterator[tuple[Column, ...]]:
    """The keys of the rows of a source."""
    for key in source.shape.keys:
        yield tuple((source.alias, column) for column in key)


def _ordered(order: tuple[str, Value, bool]) -> Sql:
    """A column to order by: a NULL is the lowest value; processing time is that of arrival."""
    made, value, down = order
    clock = value.time is not None and value.time.role == PROCTIME
    return Sql(f":0 {'DESC' if down else 'ASC'}", name(ARRIVAL if clock else made), wrap=False)


def _orderable(output: Output) -> Sql:
    """A column by which rows can be told apart."""
    plain = isinstance(bare(output.type), m.Int | m.Float | m.Decimal | m.Text | m.String | m.Date
                       | m.DateTime | m.LocalDateTime | m.Bool)  # fmt: skip
    return name(output.name) if plain else Sql("CAST(:0 AS STRING)", name(output.name))


def _ranked_shape(
    shape: Shape,
    ranked: ranks.Ranked,
    partition: Sequence[str | None],
    most: int,
    *,
    numbered: bool,
) -> Shape:
    keys: list[tuple[str, ...]] = []
    if None not in partition:
        names = tuple(n for n in partition if n is not None)
        if most == 1:
            keys.append(names)
        elif numbered:
            keys.append((*names, ranked.column))
    keys += shape.keys
    why = f"Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd={most}], {ranked.words})"
    return replace(
        shape,
        stateful=True,
        updating=True,
        bounded_state=False,
        why=why,
        changelog=FULL,
        key=keys[0] if keys else None,
        also=tuple(keys[1:]),
        unkeyed=False,
    )


def is_starred(item: exp.Expr) -> bool:
    """Whether an item of a SELECT is `*`."""
    return isinstance(item.this if isinstance(item, exp.Column) else item, exp.Star)


def _mentions(node: exp.Expr, column: str) -> int:
    return sum(each.name == column for each in node.find_all(exp.Identifier))


def _inside(node: exp.Expr, column: str) -> int:
    """How often a name is in the queries of FROM."""
    clauses: Iterable[exp.Expr] = (
        each for each in (node.args.get("from_"), node.args.get("with_")) if each is not None
    )
    return sum(_mentions(each, column) for each in clauses)


def normalized(context: Context, found: Relation) -> Sql:
    """The step that makes a changelog by key a full one, with the columns that are used."""
    if found.view not in context.normalized:
        needed = None if context.needed is None else context.needed.get(found.view)
        columns = [c.name for c in found.columns if needed is None or c.name in needed]
        names = [*columns, *(key for key in found.key if key not in columns), *HIDDEN]
        if found.partial:
            names.append(UNCHANGED)
        sql = Sql("SELECT :* FROM :0", name(found.view), *map(name, names), wrap=False)
        view = str(context.step(sql))[1:-1]
        state = Normalize(view, found.key)
        node = f"ChangelogNormalize(key=[{', '.join(found.key)}])"
        context.normalized[found.view] = context.step(Sql(""), state=state, node=node)
    return context.normalized[found.view]


def no_windows(node: exp.Expr) -> errors.SluiceError:
    """The error for a window of time over rows that are added and retracted."""
    return errors.UNSUPPORTED_ON_STREAM(
        operation=f"{node.name.upper()} over update and delete changes",
        hint=(
            "A window's rows are final, and these change later. Group by a column that has the "
            "time without its last digits, such as FLOOR(ts TO HOUR)."
        ),
        place=places.of_node(node),
    )
