"""The columns of a table that was created without any: from a schema registry, or from messages."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.catalog import Column
from sluice.engine import faults, offsets
from sluice.engine.sources import kafka_reader, startup
from sluice.formats import (
    avro_columns,
    format_schemas,
    json_columns,
    json_schema_columns,
    subjects,
)
from sluice.kafka.cluster import Cluster
from sluice.planner.flink_tables import table_of
from sluice.planner.named_collections import source_of
from sluice.planner.topic_source import flink_source
from sluice.session.clickhouse_data import folder_of
from sluice.session.clickhouse_prepared import taken
from sluice.session.frames import guarded
from sluice.session.running import querying
from sluice.sql import ir
from sluice.sql.flink.cursor import Cursor
from sluice.sql.flink.reading import tokenize
from sluice.sql.flink.types import read_type
from sluice.types import parse_type, quote_string

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sluice.catalog import Offsets, Table
    from sluice.planner.spec import KafkaSource
    from sluice.session.context import Context
    from sluice.types import Type

    Found = list[tuple[str, Type]]
    Finder = Callable[[Context, KafkaSource], Found]

MOST_MESSAGES, LONGEST, MOST_BYTES = 1_000, 256 << 10, 4 << 20
"""Of a sample: messages, the bytes of one, and of all together."""
MOST_SECONDS = 30.0
"""How long a statement may take to read a sample and to find its columns."""

_LATEST = -1
_PLAIN = {"input_format_try_infer_dates": "0", "input_format_try_infer_datetimes": "0"}


def clickhouse(context: Context, table: Table, statement: ir.CreateTable) -> Table:
    """A ClickHouse Kafka table with the columns that are found for it.

    Raises:
        SluiceError: COLUMNS_NOT_FOUND, or why the registry or the topic cannot be read.
    """
    places = {**statement.engine.override_places, **statement.setting_places}
    source = source_of(context.engine.environment, table, places, statement.engine.place)
    found = _found(context, source, _CLICKHOUSE)
    return replace(table, columns=tuple(Column(name, type_) for name, type_ in found))


def flink(context: Context, statement: ir.CreateTable, key: tuple[str, str]) -> ir.CreateTable:
    """A Flink CREATE TABLE with the columns that are found for it.

    Raises:
        SluiceError: as `clickhouse`.
    """
    engine = context.engine
    with errors.at(statement.name.place):
        table = table_of(engine.catalog, statement, key, context.database)
        source = flink_source(table, statement.setting_places, config=engine.config)
        found = _found(context, source, _FLINK)
    return replace(statement, columns=tuple(ir.ColumnDef(name, type_) for name, type_ in found))


def _found(
    context: Context,
    source: KafkaSource,
    finders: Mapping[str, Callable[[Context, KafkaSource], Found]],
) -> Found:
    name = source.value.name
    if name not in finders:
        reason = f"that is possible for {', '.join(finders)}"
        raise _not_found(source, f"messages of the format {name}", reason)
    return finders[name](context, source)


def _not_found(source: KafkaSource, what: str, reason: str) -> errors.SluiceError:
    return errors.COLUMNS_NOT_FOUND(table=source.table.full_name, source=what, reason=reason)


def _avro(context: Context, source: KafkaSource) -> str:
    """The newest schema of the topic's values, with all that it refers to."""
    subject = _subject(source)
    jvm: Any = context.engine.spark()._jvm

    def ask() -> tuple[str, str | None]:
        settings = jvm.sluice.values.Settings(source.value.codec.settings())
        found = jvm.sluice.registry.SchemaRegistry(settings).version(subject, _LATEST)
        kind = str(found.type())
        return kind, jvm.sluice.avro.AvroSchemas.complete(found) if kind == "AVRO" else None

    table, brokers = source.table.full_name, source.connection.brokers
    kind, text = guarded(ask, lambda fault: faults.classify(fault, table, brokers))
    if text is None:
        raise _not_found(source, f"the subject {subject}", f"its schema is one of type {kind}")
    if json.loads(text).get("type") != "record":
        raise _not_found(source, f"the subject {subject}", "its schema is not a record")
    return text


def _sample(context: Context, source: KafkaSource) -> bytes:
    """The oldest messages, a line each, as many as are needed to know their fields."""
    with closing(Cluster(source.connection.librdkafka())) as cluster:
        topics = startup.topics_of(source, cluster)
        starts = cluster.earliest(topics)
        there = cluster.latest(topics, committed=kafka_reader.committed_only(source))
    ends = _bounded(starts, there)
    spark = context.engine.spark()

    def read() -> list[bytes]:
        first, last = offsets.to_json(starts), offsets.to_json(ends)
        frame = kafka_reader.bounded(spark, source, first, last, headers=False, split=False)
        fits = f"value IS NOT NULL AND length(value) <= {LONGEST}"
        rows = frame.where(fits).select("value").limit(MOST_MESSAGES).toLocalIterator()
        found, size = [], 0
        for row in rows:
            size += len(row[0])
            if size > MOST_BYTES:
                break
            found.append(bytes(row[0]))
        return found

    table, brokers = source.table.full_name, source.connection.brokers
    with querying(context.engine):
        messages = guarded(read, lambda fault: faults.classify(fault, table, brokers))
    if not messages:
        raise _not_found(source, f"the topic {', '.join(source.topics)}", "it has no messages")
    return b"\n".join(messages) + b"\n"


