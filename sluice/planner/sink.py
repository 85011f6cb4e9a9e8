"""From a Kafka table of the ClickHouse dialect to what is written: its columns and metadata."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.formats import subjects
from sluice.formats.registry import find_format
from sluice.formats.settings import among
from sluice.parameters.kinds import CLICKHOUSE
from sluice.planner.spec import KafkaSinkSpec, Metadata
from sluice.planner.virtual_columns import OWN, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sluice.catalog import Table
    from sluice.errors import Place
    from sluice.planner.spec import KafkaSource
    from sluice.types import Type

TOPIC = "_topic"
HEADER_NAMES, HEADER_VALUES = "_headers.name", "_headers.value"


_OUTPUT = "output_format_"
_BLOCK, _BLOCK_ROWS = "max_block_size", 65_409
"""How many rows a block of ClickHouse has."""


def kafka_sink(source: KafkaSource, settings: Mapping[str, Any] | None = None) -> KafkaSinkSpec:
    """How rows are written to a Kafka table: at least once, to the topics it reads.

    `settings` are those of the statement or the session; the table's own come before them.
    """
    table, value = source.table, source.value
    own = {name.lower() for name in table.settings}
    asked = among(settings or {})
    given = {n: v for n, v in asked.items() if n.startswith(_OUTPUT) and n not in own}
    options = {**value.options, **given}
    format_ = find_format(value.name, CLICKHOUSE)
    if format_.registry:
        options |= subjects.of_topic(source.topics[0], "value")
    rows = source.rows_per_message
    if format_.rows and rows == 1:
        rows = options.get(format_.rows, 1)
    if format_.blocks:
        rows = int((settings or {}).get(_BLOCK) or _BLOCK_ROWS)
    return KafkaSinkSpec(
        table=table,
        connection=source.connection,
        topics=source.topics,
        value=replace(value, options=options),
        metadata=_metadata(table),
        rows_per_message=rows,
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
