"""Keeps exactly the pipelines running that the catalog says should run."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

from sluice.pipelines.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from sluice.catalog import Catalog
    from sluice.pipelines.delta import DeltaStore
    from sluice.plan import PipelineSpec


class Supervisor:
    """Starts, restarts and stops pipelines; one per data folder."""

    def __init__(
        self,
        *,
        spark: Callable[[], SparkSession],
        catalog: Catalog,
        store: DeltaStore,
        checkpoints: Path,
    ) -> None:
        self._spark = spark
        self._catalog = catalog
        self._store = store
        self._checkpoints = checkpoints
        self._running: dict[str, Pipeline] = {}
        self._lock = threading.RLock()

    def _make(self, spec: PipelineSpec) -> Pipeline:
        return Pipeline(
            spec,
            spark=self._spark,
            catalog=self._catalog,
            store=self._store,
            checkpoints=self._checkpoints,
        )

    def pipelines(self) -> list[Pipeline]:
        """Those that run now."""
        with self._lock:
            return list(self._running.values())

    def sync(self, wanted: Mapping[str, PipelineSpec]) -> None:
        """Make what runs be what is wanted; one whose specification changed goes on with it."""
        with self._lock:
            for key, pipeline in list(self._running.items()):
                if wanted.get(key) != pipeline.spec:
                    pipeline.stop()
                    del self._running[key]
            for key, spec in wanted.items():
                if key not in self._running:
                    self._running[key] = self._make(spec)
                    self._running[key].start()

    def stop_one(self, key: str) -> None:
        """Stop a pipeline behind its batch."""
        with self._lock:
            pipeline = self._running.pop(key, None)
            if pipeline is not None:
                pipeline.stop()

    def drop(self, spec: PipelineSpec) -> None:
        """Stop a pipeline for good, leaving its position to whoever reads for the group next."""
        self.stop_one(spec.id)
        with closing(self._make(spec)) as pipeline:
            pipeline.hand_over()

    def reset(self, spec: PipelineSpec, mode: str) -> None:
        """Stop a pipeline and let it begin again elsewhere; `sync` starts it."""
        self.stop_one(spec.id)
        with closing(self._make(spec)) as pipeline:
            pipeline.reset(mode)

    def close(self) -> None:
        """Stop all, each behind its batch."""
        with self._lock:
            for key in list(self._running):
                self.stop_one(key)
