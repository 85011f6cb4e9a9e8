"""Schema drift: columns that changes have and their table does not declare, for the target.

A query carries them if it selects `*` at every level. They are then one more column of the query,
`EVOLVED`, whose fields become columns of the target.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.kafka import KAFKA
from sluice.parameters.kinds import FLINK
from sluice.planner.stored import has_change_feed, path_of
from sluice.sql.relation import EVOLVED, Normalize, RelationColumn
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sluice.catalog import Column, Table
    from sluice.errors import Place
    from sluice.formats.descriptor import Format
    from sluice.options.option_set import Values
    from sluice.sql.relation import Shape, State
    from sluice.types import Type

EVOLVE = "evolve"

MOST_COLUMNS = 1000
"""A table does not grow to more: producers could add columns without end."""

_LONGEST = 255
"""Letters of a name."""

_COLUMN = RelationColumn(EVOLVED, m.Tuple((m.Array(m.String()),), ("unchanged",)))
_FEED = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})
_UNUSUAL = re.compile(r"[ ,;{}()\n\t=]")


def check_format(
    values: Values, format_: Format, dialect: str, places: Mapping[str, Place]
) -> None:
    """Whether messages can have columns in other ways than their table declares.

    Raises:
        SluiceError: INVALID_OPTION_VALUE for a format that is not one of changes.
    """
    if values["schema_drift"] == "ignore" or format_.changes:
        return
    name = KAFKA.by_key["schema_drift"].names[dialect]
    raise errors.INVALID_OPTION_VALUE(
        option=name,
        value=f"'{values['schema_drift']}'",
        reason=f"it is for change data, and the format is {format_.name}",
        place=places.get(name),
    )


def carried(drift: str) -> tuple[RelationColumn, ...]:
    """The column that a table has besides its own if its target evolves."""
    return (_COLUMN,) if drift == EVOLVE else ()


def check_carried(
    columns: Collection[str],
    source: str,
    target: Table,
    shape: Shape | None = None,
    *,
    state: Sequence[State] = (),
    bounded: bool = False,
    place: Place | None = None,
) -> bool:
    """Whether a query carries columns for its target, which has to be able to take them.

    `state` is what the query keeps between its batches, if that is known.

    Raises:
        SluiceError: SCHEMA_DRIFT_NOT_TAKEN, for a query of `*` that could not.
    """
    found = [name for name in columns if name.startswith(EVOLVED)]
    if not found:
        return False
    reason = remedy = ""
    if not target.keeps_rows:
        reason = "it is not a stored table"
    elif target.temporary:
        reason = "it is a temporary table"
    elif found != [EVOLVED]:
        reason = "two tables of the query have new columns"
    elif shape is not None and shape.stateful:
        reason = "the query keeps rows as state, with the columns that they had"
        if state and all(isinstance(each, Normalize) for each in state):
            remedy = (
                f"Declare {source} without PRIMARY KEY, if its events hold the row before each "
                "update and delete: the query then needs no state. "
            )
    elif bounded:
        reason = "the query reads up to an end"
    if reason:
        raise errors.SCHEMA_DRIFT_NOT_TAKEN(
            target=target.full_name, source=source, reason=reason, remedy=remedy, place=place
        )
    return True


def visible(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of a query without the one that carries others."""
    return tuple(name for name in columns if name != EVOLVED)


def open_columns(target: Table, filled: Collection[str]) -> tuple[Column, ...]:
    """The columns of a target that changes may fill: those that no query or DEFAULT fills."""
    return tuple(
        column
        for column in target.whole.stored_columns
        if column.name not in filled and column.default is None
    )


def refusal(name: str, target: Table, others: Collection[str]) -> str:
    """Why a target cannot get a column of that name; empty if it can.

    `others` are the columns of the source.
    """
    folded = name.casefold()
    if len(target.whole.columns) >= MOST_COLUMNS:
        count = len(target.whole.columns)
        return f"{target.full_name} has {count} columns; ALTER TABLE can add more."
    if not name or len(name) > _LONGEST:
        return f"Names have 1 to {_LONGEST} letters."
    if name.startswith(("__", "value.")) or (has_change_feed(target) and folded in _FEED):
        return "The name is reserved."
    if path_of(target) and _UNUSUAL.search(name):
        return "The files of a table at a path cannot have a column of that name."
    known = (*others, *(column.name for column in target.whole.columns))
    if name in known:
        return f"The query fills the column {name} of {target.full_name} itself."
    return clash(name, known)


def clash(name: str, known: Collection[str]) -> str:
    """Why a column cannot have a name beside others; empty if it can."""
    for other in known:
        if other != name and other.casefold() == name.casefold():
            return f"It differs from the column {other} in upper and lower case alone."
    return ""


def type_of(declared: str, dialect: str) -> Type:
    """The type of a new column, from what the decoder makes of a message."""
    name, _, digits = declared.rstrip(")").partition("(")
    if name == "DECIMAL":
        precision, scale = map(int, digits.split(","))
        return m.Nullable(m.Decimal(precision, scale))
    return m.Nullable((_FLINK if dialect == FLINK else _CLICKHOUSE)[name])


_BOTH: dict[str, Type] = {
    "BOOLEAN": m.Bool(),
    "INT8": m.Int(8),
    "INT16": m.Int(16),
    "INT32": m.Int(32),
    "INT64": m.Int(64),
    "FLOAT32": m.Float(32),
    "FLOAT64": m.Float(64),
    "STRING": m.String(),
}
_FLINK = _BOTH | {
    "BYTES": m.Bytes(),
    "DATE": m.Date(),
    "TIMESTAMP": m.LocalDateTime(6),
    "ZONED": m.DateTime(6),
}
_CLICKHOUSE = _BOTH | {
    "BYTES": m.String(),
    "DATE": m.Date(wide=True),
    "TIMESTAMP": m.DateTime(6),
    "ZONED": m.DateTime(6, "UTC"),
}
