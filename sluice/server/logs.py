"""Where the server's own log goes: a file, never the terminal."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sluice.session.logs import LogFileHandler

if TYPE_CHECKING:
    from pathlib import Path

LOGGERS = ("sluice", "uvicorn.error")
"""Not `uvicorn.access`: addresses hold statements, and statements hold passwords."""
_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class LogFile:
    """Sends the loggers of Sluice and of its HTTP library to one file until it is closed."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handler = LogFileHandler(path, maxBytes=16 << 20, backupCount=3, delay=True)
        self._handler.setFormatter(logging.Formatter(_LINE))
        for name in LOGGERS:
            logger = logging.getLogger(name)
            logger.addHandler(self._handler)
            logger.setLevel(logging.INFO)
            logger.propagate = False

    def close(self) -> None:
        """Let go of the loggers and the file."""
        for name in LOGGERS:
            logger = logging.getLogger(name)
            logger.removeHandler(self._handler)
            logger.propagate = True
        self._handler.close()
