"""What statements did: those that run, counters, and a log of bounded size in the data folder."""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sluice.errors import SluiceError, seen
from sluice.session.masking import masked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_LARGEST = 4 << 20
"""Bytes of a file of the log; there are two, the newer and the older."""
_LONGEST = 10_000
"""Letters of a statement that are kept."""


@dataclass(slots=True)
class Statement:
    """A statement that runs, or ran."""

    text: str = field(repr=False)
    database: str
    dialect: str
    id: str
    started: datetime
    clock: float
    kind: str = ""
    rows: int = 0
    understood: bool = False

    def shown(self) -> str:
        """Its text, without secrets."""
        text = masked(self.text[: 2 * _LONGEST], understood=self.understood)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    def leave_out(self, data: str | None) -> None:
        """What an INSERT brings along is no part of its text."""
        at = self.text.find(data) if data else -1
        if at >= 0:
            self.text = self.text[:at]

    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self.clock


class Activity:
    """The statements of one data folder's process."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "query_log.jsonl"
        self._lock = threading.Lock()
        self._running: dict[str, Statement] = {}
        self.counts: Counter[str] = Counter()
        self.started = datetime.now(UTC)

    @contextmanager
    def statement(
        self, text: str, database: str, dialect: str, query_id: str = ""
    ) -> Iterator[Statement]:
        """Keep book of a statement while it runs; what fails is counted and goes on its way."""
        made = Statement(
            text,
            database,
            dialect,
            query_id or str(uuid.uuid4()),
            datetime.now(UTC),
            time.monotonic(),
        )
        with self._lock:
            self._running[made.id] = made
        try:
            yield made
        except BaseException as fault:
            self._done(made, fault)
            raise
        else:
            self._done(made, None)

    def running(self) -> list[Statement]:
        """Those that run now, the oldest first."""
        with self._lock:
            return list(self._running.values())

    def log(self) -> Iterator[dict[str, Any]]:
        """What is kept of the statements that have ended, the oldest first."""
        with self._lock:
            texts = [path.read_text("utf-8") for path in (self._older, self._path) if path.exists()]
        for text in texts:
            for line in text.splitlines():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:  # a line that a crash cut short
                    continue

    @property
    def _older(self) -> Path:
        return self._path.with_suffix(".old.jsonl")

    def _done(self, made: Statement, fault: BaseException | None) -> None:
        entry = {
            "type": "QueryFinish",
            "query_id": made.id,
            "started": made.started.timestamp(),
            "ended": datetime.now(UTC).timestamp(),
            "duration_ms": round(made.seconds() * 1000),
            "query": made.shown(),
            "kind": made.kind,
            "database": made.database,
            "dialect": made.dialect,
            "rows": made.rows,
        }
        if fault is not None:
            entry["type"] = (
                "ExceptionWhileProcessing" if made.understood else "ExceptionBeforeStart"
            )
            if isinstance(fault, SluiceError):
                seen.note(fault, made.id)
                entry["exception"] = fault.text()
                entry["exception_name"] = fault.condition.name
                entry["exception_code"] = fault.condition.clickhouse_code
            else:
                entry["exception"] = type(fault).__name__
        with self._lock:
            self._running.pop(made.id, None)
            self._count(made, failed=fault is not None)
            self._write(json.dumps(entry, ensure_ascii=False) + "\n")

    def _count(self, made: Statement, *, failed: bool) -> None:
        kinds = [name for name in ("Select", "Insert") if made.kind == name]
        for name in ("", *kinds):
            self.counts[f"{name}Query"] += 1
            if failed:
                self.counts[f"Failed{name}Query"] += 1
        self.counts["QueryTimeMicroseconds"] += round(made.seconds() * 1e6)

    def _write(self, line: str) -> None:
        """Add a line; the log is a help, so a full disk does not make a statement fail."""
        try:
            if self._path.exists() and self._path.stat().st_size > _LARGEST:
                self._path.replace(self._older)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
            with os.fdopen(os.open(self._path, flags, 0o600), "a", encoding="utf-8") as file:
                file.write(line)
        except OSError:
            self.counts["QueryLogWriteErrors"] += 1
