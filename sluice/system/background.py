"""Values that are read in the background, so that nobody waits for who does not answer."""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

from sluice.engine.spark.gateway import disconnect

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

log = logging.getLogger(__name__)


class Background(Generic[T]):
    """A value that a thread of its own reads again when someone asks for it.

    It is read at most once in `every` seconds and never twice at a time. Who asks waits for
    `patience` seconds, then gets what was read last, or `nothing` if that is older than `lasts`.
    """

    def __init__(
        self,
        read: Callable[[], T],
        nothing: T,
        *,
        every: float = 0.0,
        patience: float = 0.0,
        lasts: float = math.inf,
    ) -> None:
        self._read = read
        self._nothing = self._value = nothing
        self._every, self._patience, self._lasts = every, patience, lasts
        self._read_at = -math.inf
        self._reading: threading.Event | None = None
        self._lock = threading.Lock()

    def value(self) -> T:
        """The newest value that is known."""
        with self._lock:
            now = time.monotonic()
            if self._reading is None and now >= self._read_at + self._every:
                self._reading = threading.Event()
                threading.Thread(target=self._run, name="sluice-metrics", daemon=True).start()
            reading = self._reading
        if reading is not None and self._patience:
            reading.wait(self._patience)
        with self._lock:
            fresh = time.monotonic() <= self._read_at + self._lasts
            return self._value if fresh else self._nothing

    def _run(self) -> None:
        value, at = self._value, self._read_at
        try:
            value, at = self._read(), time.monotonic()
        except Exception as fault:  # noqa: BLE001 - whatever it is, the next one may be answered
            log.debug("a metric cannot be read: %s", fault)
        finally:
            disconnect()
            with self._lock:
                self._value, self._read_at = value, at
                reading, self._reading = self._reading, None
        if reading is not None:
            reading.set()
