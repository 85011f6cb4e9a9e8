"""The lifecycle of a batch: one class for every streaming query."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from sluice.engine import failpoints, offsets
from sluice.engine.logs import about_pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.engine.offsets import Ranges
    from sluice.engine.runtime.query import RunningQuery
    from sluice.engine.runtime.transforms import Transform
    from sluice.engine.storage.store_path import AnyPath
    from sluice.errors import SluiceError


class Stopped(Exception):
    """The query is to stop; the batch was not begun."""


class BatchRunner:
    """What Spark calls for every batch of a query.

    The consumer groups' offsets are committed only when every output has the batch. A batch that
    is run again after a crash is skipped by each output that has it already.
    """

    def __init__(self, query: RunningQuery, checkpoint: AnyPath, transform: Transform) -> None:
        self.checkpoint = checkpoint
        self.failure: SluiceError | None = None
        self.warning: SluiceError | None = None
        self.last_done = -1
        self._query = query
        self._transform = transform
        self._reads: Ranges = {}
        """What the batch reads that runs, or has failed."""
        self._busy = threading.Lock()
        self._stopping = threading.Event()

    def stop(self, patience: float) -> bool:
        """Begin no further batch and wait for the one that runs; False if it takes too long."""
        self._stopping.set()
        if not self._busy.acquire(timeout=patience):
            return False
        self._busy.release()
        return True

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Run a batch; an error is kept in `failure` and ends the query."""
        with self._busy, about_pipeline(self._query.title):
            if self._stopping.is_set():
                raise Stopped
            try:
                self._run(rows, batch)
            except Exception as fault:
                self.failure = self._transform.fault(fault, rows, self._reads)
                raise self.failure from fault

    def _run(self, rows: DataFrame, batch: int) -> None:
        begun = time.monotonic()
        failpoints.hit("offsets.after_log")
        query = self._query
        ranges = {
            stream.key: stream.ranges(query.title, self.checkpoint, batch)
            for stream in query.streams
        }
        self._reads = offsets.together(ranges.values())
        for stream in query.streams:
            stream.check_topics()
        self._name_transactions(batch)
        self._transform.write(rows, batch, self._reads)
        failpoints.hit("group.before_commit")
        instance = query.resources.store.instance
        refused = [stream.commit(ranges[stream.key], instance) for stream in query.streams]
        self.warning = next((each for each in refused if each is not None), None)
        failpoints.hit("commit.before_log")
        self.last_done = batch
        query.batch_done(batch, self._reads, time.monotonic() - begun)
        self._transform.written(batch)

    def _name_transactions(self, batch: int) -> None:
        """The last source transaction for the ledger; those released incomplete are events."""
        query = self._query
        last = [stream.last_transaction(self.checkpoint, batch) for stream in query.streams]
        self._transform.outputs.name_transaction(", ".join(filter(None, last)))
        query.note_released()
