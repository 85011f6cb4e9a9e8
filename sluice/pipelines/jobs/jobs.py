"""Keeps the jobs running that the catalog says should run."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

from sluice.pipelines import offsets
from sluice.pipelines.jobs.beginning import Beginning
from sluice.pipelines.jobs.query import JobQuery
from sluice.pipelines.jobs.realtime import RealtimeQuery
from sluice.pipelines.status import FINISHED, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from sluice.catalog import Catalog
    from sluice.errors import SluiceError
    from sluice.pipelines.delta import DeltaStore
    from sluice.pipelines.store_path import AnyPath
    from sluice.plan.job import JobSpec

RUNNING, STOPPED = "RUNNING", "STOPPED"
_WAIT = 0.2


class Jobs:
    """The jobs of a data folder: each has one query or several."""

    def __init__(
        self,
        *,
        spark: Callable[[], SparkSession],
        catalog: Catalog,
        store: DeltaStore,
        checkpoints: AnyPath,
    ) -> None:
        self._spark = spark
        self._catalog = catalog
        self._store = store
        self._checkpoints = checkpoints
        self._running: dict[str, list[JobQuery]] = {}
        self.broken: dict[str, SluiceError] = {}
        self._lock = threading.RLock()

    def start(self, spec: JobSpec) -> None:
        """Let a job run, from where it stands."""
        with self._lock:
            made = self._running[spec.id] = self._make(spec)
            self.broken.pop(spec.id, None)
        for query in made:
            query.start()

    def run_now(self, spec: JobSpec) -> None:
        """Run a job that reads no topic, to its end.

        Raises:
            SluiceError: what went wrong.
        """
        for query in self._make(spec):
            query.run_now()

    def _make(self, spec: JobSpec) -> list[JobQuery]:
        beginning = Beginning(
            spec, catalog=self._catalog, store=self._store, checkpoints=self._checkpoints
        )
        made = beginning.queries = [
            (RealtimeQuery if each.realtime else JobQuery)(
                each,
                spark=self._spark,
                store=self._store,
                catalog=self._catalog,
                checkpoints=self._checkpoints,
                beginning=beginning,
                settings=spec.settings,
                ended=lambda: self._ended(spec.id),
            )
            for each in spec.queries
        ]
        return made

    def queries(self, job: str) -> list[JobQuery]:
        """The queries of a job that was started."""
        with self._lock:
            return list(self._running.get(job, ()))

    def running(self) -> list[JobQuery]:
        """The queries of all jobs that were started and have not been stopped."""
        with self._lock:
            return [query for queries in self._running.values() for query in queries]

    def last_batch(self, query: str, generation: int) -> int:
        """The newest batch of a query that Spark has written down as done; -1 for none."""
        return offsets.last_logged(self._checkpoints / query / str(generation), "commits")

    def wait(self, job: str, check: Callable[[], None]) -> None:
        """Wait until a job has come to its end, or is stopped; `check` may end the wait.

        Raises:
            SluiceError: what somebody has to decide before it can go on.
        """
        queries = self.queries(job)
        while not all(query.join(_WAIT) for query in queries):
            check()
            for query in queries:
                fault = query.status.error
                if fault is not None and query.status.state.startswith("FAILED"):
                    raise fault

    def stop(self, job: str) -> None:
        """End a job behind the batches that run."""
        with self._lock:
            stopping = self._running.pop(job, [])
            self.broken.pop(job, None)
        _stop(stopping)

    def ask_to_stop(self) -> None:
        """Let all end behind the batches that run; `close` waits for that."""
        for query in self.running():
            query.ask_to_stop()

    def close(self, until: float = math.inf) -> None:
        """Stop all; by a moment of the monotonic clock those that have not ended are left."""
        with self._lock:
            stopping = [query for queries in self._running.values() for query in queries]
            self._running.clear()
        _stop(stopping, until)

    def _ended(self, job: str) -> None:
        """A query has come to its end; with the last one, the job has."""
        queries = self.queries(job)
        if all(query.status.state == FINISHED for query in queries):
            known = self._catalog.job(job)
            if known is not None and known.state == RUNNING:
                self._catalog.update_job(job, state=FINISHED, ended=now())
            with self._lock:
                self._running.pop(job, None)
            for query in queries:
                query.close()


def _stop(queries: list[JobQuery], until: float = math.inf) -> None:
    for query in queries:
        query.ask_to_stop()
    for query in queries:
        query.stop(until)
