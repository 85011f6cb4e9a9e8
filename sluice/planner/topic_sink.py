"""From the options of a Flink or DLI table to what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors
from sluice.options.kafka import KAFKA
from sluice.options.sink import PARTITIONERS
from sluice.parameters.kinds import DLI
from sluice.planner.fitting import without_updates
from sluice.planner.spec import KafkaSinkSpec
from sluice.planner.topics import Read, common_parts, read_table, topics_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sluice.catalog import Table
    from sluice.config import Config
    from sluice.errors import Place
    from sluice.options.option_set import Values


def flink_sink(
    table: Table, places: Mapping[str, Place] | None = None, *, config: Config | None = None
) -> KafkaSinkSpec:
    """Check a table that is written to and say what it writes.

    Raises:
        SluiceError: in Flink's words.
    """
    read = read_table(table, "sink", places)
    values = read.values
    topics, pattern = topics_of(read)
    topic = _one_topic(topics, pattern)
    partitioner = _partitioner(read, config.partitioners if config else ())
    guarantee = _guarantee(read)
    rows, interval = values["buffer_rows"], values["buffer_interval"]
    if (rows > 0) != (interval > 0):
        raise errors.SINK_BUFFER_INCOMPLETE()
    mode = _update_mode(read)
    return KafkaSinkSpec(
        **common_parts(read, (topic,), config, writes=True),
        changes=mode != "append" if read.upsert else read.value.format.changes,
        last_only=mode == "upsert",
        partitioner=partitioner,
        guarantee=guarantee,
        transactional_id_prefix=values["transactional_id_prefix"] or "",
        writers=values["writers"],
        buffer_rows=rows,
        buffer_ms=interval,
        ignore_retraction=values["ignore_retraction"],
        realtime=values["latency"] == "realtime",
    )


def ensure_takes_changes(sink: KafkaSinkSpec, why: str = "", *, deletes: bool = False) -> None:
    """Make sure that a query whose rows change later may be written to the table.

    Raises:
        SluiceError: SINK_WITHOUT_UPDATES.
    """
    if not sink.changes:
        raise without_updates(f"default_catalog.{sink.table.full_name}", why, deletes=deletes)


def _one_topic(topics: tuple[str, ...], pattern: str) -> str:
    if len(topics) == 1:
        return topics[0]
    got = f"'topic-pattern': {pattern}" if pattern else f"'topic': [{', '.join(topics)}]"
    raise errors.SINK_NEEDS_ONE_TOPIC(given=got)


def check_partitioner(
    values: Values,
    dialect: str,
    allowed: Collection[str],
    places: Mapping[str, Place] | None = None,
) -> None:
    """Make sure that a table names no class but those that the operator allows.

    Raises:
        SluiceError: UNKNOWN_PARTITIONER.
    """
    custom = dialect == DLI and values["partitioner"] == "custom"
    key = "partitioner_class" if custom else "partitioner"
    given = values[key]
    if given and given not in PARTITIONERS and given not in allowed:
        place = (places or {}).get(KAFKA.by_key[key].names[dialect])
        raise errors.UNKNOWN_PARTITIONER(partitioner=given, place=place)


def _partitioner(read: Read, allowed: Collection[str]) -> str:
    given: str = read.values["partitioner"]
    if given == "custom" and read.dialect == DLI:
        given = read.values["partitioner_class"] or ""
        if not given:
            raise errors.OPTION_NEEDS_OPTION(
                option=read.name("partitioner_class"),
                other=read.name("partitioner"),
                value="custom",
                place=read.place("partitioner"),
            )
    if not given:
        raise errors.EMPTY_OPTION(option=read.name("partitioner"), place=read.place("partitioner"))
    check_partitioner(read.values, read.dialect, allowed, read.places)
    if read.upsert and given in PARTITIONERS:
        return "default"  # by key: no other one keeps the messages of a key in one partition
    if given == "round-robin" and read.values["key_fields"]:
        raise errors.ROUND_ROBIN_WITH_KEY(place=read.place("partitioner"))
    return given


def _guarantee(read: Read) -> str:
    values = read.values
    if "semantic" in values.given:
        return str(values["semantic"])
    if values["guarantee"] == "exactly-once" and not values["transactional_id_prefix"]:
        raise errors.TRANSACTIONAL_ID_PREFIX_MISSING(place=read.place("guarantee"))
    return str(values["guarantee"])


_UPDATE_MODES = {True: ("upsert", "retract", "append"), False: ("append",)}
"""DLI's update modes of a table with upsert-kafka and of any other; the first is the default."""


def _update_mode(read: Read) -> str:
    """How an upsert-kafka table writes changes.

    `upsert` writes the last change of each key, `retract` every change, `append` inserts alone.

    Raises:
        SluiceError: UPDATE_MODE_MISMATCH.
    """
    fits = _UPDATE_MODES[read.upsert]
    mode: str = read.values["update_mode"] or fits[0]
    if mode not in fits:
        raise errors.UPDATE_MODE_MISMATCH(
            mode=mode,
            connector=read.values["connector"],
            supported=", ".join(fits),
            place=read.place("update_mode"),
        )
    return mode
