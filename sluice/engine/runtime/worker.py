"""A supervised worker: a thread that keeps a streaming query running until it is stopped."""

from __future__ import annotations

import logging
import math
import threading
import time
from abc import ABC, abstractmethod
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.engine import faults, offsets
from sluice.engine.logs import about_pipeline
from sluice.engine.runtime.status import Status, now
from sluice.engine.spark.gateway import close_callbacks
from sluice.kafka.client import GONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.engine.runtime.batch import BatchRunner
    from sluice.engine.statistics import Statistics
    from sluice.errors import SluiceError

FIRST_RETRY, LONGEST_RETRY = 1.0, 15.0
LOOK_EVERY = 2.0
ASK_EVERY = 0.5
"""Seconds between two questions to the JVM whether a query still runs."""

STOP_PATIENCE, SHORT_PATIENCE = 60.0, 3.0

_UNREACHABLE = (*GONE, errors.KAFKA_NO_LEADER)

log = logging.getLogger(__name__)


class Superseded(Exception):
    """What there is to read has changed: the query ends after its batch and starts anew."""


class Worker(ABC):
    """A thread that starts a query, watches it and restarts it; every wait is in `status`.

    While there is nothing to do but to wait for others it may have no thread.
    """

    def __init__(self, id_: str, title: str, statistics: Statistics) -> None:
        self.id = id_
        self.title = title
        self.status = Status(statistics)
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = self._made_thread()
        self._parked = False
        self._parking = threading.Lock()

    def _made_thread(self) -> threading.Thread:
        return threading.Thread(target=self._supervise, name=f"pipeline-{self.id}", daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def wake(self) -> None:
        """Let it look at once whether there is something to do; in a new thread if it has none."""
        with self._parking:
            self._wake.set()
            if self._parked and not self._stop.is_set():
                thread = self._made_thread()
                try:
                    thread.start()
                except RuntimeError as full:
                    log.warning("%s has no thread: %s", self.title, full)
                else:
                    self._thread, self._parked = thread, False

    def _park(self) -> bool:
        """Let this thread end until `wake` is called; False if it was, and not looked since."""
        with self._parking:
            self._parked = not self._wake.is_set()
            return self._parked

    def ask_to_stop(self) -> None:
        """Let it end; `stop` waits for that."""
        self._stop.set()
        self._wake.set()

    def stop(self, until: float = math.inf) -> None:
        """End after the batch that runs; no batch is left half done.

        One that has not ended by `until`, a time of the monotonic clock, is left to the end of the
        process: its batch runs again at the next start.
        """
        self.ask_to_stop()
        with self._parking:
            thread = self._thread  # there is no other one from now on
        patience = min(STOP_PATIENCE + SHORT_PATIENCE, until - time.monotonic())
        thread.join(max(0.0, patience))
        if not thread.is_alive():
            self._ended_parked()
        self.close()
        self.status.stopped()

    def join(self, patience: float | None = None) -> bool:
        """Wait until it is finished; False if it takes longer than that."""
        self._thread.join(patience)
        return not self._thread.is_alive()

    @property
    def unreachable(self) -> bool:
        """Whether its broker does not answer, or refuses the connection."""
        return self.status.error is not None and self.status.error.condition in _UNREACHABLE

    @abstractmethod
    def named(self, fault: BaseException) -> SluiceError:
        """The condition of an exception."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections to the brokers."""

    def _ended_parked(self) -> None:  # noqa: B027 - most have always a thread
        """Undo what it left as it was when its thread ended, if it was without one."""

    @abstractmethod
    def _step(self) -> bool:
        """Run until something is wrong or it is to stop; False if it is finished or parked."""

    @abstractmethod
    def _retries(self, fault: SluiceError) -> bool:
        """Change what makes the next try succeed; False if there is none without a user."""

    def _supervise(self) -> None:
        with about_pipeline(self.title):
            self._keep_running()

    def _keep_running(self) -> None:
        """Run, and after a transient fault run again, for ever."""
        delay = FIRST_RETRY
        while not self._stop.is_set():
            commits = self.status.commits
            try:
                if not self._step():
                    return
            except Superseded:
                continue
            except Exception as fault:  # noqa: BLE001 - the pipeline's boundary: anything is shown and retried
                named = self._logged(fault)
                if not self._retries(named):
                    self.status.failed(named)
                    self._stop.wait()
                    return
                delay = FIRST_RETRY if self.status.commits > commits else delay
                self.status.retries += 1
                self.status.waiting(named, now() + timedelta(seconds=delay))
                self._stop.wait(delay)
                delay = min(delay * 2, LONGEST_RETRY)

    def _logged(self, fault: BaseException) -> SluiceError:
        named = self.named(fault)
        if named is not fault:
            log.error("%s: %s", self.title, named.text(), exc_info=fault)
        return named

    def _watch(
        self,
        query: StreamingQuery,
        runner: BatchRunner,
        look: Callable[[], None],
        ended: Callable[[], bool],
        every: float = LOOK_EVERY,
    ) -> None:
        """Look after a query until it is to stop, has `ended` by itself, or something is wrong."""
        next_look = next_ask = 0.0
        while not self._stop.wait(0.1):
            if time.monotonic() >= next_ask or runner.failure is not None:
                next_ask = time.monotonic() + ASK_EVERY
                if not query.isActive:
                    break
            if ended():
                self._finish(runner)
                return
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + every
                try:
                    look()
                except Superseded:
                    self._finish(runner)
                    raise
        if self._stop.is_set():
            self._finish(runner)
            return
        if runner.failure is not None:
            raise runner.failure
        fault: Any = query.exception()
        raise fault if fault is not None else errors.BATCH_FAILED(reason="the query ended")

    def _finish(self, runner: BatchRunner) -> None:
        """Let the batch that runs end, and Spark write down that it is done.

        Otherwise Spark would run that batch again, and a view that is new by then would get it
        although its target has the rows.
        """
        if not runner.stop(SHORT_PATIENCE if self.unreachable else STOP_PATIENCE):
            log.warning("the batch of %s did not end in time", self.title)
            return
        until = time.monotonic() + SHORT_PATIENCE
        while (
            offsets.last_logged(runner.checkpoint, "commits") < runner.last_done
            and time.monotonic() < until
        ):
            time.sleep(0.02)

    def _end_query(self, query: StreamingQuery) -> None:
        """End the query; one that waits for a broker is left to end by itself, without a batch."""
        ending = threading.Thread(target=self._stop_query, args=(query,), daemon=True)
        ending.start()
        ending.join(SHORT_PATIENCE if self.unreachable else None)

    def _stop_query(self, query: StreamingQuery) -> None:
        try:
            query.stop()
            close_callbacks()
        except Exception as fault:  # noqa: BLE001 - the JVM may have ended, and the query with it
            log.warning("stopping %s: %s", self.id, faults.reason(fault))
