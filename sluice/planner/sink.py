"""From a Kafka table of the ClickHouse dialect to what is written: its columns and metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.planner.spec import KafkaSinkSpec, Metadata
from sluice.planner.virtual_columns import OWN, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Collection

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.planner.spec import KafkaSource
    from sluice.types import Type

TOPIC = "_topic"
HEADER_NAMES, HEADER_VALUES = "_headers.name", "_headers.value"


def kafka_sink(source: KafkaSource) -> KafkaSinkSpec:
    """How rows are written to a Kafka table: at least once, to the topics it reads."""
    table = source.table
    return KafkaSinkSpec(
        table=table,
        connection=source.connection,
        topics=source.topics,
        value=source.value,
        metadata=_metadata(table),
        rows_per_message=source.rows_per_message,
    )


def _metadata(table: Table) -> tuple[Metadata, ...]:
    own = dict(value_columns(table))
    declared = _declared(table)
    return tuple(
        Metadata(name, key, virtual=name not in declared)
        for name, (key, _) in WRITTEN.items()
        if name not in declared or isinstance(own.get(name), OWN.get(name, ()))
    )


def value_columns(table: Table) -> list[tuple[str, Type]]:
    """The columns that a message's value holds."""
    return [(column.name, column.type) for column in table.columns if column.alias is None]


def writable_columns(table: Table) -> dict[str, Type]:
    """Every column that a row written to the table can be given."""
    declared = _declared(table)
    virtual = {name: type_ for name, (_, type_) in WRITTEN.items() if name not in declared}
    return dict(value_columns(table)) | virtual


def check_written(sink: KafkaSinkSpec, names: Collection[str], place: Place | None = None) -> None:
    """Whether rows with these columns can be written to the table.

    Raises:
        SluiceError: KAFKA_TOPIC_AMBIGUOUS when the rows name no topic and there are several,
            KAFKA_HEADERS_INCOMPLETE for names of headers without values, or the other way round.
    """
    declared = _declared(sink.table)
    if not sink.topic and (TOPIC not in names or TOPIC in declared):
        raise errors.KAFKA_TOPIC_AMBIGUOUS(
            table=sink.table.full_name, column=TOPIC, topics=", ".join(sink.topics), place=place
        )
    given = [n for n in (HEADER_NAMES, HEADER_VALUES) if n in names and n not in declared]
    if len(given) == 1:
        raise errors.KAFKA_HEADERS_INCOMPLETE(names=HEADER_NAMES, values=HEADER_VALUES, place=place)


def _declared(table: Table) -> set[str]:
    return {column.name for column in table.columns}
