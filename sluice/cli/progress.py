"""A bar that grows on a terminal, and a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_WIDTH = 30
_QUIET_S = 5.0


class Bar:
    """Progress towards a known total."""

    def __init__(self, label: str, total: int, out: TextIO | None = None) -> None:
        self._label = label
        self._total = total
        self._out = out or sys.stdout
        self._live = self._out.isatty()
        self._began = time.monotonic()
        self._said = 0.0

    def show(self, done: int, note: str = "") -> None:
        """Draw `done` of the total, the rate so far and a note."""
        now = time.monotonic()
        if not self._live and now - self._said < _QUIET_S:
            return
        self._said = now
        self._draw(done, note)

    def finish(self, done: int, note: str = "") -> None:
        """Draw the last state and leave it on the screen."""
        self._draw(done, note)
        if self._live:
            self._out.write("\n")
            self._out.flush()

    def _draw(self, done: int, note: str) -> None:
        share = min(1.0, done / self._total) if self._total else 1.0
        rate = done / max(0.001, time.monotonic() - self._began)
        blocks = "█" * round(share * _WIDTH)
        counts = f"{done:>9,} of {self._total:,}  {rate:>9,.0f}/s"
        text = f"{self._label} {blocks:░<{_WIDTH}} {counts}{note}"
        self._out.write(f"\r{text}\x1b[K" if self._live else f"{text}\n")
        self._out.flush()
