"""Keeps exactly the pipelines running that the catalog says should run."""

from __future__ import annotations

import math
import threading
from contextlib import closing
from typing import TYPE_CHECKING

from sluice.pipelines.generations import Generations
from sluice.pipelines.pipeline import Pipeline
from sluice.pipelines.sharing import Share, components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyspark.sql import SparkSession

    from sluice.catalog import Catalog, Table
    from sluice.errors import SluiceError
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan import PipelineSpec
    from sluice.plan.reset import Reset


class Supervisor:
    """Starts, restarts and stops pipelines; one per data folder."""

    def __init__(
        self,
        *,
        spark: Callable[[], SparkSession],
        catalog: Catalog,
        store: DeltaStore,
        checkpoints: AnyPath,
    ) -> None:
        self._spark = spark
        self._store = store
        self._generations = Generations(catalog, store, checkpoints)
        self._running: dict[str, Pipeline] = {}
        self.broken: dict[str, tuple[Table, SluiceError]] = {}
        """Tables, by id, that cannot be planned as they are, and why."""
        self._shares: dict[tuple[str, ...], Share] = {}
        self._lock = threading.RLock()

    def _make(self, spec: PipelineSpec, share: Share) -> Pipeline:
        return Pipeline(
            spec,
            spark=self._spark,
            store=self._store,
            generations=self._generations,
            share=share,
        )

    def pipelines(self) -> list[Pipeline]:
        """Those that run now, or are halted."""
        with self._lock:
            return list(self._running.values())

    def sync(self, wanted: Mapping[str, PipelineSpec], others: Iterable[PipelineSpec] = ()) -> None:
        """Make what runs be what is wanted; one whose specification changed goes on with it.

        `others` are the tables that are not to run. Where a group gets other readers, all of them
        stop first and begin again with their new shares.
        """
        with self._lock:
            shares = self._shared(wanted, others)
            self._stop(
                key
                for key, pipeline in self._running.items()
                if wanted.get(key) != pipeline.spec or shares.get(key) is not pipeline.share
            )
            for key, spec in wanted.items():
                if key not in self._running:
                    self._running[key] = self._make(spec, shares[key])
                    self._running[key].start()

    def _shared(
        self, wanted: Mapping[str, PipelineSpec], others: Iterable[PipelineSpec]
    ) -> dict[str, Share]:
        """Who shares partitions with whom; a share lasts while its readers are the same."""
        kept, found = {}, {}
        for members in components([*wanted.values(), *others]):
            active = sorted(
                (spec for spec in members if spec.id in wanted and not spec.halted),
                key=lambda spec: (spec.source.table.created, spec.id),
            )
            resting = [spec for spec in members if spec not in active]
            key = tuple(spec.id for spec in active) or tuple(sorted(spec.id for spec in resting))
            share = kept[key] = self._shares.get(key) or Share(self._generations)
            share.of(active, resting)
            found.update(dict.fromkeys((spec.id for spec in members), share))
        self._shares = kept
        return found

    def _stop(self, keys: Iterable[str], until: float = math.inf) -> None:
        """Stop pipelines, each behind its batch, side by side."""
        stopping = [self._running.pop(key) for key in list(keys) if key in self._running]
        for pipeline in stopping:
            pipeline.ask_to_stop()
        for pipeline in stopping:
            pipeline.stop(until)

    def drop(self, spec: PipelineSpec) -> None:
        """Stop a pipeline for good, leaving its position to whoever reads for the group next."""
        with self._lock:
            running = self._running.get(spec.id)
            away = running is not None and running.away
            self._stop([spec.id])
        with closing(self._make(spec, Share(self._generations))) as pipeline:
            pipeline.hand_over(away=away)

    def reset(self, spec: PipelineSpec, reset: Reset) -> None:
        """Stop a table, and all that share with it, and let them begin elsewhere.

        `sync` starts them again.
        """
        with self._lock:
            share = next((s for s in self._shares.values() if s.has(spec)), None)
            share = share or Share(self._generations)
            self._stop([key for key, each in self._running.items() if each.share is share])
            with closing(self._make(spec, share)) as pipeline:
                pipeline.reset(reset)

    def finish(self, keys: Iterable[str]) -> None:
        """Let pipelines end with what they have begun; `sync` then stops them."""
        with self._lock:
            found = [self._running[key] for key in keys if key in self._running]
        for pipeline in found:
            pipeline.finish()

    def refresh(self, key: str) -> None:
        """Let a pipeline read what is there now."""
        with self._lock:
            pipeline = self._running.get(key)
        if pipeline is not None:
            pipeline.refresh()

    def ask_to_stop(self) -> None:
        """Let all end behind the batches that run; `close` waits for that."""
        for pipeline in self.pipelines():
            pipeline.ask_to_stop()

    def close(self, until: float = math.inf) -> None:
        """Stop all, each behind its batch; those that last longer than `until` are left."""
        with self._lock:
            self._stop(list(self._running), until)
