"""FROM in a query over changelogs: tables whose rows come and go, and joins of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.spark import AND, COMPARE, Clauses, Sql, chain, name
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink import joins, ranks, windows
from sluice.sql.flink.accumulators import INSERTED
from sluice.sql.flink.scope import Flow, Output
from sluice.sql.flink.shapes import NeedsNormalizeError
from sluice.sql.flink.sources import From
from sluice.sql.flink.times import CLOCK, PROCTIME
from sluice.sql.flink.values import TEXTS, Value, cast_sql, numeric
from sluice.sql.relation import (
    AT,
    BY_KEY,
    FULL,
    KIND,
    PLACE,
    UNCHANGED,
    WEIGHT,
    Arrange,
    InnerJoin,
    Normalize,
    Shape,
)
from sluice.types import bare
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.joins import Joined
    from sluice.sql.flink.scope import Context, Source, Table
    from sluice.sql.flink.times import Time
    from sluice.sql.ir import Name
    from sluice.sql.relation import Relation, RelationColumn, State

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


class ChangelogFrom(From):
    """A FROM clause whose rows come and go.

    At any time its rows are one stream: a JOIN of two is a step of its own.
    """

    def __init__(
        self, expressions: Expressions, where: exp.Expr | None = None, node: exp.Expr | None = None
    ) -> None:
        super().__init__(expressions, where)
        self._node = node
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
            self.keys = list(_keys(source))
        return source

    # tables

    def read_changelog(self) -> None:
        """A table whose rows are changes."""

    def time(self, found: Relation, column: RelationColumn) -> Time | None:
        """No time attribute but the clock: rows that come and go have no watermark."""
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
        if self._node is None or any(_starred(item) for item in self._node.expressions):
            return True
        within = sum(_mentions(node, ranked.column) for node in bounds)
        return _mentions(self._node, ranked.column) - _inside(self._node, ranked.column) > within

    # joins

    def join(self, node: exp.Join) -> None:
        """One JOIN; UNNEST and LATERAL make several rows of one."""
        super().join(node)
        if not isinstance(node.this, exp.Unnest | exp.Lateral):
            return
        if self.shape.changelog == BY_KEY:
            raise NeedsNormalizeError
        self.keys = []

    def join_table(self, node: exp.Join) -> None:
        """A JOIN: with a stored table row by row, with a stream by the rows of both that stay."""
        joined, table = self.sides(node)
        right = joined.right
        pairs = list(self._equal(joined))
        unique = self._unique(joined, pairs)
        if self.flow is not None and right.flow is not None:
            self._arrange(node, joined, table, pairs)
        else:
            self._look_up(node, joined, table)
        self._join_keys(joined, pairs, unique)

    def _look_up(self, node: exp.Join, joined: Joined, table: Sql) -> None:
        """Rows of a stream find those of a stored table as it is when they come, or go."""
        left, right = self.shape, joined.right.shape
        if left.stream or right.stream:
            joins.check_stored(joined, left)
        condition = self.on(node, joined)
        if condition is None:
            self.parts.append(Sql("CROSS JOIN :0", table, wrap=False))
        else:
            self.parts.append(Sql(f"{joined.side} JOIN :0 ON :1", table, condition, wrap=False))
        self.flow = self.flow or joined.right.flow
        self.shape = left if left.stream else right if right.stream else left
        if self.shape.changelog == BY_KEY:
            raise NeedsNormalizeError
        if not self.shape.stream:
            self.shape = replace(self.shape, stateful=True)

    def _arrange(
        self,
        node: exp.Join,
        joined: Joined,
        table: Sql,
        pairs: Sequence[tuple[Value, Value, bool]],
    ) -> None:
        """Both sides keep their rows by the columns that have to be equal."""
        context = self.expressions.context
        left, right = self.shape, joined.right
        if BY_KEY in (left.changelog, right.shape.changelog):
            raise NeedsNormalizeError
        assert self.flow is not None and right.flow is not None  # noqa: S101, PT018 - just asked
        if any(_alike(*pair) is None for pair in joined.equal):
            raise places.unsupported(node, "USING with columns of different types", "Write ON")
        keys = [key for pair in pairs if (key := _alike(pair[0], pair[1])) is not None]
        strict = [pair[2] for pair in pairs if _alike(pair[0], pair[1]) is not None]
        views = []
        sides: tuple[tuple[list[Source], Flow, Sql, str, tuple[str, ...]], ...] = (
            (joined.left, self.flow, self.sql() or Sql(""), "left", ("INNER", "LEFT")),
            ([right], right.flow, table, "right", ("INNER", "RIGHT")),
        )
        for n, (sources, flow, rows, side, kept) in enumerate(sides):
            conditions = self._pushed(joined, side) if joined.side in kept else []
            # A row whose key is NULL finds no other: it is kept for its own sake alone.
            lost = joined.side in ("INNER", "RIGHT" if side == "left" else "LEFT")
            conditions += [
                Sql(":0 IS NOT NULL", pair[n].atom(), rank=COMPARE)
                for pair, equal in zip(keys, strict, strict=True)
                if lost and equal
            ]
            made = [(f"__k{at}", pair[n]) for at, pair in enumerate(keys)]
            views.append(self._kept(sources, flow, rows, made, conditions, f"__{side[0]}"))
        columns = [
            o.sql for s in (*joined.left, right) for o in s.columns.values() if o.sql is not None
        ]  # all of them have one by now
        condition = self._condition(node, joined, views)
        how = f"{joined.side} JOIN" if condition is not None else "CROSS JOIN"
        text = " ".join(("SELECT :* FROM :0 AS :1", how, ":2 AS :3"))
        text += " ON :4" * (condition is not None)
        parts = [sql for view, alias, _ in views for sql in (name(view), name(alias))]
        on = [condition] if condition is not None else []
        by_key = tuple((view, named) for view, _, named in views)
        state: State = Arrange(by_key)
        if joined.side == "INNER":
            state = InnerJoin(by_key)
            weights = [name(alias, WEIGHT) for _, alias, _ in views]
            columns.append(Sql(":0 * :1 AS :2", *weights, name(WEIGHT), wrap=False))
        sql = Sql(text, *parts, *on, *columns, wrap=False)
        step = context.step(sql, state=state, node=_node(joined, self.where))
        alias = context.fresh()
        for source in (*joined.left, right):
            source.columns = {
                column: replace(o, sql=name(alias, _last(o.sql)))
                for column, o in source.columns.items()
            }
        self.parts = [Sql(":0 AS :1", step, name(alias), wrap=False)]
        self.flow = made_by(alias)
        updating = left.updating or right.shape.updating or joined.side != "INNER"
        self.shape = Shape(
            stream=True,
            stateful=True,
            updating=updating,
            bounded_state=False,
            why=_node(joined, self.where) if updating else "",
            changelog=FULL if updating else "",
        )

    def _kept(
        self,
        sources: Sequence[Source],
        flow: Flow,
        rows: Sql,
        keys: Sequence[tuple[str, Sql]],
        conditions: Sequence[Sql],
        prefix: str,
    ) -> tuple[str, str, tuple[str, ...]]:
        """A step with the columns of some sources that the query uses, which are its from here.

        The answer is its view, the alias of that, and the names of the keys in it.
        """
        context = self.expressions.context
        alias = context.fresh()
        shown, remapped = self.used(sources, alias, prefix)
        named, more = of_columns(keys, shown)
        columns = [Sql(":0 AS :1", sql, name(made), wrap=False) for made, sql in (*more, *shown)]
        text = Clauses()
        text.add("SELECT :*", *columns, *hidden(flow))
        text.add("FROM :0", rows)
        if conditions:
            text.add("WHERE :0", chain("AND", AND, conditions))
        view = str(context.step(text.sql()))[1:-1]
        for source, found in zip(sources, remapped, strict=True):
            source.columns = found
        return view, alias, named

    def used(
        self, sources: Sequence[Source], alias: str, prefix: str
    ) -> tuple[list[tuple[str, Sql]], list[dict[str, Output]]]:
        """The columns of sources that the query may use, with new names, and as columns there."""
        wanted = self._identifiers()
        shown: list[tuple[str, Sql]] = []
        remapped = []
        for source in sources:
            found: dict[str, Output] = {}
            for column, output in source.columns.items():
                starred = not output.virtual and (source.alias in wanted[1] or "" in wanted[1])
                if column not in wanted[0] and not starred:
                    continue
                value = self.expressions.source_column(source, column)
                made = f"{prefix}{len(shown)}"
                shown.append((made, value.sql))
                found[column] = replace(output, type=value.type, alias=None, sql=name(alias, made))
            remapped.append(found)
        return shown, remapped

    def _identifiers(self) -> tuple[set[str], set[str]]:
        """The names that the query mentions, and the aliases whose `*` it selects."""
        if self._node is None:
            return set(), {""}
        names = {each.name for each in self._node.find_all(exp.Identifier)}
        stars = {
            item.parts[0].name if isinstance(item, exp.Column) else ""
            for item in self._node.expressions
            if _starred(item)
        }
        known = {source.alias for source in self.expressions.scope.sources}
        return names, stars if stars <= known else {""}

    def _condition(
        self, node: exp.Join, joined: Joined, views: Sequence[tuple[str, str, tuple[str, ...]]]
    ) -> Sql | None:
        """The condition of a join over the columns that both sides have kept."""
        if joined.on is not None:
            return self.expressions.condition(joined.on)
        (_, left, lefts), (_, right, rights) = views
        equal = [
            Sql(":0 = :1", name(left, one), name(right, other), rank=COMPARE)
            for one, other in zip(lefts, rights, strict=True)
        ]
        if equal:
            return chain("AND", AND, equal) if len(equal) > 1 else equal[0]
        return self.on(node, joined)

    def _pushed(self, joined: Joined, side: str) -> list[Sql]:
        """Conditions of WHERE about one side of a join: rows that they refuse are not kept."""
        return [
            self.expressions.condition(each).atom()
            for each in joins.conjuncts(self.where)
            if not each.find(exp.Query, exp.Exists) and self._side(joined, each) == side
        ]

    def _side(self, joined: Joined, node: exp.Expr) -> str:
        """The side that all columns of a condition are of, else nothing."""
        scope = self.expressions.scope
        for column in node.find_all(exp.Column):
            parts = [part.name for part in column.parts]
            if len(parts) == 1 and parts[0] in scope.merged:
                return ""
            found = replace(scope, parent=None).find(parts, places.of_node(column))
            if found is None:
                return ""
        return joins.sides_of(self.expressions, joined, node)

    def _equal(self, joined: Joined) -> Iterator[tuple[Value, Value, bool]]:
        """What has to be equal to the left and to the right; False where NULLs are, too."""
        for left, right in joined.equal:
            yield left, right, True
        more = self.where if joined.side == "INNER" else None
        for node in (*joins.conjuncts(joined.on), *joins.conjuncts(more)):
            if not isinstance(node, exp.EQ | exp.NullSafeEQ) or node.find(exp.Query):
                continue
            sides = (node.this, node.expression)
            found = [self._side(joined, each) for each in sides]
            if sorted(found) == ["left", "right"]:
                one, other = sides if found[0] == "left" else sides[::-1]
                yield (self.expressions.value(one), self.expressions.value(other),
                       isinstance(node, exp.EQ))  # fmt: skip

    # keys

    def _unique(
        self, joined: Joined, pairs: Sequence[tuple[Value, Value, bool]]
    ) -> tuple[bool, bool, list[tuple[Column, Column]]]:
        """Whether a row of each side finds at most one of the other, and the equal columns."""
        texts = [(str(left.sql), str(right.sql)) for left, right, _ in pairs]
        columns = {
            str(s.value(c).sql): (s.alias, c) for s in (*joined.left, joined.right)
            for c in s.columns
        }  # fmt: skip
        equal = [(columns[one], columns[other]) for one, other in texts
                 if one in columns and other in columns]  # fmt: skip
        lefts, rights = {one for one, _ in equal}, {other for _, other in equal}
        to_right = any(set(key) <= rights for key in _keys(joined.right))
        to_left = any(set(key) <= lefts for key in self.keys)
        return to_left, to_right, equal

    def _join_keys(
        self,
        joined: Joined,
        pairs: Sequence[tuple[Value, Value, bool]],
        unique: tuple[bool, bool, list[tuple[Column, Column]]],
    ) -> None:
        """The keys of a join's rows."""
        to_left, to_right, equal = unique
        left, right = self.keys, list(_keys(joined.right))
        found: list[tuple[Column, ...]] = []
        if to_right and joined.side in ("INNER", "LEFT"):
            found += left
        if to_left and joined.side in ("INNER", "RIGHT"):
            found += right
        if joined.side == "FULL" and to_left and to_right and len(joined.equal) == len(pairs):
            names = self._node.args["joins"][-1].args.get("using") if self._node else None
            found += [tuple(("", part.name) for part in names or ())] if names else []
        found += [(*one, *other) for one in left[:1] for other in right[:1]]
        self.keys = found
        if joined.side == "INNER":
            self.equals += equal

    def key_names(self, shown: dict[str, str]) -> list[tuple[str, ...]]:
        """The keys of the rows as columns of a result, given its columns by their SQL."""
        scope = self.expressions.scope
        sources = {source.alias: source for source in scope.sources}

        def given(column: Column) -> str | None:
            alias, named = column
            if not alias:
                return shown.get(str(scope.merged[named]().sql))
            there = named in sources[alias].columns
            return shown.get(str(sources[alias].value(named).sql)) if there else None

        def found(column: Column) -> str | None:
            same = [b if a == column else a for a, b in self.equals if column in (a, b)]
            return next((n for each in (column, *same) if (n := given(each)) is not None), None)

        made = [[found(column) for column in key] for key in self.keys]
        return [tuple(n for n in key if n is not None) for key in made if None not in key]


