"""Where each Kafka table began to read, and how far it has come since."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from sluice.pipelines import ledger, offsets
from sluice.pipelines.dead_letters import DeadLetters
from sluice.pipelines.fan_out import held_batches
from sluice.pipelines.held import Held
from sluice.plan.spec import DEAD_LETTERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sluice.catalog import Catalog, Generation, Offsets, Table
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan import PipelineSpec


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a table has come: its generation, and behind the last batch that it finished.

    It is not `settled` while some of its targets have a batch that others lack: nothing but that
    batch itself, run again, can put that right.
    """

    generation: Generation | None
    at: Offsets = field(default_factory=dict)
    settled: bool = True


class Generations:
    """The generations of all tables: the catalog's entries with their checkpoint folders."""

    def __init__(self, catalog: Catalog, store: DeltaStore, checkpoints: AnyPath) -> None:
        self.catalog = catalog
        self._store = store
        self._checkpoints = checkpoints

    def newest(self, table: str) -> Generation | None:
        """The generation a table is in."""
        return self.catalog.generation(table)

    def folder(self, table: str, generation: Generation) -> AnyPath:
        """Where Spark keeps its checkpoint."""
        return self._checkpoints / table / str(generation.number)

    def add(self, new: Mapping[str, Generation]) -> None:
        """Begin generations, all or none."""
        for table, generation in new.items():
            self.folder(table, generation).mkdir(parents=True, exist_ok=True)
        self.catalog.add_generations(new)

    def held(self, spec: PipelineSpec, generation: Generation) -> Held:
        """The newest batch of this generation that each view's target has, if it has one.

        Raises:
            SluiceError: DATA_FOLDER_COPIED.
        """
        held = held_batches(self._store, spec.plans(), spec.id, generation.number)
        if spec.source.error_mode == DEAD_LETTERS:
            found = DeadLetters(self._store).last_batch(spec.id, generation.number)
            if found is not None:
                return Held({**held.records, found.entry.writer: found})
        return held

    def targets(
        self, spec: PipelineSpec, generation: Generation, held: Held
    ) -> list[tuple[Table, int]]:
        """The stored tables that the views write to, each with its newest batch, -1 for none."""
        writer = partial(ledger.writer, spec.id, generation.number)
        return [
            (plan.target, held.last(writer(plan.id)))
            for plan in spec.plans()
            if plan.target is not None and plan.target.keeps_rows
        ]

    def each_has(self, spec: PipelineSpec, generation: Generation) -> list[int]:
        """The newest batch of this generation that is in each target, -1 for none."""
        held = self.held(spec, generation)
        tell = [plan for plan in spec.plans() if plan.target is None or not plan.target.passes]
        return [held.last(ledger.writer(spec.id, generation.number, plan.id)) for plan in tell]

    def standing(self, spec: PipelineSpec) -> Standing:
        """How far a table has come; it does not read meanwhile."""
        generation = self.newest(spec.id)
        if generation is None:
            return Standing(None)
        folder = self.folder(spec.id, generation)
        at = offsets.position(folder, generation)
        begun = offsets.last_logged(folder)
        if begun <= offsets.last_logged(folder, "commits"):
            return Standing(generation, at)
        have = [batch >= begun for batch in self.each_has(spec, generation)]
        if all(have) and have:
            return Standing(generation, offsets.logged(folder, begun) or at)
        return Standing(generation, at, settled=not any(have))
