"""The positions of a Kafka table: those of its consumer group, shared with the group's tables."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import TYPE_CHECKING

from sluice.catalog import Generation
from sluice.engine import offsets
from sluice.engine.runtime.generations import NOT_BEGUN, Positions
from sluice.errors import SluiceError
from sluice.kafka.cluster import Cluster

if TYPE_CHECKING:
    from sluice.catalog import Offsets
    from sluice.engine.offsets import Ranges
    from sluice.engine.runtime.generations import Generations
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.sources.assignment import GroupAssignment
    from sluice.engine.sources.stream import Stream
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.query import QuerySpec
    from sluice.planner.spec import Point

log = logging.getLogger(__name__)


class TablePositions(Positions):
    """Gives a table its partitions of the group, each from where the group has read it to."""

    def __init__(self, generations: Generations, assignment: GroupAssignment) -> None:
        self.assignment = assignment
        self._generations = generations

    def enter(self, query: RunningQuery) -> bool:
        """Read the newest generation; False if other tables of the group have all partitions."""
        (stream,) = query.streams
        given = self.assignment.enter(query.spec, stream.cluster)
        stream.generation = given or NOT_BEGUN
        return given is not None and (bool(given.starts) or not given.shared)

    def leave(self, query: RunningQuery) -> None:
        """Let the other tables of the group have the partitions."""
        self.assignment.leave(query.spec)

    def superseded(self, query: RunningQuery) -> bool:
        """Whether the table is to read other partitions by now."""
        (stream,) = query.streams
        if not (stream.generation.shared or stream.source.patterns):
            return False  # the catalog need not be asked
        return self.assignment.superseded(query.spec, stream.cluster)

    def position(self, query: RunningQuery, checkpoint: AnyPath, stream: Stream) -> Offsets:
        """The offsets after the last batch that all targets have."""
        return self._generations.progress(query.spec).at

    def skip(self, query: RunningQuery, lost: Ranges) -> None:
        """Begin a new generation after messages that Kafka has deleted.

        A batch that only some targets have cannot be repeated, so it is skipped too.
        """
        progress = self._generations.progress(query.spec)
        at, generation = progress.at, progress.generation
        if not progress.settled:
            at = self._last_begun(query.spec, generation) or at
        starts = {
            topic: {p: _after(lost.get(topic, {}).get(p), offset) for p, offset in parts.items()}
            for topic, parts in at.items()
        }
        self._begin(query.spec, generation, starts)

    def shrink(self, query: RunningQuery, most: int) -> int:
        """Half of what the last batch had.

        Spark would repeat that batch as it is, so what was not read begins a new generation. A
        batch that some target has already is repeated nevertheless.
        """
        progress = self._generations.progress(query.spec)
        if not progress.generation.number or not progress.settled:
            return most
        until = self._last_begun(query.spec, progress.generation) or progress.at
        size = sum(
            end - progress.at.get(topic, {}).get(partition, 0)
            for topic, parts in until.items()
            for partition, end in parts.items()
        )
        self._begin(query.spec, progress.generation, progress.at)
        return max(1, min(most, max(1, size)) // 2)

    def _last_begun(self, spec: QuerySpec, generation: Generation) -> Offsets | None:
        """The end offsets of the batch that was begun last."""
        folder = self._generations.folder(spec.id, generation.number)
        return offsets.logged(folder, offsets.last_logged(folder))

    def _begin(self, spec: QuerySpec, generation: Generation, starts: Offsets) -> None:
        ids, number = generation.topic_ids, generation.number + 1
        self._generations.add({spec.id: Generation(number, starts, ids, generation.shared)})

    # while the table is stopped

    def reset(self, spec: QuerySpec, reset: Point) -> None:
        """Begin elsewhere, in a new generation with a new checkpoint; commit that to the group."""
        with closing(_cluster(spec)) as cluster:
            new = self.assignment.reset(spec, cluster, reset)
            if spec.source.group:
                for generation in new.values():
                    cluster.commit(spec.source.group, generation.starts)

    def hand_over(self, spec: QuerySpec, *, unreachable: bool = False) -> None:
        """Leave the position to the group's next reader: at the broker, or in the catalog."""
        generation = self._generations.newest(spec.id)
        group = spec.source.group
        if generation is None or not group:
            return
        done = min(self._generations.each_has(spec, generation), default=-1)
        folder = self._generations.folder(spec.id, generation.number)
        at = offsets.position(folder, generation, done)
        if not unreachable and _committed(spec, at):
            return
        log.warning("%s: its position is kept here", group)
        ids = generation.topic_ids
        self._generations.catalog.positions.hand_over(
            group,
            [(ids[t], p, o) for t, parts in at.items() if t in ids for p, o in parts.items()],
        )


def _cluster(spec: QuerySpec) -> Cluster:
    return Cluster(spec.source.connection.librdkafka())


def _committed(spec: QuerySpec, at: Offsets) -> bool:
    """Commit a position to the group, unless it has a later one; whether that succeeded."""
    group = spec.source.group
    try:
        with closing(_cluster(spec)) as cluster:
            known = offsets.only(cluster.committed(group, at), offsets.partitions(at))
            cluster.commit(group, offsets.furthest(at, known))
    except SluiceError as refused:
        log.warning("%s: %s", group, refused.text())
        return False
    return True


def _after(lost: tuple[int, int] | None, offset: int) -> int:
    """Where a partition resumes that has lost something."""
    if lost is None:
        return offset
    start, end = lost
    return max(offset, end) if end > start else end