def of_columns(
    keys: Sequence[tuple[str, Sql]], columns: Sequence[tuple[str, Sql]]
) -> tuple[tuple[str, ...], list[tuple[str, Sql]]]:
    """The names of keys, of which those that are columns too need none of their own."""
    plain = {str(sql): made for made, sql in columns}
    named = tuple(plain.get(str(sql), made) for made, sql in keys)
    return named, [(made, sql) for made, sql in keys if str(sql) not in plain]


def _keys(source: Source) -> Iterator[tuple[Column, ...]]:
    for key in source.shape.keys:
        yield tuple((source.alias, column) for column in key)


def _last(sql: Sql | None) -> str:
    """The last part of a name that was made here."""
    return str(sql).rpartition(".")[2].strip("`")


def _node(joined: Joined, where: exp.Expr | None) -> str:
    """A join as Flink's plans show it."""
    shown = joined.on.sql() if joined.on is not None else ""
    if joined.on is None and joined.equal:
        shown = " AND ".join(
            f"{_last(one.sql)} = {_last(other.sql)}" for one, other in joined.equal
        )
    elif joined.on is None and where is not None:
        shown = where.sql()
    return f"Join(joinType=[{joins.WORDS[joined.side]}], where=[{shown}])"


def _alike(left: Value, right: Value) -> tuple[Sql, Sql] | None:
    """Both sides of an equality as values of one type; None for what only Spark can compare."""
    if left.kind == right.kind and left.kind != UNKNOWN:
        if isinstance(left.kind, m.Float):  # -0.0 equals 0.0
            return Sql(":0 + 0.0D", left.sql.atom()), Sql(":0 + 0.0D", right.sql.atom())
        return left.sql, right.sql
    if left.is_a(*TEXTS) and right.is_a(*TEXTS):
        return left.sql, right.sql
    type_ = numeric(left.type, right.type)
    if type_ == UNKNOWN:
        return None
    both = [each.sql if each.kind == type_ else cast_sql(each.sql, type_) for each in (left, right)]
    if isinstance(type_, m.Float):
        return Sql(":0 + 0.0D", both[0]), Sql(":0 + 0.0D", both[1])
    return both[0], both[1]


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


def _starred(item: exp.Expr) -> bool:
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
    """The error for a window of time over rows that come and go."""
    return errors.UNSUPPORTED_ON_STREAM(
        operation=f"{node.name.upper()} over update and delete changes",
        hint=(
            "A window's rows are final, and these change later. Group by a column that has the "
            "time without its last digits, such as FLOOR(ts TO HOUR)."
        ),
        place=places.of_node(node),
    )
