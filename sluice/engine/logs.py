"""The log of Sluice and its libraries is written to a file, never to the terminal.

Its lines are text, or JSON objects that tell which statement or pipeline they are about.
"""

from __future__ import annotations

import json
import logging
import os
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, cast

from sluice.engine.activity import current_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import TextIOWrapper
    from pathlib import Path

_LOGGERS = ("sluice", "py4j", "pyspark")
_BYTES, _FILES = 20_000_000, 3

TEXT, JSON = "text", "json"
FORMATS = (TEXT, JSON)

_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_PIPELINE: ContextVar[str] = ContextVar("pipeline", default="")


@contextmanager
def about_pipeline(name: str) -> Iterator[None]:
    """Around what a thread does for a pipeline: lines that it logs name the pipeline."""
    token = _PIPELINE.set(name)
    try:
        yield
    finally:
        _PIPELINE.reset(token)


class JsonFormatter(logging.Formatter):
    """Writes a record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, logger and message; statement, pipeline and exception if there is one."""
        statement = current_statement()
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "query_id": statement.id if statement is not None else "",
            "pipeline": _PIPELINE.get(),
            "exception": self.formatException(record.exc_info) if record.exc_info else "",
        }
        kept = {name: value for name, value in fields.items() if value or name == "message"}
        return json.dumps(kept, ensure_ascii=False)


def formatter(log_format: str) -> logging.Formatter:
    """What writes lines as TEXT or as JSON."""
    return JsonFormatter() if log_format == JSON else logging.Formatter(_LINE)


class LogFileHandler(RotatingFileHandler):
    """Writes a log file that is its owner's alone, never through a symbolic link."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        opened = os.open(self.baseFilename, flags, 0o600)
        return cast("TextIOWrapper", os.fdopen(opened, self.mode, encoding=self.encoding))


def log_to(path: Path, log_format: str = TEXT) -> Callable[[], None]:
    """Send the log into a file; what is given back ends that."""
    handler = LogFileHandler(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8")
    handler.setFormatter(formatter(log_format))
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addHandler(handler)

    def end() -> None:
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()

    return end
