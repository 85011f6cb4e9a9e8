"""What a Kafka table of ClickHouse's takes: its columns, and what is beside a message's value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.types import model as m

if TYPE_CHECKING:
    from collections.abc import Collection

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.plan.spec import KafkaSource
    from sluice.types import Type

KEY, TIMESTAMP, TOPIC = "_key", "_timestamp", "_topic"
HEADER_NAMES, HEADER_VALUES = "_headers.name", "_headers.value"

BESIDE: dict[str, Type] = {
    KEY: m.Nullable(m.String()),
    TIMESTAMP: m.Nullable(m.DateTime(3)),
    HEADER_NAMES: m.Array(m.String()),
    HEADER_VALUES: m.Array(m.String()),
    TOPIC: m.String(),
}
"""Columns that are no part of the message's value, unless the table has columns of these names."""


def value_columns(table: Table) -> list[tuple[str, Type]]:
    """The columns that a message's value holds."""
    return [(column.name, column.type) for column in table.columns if column.alias is None]


def writable_columns(table: Table) -> dict[str, Type]:
    """Every column that a row written to the table can be given."""
    own = {column.name for column in table.columns}
    return dict(value_columns(table)) | {n: t for n, t in BESIDE.items() if n not in own}


def check_written(source: KafkaSource, names: Collection[str], place: Place | None = None) -> None:
    """Whether rows with these columns can be written to the table.

    Raises:
        SluiceError: UNSUPPORTED_STATEMENT when it is not said which topic they go to, BAD_ARGUMENTS
            for half of the headers.
    """
    if one_topic(source) is None and (TOPIC not in names or _own(source.table, TOPIC)):
        raise errors.UNSUPPORTED_STATEMENT(
            what="Can't write to Kafka table with multiple topics! "
            f"Writing to {source.table.full_name} without a column {TOPIC}",
            hint=f"Fill {TOPIC} with one of {', '.join(source.topics)}.",
            place=place,
        )
    halves = [n for n in (HEADER_NAMES, HEADER_VALUES) if n in names and not _own(source.table, n)]
    if len(halves) == 1:
        reason = f"Headers have names and values: {HEADER_NAMES} and {HEADER_VALUES} go together"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)


def one_topic(source: KafkaSource) -> str | None:
    """The topic that rows go to, unless they have to say it: there are several, or a pattern."""
    first, *others = source.topics
    return None if others or source.patterns else first


def _own(table: Table, name: str) -> bool:
    return any(column.name == name for column in table.columns)
