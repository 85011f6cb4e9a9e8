"""Stopping in good order on SIGTERM and Ctrl-C."""

from __future__ import annotations

import os
import select
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType
    from typing import Self

_STOPPING = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """Turns the first SIGTERM or SIGINT into something to wait for; the second ends the process.

    The handler only writes a byte into a pipe: it can come in the middle of anything, so it must
    not take a lock or raise.
    """

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._before = {number: signal.signal(number, self._note) for number in _STOPPING}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._reader)
        os.close(self._writer)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for a signal; False when the time is over without one."""
        return bool(select.select([self._reader], [], [], timeout)[0])

    def _note(self, number: int, frame: FrameType | None) -> None:
        os.write(self._writer, b"!")
        for each in _STOPPING:
            signal.signal(each, signal.SIG_DFL)