def _sampled(context: Context, source: KafkaSource, settings: Mapping[str, str]) -> Found:
    """The columns that ClickHouse finds in a sample of JSON, if it does not take too long."""
    reason = f"its messages could not be read within {MOST_SECONDS:g} seconds"
    late = _not_found(source, f"the topic {', '.join(source.topics)}", reason)
    statement = context.engine.activity.current()
    with statement.limited(MOST_SECONDS, late) if statement else nullcontext():
        return _described(context, source, "JSONEachRow", _sample(context, source), settings)


def _bounded(starts: Offsets, there: Offsets) -> Offsets:
    """So many messages from the start, divided among the partitions."""
    most = max(1, MOST_MESSAGES // max(1, sum(map(len, starts.values()))))
    return {
        topic: {p: min(start + most, max(start, there[topic][p])) for p, start in parts.items()}
        for topic, parts in starts.items()
    }


def _described(
    context: Context, source: KafkaSource, format_: str, data: bytes, settings: Mapping[str, str]
) -> Found:
    """The columns that ClickHouse finds in data."""
    path = folder_of(context) / "data"
    path.write_bytes(data)
    given = {"input_format_max_rows_to_read_for_schema_inference": str(MOST_MESSAGES), **settings}
    listed = ", ".join(f"{name} = {value}" for name, value in given.items())
    sql = f"DESCRIBE TABLE file({quote_string(str(path))}, {format_}) SETTINGS {listed}"
    with ExitStack() as stack:
        worker = taken(context.engine, stack)
        try:
            text = worker.run(sql, lines="JSONCompactEachRow")
        except errors.SluiceError as error:
            reason = error.text().partition("\n")[0]
            raise _not_found(source, f"messages as {source.value.name}", reason) from error
    rows = (json.loads(line) for line in text.splitlines())
    return [(name, parse_type(type_)) for name, type_, *_ in rows]


def _clickhouse_avro(context: Context, source: KafkaSource) -> Found:
    return _described(context, source, "Avro", avro_columns.file(_avro(context, source)), {})


def _clickhouse_json(context: Context, source: KafkaSource) -> Found:
    return _sampled(context, source, {})


def _flink_avro(context: Context, source: KafkaSource) -> Found:
    legacy = source.value.options.get("timestamp_mapping.legacy", True)
    try:
        return avro_columns.flink(json.loads(_avro(context, source)), legacy=legacy)
    except ValueError as bad:
        raise _not_found(source, f"the schema of {source.topics[0]}", str(bad)) from None


def _flink_json(context: Context, source: KafkaSource) -> Found:
    found = _sampled(context, source, _PLAIN)
    return [(name, json_columns.flink(type_)) for name, type_ in found]


def _subject(source: KafkaSource) -> str:
    """The subject of the topic's values."""
    return subjects.read(source.value.options, source.topics[0])


def _protobuf(context: Context, source: KafkaSource, *, flink: bool) -> Found:
    """Of a file, or of the first message of the subject's newest schema."""
    jvm: Any = context.engine.spark()._jvm
    columns, given = jvm.sluice.protobuf.SchemaColumns, source.value.codec.settings()
    if format_schemas.FILE in source.value.options:
        ask = partial(columns.ofFile, given)
    else:
        ask = partial(columns.ofSubject, given, _subject(source), flink)
    table, brokers = source.table.full_name, source.connection.brokers
    found = list(guarded(ask, lambda fault: faults.classify(fault, table, brokers)))
    if not found:
        raise _not_found(source, f"the subject {_subject(source)}", "it has no schema of Protobuf")
    read = _flink_type if flink else parse_type
    return [(name, read(text)) for name, text in zip(found[::2], found[1::2], strict=True)]


def _json_schema(context: Context, source: KafkaSource) -> Found:
    """Of the subject's newest schema."""
    jvm: Any = context.engine.spark()._jvm
    ask = partial(
        jvm.sluice.registry.JsonSchema.newest, source.value.codec.settings(), _subject(source)
    )
    table, brokers = source.table.full_name, source.connection.brokers
    texts = list(guarded(ask, lambda fault: faults.classify(fault, table, brokers)))
    try:
        schema, *others = [json.loads(text) for text in texts[:1] + texts[2::2]] or [None]
        return json_schema_columns.columns(schema, dict(zip(texts[1::2], others, strict=True)))
    except (ValueError, RecursionError) as bad:
        reason = "it is too deep" if isinstance(bad, RecursionError) else str(bad)
        raise _not_found(source, f"the subject {_subject(source)}", reason) from None


def _flink_json_schema(context: Context, source: KafkaSource) -> Found:
    found = _json_schema(context, source)
    return [(name, json_columns.flink(type_)) for name, type_ in found]


def _flink_type(text: str) -> Type:
    return read_type(Cursor(text, tokenize(text)))


def _file_alone(context: Context, source: KafkaSource) -> Found:
    if format_schemas.FILE not in source.value.options:
        raise _not_found(source, "its format_schema", "there is none")
    return _protobuf(context, source, flink=False)


_CLICKHOUSE: Mapping[str, Finder] = {
    "AvroConfluent": _clickhouse_avro,
    "JSONEachRow": _clickhouse_json,
    "JSONConfluent": _json_schema,
    "ProtobufConfluent": partial(_protobuf, flink=False),
    **dict.fromkeys(("Protobuf", "ProtobufSingle", "ProtobufList"), _file_alone),
}
_FLINK: Mapping[str, Finder] = {
    "avro-confluent": _flink_avro,
    "json": _flink_json,
    **dict.fromkeys(("json-confluent", "json-registry"), _flink_json_schema),
    **dict.fromkeys(("protobuf-confluent", "proto-registry"), partial(_protobuf, flink=True)),
}
"""The formats whose columns can be found, and how."""
