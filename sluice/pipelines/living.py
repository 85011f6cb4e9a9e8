"""What runs until it is stopped: a thread that starts a query, watches it, and starts it again."""

from __future__ import annotations

import logging
import math
import threading
import time
from abc import ABC, abstractmethod
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sluice import errors
from sluice.errors import SluiceError, Terminal
from sluice.kafka.client import GONE
from sluice.pipelines import faults, offsets
from sluice.pipelines.connections import close_callbacks
from sluice.pipelines.status import Status, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql.streaming.query import StreamingQuery

    from sluice.pipelines.batches import Batches

FIRST_RETRY, LONGEST_RETRY = 1.0, 15.0
LOOK_EVERY = 2.0
ASK_EVERY = 0.5
"""Seconds between two questions to the JVM whether a query still runs."""

STOP_PATIENCE, SHORT_PATIENCE = 60.0, 3.0

_AWAY = (*GONE, errors.KAFKA_NO_LEADER)

log = logging.getLogger(__name__)


class Outdated(Exception):
    """What there is to read has changed: the query ends behind its batch and begins anew."""


class Living(ABC):
    """Keeps a query alive. Every wait shows in `status`."""

    def __init__(self, id_: str, title: str) -> None:
        self.id = id_
        self.title = title
        self.status = Status()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._live, name=f"pipeline-{id_}", daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Let it end; `stop` waits for that."""
        self._stop.set()
        self._wake.set()

    def stop(self, until: float = math.inf) -> None:
        """End behind the batch that runs; nothing is cut in two.

        One that has not ended by a moment of the monotonic clock is left to the end of the process:
        its batch runs again at the next start.
        """
        self.ask_to_stop()
        patience = min(STOP_PATIENCE + SHORT_PATIENCE, until - time.monotonic())
        self._thread.join(max(0.0, patience))
        self.close()
        self.status.stopped()

    def join(self, patience: float | None = None) -> bool:
        """Wait until there is nothing more to do; False if it takes longer than that."""
        self._thread.join(patience)
        return not self._thread.is_alive()

    @property
    def away(self) -> bool:
        """Whether its broker does not answer, or does not let it in."""
        return self.status.error is not None and self.status.error.condition in _AWAY

    @property
    @abstractmethod
    def brokers(self) -> str:
        """Who is asked, for errors."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the connections to the brokers."""

    @abstractmethod
    def _step(self) -> bool:
        """Run until something is wrong or it is to stop; False if there is nothing more to do."""

    def _goes_on(self, fault: SluiceError) -> bool:
        """Whether it can go on by itself after what usually somebody has to decide."""
        return False

    def _mend(self, fault: SluiceError) -> None:  # noqa: B027 - most have nothing to do
        """Do what helps before it is tried again."""

    def _live(self) -> None:
        """Run, and after a fault that can heal, run again, for ever."""
        delay = FIRST_RETRY
        while not self._stop.is_set():
            commits = self.status.commits
            try:
                if not self._step():
                    return
            except Outdated:
                continue
            except Exception as fault:  # noqa: BLE001 - the pipeline's boundary: anything is shown and retried
                named = self._named(fault)
                if isinstance(named, Terminal) and not self._goes_on(named):
                    self.status.failed(named)
                    self._stop.wait()
                    return
                self._mend(named)
                delay = FIRST_RETRY if self.status.commits > commits else delay
                self.status.waiting(named, now() + timedelta(seconds=delay))
                self._stop.wait(delay)
                delay = min(delay * 2, LONGEST_RETRY)

    def _named(self, fault: BaseException) -> SluiceError:
        named = faults.classify(fault, self.title, self.brokers)
        if named is not fault:
            log.error("%s: %s", self.title, named.text(), exc_info=fault)
        return named

    def _watch(
        self,
        query: StreamingQuery,
        runner: Batches,
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
                except Outdated:
                    self._finish(runner)
                    raise
        if self._stop.is_set():
            self._finish(runner)
            return
        if runner.failure is not None:
            raise runner.failure
        fault: Any = query.exception()
        raise fault if fault is not None else errors.BATCH_FAILED(reason="the query ended")

    def _finish(self, runner: Batches) -> None:
        """Let the batch that runs end, and Spark write down that it is done.

        Otherwise Spark would run that batch again, and a view that is new by then would get it
        although its target has the rows.
        """
        if not runner.stop(SHORT_PATIENCE if self.away else STOP_PATIENCE):
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
        ending.join(SHORT_PATIENCE if self.away else None)

    def _stop_query(self, query: StreamingQuery) -> None:
        try:
            query.stop()
            close_callbacks()
        except Exception as fault:  # noqa: BLE001 - Spark may be gone already, and the query with it
            log.warning("stopping %s: %s", self.id, faults.reason(fault))
