"""From a Kafka table's options to what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.kafka.properties import Connection
from sluice.options.kafka import ACCEPTED, KAFKA, POSITIONAL
from sluice.plan.spec import KafkaSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sluice.catalog import Table
    from sluice.errors import Place

FORMATS = ("JSONEachRow",)


def settings_of(
    args: Sequence[Any],
    settings: Mapping[str, Any],
    places: Mapping[str, Place],
    place: Place | None,
) -> dict[str, Any]:
    """One mapping from `Kafka('broker', 'topic', …) SETTINGS …`.

    Raises:
        SluiceError: BAD_ARGUMENTS for too many arguments, or one that is given in both places.
    """
    if len(args) > len(POSITIONAL):
        reason = f"Kafka takes at most {len(POSITIONAL)} arguments; write the others in SETTINGS"
        raise errors.BAD_ARGUMENTS(reason=reason, place=place)
    merged = {}
    for at, (key, value) in enumerate(zip(POSITIONAL, args, strict=False), start=1):
        name = KAFKA.by_key[key].names["clickhouse"]
        if name in settings:
            reason = (
                f"The argument №{at} of storage Kafka and the parameter '{name}' in SETTINGS "
                "cannot be specified at the same time"
            )
            raise errors.BAD_ARGUMENTS(reason=reason, place=places.get(name))
        merged[name] = value
    return merged | dict(settings)


def kafka_source(table: Table, places: Mapping[str, Place] | None = None) -> KafkaSource:
    """Check a Kafka table's options and say what it reads.

    Raises:
        SluiceError: UNKNOWN_SETTING, UNKNOWN_FORMAT or BAD_ARGUMENTS, naming the option.
    """
    places = places or {}
    given = {name: value for name, value in table.settings.items() if name not in ACCEPTED}
    values = KAFKA.read(given, "clickhouse", places)
    if (values["keeper_path"] is None) != (values["replica_name"] is None):
        reason = "Either specify both kafka_keeper_path and kafka_replica_name or none of them"
        raise errors.BAD_ARGUMENTS(reason=reason)
    names = {"database": table.database, "table": table.name, "uuid": table.uuid}
    topics = tuple(t.strip() for t in _expand(values["topic_list"], names).split(",") if t.strip())
    if not topics:
        raise errors.BAD_ARGUMENTS(reason="kafka_topic_list names no topic")
    connection = Connection(
        brokers=values["broker_list"],
        security_protocol=values["security_protocol"],
        sasl_mechanism=values["sasl_mechanism"],
        sasl_username=values["sasl_username"],
        sasl_password=values["sasl_password"],
        client_id=_expand(values["client_id"], names) or f"sluice-{table.full_name}",
    )
    connection.librdkafka()  # the parts are checked against each other here
    return KafkaSource(
        table=table,
        connection=connection,
        topics=topics,
        group=_expand(values["group_name"], names),
        format=_format(values["format"], places.get("kafka_format")),
        skip_broken=values["skip_broken_messages"] > 0,
        max_block=values["max_block_size"],
        flush_ms=values["flush_interval_ms"],
        min_tasks=values["num_consumers"] or 1,
    )


def _format(given: str, place: Place | None) -> str:
    for name in FORMATS:
        if given.lower() == name.lower():
            return name
    known = ", ".join(FORMATS)
    hint = errors.nearest(given, FORMATS) or f"Messages can be read as {known}."
    raise errors.UNKNOWN_FORMAT(format=given, hint=hint, place=place)


def _expand(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text
