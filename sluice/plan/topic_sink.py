"""From the options of a Flink or DLI table to what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.formats import find_format, must_write
from sluice.options.kafka import KAFKA
from sluice.options.kinds import DLI, FLINK
from sluice.options.option import UPSERT
from sluice.options.sink import PARTITIONERS
from sluice.plan.keys import metadata_of
from sluice.plan.spec import TopicSink
from sluice.plan.topics import (
    Read,
    check_key,
    check_urls,
    connection_of,
    halves_of,
    read_table,
    topics_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place
    from sluice.options.option import Values
    from sluice.plan.topic_formats import Formats

REGISTRY_FORMATS = ("avro-confluent", "debezium-avro-confluent")

_FLUSH = (
    "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater than "
    "zero together to enable sink buffer flushing."
)


def flink_sink(
    table: Table, places: Mapping[str, Place] | None = None, *, config: Config | None = None
) -> TopicSink:
    """Check a table that is written to and say what it writes.

    Raises:
        SluiceError: in Flink's words.
    """
    read = read_table(table, "sink", places)
    values = read.values
    topics, pattern = topics_of(read)
    topic = _one_topic(read, topics, pattern)
    partitioner = _partitioner(read, config.partitioners if config else ())
    guarantee = _guarantee(read)
    rows, interval = values["buffer_rows"], values["buffer_interval"]
    if (rows > 0) != (interval > 0):
        raise read.bad(_FLUSH)
    _check_mode(read)
    check_key(read)
    check_urls(read, config)
    _subjects(read.formats, topic)
    value, key = halves_of(read, writes=True)
    return TopicSink(
        table=table,
        connection=connection_of(read, (topic,), config),
        topic=topic,
        value=value,
        key=key,
        metadata=metadata_of(table, value.name, writing=True),
        upsert=read.upsert,
        changes=read.upsert or read.formats.value.format.changes,
        partitioner=partitioner,
        guarantee=guarantee,
        transactional_id_prefix=values["transactional_id_prefix"] or "",
        writers=values["writers"],
        buffer_rows=rows,
        buffer_ms=interval,
        ignore_retraction=values["ignore_retraction"],
        realtime=values["latency"] == "realtime",
    )


def ensure_writable(sink: TopicSink) -> None:
    """Make sure that the engine can write the table: its formats, and rows that do not change.

    Raises:
        SluiceError: NOT_IMPLEMENTED.
    """
    if sink.upsert:
        what = f"Writing to an {UPSERT} table"
        hint = "A stored table with a PRIMARY KEY takes rows that change."
        raise errors.NOT_IMPLEMENTED(what=what, hint=hint)
    for half in (sink.value, sink.key):
        if half is not None:
            must_write(find_format(half.name, FLINK), FLINK)


def ensure_takes_changes(sink: TopicSink, why: str = "") -> None:
    """Make sure that a query whose rows change later may be written to the table.

    Raises:
        SluiceError: BAD_ARGUMENTS.
    """
    if not sink.changes:
        reason = (
            f"Table sink 'default_catalog.{sink.table.full_name}' doesn't support consuming "
            "update changes" + (f" which is produced by node {why}" if why else "")
        )
        raise errors.BAD_ARGUMENTS(reason=reason)


def _one_topic(read: Read, topics: tuple[str, ...], pattern: str) -> str:
    if len(topics) == 1:
        return topics[0]
    got = f"'topic-pattern': {pattern}" if pattern else f"'topic': [{', '.join(topics)}]"
    raise read.bad(f"Flink Kafka sink currently only supports single topic, but got {got}.")


def check_partitioner(
    values: Values,
    dialect: str,
    allowed: Collection[str],
    places: Mapping[str, Place] | None = None,
) -> None:
    """Make sure that a table names no class but those that the operator allows.

    Raises:
        SluiceError: BAD_ARGUMENTS, in Flink's words.
    """
    custom = dialect == DLI and values["partitioner"] == "custom"
    key = "partitioner_class" if custom else "partitioner"
    given = values[key]
    if given and given not in PARTITIONERS and given not in allowed:
        raise errors.BAD_ARGUMENTS(
            reason=f"Could not find and instantiate partitioner class '{given}'. Classes that "
            "tables may name are given to the server by --allow-partitioner",
            place=(places or {}).get(KAFKA.by_key[key].names[dialect]),
        )


def _partitioner(read: Read, allowed: Collection[str]) -> str:
    given: str = read.values["partitioner"]
    if given == "custom" and read.dialect == DLI:
        given = read.values["partitioner_class"] or ""
        if not given:
            raise read.bad(
                f"'{read.name('partitioner_class')}' is required when "
                f"'{read.name('partitioner')}' is 'custom'.",
                "partitioner",
            )
    if not given:
        name = read.name("partitioner")
        raise read.bad(f"Option '{name}' should be a non-empty string.", "partitioner")
    check_partitioner(read.values, read.dialect, allowed, read.places)
    if given == "round-robin" and read.values["key_fields"]:
        raise read.bad(
            "Currently 'round-robin' partitioner only works when option 'key.fields' is not "
            "specified.",
            "partitioner",
        )
    return given


def _guarantee(read: Read) -> str:
    values = read.values
    if "semantic" in values.given:
        return str(values["semantic"])
    if values["guarantee"] == "exactly-once" and not values["transactional_id_prefix"]:
        raise read.bad(
            "sink.transactional-id-prefix must be specified when using "
            "DeliveryGuarantee.EXACTLY_ONCE.",
            "guarantee",
        )
    return str(values["guarantee"])


def _check_mode(read: Read) -> None:
    mode = read.values["update_mode"]
    fits = ("append", "upsert") if read.upsert else ("append",)
    if mode not in fits:
        reason = (
            f"'update-mode' = '{mode}' does not fit 'connector.type' = "
            f"'{read.values['connector']}', which writes in the mode {fits[-1]}"
        )
        raise read.bad(reason, "update_mode")


def _subjects(formats: Formats, topic: str) -> None:
    """Schemas are registered under the topic's name unless another is given."""
    for chosen, half in ((formats.value, "value"), (formats.key, "key")):
        if chosen is not None and chosen.format.name in REGISTRY_FORMATS:
            chosen.options.setdefault("subject", f"{topic}-{half}")
