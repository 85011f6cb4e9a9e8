"""ROW_NUMBER() over a stream: deduplication and Top-N, as far as Spark can keep them in state.

`SELECT … FROM (SELECT …, ROW_NUMBER() OVER (PARTITION BY k ORDER BY t) AS rn FROM t) WHERE rn <= 3`
becomes an aggregation by `k` that keeps three rows. The first row by time needs no aggregation: of
rows with the same key only the first one is passed on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sluice import errors
from sluice.sql.core import places
from sluice.sql.core.spark import COMPARE, MULTIPLY, Sql, name, number
from sluice.sql.flink import shapes, windows
from sluice.sql.flink.joins import conjuncts
from sluice.sql.flink.scope import Output, Source, Table
from sluice.sql.flink.times import PROCTIME, ROWTIME
from sluice.sql.flink.values import LONG, TEXTS, Value
from sluice.types import model as m

if TYPE_CHECKING:
    from sluice.errors import Place
    from sluice.sql.flink.expressions import Expressions
    from sluice.sql.flink.scope import Context
    from sluice.sql.relation import Shape

LARGEST = 10_000
"""How many rows of one group are kept at most."""

_TURNED = (
    ((m.Int, m.Float, m.Decimal), "- :0"),
    ((m.LocalDateTime, m.DateTime), "- unix_micros(CAST(:0 AS TIMESTAMP))"),
    ((m.Date,), "- unix_date(:0)"),
    (
        (*TEXTS, m.TimeOfDay),
        "concat(translate(hex(:0), '0123456789ABCDEF', 'FEDCBA9876543210'), 'G')",
    ),
)
"""What is in order the other way round; a text that another one begins with comes after it."""

_SAYS = "ROW_NUMBER over a stream without a limit around it"
_HINT = "Put it in a subquery, and WHERE rn = 1 or WHERE rn <= 10 around that."


@dataclass(frozen=True, slots=True)
class Ranked:
    """A query with ROW_NUMBER: the column it gives, and by what rows are numbered.

    `partition` and `order` are columns of the query, the former with their names in its result if
    they are in it; an order is told to go down or up.
    """

    column: str
    partition: tuple[tuple[str, Value, str | None], ...]
    order: tuple[tuple[str, Value, bool], ...]
    words: str
    place: Place | None


def is_rank(node: exp.Expr) -> bool:
    """Whether a column of the list is a ROW_NUMBER."""
    inner = node.unalias()
    call = inner.this if isinstance(inner, exp.Window) else None
    return isinstance(call, exp.Anonymous) and call.name.upper() == "ROW_NUMBER"


def read(
    expressions: Expressions, node: exp.Expr, column: str, shown: dict[str, str]
) -> tuple[Ranked, list[Sql]]:
    """What is numbered and how, with the columns that are needed for it beside those shown."""
    window = node.unalias()
    place = places.of_node(window)
    alias = window.args.get("alias")
    if alias is not None and alias.name in expressions.windows:
        window = expressions.windows[alias.name]
    if not window.args.get("order") or window.args.get("spec"):
        what = "ROW_NUMBER over a stream without ORDER BY, or with a frame,"
        hint = "Write OVER (PARTITION BY … ORDER BY …)"
        raise errors.UNSUPPORTED_ON_STREAM(operation=what, hint=hint, place=place)
    more: list[Sql] = []

    def add(value: Value, kind: str) -> str:
        made = f"__{kind}{len(more)}"
        more.append(Sql(":0 AS :1", value.sql, name(made), wrap=False))
        return made

    keys = [expressions.value(item) for item in window.args.get("partition_by") or ()]
    partition = [(add(value, "p"), value, shown.get(str(value.sql))) for value in keys]
    if (carrier := windows.closer(keys, expressions.scope.sources)) is not None:
        partition.append((add(carrier, "p"), carrier, None))
    order = []
    for item in window.args["order"].expressions:
        value = expressions.value(item.this)
        order.append((add(value, "o"), value, bool(item.args.get("desc"))))
    parts = ", ".join(item.sql() for item in window.args.get("partition_by") or ())
    by = ", ".join(
        f"{item.this.sql()} {'DESC' if item.args.get('desc') else 'ASC'}"
        for item in window.args["order"].expressions
    )
    words = f"partitionBy=[{parts}], orderBy=[{by}]"
    return Ranked(column, tuple(partition), tuple(order), words, place), more


def check(table: Table) -> Table:
    """Refuse a query whose rows are numbered without an end."""
    if table.ranked is not None:
        raise errors.UNSUPPORTED_ON_STREAM(operation=_SAYS, hint=_HINT, place=table.ranked.place)
    return table


def limited(
    context: Context, table: Table, ranked: Ranked, where: exp.Expr | None, alias: str
) -> Table:
    """The rows up to the limit that the query around it sets."""
    most = limit_of(where, ranked, alias)
    shapes.settled(table.shape)
    (_, first, down), *rest = ranked.order
    by_time = not rest and first.time is not None and first.time.role in (ROWTIME, PROCTIME)
    if most == 1 and by_time and not down:
        return _first(context, table, ranked)
    return _top(context, table, ranked, most, by_time=by_time)


def limit_of(where: exp.Expr | None, ranked: Ranked, alias: str) -> int:
    """The largest number of a row that WHERE lets through.

    Raises:
        SluiceError: UNSUPPORTED_ON_STREAM if there is none, or if it is too large.
    """
    bounds = (_bound(node, ranked.column, alias) for node in conjuncts(where))
    most = min((bound for bound in bounds if bound is not None), default=None)
    if most is None:
        raise errors.UNSUPPORTED_ON_STREAM(operation=_SAYS, hint=_HINT, place=ranked.place)
    if most > LARGEST:
        what = f"ROW_NUMBER over a stream with a limit above {LARGEST}"
        raise errors.UNSUPPORTED_ON_STREAM(operation=what, hint="", place=ranked.place)
    return most


def is_limit(node: exp.Expr, ranked: Ranked, alias: str) -> bool:
    """Whether a condition lets every row up to a number through, and is about nothing else."""
    most = _bound(node, ranked.column, alias)
    if most is None or isinstance(node, exp.Between):
        return most is not None and _whole(node.args["low"]) in (0, 1)
    return not isinstance(node, exp.EQ) or most == 1


def _bound(node: exp.Expr, column: str, alias: str) -> int | None:
    if isinstance(node, exp.Between):
        return _whole(node.args["high"]) if _is(node.this, column, alias) else None
    if not isinstance(node, exp.EQ | exp.LT | exp.LTE | exp.GT | exp.GTE):
        return None
    kind, one, other = type(node), node.this, node.expression
    if isinstance(node, exp.GT | exp.GTE) or (
        isinstance(node, exp.EQ) and _is(other, column, alias)
    ):
        one, other = other, one
    most = _whole(other) if _is(one, column, alias) else None
    return most - 1 if most is not None and kind in (exp.LT, exp.GT) else most


def _whole(node: exp.Expr) -> int | None:
    return int(node.name) if isinstance(node, exp.Literal) and node.name.isdecimal() else None


def _is(node: exp.Expr, column: str, alias: str) -> bool:
    if not isinstance(node, exp.Column):
        return False
    return [part.name for part in node.parts] in ([column], [alias, column])


def of_rank(node: exp.Expr, source: Source) -> bool:
    """Whether a condition is about the number of a row alone."""
    columns = list(node.find_all(exp.Column))
    return bool(columns) and all(
        (output := source.columns.get(column.name)) is not None and output.name == source.rank
        for column in columns
    )


def _shown(table: Table, ranked: Ranked) -> list[Output]:
    return [output for output in table.columns if output.name != ranked.column]


def _first(context: Context, table: Table, ranked: Ranked) -> Table:
    """The first row of each group: the others are passed over."""
    keys = tuple(made for made, _, _ in ranked.partition)
    off = tuple((o.name, None) for o in _shown(table, ranked) if o.time is not None)
    sql = table.sql
    if not keys:
        keys = ("__p",)
        sql = Sql("SELECT *, 0 AS `__p` FROM (:0)", sql, wrap=False)
    off += tuple(
        (made, None) for made, value, _ in (*ranked.partition, *ranked.order) if value.time
    )
    view = context.step(sql, distinct=keys, times=off)
    names = [
        Sql("1L AS :0", name(o.name)) if o.name == ranked.column else name(o.name)
        for o in table.columns
    ]
    outputs = tuple(replace(o, time=None) for o in table.columns)
    made = Sql("SELECT :* FROM :0", view, *names, wrap=False)
    return Table(made, outputs, shapes.distinct(table.shape))


def _top(context: Context, table: Table, ranked: Ranked, most: int, *, by_time: bool) -> Table:
    """The first or last rows of each group, kept in the state of an aggregation."""
    source = Source("_t", frozenset(), _columns(table, ranked))
    keys = [
        Value(name("_t", made), value.type, time=value.time) for made, value, _ in ranked.partition
    ]
    windowed, by = windows.closing(keys, [source], ranked.place)
    kept = _shown(table, ranked)
    row = Sql("struct(:*)", *(name("_t", o.name) for o in kept))
    down = sum(desc for _, _, desc in ranked.order) * 2 >= len(ranked.order)
    by_what = [sql for each in ranked.order for sql in _ordering(each, down, ranked.place)]
    order = Sql("struct(:*)", *by_what)
    best = Sql(f"{'max_by' if down else 'min_by'}(:*)", row, order, *([number(most)] * (most > 1)))
    group = Sql(" GROUP BY :*", *by, wrap=False) if by else Sql("")
    if most == 1:
        text = "SELECT :0 AS `_r`, 0 AS `_n` FROM (:1) AS `_t`:2"
    else:
        text = "SELECT posexplode(:0) AS (`_n`, `_r`) FROM (:1) AS `_t`:2"
    inner = Sql(text, best, table.sql, group, wrap=False)
    shown = [
        Sql("CAST(`_n` + 1 AS BIGINT) AS :0", name(o.name)) if o.name == ranked.column
        else Sql("`_r`.:0 AS :0", name(o.name), wrap=False)
        for o in table.columns
    ]  # fmt: skip
    outputs = tuple(
        replace(o, time=replace(o.time, carried=False) if o.time and windowed else None)
        for o in table.columns
    )
    shape = _shape(table.shape, ranked, most, windowed=windowed, by_time=by_time)
    return Table(Sql("SELECT :* FROM (:0)", inner, *shown, wrap=False), outputs, shape)


def _columns(table: Table, ranked: Ranked) -> dict[str, Output]:
    more = [Output(made, value.type, time=value.time) for made, value, _ in ranked.partition]
    return {output.name: output for output in (*_shown(table, ranked), *more)}


def _ordering(order: tuple[str, Value, bool], down: bool, place: Place | None) -> list[Sql]:
    """A column to order by; one that goes the other way than most is turned round.

    A NULL is the lowest value either way.
    """
    made, value, desc = order
    column = name("_t", made)
    if desc == down:
        return [column]
    text = next((text for types, text in _TURNED if value.is_a(*types)), None)
    if text is None:
        raise errors.UNSUPPORTED_ON_STREAM(
            operation="ROW_NUMBER over a stream, ordered by ASC and DESC with such a type,",
            hint="Order all by ASC or all by DESC.",
            place=place,
        )
    return [Sql(":0 IS NULL", column, rank=COMPARE), Sql(text, column, rank=MULTIPLY)]


def _shape(shape: Shape, ranked: Ranked, most: int, *, windowed: bool, by_time: bool) -> Shape:
    names = [shown for _, _, shown in ranked.partition]
    key = tuple(n for n in names if n is not None)
    whole = key if most == 1 else (*key, ranked.column)
    found = whole if len(key) == len(names) else None
    why = f"Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd={most}], {ranked.words})"
    if by_time and most == 1:
        why = f"Deduplicate(keep=[LastRow], {ranked.words})"
    return shapes.grouped(shape, found, why, windowed=windowed, place=ranked.place)


NUMBERED = Value(Sql("NULL", rank=100), LONG)
"""Stands for the number of a row until the limit is known."""
