"""Offsets: where a table begins, where it stands, and the exact ranges of a batch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sluice import errors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sluice.catalog import Catalog, Generation, Offsets
    from sluice.kafka.cluster import Cluster, Topic
    from sluice.plan import KafkaSource

Ranges = dict[str, dict[int, tuple[int, int]]]
"""From (included) and until (excluded), by topic and partition."""

EARLIEST, LATEST, GROUP = "EARLIEST", "LATEST", "GROUP"


def resolve(
    source: KafkaSource, topics: Mapping[str, Topic], cluster: Cluster, catalog: Catalog, mode: str
) -> Offsets:
    """An explicit offset for every partition, so that nothing is decided again later.

    A group's position counts where it has one, and what a dropped table could not commit any more
    counts for it; otherwise reading begins at the oldest message.
    """
    earliest = cluster.earliest(topics)
    if mode == EARLIEST:
        return earliest
    if mode == LATEST:
        return cluster.latest(topics)
    committed = cluster.committed(source.group, topics) if source.group else {}
    kept = {name: catalog.handed_over(source.group, topic.id) for name, topic in topics.items()}
    return furthest(earliest, committed, kept)


def logged(checkpoint: Path, batch: int) -> Offsets | None:
    """What Spark's own log says the batch reads up to; None if there is no such entry."""
    path = checkpoint / "offsets" / str(batch)
    if not path.exists():
        return None
    entry = path.read_text("utf-8").splitlines()[2]
    stored: dict[str, dict[str, int]] = json.loads(entry)
    return {t: {int(p): o for p, o in parts.items()} for t, parts in stored.items()}


def ranges(table: str, checkpoint: Path, batch: int, generation: Generation) -> Ranges:
    """Exactly what a batch reads. A partition that came later begins at its first offset."""
    until = logged(checkpoint, batch)
    if until is None:
        raise errors.CHECKPOINT_MISSING(table=table, path=checkpoint / "offsets" / str(batch))
    since = (logged(checkpoint, batch - 1) if batch else None) or generation.starts
    return {
        topic: {p: (since.get(topic, {}).get(p, 0), end) for p, end in parts.items()}
        for topic, parts in until.items()
    }


def last_logged(checkpoint: Path, log: str = "offsets") -> int:
    """The number of the newest batch that was begun, or of the newest in `commits`; -1 for none."""
    entries = (path.name for path in (checkpoint / log).glob("[0-9]*"))
    return max((int(name) for name in entries if name.isdigit()), default=-1)


def position(checkpoint: Path, generation: Generation, held: int = -1) -> Offsets:
    """Where reading goes on: behind the last batch that Spark, or every target (`held`), has."""
    done = max(last_logged(checkpoint, "commits"), held)
    return (logged(checkpoint, done) if done >= 0 else None) or generation.starts


def ends(of: Ranges) -> Offsets:
    """The offsets behind a batch."""
    return {topic: {p: end for p, (_, end) in parts.items()} for topic, parts in of.items()}


def furthest(*several: Offsets) -> Offsets:
    """For each partition the largest offset that is given for it."""
    found: Offsets = {}
    for each in several:
        for topic, parts in each.items():
            for partition, offset in parts.items():
                of_topic = found.setdefault(topic, {})
                of_topic[partition] = max(offset, of_topic.get(partition, 0))
    return found


def count(of: Ranges) -> int:
    """How many offsets a batch spans."""
    return sum(end - start for parts in of.values() for start, end in parts.values())


def check_kept(table: str, at: Offsets, earliest: Offsets, latest: Offsets) -> None:
    """Refuse to go on where Kafka has lost something that was not read.

    Raises:
        SluiceError: KAFKA_DATA_LOSS with the missing range of each partition.
    """
    lost = []
    for topic, parts in at.items():
        for partition, offset in parts.items():
            first = earliest.get(topic, {}).get(partition)
            last = latest.get(topic, {}).get(partition)
            if first is not None and offset < first:
                lost.append(f"{topic}/{partition}: {offset} to {first - 1} are gone")
            elif last is not None and offset > last:
                lost.append(f"{topic}/{partition}: it ends at {last}, {offset} had been read")
    if lost:
        raise errors.KAFKA_DATA_LOSS(table=table, reason="; ".join(lost))


def to_json(offsets: Offsets) -> str:
    """Spark's form of explicit offsets."""
    return json.dumps({t: {str(p): o for p, o in parts.items()} for t, parts in offsets.items()})
