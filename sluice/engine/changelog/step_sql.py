"""The Spark SQL around the steps of a query over changelogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.engine import row_kinds
from sluice.engine.spark.typed import quoted
from sluice.sql.relation import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_PLACE = f"CAST(NULL AS {row_kinds.TYPES[row_kinds.AT]})"
"""The place of a row that a step made."""

_ADDS = f"('{row_kinds.INSERT}', '{row_kinds.UPDATE_AFTER}')"


def names(columns: Sequence[str]) -> str:
    """A list of columns."""
    return ", ".join(map(quoted, columns))


def weight(columns: Sequence[str]) -> str:
    """1 for a row that is added, -1 for one that is retracted; rows without kinds are added."""
    if row_kinds.COLUMN not in columns:
        return "1"
    return f"if({row_kinds.COLUMN} IN {_ADDS}, 1, -1)"


def tagged(inputs: Sequence[tuple[str, Sequence[str], Sequence[str]]], *, ordered: bool) -> str:
    """The rows of several views as one: each has a name, its columns and those of its key.

    The columns are the key, the number of the input, the weight, the place if rows are `ordered`,
    and one for the rows of each input.
    """
    parts = []
    for number, (view, columns, key) in enumerate(inputs):
        keys = [f"{quoted(name)} AS __k{n}" for n, name in enumerate(key)]
        placed = ordered and row_kinds.AT in columns
        place = row_kinds.AT if placed else f"{NO_PLACE} AS {row_kinds.AT}"
        row = f"struct({names(row_kinds.visible(columns))})"
        rows = [f"{row if n == number else 'NULL'} AS __r{n}" for n in range(len(inputs))]
        chosen = [*keys, f"{number} AS __input", f"{weight(columns)} AS {WEIGHT}", place, *rows]
        parts.append(f"SELECT {', '.join(chosen)} FROM {quoted(view)}")
    return " UNION ALL ".join(parts)


def difference(before: str, after: str, columns: Sequence[str], key: Sequence[str] | None) -> str:
    """What turns the rows of one view into those of another: deletes and inserts.

    With a key, a row that is replaced is an update.
    """
    listed = names(columns)
    both = (
        f"SELECT {listed}, 1 AS {WEIGHT} FROM {quoted(after)} UNION ALL "
        f"SELECT {listed}, -1 AS {WEIGHT} FROM {quoted(before)}"
    )
    return net_changes(f"({both})", columns, key)


def net_changes(weighted: str, columns: Sequence[str], key: Sequence[str] | None = None) -> str:
    """The changes that rows with a weight come to; `weighted` is a query or a view in SQL."""
    listed = names(columns)
    net = (
        f"SELECT {listed}, sum({WEIGHT}) AS {WEIGHT} FROM {weighted} "
        f"GROUP BY {listed} HAVING sum({WEIGHT}) <> 0"
    )
    kind = f"if({WEIGHT} > 0, '{row_kinds.INSERT}', '{row_kinds.DELETE}')"
    if key is not None:
        replaced = f"if({WEIGHT} > 0, '{row_kinds.UPDATE_AFTER}', '{row_kinds.UPDATE_BEFORE}')"
        of = f"PARTITION BY {names(key)}" if key else ""
        kind = f"if(count(*) OVER ({of}) > 1, {replaced}, {kind})"
        net = f"SELECT {listed}, {WEIGHT}, {kind} AS {row_kinds.COLUMN} FROM ({net})"
        kind = row_kinds.COLUMN
    copies = f"explode(array_repeat({kind}, CAST(abs({WEIGHT}) AS INT)))"
    return (
        f"SELECT {listed}, {copies} AS {row_kinds.COLUMN}, {NO_PLACE} AS {row_kinds.AT} "
        f"FROM ({net})"
    )
