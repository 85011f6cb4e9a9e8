"""Topics and partitions that came after a job had begun."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sluice.pipelines import offsets

if TYPE_CHECKING:
    from sluice.catalog import Generation
    from sluice.kafka.cluster import Cluster
    from sluice.plan.spec import TopicSource


def extended(source: TopicSource, known: Generation, cluster: Cluster) -> Generation | None:
    """The generation with what is new, each partition from its oldest message; None without any.

    A topic that was deleted and made again is not new: going on with it would be a silent loss.
    """
    named = cluster.matching(source.pattern) if source.pattern else cluster.topics(source.topics)
    topics = {n: t for n, t in named.items() if known.topic_ids.get(n, t.id) == t.id}
    there = {(name, p) for name, topic in topics.items() for p in topic.partitions}
    new = there - offsets.partitions(known.starts)
    firsts = offsets.only(cluster.earliest({topic for topic, _ in new}), new) if new else {}
    if not firsts:
        return None
    return replace(
        known,
        starts=offsets.merged(known.starts, firsts),
        topic_ids={**known.topic_ids, **{name: topics[name].id for name in firsts}},
    )
