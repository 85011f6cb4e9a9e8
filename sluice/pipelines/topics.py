"""Topics that are read have to stay the ones they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from sluice.catalog import Generation
    from sluice.kafka.cluster import Cluster
    from sluice.kafka.watch import Watch


def check_topics(
    generation: Generation, cluster: Cluster | Watch, brokers: str, remedy: str
) -> None:
    """Refuse to read a topic that is not the one this generation began with.

    Raises:
        SluiceError: KAFKA_TOPIC_MISSING or KAFKA_TOPIC_REPLACED, which says the remedy.
    """
    there = cluster.topics(generation.topic_ids)
    for name, known in generation.topic_ids.items():
        if name not in there:
            raise errors.KAFKA_TOPIC_MISSING(topic=name, brokers=brokers)
        if known != there[name].id:
            raise errors.KAFKA_TOPIC_REPLACED(
                topic=name, old_id=known, new_id=there[name].id, remedy=remedy
            )
