"""What only brokers and checkpoints know: it is measured in the background."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING

from sluice.engine.storage.state_size import state_bytes
from sluice.errors import SluiceError
from sluice.kafka import admins
from sluice.kafka.cluster import Cluster
from sluice.system.prometheus.scrape import Slow

if TYPE_CHECKING:
    from sluice.catalog import Offsets
    from sluice.engine.engine import Engine


def measure(engine: Engine) -> Slow:
    """Ask each cluster for the oldest offsets of all topics, and read the size of states.

    Before Spark has started there is nothing to measure: to ask could start it.
    """
    if engine.started_spark is None:
        return Slow()
    return Slow(_earliest(engine), _state(engine))


def _earliest(engine: Engine) -> dict[str, Offsets]:
    """The oldest offsets by cluster; tables with the same settings are one question."""
    wanted: dict[tuple[str, frozenset[tuple[str, str]]], set[str]] = defaultdict(set)
    settings = {}
    for query in engine.supervisor.running():
        for stream in query.streams:
            connection = stream.source.connection
            properties = connection.librdkafka()
            key = (connection.brokers, admins.key(properties))
            wanted[key] |= set(stream.generation.topic_ids)
            settings[key] = properties
    found: dict[str, Offsets] = defaultdict(dict)
    for (brokers, same), topics in wanted.items():
        with closing(Cluster(settings[brokers, same])) as cluster:
            try:
                found[brokers] |= cluster.earliest(sorted(topics))
            except SluiceError:  # the pipelines show that it is away
                continue
    return dict(found)


def _state(engine: Engine) -> dict[str, int]:
    """The bytes of state by query."""
    found = {}
    for query in engine.supervisor.running():
        if query.spec.state:
            checkpoint = query.folder / str(query.status.generation)
            try:
                found[query.id] = sum(state_bytes(checkpoint).values())
            except (FileNotFoundError, SluiceError):  # just deleted, or the store does not answer
                continue
    return found
