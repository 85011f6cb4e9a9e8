"""Rows with the same key become one for every reader, by the table's engine, in ClickHouse's SQL.

What rows are shown is defined by `planner.merging`; Spark shows the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.clickhouse import states
from sluice.planner.merging import ANY, WRITTEN_AT, WRITTEN_ROW
from sluice.planner.table_engines import column_name
from sluice.types import bare, is_nullable, quote_name, quote_string
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.planner.merging import Merging
    from sluice.types import Type

    Columns = Sequence[tuple[str, Type]]

_PARTS = "__parts"
"""What the rows to merge are called: an alias of a merged column is not one of theirs."""

_NEWEST_FIRST = f"{WRITTEN_AT} DESC, {WRITTEN_ROW} DESC"


def shown(parts: str, columns: Columns, how: Merging) -> str:
    """The rows that a reader sees of `parts`, a query of rows as they were written."""
    names = ", ".join(quote_name(name) for name, _ in columns)
    if how.newest is not None:
        return _newest(parts, names, how)
    if how.sign:
        return (_left if how.versioned else _last_state)(parts, names, how)
    return _aggregated(parts, columns, how)


def _newest(parts: str, names: str, how: Merging) -> str:
    # argMax for each column takes twice as long. A filter on the key is pushed below LIMIT BY.
    order = "".join(f"{quote_name(name)} DESC NULLS LAST, " for name in how.newest or ())
    rows = f"SELECT {names} FROM ({parts}) ORDER BY {order}{_NEWEST_FIRST} {_one_by(how)}"
    if not how.deleted:
        return rows
    return f"SELECT {names} FROM ({rows}) WHERE {quote_name(how.deleted)} != 1"


def _one_by(how: Merging) -> str:
    return f"LIMIT 1 BY {', '.join(how.sorting)}" if how.sorting else "LIMIT 1"


def _last_state(parts: str, names: str, how: Merging) -> str:
    """The newest row with the sign 1 of each key that has no more rows with -1, nor ends so."""
    sign, key = quote_name(how.sign), _partition(how)
    total = f"sum({sign}) OVER ({key}) AS __total"
    last = f"argMax({sign}, tuple({WRITTEN_AT}, {WRITTEN_ROW})) OVER ({key}) AS __last"
    remains = f"{sign} = 1 AND (__total > 0 OR (__total = 0 AND __last = 1))"
    balanced = f"SELECT *, {total}, {last} FROM ({parts})"
    rows = f"SELECT {names} FROM ({balanced}) WHERE {remains}"
    return f"{rows} ORDER BY {_NEWEST_FIRST} {_one_by(how)}"


def _left(parts: str, names: str, how: Merging) -> str:
    """The rows that remain when pairs with opposite signs are removed, the oldest first."""
    sign, key, own = quote_name(how.sign), _partition(how), _partition(how, quote_name(how.sign))
    total = f"sum({sign}) OVER ({key}) AS __total"
    count = f"toInt64(count() OVER ({own})) AS __count"
    number = f"toInt64(row_number() OVER ({own} ORDER BY {_NEWEST_FIRST})) AS __number"
    pairs = f"least(__count, __count - {sign} * __total)"
    balanced = f"SELECT *, {total}, {count}, {number} FROM ({parts})"
    return f"SELECT {names} FROM ({balanced}) WHERE __number <= __count - {pairs}"


def _partition(how: Merging, *more: str) -> str:
    keys = (*how.sorting, *more)
    return f"PARTITION BY {', '.join(keys)}" if keys else ""


def _aggregated(parts: str, columns: Columns, how: Merging) -> str:
    """One row for each key, made of all; without a key all rows are one, if there are some."""
    names = {name for name, _ in columns}
    plain = {key: name for key in how.sorting if (name := column_name(key)) in names}
    keys = {key: plain.get(key, f"__key{at}") for at, key in enumerate(how.sorting)}
    made = "".join(f", {key} AS {name}" for key, name in keys.items() if key not in plain)
    grouped = set(plain.values())
    ways = ", ".join(
        f"{_merged(name, type_, how, grouped=name in grouped)} AS {quote_name(name)}"
        for name, type_ in columns
    )
    by = f"GROUP BY {', '.join(f'{_PARTS}.{quote_name(name)}' for name in keys.values())}"
    rows = f"SELECT {ways} FROM (SELECT *{made} FROM ({parts})) AS {_PARTS} "
    rows += by if keys else "HAVING count() > 0"
    if not how.zeros:
        return rows
    some = " OR ".join(f"ifNull({quote_name(name)} != 0, 0)" for name in how.zeros)
    return f"SELECT * FROM ({rows}) WHERE {some}"


def _merged(name: str, type_: Type, how: Merging, *, grouped: bool) -> str:
    """What a column has in the one row."""
    value, way = f"{_PARTS}.{quote_name(name)}", how.columns.get(name, ANY)
    if grouped:
        return value
    if isinstance(type_, m.AggregateState):
        return states.merged(value, type_)
    if isinstance(type_, m.SimpleAggregate):  # a function's result does not have this type
        return f"CAST({_made(value, type_, way, how)}, {quote_string(str(type_))})"
    if way == ANY and is_nullable(type_):
        return f"any_respect_nulls({value})"
    return _made(value, type_, way, how)


def _made(value: str, type_: Type, way: str, how: Merging) -> str:
    if way == "anyLast" and how.ordered:
        return f"argMax({value}, tuple({WRITTEN_AT}, {WRITTEN_ROW}))"
    if way in ("sum", "sumWithOverflow"):
        way = "sum" if isinstance(bare(type_), m.Float) else "sumWithOverflow"
    return f"{way}({value})"
