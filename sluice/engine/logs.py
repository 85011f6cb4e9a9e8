"""The log of Sluice and its libraries goes into a file, never onto the terminal."""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import TextIOWrapper
    from pathlib import Path

_LOGGERS = ("sluice", "py4j", "pyspark")
_BYTES, _FILES = 20_000_000, 3


class LogFileHandler(RotatingFileHandler):
    """Writes a log file that is its owner's alone, never through a symbolic link."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        opened = os.open(self.baseFilename, flags, 0o600)
        return cast("TextIOWrapper", os.fdopen(opened, self.mode, encoding=self.encoding))


def log_to(path: Path) -> Callable[[], None]:
    """Send the log into a file; what is given back ends that."""
    handler = LogFileHandler(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addHandler(handler)

    def end() -> None:
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()

    return end
