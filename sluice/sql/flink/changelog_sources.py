"""FROM in a query over changelogs: joins of tables whose rows are added and retracted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice.sql.core import places
from sluice.sql.core.spark import AND, COMPARE, Clauses, Sql, chain, name
from sluice.sql.core.values import UNKNOWN
from sluice.sql.flink import joins
from sluice.sql.flink.changelog_tables import (
    ChangelogTables,
    Column,
    hidden,
    is_starred,
    keys_of,
    made_by,
)
from sluice.sql.flink.shapes import NeedsNormalizeError
from sluice.sql.flink.values import TEXTS, Value, cast_sql, numeric
from sluice.sql.relation import (
    BY_KEY,
    FULL,
    WEIGHT,
    Arrange,
    InnerJoin,
    Shape,
)
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sluice.sql.flink.joins import Joined
    from sluice.sql.flink.scope import Flow, Output, Source
    from sluice.sql.relation import State


class ChangelogFrom(ChangelogTables):
    """A FROM clause whose rows are added and retracted.

    At any time its rows are one stream: a JOIN of two is a step of its own.
    """

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
        """Rows of a stream find a stored table as it is when they are added, or retracted."""
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
        if any(_alike(*pair) is None for pair in joined.equal):
            raise places.unsupported(node, "USING with columns of different types", "Write ON")
        views = self._sides_kept(joined, table, pairs)
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

    def _sides_kept(
        self, joined: Joined, table: Sql, pairs: Sequence[tuple[Value, Value, bool]]
    ) -> list[tuple[str, str, tuple[str, ...]]]:
        """A step for the left and one for the right, as `_kept` answers them."""
        assert self.flow is not None and joined.right.flow is not None  # noqa: S101, PT018 - streams
        alike = [(_alike(left, right), equal) for left, right, equal in pairs]
        keys = [(key, equal) for key, equal in alike if key is not None]
        views = []
        sides: tuple[tuple[list[Source], Flow, Sql, str, tuple[str, ...]], ...] = (
            (joined.left, self.flow, self.sql() or Sql(""), "left", ("INNER", "LEFT")),
            ([joined.right], joined.right.flow, table, "right", ("INNER", "RIGHT")),
        )
        for n, (sources, flow, rows, side, kept) in enumerate(sides):
            conditions = self._pushed(joined, side) if joined.side in kept else []
            # A row whose key is NULL finds no other: it is kept for its own sake alone.
            lost = joined.side in ("INNER", "RIGHT" if side == "left" else "LEFT")
            conditions += [
                Sql(":0 IS NOT NULL", key[n].atom(), rank=COMPARE)
                for key, equal in keys
                if lost and equal
            ]
            made = [(f"__k{at}", key[n]) for at, (key, _) in enumerate(keys)]
            views.append(self._kept(sources, flow, rows, made, conditions, f"__{side[0]}"))
        return views

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
        if self.node is None:
            return set(), {""}
        names = {each.name for each in self.node.find_all(exp.Identifier)}
        stars = {
            item.parts[0].name if isinstance(item, exp.Column) else ""
            for item in self.node.expressions
            if is_starred(item)
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
        to_right = any(set(key) <= rights for key in keys_of(joined.right))
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
        left, right = self.keys, list(keys_of(joined.right))
        found: list[tuple[Column, ...]] = []
        if to_right and joined.side in ("INNER", "LEFT"):
            found += left
        if to_left and joined.side in ("INNER", "RIGHT"):
            found += right
        if joined.side == "FULL" and to_left and to_right and len(joined.equal) == len(pairs):
            names = self.node.args["joins"][-1].args.get("using") if self.node else None
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
