"""What Sluice and the libraries under it have to say goes into a file, never onto the terminal."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LOGGERS = ("sluice", "py4j", "pyspark")
_BYTES, _FILES = 20_000_000, 3


def log_to(path: Path) -> Callable[[], None]:
    """Send the log into a file; what is given back ends that."""
    handler = RotatingFileHandler(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addHandler(handler)

    def end() -> None:
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()

    return end
