"""What Spark calls for every batch of a query, as far as all queries share it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sluice.errors import SluiceError
    from sluice.pipelines.store_path import AnyPath


class Stopped(Exception):
    """The pipeline is to stop; the batch was not begun."""


class Batches(ABC):
    """Runs one batch after the other, and none any more when it is to stop."""

    def __init__(self, checkpoint: AnyPath) -> None:
        self.checkpoint = checkpoint
        self.failure: SluiceError | None = None
        self.last_done = -1
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
        """Run a batch; what goes wrong is kept in `failure` and ends the query."""
        with self._busy:
            if self._stopping.is_set():
                raise Stopped
            try:
                self._run(rows, batch)
            except Exception as fault:
                self.failure = self._fault(fault, rows)
                raise self.failure from fault

    @abstractmethod
    def _run(self, rows: DataFrame, batch: int) -> None:
        """Write the batch everywhere, and say so to the group."""

    @abstractmethod
    def _fault(self, fault: Exception, rows: DataFrame) -> SluiceError:
        """What a fault of a batch is called."""
