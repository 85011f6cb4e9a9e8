"""Where each query began to read, its progress since, and who decides that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sluice.catalog import Generation
from sluice.engine import offsets
from sluice.engine.sinks.committed import last_committed
from sluice.engine.storage.ledger import Writer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Offsets
    from sluice.engine.offsets import Ranges
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.runtime.resources import Resources
    from sluice.engine.sources.stream import Stream
    from sluice.engine.storage.store_path import AnyPath
    from sluice.planner.query import QuerySpec


class Positions(ABC):
    """Decides which partitions a query reads, and from which offsets.

    What it decides is a generation of each stream, in the catalog before anything is read.
    """

    @abstractmethod
    def enter(self, query: RunningQuery) -> bool:
        """Give each stream its generation; False if there is no partition to read."""

    def leave(self, query: RunningQuery) -> None:  # noqa: B027 - jobs share no partitions
        """The query reads no more."""

    @abstractmethod
    def superseded(self, query: RunningQuery) -> bool:
        """Whether there are other partitions to read by now, in a generation that is yet to be."""

    @abstractmethod
    def position(self, query: RunningQuery, checkpoint: AnyPath, stream: Stream) -> Offsets:
        """The offsets that a stream resumes from."""

    def skip(self, query: RunningQuery, lost: Ranges) -> None:
        """Begin a new generation after messages that Kafka has deleted; jobs do not skip them."""
        raise NotImplementedError(query.title)

    def shrink(self, query: RunningQuery, most: int) -> int:
        """Begin a new generation with smaller batches; how many messages they have at most.

        The batches of a job stay as they are: a new generation would lose its state.
        """
        return most


NOT_BEGUN = Generation(0, {}, {})


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a query: its generation, and the offsets after its last finished batch.

    It is not `settled` while some of its targets have a batch that others lack: only that batch
    itself, run again, can settle it.
    """

    generation: Generation
    at: Offsets = field(default_factory=dict)
    settled: bool = True


class Generations:
    """The generations of all tables: the catalog's entries with their checkpoint folders."""

    def __init__(self, resources: Resources) -> None:
        self.catalog = resources.catalog
        self._store = resources.store
        self._checkpoints = resources.checkpoints

    def newest(self, table: str) -> Generation | None:
        """The generation a table is in."""
        return self.catalog.positions.generation(table)

    def folder(self, query: str, generation: int) -> AnyPath:
        """Where Spark keeps its checkpoint."""
        return self._checkpoints / query / str(generation)

    def add(self, new: Mapping[str, Generation]) -> None:
        """Begin generations, all or none."""
        for table, generation in new.items():
            self.folder(table, generation.number).mkdir(parents=True, exist_ok=True)
        self.catalog.positions.add(new)

    def each_has(self, spec: QuerySpec, generation: Generation) -> list[int]:
        """The newest batch of this generation that is in each target, -1 for none or a topic.

        Raises:
            SluiceError: DATA_FOLDER_COPIED.
        """
        found = []
        for plan in spec.plans():
            last = None
            if plan.target is not None and plan.target.keeps_rows:
                who = Writer(spec.id, generation.number, plan.view.uuid, plan.via)
                last = last_committed(self._store, plan.target, who)
            if plan.target is None or not plan.target.passes:
                found.append(-1 if last is None else last.entry.batch)
        return found

    def progress(self, spec: QuerySpec) -> Progress:
        """The progress of a table, which does not read meanwhile."""
        generation = self.newest(spec.id)
        if generation is None:
            return Progress(NOT_BEGUN)
        folder = self.folder(spec.id, generation.number)
        at = offsets.position(folder, generation)
        begun = offsets.last_logged(folder)
        if begun <= offsets.last_logged(folder, "commits"):
            return Progress(generation, at)
        have = [batch >= begun for batch in self.each_has(spec, generation)]
        if all(have) and have:
            return Progress(generation, offsets.logged(folder, begun) or at)
        return Progress(generation, at, settled=not any(have))
