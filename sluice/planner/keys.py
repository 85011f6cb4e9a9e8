"""Which columns of a table are in a message's key, its value, or its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.formats.registry import find_format
from sluice.parameters.kinds import FLINK
from sluice.planner.spec import Metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.catalog import Table
    from sluice.planner.spec import RowFormat
    from sluice.types import Type

READABLE = (
    "topic",
    "partition",
    "headers",
    "leader-epoch",
    "offset",
    "timestamp",
    "timestamp-type",
)
WRITABLE = ("headers", "timestamp")

Fields = tuple[tuple[str, str], ...]


def columns_of(table: Table) -> tuple[str, ...]:
    """The columns that are in messages: neither computed nor metadata."""
    return tuple(c.name for c in table.columns if c.alias is None and c.metadata is None)


def fields_of(table: Table, half: RowFormat) -> list[tuple[str, Type]]:
    """The fields of one half of a message, with their types."""
    known = {column.name: column.type for column in table.columns}
    return [(field, known[column]) for field, column in half.columns]


def key_columns(
    columns: Sequence[str],
    fields: Sequence[str] | None,
    prefix: str,
    include: str,
    *,
    named: bool,
) -> tuple[Fields, Fields]:
    """The fields of the key and of the value, each with its column; `named` if keys have a format.

    Raises:
        SluiceError: one of the KEY_… conditions, or UNKNOWN_KEY_FIELD.
    """
    if fields and not named:
        raise errors.KEY_FIELDS_WITHOUT_FORMAT()
    if named and not fields:
        raise errors.KEY_FORMAT_WITHOUT_FIELDS()
    for field in fields or ():
        if field not in columns:
            raise errors.UNKNOWN_KEY_FIELD(field=field, columns=", ".join(columns))
        if not field.startswith(prefix):
            raise errors.KEY_FIELD_WITHOUT_PREFIX(prefix=prefix, field=field)
    if include == "ALL" and prefix:
        raise errors.KEY_PREFIX_NOT_ALLOWED()
    keys = tuple((field.removeprefix(prefix), field) for field in fields or ())
    left = columns if include == "ALL" else [c for c in columns if c not in (fields or ())]
    return keys, tuple((name, name) for name in left)


def metadata_of(table: Table, value_format: str, *, writing: bool) -> tuple[Metadata, ...]:
    """The columns from a message's surroundings; when writing, those that are written.

    Raises:
        SluiceError: INVALID_METADATA_KEY.
    """
    found = tuple(
        Metadata(c.name, c.metadata, c.virtual)
        for c in table.columns
        if c.metadata is not None and not (writing and c.virtual)
    )
    own = () if writing else find_format(value_format, FLINK).metadata
    allowed = [*(WRITABLE if writing else READABLE), *(f"value.{key}" for key in own)]
    for each in found:
        if each.key not in allowed:
            use = "writing" if writing else "reading"
            raise errors.INVALID_METADATA_KEY(
                key=each.key,
                column=each.column,
                table=table.full_name,
                use=use,
                known="\n".join(allowed),
                hint="Declare the column as VIRTUAL to leave it out." if writing else "",
            )
    return found
