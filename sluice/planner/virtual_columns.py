"""The virtual columns of Kafka tables of the ClickHouse dialect: metadata of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice.planner.spec import STREAM, Metadata
from sluice.sql.relation import FULL
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Table
    from sluice.types import Type

READ: Mapping[str, tuple[str, Type]] = {
    "_topic": ("topic", m.LowCardinality(m.String())),
    "_key": ("key", m.String()),
    "_offset": ("offset", m.Int(64, signed=False)),
    "_partition": ("partition", m.Int(64, signed=False)),
    "_timestamp": ("timestamp-seconds", m.Nullable(m.DateTime())),
    "_timestamp_ms": ("timestamp-milliseconds", m.Nullable(m.DateTime(3))),
    "_headers.name": ("header-names", m.Array(m.String())),
    "_headers.value": ("header-values", m.Array(m.String())),
    "_table": ("table", m.LowCardinality(m.String())),
}
"""The columns that rows have besides the table's, the metadata that each is, and its type."""

HEADERS = frozenset({"_headers.name", "_headers.value"})
"""Those for which the headers of messages have to be read."""

READ_ERRORS: Mapping[str, tuple[str, Type]] = {
    "_raw_message": ("raw-message", m.String()),
    "_error": ("error", m.String()),
}
"""Those that there are in the mode `stream` besides; both are empty for a good message."""

CHANGES: Mapping[str, tuple[str, Type]] = {
    "_row_kind": ("row-kind", m.LowCardinality(m.String())),
    "_is_deleted": ("is-deleted", m.Int(8, signed=False)),
    "_version": ("change-version", m.Int(64, signed=False)),
}
"""Those of a table whose messages are changes: what a row does, and its order within a key."""

SIGNS: Mapping[str, tuple[str, Type]] = {"_sign": ("sign", m.Int(8))}
"""Those that need the whole old row of each change, as a full changelog has it."""

APPLYING = frozenset({"_row_kind", "_is_deleted", "_sign"})
"""Columns by which a query tells rows that are inserted from rows that are taken back."""

WRITTEN: Mapping[str, tuple[str, Type]] = {
    "_key": ("key", m.Nullable(m.String())),
    "_timestamp": ("timestamp", m.Nullable(m.DateTime(3))),
    "_headers.name": ("header-names", m.Array(m.String())),
    "_headers.value": ("header-values", m.Array(m.String())),
    "_topic": ("topic", m.String()),
}
"""The columns that rows may be given besides the table's when they are written."""

OWN: Mapping[str, type[Type]] = {"_key": m.String, "_timestamp": m.DateTime}
"""Columns that are written as metadata also where a table declares them, with the type for that."""


def virtual_columns(error_mode: str, changelog: str = "") -> dict[str, Type]:
    """The columns that a Kafka table has without declaring them.

    `changelog` is the flavour of its changes, if its messages are changes.
    """
    return {name: type_ for name, (_, type_) in _read(error_mode, changelog).items()}


def read_metadata(table: Table, error_mode: str, changelog: str = "") -> tuple[Metadata, ...]:
    """The virtual columns that a table does not declare itself."""
    declared = {column.name for column in table.columns if column.alias is None}
    return tuple(
        Metadata(name, key, virtual=True)
        for name, (key, _) in _read(error_mode, changelog).items()
        if name not in declared
    )


def _read(error_mode: str, changelog: str) -> Mapping[str, tuple[str, Type]]:
    errors = READ_ERRORS if error_mode == STREAM else {}
    signs = SIGNS if changelog == FULL else {}
    return {**READ, **errors, **(CHANGES if changelog else {}), **signs}
