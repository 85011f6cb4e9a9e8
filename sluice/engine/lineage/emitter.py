"""Sends lineage events without ever slowing a pipeline down."""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
import uuid
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from sluice.engine.lineage import events
from sluice.engine.lineage.transports import FileTransport, HttpTransport
from sluice.engine.runtime.status import FINISHED, RUNNING, STOPPED, now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluice.config import Config
    from sluice.engine.lineage.transports import Transport
    from sluice.engine.runtime.query import RunningQuery

OUTCOMES = SENT, FAILED, DROPPED = "sent", "failed", "dropped"

_MOST = 1000
"""Events that wait to be sent; one more is dropped."""

log = logging.getLogger(__name__)


class Lineage:
    """The lineage events of one engine: a bounded queue, and a thread that sends them."""

    def __init__(self, transports: Sequence[Transport], namespace: str) -> None:
        self.namespace = namespace
        self.counts: Counter[str] = Counter()
        """Events that were sent, could not be sent, or were dropped because too many waited."""
        self._transports = transports
        self._waiting: queue.Queue[tuple[Run, str, str, str] | None] = queue.Queue(_MOST)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, config: Config | None) -> Lineage | None:
        """What the operator has configured; None for nothing.

        Raises:
            SluiceError: UNACCEPTABLE_URL or INVALID_URL.
        """
        given = None if config is None else config.openlineage
        if config is None or given is None:
            return None
        transports: list[Transport] = []
        if given.file is not None:
            transports.append(FileTransport(given.file))
        if given.url:
            transports.append(HttpTransport(given.url, config.hosts, given.key))
        return cls(transports, given.namespace)

    def follow(self, query: RunningQuery) -> None:
        """Report what happens to a query from now on."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._send_all, name="sluice-lineage", daemon=True
                )
                self._thread.start()
        query.status.listener = Run(self, query).entered

    def put(self, run: Run, kind: str, condition: str = "") -> None:
        """Let an event be sent."""
        try:
            self._waiting.put_nowait((run, kind, now().isoformat(), condition))
        except queue.Full:
            self.counts[DROPPED] += 1

    def close(self, patience: float) -> None:
        """Send what waits, but not for longer than that."""
        until = time.monotonic() + patience
        if self._thread is None:
            return
        with suppress(queue.Full):
            self._waiting.put(None, timeout=patience)
            self._thread.join(max(0.0, until - time.monotonic()))

    def _send_all(self) -> None:
        while (waiting := self._waiting.get()) is not None:
            run, kind, at, condition = waiting
            try:
                made = events.event(kind, at, run.id, self.namespace, run.query, condition)
                text = json.dumps(made, ensure_ascii=False)
                for transport in self._transports:
                    transport.send(text)
            except Exception as fault:  # noqa: BLE001 - lineage is a help: whatever it is, no pipeline fails
                self.counts[FAILED] += 1
                log.warning("a lineage event of %s cannot be sent: %s", run.query.title, fault)
            else:
                self.counts[SENT] += 1


class Run:
    """One run of a query: it starts once and ends once."""

    def __init__(self, lineage: Lineage, query: RunningQuery) -> None:
        self.id = str(uuid.uuid4())
        self.query = query
        self._lineage = lineage
        self._started = self._ended = False

    def entered(self, state: str) -> None:
        """Report a state of the query, if it matters to lineage."""
        word, _, condition = state.partition("(")
        if word == RUNNING and not self._ended:
            self._lineage.put(self, events.RUNNING if self._started else events.START)
            self._started = True
        elif word == "FAILED":
            if not self._started:
                self._lineage.put(self, events.START)
                self._started = True
            self._end(events.FAIL, condition.rstrip(")"))
        elif word == FINISHED:
            self._end(events.COMPLETE)
        elif word == STOPPED:
            self._end(events.ABORT)

    def _end(self, kind: str, condition: str = "") -> None:
        if self._started and not self._ended:
            self._ended = True
            self._lineage.put(self, kind, condition)
