"""Tables that read for one consumer group share its partitions, as Kafka's consumers do."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice import errors
from sluice.catalog import Generation
from sluice.engine import offsets
from sluice.engine.sources import startup
from sluice.errors import SluiceError
from sluice.planner.spec import OFFSETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sluice.catalog import Offsets
    from sluice.engine.runtime.generations import Generations, Progress
    from sluice.kafka.cluster import Cluster, Topic
    from sluice.planner.query import QuerySpec
    from sluice.planner.spec import Point

    Partition = tuple[str, int]

log = logging.getLogger(__name__)


def components(specs: Iterable[QuerySpec]) -> list[list[QuerySpec]]:
    """The tables that share partitions: of one group, from topics that may be the same.

    A pattern may match the topics of every other table of its group.
    """
    found: list[list[QuerySpec]] = []
    groups: dict[tuple[str, str], list[QuerySpec]] = {}
    for spec in specs:
        if spec.source.group:
            groups.setdefault(spec.source.shared_by, []).append(spec)
        else:
            found.append([spec])
    for members in groups.values():
        whole = len(members) == 1 or any(spec.source.patterns for spec in members)
        found += [members] if whole else _by_topic(members)
    return found


def _by_topic(specs: Iterable[QuerySpec]) -> list[list[QuerySpec]]:
    """Tables that have a topic in common, directly or by way of others."""
    by_topic: dict[str, list[QuerySpec]] = {}
    for spec in specs:
        near = {id(each): each for t in spec.source.topics if (each := by_topic.get(t))}
        merged = [spec, *(member for each in near.values() for member in each)]
        for member in merged:
            by_topic.update(dict.fromkeys(member.source.topics, merged))
    return list({id(each): each for each in by_topic.values()}.values())


def assigned(
    eligible: Mapping[Partition, Sequence[str]],
    owners: Mapping[Partition, str],
    pinned: AbstractSet[Partition] = frozenset(),
    *,
    moving: bool,
) -> dict[Partition, str]:
    """Whose each partition shall be: as even as can be, with as few changes as can be.

    Those that are pinned stay where they are. Without `moving`, all stay that an owner has who may
    read them.
    """
    whose = {p: o for p, o in owners.items() if p in pinned or o in eligible.get(p, ())}
    load = Counter(whose.values())
    for partition in sorted(eligible):
        if partition not in whose and eligible[partition]:
            whose[partition] = min(eligible[partition], key=load.__getitem__)
            load[whose[partition]] += 1
    moved = moving
    while moved:
        moved = False
        for partition in sorted(whose.keys() - pinned, reverse=True):
            least = min(eligible[partition], key=load.__getitem__)
            if load[whose[partition]] - load[least] > 1:
                load[whose[partition]] -= 1
                load[least] += 1
                whose[partition] = least
                moved = True
    return whose


@dataclass
class _Found:
    """What there is when partitions are shared out."""

    topics: dict[str, Topic]
    eligible: dict[Partition, list[str]]
    progress_of: dict[str, Progress]
    owners: dict[Partition, str]
    pinned: set[Partition]

    @property
    def at(self) -> Offsets:
        """How far each partition has been read, if somebody has it."""
        found: Offsets = {}
        for (topic, partition), owner in self.owners.items():
            offset = self.progress_of[owner].at[topic][partition]
            found.setdefault(topic, {})[partition] = offset
        return found


class GroupAssignment:
    """The tables of one group, each partition read by one of them.

    The tables' newest generations hold the assignment, so it is the same after a restart.
    Partitions change hands only while nobody reads, in one transaction of the catalog, and are
    read on from the very offset where the last batch ended. A table that reads alone has all
    partitions, also those that come later, which Spark then finds by itself.
    """

    def __init__(self, generations: Generations) -> None:
        self._generations = generations
        self._who: tuple[dict[str, QuerySpec], dict[str, QuerySpec]] = ({}, {})
        self._reading: set[str] = set()
        self._lock = threading.RLock()

    def of(self, active: Sequence[QuerySpec], resting: Sequence[QuerySpec]) -> None:
        """Set which tables read, and which of the group do not at present."""
        self._who = ({spec.id: spec for spec in active}, {spec.id: spec for spec in resting})

    def has(self, spec: QuerySpec) -> bool:
        """Whether a table belongs here."""
        return any(spec.id in each for each in self._who)

    def enter(self, spec: QuerySpec, cluster: Cluster) -> Generation | None:
        """Begin to read: the generation to read in, None if others have all partitions."""
        with self._lock:
            active, _ = self._who
            if active and spec.id not in active:
                return None
            new = self._planned(spec, cluster)
            if new:
                self._generations.add(new)
                ids = {i for generation in new.values() for i in generation.topic_ids.values()}
                self._generations.catalog.positions.forget_handovers(spec.source.group, ids)
                log.info("%s: new generations for %d tables", spec.source.group, len(new))
            self._reading.add(spec.id)
            return self._generations.newest(spec.id)

    def leave(self, spec: QuerySpec) -> None:
        """Stop to read."""
        with self._lock:
            self._reading.discard(spec.id)

    def superseded(self, spec: QuerySpec, cluster: Cluster) -> bool:
        """Whether there is something new that this table is to read, or no more."""
        with self._lock:
            known = self._generations.newest(spec.id)
            if known is None or not (known.shared or spec.source.patterns):
                return False
            return spec.id in self._planned(spec, cluster)

    def reset(self, spec: QuerySpec, cluster: Cluster, reset: Point) -> dict[str, Generation]:
        """Begin elsewhere with what a table reads, whoever of the group has it; nobody reads."""
        with self._lock:
            new = self._planned(spec, cluster, reset)
            self._generations.add(new)
            return new

    def _planned(
        self, me: QuerySpec, cluster: Cluster, reset: Point | None = None
    ) -> dict[str, Generation]:
        """The generations that have to be made so that every partition has its reader."""
        active, resting = self._who
        members = active or {me.id: me}
        found = self._found(me, members, resting, cluster, reset)
        moving = not self._reading - {me.id}
        whose = assigned(found.eligible, found.owners, found.pinned, moving=moving)
        alone = len(members) == 1 and all(o in members for o in whose.values())
        changed = [
            spec_id
            for spec_id in (members if moving else [me.id])
            if reset or self._differs(spec_id, found, whose, alone=alone)
        ]
        if not changed:
            return {}
        starts = self._starts(me, found, cluster, reset)
        new = {i: self._taking(i, found, whose, starts, alone=alone) for i in changed}
        return new | {
            i: given
            for i in resting.keys() - members.keys()
            if (given := _giving(i, found, whose)) is not None
        }

    def _found(
        self,
        me: QuerySpec,
        members: Mapping[str, QuerySpec],
        resting: Mapping[str, QuerySpec],
        cluster: Cluster,
        reset: Point | None,
    ) -> _Found:
        topics: dict[str, Topic] = {}
        eligible: dict[Partition, list[str]] = {}
        for spec in members.values():
            try:
                of_spec = startup.topics_of(spec.source, cluster)
            except SluiceError as missing:
                if spec.id == me.id or missing.condition is not errors.KAFKA_TOPIC_MISSING:
                    raise
                continue
            topics |= of_spec
            for topic in of_spec.values():
                for partition in topic.partitions:
                    eligible.setdefault((topic.name, partition), []).append(spec.id)
        everyone = {**resting, **members}
        progress_of = {i: self._generations.progress(spec) for i, spec in everyone.items()}
        owners: dict[Partition, str] = {}
        for spec_id, progress in progress_of.items():
            ids = progress.generation.topic_ids
            for topic_, partition in offsets.partitions(progress.at) & eligible.keys():
                if ids.get(topic_, topics[topic_].id) == topics[topic_].id:
                    owners[topic_, partition] = spec_id
                elif reset is None and spec_id == me.id:
                    raise errors.KAFKA_TOPIC_REPLACED(
                        topic=topic_,
                        old_id=ids[topic_],
                        new_id=topics[topic_].id,
                        remedy=offsets.restart(me.source.table.full_name),
                    )
        busy = self._reading - {me.id}
        pinned = {
            p for p, o in owners.items() if o in busy or not (progress_of[o].settled or reset)
        }
        return _Found(topics, eligible, progress_of, owners, pinned)

    def _differs(
        self, spec_id: str, found: _Found, whose: Mapping[Partition, str], *, alone: bool
    ) -> bool:
        """Whether a table's generation is another than it should be, and can be changed."""
        progress = found.progress_of[spec_id]
        known = progress.generation
        if not known.number:
            return True
        if not progress.settled:
            return False
        wanted = {p for p, o in whose.items() if o == spec_id}
        if not alone or known.shared:
            return known.shared is alone or offsets.partitions(progress.at) != wanted
        topics = {topic for (topic, _), e in found.eligible.items() if spec_id in e}
        from_others = any(found.owners.get(p, spec_id) != spec_id for p in wanted)
        return topics != set(known.topic_ids) or from_others

    def _starts(
        self, me: QuerySpec, found: _Found, cluster: Cluster, reset: Point | None
    ) -> Offsets:
        catalog, source = self._generations.catalog, me.source
        if reset is not None:
            mine = startup.topics_of(source, cluster)
            startup.check_offsets(reset, mine, cluster)
            kept = startup.handed_over(catalog, source, mine)
            explicit = startup.starts(source, mine, cluster, reset, kept)
            if reset.mode == OFFSETS:
                return offsets.merged(offsets.merged(explicit, found.at), reset.offsets)
            return offsets.merged(found.at, explicit)
        if found.eligible.keys() <= offsets.partitions(found.at):
            return found.at
        kept = startup.handed_over(catalog, source, found.topics)
        resolved = startup.starts(source, found.topics, cluster, handed_over=kept)
        return offsets.merged(resolved, found.at)

    def _taking(
        self,
        spec_id: str,
        found: _Found,
        whose: Mapping[Partition, str],
        starts: Offsets,
        *,
        alone: bool,
    ) -> Generation:
        known = found.progress_of[spec_id].generation
        mine = {p for p, o in whose.items() if o == spec_id}
        topics = {topic for topic, _ in mine}
        topics |= {topic for (topic, _), e in found.eligible.items() if spec_id in e}
        return Generation(
            known.number + 1,
            offsets.only(starts, mine),
            {topic: found.topics[topic].id for topic in sorted(topics)},
            shared=not alone,
        )


def _giving(spec_id: str, found: _Found, whose: Mapping[Partition, str]) -> Generation | None:
    """The generation of a table that does not read at present, without what others take over."""
    progress = found.progress_of[spec_id]
    taken = {p for p, o in found.owners.items() if o == spec_id and whose.get(p, o) != o}
    if not taken:
        return None
    rest = offsets.only(progress.at, offsets.partitions(progress.at) - taken)
    ids = progress.generation.topic_ids
    return Generation(progress.generation.number + 1, rest, ids, shared=True)
