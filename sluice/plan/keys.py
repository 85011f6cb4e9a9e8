"""Which columns of a table are in a message's key, its value, or its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.plan.spec import Metadata

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Table
    from sluice.plan.spec import RowFormat
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

OF_FORMATS: Mapping[str, tuple[str, ...]] = {
    "debezium-json": (
        "schema", "ingestion-timestamp", "source.timestamp", "source.database", "source.schema",
        "source.table", "source.properties",
    ),
    "canal-json": (
        "database", "table", "sql-type", "pk-names", "ingestion-timestamp", "event-timestamp",
    ),
    "maxwell-json": ("database", "table", "primary-key-columns", "ingestion-timestamp"),
    "ogg-json": ("table", "primary-keys", "ingestion-timestamp", "event-timestamp"),
}  # fmt: skip
"""What the messages of a format say besides the row."""

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
        SluiceError: BAD_ARGUMENTS, in Flink's words.
    """
    if fields and not named:
        raise _bad(
            "The option 'key.fields' can only be declared if a key format is defined using "
            "'key.format'."
        )
    if named and not fields:
        raise _bad(
            "A key format 'key.format' requires the declaration of one or more of key fields "
            "using 'key.fields'."
        )
    for field in fields or ():
        if field not in columns:
            raise _bad(
                f"Could not find the field '{field}' in the table schema for usage in the key "
                "format. A key field must be a regular, physical column. The following columns "
                f"can be selected in the 'key.fields' option:\n[{', '.join(columns)}]"
            )
        if not field.startswith(prefix):
            raise _bad(
                f"All fields in 'key.fields' must be prefixed with '{prefix}' when option "
                f"'key.fields-prefix' is set but field '{field}' is not prefixed."
            )
    if include == "ALL" and prefix:
        raise _bad(
            "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'. "
            "Set it to 'EXCEPT_KEY' instead to avoid field overlaps."
        )
    keys = tuple((field.removeprefix(prefix), field) for field in fields or ())
    left = columns if include == "ALL" else [c for c in columns if c not in (fields or ())]
    return keys, tuple((name, name) for name in left)


def metadata_of(table: Table, value_format: str, *, writing: bool) -> tuple[Metadata, ...]:
    """The columns from a message's surroundings; when writing, those that are written.

    Raises:
        SluiceError: BAD_ARGUMENTS for a key that nothing is known under.
    """
    found = tuple(
        Metadata(c.name, c.metadata, c.virtual)
        for c in table.columns
        if c.metadata is not None and not (writing and c.virtual)
    )
    own = () if writing else tuple(f"value.{key}" for key in OF_FORMATS.get(value_format, ()))
    known = ((WRITABLE if writing else READABLE), own)
    allowed = [key for keys in known for key in keys]
    for each in found:
        if each.key not in allowed:
            use = "writing" if writing else "reading"
            hint = "" if not writing else " Declare the column as VIRTUAL to leave it out."
            raise _bad(
                f"Invalid metadata key '{each.key}' in column '{each.column}' of table "
                f"'{table.full_name}'. The Kafka connector supports the following metadata keys "
                f"for {use}:\n{chr(10).join(allowed)}{hint and '.' + hint}"
            )
    return found


def _bad(reason: str) -> errors.SluiceError:
    return errors.BAD_ARGUMENTS(reason=reason)
